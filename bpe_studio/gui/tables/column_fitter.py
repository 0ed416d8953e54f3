"""Widths of a table's columns: numbers as wide as they are, the rest shared, what does not fit left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from bpe_studio.gui.tables.array_view import ArrayTableView

PADDING, MIN_WIDTH = 12, 24
"""Pixels beside a cell's text, and of the narrowest column."""
MAX_ROUNDS = 3


class ColumnFitter(QObject):
    """Keeps the columns of a view within its width until the user drags one.

    Parameters
    ----------
    view : ArrayTableView
        The view; it owns the fitter.
    """

    def __init__(self, view: ArrayTableView) -> None:
        super().__init__(view)
        self._view, self._table = view, view.table
        self._is_fitting = self._has_users_widths = False
        self._n_fitted = 1
        view.horizontalHeader().sectionResized.connect(self._section_resized)
        self._table.modelReset.connect(self.fit)
        self._table.layoutChanged.connect(self.fit)
        self._table.rowsInserted.connect(self._rows_inserted)

    def fit(self) -> None:
        """Give numbers what they need and share the rest among the other columns by their usual widths."""
        if self._has_users_widths or self._is_fitting:
            return
        self._is_fitting = True
        # New widths may show or hide a scroll bar, which changes the room there is.
        for _ in range(MAX_ROUNDS):
            room = self._view.viewport().width()
            self._fit_into(room)
            if self._view.viewport().width() == room:
                break
        self._is_fitting = False

    def _fit_into(self, room: int) -> None:
        digit = self._view.fontMetrics().horizontalAdvance("0")
        columns = self._table.columns
        needed = [self._needed_width(i, digit) for i in range(len(columns))]
        least = [min(width, self._least_width(i, width, digit)) for i, width in enumerate(needed)]
        shown = self._shown_columns(least, room)
        elastic = [i for i in shown if columns[i].is_elastic]
        rest = room - sum(needed[i] for i in shown if i not in elastic)
        wanted = sum(needed[i] for i in elastic)
        for i in range(len(columns)):
            self._view.setColumnHidden(i, i not in shown)
        for i in shown:
            share = int(rest * needed[i] / wanted) if i in elastic else needed[i]
            self._view.setColumnWidth(i, max(share, least[i]))

    def _shown_columns(self, least: list[int], room: int) -> list[int]:
        """Return the columns that fit, without those that may be dropped where they do not."""
        columns = self._table.columns
        for dropped in range(1 + max(column.drop for column in columns)):
            shown = [i for i, column in enumerate(columns) if not 0 < column.drop <= dropped]
            if sum(least[i] for i in shown) <= room:
                break
        return shown

    def _least_width(self, i: int, needed: int, digit: int) -> int:
        column = self._table.columns[i]
        return column.least * digit + PADDING if column.is_elastic else needed

    def _needed_width(self, i: int, digit: int) -> int:
        column, metrics = self._table.columns[i], self._view.fontMetrics()
        is_number = column.kind == "number"
        chars = min(column.chars, self._table.longest_number(i)) if is_number else column.chars
        heading = self._table.headerData(i, Qt.Orientation.Horizontal)
        title = 0 if column.is_elastic else metrics.horizontalAdvance(heading)
        return max(chars * digit + PADDING, title + PADDING, MIN_WIDTH)

    def _section_resized(self, _section: int, _old: int, _new: int) -> None:
        # Widths that the user has dragged are left alone from then on.
        is_dragged = bool(QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton)
        self._has_users_widths |= is_dragged and not self._is_fitting

    def _rows_inserted(self) -> None:
        # Numbers grow longer with the logarithm of the rows: fit when the rows have doubled.
        n_rows = len(self._table.order)
        if n_rows >= 2 * self._n_fitted:
            self._n_fitted = n_rows
            self.fit()
