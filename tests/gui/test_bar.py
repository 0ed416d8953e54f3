"""The bar: buttons, slider, margin strip, box."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import count_words
from bpe_studio.gui.data_colors import LIGHT
from bpe_studio.gui.margin_strip import MarginStrip, strip_columns, tie_places


def log_of(text: str, vocab_size: int):
    trainer = Trainer(count_words(text), TrainingConfig(vocab_size=vocab_size))
    trainer.advance()
    return trainer.log


@pytest.fixture
def three(window, qtbot):
    """The window after the sample's three merges."""
    window.controller.step(3)
    qtbot.waitUntil(lambda: window.bar.box.text() == "3 / 3 · target 3")
    return window


def click(window, name: str) -> None:
    QTest.mouseClick(window.bar.buttons[name], Qt.MouseButton.LeftButton)


def test_one_click_is_one_merge(window, qtbot):
    click(window, "forward")
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 1)
    assert window.bar.box.text() == "1 / 1 · target 3"


def test_the_buttons_move_the_cursor(three):
    click(three, "back")
    assert three.bar.box.text() == "2 / 3 · target 3"
    click(three, "to-start")
    assert three.bar.box.text() == "0 / 3 · target 3"
    click(three, "to-end")
    assert three.bar.box.text() == "3 / 3 · target 3"


def test_play_shows_pause_while_it_plays(three):
    three.controller.go_to_start()
    click(three, "play")
    assert three.controller.is_playing and three.bar.buttons["play"].accessibleName() == "Pause"
    click(three, "play")
    assert not three.controller.is_playing and three.bar.buttons["play"].accessibleName() == "Play"


def test_without_a_corpus_the_bar_is_disabled_with_its_reason(window):
    window.controller.clear_corpus()
    assert not window.bar.buttons["forward"].isEnabled() and not window.bar.slider.isEnabled()
    assert window.bar.reason.isVisible() and window.bar.reason.text() == window.controller.blocked_reason
    assert window.controller.blocked_reason in window.bar.buttons["forward"].toolTip()


@pytest.mark.parametrize(
    ("text", "shown"), [("1", "1 / 3"), ("ab", "2 / 3"), ("0x6161", "1 / 3"), ("'aaab'", "3 / 3")]
)
def test_the_box_takes_numbers_bytes_and_tokens(three, text, shown):
    three.controller.go_to_start()
    three.bar.edit_position()
    QTest.keyClicks(three.bar.box, text)
    QTest.keyClick(three.bar.box, Qt.Key.Key_Return)
    assert three.bar.box.text().startswith(shown)
    assert not three.bar.box.hasFocus()


def test_escape_in_the_box_brings_the_place_back(three):
    three.bar.edit_position()
    QTest.keyClicks(three.bar.box, "zzz")
    QTest.keyClick(three.bar.box, Qt.Key.Key_Escape)
    assert three.bar.box.text() == "3 / 3 · target 3"


def test_the_slider_reaches_what_is_made_and_not_beyond(window, qtbot):
    window.controller.step(2)
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 2)
    slider = window.bar.slider
    QTest.mouseClick(
        slider, Qt.MouseButton.LeftButton, pos=slider.rect().center() * 2 - slider.rect().topLeft()
    )
    assert window.controller.session.cursor == 2
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert window.controller.session.cursor == 1 and window.controller.session.n_merges == 2


def test_the_speed_is_chosen_and_kept(window):
    window.bar.speed.setCurrentIndex(5)
    window.bar.speed.activated.emit(5)
    assert window.controller.play_speed == 30 == window.preferences["play_speed"]


# --- the strip


def test_every_merge_is_in_its_column_when_there_is_room():
    log = log_of("the cat sat on the mat; the dog sat on the log. " * 5, 270)
    columns = strip_columns(log, len(log), 10 * len(log))
    middles = (np.arange(len(log)) * 10 + 5).tolist()
    assert (columns.tie[middles] == (log.n_tied > 1)).all()
    assert columns.count[middles].argmax() == int(np.argmax(log.count))
    assert ((columns.margin[middles] > 0) == (log.margin > 0)).all()


def test_columns_of_many_merges_show_the_highest_count_and_any_tie():
    log = log_of(" ".join(f"{n} {n * n}" for n in range(3000)), 1200)
    columns = strip_columns(log, len(log), 50)
    assert (np.diff(columns.count) <= 1e-9).all()
    assert columns.tie.any()


@pytest.mark.parametrize(("n_target", "width"), [(0, 0), (3, 0), (1000, 7), (3, 500)])
def test_odd_sizes_are_no_problem(n_target, width):
    log = log_of("aaabdaaabac", 259)
    columns = strip_columns(log, n_target, width)
    assert len(columns.count) == width
    assert len(tie_places(log, n_target, columns, 1.0)) <= len(log)


def test_one_tie_is_one_dot_at_any_resolution():
    log = log_of("aaabdaaabac", 259)
    assert int((log.n_tied > 1).sum()) == len(tie_places(log, 3, strip_columns(log, 3, 320), 1.0))
    assert int((log.n_tied > 1).sum()) == len(tie_places(log, 3, strip_columns(log, 3, 640), 2.0))


def test_the_picture_is_kept_until_something_changes():
    log, strip = log_of("aaabdaaabac", 259), MarginStrip()
    first = strip.pixmap(log, 3, QSize(200, 30), 2.0, LIGHT)
    assert first is strip.pixmap(log, 3, QSize(200, 30), 2.0, LIGHT)
    assert (first.width(), first.devicePixelRatio()) == (400, 2.0)
    assert first is not strip.pixmap(log, 4, QSize(200, 30), 2.0, LIGHT)


def test_a_row_that_the_filter_hides_is_said(three):
    three.controller.go_to(1)
    three.merges.filter.setText("aaab")
    assert "filtered out" in three.bar.reason.text() and three.bar.reason.isVisible()
    three.controller.go_to(2)
    assert not three.bar.reason.isVisible()
    three.merges.filter.setText("")
    three.controller.go_to(1)
    assert not three.bar.reason.isVisible()


def test_the_box_is_as_wide_as_what_it_says(three):
    three.bar.box.show_position("19,744 / 19,744 · target 19,744")
    assert three.bar.box.minimumWidth() >= three.bar.box.fontMetrics().horizontalAdvance(three.bar.box.text())
