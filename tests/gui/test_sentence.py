"""The sentence as a widget: cut nicely, read out after own steps only, links by Tab and Enter."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from bpe_studio.gui.panels import sentence as module


@pytest.fixture
def tied(window, qtbot):
    """The window before the sample's tie."""
    window.controller.step()
    qtbot.waitUntil(lambda: "would take" in window.sentence.text)
    return window


def test_the_whole_text_is_the_accessible_name_even_where_it_is_cut(tied):
    line = tied.sentence
    line.resize(260, line.height())
    assert line.accessibleName() == line.text
    assert line._places[-1].text.endswith("…")
    assert line._places[-1].x + line._places[-1].width <= line.width()


@pytest.mark.parametrize("width", range(20, 900, 37))
def test_no_width_breaks_the_line(tied, width):
    line = tied.sentence
    line.resize(width, line.height())
    assert all(place.x + place.width <= width for place in line._places[:-1])
    assert not line.grab().isNull()


def test_a_link_is_followed_with_enter_and_with_a_click(tied, qtbot):
    line = tied.sentence
    line.resize(900, line.height())
    line.setFocus()
    with qtbot.waitSignal(line.link_followed) as followed:
        QTest.keyClick(line, Qt.Key.Key_Return)
    assert followed.args == ["candidates"]
    link = line.links[0]
    with qtbot.waitSignal(line.link_followed):
        QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(int(link.x + 3), line.height() // 2))


def test_a_sentence_without_links_is_passed_over_by_tab(window):
    assert window.sentence.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_it_is_read_out_after_own_steps_and_never_while_playing(window, qtbot, monkeypatch):
    said = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(module, "QAccessibleAnnouncementEvent", lambda widget, text: text)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: said.append(event))
    window.controller.step()
    qtbot.waitUntil(lambda: bool(said))
    assert said[-1].startswith("Next, merge 1")
    window.controller.go_to_start()
    said.clear()
    window.controller.set_speed(1000)
    window.controller.play()
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 3)
    assert [text for text in said if text.startswith("Next, merge 2")] == []
