"""Short texts laid out once and drawn often: ids, hex bytes, code points."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QStaticText, QTextOption, QTransform

MAX_CACHED = 20_000


class LabelCache:
    """Draws plain texts of one font, centred, always left to right, never as HTML."""

    def __init__(self, font: QFont) -> None:
        self.font, self.metrics = font, QFontMetricsF(font)
        self.height = self.metrics.height()
        self._texts: dict[str, QStaticText] = {}

    def width(self, text: str) -> float:
        """Return a text's width in pixels."""
        return self.metrics.horizontalAdvance(text) if text.isascii() else self._static(text).size().width()

    def draw(self, painter: QPainter, rect: QRectF, text: str) -> None:
        """Draw a text in the middle of a rectangle; a wider one is cut with an ellipsis."""
        if self.width(text) > rect.width() + 1:
            text = self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        static = self._static(text)
        size = static.size()
        painter.setFont(self.font)
        x = rect.left() + (rect.width() - size.width()) / 2
        painter.drawStaticText(
            QPointF(round(x), round(rect.top() + (rect.height() - size.height()) / 2)), static
        )

    def _static(self, text: str) -> QStaticText:
        static = self._texts.get(text)
        if static is None:
            if len(self._texts) >= MAX_CACHED:
                self._texts.clear()
            option = QTextOption()
            option.setTextDirection(Qt.LayoutDirection.LeftToRight)
            option.setWrapMode(QTextOption.WrapMode.NoWrap)
            static = self._texts[text] = QStaticText(text)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.setTextOption(option)
            static.prepare(QTransform(), self.font)
        return static
