"""The view of all tables: one row height, columns that fit, choosing rows, copying."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from bpe_studio.gui.tables.array_table import ArrayTableModel
from bpe_studio.gui.tables.columns import Role, copied_texts
from bpe_studio.gui.tables.delegates import delegate_for

MIN_ELASTIC = 5
"""Digits that a column of tokens has room for at least."""
PADDING = 12


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

    def __init__(self, model: ArrayTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = model
        self.is_dimmed = False
        self._is_fitting = self._has_users_widths = False
        self._n_fitted = 1
        self.setModel(model)
        self._set_looks()
        self._set_delegates()
        self._set_row_height()
        self.selectionModel().currentRowChanged.connect(self._current_row_changed)
        self.doubleClicked.connect(self._activate)
        self.horizontalHeader().sectionResized.connect(self._section_resized)
        model.modelReset.connect(self.fit_columns)
        model.rowsInserted.connect(self._rows_inserted)
        model.layoutChanged.connect(self.fit_columns)
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
        header.setMinimumSectionSize(24)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
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

    # --- Columns ---------------------------------------------------------------------------------

    def fit_columns(self) -> None:
        """Give numbers what they need and share the rest among the other columns by their usual widths."""
        if self._has_users_widths:
            return
        digit = self.fontMetrics().horizontalAdvance("0")
        needed = [self._needed_width(i, digit) for i in range(len(self.table.columns))]
        least = [min(width, self._least_width(i, digit)) for i, width in enumerate(needed)]
        shown = self._shown_columns(least)
        elastic = [i for i in shown if not self.table.columns[i].is_number]
        room = self.viewport().width() - sum(needed[i] for i in shown if i not in elastic)
        wanted = sum(needed[i] for i in elastic)
        self._is_fitting = True
        for i in range(len(needed)):
            self.setColumnHidden(i, i not in shown)
        for i in shown:
            share = int(room * needed[i] / wanted) if i in elastic else needed[i]
            self.setColumnWidth(i, max(share, least[i]))
        self._is_fitting = False

    def _shown_columns(self, least: list[int]) -> list[int]:
        """Return the columns that fit, without those that may be dropped where they do not."""
        columns = self.table.columns
        for dropped in range(1 + max(column.drop for column in columns)):
            shown = [i for i, column in enumerate(columns) if not 0 < column.drop <= dropped]
            if sum(least[i] for i in shown) <= self.viewport().width():
                break
        return shown

    def _least_width(self, i: int, digit: int) -> int:
        if self.table.columns[i].is_number:
            return self._needed_width(i, digit)
        return MIN_ELASTIC * digit + PADDING

    def _needed_width(self, i: int, digit: int) -> int:
        column = self.table.columns[i]
        title = self.fontMetrics().horizontalAdvance(self.table.headerData(i, Qt.Orientation.Horizontal))
        sorted_by = self.table.sorted_by
        arrow = 16 if sorted_by is not None and sorted_by[0] == i else 0
        chars = min(column.chars, self.table.longest_number(i)) if column.kind == "number" else column.chars
        return max(chars * digit, title + arrow if column.is_number else 0) + PADDING

    def _section_resized(self, _section: int, _old: int, _new: int) -> None:
        # Widths that the user has dragged are left alone from then on.
        is_dragged = bool(QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton)
        self._has_users_widths |= is_dragged and not self._is_fitting

    def _rows_inserted(self) -> None:
        # Numbers grow longer with the logarithm of the rows: fit when the rows have doubled.
        if len(self.table.order) >= 2 * self._n_fitted:
            self._n_fitted = max(1, len(self.table.order))
            self.fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._set_row_height()
            self.fit_columns()

    # --- Rows ------------------------------------------------------------------------------------

    def chosen_row(self) -> int | None:
        """Return the source row that is selected, or None."""
        index = self.currentIndex()
        return self.table.source_row(index.row()) if index.isValid() else None

    def choose_row(self, source_row: int | None) -> None:
        """Select a source row without telling of it; None frees the selection."""
        self._told_row = source_row
        row = None if source_row is None else self.table.view_row(source_row)
        if row is None:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        elif self.chosen_row() != source_row:
            self.selectRow(row)

    def show_row(self, source_row: int) -> None:
        """Scroll so far that a source row is visible, if the filter shows it."""
        row = self.table.view_row(source_row)
        if row is not None:
            self.scrollTo(self.table.index(row, 0))

    def _current_row_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        row = self.table.source_row(current.row()) if current.isValid() else None
        if row != self._told_row:
            self._told_row = row
            self.row_chosen.emit(row)

    def _activate(self, index: QModelIndex) -> None:
        if index.isValid():
            self.row_activated.emit(self.table.source_row(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._activate(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape and self.currentIndex().isValid():
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
