"""What a window shows, without a window: runs, the cursor, opened tokenizers, texts.

The session belongs to the GUI thread and has one writer, the controller. Runs are append-only; whatever
else is here is small and replaced whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from bpe_studio import __version__
from bpe_studio.engine.alphabet import alphabet_for
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.merges import LOADED, UNKNOWN, MergeBatch, MergeLog
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.training_record import TrainingRecord
from bpe_studio.engine.words import CorpusFacts, WordTable

THIS_TRAINING = "training"
"""Name of PREVIEW's source when it follows the current run at the cursor."""

PRETRAINED = {"GPT-2": "gpt2", "cl100k (GPT-4)": "cl100k_base", "o200k (GPT-4o)": "o200k_base"}
"""Sources that PREVIEW has from the start: what the list shows, and what `formats.pretrained` takes."""

SETTINGS_OF_A_CORPUS = frozenset({"errors", "n_threads"})
"""Settings that say how to read and how fast: a change of them alone does not start another run."""

DEFAULT_VOCAB_SIZE = 512
"""A first run of the window: small enough to be looked at merge by merge."""

_numbers = count(1)


@dataclass(eq=False)
class Run:
    """A training run: words, settings and an append-only list of merges.

    Parameters
    ----------
    name : str
        What the run list shows.
    config : TrainingConfig
        Its settings; only `vocab_size` may be raised later.
    log : MergeLog
        The merges made so far.
    words : WordTable or None
        What is trained on; None for an opened tokenizer, which has rules but no counts.
    stop_reason : StopReason or None
        Why the training ended, once it has.
    stale : bool
        True if the corpus has changed since the words were counted.
    n_saved : int
        Merges in the file last saved; what is beyond it is unsaved.
    tokenizer : Tokenizer or None
        The opened tokenizer that this run shows.
    path : Path or None
        Where it was opened from or saved to.
    """

    name: str
    config: TrainingConfig
    log: MergeLog
    words: WordTable | None = None
    stop_reason: StopReason | None = None
    stale: bool = False
    n_saved: int = 0
    tokenizer: Tokenizer | None = None
    path: Path | None = None
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def n_merges(self) -> int:
        """Number of merges made."""
        return len(self.log)

    @property
    def n_base(self) -> int:
        """Number of tokens that are there before any merge: base tokens and special tokens."""
        return self.log.alphabet.n_tokens + len(self.special_tokens)

    @property
    def n_target(self) -> int:
        """Number of merges that the vocabulary size allows."""
        if self.words is None:
            return self.n_merges
        return max(self.n_merges, self.config.vocab_size - self.n_base)

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """Texts of the special tokens."""
        if self.tokenizer is not None:
            return tuple(self.tokenizer.special_tokens)
        return self.config.special_tokens

    @property
    def facts(self) -> CorpusFacts | None:
        """Sizes of the corpus it was counted from, if that is known."""
        if self.words is not None:
            return self.words.facts
        training = self.tokenizer.training if self.tokenizer is not None else None
        return training.facts if training is not None else None

    @property
    def has_words(self) -> bool:
        """True if it can be trained and its pairs can be counted."""
        return self.words is not None

    @property
    def is_full(self) -> bool:
        """True if there are as many merges as the vocabulary size allows."""
        return self.has_words and self.n_merges >= self.n_target

    @property
    def full_reason(self) -> StopReason:
        """Why a run at its target has ended."""
        size = self.n_base + self.n_merges
        return StopReason(
            "vocabulary_full", {"vocab_size": size, "target": size, "n_merges": self.n_merges, "short": 0}
        )

    @property
    def can_grow(self) -> bool:
        """True if training could make another merge: a stop by the user is no hindrance."""
        ended = self.stop_reason is not None and self.stop_reason.code != "user"
        return self.has_words and not ended and not self.is_full

    @property
    def saved(self) -> bool:
        """False if merges would be lost by closing; what was opened, and what has no merges, is safe."""
        return not self.has_words or self.n_merges <= self.n_saved

    def tokenizer_at(self, n_merges: int) -> Tokenizer:
        """Return the tokenizer after the first `n_merges` merges."""
        if self.tokenizer is not None:
            return self.tokenizer if n_merges == self.n_merges else self.tokenizer.first(n_merges)
        assert self.words is not None, "a run has words or a tokenizer"
        return tokenizer_of(self.words, self.config, self.log, n_merges, self.stop_reason)


def tokenizer_of(
    words: WordTable,
    config: TrainingConfig,
    log: MergeLog,
    n_merges: int,
    stop_reason: StopReason | None = None,
) -> Tokenizer:
    """Return the tokenizer of a run's first merges. Pure, for any thread: only rows that exist are read."""
    rows = log.first(n_merges)
    # A prefix is what a training to that size gives, whatever later ended the whole.
    reason = stop_reason if n_merges == len(log) else None
    record = TrainingRecord(config, rows, reason, words.facts, __version__)
    return Tokenizer.from_log(rows, words.pattern, words.special_tokens, training=record)


def new_run(name: str, words: WordTable, config: TrainingConfig) -> Run:
    """Return a run without merges over `words`."""
    alphabet = alphabet_for(words, config)
    _, offsets = alphabet.word_symbols(words)
    n_tokens = int(np.dot(np.diff(offsets), words.counts))
    return Run(name, config, MergeLog(alphabet, config, n_tokens), words)


def opened_run(name: str, tokenizer: Tokenizer, path: Path | None) -> Run:
    """Return a run that shows an opened tokenizer: its merges, with counts if its file told them."""
    training = tokenizer.training
    config = training.config if training is not None else TrainingConfig(alphabet=tokenizer.alphabet.kind)
    if training is not None:
        log = training.log
    else:
        log = MergeLog(tokenizer.alphabet, config, UNKNOWN)
        log.extend(loaded_merges(tokenizer))
    return Run(name, config, log, tokenizer=tokenizer, path=path, n_saved=len(log))


def loaded_merges(tokenizer: Tokenizer) -> MergeBatch:
    """Return a tokenizer's merges as rows without counts."""
    n = len(tokenizer.left)
    unknown = np.full(n, UNKNOWN, np.int64)
    origin = np.full(n, LOADED, np.int8)
    parts = (tokenizer.left, tokenizer.right, tokenizer.product)
    return MergeBatch(0, *parts, unknown, unknown, unknown, unknown, origin)


@dataclass(frozen=True)
class OpenedTokenizer:
    """A tokenizer that PREVIEW can use, under the name it has in the list."""

    name: str
    tokenizer: Tokenizer
    path: Path | None


@dataclass
class Session:
    """Everything a window shows. `cursor` counts merges in effect: it stands between two rows."""

    corpus: Corpus | None = None
    settings: TrainingConfig = field(default_factory=lambda: TrainingConfig(vocab_size=DEFAULT_VOCAB_SIZE))
    runs: list[Run] = field(default_factory=list)
    current: Run | None = None
    cursor: int = 0
    following: bool = True
    opened: list[OpenedTokenizer] = field(default_factory=list)
    preview_text: str = ""
    preview_source: str = THIS_TRAINING
    pin: Any = None

    @property
    def n_merges(self) -> int:
        """Merges of the current run; 0 without a run."""
        return self.current.n_merges if self.current is not None else 0

    @property
    def settings_differ(self) -> bool:
        """True while the settings are not those of the current run: training would start a new one."""
        return self.current is not None and bool(changed_settings(self.settings, self.current.config))

    @property
    def settings_extend(self) -> bool:
        """True if nothing but a larger vocabulary is asked for, which the current run can grow into."""
        run = self.current
        if run is None or not run.has_words:
            return False
        changes = changed_settings(self.settings, run.config)
        return changes == {"vocab_size"} and self.settings.vocab_size > run.config.vocab_size

    @property
    def has_unsaved_merges(self) -> bool:
        """True if closing would lose merges of any run."""
        return not all(run.saved for run in self.runs)

    def add_run(self, run: Run) -> None:
        """Put a run into the list and make it the current one, with the cursor at its end."""
        self.runs.append(run)
        self.select(run)

    def replace_run(self, old: Run, new: Run) -> None:
        """Put a run in the place of one without merges."""
        assert not old.n_merges, "merges are never thrown away"
        self.runs[self.runs.index(old)] = new
        self.select(new)

    def select(self, run: Run | None) -> None:
        """Make a run of the list the current one."""
        self.current = run
        self.cursor = self.n_merges
        self.following = True

    def delete(self, run: Run) -> None:
        """Take a run out of the list; the one before it becomes current if it was."""
        place = self.runs.index(run)
        self.runs.remove(run)
        gone = {one.name for one in self.opened if one.tokenizer is run.tokenizer}
        self.opened = [one for one in self.opened if one.name not in gone]
        if self.preview_source in gone:
            self.preview_source = THIS_TRAINING
        if self.current is run:
            self.select(self.runs[max(0, place - 1)] if self.runs else None)

    def move_cursor(self, k: int) -> bool:
        """Set the cursor, within the merges there are; returns True if it moved."""
        moved = min(max(0, k), self.n_merges)
        changed = moved != self.cursor
        self.cursor = moved
        self.following = moved == self.n_merges
        return changed

    def mark_stale(self) -> None:
        """The corpus is another one now: runs keep their own words and say so."""
        for run in self.runs:
            run.stale = run.stale or run.has_words

    def run_numbered(self, number: int) -> Run | None:
        """Return the run with this number if it is still in the list."""
        return next((run for run in self.runs if run.number == number), None)

    def fresh_name(self, wanted: str) -> str:
        """Return a name that no run has yet."""
        taken = {run.name for run in self.runs} | {one.name for one in self.opened}
        taken |= {THIS_TRAINING, *PRETRAINED}
        if wanted not in taken:
            return wanted
        return next(name for i in count(2) if (name := f"{wanted} ({i})") not in taken)


def changed_settings(settings: TrainingConfig, config: TrainingConfig) -> set[str]:
    """Return the names of the settings that make `settings` another run than `config`."""
    names = {f.name for f in fields(TrainingConfig)} - SETTINGS_OF_A_CORPUS
    return {name for name in names if getattr(settings, name) != getattr(config, name)}


def extended(config: TrainingConfig, vocab_size: int) -> TrainingConfig:
    """Return the settings with a larger vocabulary."""
    return replace(config, vocab_size=max(vocab_size, config.vocab_size))
