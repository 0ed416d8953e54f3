"""The view of all tables: one row height, columns that fit, choosing rows, copying."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from bpe_studio.gui.tables.array_table import ArrayTableModel
from bpe_studio.gui.tables.column_fitter import MIN_WIDTH, ColumnFitter
from bpe_studio.gui.tables.columns import Role, copied_texts
from bpe_studio.gui.tables.delegates import delegate_for
from bpe_studio.gui.theme import colors


class ArrayTableView(QTableView):
    """A table view for an `ArrayTableModel`.

    Parameters
    ----------
    model : ArrayTableModel
        What is shown; the view does not own it.
    parent : QWidget or None
        Parent widget.
    """

    row_chosen = Signal(object)
    """Source row selected by the user, or None."""
    row_activated = Signal(int)
    """Source row double-clicked or entered."""
    row_hovered = Signal(object)
    """Source row under the pointer, or None when it has left."""

    def __init__(self, model: ArrayTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = model
        self.is_dimmed = False
        self._focus_row: int | None = None
        self.setModel(model)
        self._set_looks()
        self._set_delegates()
        self._set_row_height()
        self.selectionModel().selectionChanged.connect(self._choice_changed)
        self.doubleClicked.connect(self._activate)
        self.entered.connect(self._entered)
        self.fitter = ColumnFitter(self)
        self._told_row: int | None = None

    def _set_looks(self) -> None:
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setAlternatingRowColors(True)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsMovable(True)
        header.setMinimumSectionSize(MIN_WIDTH)
        # Qt's own arrow is drawn over right-aligned headings; ours is part of the text.
        header.setSortIndicatorShown(False)
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.cycle_sort)
        self.verticalHeader().hide()

    def _set_delegates(self) -> None:
        for i, column in enumerate(self.table.columns):
            self.setItemDelegateForColumn(i, delegate_for(column.kind, self))

    def _set_row_height(self) -> None:
        vertical = self.verticalHeader()
        vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        vertical.setMinimumSectionSize(8)
        # One height for all rows: asking each of 100,000 rows for its own would take seconds.
        vertical.setDefaultSectionSize(self.fontMetrics().height() + 8)

    def set_dimmed(self, is_dimmed: bool) -> None:
        """Draw all rows dimmed: what is shown belongs to another cursor for the moment."""
        if is_dimmed != self.is_dimmed:
            self.is_dimmed = is_dimmed
            self.viewport().update()

    def set_focus_row(self, source_row: int | None) -> None:
        """Outline the source row that is looked at, in whatever panel the pointer is."""
        if source_row != self._focus_row:
            self._focus_row = source_row
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.table.n_source_rows and not len(self.table.order):
            self._paint_sentence(self.tr("No row matches"))
        row = None if self._focus_row is None else self.table.view_row(self._focus_row)
        if row is None:
            return
        painter = QPainter(self.viewport())
        painter.setPen(colors(self).hover)
        top, height = self.rowViewportPosition(row), self.rowHeight(row)
        painter.drawRect(0, top, self.viewport().width() - 1, height - 1)

    def _paint_sentence(self, text: str) -> None:
        painter = QPainter(self.viewport())
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, text)

    def _entered(self, index: QModelIndex) -> None:
        self.row_hovered.emit(self.table.source_row(index.row()))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self.row_hovered.emit(None)
        return super().viewportEvent(event)

    # --- Columns ---------------------------------------------------------------------------------

    def fit_columns(self) -> None:
        """Share the width among the columns (see `ColumnFitter`)."""
        self.fitter.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._set_row_height()
            self.fit_columns()

    def cycle_sort(self, column: int) -> None:
        """Sort by a column, then the other way, then not at all; numbers begin with the largest."""
        ways = [Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder]
        if self.table.columns[column].kind in ("number", "sign"):
            ways.reverse()
        now = self.table.sorted_by
        if now is None or now[0] != column:
            self.sortByColumn(column, ways[0])
        elif now[1] == ways[0]:
            self.sortByColumn(column, ways[1])
        else:
            self.table.sort(-1)

    # --- Rows ------------------------------------------------------------------------------------

    def chosen_row(self) -> int | None:
        """Return the source row that is selected, or None; among several, the one the keyboard is on."""
        # Qt moves its current row when the table gets the focus, which is no choice of the user's.
        selection, current = self.selectionModel().selection(), self.currentIndex()
        ranges = [selection.at(i) for i in range(selection.count())]
        if not ranges:
            return None
        is_one = len(ranges) == 1 and ranges[0].height() == 1
        is_current = current.isValid() and any(one.contains(current) for one in ranges)
        return self.table.source_row(current.row() if is_current and not is_one else ranges[-1].top())

    def choose_row(self, source_row: int | None) -> None:
        """Select a source row without telling of it; None frees the selection."""
        self._told_row = source_row
        row = None if source_row is None else self.table.view_row(source_row)
        if row is None:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        elif self.chosen_row() != source_row:
            self.go_to_row(row)

    def go_to_row(self, row: int) -> None:
        """Select a row, as shown, and nothing else, and bring it into view."""
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(self.table.index(row, 0), flags.ClearAndSelect | flags.Rows)

    def show_row(self, source_row: int) -> None:
        """Scroll to a source row if the filter shows it; one far away comes to the middle."""
        row = self.table.view_row(source_row)
        if row is None:
            return
        first, last = (self.rowAt(y) for y in (0, self.viewport().height() - 1))
        is_near = first - 1 <= row <= (last if last >= 0 else len(self.table.order)) + 1
        hint = QAbstractItemView.ScrollHint
        self.scrollTo(self.table.index(row, 0), hint.EnsureVisible if is_near else hint.PositionAtCenter)

    def _choice_changed(self) -> None:
        row = self.chosen_row()
        if row != self._told_row:
            self._told_row = row
            self.row_chosen.emit(row)

    def _activate(self, index: QModelIndex) -> None:
        if index.isValid():
            self.row_activated.emit(self.table.source_row(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen_row() is not None:
            self.row_activated.emit(self.chosen_row())
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and len(self.table.order):
            # Qt's own Home goes to the first column; a person in a list of merges means the first row.
            self.go_to_row(0 if event.key() == Qt.Key.Key_Home else len(self.table.order) - 1)
        elif event.key() == Qt.Key.Key_Escape and self.chosen_row() is not None:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        else:
            super().keyPressEvent(event)

    # --- Copying ---------------------------------------------------------------------------------

    def selected_rows(self) -> NDArray[np.int64]:
        """Return the selected rows, as shown, in rising order."""
        return np.array(sorted(index.row() for index in self.selectionModel().selectedRows()), np.int64)

    def copy_rows(self) -> None:
        """Copy the selected rows with a header, or all shown rows when nothing is selected."""
        rows = self.selected_rows()
        QGuiApplication.clipboard().setText(self.table.tsv(rows if len(rows) else None))

    def copy_cell(self, index: QModelIndex) -> None:
        """Copy one cell in its escaped form."""
        rows = self.table.order[[index.row()]]
        text = copied_texts(self.table.columns[index.column()], self.table.source, rows)[0]
        QGuiApplication.clipboard().setText(text)

    def copy_exact_text(self, index: QModelIndex) -> None:
        """Copy a token's own characters; a NUL, behind which clipboards cut, becomes U+2400."""
        text = exact_text(self.table.data(index, Role.TOKEN))
        if text is not None:
            QGuiApplication.clipboard().setText(text.replace("\0", "\u2400"))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.context_menu(self.indexAt(event.pos())).exec(event.globalPos() + QPoint(1, 1))

    def context_menu(self, index: QModelIndex) -> QMenu:
        """Return the menu of a cell: the ways to copy."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = self._action(menu, self.tr("Copy rows"), self.copy_rows, bool(len(self.table.order)))
        rows.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        self._action(menu, self.tr("Copy cell, escaped"), lambda: self.copy_cell(index), index.isValid())
        exact = index.isValid() and exact_text(self.table.data(index, Role.TOKEN)) is not None
        self._action(menu, self.tr("Copy the token's exact text"), lambda: self.copy_exact_text(index), exact)
        return menu

    def _action(self, menu: QMenu, text: str, verb: object, is_enabled: bool) -> QAction:
        action = menu.addAction(text)
        action.triggered.connect(verb)
        action.setEnabled(is_enabled)
        return action


def exact_text(value: object) -> str | None:
    """Return the text of a token or a pair, or None where it is no whole text."""
    parts = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(part, bytes) for part in parts):
        return None
    try:
        return b"".join(parts).decode()
    except UnicodeDecodeError:
        return None
