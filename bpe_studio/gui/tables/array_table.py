"""A table over arrays: columns are records of functions, sorting and filtering are arrays of row numbers.

A *source* is any frozen value that the columns read. Rows of the source are never moved: the model keeps
``order``, the source rows in the order shown, so that 100,000 rows are sorted or filtered in one numpy call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, Qt

from bpe_studio.gui.tables.columns import (
    Column,
    Index,
    Role,
    RowState,
    alignment,
    as_keys,
    copied_texts,
    number_text,
    shown_tip,
)
from bpe_studio.gui.token_painter import plain_tooltip

__all__ = ["ArrayTableModel", "Column", "Role", "RowState", "number_text"]

TOP_LEVEL = QModelIndex()
DISPLAY = Qt.ItemDataRole.DisplayRole


class ArrayTableModel(QAbstractTableModel):
    """Rows of a source under columns.

    Parameters
    ----------
    columns : sequence of Column
        The columns, in the order shown.
    context : str
        Translation context of titles and tooltips.
    matches : callable or None
        ``matches(source, query)``: bool for each source row, for filter and find.
    parent : QObject or None
        Owner.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        context: str = "tables",
        matches: Callable[[Any, str], NDArray[np.bool_]] | None = None,
        parent: Any = None,
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.source: Any = None
        self.n_source_rows = 0
        self.order: NDArray[np.int64] = np.zeros(0, np.int64)
        self.query = ""
        self.sorted_by: tuple[int, Qt.SortOrder] | None = None
        self.is_order_stale = False
        self._context = context
        self._matches = matches
        self._places: NDArray[np.int64] | None = None

    # --- Rows ------------------------------------------------------------------------------------

    def set_source(self, source: Any, n_rows: int) -> None:
        """Show another source from its first row on; sorting and filter stay."""
        self.beginResetModel()
        self.source, self.n_source_rows = source, n_rows
        self._set_order(self._wanted_order())
        self.endResetModel()

    def replace_source(self, source: Any, n_rows: int) -> None:
        """Show a new state of the same table: rows are inserted or removed at the end, never reset."""
        self.source, self.n_source_rows = source, n_rows
        order = self._wanted_order()
        before, after = len(self.order), len(order)
        if after > before:
            self.beginInsertRows(TOP_LEVEL, before, after - 1)
            self._set_order(order)
            self.endInsertRows()
        elif after < before:
            self.beginRemoveRows(TOP_LEVEL, after, before - 1)
            self._set_order(order)
            self.endRemoveRows()
        else:
            self._set_order(order)
        self.tell_changed()

    def append_rows(self, n_rows: int) -> None:
        """Say that the source has grown to ``n_rows``. Under a sort, new rows wait at the end (`sort_in`)."""
        fresh = np.arange(self.n_source_rows, n_rows, dtype=np.int64)
        self.n_source_rows, self._places = n_rows, None
        if self.query and self._matches is not None:
            fresh = fresh[self._matches(self.source, self.query)[fresh]]
        if not len(fresh):
            return
        first = len(self.order)
        self.beginInsertRows(TOP_LEVEL, first, first + len(fresh) - 1)
        self._set_order(np.concatenate((self.order, fresh)))
        self.endInsertRows()
        self.is_order_stale = self.sorted_by is not None

    def sort_in(self) -> None:
        """Sort in the rows that wait at the end."""
        if self.is_order_stale:
            self._reorder()

    def tell_changed(self) -> None:
        """Have everything drawn anew: states or values may have changed, rows have not."""
        if len(self.order):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.order) - 1, len(self.columns) - 1))

    def source_row(self, row: int) -> int:
        """Return the source row shown at ``row``."""
        return int(self.order[row])

    def view_row(self, source_row: int) -> int | None:
        """Return where a source row is shown, or None if the filter hides it."""
        if not 0 <= source_row < self.n_source_rows:
            return None
        if self._places is None:
            self._places = np.full(self.n_source_rows, -1, np.int64)
            self._places[self.order] = np.arange(len(self.order))
        place = int(self._places[source_row])
        return place if place >= 0 else None

    # --- Sorting and filtering -------------------------------------------------------------------

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; −1 returns to the source's own order. Equal rows keep the source's order."""
        self.sorted_by = (column, order) if 0 <= column < len(self.columns) else None
        self._reorder()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def set_query(self, query: str) -> None:
        """Show only rows that match; an empty query shows all."""
        if query != self.query:
            self.query = query
            self._reorder()

    def matching_rows(self, query: str) -> NDArray[np.int64]:
        """Return the rows, as shown, that match a find text."""
        if not query or self._matches is None or not self.n_source_rows:
            return np.zeros(0, np.int64)
        return np.flatnonzero(self._matches(self.source, query)[self.order])

    def _wanted_order(self) -> NDArray[np.int64]:
        rows = self._sorted_rows()
        if self.query and self._matches is not None and self.n_source_rows:
            rows = rows[self._matches(self.source, self.query)[rows]]
        return rows

    def _sorted_rows(self) -> NDArray[np.int64]:
        if self.sorted_by is None or not self.n_source_rows:
            return np.arange(self.n_source_rows, dtype=np.int64)
        column, order = self.sorted_by
        keys = as_keys(self.columns[column].values(self.source), self.n_source_rows)
        if order == Qt.SortOrder.AscendingOrder:
            return np.argsort(keys, kind="stable")
        # Sorted backwards over the reversed rows, so that equal rows keep their order here too.
        return len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]

    def _reorder(self) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        source_rows = [self.source_row(index.row()) for index in before]
        self._set_order(self._wanted_order())
        after = []
        for index, source_row in zip(before, source_rows, strict=True):
            row = self.view_row(source_row)
            after.append(QModelIndex() if row is None else self.index(row, index.column()))
        self.changePersistentIndexList(before, after)
        self.is_order_stale = False
        self.layoutChanged.emit()

    def _set_order(self, order: NDArray[np.int64]) -> None:
        self.order, self._places = order, None

    def longest_number(self, column: int) -> int:
        """Return the characters of the longest number of a column, 1 without rows."""
        if not self.n_source_rows:
            return 1
        record = self.columns[column]
        values = as_keys(record.values(self.source), self.n_source_rows)
        return max(len(record.show(self.source, int(row))) for row in (values.argmin(), values.argmax()))

    # --- Qt's interface --------------------------------------------------------------------------

    def rowCount(self, parent: Index = TOP_LEVEL) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = TOP_LEVEL) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = DISPLAY) -> Any:
        if not index.isValid() or index.row() >= len(self.order):
            return None
        column, row = self.columns[index.column()], self.source_row(index.row())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column.show(self.source, row)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return self.described(row)
        if role == Role.TOKEN:
            return column.token(self.source, row) if column.token else None
        if role == Role.STATE:
            return int(self.row_state(row))
        if role == Role.SORT:
            value = column.values(self.source)[row]
            return value.item() if isinstance(value, np.generic) else value
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            tip = column.tip or shown_tip(column)
            return tip(self.source, row)
        return None

    def row_state(self, source_row: int) -> RowState:
        """Return how a row is drawn; tables override it."""
        return RowState.PLAIN

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(section) + self._arrow(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(QCoreApplication.translate(self._context, column.tooltip))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column)
        return None

    def title(self, column: int) -> str:
        """Return a column's heading in the user's language."""
        return QCoreApplication.translate(self._context, self.columns[column].title)

    def _arrow(self, column: int) -> str:
        if self.sorted_by is None or self.sorted_by[0] != column:
            return ""
        return " ▴" if self.sorted_by[1] == Qt.SortOrder.AscendingOrder else " ▾"

    def described(self, source_row: int) -> str:
        """Return what a screen reader says of a row's state; tables override it."""
        return ""

    # --- Taking away -----------------------------------------------------------------------------

    def tsv(self, rows: NDArray[np.int64] | None = None) -> str:
        """Return a header and rows, tab separated, every cell on one line.

        Parameters
        ----------
        rows : ndarray of int64 or None
            Rows as shown; all shown rows when None.
        """
        source_rows = self.order if rows is None else self.order[rows]
        header = [self.title(i) for i in range(len(self.columns))]
        cells = [copied_texts(column, self.source, source_rows) for column in self.columns]
        lines = map("\t".join, zip(*cells, strict=True))
        return "\n".join(["\t".join(header), *lines])
