"""CHART: bytes per token against vocabulary size, and the winning count of each merge.

The charts grow while a training runs, each at most five times a second, and never both at once: drawing
one takes as long as the window may take to answer. A click goes to that step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from bpe_studio.analysis.compression import CompressionCurve, corpus_curve
from bpe_studio.gui.chart_view import ChartView
from bpe_studio.gui.charts import COMPRESSION, COUNTS, compression_chart, count_chart

MS_BETWEEN_DRAWINGS = 100


class ChartPanel(QWidget):
    """The charts of the current run and of PREVIEW's text.

    Parameters
    ----------
    controller : Controller
        Source of the facts; the panel only calls `go_to`.
    """

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("charts")
        self.setAccessibleName(self.tr("Charts"))
        self._controller = controller
        self._text_curve: CompressionCurve | None = None
        self.compression = ChartView(COMPRESSION, self)
        self.counts = ChartView(COUNTS, self)
        self.compression.setToolTip(
            self.tr("Click to go to a step. Wheel zooms, double-click shows everything.")
        )
        self._lay_out()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timeout)
        self._due: list[Callable[[], None]] = []
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.compression)
        splitter.addWidget(self.counts)
        splitter.setSizes([300, 240])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(splitter)

    def _connect(self) -> None:
        controller = self._controller
        controller.merges_appended.connect(self._on_merges_appended)
        controller.runs_changed.connect(self._draw_soon)
        controller.cursor_moved.connect(self._on_cursor_moved)
        controller.preview_curve_changed.connect(self._on_preview_curve_changed)
        for view in (self.compression, self.counts):
            view.step_chosen.connect(controller.go_to)

    def _on_merges_appended(self, first: int, last: int) -> None:
        self._draw_soon()

    def _draw_soon(self) -> None:
        drawings = (self._refresh_compression, self._refresh_counts)
        self._due += [draw for draw in drawings if draw not in self._due]
        if not self._timer.isActive():
            self._timer.start(0)

    def _on_timeout(self) -> None:
        if self._due:
            self._due.pop(0)()
            self._timer.start(MS_BETWEEN_DRAWINGS)

    def _on_cursor_moved(self, k: int) -> None:
        self.compression.set_cursor(k)
        self.counts.set_cursor(k)

    def _on_preview_curve_changed(self, curve: CompressionCurve | None) -> None:
        self._text_curve = curve
        self._refresh_compression()

    def refresh(self) -> None:
        """Draw everything anew from the current run."""
        self._due.clear()
        self._refresh_compression()
        self._refresh_counts()

    def _refresh_counts(self) -> None:
        run = self._controller.session.current
        names = (self.tr("count"), self.tr("tie"))
        data = count_chart(run.log if run is not None else None, names)
        self.counts.set_data(data, None if data.n_points else self._sentence(run))
        self.counts.set_cursor(self._controller.session.cursor)

    def _refresh_compression(self) -> None:
        run = self._controller.session.current
        names = (self.tr("corpus"), self.tr("this text"))
        data = compression_chart(self._corpus_curve(run), self._text_curve, names)
        problem = self._text_problem()
        if problem:
            data = replace(data, note=self.tr("This text: {why}").format(why=problem))
        self.compression.set_data(data, None if data.n_points else self._sentence(run, needs_order=True))
        self.compression.set_cursor(self._controller.session.cursor)

    def _corpus_curve(self, run: Any) -> CompressionCurve | None:
        facts = getattr(run, "facts", None)
        if run is None or facts is None or run.log.corpus_tokens_before <= 0:
            return None
        return corpus_curve(run.log, facts)

    def _text_problem(self) -> str:
        """Return why PREVIEW's text has no curve; "" if it has one, or if there is no text."""
        problem = getattr(self._controller.preview, "curve_problem", "")
        return problem if self._text_curve is None else ""

    def _sentence(self, run: Any, needs_order: bool = False) -> str | None:
        """Return why there is nothing to draw, or None for the chart's usual sentence."""
        if run is None:
            return None
        if needs_order and not (check := run.log.is_ordered()):
            return self.tr("No curve for this tokenizer: %s.") % check.reason
        return self.tr("Open a corpus to see counts.") if run.words is None else None
