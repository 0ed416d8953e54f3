"""The rail under PREVIEW's editor: each token alone as a chip, in logical order, its id below.

A thin line above shows the pre-tokens; halves of characters are hatched hex and say which half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.text_tokens import MISSING
from bpe_studio.analysis.unicode_view import LabelMode, byte_hex, escape_for_copy
from bpe_studio.gui.flow_view import FlowView
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.label_cache import LabelCache
from bpe_studio.gui.preview_marks import ShownText, outlined_tokens
from bpe_studio.gui.theme import colors, mono_font
from bpe_studio.gui.token_painter import TokenPainter

MAX_CHIP_WIDTH = 420
PRETOKEN_LINE = 4
WIDEST_NOTE = "語 [1–2 of 3]"


class TokenRail(FlowView):
    """Tokens of a text as chips that wrap; emits token numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("token_rail")
        self.setAccessibleName(self.tr("Tokens"))
        self.mode: LabelMode = "text"
        self._shown: ShownText | None = None
        self._focus: Focus | None = None
        self._is_pinned = False
        self._has_notes = False
        self._make_painters()

    def _make_painters(self) -> None:
        size = max(self.font().pointSizeF(), 6.0)
        self.chips = TokenPainter(mono_font(size), colors(self), self.mode)
        self.small = LabelCache(mono_font(size * 0.82))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._make_painters()
            self._set_widths()

    # -- contents ----------------------------------------------------------------------------------

    def set_shown(self, shown: ShownText | None) -> None:
        """Show the tokens of a text."""
        self._shown = shown
        self._set_widths()

    def set_mode(self, mode: LabelMode) -> None:
        """Show tokens as text, hex bytes or GPT-2 letters."""
        self.mode = mode
        self._make_painters()
        self._set_widths()

    def set_focus(self, focus: Focus | None, is_pinned: bool) -> None:
        """Outline what is hovered or pinned."""
        self._focus, self._is_pinned = focus, is_pinned
        self.viewport().update()

    @property
    def encoded(self) -> EncodedText | None:
        """The text shown."""
        return self._shown.encoded if self._shown else None

    def _set_widths(self) -> None:
        shown = self._shown
        if shown is None or not shown.n_tokens:
            self.set_widths(np.zeros(0, np.int64))
            return
        partial = shown.encoded.is_partial[: shown.n_tokens]
        self._has_notes = bool(partial.any())
        widths = np.maximum(
            token_widths(self.chips, shown), self._id_widths(shown.encoded.ids[: shown.n_tokens])
        )
        note = int(self.small.width(WIDEST_NOTE)) + 2
        widths = np.where(partial, np.maximum(widths, note), widths)
        note_line = self.small.height if self._has_notes else 0
        self.row_height = round(PRETOKEN_LINE + 2 + self.chips.height + self.small.height + note_line + 8)
        self.set_widths((widths + np.ceil(self.chips.gap)).astype(np.int64))

    def _id_widths(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        n_digits = np.floor(np.log10(np.maximum(ids, 1))).astype(np.int64) + 1
        return np.ceil(n_digits * self.small.width("0")).astype(np.int64) + 2

    # -- painting ----------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, first: int, last: int, y: int) -> None:
        shown = self._shown
        if shown is None:
            return
        encoded = shown.encoded
        outlined = outlined_tokens(encoded, first, last, self._focus)
        cuts = np.isin(encoded.starts[first:last], encoded.pretoken_starts)
        for i in range(first, last):
            rect = QRectF(self.x_of(i, first), y, self.width_of(i) - self.chips.gap, self.row_height)
            self._paint_pretoken(painter, rect, bool(cuts[i - first]), i + 1 == last)
            self._paint_token(painter, rect, i, shown, bool(outlined[i - first]))

    def _paint_pretoken(self, painter: QPainter, rect: QRectF, begins: bool, ends_row: bool) -> None:
        data = self.chips.colors
        left = rect.left() + (1.0 if begins else -self.chips.gap)
        line = QRectF(left, rect.top() + 1, rect.right() - left + (0 if ends_row else 0.5), 2)
        painter.fillRect(line, data.tick)
        if begins:
            painter.fillRect(QRectF(rect.left(), rect.top(), 1.5, PRETOKEN_LINE + 1), data.tick)

    def _paint_token(self, painter: QPainter, rect: QRectF, i: int, shown: ShownText, outlined: bool) -> None:
        encoded, data = shown.encoded, self.chips.colors
        top = rect.top() + PRETOKEN_LINE + 2
        cell = QRectF(rect.left(), top, rect.width(), self.chips.height)
        painter.fillRect(cell, data.fill(int(shown.fills[i])))
        token = encoded.token_bytes(i)
        chip_width = min(self.chips.width(token, MAX_CHIP_WIDTH), cell.width())
        at = QPointF(round(cell.left() + (cell.width() - chip_width) / 2), top)
        self.chips.paint(painter, at, token, max_width=MAX_CHIP_WIDTH)
        painter.fillRect(QRectF(cell.left(), cell.top(), 1.5, cell.height()), data.tick)
        if encoded.ids[i] == MISSING:
            paint_hatch(painter, cell, data.hatch)
        self._paint_below(painter, cell, i, encoded)
        if outlined or i == self.current and self.hasFocus():
            painter.setPen(QPen(data.pin if self._is_pinned and outlined else data.hover, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(cell.adjusted(1, 1, -1, -1))

    def _paint_below(self, painter: QPainter, cell: QRectF, i: int, encoded: EncodedText) -> None:
        painter.setPen(self.palette().placeholderText().color())
        below = QRectF(cell.left(), cell.bottom() + 1, cell.width(), self.small.height)
        id_ = int(encoded.ids[i])
        self.small.draw(painter, below, "—" if id_ == MISSING else str(id_))
        if self._has_notes and encoded.is_partial[i]:
            self.small.draw(painter, below.translated(0, self.small.height), encoded.part_note(i))

    def item_tip(self, item: int) -> str:
        encoded = self.encoded
        if encoded is None:
            return ""
        token, id_ = encoded.token_bytes(item), int(encoded.ids[item])
        what = self.tr("not in the alphabet") if id_ == MISSING else self.tr("token %d") % id_
        lines = [escape_for_copy(token), byte_hex(token[:32]), what]
        return "\n".join(filter(None, [*lines, encoded.part_note(item)]))


def token_widths(chips: TokenPainter, shown: ShownText) -> NDArray[np.int64]:
    """Return the chip width of every shown token, in pixels. Each distinct token is measured once."""
    data, starts = shown.encoded.utf8, shown.encoded.starts.tolist()
    tokens = [data[a:b] for a, b in zip(starts, starts[1:], strict=False)]
    widths = {token: chip_width(chips, token) for token in set(tokens)}
    return np.fromiter((widths[token] for token in tokens), dtype=np.int64, count=len(tokens))


def chip_width(chips: TokenPainter, token: bytes) -> int:
    """Return a chip's width; letters of a monospaced font are counted, not laid out."""
    simple = chips.mode == "text" and len(token) < 24 and token.isascii() and token.decode().isprintable()
    if simple and chips.metrics.averageCharWidth() == chips.metrics.horizontalAdvance("·"):
        return int(np.ceil(len(token) * chips.metrics.averageCharWidth() + 2 * chips.padding))
    return int(np.ceil(chips.width(token, MAX_CHIP_WIDTH)))


def paint_hatch(painter: QPainter, rect: QRectF, color: QColor) -> None:
    """Hatch a cell: what is no character of the alphabet, or no match of the pattern."""
    painter.fillRect(rect, QBrush(faint(color), Qt.BrushStyle.BDiagPattern))


def faint(color: QColor) -> QColor:
    """Return a hatch's colour, light enough to read the text under it."""
    light = QColor(color)
    light.setAlpha(110)
    return light
