"""The delegate of WORDS: a word as a row of chips, with what is marked in it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem

from bpe_studio.gui.tables.columns import Index, Role
from bpe_studio.gui.tables.delegates import SIDE, TokenDelegate
from bpe_studio.gui.token_painter import ELLIPSIS, TokenPainter


@dataclass(frozen=True)
class WordCells:
    """A word cut into tokens, as `WordDelegate` draws it.

    Parameters
    ----------
    tokens : tuple of bytes
        The symbols in order.
    fills : tuple of int
        Fill index of each.
    pairs : tuple of int
        Where a marked pair begins: it joins that symbol and the next.
    fresh : tuple of int
        Symbols that the last merge made.
    focused : tuple of int
        Symbols that are looked at anywhere in the window.
    """

    tokens: tuple[bytes, ...]
    fills: tuple[int, ...]
    pairs: tuple[int, ...] = ()
    fresh: tuple[int, ...] = ()
    focused: tuple[int, ...] = ()


class WordDelegate(TokenDelegate):
    """Paints a word as chips; the next pair is framed and underlined, a fresh token framed."""

    def paint_tokens(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        cells = index.data(Role.TOKEN)
        if not isinstance(cells, WordCells):
            return
        tokens = self.token_painter(option)
        top = option.rect.center().y() - tokens.height / 2 + 0.5
        edges = self.edges(option, cells)
        for i, (left, right) in enumerate(edges):
            tokens.paint(painter, QPointF(left, top), cells.tokens[i], fill=cells.fills[i], tick=i > 0,
                         max_width=right - left + 1)  # fmt: skip
        if len(edges) < len(cells.tokens):
            painter.setFont(tokens.font)
            painter.setPen(tokens.colors.text)
            x = edges[-1][1] + tokens.gap if edges else option.rect.left() + SIDE
            painter.drawText(QPointF(x, top + tokens.metrics.ascent() + 2), ELLIPSIS)
        self._paint_marks(painter, tokens, cells, edges, top)

    def edges(self, option: QStyleOptionViewItem, cells: WordCells) -> list[tuple[float, float]]:
        """Return left and right of each chip that fits into the cell."""
        tokens = self.token_painter(option)
        x, right = float(option.rect.left() + SIDE), option.rect.right() - SIDE
        ellipsis = tokens.metrics.horizontalAdvance(ELLIPSIS)
        edges: list[tuple[float, float]] = []
        for i, data in enumerate(cells.tokens):
            is_last = i + 1 == len(cells.tokens)
            # A single token may fill the cell, elided; later ones are drawn whole or not at all.
            width = tokens.width(data) if i else tokens.width(data, right - x)
            if i and x + width > right - (0 if is_last else ellipsis):
                break
            edges.append((x, x + width))
            x += width + tokens.gap
        return edges

    def _paint_marks(
        self,
        painter: QPainter,
        tokens: TokenPainter,
        cells: WordCells,
        edges: list[tuple[float, float]],
        top: float,
    ) -> None:
        colors = tokens.colors
        spans: list[tuple[int, int, QColor]] = [(i, i, colors.cursor_line) for i in cells.fresh]
        spans += [(i, i + 1, colors.mark) for i in cells.pairs]
        spans += [(i, i, colors.pin) for i in cells.focused]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for first, last, color in spans:
            if last >= len(edges):
                continue
            left, right = edges[first][0], edges[last][1]
            painter.setPen(QPen(color, 1.5))
            painter.drawRect(QRectF(left - 1, top - 1, right - left + 2, tokens.height + 2))
            if first != last:
                painter.fillRect(QRectF(left - 1, top + tokens.height - 1, right - left + 2, 2.5), color)
