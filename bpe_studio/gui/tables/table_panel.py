"""What panels around one table share: heading, filter, find bar, a sentence in place of an empty table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from bpe_studio.analysis.unicode_view import LabelMode
from bpe_studio.gui.tables.array_view import ArrayTableView
from bpe_studio.gui.tables.delegates import CellDelegate
from bpe_studio.gui.tables.find_bar import FilterEdit, FindBar


class TablePanel(QWidget):
    """A panel with one table.

    Parameters
    ----------
    controller : Controller
        Its signals are listened to, its verbs are called.
    view : ArrayTableView
        The table.
    parent : QWidget or None
        Parent widget.
    """

    def __init__(self, controller: Any, view: ArrayTableView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self.view = view
        view.table.setParent(self)
        self.setFocusProxy(view)
        self.heading = QLabel()
        self.heading.setObjectName("heading")
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.filter = FilterEdit(view)
        self.find_bar = FindBar(view)
        self.note = QLabel()
        self.note.setObjectName("note")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setContentsMargins(8, 2, 8, 2)
        self.note.hide()
        self.placeholder = self._placeholder()
        self._lay_out()

    def _placeholder(self) -> QLabel:
        label = QLabel()
        label.setObjectName("placeholder")
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setWordWrap(True)
        label.setMargin(16)
        return label

    def _lay_out(self) -> None:
        self.header = QHBoxLayout()
        self.header.setContentsMargins(8, 3, 6, 3)
        self.header.setSpacing(8)
        self.header.addWidget(self.heading, 1)
        self.filter.setMinimumWidth(90)
        self.filter.setMaximumWidth(220)
        self.header.addWidget(self.filter)
        self.stack = QStackedLayout()
        self.stack.addWidget(self.view)
        self.stack.addWidget(self.placeholder)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self.header)
        layout.addWidget(self.find_bar)
        layout.addLayout(self.stack, 1)
        layout.addWidget(self.note)

    def set_title(self, title: str) -> None:
        """Name the panel, for its dock and for screen readers."""
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.view.setAccessibleName(title)

    def show_placeholder(self, text: str) -> None:
        """Show a sentence in place of the table; an empty one brings the table back."""
        self.placeholder.setText(text)
        self.stack.setCurrentWidget(self.placeholder if text else self.view)
        self.filter.setEnabled(not text)

    def show_note(self, text: str) -> None:
        """Show a line below the table; an empty one hides it."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def set_label_mode(self, mode: LabelMode) -> None:
        """Show tokens as text, as bytes or in GPT-2's letters."""
        for i in range(len(self.view.table.columns)):
            delegate = self.view.itemDelegateForColumn(i)
            if isinstance(delegate, CellDelegate):
                delegate.mode = mode
        self.view.viewport().update()

    # --- Find, called by the window's actions ----------------------------------------------------

    def open_find(self) -> None:
        """Open the find bar (Ctrl+F in this panel)."""
        self.find_bar.open_bar()

    def find_again(self, direction: int = 1) -> bool:
        """Go to the next (1) or previous (−1) match; returns False without a find text or match."""
        return self.find_bar.find_again(direction)

    def close_find(self) -> bool:
        """Close the find bar (first meaning of Esc); returns False if it was closed."""
        return self.find_bar.close_bar()
