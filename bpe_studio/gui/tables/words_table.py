"""The table of words: unique pre-tokens with counts, each cut into its symbols at the cursor."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QT_TRANSLATE_NOOP as T
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from bpe_studio.analysis.unicode_view import escape_for_copy, label
from bpe_studio.engine.merges import MergeLog
from bpe_studio.engine.replay import Snapshot
from bpe_studio.engine.words import WordTable
from bpe_studio.gui.tables.array_table import ArrayTableModel, Column, number_text
from bpe_studio.gui.tables.array_view import ArrayTableView
from bpe_studio.gui.tables.columns import Role
from bpe_studio.gui.tables.queries import matching_words, parsed
from bpe_studio.gui.tables.word_delegate import WordCells, WordDelegate
from bpe_studio.gui.token_painter import fill_indices, plain_tooltip

MAX_SYMBOLS = 400
"""Symbols of a word that are drawn; no view is wide enough for more."""
SEPARATOR = " | "


class WordsSource:
    """Words and their symbols in a snapshot.

    Parameters
    ----------
    words : WordTable
        The words of the run.
    log : MergeLog
        Its merges, for tokens.
    snapshot : Snapshot
        Symbols at the cursor.
    pair : (int, int) or None
        Ids of the pair that is merged next.
    """

    def __init__(
        self, words: WordTable, log: MergeLog, snapshot: Snapshot, pair: tuple[int, int] | None = None
    ) -> None:
        self.words, self.log, self.snapshot, self.pair = words, log, snapshot, pair
        self.focus_token = -1

    def symbols(self, row: int) -> NDArray[np.int32]:
        """Return the ids of a word's symbols."""
        start, end = self.snapshot.offsets[row : row + 2]
        return self.snapshot.symbols[start:end]

    @property
    def n_symbols(self) -> NDArray[np.int64]:
        """Symbols of each word."""
        return np.diff(self.snapshot.offsets)

    @property
    def fresh_token(self) -> int:
        """Id of the token that the last merge made, −1 before the first."""
        return int(self.log.token[self.snapshot.k - 1]) if self.snapshot.k else -1

    def cells(self, row: int) -> WordCells:
        """Return what is drawn of a word."""
        ids = self.symbols(row)[:MAX_SYMBOLS].tolist()
        return WordCells(
            tuple(map(self.log.token_bytes, ids)),
            tuple(fill_indices(ids).tolist()),
            pair_places(ids, self.pair),
            tuple(i for i, token in enumerate(ids) if token == self.fresh_token),
            tuple(i for i, token in enumerate(ids) if token == self.focus_token),
        )

    @cached_property
    def has_pair(self) -> NDArray[np.bool_]:
        """Whether each word holds the pair that is merged next."""
        return words_with_pair(self.snapshot, self.pair)

    @cached_property
    def has_fresh_token(self) -> NDArray[np.bool_]:
        """Whether each word holds the token that the last merge made."""
        found = np.zeros(len(self.words), bool)
        at = np.flatnonzero(self.snapshot.symbols == self.fresh_token)
        found[np.searchsorted(self.snapshot.offsets, at, side="right") - 1] = True
        return found


def pair_places(ids: list[int], pair: tuple[int, int] | None) -> tuple[int, ...]:
    """Return where a pair would be merged: left to right, without overlap.

    Examples
    --------
    >>> pair_places([7, 7, 7, 8, 7, 7], (7, 7))
    (0, 4)
    """
    places, i = [], 0
    while pair is not None and i + 1 < len(ids):
        is_pair = (ids[i], ids[i + 1]) == pair
        if is_pair:
            places.append(i)
        i += 2 if is_pair else 1
    return tuple(places)


def words_with_pair(snapshot: Snapshot, pair: tuple[int, int] | None) -> NDArray[np.bool_]:
    """Return for each word whether a pair occurs in it."""
    symbols, offsets = snapshot.symbols, snapshot.offsets
    found = np.zeros(len(offsets) - 1, bool)
    if pair is not None:
        at = np.flatnonzero((symbols[:-1] == pair[0]) & (symbols[1:] == pair[1]))
        word = np.searchsorted(offsets, at, side="right") - 1
        found[word[at + 1 < offsets[word + 1]]] = True
    return found


def _word_text(source: WordsSource, row: int) -> str:
    return SEPARATOR.join(map(label, source.cells(row).tokens))


def _copied_words(source: WordsSource, rows: NDArray[np.int64]) -> list[str]:
    return [SEPARATOR.join(map(escape_for_copy, source.cells(row).tokens)) for row in rows.tolist()]


def _word_tip(source: WordsSource, row: int) -> str:
    word = source.words.word(row)[:MAX_SYMBOLS]
    return plain_tooltip("\n".join((label(word), escape_for_copy(word), _word_text(source, row)[:2000])))


WORD_COLUMNS = (
    Column(
        "order", T("words", "#"), T("words", "Order of first appearance in the corpus, from 0"), "number",
        values=lambda source: np.arange(len(source.words)),
        show=lambda source, row: f"{row:,}", chars=9, drop=1),
    Column(
        "count", T("words", "count"), T("words", "How often the word occurs"), "number",
        values=lambda source: source.words.counts,
        show=lambda source, row: f"{number_text(int(source.words.counts[row]))} ×",
        copied=lambda source, rows: list(map(str, source.words.counts[rows].tolist())), chars=13),
    Column(
        "word", T("words", "word, cut into its symbols"),
        T("words", "Framed and underlined: the pair merged next. Framed: the token that the last merge made"),
        "words",
        values=lambda source: [source.words.word(row) for row in range(len(source.words))],
        show=_word_text, token=lambda source, row: source.cells(row),
        copied=_copied_words, tip=_word_tip, chars=26, least=22),
    Column(
        "symbols", T("words", "symbols"), T("words", "Symbols that the word is cut into"), "number",
        values=lambda source: source.n_symbols,
        show=lambda source, row: f"{int(source.n_symbols[row]):,}", chars=6, drop=1),
)  # fmt: skip


def matching_of(source: WordsSource, text: str) -> NDArray[np.bool_]:
    """Return for each word whether it holds a search text."""
    return matching_words(source.words.utf8, source.words.offsets, parsed(text))


class WordsModel(ArrayTableModel):
    """All words of a run; new snapshots change how they are cut, never which they are."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(WORD_COLUMNS, "words", matching_of, parent)
        self.only_marked = False

    def set_only_marked(self, only_marked: bool) -> None:
        """Show only words with the next pair or, where there is none, with the last merge's token."""
        self.only_marked = only_marked
        self._reorder()

    def show_state(self, source: WordsSource) -> None:
        """Show the same words in another state."""
        self.source = source
        sort_key = self.columns[self.sorted_by[0]].key if self.sorted_by is not None else ""
        if self.only_marked or sort_key == "symbols":
            self._reorder()
        self.tell_changed()

    def _wanted_order(self) -> NDArray[np.int64]:
        order = super()._wanted_order()
        if not self.only_marked or self.source is None:
            return order
        marked = self.source.has_pair if self.source.pair is not None else self.source.has_fresh_token
        return order[marked[order]]


class WordsView(ArrayTableView):
    """Tells which symbol the pointer is on; there a second click on the same symbol frees it."""

    symbol_hovered = Signal(object)
    """Token id under the pointer, or None."""
    symbol_clicked = Signal(object)
    """Token id clicked, or None beside the chips."""

    def __init__(self, model: WordsModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._hovered: int | None = None
        word = [column.kind for column in model.columns].index("words")
        self.setItemDelegateForColumn(word, WordDelegate(self))
        self.row_hovered.connect(self._row_hovered)

    def symbol_at(self, position: QPoint) -> int | None:
        """Return the id of the symbol drawn at a place of the viewport, or None."""
        index = self.indexAt(position)
        delegate = self.itemDelegateForColumn(index.column())
        if not index.isValid() or not isinstance(delegate, WordDelegate):
            return None
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        option.rect = self.visualRect(index)
        edges = delegate.edges(option, index.data(Role.TOKEN))
        places = [i for i, (left, right) in enumerate(edges) if left <= position.x() < right]
        symbols = self.table.source.symbols(self.table.source_row(index.row()))
        return int(symbols[places[0]]) if places else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._tell_hovered(self.symbol_at(event.position().toPoint()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self.symbol_clicked.emit(self.symbol_at(event.position().toPoint()))

    def _row_hovered(self, row: int | None) -> None:
        if row is None:
            self._tell_hovered(None)

    def _tell_hovered(self, token: int | None) -> None:
        if token != self._hovered:
            self._hovered = token
            self.symbol_hovered.emit(token)
