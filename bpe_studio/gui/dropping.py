"""Files dropped on a text field are for the window: the field would take their addresses as text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractScrollArea, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class FileDropFilter(QObject):
    """Passes files on to the widgets behind; text is dropped into the field as usual."""

    def watch(self, window: QWidget) -> None:
        """Watch all text fields of a window."""
        for kind in (QLineEdit, QPlainTextEdit, QTextEdit):
            for field in window.findChildren(kind):
                target = field.viewport() if isinstance(field, QAbstractScrollArea) else field
                target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in DRAGS and event.mimeData().hasUrls():
            event.ignore()
            return True
        return False
