"""Every action of the window in one table: its menu, keys, icon, help text and the verb it calls.

The table makes the menus, the F1 page and the tests. Bare keys (→, Space, T …) are ordinary window
shortcuts; `KeyFilter` gives them back to the focused widget where that widget needs them, from the
second table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QRadioButton,
    QTabBar,
    QTextEdit,
    QTreeView,
    QWidget,
)

CONTEXT = "actions"


@dataclass(frozen=True)
class ActionSpec:
    """One action: `verb` is a dotted path from the window (``controller.step``), called with `arguments`."""

    name: str
    menu: str
    text: str
    verb: str
    keys: tuple[str, ...] = ()
    arguments: tuple[Any, ...] = ()
    icon: str = ""
    repeats: bool = False
    tip: str = ""


def _spec(
    name: str, menu: str, text: str, verb: str, keys: str = "", *arguments: Any, **more: Any
) -> ActionSpec:
    """A record of the table; keys are separated by blanks."""
    return ActionSpec(name, menu, text, verb, tuple(keys.split()), arguments, **more)


MENUS: tuple[tuple[str, str], ...] = (
    ("file", QT_TRANSLATE_NOOP("actions", "&File")),
    ("edit", QT_TRANSLATE_NOOP("actions", "&Edit")),
    ("corpus", QT_TRANSLATE_NOOP("actions", "&Corpus")),
    ("training", QT_TRANSLATE_NOOP("actions", "&Training")),
    ("view", QT_TRANSLATE_NOOP("actions", "&View")),
    ("help", QT_TRANSLATE_NOOP("actions", "&Help")),
)

T = QT_TRANSLATE_NOOP

ACTIONS: tuple[ActionSpec, ...] = (
    _spec("open", "file", T("actions", "&Open tokenizer or text…"), "files.ask_open", "Ctrl+O"),
    _spec("save", "file", T("actions", "&Save tokenizer…"), "files.ask_save", "Ctrl+S"),
    _spec("export", "file", T("actions", "&Export…"), "files.ask_export", "Ctrl+E"),
    _spec("quit", "file", T("actions", "&Quit"), "close", "Ctrl+Q"),
    _spec("go-to", "edit", T("actions", "&Go to…"), "bar.edit_position", "Ctrl+L"),
    _spec("find", "edit", T("actions", "&Find in the focused panel"), "find", "Ctrl+F"),
    _spec("find-next", "edit", T("actions", "Find &next"), "find_again", "F3", 1),
    _spec("find-previous", "edit", T("actions", "Find &previous"), "find_again", "Shift+F3", -1),
    _spec("escape", "edit", T("actions", "&Close find, free the pin, pause"), "escape", "Esc"),
    _spec("add-files", "corpus", T("actions", "Add &files…"), "files.ask_documents", "Ctrl+Shift+O"),
    _spec("add-folder", "corpus", T("actions", "Add f&older…"), "files.ask_folder"),
    _spec(
        "paste-document",
        "corpus",
        T("actions", "&Paste text as a document"),
        "files.paste_document",
        "Ctrl+Shift+V",
    ),
    _spec("clear-corpus", "corpus", T("actions", "&Remove all documents"), "controller.clear_corpus"),
    _spec(
        "step", "training", T("actions", "&Step"), "controller.step", "Right F7", icon="forward", repeats=True
    ),
    _spec(
        "back",
        "training",
        T("actions", "Step &back"),
        "controller.step_back",
        "Left Shift+F7",
        icon="back",
        repeats=True,
    ),
    _spec(
        "step-10", "training", T("actions", "10 steps"), "controller.step", "Shift+Right", 10, repeats=True
    ),
    _spec(
        "back-10",
        "training",
        T("actions", "10 steps back"),
        "controller.step_back",
        "Shift+Left",
        10,
        repeats=True,
    ),
    _spec("step-100", "training", T("actions", "100 steps"), "controller.step", "PgDown", 100, repeats=True),
    _spec(
        "back-100",
        "training",
        T("actions", "100 steps back"),
        "controller.step_back",
        "PgUp",
        100,
        repeats=True,
    ),
    _spec(
        "to-start",
        "training",
        T("actions", "To the start"),
        "controller.go_to_start",
        "Home",
        icon="to-start",
    ),
    _spec(
        "to-end",
        "training",
        T("actions", "To the last merge made"),
        "controller.go_to_end",
        "End",
        icon="to-end",
    ),
    _spec("next-tie", "training", T("actions", "Next &tie"), "controller.next_tie", "T"),
    _spec("previous-tie", "training", T("actions", "Previous tie"), "controller.previous_tie", "Shift+T"),
    _spec("play", "training", T("actions", "&Play or pause"), "controller.toggle_play", "Space", icon="play"),
    _spec("train", "training", T("actions", "&Train to the target"), "controller.train_to_target", "Ctrl+R"),
    _spec("pause", "training", T("actions", "Pa&use the training"), "controller.pause"),
    _spec("stop", "training", T("actions", "St&op the training, keep its merges"), "controller.stop"),
    _spec("extend", "training", T("actions", "&Extend the vocabulary…"), "files.ask_extend"),
    _spec("new-run", "training", T("actions", "Train a &new run"), "controller.start_new_run"),
    _spec("zoom-in", "view", T("actions", "&Larger text"), "zoom", "Ctrl++ Ctrl+=", 1, repeats=True),
    _spec("zoom-out", "view", T("actions", "&Smaller text"), "zoom", "Ctrl+-", -1, repeats=True),
    _spec("zoom-reset", "view", T("actions", "&Usual text size"), "zoom", "Ctrl+0", 0),
    _spec("scheme-system", "view", T("actions", "Colours of the system"), "choose_scheme", "", "system"),
    _spec("scheme-light", "view", T("actions", "Light colours"), "choose_scheme", "", "light"),
    _spec("scheme-dark", "view", T("actions", "Dark colours"), "choose_scheme", "", "dark"),
    _spec("reset-layout", "view", T("actions", "&Usual layout"), "reset_layout"),
    _spec("keys", "help", T("actions", "&Keys"), "files.show_keys", "F1"),
    _spec("about", "help", T("actions", "&About BPE Studio"), "files.show_about"),
)

GROUP_STARTS = frozenset(
    "save quit find escape clear-corpus to-start next-tie "
    "play extend scheme-system reset-layout about".split()
)
"""Actions that a line is drawn above in their menu."""


def spec_named(name: str) -> ActionSpec:
    """The record with this name."""
    return next(spec for spec in ACTIONS if spec.name == name)


def text_of(spec: ActionSpec) -> str:
    """The action's text in the user's language, mnemonic included."""
    return QCoreApplication.translate(CONTEXT, spec.text)


def keys_text(spec: ActionSpec) -> str:
    """The keys as the system writes them, for tooltips and help; empty without keys."""
    shown = (QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in spec.keys)
    return " · ".join(shown)


def make_actions(window: QMainWindow) -> dict[str, QAction]:
    """Make the table's actions for `window` and add them to it, so that their keys work everywhere in it."""
    actions = {spec.name: _make_action(spec, window) for spec in ACTIONS}
    window.addActions(list(actions.values()))
    return actions


def _make_action(spec: ActionSpec, window: QMainWindow) -> QAction:
    action = QAction(text_of(spec), window)
    action.setObjectName(f"action-{spec.name}")
    action.setShortcuts([QKeySequence(key) for key in spec.keys])
    action.setAutoRepeat(spec.repeats)
    plain = text_of(spec).replace("&", "")
    action.setToolTip(f"{plain} ({keys_text(spec)})" if spec.keys else plain)
    action.triggered.connect(_Call(window, spec, action).run)
    return action


class _Call(QObject):
    """Looks the verb up when it is wanted: panels may come after the actions."""

    def __init__(self, window: QMainWindow, spec: ActionSpec, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._spec = spec

    def run(self) -> None:
        attrgetter(self._spec.verb)(self._window)(*self._spec.arguments)


def fill_menus(window: QMainWindow, actions: dict[str, QAction]) -> dict[str, QMenu]:
    """Build the menu bar from the table; returns the menus by name, for what a table cannot hold."""
    menus: dict[str, QMenu] = {}
    for name, title in MENUS:
        menu = window.menuBar().addMenu(QCoreApplication.translate(CONTEXT, title))
        menu.setObjectName(f"menu-{name}")
        for spec in ACTIONS:
            if spec.menu == name:
                if spec.name in GROUP_STARTS:
                    menu.addSeparator()
                menu.addAction(actions[spec.name])
        menus[name] = menu
    return menus


# --- Bare keys -----------------------------------------------------------------------------------

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
        return True
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
