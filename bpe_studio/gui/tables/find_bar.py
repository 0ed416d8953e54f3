"""A slim bar over a table: a filter that hides rows, and a find that steps through matches."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from bpe_studio.gui.tables.array_view import ArrayTableView
from bpe_studio.gui.theme import icon


class FilterEdit(QLineEdit):
    """The filter field of a table; Esc empties it."""

    def __init__(self, view: ArrayTableView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self.setObjectName("filter")
        self.setClearButtonEnabled(True)
        self.setPlaceholderText(self.tr("Filter"))
        self.setAccessibleName(self.tr("Filter rows"))
        self.setToolTip(self.tr("Show only rows with this text, these bytes (0x6F) or number. Esc: all"))
        self.addAction(icon("filter"), QLineEdit.ActionPosition.LeadingPosition)
        self.textChanged.connect(view.table.set_query)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """The find bar of a table: hidden until asked for, closed by Esc.

    Parameters
    ----------
    view : ArrayTableView
        The table that is searched.
    parent : QWidget or None
        Parent widget.
    """

    closed = Signal()

    def __init__(self, view: ArrayTableView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self.setObjectName("find_bar")
        self.edit = QLineEdit()
        self.edit.setObjectName("find")
        self.edit.setPlaceholderText(self.tr("Find: text or 0x6F 72"))
        self.edit.setAccessibleName(self.tr("Find in the table"))
        self.edit.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.count = QLabel()
        self.count.setObjectName("find_count")
        previous = self._button("up", self.tr("Previous match (Shift+F3)"), lambda: self.find_again(-1))
        following = self._button("down", self.tr("Next match (F3)"), lambda: self.find_again(1))
        close = self._button("close", self.tr("Close (Esc)"), self.close_bar)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 6, 2)
        layout.setSpacing(4)
        layout.addWidget(self.edit, 1)
        for widget in (self.count, previous, following, close):
            layout.addWidget(widget)
        self.edit.textChanged.connect(self._text_changed)
        self.edit.returnPressed.connect(lambda: self.find_again(1))
        self.hide()

    def _button(self, name: str, text: str, verb: object) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(name))
        button.setAutoRaise(True)
        button.setToolTip(text)
        button.setAccessibleName(text)
        button.clicked.connect(verb)
        return button

    @property
    def is_seeking(self) -> bool:
        """True if there is a text to find, so that F3 is about this bar."""
        return bool(self.edit.text()) and not self.isHidden()

    def open_bar(self) -> None:
        """Show the bar and put the caret into it."""
        self.show()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def close_bar(self) -> bool:
        """Hide the bar; returns False if it was hidden already."""
        if self.isHidden():
            return False
        self.hide()
        self._view.setFocus()
        self.closed.emit()
        return True

    def find_again(self, direction: int = 1) -> bool:
        """Go to the next match (−1: the previous), around the end; returns False without one."""
        matches = self._view.table.matching_rows(self.edit.text())
        if not len(matches):
            self._show_count(0, 0)
            return False
        at = self._chosen()
        if at is None:
            at = -1 if direction > 0 else len(self._view.table.order)
        if direction > 0:
            place = int(np.searchsorted(matches, at, side="right")) % len(matches)
        else:
            place = (int(np.searchsorted(matches, at, side="left")) - 1) % len(matches)
        self._view.go_to_row(int(matches[place]))
        self._show_count(place + 1, len(matches))
        return True

    def _text_changed(self, text: str) -> None:
        matches = self._view.table.matching_rows(text)
        chosen = self._chosen()
        if not len(matches):
            self._show_count(0, 0)
        elif chosen is None or chosen not in matches:
            self.find_again(1)
        else:
            self._show_count(int(np.searchsorted(matches, chosen)) + 1, len(matches))

    def _chosen(self) -> int | None:
        """Return the row, as shown, where the search goes on."""
        row = self._view.chosen_row()
        return None if row is None else self._view.table.view_row(row)

    def _show_count(self, place: int, n_matches: int) -> None:
        if not self.edit.text():
            self.count.clear()
        elif n_matches:
            self.count.setText(self.tr("{0} of {1}").format(f"{place:,}", f"{n_matches:,}"))
        else:
            self.count.setText(self.tr("no match"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)
