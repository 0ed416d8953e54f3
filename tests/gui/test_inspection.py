"""Hover and pin: one focus for all panels, told at most thirty times a second."""

from __future__ import annotations

import pytest

from bpe_studio.gui.inspection import Focus, Inspection


@pytest.fixture
def inspection(qtbot):
    return Inspection()


@pytest.fixture
def told(inspection):
    facts = []
    inspection.focus_changed.connect(facts.append)
    return facts


def test_hovering_shows_and_leaving_clears(inspection, told, qtbot):
    inspection.hover(Focus.of_bytes(0, 3, token=97))
    assert told == [Focus(0, 3, 97)]
    inspection.hover(None)
    qtbot.waitUntil(lambda: told[-1] is None)


def test_a_quick_pointer_is_told_of_seldom_and_its_last_place_always(inspection, told, qtbot):
    for start in range(1000):
        inspection.hover(Focus.of_bytes(start, start + 1))
    qtbot.waitUntil(lambda: told[-1] == Focus.of_bytes(999, 1000))
    assert len(told) <= 3


def test_what_is_pinned_stays_while_the_pointer_moves(inspection, told, qtbot):
    pin = Focus.of_merge(3, 97, 98, 259)
    inspection.pin(pin)
    inspection.hover(Focus.of_token(1))
    assert inspection.focus == inspection.pinned == pin
    inspection.pin(None)
    qtbot.waitUntil(lambda: told[-1] is None)
    assert inspection.focus is None


def test_the_same_focus_is_told_once(inspection, told, qtbot):
    for _ in range(3):
        inspection.hover(Focus.of_pair(97, 98))
    qtbot.wait(80)
    assert told == [Focus(pair=(97, 98))]
