"""Actions: one table makes menus, keys and help; the focused widget keeps the keys it needs."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSlider,
    QSpinBox,
    QTabBar,
    QTableView,
    QTextEdit,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.gui.actions import ACTIONS, MENUS, fill_menus, make_actions
from bpe_studio.gui.key_filter import KEEPS_NAVIGATION, KeyFilter

Key, Mod = Qt.Key, Qt.KeyboardModifier
NAVIGATION = {"Right", "Left", "Shift+Right", "Shift+Left", "PgDown", "PgUp", "Home", "End"}
PAGES = {"PgDown", "PgUp", "Home", "End"}
BARE = NAVIGATION | {"Space", "T", "Shift+T", "Esc"}
F_KEYS = {"F1", "F3", "Shift+F3", "F7", "Shift+F7"}
WITH_CTRL = {"Ctrl+R", "Ctrl+S"}

KEEPS = {
    QLineEdit: BARE, QTextEdit: BARE, QPlainTextEdit: BARE, QSpinBox: BARE,
    QComboBox: NAVIGATION | {"Space"}, QPushButton: {"Space"}, QCheckBox: {"Space"},
    QRadioButton: NAVIGATION | {"Space"}, QTabBar: NAVIGATION, QTreeView: NAVIGATION, QSlider: NAVIGATION,
    QTableView: PAGES, QWidget: set(),
}  # fmt: skip


class Verbs:
    """Stands for the controller and the dialogs: notes which verb was called with what."""

    def __init__(self) -> None:
        self.calls: list = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))


class Window(QMainWindow):
    def __init__(self) -> None:
        super().__init__()
        self.verbs = self.controller = self.files = self.bar = Verbs()
        self.actions_by_name = make_actions(self)
        self.middle = QWidget(self)
        self.setCentralWidget(self.middle)
        QVBoxLayout(self.middle)

    def find(self):
        self.verbs.calls.append(("find",))

    def find_again(self, direction):
        self.verbs.calls.append(("find_again", direction))

    def escape(self):
        self.verbs.calls.append(("escape",))

    def focus_on(self, widget: QWidget) -> None:
        self.middle.layout().addWidget(widget)
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        widget.show()
        widget.setFocus()


@pytest.fixture
def window(qtbot, qapp):
    key_filter = KeyFilter()
    qapp.installEventFilter(key_filter)
    made = Window()
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is made)
    yield made
    qapp.removeEventFilter(key_filter)


def press(widget: QWidget, key: str) -> None:
    combination = QKeySequence(key)[0]
    QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())


@pytest.mark.parametrize("kind", KEEPS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("key", sorted(BARE | F_KEYS | WITH_CTRL))
def test_a_widget_keeps_its_keys_and_the_window_gets_the_others(window, kind, key):
    widget = kind()
    if kind is QTabBar:
        widget.addTab("a")
    window.focus_on(widget)
    press(widget, key)
    assert bool(window.verbs.calls) == (key not in KEEPS[kind]), window.verbs.calls


@pytest.mark.parametrize("key", sorted(BARE))
def test_a_rail_keeps_its_navigation_keys(window, key):
    rail = QWidget()
    rail.setProperty(KEEPS_NAVIGATION, True)
    window.focus_on(rail)
    press(rail, key)
    assert bool(window.verbs.calls) == (key not in NAVIGATION)


def test_space_still_presses_a_button(window, qtbot):
    button = QPushButton("press")
    window.focus_on(button)
    with qtbot.waitSignal(button.clicked):
        press(button, "Space")
    assert window.verbs.calls == []


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter])
def test_enter_takes_the_choice_in_an_open_list(window, qtbot, key):
    box = QComboBox()
    box.addItems(["none", "whitespace", "custom"])
    window.focus_on(box)
    box.showPopup()
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    QTest.keyClick(box.view(), Key.Key_End)
    QTest.keyClick(box.view(), key)
    assert box.currentText() == "custom" and QApplication.activePopupWidget() is None


@pytest.mark.parametrize(
    ("key", "call"),
    [("Right", ("step",)), ("Shift+Right", ("step", 10)), ("PgDown", ("step", 100)), ("Left", ("step_back",)),
     ("PgUp", ("step_back", 100)), ("Home", ("go_to_start",)), ("End", ("go_to_end",)),
     ("Space", ("toggle_play",)),
     ("T", ("next_tie",)), ("Shift+T", ("previous_tie",)), ("Ctrl+R", ("train_to_target",)),
     ("Ctrl+L", ("edit_position",)), ("F7", ("step",)), ("Shift+F7", ("step_back",)), ("F1", ("show_keys",)),
     ("F3", ("find_again", 1)), ("Shift+F3", ("find_again", -1)), ("Ctrl+O", ("ask_open",)),
     ("Ctrl+S", ("ask_save",)), ("Ctrl+E", ("ask_export",)), ("Ctrl+F", ("find",)), ("Esc", ("escape",))],
)  # fmt: skip
def test_a_key_calls_its_verb(window, key, call):
    window.focus_on(QWidget())
    press(window.middle, key)
    assert window.verbs.calls == [call]


def test_no_key_belongs_to_two_actions():
    keys = Counter(QKeySequence(key).toString() for spec in ACTIONS for key in spec.keys)
    assert [key for key, n in keys.items() if n > 1] == []


def test_keys_that_must_not_repeat_do_not(window):
    once = {spec.name for spec in ACTIONS if set(spec.keys) & {"Space", "T", "Shift+T", "Esc", "Ctrl+R"}}
    assert {"play", "next-tie", "previous-tie", "escape", "train"} == once
    assert not any(window.actions_by_name[name].autoRepeat() for name in once)
    assert window.actions_by_name["step"].autoRepeat()


def test_every_action_is_in_a_menu_and_tells_its_keys(window):
    menus = fill_menus(window, window.actions_by_name)
    assert set(menus) == {name for name, _ in MENUS} == {spec.menu for spec in ACTIONS}
    for spec in ACTIONS:
        action = window.actions_by_name[spec.name]
        assert action in menus[spec.menu].actions()
        assert bool(spec.keys) == ("(" in action.toolTip())
