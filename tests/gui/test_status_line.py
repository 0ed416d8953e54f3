"""The status bar: focus in words, progress with its buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.intentions.training import TrainingStatus


def shown(window) -> set[str]:
    return {one.objectName() for one in window.statusBar().work.findChildren(QToolButton) if one.isVisible()}


def test_the_focus_is_said_in_words(window, qtbot):
    qtbot.waitUntil(lambda: window.controller.encoded is not None)
    window.controller.hover(Focus.of_bytes(4, 5))
    text = window.statusBar().focus.text()
    assert text.startswith("byte 4 of 11 · 0x64") and "LATIN SMALL LETTER D" in text
    window.controller.hover(None)
    qtbot.waitUntil(lambda: window.statusBar().focus.text() == "")


def test_tokens_and_merges_are_named(window, qtbot):
    window.controller.step()
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 1)
    window.controller.pin(Focus.of_merge(0, 97, 97, 256))
    assert window.statusBar().focus.text() == "merge 0 · token 97: a · token 97: a"
    window.controller.pin(Focus.of_token(256))
    qtbot.waitUntil(lambda: window.statusBar().focus.text() == "token 256: aa")
    window.controller.pin(Focus.of_token(9999))
    qtbot.waitUntil(lambda: window.statusBar().focus.text() == "token 9999")


def test_long_work_shows_its_text_and_the_buttons_that_fit(window):
    tell = window.controller.training_changed.emit
    tell(TrainingStatus("training", 10, 40, 5.0, 6.0, "Training · 10 of 40 merges"))
    assert shown(window) == {"work-pause", "work-stop"}
    assert window.statusBar().progress.accessibleDescription() == "25%"
    tell(TrainingStatus("paused", 10, 40))
    assert shown(window) == {"work-play", "work-stop"}
    tell(TrainingStatus("preparing", text="Preparing"))
    assert shown(window) == {"work-stop"}
    tell(TrainingStatus())
    assert not window.statusBar().work.isVisible()


def test_the_stop_button_stops(window, monkeypatch):
    calls = []
    monkeypatch.setattr(type(window.controller.training_now), "stop", lambda self: calls.append("stop"))
    window.controller.training_changed.emit(TrainingStatus("training", 1, 2))
    QTest.mouseClick(window.statusBar().stop, Qt.MouseButton.LeftButton)
    assert calls == ["stop"]


def test_a_long_text_does_not_widen_the_window(window):
    window.statusBar().focus.setText("x" * 5000)
    assert window.minimumSizeHint().width() <= 1280
