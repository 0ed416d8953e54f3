"""A scrolling view of many small cells that flow left to right and wrap into rows of one height.

The token rail and BYTES are such views. Widths are one array and rows come from it by bisection, so
400,000 cells are laid out in some milliseconds; only visible rows are painted.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from bpe_studio.gui.key_filter import KEEPS_NAVIGATION
from bpe_studio.gui.spoken import let_views_speak, value_changed
from bpe_studio.gui.token_painter import plain_tooltip

Int64Array = NDArray[np.int64]

MARGIN = 6


def row_starts(ends: list[int], row_width: int, breaks: Int64Array | None = None) -> list[int]:
    """Cut cells into rows, greedily.

    Parameters
    ----------
    ends : list of int
        Right edge of each cell if all stood in one row, rising, in pixels.
    row_width : int
        Width of a row in pixels.
    breaks : ndarray of int64, optional
        Cells before which a row may begin, rising. A row without any is cut where it is full.

    Returns
    -------
    list of int
        First cell of each row, and the number of cells.
    """
    starts, first, allowed = [0], 0, None if breaks is None else breaks.tolist()
    while first < len(ends):
        left = ends[first - 1] if first else 0
        last = max(bisect_right(ends, left + row_width), first + 1)
        if allowed is not None and last < len(ends):
            before = allowed[max(bisect_right(allowed, last) - 1, 0)]
            last = before if before > first else last
        starts.append(last)
        first = last
    return starts if ends else [0]


class FlowView(QAbstractScrollArea):
    """Base of the wrapping views. Subclasses set the widths and paint one row at a time.

    Signals
    -------
    item_hovered(int)
        The cell under the mouse; −1 when it left.
    item_chosen(int)
        A cell was clicked, or Enter pressed on it.
    """

    item_hovered = Signal(int)
    item_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        let_views_speak()
        self._ends: list[int] = []
        self._breaks: Int64Array | None = None
        self._rows: list[int] = [0]
        self._laid_out_for = -1
        self._hovered = -1
        self.current = -1
        self._kept_in_sight = -1
        self.verticalScrollBar().actionTriggered.connect(self._let_go)
        self.row_height = 40
        self.left_margin = MARGIN
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty(KEEPS_NAVIGATION, True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)

    # -- what subclasses give ----------------------------------------------------------------------

    def paint_row(self, painter: QPainter, first: int, last: int, y: int) -> None:
        """Paint the cells ``first … last − 1`` of one row whose top is at `y`."""
        raise NotImplementedError

    def item_tip(self, item: int) -> str:
        """Return the plain tooltip of a cell."""
        return ""

    def spoken_value(self) -> str:
        """Return what a screen reader says of the current cell."""
        return self.item_tip(self.current) if 0 <= self.current < self.n_items else ""

    # -- layout ------------------------------------------------------------------------------------

    def set_widths(self, widths: Int64Array, breaks: Int64Array | None = None) -> None:
        """Lay out new cells.

        Parameters
        ----------
        widths : ndarray of int64, shape (n,)
            Width of each cell with its gap, in pixels.
        breaks : ndarray of int64, optional
            Cells that may begin a row; default: any.
        """
        self._ends, self._breaks = np.cumsum(widths).tolist(), breaks
        self.current = min(self.current, len(self._ends) - 1)
        self._hovered = -1
        self._let_go()
        self._lay_out()

    @property
    def n_items(self) -> int:
        """Number of cells."""
        return len(self._ends)

    @property
    def n_rows(self) -> int:
        """Number of rows at the present width."""
        return len(self._rows) - 1

    def _lay_out(self) -> None:
        width = max(self.viewport().width() - self.left_margin - MARGIN, 40)
        self._rows = row_starts(self._ends, width, self._breaks)
        self._laid_out_for = self.viewport().width()
        visible = self.viewport().height()
        bar = self.verticalScrollBar()
        bar.setRange(0, max(self.n_rows * self.row_height + 2 * MARGIN - visible, 0))
        bar.setPageStep(visible)
        bar.setSingleStep(self.row_height)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
        self.show_item(self._kept_in_sight)

    def _let_go(self) -> None:
        self._kept_in_sight = -1

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._let_go()
        super().wheelEvent(event)

    def row_of(self, item: int) -> int:
        """Return the row that holds a cell."""
        return bisect_right(self._rows, item) - 1

    def x_of(self, item: int, first: int) -> int:
        """Return the left edge of a cell in the row that begins with cell `first`."""
        return self.left_margin + self._left(item) - self._left(first)

    def _left(self, item: int) -> int:
        return self._ends[item - 1] if item > 0 else 0

    def width_of(self, item: int) -> int:
        """Return a cell's width with its gap."""
        return self._ends[item] - self._left(item)

    def item_rect(self, item: int) -> QRect:
        """Return a cell's place in the viewport."""
        row = self.row_of(item)
        y = MARGIN + row * self.row_height - self.verticalScrollBar().value()
        return QRect(self.x_of(item, self._rows[row]), y, self.width_of(item), self.row_height)

    def item_at(self, point: QPoint) -> int:
        """Return the cell at a point of the viewport, or −1."""
        row = (point.y() - MARGIN + self.verticalScrollBar().value()) // self.row_height
        if not 0 <= row < self.n_rows or point.x() < self.left_margin:
            return -1
        first, last = self._rows[row], self._rows[row + 1]
        item = bisect_right(self._ends, self._left(first) + point.x() - self.left_margin, first, last)
        return item if item < last else -1

    def visible_rows(self) -> range:
        """Return the rows that show, in part or whole."""
        top = self.verticalScrollBar().value() - MARGIN
        first = max(top // self.row_height, 0)
        last = (top + self.viewport().height()) // self.row_height + 1
        return range(first, max(min(last, self.n_rows), first))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        offset = MARGIN - self.verticalScrollBar().value()
        for row in self.visible_rows():
            self.paint_row(painter, self._rows[row], self._rows[row + 1], offset + row * self.row_height)
        painter.end()

    def show_item(self, item: int) -> None:
        """Scroll so that a cell shows, and stays so when the view is resized, until the user scrolls."""
        if not 0 <= item < self.n_items:
            return
        self._kept_in_sight = item
        top, bar = MARGIN + self.row_of(item) * self.row_height, self.verticalScrollBar()
        if top < bar.value():
            bar.setValue(top - MARGIN)
        elif top + self.row_height > bar.value() + self.viewport().height():
            bar.setValue(top + self.row_height - self.viewport().height())

    # -- mouse and keys ----------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # Ctrl held means: do not follow, so that the mouse can go to another panel.
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._set_hovered(self.item_at(event.position().toPoint()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        item = self.item_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and item >= 0:
            self.current = item
            self.item_chosen.emit(item)
            self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._set_hovered(-1)
        elif event.type() == QEvent.Type.ToolTip:
            item = self.item_at(event.pos())
            tip = self.item_tip(item) if item >= 0 else ""
            QToolTip.showText(event.globalPos(), plain_tooltip(tip), self.viewport())
            return True
        return super().viewportEvent(event)

    def _set_hovered(self, item: int) -> None:
        if item != self._hovered:
            self._hovered = item
            self.item_hovered.emit(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        target = self._target_of(Qt.Key(event.key())) if self.n_items else None
        if target is not None:
            self._go_to(target)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.item_chosen.emit(self.current)
        else:
            super().keyPressEvent(event)

    def _target_of(self, key: Qt.Key) -> int | None:
        """Return the cell that a navigation key goes to."""
        page = max(self.viewport().height() // self.row_height, 1)
        rows = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
        cells = {
            Qt.Key.Key_Left: self.current - 1,
            Qt.Key.Key_Right: self.current + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.n_items - 1,
        }
        return self._beside(rows[key]) if key in rows else cells.get(key)

    def _go_to(self, item: int) -> None:
        self.current = max(0, min(item, self.n_items - 1))
        self.show_item(self.current)
        self._set_hovered(self.current)
        value_changed(self)
        self.viewport().update()

    def _beside(self, rows: int) -> int:
        """Return the cell some rows above or below the current one."""
        current = max(self.current, 0)
        row = self.row_of(current)
        to = max(0, min(row + rows, self.n_rows - 1))
        x = self._left(current) - self._left(self._rows[row]) + self._left(self._rows[to])
        return min(bisect_right(self._ends, x, self._rows[to], self._rows[to + 1]), self._rows[to + 1] - 1)
