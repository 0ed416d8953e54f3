"""Every action of the window in one table: its menu, keys, icon, help text and the verb it calls.

The table makes the menus, the F1 page and the tests. Bare keys (→, Space, T …) are ordinary window
shortcuts; `key_filter` gives them back to the focused widget where that widget needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

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


MENUS: tuple[tuple[str, Any], ...] = (
    ("file", QT_TRANSLATE_NOOP("actions", "&File")),
    ("edit", QT_TRANSLATE_NOOP("actions", "&Edit")),
    ("corpus", QT_TRANSLATE_NOOP("actions", "&Corpus")),
    ("training", QT_TRANSLATE_NOOP("actions", "&Training")),
    ("view", QT_TRANSLATE_NOOP("actions", "&View")),
    ("help", QT_TRANSLATE_NOOP("actions", "&Help")),
)

ACTIONS: tuple[ActionSpec, ...] = (
    _spec(
        "open", "file", QT_TRANSLATE_NOOP("actions", "&Open tokenizer or text…"), "files.ask_open", "Ctrl+O"
    ),
    _spec("save", "file", QT_TRANSLATE_NOOP("actions", "&Save tokenizer…"), "files.ask_save", "Ctrl+S"),
    _spec("export", "file", QT_TRANSLATE_NOOP("actions", "&Export…"), "files.ask_export", "Ctrl+E"),
    _spec("quit", "file", QT_TRANSLATE_NOOP("actions", "&Quit"), "close", "Ctrl+Q"),
    _spec("go-to", "edit", QT_TRANSLATE_NOOP("actions", "&Go to…"), "bar.edit_position", "Ctrl+L"),
    _spec("find", "edit", QT_TRANSLATE_NOOP("actions", "&Find in the focused panel"), "find", "Ctrl+F"),
    _spec("find-next", "edit", QT_TRANSLATE_NOOP("actions", "Find &next"), "find_again", "F3", 1),
    _spec(
        "find-previous", "edit", QT_TRANSLATE_NOOP("actions", "Find &previous"), "find_again", "Shift+F3", -1
    ),
    _spec(
        "escape", "edit", QT_TRANSLATE_NOOP("actions", "&Close find, free the pin, pause"), "escape", "Esc"
    ),
    _spec(
        "add-files",
        "corpus",
        QT_TRANSLATE_NOOP("actions", "Add &files…"),
        "files.ask_documents",
        "Ctrl+Shift+O",
    ),
    _spec("add-folder", "corpus", QT_TRANSLATE_NOOP("actions", "Add f&older…"), "files.ask_folder"),
    _spec(
        "paste-document",
        "corpus",
        QT_TRANSLATE_NOOP("actions", "&Paste text as a document"),
        "files.paste_document",
        "Ctrl+Shift+V",
    ),
    _spec(
        "clear-corpus",
        "corpus",
        QT_TRANSLATE_NOOP("actions", "&Remove all documents"),
        "controller.clear_corpus",
    ),
    _spec(
        "step",
        "training",
        QT_TRANSLATE_NOOP("actions", "&Step"),
        "controller.step",
        "Right F7",
        icon="forward",
        repeats=True,
    ),
    _spec(
        "back",
        "training",
        QT_TRANSLATE_NOOP("actions", "Step &back"),
        "controller.step_back",
        "Left Shift+F7",
        icon="back",
        repeats=True,
    ),
    _spec(
        "step-10",
        "training",
        QT_TRANSLATE_NOOP("actions", "10 steps"),
        "controller.step",
        "Shift+Right",
        10,
        repeats=True,
    ),
    _spec(
        "back-10",
        "training",
        QT_TRANSLATE_NOOP("actions", "10 steps back"),
        "controller.step_back",
        "Shift+Left",
        10,
        repeats=True,
    ),
    _spec(
        "step-100",
        "training",
        QT_TRANSLATE_NOOP("actions", "100 steps"),
        "controller.step",
        "PgDown",
        100,
        repeats=True,
    ),
    _spec(
        "back-100",
        "training",
        QT_TRANSLATE_NOOP("actions", "100 steps back"),
        "controller.step_back",
        "PgUp",
        100,
        repeats=True,
    ),
    _spec(
        "to-start",
        "training",
        QT_TRANSLATE_NOOP("actions", "To the start"),
        "controller.go_to_start",
        "Home",
        icon="to-start",
    ),
    _spec(
        "to-end",
        "training",
        QT_TRANSLATE_NOOP("actions", "To the last merge made"),
        "controller.go_to_end",
        "End",
        icon="to-end",
    ),
    _spec("next-tie", "training", QT_TRANSLATE_NOOP("actions", "Next &tie"), "controller.next_tie", "T"),
    _spec(
        "previous-tie",
        "training",
        QT_TRANSLATE_NOOP("actions", "Previous tie"),
        "controller.previous_tie",
        "Shift+T",
    ),
    _spec(
        "play",
        "training",
        QT_TRANSLATE_NOOP("actions", "&Play or pause"),
        "controller.toggle_play",
        "Space",
        icon="play",
    ),
    _spec(
        "train",
        "training",
        QT_TRANSLATE_NOOP("actions", "&Train to the target"),
        "controller.train_to_target",
        "Ctrl+R",
    ),
    _spec("pause", "training", QT_TRANSLATE_NOOP("actions", "Pa&use the training"), "controller.pause"),
    _spec(
        "stop",
        "training",
        QT_TRANSLATE_NOOP("actions", "St&op the training, keep its merges"),
        "controller.stop",
    ),
    _spec("extend", "training", QT_TRANSLATE_NOOP("actions", "&Extend the vocabulary…"), "files.ask_extend"),
    _spec(
        "new-run", "training", QT_TRANSLATE_NOOP("actions", "Train a &new run"), "controller.start_new_run"
    ),
    _spec(
        "zoom-in",
        "view",
        QT_TRANSLATE_NOOP("actions", "&Larger text"),
        "zoom",
        "Ctrl++ Ctrl+=",
        1,
        repeats=True,
    ),
    _spec(
        "zoom-out", "view", QT_TRANSLATE_NOOP("actions", "&Smaller text"), "zoom", "Ctrl+-", -1, repeats=True
    ),
    _spec("zoom-reset", "view", QT_TRANSLATE_NOOP("actions", "&Usual text size"), "zoom", "Ctrl+0", 0),
    _spec(
        "scheme-system",
        "view",
        QT_TRANSLATE_NOOP("actions", "Colours of the system"),
        "choose_scheme",
        "",
        "system",
    ),
    _spec(
        "scheme-light", "view", QT_TRANSLATE_NOOP("actions", "Light colours"), "choose_scheme", "", "light"
    ),
    _spec("scheme-dark", "view", QT_TRANSLATE_NOOP("actions", "Dark colours"), "choose_scheme", "", "dark"),
    _spec("reset-layout", "view", QT_TRANSLATE_NOOP("actions", "&Usual layout"), "reset_layout"),
    _spec("keys", "help", QT_TRANSLATE_NOOP("actions", "&Keys"), "files.show_keys", "F1"),
    _spec("about", "help", QT_TRANSLATE_NOOP("actions", "&About BPE Studio"), "files.show_about"),
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
    """The keys as the system writes them, arrows as arrows, for tooltips and help; empty without keys."""
    shown = (QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in spec.keys)
    return " · ".join(shown).replace("Right", "→").replace("Left", "←")


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
