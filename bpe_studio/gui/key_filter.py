"""Bare keys (→, Space, T …) are window shortcuts; here the focused widget gets back those that it needs.

Without this a text field would lose Esc and PgDn to the window, and Space would press no button.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QTabBar,
    QTextEdit,
    QTreeView,
    QWidget,
)

Key = Qt.Key
NAVIGATION = frozenset(
    {
        Key.Key_Left,
        Key.Key_Right,
        Key.Key_Up,
        Key.Key_Down,
        Key.Key_Home,
        Key.Key_End,
        Key.Key_PageUp,
        Key.Key_PageDown,
    }
)
PAGES = frozenset({Key.Key_Home, Key.Key_End, Key.Key_PageUp, Key.Key_PageDown})
F_KEYS = range(Key.Key_F1.value, Key.Key_F35.value + 1)
CHOOSING = frozenset({Key.Key_Return, Key.Key_Enter, Key.Key_F4})
"""Keys that an open list of choices takes as `ShortcutOverride`: kept from it, Enter would choose nothing."""
BARE_MODIFIERS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
KEEPS_NAVIGATION = "keeps_navigation"
"""Dynamic property of rails: a widget that has it keeps its navigation keys."""


def _keeps_text(key: int) -> bool:
    return key not in F_KEYS


def _keeps(keys: Iterable[Qt.Key]) -> Callable[[int], bool]:
    values = frozenset(key.value for key in keys)
    return values.__contains__


# First match counts: a tree is an item view too, a radio button is a button too.
KEPT_KEYS: tuple[tuple[tuple[type[QWidget], ...], Callable[[int], bool]], ...] = (
    ((QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox), _keeps_text),
    ((QComboBox,), _keeps(NAVIGATION | {Key.Key_Space})),
    ((QRadioButton,), _keeps(NAVIGATION | {Key.Key_Space})),
    ((QAbstractButton,), _keeps({Key.Key_Space})),
    ((QTabBar, QTreeView, QAbstractSlider), _keeps(NAVIGATION)),
    ((QAbstractItemView,), _keeps(PAGES)),
)


def keeps_key(widget: QWidget, key: int, modifiers: Qt.KeyboardModifier) -> bool:
    """True if the focused `widget` needs this key itself; keys with Ctrl, Alt or ⌘ are never asked about."""
    if modifiers & ~BARE_MODIFIERS:
        return False
    if QApplication.activePopupWidget() is not None:
        return key not in CHOOSING
    if widget.property(KEEPS_NAVIGATION):
        return key in NAVIGATION
    for classes, keeps in KEPT_KEYS:
        if isinstance(widget, classes):
            return keeps(key)
    return False


class KeyFilter(QObject):
    """The application's event filter: accepts `ShortcutOverride` for the keys of the second table."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(watched, QWidget):
            return False
        assert isinstance(event, QKeyEvent)
        if not keeps_key(watched, event.key(), event.modifiers()):
            return False
        event.accept()
        return True
