"""The application: settings, theme, window, and what happens at its edges (Ctrl+C, an unexpected error)."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QLoggingCategory, QTimer
from PySide6.QtWidgets import QApplication

from bpe_studio import __version__
from bpe_studio.assets import resource, sample_list
from bpe_studio.gui.controller import Controller
from bpe_studio.gui.garbage import GarbageCollector
from bpe_studio.gui.key_filter import KeyFilter
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.preferences import Preferences
from bpe_studio.gui.theme import apply_theme

LOOK_FOR_SIGNALS = 250
"""Milliseconds between two looks of the interpreter at Ctrl+C while Qt waits for events."""
SWITCH_SECONDS = 0.0005
"""After this time a thread that computes lets another one have the interpreter."""


def make_application(arguments: list[str]) -> QApplication:
    """Return the application with its name and its key filter."""
    # Qt tells each font that lacks a script; letters without a glyph are shown by name here.
    QLoggingCategory.setFilterRules("qt.text.font.db=false")
    app = QApplication(arguments)
    app.setApplicationName("bpe-studio")
    app.setApplicationDisplayName("")  # the title is written by the window
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("bpe-studio")
    key_filter = KeyFilter(app)
    app.installEventFilter(key_filter)
    return app


def make_window(preferences: Preferences, paths: list[str]) -> MainWindow:
    """Return a window that opens `paths`, or else the first sample."""
    # Qt lets go of the interpreter at every call: with the usual 5 ms a painting of 100 calls could wait half
    # a second behind one thread that computes in Python.
    sys.setswitchinterval(SWITCH_SECONDS)
    controller = Controller()
    window = MainWindow(controller, preferences)
    controller.setParent(window)
    if not paths:
        controller.open_sample(sample_list()[0].key)
    for path in paths:
        controller.open_path(Path(path))
    return window


def run_window(paths: list[str]) -> int:
    """Show the window until it is closed; returns the exit code."""
    app = make_application(["bpe-studio"])
    preferences = Preferences()
    apply_theme(app, preferences["scheme"])
    _set_icon(app)
    window = make_window(preferences, paths)
    collector = GarbageCollector()
    with errors_shown(window), closed_by_interrupt(window):
        window.show()
        # After the first paint: a helper process compiles what this installation has not compiled yet.
        QTimer.singleShot(0, window.controller.prepare)
        code = app.exec()
    window.controller.shutdown()
    collector.stop()
    return code


def _set_icon(app: QApplication) -> None:
    from PySide6.QtGui import QIcon

    try:
        app.setWindowIcon(QIcon(str(resource("icons/bpe-studio.svg"))))
    except FileNotFoundError:
        return


@contextmanager
def errors_shown(window: MainWindow) -> Iterator[None]:
    """Show unexpected errors in a box instead of ending; what the window has stays."""
    before = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        traceback.print_exception(kind, error, where)
        if not issubclass(kind, KeyboardInterrupt):
            text = window.tr("{0}: {1}\nWhat was there is kept. Details are on the terminal.")
            window.files.show_error(
                window.tr("Something unexpected happened"), text.format(kind.__name__, error)
            )

    sys.excepthook = show
    try:
        yield
    finally:
        sys.excepthook = before


@contextmanager
def closed_by_interrupt(window: MainWindow) -> Iterator[None]:
    """Close cleanly on Ctrl+C; the timer lets the interpreter notice the signal."""
    timer = QTimer(window)
    timer.timeout.connect(_nothing)
    timer.start(LOOK_FOR_SIGNALS)
    before = signal.signal(signal.SIGINT, lambda *_: _close(window))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        timer.stop()


def _close(window: MainWindow) -> None:
    window.closing.allow()


def _nothing() -> None:
    """Run some Python, so that pending signals are handled."""
