"""The start: where there can be no window, one line says so; Ctrl+C and surprises end nothing badly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_studio.gui import display
from bpe_studio.gui.start import errors_shown

ROOT = Path(__file__).parent.parent.parent


def run_program(*arguments: str, timeout: float = 60, **environment: str) -> subprocess.CompletedProcess:
    """Run the program in an environment without any display of ours."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("QT_", "DISPLAY", "WAYLAND"))
    }
    command = [sys.executable, *(arguments or ("-m", "bpe_studio"))]
    return subprocess.run(
        command,
        env=kept | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def check_one_line(result: subprocess.CompletedProcess, *parts: str) -> None:
    assert result.returncode == 1, result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    for part in (*parts, "bpe-studio train"):
        assert part in result.stderr


def test_without_a_display_one_line_names_the_terminal_command():
    check_one_line(run_program(), "no display")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 is Linux")
def test_a_display_that_does_not_answer_is_said_and_nothing_aborts():
    result = run_program(DISPLAY=":87")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
    assert ":87" in result.stderr or "Debian package" in result.stderr


def test_a_wayland_socket_that_is_not_there_is_said(tmp_path):
    result = run_program(WAYLAND_DISPLAY="wayland-7", XDG_RUNTIME_DIR=str(tmp_path))
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1


MISSING = "import sys; sys.modules['PySide6.QtWidgets'] = None; "
START = "from bpe_studio.__main__ import main; sys.exit(main([]))"


def test_a_library_that_qt_needs_is_named_with_its_debian_package(monkeypatch):
    failure = "libEGL.so.1: cannot open shared object file: No such file or directory"
    monkeypatch.setattr(display, "_import_failure", lambda: failure)
    monkeypatch.setattr(display, "_loads", lambda name: name != "libEGL.so.1")
    text = display.missing_for_a_window({"DISPLAY": ":0"}, "linux")
    assert "libEGL.so.1" in text and "libegl1" in text and "\n" not in text


def test_all_missing_libraries_of_the_platform_are_named_at_once(monkeypatch):
    gone = {"libxcb-cursor.so.0", "libxkbcommon-x11.so.0"}
    monkeypatch.setattr(display, "_import_failure", lambda: "")
    monkeypatch.setattr(
        display, "_plugin_failure", lambda plugin: "libxcb-cursor.so.0: cannot open shared object file"
    )
    monkeypatch.setattr(display, "_loads", lambda name: name not in gone)
    text = display.missing_for_a_window({"DISPLAY": ":0"}, "linux")
    assert "libxcb-cursor0 libxkbcommon-x11-0" in text


def test_a_library_nobody_knows_is_still_named(monkeypatch):
    monkeypatch.setattr(display, "_import_failure", lambda: "libodd.so.9: cannot open shared object file")
    assert "libodd.so.9" in display.missing_for_a_window({"DISPLAY": ":0"}, "linux")


def test_a_qt_that_cannot_be_imported_ends_with_one_line():
    result = run_program("-c", MISSING + START, QT_QPA_PLATFORM="offscreen")
    check_one_line(result, "Qt cannot be loaded")


def test_an_offscreen_platform_needs_no_display():
    assert display.missing_for_a_window({"QT_QPA_PLATFORM": "offscreen"}, "linux") == ""


def test_ctrl_c_closes_the_window_cleanly(tmp_path):
    code = (
        "import os, signal, sys; from PySide6.QtCore import QTimer;"
        "from bpe_studio.gui import start;"
        "made = start.make_window;\n"
        "def interrupted(*arguments):\n"
        "    window = made(*arguments)\n"
        "    QTimer.singleShot(300, lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "    return window\n"
        "start.make_window = interrupted\n"
        "sys.exit(start.run_window([]))"
    )
    result = run_program("-c", code, QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=str(tmp_path))
    assert (result.returncode, result.stdout) == (0, "")
    assert "Traceback" not in result.stderr and "QThread" not in result.stderr
    assert signal.getsignal(signal.SIGINT) is not None


def test_an_unexpected_error_is_shown_and_keeps_everything(window, qtbot, capsys):
    window.controller.step()
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 1)
    with errors_shown(window):
        try:
            raise RuntimeError("<b>odd</b>")
        except RuntimeError as error:
            sys.excepthook(type(error), error, error.__traceback__)
    box = window.findChild(object, "box")
    assert "RuntimeError: <b>odd</b>" in box.informativeText()
    assert window.controller.session.n_merges == 1
    assert "RuntimeError" in capsys.readouterr().err
    box.close()


def test_the_window_shows_the_sample_one_key_from_its_first_merge(window):
    assert window.controller.session.corpus.documents[0].text == "aaabdaaabac"
    assert window.controller.can_step
    assert window.sentence.text.startswith("Next, merge 0: ‘a’ + ‘a’ → ‘aa’")
