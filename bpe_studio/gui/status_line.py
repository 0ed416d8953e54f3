"""The status bar: what is looked at, what has just happened, and how far the long work is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStatusBar, QToolButton, QWidget

from bpe_studio.analysis.byte_facts import byte_facts
from bpe_studio.analysis.unicode_view import label
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.intentions.training import TrainingStatus
from bpe_studio.gui.preview_marks import preview_products
from bpe_studio.gui.theme import icon

MESSAGE_MILLISECONDS = 8000


class ProgressLine(QWidget):
    """How much is done. Qt's own bar repaints the window at once at every change; this one waits its turn."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.share: float | None = None
        self.setFixedSize(120, 8)

    def show_share(self, share: float | None) -> None:
        """Show a share from 0 to 1, or that it is not known."""
        if share != self.share:
            self.share = share
            self.setAccessibleDescription("" if share is None else f"{share:.0%}")
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = self.palette()
        painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Mid))
        part = QRectF(0, 0, self.width() * (self.share or 0), self.height())
        painter.fillRect(part, palette.color(QPalette.ColorRole.Accent))


class StatusLine(QStatusBar):
    """Focus at the left, progress with Pause and Stop at the right, messages over the focus for a while."""

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setObjectName("status")
        self.focus = QLabel(self)
        self.focus.setObjectName("status-focus")
        self.focus.setTextFormat(Qt.TextFormat.PlainText)
        # A long text must not widen the window.
        self.focus.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.addWidget(self.focus, 1)
        self.work = self._make_work()
        self.addPermanentWidget(self.work)
        self.work.hide()
        controller.message.connect(self.show_message)
        controller.training_changed.connect(self._on_training)
        controller.focus_changed.connect(self._on_focus)
        controller.preview_changed.connect(self._on_preview)

    def _make_work(self) -> QWidget:
        work = QWidget(self)
        self.text = QLabel(work)
        self.progress = ProgressLine(work)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.pause = self._button("pause", self.tr("Pause"), self._controller.pause)
        self.resume = self._button("play", self.tr("Resume"), self._controller.resume)
        self.stop = self._button("stop", self.tr("Stop, keep what there is"), self._controller.stop)
        layout = QHBoxLayout(work)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.text, self.progress, self.pause, self.resume, self.stop):
            layout.addWidget(widget)
        return work

    def _button(self, name: str, text: str, verb: Any) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"work-{name}")
        button.setIcon(icon(name))
        button.setText(text)
        button.setToolTip(text)
        button.setAccessibleName(text)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAutoRaise(True)
        button.clicked.connect(verb)
        return button

    @Slot(str)
    def show_message(self, text: str) -> None:
        """Say something for a few seconds."""
        self.showMessage(text, MESSAGE_MILLISECONDS)

    @Slot(object)
    def _on_training(self, status: TrainingStatus) -> None:
        self.work.setVisible(status.state != "idle")
        self.text.setText(status.text)
        self.progress.show_share(status.done / status.total if status.total else None)
        self.pause.setVisible(status.state == "training")
        self.resume.setVisible(status.state == "paused")

    @Slot(object)
    def _on_preview(self, _: Any) -> None:
        self._on_focus(self._controller.focus)

    @Slot(object)
    def _on_focus(self, focus: Focus | None) -> None:
        self.focus.setText("" if focus is None else self._focus_text(focus))

    def _focus_text(self, focus: Focus) -> str:
        encoded, run = self._controller.encoded, self._controller.session.current
        if focus.start is not None and encoded is not None and focus.start < encoded.n_bytes:
            return byte_facts(encoded, focus.start, preview_products(self._controller.session)).text
        if run is None:
            return ""
        parts = []
        if focus.merge is not None:
            parts.append(self.tr("merge {0}").format(f"{focus.merge:,}"))
        for token in focus.pair if focus.pair is not None else (focus.token,):
            shown = self._token_text(run.log, token)
            if shown:
                parts.append(shown)
        return " · ".join(parts)

    def _token_text(self, log: Any, token: int | None) -> str:
        if token is None:
            return ""
        try:
            data = log.token_bytes(token)
        except KeyError:
            return self.tr("token {0}").format(token)
        return self.tr("token {0}: {1}").format(token, label(data))
