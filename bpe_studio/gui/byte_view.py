"""BYTES as cells: character and code point, over its UTF-8 bytes, over the token that holds them.

A cell is as wide as its widest line and there is a gap between bytes. Only visible rows are painted.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.text_tokens import MISSING
from bpe_studio.analysis.unicode_view import LabelMode, bit_parts
from bpe_studio.gui.byte_layout import byte_widths, character_lines, character_widths, shared_breaks
from bpe_studio.gui.flow_view import MARGIN, FlowView
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.label_cache import LabelCache
from bpe_studio.gui.preview_marks import ShownText, outlined_bytes
from bpe_studio.gui.theme import colors, mono_font
from bpe_studio.gui.token_painter import TokenPainter
from bpe_studio.gui.token_rail import MAX_CHIP_WIDTH, WIDEST_NOTE, paint_hatch, token_widths

GAP = 6
MAX_LINE_WIDTH = 230
HEX = tuple(f"{byte:02X}" for byte in range(256))


class ByteView(FlowView):
    """Bytes of a text as cells that wrap; emits byte offsets."""

    def __init__(self, tip_of: Callable[[int], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("byte_view")
        self.setAccessibleName(self.tr("Bytes"))
        self._tip_of = tip_of
        self.options: frozenset[str] = frozenset()
        self.mode: LabelMode = "text"
        self._shown: ShownText | None = None
        self._focus: Focus | None = None
        self._is_pinned = False
        self._make_painters()

    def _make_painters(self) -> None:
        size = max(self.font().pointSizeF(), 6.0)
        self.chips = TokenPainter(mono_font(size), colors(self), self.mode)
        self.mono, self.small = LabelCache(mono_font(size)), LabelCache(mono_font(size * 0.82))
        titles = [self._words(line.title) for line in character_lines(frozenset({"names", "utf16"}))]
        self.left_margin = MARGIN + 8 + round(max(self.small.width(title) for title in titles))

    def _words(self, text: str) -> str:
        return QCoreApplication.translate("Bytes", text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._make_painters()
            self._set_widths()

    # -- contents ----------------------------------------------------------------------------------

    def set_shown(self, shown: ShownText | None) -> None:
        """Show the bytes of a text."""
        self._shown = shown
        self._set_widths()

    def set_mode(self, mode: LabelMode) -> None:
        """Show tokens as text, hex bytes or GPT-2 letters."""
        self.mode = mode
        self._make_painters()
        self._set_widths()

    def set_options(self, options: frozenset[str]) -> None:
        """Show more or fewer lines: "bits", "names", "utf16"."""
        self.options = options
        self._set_widths()

    def set_focus(self, focus: Focus | None, is_pinned: bool) -> None:
        """Outline what is hovered or pinned."""
        self._focus, self._is_pinned = focus, is_pinned
        self.viewport().update()

    @property
    def encoded(self) -> EncodedText | None:
        """The text shown."""
        return self._shown.encoded if self._shown else None

    def _font_of(self, line: str) -> LabelCache:
        return self.mono if line == "character" else self.small

    def _set_widths(self) -> None:
        shown = self._shown
        if shown is None or not shown.n_bytes:
            self.set_widths(np.zeros(0, np.int64))
            return
        encoded, lines = shown.encoded, character_lines(self.options)
        self._has_notes = bool(encoded.is_partial[: shown.n_tokens].any())
        least = ceil(self.small.width("0" * 8) if "bits" in self.options else self.mono.width("00")) + GAP
        needed = character_widths(
            shown, lines, lambda line, text: self._font_of(line).width(text), MAX_LINE_WIDTH
        )
        characters = (encoded.character_starts[: shown.n_characters + 1], needed + GAP)
        tokens = (shown.encoded.starts, self._token_needs(shown) + GAP)
        self.row_height = self._row_height(len(lines))
        self.set_widths(byte_widths(shown.n_bytes, least, (characters, tokens)), shared_breaks(shown))

    def _token_needs(self, shown: ShownText) -> np.ndarray:
        ids = shown.encoded.ids[: shown.n_tokens]
        digits = np.floor(np.log10(np.maximum(ids, 1))).astype(np.int64) + 1
        needs = np.maximum(
            token_widths(self.chips, shown), np.ceil(digits * self.small.width("0")).astype(np.int64)
        )
        note = int(self.small.width(WIDEST_NOTE))
        return np.where(shown.encoded.is_partial[: shown.n_tokens], np.maximum(needs, note), needs)

    def _row_height(self, n_lines: int) -> int:
        above = self.mono.height + (n_lines - 1) * self.small.height + self.mono.height + 2
        bits = self.small.height if "bits" in self.options else 0
        note = self.small.height if self._has_notes else 0
        return round(above + bits + self.chips.height + self.small.height + note + 16)

    # -- painting ----------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, first: int, last: int, y: int) -> None:
        if self._shown is None:
            return
        top = self._paint_characters(painter, first, last, y + 2)
        top = self._paint_bytes(painter, first, last, top)
        self._paint_tokens(painter, first, last, top + 2)

    def _title(self, painter: QPainter, text: str, y: float, height: float) -> None:
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(self.small.font)
        rect = QRectF(2, y, self.left_margin - 8, height)
        painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._words(text))

    def _span(self, span: list[int], first: int, last: int) -> tuple[float, float]:
        """Return left edge and width of a range of bytes, as far as it lies in the row."""
        low, high = max(span[0], first), min(span[1], last)
        left = self.x_of(low, first)
        return left, self.x_of(high - 1, first) + self.width_of(high - 1) - GAP - left

    def _paint_characters(self, painter: QPainter, first: int, last: int, y: float) -> float:
        assert self._shown is not None
        encoded, lines = self._shown.encoded, character_lines(self.options)
        tops = [
            y + (self.mono.height + (n - 1) * self.small.height if n else 0) for n in range(len(lines) + 1)
        ]
        for line, top in zip(lines, tops, strict=False):
            self._title(painter, line.title, top, self._font_of(line.name).height)
        text_color, dimmed = (
            self.palette().color(role)
            for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.PlaceholderText)
        )
        for character in range(encoded.character_at(first), encoded.character_at(last - 1) + 1):
            left, width = self._span(
                encoded.character_starts[character : character + 2].tolist(), first, last
            )
            for line, top in zip(lines, tops, strict=False):
                painter.setPen(dimmed if line.name == "name" else text_color)
                font = self._font_of(line.name)
                font.draw(
                    painter, QRectF(left, top, width, font.height), line.text_of(encoded.text[character])
                )
        return tops[-1]

    def _paint_bytes(self, painter: QPainter, first: int, last: int, y: float) -> float:
        assert self._shown is not None
        utf8, data = self._shown.encoded.utf8, self.chips.colors
        outlined = outlined_bytes(self._shown.encoded, first, last, self._focus)
        self._title(painter, self.tr("UTF-8"), y, self.mono.height)
        bits_top = y + self.mono.height
        height = self.mono.height + (self.small.height if "bits" in self.options else 0)
        for i in range(first, last):
            rect = QRectF(self.x_of(i, first), y, self.width_of(i) - GAP, self.mono.height)
            painter.setPen(byte_color(utf8[i], data.lead_bits, data.continuation_bits, data.ascii_bits))
            self.mono.draw(painter, rect, HEX[utf8[i]])
            if "bits" in self.options:
                self._paint_bits(
                    painter, QRectF(rect.left(), bits_top, rect.width(), self.small.height), utf8[i]
                )
            if outlined[i - first] or (i == self.current and self.hasFocus()):
                painter.setPen(QPen(data.pin if self._is_pinned and outlined[i - first] else data.hover, 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(rect.left() - 1, y, rect.width() + 2, height))
        return y + height

    def _paint_bits(self, painter: QPainter, rect: QRectF, byte: int) -> None:
        marker, payload = bit_parts(byte)
        data, step = self.chips.colors, self.small.width("0")
        x = rect.left() + (rect.width() - 8 * step) / 2
        marker_color = byte_color(byte, data.lead_bits, data.continuation_bits, data.ascii_bits)
        for text, color in ((marker, marker_color), (payload, data.text)):
            painter.setPen(color)
            width = len(text) * step
            if text:
                self.small.draw(painter, QRectF(x, rect.top(), width + 1, rect.height()), text)
            x += width

    def _paint_tokens(self, painter: QPainter, first: int, last: int, y: float) -> None:
        assert self._shown is not None
        encoded = self._shown.encoded
        self._title(painter, self.tr("token"), y, self.chips.height)
        self._title(painter, self.tr("id"), y + self.chips.height + 1, self.small.height)
        for i in range(encoded.token_at(first), encoded.token_at(last - 1) + 1):
            left, width = self._span(encoded.starts[i : i + 2].tolist(), first, last)
            self._paint_token(painter, QRectF(left, y, width + GAP - 2, self.chips.height), i)

    def _paint_token(self, painter: QPainter, cell: QRectF, i: int) -> None:
        assert self._shown is not None
        encoded, data = self._shown.encoded, self.chips.colors
        painter.fillRect(cell, data.fill(int(self._shown.fills[i])))
        token = encoded.token_bytes(i)
        room = min(MAX_CHIP_WIDTH, int(cell.width()))
        width = self.chips.width(token, room)
        self.chips.paint(
            painter,
            QPointF(round(cell.left() + (cell.width() - width) / 2), cell.top()),
            token,
            max_width=room,
        )
        painter.fillRect(QRectF(cell.left(), cell.top(), 1.5, cell.height()), data.tick)
        id_ = int(encoded.ids[i])
        if id_ == MISSING:
            paint_hatch(painter, cell, data.hatch)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        below = QRectF(cell.left(), cell.bottom() + 1, cell.width(), self.small.height)
        self.small.draw(painter, below, "—" if id_ == MISSING else str(id_))
        if encoded.is_partial[i]:
            self.small.draw(painter, below.translated(0, self.small.height), encoded.part_note(i))

    def item_tip(self, item: int) -> str:
        return self._tip_of(item)


def byte_color(byte: int, lead: QColor, continuation: QColor, ascii_: QColor) -> QColor:
    """Return the colour of a byte's hex and marker bits: lead, continuation or ASCII."""
    return ascii_ if byte < 0x80 else continuation if byte < 0xC0 else lead
