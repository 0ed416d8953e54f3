"""Delegates: how a table's cells are painted. Backgrounds and text colours follow the row's state."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from bpe_studio.analysis.unicode_view import LabelMode
from bpe_studio.gui.tables.columns import Index, Role, RowState
from bpe_studio.gui.theme import colors, mono_font
from bpe_studio.gui.token_painter import TokenPainter

PLUS = " + "
SIDE = 3


class CellDelegate(QStyledItemDelegate):
    """Paints plain text and numbers; the base of the others.

    Attributes
    ----------
    mode : {"text", "bytes", "gpt2"}
        How tokens are labelled.
    """

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self.mode: LabelMode = "text"
        self._painters: dict[tuple[object, ...], TokenPainter] = {}

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        # The row is selected, not the cell: a frame around one cell of it would say something else.
        option.state &= ~QStyle.StateFlag.State_HasFocus
        color = self.text_color(option, index)
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
            option.palette.setColor(role, color)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.paint_row_state(painter, option, index)
        super().paint(painter, option, index)

    def text_color(self, option: QStyleOptionViewItem, index: Index) -> QColor:
        """Return the colour of a cell's text: dimmed where the row is not in effect."""
        data_colors = colors(option.palette)
        state = index.data(Role.STATE)
        if state in (RowState.DIMMED, RowState.NEXT) or getattr(self.parent(), "is_dimmed", False):
            is_selected = option.state & QStyle.StateFlag.State_Selected
            # On the selection's colour the dimmed text would be too faint.
            return option.palette.placeholderText().color() if is_selected else data_colors.dimmed_text
        return data_colors.text

    def paint_row_state(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw what stands behind a cell because of its row."""
        data_colors = colors(option.palette)
        backgrounds = {
            RowState.LAST: data_colors.last_row,
            RowState.NEXT: data_colors.next_row,
            RowState.TIED: data_colors.tie_background,
        }
        color = backgrounds.get(index.data(Role.STATE))
        if color is not None:
            painter.fillRect(option.rect, color)

    def paint_background(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw everything of a cell but its text, for delegates that draw the text themselves."""
        self.paint_row_state(painter, option, index)
        bare = QStyleOptionViewItem(option)
        bare.text = ""
        if index.row() % 2 and index.data(Role.STATE) in (RowState.PLAIN, RowState.DIMMED):
            bare.features |= QStyleOptionViewItem.ViewItemFeature.Alternate
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, bare, painter, option.widget)

    def token_painter(self, option: QStyleOptionViewItem) -> TokenPainter:
        """Return the painter for the cell's font and scheme, kept for the next cell."""
        data_colors = colors(option.palette)
        key = (option.font.pointSizeF(), data_colors.is_dark, self.mode)
        if key not in self._painters:
            self._painters.clear()
            self._painters[key] = TokenPainter(mono_font(option.font.pointSizeF()), data_colors, self.mode)
        return self._painters[key]


class RankDelegate(CellDelegate):
    """Paints a rank, and at its left whether the merge is the last one made or the next."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        words = {RowState.LAST: self.tr("last"), RowState.NEXT: self.tr("next")}
        word = words.get(index.data(Role.STATE))
        if word is None:
            return
        data_colors = colors(option.palette)
        painter.save()
        font = option.font
        font.setPointSizeF(max(font.pointSizeF() * 0.85, 6))
        painter.setFont(font)
        painter.setPen(data_colors.link if index.data(Role.STATE) == RowState.LAST else data_colors.tie_text)
        rect = option.rect.adjusted(SIDE * 2, 0, 0, 0)
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, word)
        painter.restore()


class TokenDelegate(CellDelegate):
    """Paints one token's label, or one text, in the tokens' font."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        painter.save()
        painter.setClipRect(option.rect)
        self.paint_background(painter, option, index)
        self.paint_tokens(painter, option, index)
        painter.restore()

    def paint_tokens(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the cell's tokens."""
        data = index.data(Role.TOKEN)
        if not isinstance(data, bytes):
            return
        tokens = self.token_painter(option)
        self.paint_token(painter, option, tokens, data, option.rect.left() + SIDE, option.rect.right() - SIDE)

    def paint_token(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        tokens: TokenPainter,
        data: bytes,
        left: float,
        right: float,
    ) -> float:
        """Draw a token without a fill between two x; returns where it ends."""
        top = option.rect.center().y() - tokens.height / 2 + 0.5
        color = option.palette.color(QPalette.ColorRole.Text)
        # Names of invisible characters keep their own colour only where the text has its usual one.
        usual = color == tokens.colors.text
        width = tokens.paint(painter, QPointF(left, top), data, max_width=max(right - left, 0),
                             text_color=None if usual else color)  # fmt: skip
        return left + width


class HexDelegate(TokenDelegate):
    """Paints bytes in hex, elided at the right, in the tokens' font."""

    def paint_tokens(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = self.token_painter(option)
        rect = QRectF(option.rect).adjusted(SIDE + tokens.padding, 0, -SIDE, 0)
        painter.setFont(tokens.font)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        shown = tokens.metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class PairDelegate(TokenDelegate):
    """Paints a pair as ``a + b``."""

    def paint_tokens(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        pair = index.data(Role.TOKEN)
        if not isinstance(pair, tuple):
            return
        tokens = self.token_painter(option)
        left, right = option.rect.left() + SIDE, option.rect.right() - SIDE
        plus = tokens.metrics.horizontalAdvance(PLUS)
        # The first part may take what the second does not need, and never less than half.
        room = right - left - plus
        first = max(room - tokens.width(pair[1]), room / 2)
        x = self.paint_token(painter, option, tokens, pair[0], left, left + first)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.setFont(tokens.font)
        baseline = option.rect.center().y() - tokens.metrics.height() / 2 + tokens.metrics.ascent() + 0.5
        painter.drawText(QPointF(x, baseline), PLUS)
        self.paint_token(painter, option, tokens, pair[1], x + plus, right)


class CandidateDelegate(PairDelegate):
    """Paints a pair of the candidates: bracket around the tie group, star of the winner, then the pair."""

    def paint_tokens(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        data_colors = colors(option.palette)
        if index.data(Role.STATE) == RowState.TIED:
            self._paint_bracket(painter, option, index)
        sign = index.data(Role.MARK)
        rect = QRectF(option.rect)
        slot = option.fontMetrics.horizontalAdvance("★") + 10
        if sign:
            painter.setFont(option.font)
            painter.setPen(data_colors.winner)
            place = QRectF(rect.left() + 6, rect.top(), slot - 6, rect.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, sign)
        option.rect.setLeft(option.rect.left() + slot)
        super().paint_tokens(painter, option, index)

    def _paint_bracket(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line, rect = colors(option.palette).tie_line, option.rect
        siblings = (index.sibling(index.row() + step, index.column()) for step in (-1, 1))
        above, below = (sibling.data(Role.STATE) for sibling in siblings)
        top = rect.top() + (3 if above != RowState.TIED else 0)
        bottom = rect.bottom() + 1 - (3 if below != RowState.TIED else 0)
        painter.fillRect(rect.left() + 2, top, 2, bottom - top, line)
        if above != RowState.TIED:
            painter.fillRect(rect.left() + 2, top, 6, 2, line)
        if below != RowState.TIED:
            painter.fillRect(rect.left() + 2, bottom - 2, 6, 2, line)


DELEGATES: dict[str, type[CellDelegate]] = {
    "number": CellDelegate,
    "rank": RankDelegate,
    "sign": CellDelegate,
    "text": CellDelegate,
    "token": TokenDelegate,
    "hex": HexDelegate,
    "pair": PairDelegate,
    "candidate": CandidateDelegate,
}


def delegate_for(kind: str, view: QTableView) -> CellDelegate:
    """Return the delegate for a kind of column; a view may set another one for a kind of its own."""
    return DELEGATES.get(kind, CellDelegate)(view)
