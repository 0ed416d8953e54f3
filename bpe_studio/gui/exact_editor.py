"""An editor whose text is exact to the character, and that stays quick with any text.

Qt's editor takes 0.2 s a keystroke in a line of a megabyte, so a long text is shown in part, read-only.
"""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QKeySequence, QTextOption
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from bpe_studio.gui.exact_text import (
    can_be_held,
    code_points_before,
    for_qt,
    from_document,
    selected_text,
    to_document,
    without_stand_ins,
)
from bpe_studio.gui.preview_marks import MAX_SHOWN

MAX_WORD = 2000


class ExactEditor(QPlainTextEdit):
    """Editor of a text of at most `MAX_SHOWN` code points; a longer one is shown in part, read-only.

    Signals
    -------
    text_changed(object)
        The user changed the text; the whole text, exactly.
    """

    text_changed = Signal(object)  # not str: a QString would lose a leading U+FEFF

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._is_setting = False
        self.textChanged.connect(self._on_text_changed)

    @property
    def text(self) -> str:
        """The whole text, exact to the character."""
        return self._text

    @property
    def is_shortened(self) -> bool:
        """Whether only the beginning of the text is laid out, so that it cannot be edited."""
        return self.isReadOnly()

    def set_text(self, text: str) -> None:
        """Show another text without telling `text_changed`."""
        self._text = text
        part = text[:MAX_SHOWN]
        held_exactly = len(part) == len(text) and can_be_held(part)
        self._is_setting = True
        # Breaking a long word at word boundaries makes Qt search the whole of it for each line.
        anywhere = _longest_word(part) > MAX_WORD
        self.setWordWrapMode(
            QTextOption.WrapMode.WrapAnywhere
            if anywhere
            else QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
        )
        self.setPlainText(to_document(part))
        self.setReadOnly(not held_exactly)
        # A read-only text keeps its caret, for the keyboard and for copying.
        self.setTextInteractionFlags(
            self.textInteractionFlags() | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._is_setting = False

    def take(self, text: str) -> None:
        """Show another text as if the user had typed it."""
        self.set_text(text)
        self.text_changed.emit(text)

    def edit_beginning(self) -> None:
        """Drop what is not shown, so that the rest can be edited."""
        self.take(without_stand_ins(self._text[:MAX_SHOWN]))

    def _on_text_changed(self) -> None:
        if self._is_setting:
            return
        self._text = from_document(self.document())
        if len(self._text) > MAX_SHOWN:
            self.set_text(self._text)
        self.text_changed.emit(self._text)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Leave dropped files to the window, which opens them; here they would be pasted as paths."""
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text, never formats; a long one replaces the editor's contents by a read-only beginning."""
        if not source.hasText():
            return
        pasted, cursor = source.text(), self.textCursor()
        if self.isReadOnly():
            self.take(pasted)
        elif len(pasted) + len(self._text) > MAX_SHOWN or not can_be_held(pasted):
            places = cursor.selectionStart(), cursor.selectionEnd()
            start, end = (code_points_before(self.document(), place) for place in places)
            self.take(self._text[:start] + pasted + self._text[end:])
        else:
            cursor.insertText(to_document(pasted))
            self.ensureCursorVisible()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the exact text: line ends as they are, a U+2028 as itself."""
        data = QMimeData()
        data.setText(for_qt(selected_text(self.textCursor())))
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # A shortened text is read-only, but a new text may take its place, and it may be cleared.
        if self.isReadOnly() and event.matches(QKeySequence.StandardKey.Paste):
            self.insertFromMimeData(QApplication.clipboard().mimeData())
        elif (
            self.isReadOnly()
            and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
            and self._all_selected()
        ):
            self.take("")
        else:
            super().keyPressEvent(event)

    def _all_selected(self) -> bool:
        cursor = self.textCursor()
        return cursor.selectionEnd() - cursor.selectionStart() >= self.document().characterCount() - 1

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        if not self.isReadOnly():
            super().inputMethodEvent(event)


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)
