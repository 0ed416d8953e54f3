"""Tokenizer files: opened by content, shown before they are written, read back after they were."""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.commands import command_line, conversion_command, training_command
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.merges import MergeLog, OrderCheck
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.words import WordTable
from bpe_studio.formats.content import Content
from bpe_studio.formats.files import read_bounded
from bpe_studio.formats.reports import SaveReport
from bpe_studio.formats.table import FORMATS, file_in, format_named, load, recognised, save
from bpe_studio.gui.jobs import JobResult, Progress
from bpe_studio.gui.wording import shown_name
from bpe_studio.session import OpenedTokenizer, Run, opened_run, tokenizer_of

if TYPE_CHECKING:
    from bpe_studio.gui.controller import Controller

OPEN, SAVE, CHECK = "open", "save", "export preview"
SHOWN_BYTES = 4000
CHECKED_CHARACTERS = 200_000
"""Text of the corpus on which a written file is checked, beside texts made for that."""


@dataclass(frozen=True)
class SaveRequest:
    """A run's first `n_merges` merges, for a file."""

    run_number: int
    n_merges: int
    format: str
    path: Path | None
    tokenizer: Tokenizer | None
    words: WordTable | None
    config: TrainingConfig
    log: MergeLog
    stop_reason: StopReason | None
    corpus: Corpus | None


@dataclass(frozen=True)
class ExportPreview:
    """What a file would be: its beginning, size, what it does not keep, why it cannot be, further files."""

    format: str
    text: str
    n_bytes: int
    lost: tuple[str, ...]
    refusals: tuple[str, ...]
    beside: tuple[str, ...] = ()


def opened_tokenizer(path: Path, progress: Progress) -> tuple[Tokenizer, OrderCheck] | None:
    """Return the tokenizer in a file or folder, and whether it can be stepped through; None if none is."""
    try:
        file = file_in(path)
        recognised(Content(file, read_bounded(file)))
    except FormatError:
        # Damage inside a file that claims to be a tokenizer is told by `load`; anything else is a text.
        if os.path.exists(path):
            return None
        raise
    tokenizer = load(path)
    return tokenizer, tokenizer.is_ordered()


def _tokenizer(request: SaveRequest) -> Tokenizer:
    if request.tokenizer is not None:
        return request.tokenizer.first(request.n_merges)
    return tokenizer_of(request.words, request.config, request.log, request.n_merges, request.stop_reason)


def export_preview(request: SaveRequest, progress: Progress) -> ExportPreview:
    """Return what a file would be (in a job)."""
    tokenizer, record = _tokenizer(request), format_named(request.format)
    refusals = record.refusals(tokenizer)
    if refusals:
        return ExportPreview(request.format, "", 0, (), refusals)
    data = record.write(tokenizer)
    beside = tuple(record.beside(tokenizer, Path(record.usual_name)))
    return ExportPreview(request.format, _shown(data), len(data), record.lost(tokenizer), (), beside)


def _shown(data: bytes) -> str:
    """Return the beginning of a file: its text, or its bytes in hex if it is none."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return decoder.decode(data[:SHOWN_BYTES])
    except UnicodeDecodeError:
        rows = (data[at : at + 16].hex(" ") for at in range(0, min(len(data), SHOWN_BYTES // 4), 16))
        return "\n".join(rows)


def saved_file(request: SaveRequest, progress: Progress) -> SaveReport:
    """Write a file, and have it read back and checked on the beginning of the corpus (in a job)."""
    return save(_tokenizer(request), request.path, request.format, sample=_sample_text(request))


def _sample_text(request: SaveRequest) -> str:
    text = ""
    for piece in request.corpus.texts() if request.corpus is not None else ():
        text += piece[: CHECKED_CHARACTERS - len(text)]
        if len(text) >= CHECKED_CHARACTERS:
            break
    return text


class FileIntentions:
    """Opens and writes tokenizer files for the controller."""

    def __init__(self, controller: Controller) -> None:
        self._c = controller
        self._waiting: list[Path] = []

    def open_path(self, path: Path) -> None:
        """Open a tokenizer, or add a document; files dropped together are opened one after the other."""
        if self._c.jobs.is_busy(OPEN):
            self._waiting.append(path)
        else:
            self._c.jobs.submit(OPEN, opened_tokenizer, path)

    def on_opened(self, result: JobResult) -> None:
        """Put an opened tokenizer into the lists; it becomes PREVIEW's and replaces no run unasked."""
        path: Path = result.request
        if result.error is not None:
            self._c.failed.emit(self._c.tr("The file cannot be opened"), _text_of(result.error))
        elif result.value is None:
            self._c.add_paths([path])
        else:
            self._take(path, *result.value)
        if self._waiting:
            self.open_path(self._waiting.pop(0))

    def _take(self, path: Path, tokenizer: Tokenizer, order: OrderCheck) -> None:
        session = self._c.session
        name = session.fresh_name(shown_name(path))
        session.opened = [*session.opened, OpenedTokenizer(name, tokenizer, path)]
        said = self._c.tr("Opened {0}: {1} merges").format(name, f"{tokenizer.n_merges:,}")
        if order.ok:
            self._add_run(opened_run(name, tokenizer, path))
        else:
            said = self._c.tr("Opened {0} for Preview only: {1}").format(name, order.reason)
        self._c.set_preview_source(name)
        self._c.file_opened.emit(path)
        self._c.message.emit(said)

    def _add_run(self, run: Run) -> None:
        session = self._c.session
        if session.current is None:
            session.add_run(run)
            self._c.current_run_changed()
        else:
            session.runs.append(run)
            self._c.runs_changed.emit()

    def request(self, format: str, path: Path | None = None) -> SaveRequest | None:
        """Return what the current run would be as a file; None without a run."""
        session, run = self._c.session, self._c.session.current
        if run is None:
            return None
        return SaveRequest(
            run.number, run.n_merges, format, path, run.tokenizer, run.words, run.config, run.log,
            run.stop_reason, session.corpus,
        )  # fmt: skip

    def command(self, format: str, path: Path) -> str | None:
        """Return the terminal's line that writes the current run to a file; None if there is none."""
        session, run = self._c.session, self._c.session.current
        if run is None:
            return None
        if not run.has_words:
            return None if run.path is None else command_line(conversion_command(run.path, path, format))
        documents = session.corpus.documents if session.corpus is not None and not run.stale else ()
        files = [document.path for document in documents if document.path is not None]
        if not files or len(files) < len(documents):
            return None
        config = replace(run.config, vocab_size=run.n_base + run.n_merges)
        arguments = training_command(files, config, path, format)
        return None if arguments is None else command_line(arguments)

    def preview(self, format: str) -> None:
        """Ask for what a file of this format would be; `export_previewed` answers."""
        request = self.request(format)
        if request is not None:
            self._c.jobs.submit(CHECK, export_preview, request)

    def save(self, path: Path, format: str) -> None:
        """Write the current run; `saved` answers, or `failed`, and then the old file is as it was."""
        request = self.request(format, path)
        if request is None:
            self._c.message.emit(self._c.blocked_reason)
        else:
            self._c.jobs.submit(SAVE, saved_file, request)

    def on_previewed(self, result: JobResult) -> None:
        """Hand a preview on; an error is one more reason why the file cannot be."""
        preview = result.value
        if result.error is not None:
            preview = ExportPreview(result.request.format, "", 0, (), (_text_of(result.error),))
        self._c.export_previewed.emit(preview)

    def on_saved(self, result: JobResult) -> None:
        """Note what is saved now, and say how the check came out."""
        request: SaveRequest = result.request
        if result.error is not None:
            self._c.save_failed.emit(request.path, _text_of(result.error))
            return
        run: Run | None = self._c.session.run_numbered(request.run_number)
        if run is not None and request.format == FORMATS[0].name:
            run.n_saved = max(run.n_saved, request.n_merges)
            run.path = request.path
            self._c.runs_changed.emit()
        self._c.saved.emit(result.value)


def _text_of(error: Exception) -> str:
    return str(error) if isinstance(error, BpeStudioError | OSError) else repr(error)
