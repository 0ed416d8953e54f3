"""PREVIEW's editor: the text itself, laid out whole, with its tokens as coloured ranges.

Shaping, right-to-left runs and combining marks stay intact; a boundary that a reader's character hides
is a tick on the rail only. Only what is in sight is coloured. Qt's documents cannot hold a carriage
return or U+2029 as a letter, so stand-ins keep the text exact to the byte.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QBrush,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QApplication, QTextEdit, QWidget

from bpe_studio.gui.exact_editor import ExactEditor
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.preview_marks import (
    MAX_SHOWN,
    ShownText,
    cut_characters,
    outlined_tokens,
    whole_characters,
)
from bpe_studio.gui.preview_overlay import (
    paint_stand_ins,
    paint_ticks,
    paint_underline,
    place_of,
    token_units,
)
from bpe_studio.gui.theme import colors, mono_font
from bpe_studio.gui.token_rail import faint

MAX_TOKENS_IN_SIGHT = 6000


class PreviewEditor(ExactEditor):
    """The text with its tokens in colour.

    Signals
    -------
    byte_pointed(int)
        The byte under the mouse (−1: none).
    byte_chosen(int)
        The caret was placed by a click on this byte.
    """

    byte_pointed = Signal(int)
    byte_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preview_editor")
        self.setAccessibleName(self.tr("Text to tokenize"))
        self.setPlaceholderText(self.tr("Type or paste a text to see its tokens."))
        self.setTabChangesFocus(True)
        self.setMouseTracking(True)
        self._shown: ShownText | None = None
        self._focus: Focus | None = None
        self._is_pinned = False
        self._colour_soon = QTimer(self, singleShot=True, interval=0)
        self._colour_soon.timeout.connect(self.colour_tokens)
        self.updateRequest.connect(self._on_update_request)
        self._set_font()

    def _set_font(self) -> None:
        self.setFont(mono_font(max(QApplication.font().pointSizeF() * 1.1, 6.0)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour_soon.start()
        elif event.type() == QEvent.Type.ApplicationFontChange:
            self._set_font()

    def set_text(self, text: str) -> None:
        """Show another text without telling `text_changed`; its tokens are not known yet."""
        self._shown = None
        self.setExtraSelections([])
        super().set_text(text)

    # -- colours -----------------------------------------------------------------------------------

    def set_shown(self, shown: ShownText | None) -> None:
        """Colour the tokens of the text; `shown` must be of the text in the editor."""
        self._shown = shown
        self._colour_soon.start()

    def set_focus(self, focus: Focus | None, is_pinned: bool) -> None:
        """Outline what is hovered or pinned."""
        self._focus, self._is_pinned = focus, is_pinned
        self.viewport().update()

    def _on_update_request(self, rect: object, dy: int) -> None:
        if dy and self._shown is not None:
            self._colour_soon.start()

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._colour_soon.start()

    def positions_in_sight(self) -> tuple[int, int]:
        """Return the first and last position in sight, in UTF-16 units."""
        # In a right-to-left line the right corner is the line's beginning, so whole lines are taken.
        view = self.viewport().rect()
        first = min(self._line_at(corner)[0] for corner in (view.topLeft(), view.topRight()))
        last = max(self._line_at(corner)[1] for corner in (view.bottomLeft(), view.bottomRight()))
        return first, last

    def _line_at(self, point: QPoint) -> tuple[int, int]:
        """Return the first position of the line at a point, and the one after its end."""
        cursor = self.cursorForPosition(point)
        line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
        start = cursor.block().position() + (line.textStart() if line.isValid() else 0)
        return start, start + (line.textLength() if line.isValid() else 0) + 1

    def tokens_in_sight(self) -> tuple[int, int]:
        """Return the tokens of which something may be in sight, first and one past the last."""
        shown = self._shown
        if shown is None or not shown.n_tokens:
            return 0, 0
        low, high = self.positions_in_sight()
        starts = shown.encoded.utf16_starts
        characters = np.searchsorted(starts, (low, high), side="right") - 1
        characters = np.clip(characters, 0, shown.n_characters)
        first, end = shown.encoded.character_starts[characters]
        tokens = np.searchsorted(shown.encoded.starts, (int(first), int(end)), side="right")
        return max(int(tokens[0]) - 1, 0), min(
            int(tokens[1]) + 1, shown.n_tokens, int(tokens[0]) + MAX_TOKENS_IN_SIGHT
        )

    def colour_tokens(self) -> None:
        """Colour the tokens in sight; a character cut by a token boundary is hatched."""
        shown = self._shown
        if shown is None:
            self.setExtraSelections([])
            return
        first, last = self.tokens_in_sight()
        data, end = colors(self), shown.n_characters
        ranges = whole_characters(shown.encoded, first, last)
        selections = [
            self._selection(low, min(high, end), QBrush(data.fill(int(shown.fills[first + i]))))
            for i, (low, high) in enumerate(ranges)
            if low < min(high, end)
        ]
        hatch = QBrush(faint(data.hatch), Qt.BrushStyle.BDiagPattern)
        cut = [character for character in cut_characters(shown.encoded, first, last) if character < end]
        selections += [self._selection(character, character + 1, hatch) for character in cut]
        self.setExtraSelections(selections)
        self.viewport().update()

    def _selection(self, low: int, high: int, brush: QBrush) -> QTextEdit.ExtraSelection:
        assert self._shown is not None
        starts = self._shown.encoded.utf16_starts
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        cursor.setPosition(int(starts[low]))
        cursor.setPosition(int(starts[high]), QTextCursor.MoveMode.KeepAnchor)
        text_format = QTextCharFormat()
        text_format.setBackground(brush)
        selection.cursor, selection.format = cursor, text_format  # type: ignore[attr-defined]
        return selection

    # -- over the text -----------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        low, high = self.positions_in_sight()
        if "\r" in self._text or "\u2029" in self._text:
            paint_stand_ins(self, painter, low, high)
        # Right after a keystroke the tokens are still those of the text before it.
        if self._shown is not None and self._shown.n_characters == min(len(self._text), MAX_SHOWN):
            self._paint_marks(painter)
        painter.end()

    def _paint_marks(self, painter: QPainter) -> None:
        shown = self._shown
        assert shown is not None
        first, last = self.tokens_in_sight()
        pen = colors(self).pin if self._is_pinned else colors(self).hover
        paint_ticks(self, painter, shown, first, last)
        outlined = outlined_tokens(shown.encoded, first, last, self._focus)
        for i in outlined.nonzero()[0].tolist():
            paint_underline(self, painter, *token_units(shown, first + i), pen)

    def block_top_left(self, block: QTextBlock) -> QPointF:
        """Return where a block's layout stands in the viewport."""
        return self.blockBoundingGeometry(block).translated(self.contentOffset()).topLeft()

    # -- mouse -------------------------------------------------------------------------------------

    def byte_at(self, point: QPoint) -> int:
        """Return the byte of the character under a point of the viewport, or −1."""
        shown = self._shown
        if shown is None or not shown.n_characters:
            return -1
        position = self.cursorForPosition(point).position()
        place = place_of(self, position)
        if place is not None and place.left() > point.x():
            position -= 1
        character = int(np.searchsorted(shown.encoded.utf16_starts, position, side="right")) - 1
        if not 0 <= character < shown.n_characters or not self._is_near(point, position):
            return -1
        return int(shown.encoded.character_starts[character])

    def _is_near(self, point: QPoint, position: int) -> bool:
        place = place_of(self, position)
        return place is None or abs(point.y() - place.center().y()) <= place.height()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.byte_pointed.emit(self.byte_at(event.position().toPoint()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.byte_chosen.emit(self.byte_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.byte_pointed.emit(-1)
