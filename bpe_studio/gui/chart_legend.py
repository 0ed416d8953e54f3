"""The pens of the curves, and a legend that shows them beside plain words."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.gui.charts import Series
from bpe_studio.gui.theme import colors

#: Role → (colour name in `DataColors`, pen style). The style keeps curves apart without colour.
PENS: dict[str, tuple[str, Qt.PenStyle]] = {
    "corpus": ("curve_training", Qt.PenStyle.SolidLine),
    "text": ("curve_held_out", Qt.PenStyle.DashLine),
    "count": ("curve_training", Qt.PenStyle.SolidLine),
    "ties": ("curve_held_out", Qt.PenStyle.SolidLine),
}


class LegendKeys(QWidget):
    """The legend: a short stroke of each pen and its plain words."""

    GAP, STROKE = 6, 18

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._series: tuple[Series, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def set_series(self, series: tuple[Series, ...]) -> None:
        """Show the keys of these series."""
        self._series = series
        self.setAccessibleName(", ".join(s.name for s in series))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        words = sum(metrics.horizontalAdvance(s.name) + self.STROKE + 3 * self.GAP for s in self._series)
        return QSize(max(words, 1), metrics.height() + 4)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics, x, middle = QFontMetrics(self.font()), self.GAP, self.height() / 2
        for series in self._series:
            name, style = PENS[series.role]
            color = getattr(colors(self), name)
            if series.kind == "dots":
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawEllipse(QPointF(x + self.STROKE / 2, middle), 3, 3)
            else:
                painter.setPen(QPen(color, 2, style))
                painter.drawLine(QPointF(x, middle), QPointF(x + self.STROKE, middle))
            x += self.STROKE + self.GAP
            painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
            width = metrics.horizontalAdvance(series.name)
            painter.drawText(
                QRectF(x, 0, width + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, series.name
            )
            x += width + 2 * self.GAP
        painter.end()
