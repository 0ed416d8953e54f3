"""One chart: axes, curves, a line at the cursor with its readout, a menu to take it away.

pyqtgraph draws; everything it would decide by itself (colours, SI prefixes, its own menu) is decided here.
"""

from __future__ import annotations

import html

import numpy as np
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QPointF,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QMenu,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

import pyqtgraph as pg  # isort: skip  # after PySide6, so that it binds to it

from bpe_studio.gui.chart_axes import ValueAxis, WholeNumberAxis
from bpe_studio.gui.chart_export import chart_menu, svg_of
from bpe_studio.gui.chart_legend import PENS, LegendKeys
from bpe_studio.gui.charts import ChartData, ChartRecord, Series, csv_of, drawn_points, logarithmic, readout
from bpe_studio.gui.elided_label import ElidedLabel
from bpe_studio.gui.spoken import let_views_speak
from bpe_studio.gui.theme import colors

#: Below this many points a curve shows each of them, so that one point is visible too.
FEW_POINTS = 40


class ChartView(QWidget):
    """A chart of `ChartRecord`, fed with `ChartData`.

    Signals
    -------
    step_chosen(int)
        A click: the number of merges in effect at the point clicked.
    """

    step_chosen = Signal(int)

    def __init__(self, record: ChartRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        let_views_speak()
        self.record, self.data, self.k = record, ChartData(), 0
        self._shown = ChartData()
        self.is_logarithmic = False
        self._items: list[pg.PlotDataItem] = []
        self.setObjectName(f"chart_{record.name}")
        self.setAccessibleName(self._words(record.title))
        self._make_plot()
        self._make_labels()
        self._lay_out()
        self._restyle()

    def _words(self, text: str) -> str:
        return QCoreApplication.translate("Charts", text)

    # -- building ----------------------------------------------------------------------------------

    def _make_plot(self) -> None:
        axes = {
            "bottom": WholeNumberAxis("bottom"),
            "left": WholeNumberAxis("left") if self.record.counts else ValueAxis("left"),
        }
        self.plot = pg.PlotWidget(self, axisItems=axes)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setFrameShape(pg.PlotWidget.Shape.NoFrame)
        self.plot.setAccessibleName(self._words(self.record.title))
        self.plot.setMinimumSize(170, 90)  # narrower, no axis has room for its name
        # Wheel and drag move along x only; y always fits what is in sight.
        self.plot.getViewBox().setMouseEnabled(x=True, y=False)
        self.plot.getViewBox().setAutoVisible(y=True)
        for side in ("left", "bottom"):
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        self.crosshair = pg.InfiniteLine(angle=90, movable=False)
        self.crosshair.setZValue(-1)
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)
        self.plot.scene().sigMouseMoved.connect(self._on_moved)
        self.plot.getViewBox().sigXRangeChanged.connect(self._on_range_changed)

    def _make_labels(self) -> None:
        self.empty = _plain_label(self._words(self.record.empty_text), self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.empty.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.legend = LegendKeys(self)
        self.reading = ElidedLabel(self)
        self.reading.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.note = _plain_label("", self)
        self.note.setWordWrap(True)
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)

    def _lay_out(self) -> None:
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below.setSpacing(0)
        self._below.addWidget(self.legend)
        self._below.addWidget(self.reading, 1)
        chart = QWidget(self)
        inner = QVBoxLayout(chart)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(2)
        inner.addWidget(self.plot, 1)
        inner.addLayout(self._below)
        inner.addWidget(self.note)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(chart)

    # -- looks -------------------------------------------------------------------------------------

    def _restyle(self) -> None:
        palette, data = self.palette(), colors(self)
        self.plot.setBackground(palette.color(QPalette.ColorRole.Base))
        text = palette.color(QPalette.ColorRole.WindowText)
        for side, words in (("left", self._y_words()), ("bottom", self._words(self.record.x_label))):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(data.grid))
            axis.setTextPen(pg.mkPen(text))
            axis.setTickFont(self.font())
            # An axis label is read as HTML.
            axis.setLabel(
                html.escape(words), **{"color": text.name(), "font-size": f"{self.font().pointSizeF():g}pt"}
            )
        self.plot.showGrid(x=True, y=True, alpha=0.25)
        self.crosshair.setPen(pg.mkPen(data.crosshair, width=1.5))
        self._draw()

    def _y_words(self) -> str:
        words = self._words(self.record.y_label)
        return self.tr("%s (logarithmic)") % words if self.is_logarithmic else words

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._restyle()

    # -- contents ----------------------------------------------------------------------------------

    def set_data(self, data: ChartData, empty_text: str | None = None) -> None:
        """Show new points, or a sentence if there are none."""
        self.data = data
        self.empty.setText(self._words(self.record.empty_text) if empty_text is None else empty_text)
        self._draw()

    def set_cursor(self, k: int) -> None:
        """Put the crosshair line at k merges."""
        self.k = k
        self._place_crosshair()

    def spoken_value(self) -> str:
        """Return what a screen reader says of the chart."""
        return self.empty.text() if self.is_empty else self.reading.text()

    def set_logarithmic(self, is_logarithmic: bool) -> None:
        """Switch the y axis; zeros are left out and said."""
        self.is_logarithmic = is_logarithmic
        self.plot.setLogMode(y=is_logarithmic)
        self._restyle()

    def shown_data(self) -> ChartData:
        """Return the points that the axes can show."""
        return self._shown

    @property
    def is_empty(self) -> bool:
        """Whether the sentence shows instead of the axes."""
        return self._stack.currentIndex() == 0

    def _draw(self) -> None:
        self._shown = logarithmic(self.data) if self.is_logarithmic else self.data
        self._stack.setCurrentIndex(1 if self._shown.n_points else 0)
        self.plot.clear()
        self._items = [self._add(series) for series in self._shown.series]
        self.plot.addItem(self.crosshair, ignoreBounds=True)
        self.legend.set_series(self._shown.series)
        # The values of two curves do not fit beside their names.
        n_lines = sum(series.kind == "line" for series in self._shown.series)
        direction = QBoxLayout.Direction.TopToBottom if n_lines > 1 else QBoxLayout.Direction.LeftToRight
        self._below.setDirection(direction)
        self.note.setText(self._shown.note)
        self.note.setVisible(bool(self._shown.note))
        self._fit()
        self._refresh_points()
        self._place_crosshair()

    def _add(self, series: Series) -> pg.PlotDataItem:
        name, style = PENS[series.role]
        color = getattr(colors(self), name)
        few = len(series.x) <= FEW_POINTS
        dots = series.kind == "dots"
        item = pg.PlotDataItem(
            pen=None if dots else pg.mkPen(color, width=2, style=style),
            symbol="o" if dots or few else None,
            symbolSize=5 if len(series.x) > 1 else 9,
            symbolPen=None,
            symbolBrush=color,
            antialias=True,
        )
        item.setLogMode(False, self.is_logarithmic)
        self.plot.addItem(item)
        return item

    def _fit(self) -> None:
        """Show everything, unless the user has zoomed in."""
        box = self.plot.getViewBox()
        if box.state["autoRange"][0] is False and self._zoomed:
            return
        low, high = self._x_limits()
        pad = max((high - low) * 0.03, 0.5)
        box.setXRange(low - pad, high + pad, padding=0)
        box.enableAutoRange(y=True)

    _zoomed = False

    def _x_limits(self) -> tuple[float, float]:
        ends = [(series.x[0], series.x[-1]) for series in self._shown.series if len(series.x)]
        return (min(e[0] for e in ends), max(e[1] for e in ends)) if ends else (0.0, 1.0)

    def _on_range_changed(self) -> None:
        low, high = self.plot.getViewBox().viewRange()[0]
        first, last = self._x_limits()
        self._zoomed = low > first or high < last
        self._refresh_points()

    def _refresh_points(self) -> None:
        low, high = self.plot.getViewBox().viewRange()[0]
        for item, series in zip(self._items, self._shown.series, strict=True):
            item.setData(*drawn_points(series, low, high))

    @property
    def cursor_x(self) -> int:
        """The x at which the crosshair stands."""
        return self.data.first_x + self.k - self.record.steps_after

    def _place_crosshair(self) -> None:
        self.crosshair.setVisible(self.cursor_x >= self.data.first_x)
        self.crosshair.setPos(self.cursor_x)
        self.reading.setText(readout(self._shown, self.cursor_x, self.tr("at")))

    # -- mouse -------------------------------------------------------------------------------------

    def _x_at(self, scene_point: QPointF) -> int | None:
        box = self.plot.getViewBox()
        if not box.sceneBoundingRect().contains(scene_point):
            return None
        low, high = self._x_limits()
        return int(np.clip(round(box.mapSceneToView(scene_point).x()), low, high))

    def _on_clicked(self, event: object) -> None:
        x = self._x_at(event.scenePos()) if event.button() == Qt.MouseButton.LeftButton else None  # type: ignore[attr-defined]
        if x is None or self.is_empty:
            return
        if event.double():  # type: ignore[attr-defined]
            self.show_all()
        else:
            self.step_chosen.emit(max(x - self.data.first_x + self.record.steps_after, 0))

    def _on_moved(self, scene_point: QPointF) -> None:
        x = None if self.is_empty else self._x_at(scene_point)
        at = self.cursor_x if x is None else x
        self.reading.setText(readout(self._shown, at, self.tr("at")))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._place_crosshair()

    def show_all(self) -> None:
        """Zoom out fully."""
        self._zoomed = False
        self._fit()

    # -- taking away -------------------------------------------------------------------------------

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.make_menu()
        menu.exec(event.globalPos())
        menu.deleteLater()

    def make_menu(self) -> QMenu:
        """Return the chart's menu: copy, save, zoom, axes."""
        return chart_menu(self)

    def copy_image(self) -> None:
        """Put a picture of the chart on the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.grab())

    def copy_csv(self) -> None:
        """Put the points on the clipboard."""
        QGuiApplication.clipboard().setText(self.csv_text())

    def csv_text(self) -> str:
        """Return the points shown as CSV."""
        return csv_of(self.record, self._shown)

    def svg_bytes(self) -> bytes:
        """Return the chart as an SVG file."""
        return svg_of(self, self._words(self.record.title))


def _plain_label(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
