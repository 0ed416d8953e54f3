"""Documents, settings and runs: what is trained on, how, and the list of what has been trained."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.assets import sample
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.errors import BpeStudioError, CorpusError
from bpe_studio.engine.words import WordTable, count_words
from bpe_studio.gui.intentions.training import TrainingStatus
from bpe_studio.gui.jobs import JobResult, Progress
from bpe_studio.gui.wording import progress_text
from bpe_studio.session import Run, new_run

if TYPE_CHECKING:
    from bpe_studio.gui.controller import Controller

READ, COUNT = "read", "count"
SETTINGS_OF_WORDS = ("pattern", "special_tokens", "errors", "lines")
"""Settings that decide the words; the others only decide what is done with them."""
PREVIEW_CHARACTERS = 1000
"""A sample shows this much of itself in PREVIEW."""


@dataclass(frozen=True)
class ReadRequest:
    """Read files and folders as documents; with a sample's key, they make a corpus of their own."""

    paths: tuple[Path, ...]
    errors: str = "strict"
    sample: str = ""


@dataclass(frozen=True)
class CountRequest:
    """Count the words of a corpus for a run of this name; `words` are reused if they are given."""

    corpus: Corpus
    config: TrainingConfig
    name: str
    words: WordTable | None = None
    train: bool = False
    is_sample: bool = False


@dataclass(frozen=True)
class BadBytes:
    """Reading met bytes that are no text; the user may read on with ``replace`` or ``skip``."""

    paths: tuple[Path, ...]
    sample: str
    text: str


def read_documents(request: ReadRequest, progress: Progress) -> Corpus:
    """Read the files of a request (in a job)."""
    return Corpus.from_source(
        list(request.paths), errors=request.errors, progress=_staged("reading", progress)
    )


def run_over(request: CountRequest, progress: Progress) -> Run | None:
    """Count the words of a request and return a run without merges (in a job); None if it was cancelled."""
    config, words = request.config, request.words
    if words is None:
        corpus = replace(request.corpus, lines=config.lines)
        words = count_words(
            corpus, pattern=config.pattern, special_tokens=config.special_tokens, errors=config.errors,
            lines=config.lines, n_threads=config.n_threads, progress=_staged("counting", progress),
        )  # fmt: skip
    return new_run(request.name, words, config) if progress("counting", 0, None) else None


def _staged(stage: str, progress: Progress) -> Callable[[str, int, int | None], bool]:
    def report(_: str, done: int, total: int | None = None) -> bool:
        return progress(stage, done, total)

    return report


class DocumentIntentions:
    """Changes the corpus and the settings, and keeps a run without merges in step with both."""

    def __init__(self, controller: Controller) -> None:
        self._c = controller
        self._reading: tuple[Path, ...] = ()
        self._title = ""
        self._stage, self._stage_start = "", (0.0, 0)
        self.is_preview_ours = True

    # --- documents

    def add_paths(self, paths: list[Path], errors: str) -> None:
        """Read files and folders, together with those that are still being read."""
        pending = self._reading if self._c.jobs.is_busy(READ) else ()
        self._reading = (*pending, *paths)
        self._c.jobs.submit(READ, read_documents, ReadRequest(self._reading, errors))
        self._c.training_now.tell_work(TrainingStatus("reading", text=progress_text("reading", 0, None)))

    def read_again(self, bad: BadBytes, errors: str) -> None:
        """Read on after bad bytes, with U+FFFD for them or without the documents that hold them."""
        self._c.jobs.submit(READ, read_documents, ReadRequest(bad.paths, errors, bad.sample))

    def cancel(self) -> None:
        """Stop reading and counting; the corpus and the runs stay as they are."""
        if self._c.jobs.is_busy(READ) or self._c.jobs.is_busy(COUNT):
            self._reading = ()
            self._c.jobs.cancel(READ)
            self._c.jobs.cancel(COUNT)
            self._c.training_now.tell_work(None)

    def add_text(self, name: str, text: str) -> None:
        """Add a text as a document."""
        document = Corpus.from_source(text).documents[0]
        self._add(Corpus((replace(document, name=name),)))

    def remove(self, places: list[int]) -> None:
        """Take documents out of the corpus."""
        corpus = self._c.session.corpus
        if corpus is not None:
            kept = tuple(one for place, one in enumerate(corpus.documents) if place not in set(places))
            self._set_corpus(replace(corpus, documents=kept) if kept else None)

    def clear(self) -> None:
        """Take all documents out."""
        self._set_corpus(None)

    def open_sample(self, key: str) -> None:
        """Put a sample in the place of the corpus, with the settings under which it shows what it shows."""
        files = sample(key).documents
        self._c.jobs.submit(READ, read_documents, ReadRequest(tuple(files), sample=key))

    def on_read(self, result: JobResult) -> None:
        """Take what was read, or ask what to do about bytes that are no text."""
        request: ReadRequest = result.request
        self._reading = ()
        self._c.training_now.tell_work(None)
        if (
            isinstance(result.error, CorpusError)
            and result.error.byte_offset is not None
            and request.errors == "strict"
        ):
            self._c.bad_bytes_met.emit(BadBytes(request.paths, request.sample, result.error.what))
        elif result.error is not None:
            self._fail(self._c.tr("The documents cannot be read"), result.error)
        elif request.sample:
            self._take_sample(request.sample, result.value)
        else:
            self._add(result.value)

    def _take_sample(self, key: str, corpus: Corpus) -> None:
        settings = {name: _as_setting(value) for name, value in sample(key).settings.items()}
        self._c.session.settings = replace(
            TrainingConfig(vocab_size=self._c.session.settings.vocab_size), **settings
        )
        self._c.settings_changed.emit()
        self._set_corpus(corpus, title=sample(key).title)
        if self.is_preview_ours:
            self._c.preview.set_text("\n".join(one.text for one in corpus.documents)[:PREVIEW_CHARACTERS])

    def _add(self, more: Corpus) -> None:
        corpus = self._c.session.corpus
        if not more.documents:
            skipped = ", ".join(more.skipped)
            self._c.message.emit(self._c.tr("No document was added; skipped: {0}").format(skipped or "—"))
            return
        if corpus is None or self._title:
            if self._title:
                self._c.message.emit(self._c.tr("Your documents have taken the place of the sample"))
            self._set_corpus(more)
        else:
            documents = (*corpus.documents, *more.documents)
            self._set_corpus(replace(corpus, documents=documents, skipped=(*corpus.skipped, *more.skipped)))

    def _set_corpus(self, corpus: Corpus | None, *, title: str = "") -> None:
        """Put another corpus in place; one with a title is a sample, and gets a run of its own at once."""
        session = self._c.session
        session.corpus = corpus
        self._title = title
        session.mark_stale()
        self._c.corpus_changed.emit()
        self._c.runs_changed.emit()
        self.refresh_blank_run(force=bool(title))

    # --- settings and runs

    def change_settings(self, fields: dict[str, Any]) -> str:
        """Change settings of the next training; returns what is wrong with them, and then changes nothing."""
        try:
            settings = replace(self._c.session.settings, **fields)
        except BpeStudioError as error:
            return str(error)
        if settings != self._c.session.settings:
            self._c.session.settings = settings
            self._c.settings_changed.emit()
            self.refresh_blank_run()
        return ""

    def refresh_blank_run(self, *, force: bool = False) -> None:
        """Count anew for a run that has no merges yet; a run with merges is never touched."""
        session, run = self._c.session, self._c.session.current
        # An opened tokenizer cannot be trained: a corpus added beside it gets a run of its own.
        is_blank = run is None or not run.has_words or self._is_blank(run)
        if session.corpus is None:
            self._c.jobs.cancel(COUNT)
            if run is not None and run.has_words and is_blank:
                self._c.delete_run(session.runs.index(run))
        elif is_blank or force:
            self._count(train=False, is_sample=force)

    def _is_blank(self, run: Run) -> bool:
        """A run that another may take the place of: it has no merges, and none are on their way."""
        return run.has_words and not run.n_merges and not self._c.training_now.is_at_work_on(run)

    def take_up_counting(self) -> None:
        """Count the corpus if there is no run because counting was stopped."""
        if not self._c.jobs.is_busy(COUNT):
            self.refresh_blank_run()

    def start_new_run(self) -> None:
        """Count the corpus under the settings as they are, and train a run of its own on it."""
        if self._c.session.corpus is None:
            self._c.message.emit(self._c.blocked_reason)
        else:
            self._count(train=True)

    def _count(self, *, train: bool, is_sample: bool = False) -> None:
        session = self._c.session
        name = session.fresh_name(self._title or _run_name(session.corpus))
        words = self._words_to_reuse()
        request = CountRequest(session.corpus, session.settings, name, words, train, is_sample)
        self._c.jobs.submit(COUNT, run_over, request)

    def _words_to_reuse(self) -> WordTable | None:
        run, settings = self._c.session.current, self._c.session.settings
        if run is None or run.words is None or run.stale:
            return None
        same = all(getattr(run.config, name) == getattr(settings, name) for name in SETTINGS_OF_WORDS)
        return run.words if same else None

    def on_counted(self, result: JobResult) -> None:
        """Put the counted run into the list; one without merges makes room for it."""
        session, request = self._c.session, result.request
        self._c.training_now.tell_work(None)
        if result.error is not None:
            title = self._c.tr("The corpus cannot be counted")
            if request.train:
                self._fail(title, result.error)
            else:
                self._c.message.emit(f"{title}: {result.error}")
            return
        if result.value is None:
            return
        current = session.current
        has_begun = current is not None and current.has_words and not self._is_blank(current)
        if has_begun and not request.train and not request.is_sample:
            return  # its first merge was asked for while the corpus was counted: it goes on
        blank = next(filter(self._is_blank, session.runs), None)
        if blank is None:
            session.add_run(result.value)
        else:
            session.replace_run(blank, result.value)
        self._c.current_run_changed()
        if request.train:
            self._c.train_to_target()

    def on_progress(self, stage: str, done: int, total: int | None) -> None:
        """Tell how far reading or counting is."""
        now = time.monotonic()
        if stage != self._stage or done <= self._stage_start[1]:
            self._stage, self._stage_start = stage, (now, done)
        seconds, made = now - self._stage_start[0], done - self._stage_start[1]
        rate = made / seconds if seconds > 0.2 else 0.0
        left = (total - done) / rate if total and rate else None
        text = progress_text(stage, done, total, rate)
        self._c.training_now.tell_work(TrainingStatus(stage, done, total, rate, left, text))

    def _fail(self, title: str, error: Exception) -> None:
        self._c.failed.emit(title, str(error) if isinstance(error, BpeStudioError | OSError) else repr(error))


def _as_setting(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _run_name(corpus: Corpus) -> str:
    first = corpus.documents[0].name
    return f"{first} +{len(corpus.documents) - 1}" if len(corpus.documents) > 1 else first
