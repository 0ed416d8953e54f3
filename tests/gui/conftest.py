"""A controller and a window for the tests of the window; settings live in the test's own folder."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from bpe_studio.gui.preferences import Preferences


@pytest.fixture(scope="package", autouse=True)
def garbage_is_collected_here():
    """As in the program: a cycle of widgets collected in a worker thread would end the process.

    What earlier tests have left is frozen: looking through it after every window takes longer than a test.
    """
    gc.disable()
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.fixture
def settings_file(tmp_path):
    """Where the window of this test keeps its settings."""
    return tmp_path / "window.ini"


@pytest.fixture
def preferences(settings_file):
    return Preferences(QSettings(str(settings_file), QSettings.Format.IniFormat))


@pytest.fixture
def real_controller(qtbot):
    """A controller with its threads, without a window."""
    from bpe_studio.gui.controller import Controller

    made = Controller()
    yield made
    made.shutdown()
    gc.collect()


@pytest.fixture
def open_window(qtbot, qapp, preferences):
    """Opens windows as the program does, and closes them without asking."""
    from bpe_studio.gui.key_filter import KeyFilter
    from bpe_studio.gui.start import make_window
    from bpe_studio.gui.theme import apply_theme

    apply_theme(qapp, "light")
    key_filter = KeyFilter()
    qapp.installEventFilter(key_filter)

    def opened(paths=(), scheme="light"):
        if scheme != "light":
            apply_theme(qapp, scheme)
        window = make_window(preferences, [str(path) for path in paths])
        qtbot.addWidget(window, before_close_func=lambda one: one.closing.allow())
        window.show()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
        return window

    yield opened
    qapp.removeEventFilter(key_filter)
    gc.collect()


@pytest.fixture
def window(open_window, qtbot):
    """The window of a first start: the sample is open, and the first merge is explained."""
    made = open_window()
    qtbot.waitUntil(lambda: made.sentence.text.startswith("Next, merge 0"))
    return made
