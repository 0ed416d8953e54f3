"""The effect of a split pattern as chips: one a pre-token, with the number of the alternative below."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from bpe_studio.analysis.pattern_effect import Cut, PatternEffect
from bpe_studio.analysis.unicode_view import escape_for_copy
from bpe_studio.gui.flow_view import FlowView
from bpe_studio.gui.label_cache import LabelCache
from bpe_studio.gui.theme import colors, mono_font
from bpe_studio.gui.token_painter import TokenPainter
from bpe_studio.gui.token_rail import paint_hatch


class CutsView(FlowView):
    """Pre-tokens of a piece of the corpus, coloured by alternative; uncovered ones are hatched."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("cuts")
        self.setAccessibleName(self.tr("Cuts of the split pattern"))
        self.effect = PatternEffect()
        self._make_painters()

    def _make_painters(self) -> None:
        size = max(self.font().pointSizeF(), 6.0)
        self.chips = TokenPainter(mono_font(size * 0.95), colors(self))
        self.small = LabelCache(mono_font(size * 0.75))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._make_painters()
            self.set_effect(self.effect)

    def set_effect(self, effect: PatternEffect) -> None:
        """Show the cuts of another pattern or piece."""
        self.effect = effect
        self.row_height = round(self.chips.height + (self.small.height if self._has_numbers else 0) + 4)
        room = max(self.viewport().width() - 2 * self.left_margin, 60)
        widths = [int(np.ceil(self.chips.width(cut.text.encode(), room))) for cut in effect.cuts]
        self.set_widths(np.array(widths, np.int64) + int(np.ceil(self.chips.gap)))

    @property
    def _has_numbers(self) -> bool:
        return len(self.effect.alternatives) > 1

    def paint_row(self, painter: QPainter, first: int, last: int, y: int) -> None:
        for i in range(first, last):
            self._paint_cut(painter, self.effect.cuts[i], i, self.x_of(i, first), y, self.width_of(i))

    def _paint_cut(self, painter: QPainter, cut: Cut, i: int, x: int, y: int, width: int) -> None:
        cell = QRectF(x, y, width - self.chips.gap, self.chips.height)
        fill = cut.alternative if cut.alternative is not None else None
        if not self._has_numbers and cut.is_covered:
            fill = i % 2
        self.chips.paint(painter, QPointF(x, y), cut.text.encode(), fill=fill, max_width=cell.width() + 1)
        painter.fillRect(QRectF(cell.left(), y, 1.5, cell.height()), self.chips.colors.tick)
        if not cut.is_covered:
            paint_hatch(painter, cell, self.chips.colors.hatch)
        if self._has_numbers:
            painter.setPen(self.palette().placeholderText().color())
            number = "" if cut.alternative is None else str(cut.alternative + 1)
            self.small.draw(painter, QRectF(x, cell.bottom(), cell.width(), self.small.height), number)

    def item_tip(self, item: int) -> str:
        cut = self.effect.cuts[item]
        if not cut.is_covered:
            why = self.tr("no match covers it: it is a pre-token of its own")
        elif cut.alternative is None:
            why = self.tr("a match")
        else:
            n, named = cut.alternative, self.effect.alternatives
            why = self.tr("alternative {n} of {all}: {text}").format(n=n + 1, all=len(named), text=named[n])
        return f"{escape_for_copy(cut.text.encode())}\n{why}"
