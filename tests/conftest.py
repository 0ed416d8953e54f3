"""What every test stands on: an offscreen screen, folders of its own, steady randomness.

The environment is prepared while this file is imported, that is before any test module can import Qt: Qt and
platformdirs read it once.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

HOME = Path(tempfile.mkdtemp(prefix="bpe-studio-tests-"))
COMPILED = Path(__file__).resolve().parent.parent / ".pytest_cache" / "bpe-studio"
"""Kernels are compiled once for all runs, away from the user's own; a stale one has another name."""
SCREEN_SIZE = (1920, 1080)


def _prepare_environment() -> None:
    """Give the tests a screen that is always the same, and no way to the user's own settings."""
    for name in ("CONFIG", "DATA", "STATE"):
        folder = HOME / name.lower()
        folder.mkdir()
        os.environ[f"XDG_{name}_HOME"] = str(folder)
    os.environ["XDG_CACHE_HOME"] = str(COMPILED)
    screen = HOME / "screen.json"
    width, height = SCREEN_SIZE
    sharpness = {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1.0}
    one = {"name": "test", "x": 0, "y": 0, "width": width, "height": height} | sharpness
    screen.write_text(json.dumps({"screens": [one]}), encoding="utf-8")
    if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen}"
    for name in ("QT_SCALE_FACTOR", "QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME", "QT_FONT_DPI"):
        os.environ.pop(name, None)


def _prepare_hypothesis() -> None:
    """Fix the examples: the same commit gives the same verdict. Without deadlines: a kernel compiles once."""
    hypothesis.settings.register_profile("steady", derandomize=True, deadline=None, database=None)
    hypothesis.settings.register_profile("thorough", deadline=None, database=None, max_examples=1000)
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


_prepare_environment()
_prepare_hypothesis()


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, recent files and saved sessions of one test are not seen by the next."""
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "home" / name.lower()))
    if "PySide6.QtCore" in sys.modules:
        from PySide6.QtCore import QSettings

        # Qt remembers the folder of its native format from the start of the process; this sets it anew.
        for format_ in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
            QSettings.setPath(format_, QSettings.Scope.UserScope, str(tmp_path / "home" / "config"))


def running_threads() -> list[str]:
    """Names of the threads that a window could have left behind, except the main one.

    Returns
    -------
    list of str
        Python's threads and Qt's, daemons and idle pool threads aside.
    """
    names = [
        thread.name
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and not thread.daemon
    ]
    if "PySide6.QtCore" not in sys.modules:
        return names
    import shiboken6
    from PySide6.QtCore import QThread

    main = QThread.currentThread()
    # Not isinstance: some objects that gc knows answer __class__ with an import or a warning.
    found = [thing for thing in gc.get_objects() if issubclass(type(thing), QThread)]
    alive = [thread for thread in found if shiboken6.isValid(thread) and thread.isRunning()]
    return names + [f"{type(thread).__name__} {thread.objectName()}" for thread in alive if thread != main]


@pytest.fixture(autouse=True)
def no_thread_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that opened a window ends without a thread of it: closing waits for its threads."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    before = running_threads()
    request.getfixturevalue("qtbot")
    yield
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(timeout=2)  # one that is done with its work may still be on its way out
    left = [name for name in running_threads() if name not in before]
    assert not left, f"threads left running: {left}"
