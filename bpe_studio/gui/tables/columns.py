"""What a table's columns are: records of functions over a source, and what their cells can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from bpe_studio.analysis.unicode_view import escape_for_copy
from bpe_studio.gui.token_painter import plain_tooltip

Index = QModelIndex | QPersistentModelIndex
UNKNOWN = "—"


class Role(IntEnum):
    """Data roles beyond Qt's own."""

    SORT = Qt.ItemDataRole.UserRole + 1
    """Number or bytes that the column sorts by."""
    TOKEN = Qt.ItemDataRole.UserRole + 2
    """Bytes of a token, a pair of them, or a `WordCells`; what delegates paint."""
    STATE = Qt.ItemDataRole.UserRole + 3
    """State of the row, one of `RowState`'s values; what delegates colour by."""
    MARK = Qt.ItemDataRole.UserRole + 4
    """Sign before a pair, such as the winner's star, or an empty text."""


class RowState(IntEnum):
    """How a row is drawn beside being selected."""

    PLAIN = 0
    LAST = 1
    NEXT = 2
    DIMMED = 3
    TIED = 4


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    key : str
        Name, unique in its table.
    title, tooltip : str
        Heading and its explanation, untranslated (`QT_TRANSLATE_NOOP`).
    kind : {"number", "rank", "sign", "token", "pair", "candidate", "words", "hex", "text"}
        Chooses alignment and delegate; all but numbers and signs may be narrowed and elided.
    values : callable
        ``values(source)``: one sort key for each source row, an array or a sequence.
    show : callable
        ``show(source, row)``: visible text of one row.
    token : callable or None
        ``token(source, row)``: what a token delegate paints.
    copied : callable or None
        ``copied(source, rows)``: one escaped text for each row; ``show`` of each when None.
    tip : callable or None
        ``tip(source, row)``: tooltip of one cell, ready to be shown; the visible text when None.
    chars : int
        Usual width in digits; a number column takes less where its numbers are shorter.
    least : int
        Width in digits below which the column is not narrowed.
    drop : int
        Where columns do not fit, those with 1 are hidden first, then those with 2; 0 always stays.
    """

    key: str
    title: str
    tooltip: str
    kind: str
    values: Callable[[Any], Any]
    show: Callable[[Any, int], str]
    token: Callable[[Any, int], Any] | None = None
    copied: Callable[[Any, NDArray[np.int64]], list[str]] | None = None
    tip: Callable[[Any, int], str] | None = None
    chars: int = 8
    least: int = 5
    drop: int = 0

    @property
    def is_number(self) -> bool:
        """True if it stands at the right."""
        return self.kind in ("number", "rank")

    @property
    def is_elastic(self) -> bool:
        """True if it may be narrowed, and is elided then."""
        return self.kind not in ("number", "rank", "sign")


def shown_tip(column: Column) -> Callable[[Any, int], str]:
    """Return the usual tooltip of a column: its visible text in full."""
    return lambda source, row: plain_tooltip(column.show(source, row))


def copied_texts(column: Column, source: Any, rows: NDArray[np.int64]) -> list[str]:
    """Return a column's cells as they are copied: one line each, nothing invisible."""
    if column.copied is not None:
        return column.copied(source, rows)
    return [one_line(column.show(source, row)) for row in rows.tolist()]


def one_line(text: str) -> str:
    """Escape what would break a line of tab-separated text, or be lost behind a NUL."""
    if text.isprintable() and "\\" not in text:
        return text
    return escape_for_copy(text.encode(errors="replace"))


def as_keys(values: Any, n_rows: int) -> NDArray[Any]:
    """Return sort keys of the first rows as an array; bytes and texts become an array of objects."""
    if isinstance(values, np.ndarray):
        return values[:n_rows]
    keys = np.empty(n_rows, object)
    keys[:] = list(values[:n_rows])
    return keys


def alignment(column: Column) -> Qt.AlignmentFlag:
    """Return where a column's cells and its heading stand: numbers right, signs centred, the rest left."""
    if column.kind == "sign":
        return Qt.AlignmentFlag.AlignCenter
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def number_text(value: int) -> str:
    """Return an integer with thousands marks; −1 stands for unknown and reads "—"."""
    return UNKNOWN if value == -1 else f"{value:,}".replace("-", "\u2212")
