"""Draws tokens as chips: visible label, fill, boundary tick; halves of characters as hatched hex.

Each distinct label is laid out once and kept. Labels are never HTML and always run left to right, so that a
direction mark or a right-to-left letter cannot turn its neighbours around; letters of one word still join.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QStaticText,
    QTextLayout,
    QTextOption,
    QTransform,
)

from bpe_studio.analysis.unicode_view import (
    LabelMode,
    Segment,
    SegmentKind,
    byte_hex,
    escape_for_copy,
    label,
    segments,
)
from bpe_studio.gui.data_colors import DataColors

ELLIPSIS = "…"
#: Bytes of a token that are laid out at most; no view is wide enough for more.
MAX_LABEL_BYTES = 600
MAX_CACHED = 20_000


@dataclass(frozen=True)
class Piece:
    """A laid out piece of a chip: where it stands in the chip and how it is drawn."""

    x: float
    width: float
    ascent: float
    text: QStaticText
    kind: SegmentKind


@dataclass(frozen=True)
class Chip:
    """A laid out token: its width in pixels and its pieces."""

    width: float
    pieces: tuple[Piece, ...]
    is_elided: bool


class TokenPainter:
    """Draws token chips in one font and one scheme.

    Parameters
    ----------
    font : QFont
        As from `theme.mono_font`.
    colors : DataColors
        Colours of the scheme in use.
    mode : {"text", "bytes", "gpt2"}
        How bytes become labels.
    """

    def __init__(self, font: QFont, colors: DataColors, mode: LabelMode = "text") -> None:
        self.font, self.colors, self.mode = font, colors, mode
        self.metrics = QFontMetricsF(font)
        self.padding = round(self.metrics.averageCharWidth() * 0.5)
        self.gap = max(2.0, round(self.metrics.averageCharWidth() * 0.35))
        self.height = round(self.metrics.height() + 4)
        self._chips: dict[tuple[bytes, int], Chip] = {}

    def chip(self, data: bytes, max_width: float | None = None) -> Chip:
        """Return the layout of a token, cut with an ellipsis where it is wider than ``max_width`` pixels."""
        key = (data, -1 if max_width is None else int(max_width))
        chip = self._chips.get(key)
        if chip is None:
            if len(self._chips) >= MAX_CACHED:
                self._chips.clear()
            chip = self._chips[key] = self._laid_out(data, max_width)
        return chip

    def width(self, data: bytes, max_width: float | None = None) -> float:
        """Return the width of a token's chip in pixels, without the gap behind it."""
        return self.chip(data, max_width).width

    def paint(
        self,
        painter: QPainter,
        position: QPointF,
        data: bytes,
        *,
        fill: int | None = None,
        max_width: float | None = None,
        text_color: QColor | None = None,
        tick: bool = False,
        outline: QColor | None = None,
    ) -> float:
        """Draw a chip with its top left corner at ``position``.

        Parameters
        ----------
        painter : QPainter
            Its font and pen are changed.
        position : QPointF
            Top left, in the painter's coordinates.
        data : bytes
            The token.
        fill : int or None
            Index into the cycle of fills; None draws no background.
        max_width : float or None
            Pixels at most.
        text_color : QColor or None
            For dimmed and selected rows; the scheme's text colour when None.
        tick : bool
            Draw the boundary at the left edge.
        outline : QColor or None
            Frame of what is hovered, pinned or marked.

        Returns
        -------
        float
            Width drawn, in pixels.
        """
        chip = self.chip(data, max_width)
        rect = QRectF(position.x(), position.y(), chip.width, self.height)
        if fill is not None:
            painter.fillRect(rect, self.colors.fill(fill))
        if tick:
            painter.fillRect(QRectF(rect.left(), rect.top(), 1.5, rect.height()), self.colors.tick)
        self._paint_pieces(painter, rect, chip, text_color)
        if outline is not None:
            painter.setPen(QPen(outline, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(0.75, 0.75, -0.75, -0.75))
        return chip.width

    def _paint_pieces(self, painter: QPainter, rect: QRectF, chip: Chip, text_color: QColor | None) -> None:
        baseline = rect.top() + (self.height - self.metrics.height()) / 2 + self.metrics.ascent()
        painter.setFont(self.font)
        for piece in chip.pieces:
            x = rect.left() + piece.x
            if piece.kind == "hex":
                self._paint_hatch(painter, QRectF(x - 1, rect.top() + 1, piece.width + 2, self.height - 2))
            invisible = piece.kind == "invisible" and text_color is None
            painter.setPen(self.colors.invisible_text if invisible else text_color or self.colors.text)
            painter.drawStaticText(QPointF(x, baseline - piece.ascent), piece.text)

    def _paint_hatch(self, painter: QPainter, rect: QRectF) -> None:
        color = QColor(self.colors.hatch)
        color.setAlpha(90)
        painter.fillRect(rect, QBrush(color, Qt.BrushStyle.BDiagPattern))

    def _laid_out(self, data: bytes, max_width: float | None) -> Chip:
        limit = float("inf") if max_width is None else max_width - self.padding
        shown = segments(data[:MAX_LABEL_BYTES], self.mode)
        if len(data) > MAX_LABEL_BYTES:
            shown = (*shown, Segment(ELLIPSIS, "text"))
        pieces: list[Piece] = []
        left = float(self.padding)
        for i, segment in enumerate(shown):
            x = left + (2 if i and "hex" in (segment.kind, shown[i - 1].kind) else 0)
            piece = self._piece(x, segment)
            if x + piece.width > limit:
                return self._elided(pieces, piece, limit)
            pieces.append(piece)
            left = x + piece.width
        return Chip(left + self.padding, tuple(pieces), len(data) > MAX_LABEL_BYTES)

    def _elided(self, pieces: list[Piece], overflowing: Piece, limit: float) -> Chip:
        """End a chip with an ellipsis, in the last piece that leaves room for one."""
        needed = self.metrics.horizontalAdvance(ELLIPSIS)
        while pieces and overflowing.x + needed > limit:
            overflowing = pieces.pop()
        room = max(limit - overflowing.x, needed)
        text = self.metrics.elidedText(overflowing.text.text() + ELLIPSIS, Qt.TextElideMode.ElideRight, room)
        last = self._piece(overflowing.x, Segment(text or ELLIPSIS, overflowing.kind))
        return Chip(last.x + last.width + self.padding, (*pieces, last), True)

    def _piece(self, x: float, segment: Segment) -> Piece:
        option = QTextOption()  # the direction is fixed, whatever the letters
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout = QTextLayout(segment.text, self.font)
        layout.setTextOption(option)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        width = line.horizontalAdvance()
        if segment.kind == "text" and not segment.text.isascii():
            runs = layout.glyphRuns()
            # Glyph 0 is a font's box; only 1s come from Qt's own box font, for scripts that have none.
            if any(0 in run.glyphIndexes() or set(run.glyphIndexes()) == {1} for run in runs):
                return self._piece(x, _spelled_out(segment))
            # A lone mark may be drawn behind its cell.
            behind = max((place.x() for run in runs for place in run.positions()), default=0.0)
            width += self.metrics.averageCharWidth() if behind >= width else 0
        text = QStaticText(segment.text)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setTextOption(option)
        text.prepare(QTransform(), self.font)
        # A fallback font (emoji, CJK) makes the line taller; its own ascent keeps all pieces on one baseline.
        return Piece(x, width, line.ascent(), text, segment.kind)


def _spelled_out(segment: Segment) -> Segment:
    """Return code points for letters that no installed font can draw: better than a row of equal boxes."""
    return Segment("".join(f"⟨U+{ord(char):04X}⟩" for char in segment.text), "invisible")


def fill_indices(ids: Sequence[int] | NDArray[np.integer], n_fills: int = 6) -> NDArray[np.int64]:
    """Choose a fill for each token of a row: the same token the same fill, but never that of its neighbour.

    Parameters
    ----------
    ids : sequence of int
        Token ids in the order drawn.
    n_fills : int
        Length of the cycle.

    Returns
    -------
    ndarray of int64, shape (len(ids),)
        0 … n_fills − 1, different for neighbours with different places.
    """
    fills = (np.asarray(ids, np.int64) % n_fills).tolist()  # a list: PREVIEW asks for 400,000 at once
    for i in range(1, len(fills)):
        if fills[i] == fills[i - 1]:
            fills[i] = (fills[i] + 1) % n_fills
    return np.array(fills, np.int64)


def token_tooltip(data: bytes) -> str:
    """Return a tooltip for a token: label, escaped text when it differs, bytes; safe to show as it is."""
    shown = data[:MAX_LABEL_BYTES]
    more = ELLIPSIS if len(data) > len(shown) else ""
    lines = [label(shown) + more]
    if escape_for_copy(shown) != label(shown):
        lines.append(escape_for_copy(shown) + more)
    lines.append(byte_hex(data[:64]) + (ELLIPSIS if len(data) > 64 else ""))
    return plain_tooltip("\n".join(lines))


def plain_tooltip(text: str) -> str:
    """Return ``text`` so that Qt shows exactly these characters; left alone it would read ``<b>`` as HTML."""
    return f'<p style="white-space:pre-wrap">{html.escape(text)}</p>' if text else ""


def isolate(text: str) -> str:
    """Wrap text in direction isolates, to paint it inside a sentence; never for text that can be copied."""
    return f"\u2068{text}\u2069"
