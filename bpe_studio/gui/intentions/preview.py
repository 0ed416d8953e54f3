"""PREVIEW: which text, under which tokenizer, as which tokens, and what more vocabulary would buy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from bpe_studio.analysis.compression import CompressionCurve, compression_curve
from bpe_studio.analysis.encoded_text import EncodedText, encoded_text
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.merges import MergeLog
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.words import WordTable
from bpe_studio.formats.pretrained import pretrained
from bpe_studio.gui.jobs import JobResult, Progress
from bpe_studio.gui.preview_marks import loading_source, source_names
from bpe_studio.session import PRETRAINED, THIS_TRAINING, OpenedTokenizer, tokenizer_of

if TYPE_CHECKING:
    from bpe_studio.gui.controller import Controller

PREVIEW, CURVE, VOCABULARY = "preview", "preview curve", "pretrained vocabulary"


@dataclass(frozen=True)
class PreviewRequest:
    """A text under a tokenizer, or under the first `k` merges of a run that has words."""

    text: str
    k: int
    tokenizer: Tokenizer | None = None
    words: WordTable | None = None
    config: TrainingConfig | None = None
    log: MergeLog | None = None


def _tokenizer(request: PreviewRequest) -> Tokenizer:
    if request.tokenizer is not None:
        return request.tokenizer.first(request.k)
    return tokenizer_of(request.words, request.config, request.log, request.k)


def encoded_preview(request: PreviewRequest, progress: Progress) -> EncodedText:
    """Encode the text of a request (in a job)."""
    return encoded_text(_tokenizer(request), request.text, progress=progress)


def preview_curve(request: PreviewRequest, progress: Progress) -> CompressionCurve:
    """Compute the curve of the text of a request (in a job)."""
    return compression_curve(_tokenizer(request), request.text, progress=progress)


def pretrained_tokenizer(name: str, progress: Progress) -> Tokenizer:
    """Unpack a pretrained vocabulary, and make what its first text and curve will need (in a job)."""
    tokenizer = pretrained(PRETRAINED[name])
    tokenizer.encode("a")
    tokenizer.is_ordered()
    return tokenizer


class PreviewIntentions(QObject):
    """Encodes the text again whenever text, tokenizer or cursor change; the curve when text or merges do."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._c = controller
        self.encoded: EncodedText | None = None
        self.curve: CompressionCurve | None = None
        self.curve_problem = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(500)
        self._timer.timeout.connect(self._refresh_curve)

    def set_text(self, text: str) -> None:
        """Look at another text."""
        if text != self._c.session.preview_text:
            self._c.session.preview_text = text
            # Answers for the older text would be dropped: ten megabytes of it need not be finished.
            self._c.jobs.cancel(PREVIEW)
            self._c.jobs.cancel(CURVE)
            self._c.preview_text_changed.emit(text)
            self.refresh()
            self._refresh_curve()

    def set_source(self, name: str) -> None:
        """Look through another tokenizer: the training at the cursor, an opened or a pretrained one."""
        session = self._c.session
        session.preview_source = name if name in source_names(session) else THIS_TRAINING
        if loading_source(session):
            self._c.jobs.submit(VOCABULARY, pretrained_tokenizer, name, supersede=False)
        self.source_changed()

    def on_pretrained(self, result: JobResult) -> None:
        """Take a pretrained vocabulary; without it, look through the training again and say why."""
        session, name = self._c.session, result.request
        if result.error is not None:
            if session.preview_source == name:
                session.preview_source = THIS_TRAINING
            self._c.failed.emit(self._c.tr("{0} cannot be loaded").format(name), _told(result.error))
        elif all(one.name != name for one in session.opened):
            session.opened = [*session.opened, OpenedTokenizer(name, result.value, None)]
        self.source_changed()

    def source_changed(self) -> None:
        """The tokenizer is another one now."""
        self._c.tokenizer_changed.emit()
        self.refresh()
        self._refresh_curve()

    def rows_arrived(self) -> None:
        """The run has grown: its curve follows, twice a second at most."""
        if self._c.session.preview_source == THIS_TRAINING and not self._timer.isActive():
            self._timer.start()

    def refresh(self) -> None:
        """Encode the text as it is at the cursor."""
        request = self._request(at_cursor=True)
        if request is None:
            self._c.jobs.cancel(PREVIEW)
            self._set_encoded(None)
        else:
            self._c.jobs.submit(PREVIEW, encoded_preview, request, supersede=False)

    def _refresh_curve(self) -> None:
        request = self._request(at_cursor=False)
        if request is None:
            self._c.jobs.cancel(CURVE)
            self._set_curve(None, "")
        else:
            self._c.jobs.submit(CURVE, preview_curve, request, supersede=False)

    def _request(self, *, at_cursor: bool) -> PreviewRequest | None:
        session, run = self._c.session, self._c.session.current
        if loading_source(session):
            return None
        opened = next((one for one in session.opened if one.name == session.preview_source), None)
        tokenizer = opened.tokenizer if opened is not None else None
        if tokenizer is None and run is not None:
            tokenizer = run.tokenizer
        if tokenizer is None and run is None:
            return None
        follows = run is not None and at_cursor and (opened is None or run.tokenizer is opened.tokenizer)
        if tokenizer is not None:
            return PreviewRequest(
                session.preview_text, session.cursor if follows else tokenizer.n_merges, tokenizer
            )
        k = session.cursor if at_cursor else run.n_merges
        return PreviewRequest(session.preview_text, k, None, run.words, run.config, run.log)

    def on_encoded(self, result: JobResult) -> None:
        """Take an encoded text; an error leaves the last one and is said."""
        if result.request.text != self._c.session.preview_text:
            return
        if result.error is None:
            self._set_encoded(result.value)
        else:
            self._c.message.emit(str(result.error))

    def on_curve(self, result: JobResult) -> None:
        """Take a curve, or the reason why there is none."""
        if result.error is None:
            self._set_curve(result.value, "")
        else:
            self._set_curve(None, _told(result.error))

    def _set_encoded(self, encoded: EncodedText | None) -> None:
        self.encoded = encoded
        self._c.preview_changed.emit(encoded)

    def _set_curve(self, curve: CompressionCurve | None, problem: str) -> None:
        self.curve, self.curve_problem = curve, problem
        self._c.preview_curve_changed.emit(curve)


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, BpeStudioError) else repr(error)
