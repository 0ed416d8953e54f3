"""The table of merges: one row a merge, straight from the log's columns."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QT_TRANSLATE_NOOP as T
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent

from bpe_studio.analysis.unicode_view import byte_hex, escape_for_copy, label
from bpe_studio.engine.merges import MergeLog
from bpe_studio.gui.tables.array_table import ArrayTableModel, Column
from bpe_studio.gui.tables.array_view import ArrayTableView
from bpe_studio.gui.tables.columns import UNKNOWN, RowState, number_text
from bpe_studio.gui.tables.queries import matching_tokens, parsed
from bpe_studio.gui.theme import colors
from bpe_studio.gui.token_painter import token_tooltip

LINE_WIDTH = 2


class MergesSource:
    """The columns of a merge log, and the tokens' bytes, kept as far as they have been asked for.

    Parameters
    ----------
    log : MergeLog
        The run's merges; it may grow.
    n_bytes : int
        Bytes of the corpus, −1 if unknown.
    """

    def __init__(self, log: MergeLog, n_bytes: int = -1) -> None:
        self.log = log
        self.n_bytes = n_bytes
        self._tokens: dict[str, list[bytes]] = {"left": [], "right": [], "token": []}

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a column of the log."""
        column: NDArray[np.int64] = getattr(self.log, name)
        return column

    def tokens(self, name: str) -> list[bytes]:
        """Return the bytes of a column of ids; what is known already is not looked up again."""
        known = self._tokens[name]
        ids = self.numbers(name)[len(known) :].tolist()
        known.extend(map(self.log.token_bytes, ids))
        return known

    def token(self, name: str, row: int) -> bytes:
        """Return the bytes of one cell."""
        return self.log.token_bytes(int(self.numbers(name)[row]))

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Row numbers."""
        return np.arange(len(self.log))

    @property
    def saved(self) -> NDArray[np.int64]:
        """Tokens of the corpus that each merge saves; −1 if unknown."""
        after = self.log.corpus_tokens
        before = np.concatenate(([self.log.corpus_tokens_before], after))[: len(after)]
        return np.where((after < 0) | (before < 0), -1, before - after)

    @property
    def bytes_per_token(self) -> NDArray[np.float64]:
        """Corpus bytes for each token after the merge; −1 if unknown."""
        after = self.log.corpus_tokens
        known = (after > 0) & (self.n_bytes >= 0)
        return np.where(known, self.n_bytes / np.maximum(after, 1), -1.0)


def _saved_text(source: MergesSource, row: int) -> str:
    after = int(source.log.corpus_tokens[row])
    before = int(source.log.corpus_tokens[row - 1]) if row else source.log.corpus_tokens_before
    return UNKNOWN if after < 0 or before < 0 else number_text(before - after)


def _ratio_text(source: MergesSource, row: int) -> str:
    after = int(source.log.corpus_tokens[row])
    return f"{source.n_bytes / after:.3f}" if after > 0 and source.n_bytes >= 0 else UNKNOWN


def tie_text(n_tied: int) -> str:
    """Return how many pairs tied: blank for none, as ``=3``, or "—" if unknown."""
    return UNKNOWN if n_tied < 0 else "" if n_tied == 1 else f"={n_tied:,}"


def _token_column(key: str, title: str, tooltip: str, chars: int) -> Column:
    def copied(source: MergesSource, rows: NDArray[np.int64]) -> list[str]:
        tokens = source.tokens(key)
        return [escape_for_copy(tokens[row]) for row in rows.tolist()]

    return Column(
        key, title, tooltip, "token",
        values=lambda source: source.tokens(key),
        show=lambda source, row: label(source.token(key, row)),
        token=lambda source, row: source.token(key, row),
        copied=copied,
        tip=lambda source, row: token_tooltip(source.token(key, row)),
        chars=chars,
    )  # fmt: skip


def _number_column(key: str, title: str, tooltip: str, chars: int, **more: Any) -> Column:
    values = more.pop("values", lambda source: source.numbers(key))
    show = more.pop("show", lambda source, row: number_text(int(source.numbers(key)[row])))
    return Column(key, title, tooltip, more.pop("kind", "number"), values, show,
                  copied=partial(_copied_numbers, values), chars=chars, **more)  # fmt: skip


def _copied_numbers(values: Any, source: MergesSource, rows: NDArray[np.int64]) -> list[str]:
    numbers = values(source)[rows]
    as_text = "{:.6f}".format if numbers.dtype.kind == "f" else str
    return ["" if number == -1 else as_text(number) for number in numbers.tolist()]


def _copied_hex(source: MergesSource, rows: NDArray[np.int64]) -> list[str]:
    tokens = source.tokens("token")
    return [byte_hex(tokens[row]) for row in rows.tolist()]


MERGE_COLUMNS = (
    _number_column(
        "rank", T("merges", "#"), T("merges", "Rank: the merge's place, counted from 0"), 9, kind="rank",
        values=lambda source: source.ranks, show=lambda source, row: f"{row:,}"),
    _token_column("left", T("merges", "left"), T("merges", "The pair's left token"), 8),
    _token_column("right", T("merges", "right"), T("merges", "The pair's right token"), 8),
    _token_column("token", T("merges", "token"), T("merges", "The token that the merge makes"), 10),
    Column(
        "bytes", T("merges", "bytes"), T("merges", "The token's bytes in hexadecimal"), "hex",
        values=lambda source: source.tokens("token"),
        show=lambda source, row: byte_hex(source.token("token", row)),
        copied=_copied_hex, chars=12, drop=2),
    _number_column(
        "count", T("merges", "count"), T("merges", "How often the pair occurred when it was merged"), 11),
    _number_column(
        "n_tied", T("merges", "tie"), T("merges", "How many pairs shared the best count; blank: no tie"), 7,
        show=lambda source, row: tie_text(int(source.log.n_tied[row]))),
    _number_column(
        "margin", T("merges", "margin"), T("merges", "Lead over the best other pair; 0 in a tie"), 11),
    _number_column(
        "saved", T("merges", "saved"), T("merges", "Tokens of the corpus that this merge saves"), 11,
        values=lambda source: source.saved, show=_saved_text, drop=1),
    _number_column(
        "corpus_tokens", T("merges", "tokens"), T("merges", "Tokens of the corpus after this merge"), 13),
    _number_column(
        "ratio", T("merges", "B/token"), T("merges", "Corpus bytes per token after this merge"), 6,
        values=lambda source: source.bytes_per_token, show=_ratio_text),
)  # fmt: skip


def matching_merges(source: MergesSource, text: str) -> NDArray[np.bool_]:
    """Return for each merge whether its token holds a search text, or its rank or id is the number."""
    query = parsed(text)
    found = matching_tokens(source.tokens("token"), query)
    if query.number is not None:
        found |= (source.ranks == query.number) | (source.log.token == query.number)
    return found


class MergesModel(ArrayTableModel):
    """Merges in rank order; rows from the cursor on are not in effect."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(MERGE_COLUMNS, "merges", matching_merges, parent)
        self.cursor = 0

    def set_cursor(self, cursor: int) -> None:
        """Put the first ``cursor`` merges in effect."""
        if cursor != self.cursor:
            self.cursor = cursor
            self.tell_changed()

    def row_state(self, source_row: int) -> RowState:
        if source_row == self.cursor - 1:
            return RowState.LAST
        if source_row == self.cursor:
            return RowState.NEXT
        return RowState.DIMMED if source_row > self.cursor else RowState.PLAIN

    def described(self, source_row: int) -> str:
        texts = {
            RowState.LAST: self.tr("the last merge in effect"),
            RowState.NEXT: self.tr("the next merge, not in effect"),
            RowState.DIMMED: self.tr("not in effect"),
        }
        return texts.get(self.row_state(source_row), "")

    @property
    def is_in_rank_order(self) -> bool:
        """True if the cursor has one place between the rows shown."""
        return self.sorted_by in (None, (0, Qt.SortOrder.AscendingOrder))


class MergesView(ArrayTableView):
    """Draws the cursor as a line between the last merge in effect and the next one."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        y = self.cursor_y()
        if y is not None:
            painter = QPainter(self.viewport())
            painter.fillRect(0, y - 1, self.viewport().width(), LINE_WIDTH, colors(self).cursor_line)

    def cursor_y(self) -> int | None:
        """Return where the cursor's line stands in the viewport, or None where it has no one place."""
        model = self.table
        assert isinstance(model, MergesModel)
        if not model.is_in_rank_order or not len(model.order):
            return None
        row = int(np.searchsorted(model.order, model.cursor))
        if row < len(model.order):
            return max(1, self.rowViewportPosition(row))
        last = len(model.order) - 1
        return self.rowViewportPosition(last) + self.rowHeight(last)
