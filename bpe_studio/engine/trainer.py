"""Trainer: makes merges in slices, records each with its ties and margin, and says why it stopped."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from bpe_studio import __version__
from bpe_studio.engine import kernels
from bpe_studio.engine.alphabet import Alphabet, alphabet_for
from bpe_studio.engine.checking import as_index
from bpe_studio.engine.compiling import prepare
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.errors import TrainingError
from bpe_studio.engine.merges import RULE, MergeBatch, MergeLog
from bpe_studio.engine.merging import FastTrainer
from bpe_studio.engine.reference import ReferenceTrainer
from bpe_studio.engine.replay import wants_kernels
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.training_record import TrainingRecord
from bpe_studio.engine.words import WordTable

MAX_SLICE = 4096
"""Merges made between two looks at the clock, at most."""

FIRST_SECONDS = 0.01
"""Time that the first merge is taken to need, before anything is measured."""


class MergeLoop(Protocol):
    """What makes merges: compiled, or the reference."""

    def advance(self, n_merges: int) -> Sequence[np.ndarray]:
        """Make up to `n_merges` merges and return left, right, count, n_tied, margin, corpus_tokens."""
        ...

    def reapply(self, left: np.ndarray, right: np.ndarray) -> None:
        """Make given merges."""
        ...

    def best_count(self) -> int:
        """Return the best count of any eligible pair."""
        ...


class PlainLoop:
    """The reference as a merge loop."""

    def __init__(self, trainer: ReferenceTrainer) -> None:
        self._trainer = trainer

    def advance(self, n_merges: int) -> Sequence[np.ndarray]:
        """Make up to `n_merges` merges."""
        rows: list[tuple[int, ...]] = []
        while len(rows) < n_merges and (merge := self._trainer.step()) is not None:
            rows.append(
                (merge.left, merge.right, merge.count, merge.n_tied, merge.margin, merge.corpus_tokens)
            )
        return list(np.array(rows, np.int64).reshape(-1, 6).T)

    def reapply(self, left: np.ndarray, right: np.ndarray) -> None:
        """Make given merges."""
        for pair in zip(left.tolist(), right.tolist(), strict=True):
            self._trainer.apply(pair)

    def best_count(self) -> int:
        """Return the best count of any eligible pair."""
        return self._trainer.best_count()


class Trainer:
    """Trains on words, one merge or thousands at a time.

    Parameters
    ----------
    words : WordTable
        Unique pre-tokens with counts. Pattern and special tokens of the run are the table's.
    config : TrainingConfig
        The settings.
    log : MergeLog or None
        Merges made earlier on the same words, to go on from.
    engine : {"auto", "kernels", "reference"}
        Compiled kernels, plain Python, or what is quicker. The results are the same.

    Raises
    ------
    TrainingError
        If `vocab_size` is too small for the base tokens and specials, or `engine` is unknown.
    UnknownCharacterError
        If explicit base characters leave some of the corpus without a token.
    """

    def __init__(
        self, words: WordTable, config: TrainingConfig, *, log: MergeLog | None = None, engine: str = "auto"
    ) -> None:
        if engine not in ("auto", "kernels", "reference"):
            raise TrainingError(f"engine is {engine!r}; it must be 'auto', 'kernels' or 'reference'")
        _check_kinds(words, config)
        pattern = words.pattern.name if words.pattern.name != "custom" else words.pattern.expression or ""
        config = replace(config, pattern=pattern, special_tokens=words.special_tokens)
        self.words = words
        self.config = config
        self.alphabet = log.alphabet if log is not None else alphabet_for(words, config)
        self._base, self._offsets = self.alphabet.word_symbols(words)
        self.n_target = n_target(config, self.alphabet)
        self.log = MergeLog(self.alphabet, config, int(np.dot(np.diff(self._offsets), words.counts)))
        if log is not None:
            self.log.extend(log.batch(0, len(log)))
        self.stop_reason: StopReason | None = None
        self._engine = engine
        self._pace = 0.0  # merges a second in the last slice
        self._loop: MergeLoop | None = None

    def advance(self, max_merges: int | None = None, max_seconds: float | None = None) -> MergeBatch:
        """Make merges until the vocabulary is full, or one of the limits is reached.

        Parameters
        ----------
        max_merges : int or None
            Merges to make at most.
        max_seconds : float or None
            Time after which no more are begun, in seconds. At least one merge is made.

        Returns
        -------
        MergeBatch
            The new rows; empty once `stop_reason` is set.
        """
        first = len(self.log)
        left_to_make = self.n_target - first
        if max_merges is not None:
            left_to_make = min(left_to_make, as_index("max_merges", max_merges))
        seconds_left = max_seconds
        while left_to_make > 0 and self.stop_reason is None:
            started = time.monotonic()
            size = MAX_SLICE if seconds_left is None else max(1, int(self._pace * seconds_left))
            n_made = self._slice(min(size, left_to_make, MAX_SLICE))
            left_to_make -= n_made
            seconds = time.monotonic() - started
            # Later merges are quicker, so the pace only ever errs on the side of short slices; at most
            # doubling it keeps one lucky measurement from making a long one.
            self._pace = min(n_made / max(seconds, 1e-6), 2 * max(self._pace, 1 / FIRST_SECONDS))
            if seconds_left is not None:
                seconds_left -= seconds
                if seconds_left <= 0:
                    break
        if self.stop_reason is None and len(self.log) >= self.n_target:
            self.stop_reason = self.reason("vocabulary_full")
        return self.log.batch(first, len(self.log))

    def _slice(self, n_merges: int) -> int:
        columns = self._running().advance(n_merges)
        n_made = len(columns[0])
        if n_made:
            first = len(self.log)
            tokens = np.arange(n_made) + self.log.next_id
            left, right, count, n_tied, margin, corpus_tokens = columns
            origin = np.full(n_made, RULE, np.int8)
            self.log.extend(
                MergeBatch(
                    first, left.astype(np.int32), right.astype(np.int32), tokens.astype(np.int32),
                    count, n_tied, margin, corpus_tokens, origin,
                )
            )  # fmt: skip
        if n_made < n_merges:
            best = self._running().best_count()
            self.stop_reason = self.reason("min_frequency" if best else "no_pair", best_count=best)
        return n_made

    def _running(self) -> MergeLoop:
        if isinstance(self._loop, PlainLoop) and self._engine == "auto" and kernels.status() == "loaded":
            self._loop = None  # the compiled loop has become ready meanwhile
        if self._loop is None:
            self._loop = self._new_loop()
            self._loop.reapply(self.log.left, self.log.right)
        return self._loop

    def _new_loop(self) -> MergeLoop:
        if self._engine == "kernels" or (
            self._engine == "auto" and wants_kernels(len(self._base), self.n_target - len(self.log))
        ):
            return FastTrainer(
                self._base, self._offsets, self.words.counts, self.alphabet, self.config, prepare(),
                keeps_all=len(self.log) > 0,
            )  # fmt: skip
        base, offsets = self._base.tolist(), self._offsets.tolist()
        words = [base[at:end] for at, end in zip(offsets, offsets[1:], strict=False)]
        return PlainLoop(ReferenceTrainer(words, self.words.counts.tolist(), self.alphabet, self.config))

    def reason(self, code: str, **numbers: int) -> StopReason:
        """Return a stop reason of a kind, with the numbers of this run."""
        return stop_reason(code, self.config, self.alphabet, len(self.log), **numbers)

    def tokenizer(self, k: int | None = None) -> Tokenizer:
        """Return the tokenizer of the first k merges, or of all that are made."""
        n_merges = len(self.log) if k is None else k
        record = TrainingRecord(
            self.config, self.log.first(len(self.log)), self.stop_reason, self.words.facts, __version__
        )
        whole = Tokenizer.from_log(record.log, self.words.pattern, self.words.special_tokens, training=record)
        return whole.first(n_merges)


def _check_kinds(words: object, config: object) -> None:
    """Say in words what a text in the place of a table would fail at much later."""
    for name, value, kind in (("words", words, WordTable), ("config", config, TrainingConfig)):
        if not isinstance(value, kind):
            raise TrainingError(f"{name} is a {type(value).__name__}; it must be a {kind.__name__}")


def n_target(config: TrainingConfig, alphabet: Alphabet) -> int:
    """Return how many merges the vocabulary size allows.

    Raises
    ------
    TrainingError
        If it has no room for the base tokens and special tokens.
    """
    least = alphabet.n_tokens + len(config.special_tokens)
    if config.vocab_size < least:
        raise TrainingError(
            f"vocab_size is {config.vocab_size:,}; it must be at least {least:,}: "
            f"{alphabet.n_tokens:,} base tokens"
            + (f" and {len(config.special_tokens):,} special tokens" if config.special_tokens else "")
        )
    return config.vocab_size - least


def stop_reason(
    code: str, config: TrainingConfig, alphabet: Alphabet, n_merges: int, **numbers: int
) -> StopReason:
    """Return a stop reason with the numbers that its text needs, whatever vocabulary is asked for."""
    vocab_size = alphabet.n_tokens + len(config.special_tokens) + n_merges
    facts = {
        "vocab_size": vocab_size,
        "target": config.vocab_size,
        "n_merges": n_merges,
        "short": max(0, config.vocab_size - vocab_size),
        "min_frequency": config.min_frequency,
    }
    return StopReason(code, facts | numbers)
