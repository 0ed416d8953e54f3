"""What is painted over PREVIEW's text: boundary ticks, outlines, names of letters without a glyph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QTextBlock, QTextLine

from bpe_studio.gui.exact_text import STAND_IN_LABELS
from bpe_studio.gui.preview_marks import ShownText
from bpe_studio.gui.theme import colors

if TYPE_CHECKING:
    from bpe_studio.gui.preview_editor import PreviewEditor


def place_of(editor: PreviewEditor, position: int) -> QRectF | None:
    """Return where the caret would stand at a position, or None inside a reader's character."""
    block = editor.document().findBlock(position)
    layout, at = block.layout(), position - block.position()
    if not block.isValid() or not layout.isValidCursorPosition(at):
        return None
    line = layout.lineForTextPosition(at)
    if not line.isValid():
        return None
    top = editor.block_top_left(block)
    return QRectF(top.x() + _x(line, at), top.y() + line.y(), 1, line.height())


def paint_ticks(editor: PreviewEditor, painter: QPainter, shown: ShownText, first: int, last: int) -> None:
    """Paint a tick where each of some tokens begins, unless that is inside a reader's character."""
    encoded, color = shown.encoded, colors(editor).tick
    for byte in encoded.starts[max(first, 1) : last].tolist():
        character = encoded.character_at(byte)
        if encoded.character_starts[character] != byte:
            continue
        place = place_of(editor, int(encoded.utf16_starts[character]))
        if place is not None:
            painter.fillRect(QRectF(place.left() - 0.5, place.top() + 1, 1.2, place.height() - 2), color)


def token_units(shown: ShownText, i: int) -> tuple[int, int]:
    """Return the range, in UTF-16 units, of the characters that a token touches."""
    encoded = shown.encoded
    first = encoded.character_at(int(encoded.starts[i]))
    last = encoded.character_at(int(encoded.starts[i + 1]) - 1) + 1
    return int(encoded.utf16_starts[first]), int(encoded.utf16_starts[min(last, shown.n_characters)])


def paint_underline(editor: PreviewEditor, painter: QPainter, start: int, end: int, color: QColor) -> None:
    """Underline a range line by line; in right-to-left runs the ends trade places."""
    block = editor.document().findBlock(start)
    while block.isValid() and block.position() < end:
        offset = editor.block_top_left(block)
        for n in range(block.layout().lineCount()):
            line = block.layout().lineAt(n)
            low = max(start - block.position(), line.textStart())
            high = min(end - block.position(), line.textStart() + line.textLength())
            if low < high:
                left, right = sorted((_x(line, low), _x(line, high)))
                bottom = offset.y() + line.y() + line.height()
                painter.fillRect(QRectF(offset.x() + left, bottom - 2.5, max(right - left, 3), 2.5), color)
        block = block.next()


def paint_stand_ins(editor: PreviewEditor, painter: QPainter, low: int, high: int) -> None:
    """Write CR or PS over the stand-ins between two positions."""
    block = editor.document().findBlock(low)
    while block.isValid() and block.position() < high:
        units = 0
        for char in block.text():
            if char in STAND_IN_LABELS:
                _paint_stand_in(editor, painter, block, units, STAND_IN_LABELS[char])
            units += 1 + (char > "\uffff")
        block = block.next()


def _paint_stand_in(editor: PreviewEditor, painter: QPainter, block: QTextBlock, at: int, label: str) -> None:
    places = (place_of(editor, block.position() + at + i) for i in (0, 1))
    left, right = places
    if left is None or right is None or right.top() != left.top():
        return
    x, width = min(left.left(), right.left()), abs(right.left() - left.left())
    cell = QRectF(x, left.top(), width, left.height())
    painter.fillRect(cell.adjusted(0, 1, 0, -1), editor.palette().base())
    font = QFont(editor.font())
    font.setPointSizeF(max(font.pointSizeF() * 0.6, 4))
    painter.setFont(font)
    painter.setPen(colors(editor).invisible_text)
    painter.drawText(cell.adjusted(-4, 0, 4, 0), Qt.AlignmentFlag.AlignCenter, label)


def _x(line: QTextLine, at: int) -> float:
    x = line.cursorToX(at)
    return float(x[0] if isinstance(x, tuple) else x)
