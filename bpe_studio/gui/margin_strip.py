"""The strip behind the bar's slider: how often each merge's pair occurred, by how much it won, where it tied.

A run may have more merges than the strip has pixels, so rows are first reduced to pixel columns with
numpy; the picture is kept as a pixmap at the device's pixel ratio until rows, size or colours change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from bpe_studio.engine.merges import MergeLog
from bpe_studio.gui.data_colors import DataColors

DOTS_HEIGHT = 8
DOT = 3


@dataclass(frozen=True)
class StripColumns:
    """One value a pixel column.

    Parameters
    ----------
    count : ndarray of float64, shape (width,)
        Highest count of the column's merges, 0 to 1 on a logarithmic scale; 0 where there is none.
    margin : ndarray of float64, shape (width,)
        Share of that count by which the merge won, 0 to 1.
    tie : ndarray of bool, shape (width,)
        Whether a tie decided any merge of the column.
    """

    count: NDArray[np.float64]
    margin: NDArray[np.float64]
    tie: NDArray[np.bool_]


def strip_columns(log: MergeLog, n_target: int, width: int) -> StripColumns:
    """Reduce the merges of a run to pixel columns.

    Parameters
    ----------
    log : MergeLog
        The rows; unknown counts (−1) leave their columns empty.
    n_target : int
        Number of merges that the whole width stands for.
    width : int
        Device pixels.
    """
    top, margin, tie = np.zeros(width), np.zeros(width), np.zeros(width, np.bool_)
    n = len(log)
    if not n or not width:
        return StripColumns(top, margin, tie)
    total = max(n, n_target)
    counts = np.maximum(np.array(log.count), 0)
    # Column x shows the ranks from x·total/width on, at least one: few merges give broad bars.
    firsts = np.arange(width) * total // width
    used = firsts < n
    starts = firsts[used]
    top[used] = np.maximum.reduceat(counts, starts)
    margins = np.clip(np.array(log.margin), 0, None) / np.maximum(counts, 1)
    margin[used] = np.minimum(np.maximum.reduceat(margins, starts), 1)
    tie[used] = np.logical_or.reduceat(np.array(log.n_tied) > 1, starts)
    scale = np.log1p(top.max())
    return StripColumns(np.log1p(top) / scale if scale else top, margin, tie)


class MarginStrip:
    """Paints the columns, from a pixmap that is made anew only when something has changed."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._pixmap = QPixmap()

    def pixmap(self, log: MergeLog, n_target: int, size: QSize, ratio: float, colors: DataColors) -> QPixmap:
        """Return the picture of a log's merges at a size in device-independent pixels."""
        key = (id(log), len(log), n_target, size, ratio, colors.is_dark)
        if key != self._key:
            self._key = key
            self._pixmap = _painted(log, n_target, size, ratio, colors)
        return self._pixmap


def _painted(log: MergeLog, n_target: int, size: QSize, ratio: float, colors: DataColors) -> QPixmap:
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    columns = strip_columns(log, n_target, pixmap.width())
    painter = QPainter(pixmap)
    painter.scale(1 / ratio, 1 / ratio)
    base = pixmap.height() - DOTS_HEIGHT * ratio
    whole, won = QColor(colors.curve_training), QColor(colors.curve_training)
    whole.setAlphaF(0.45)
    for x in np.flatnonzero(columns.count).tolist():
        height = max(ratio, float(columns.count[x]) * (base - ratio))
        painter.fillRect(QRectF(x, base - height, 1, height), whole)
        part = height * float(columns.margin[x])
        painter.fillRect(QRectF(x, base - height, 1, part), won)
    _paint_ties(painter, tie_places(log, n_target, columns, ratio), base, ratio, colors)
    painter.end()
    return pixmap


def tie_places(log: MergeLog, n_target: int, columns: StripColumns, ratio: float) -> NDArray[np.float64]:
    """Return the middles of the dots under ties, in device pixels; dots that would touch become one."""
    width, total = len(columns.tie), max(n_target, len(log), 1)
    room = 1.4 * DOT * ratio
    if width / total >= room:
        return np.asarray((np.flatnonzero(np.array(log.n_tied) > 1) + 0.5) * width / total, np.float64)
    cells = np.unique((np.flatnonzero(columns.tie) / room).astype(np.int64))
    return np.asarray((cells + 0.5) * room, np.float64)


def _paint_ties(
    painter: QPainter, places: NDArray[np.float64], base: float, ratio: float, colors: DataColors
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colors.tie_line)
    radius = DOT * ratio / 2
    for x in places.tolist():
        painter.drawEllipse(QPointF(x, base + 2 * ratio + radius), radius, radius)
