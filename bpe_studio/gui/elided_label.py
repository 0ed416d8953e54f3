"""A line of plain text that never widens its panel: what does not fit is cut, and the tooltip has it all."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.gui.token_painter import plain_tooltip


class ElidedLabel(QLabel):
    """A label that ends with an ellipsis where there is no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._short_text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_short_text(self, text: str) -> None:
        """Set what is shown where the text itself does not fit."""
        self._short_text = text
        self.update()

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(plain_tooltip(text))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        room = self.contentsRect()
        metrics = self.fontMetrics()
        fits = not self._short_text or metrics.horizontalAdvance(self.text()) <= room.width()
        text = self.text() if fits else self._short_text
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(self.alignment() | Qt.TextFlag.TextSingleLine), shown)
        painter.end()
