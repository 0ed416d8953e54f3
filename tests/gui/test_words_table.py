from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import Qt

from bpe_studio.engine.replay import state_at
from bpe_studio.engine.words import WordTable
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.panels.words_panel import WordsPanel
from bpe_studio.gui.tables.array_table import Role
from bpe_studio.gui.tables.words_table import WordsModel, WordsSource, pair_places, words_with_pair
from tests.gui.fakes import FakeController, run_on, trained_run

WORDS = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)]


@pytest.fixture
def controller(qapp):
    return FakeController()


@pytest.fixture
def panel(qtbot, controller):
    panel = WordsPanel(controller)
    qtbot.addWidget(panel)
    panel.resize(360, 260)
    panel.show()
    return panel


def show(controller, run, k):
    if controller.session.current is not run:
        controller.show_run(run)
    controller.move(k)
    controller.snapshot_ready.emit(state_at(run.words, run.log, k))


def cells(panel, row):
    return panel.model.index(row, 2).data(Role.TOKEN)


def test_words_are_cut_at_the_cursor_most_frequent_first(panel, controller, qtmodeltester):
    run = trained_run(WORDS, 4)
    show(controller, run, 2)
    qtmodeltester.check(panel.model)
    counts, words = ([panel.model.index(row, i).data() for row in range(4)] for i in (1, 2))
    assert counts == ["6 ×", "5 ×", "3 ×", "2 ×"]
    assert words == ["n | e | w | est", "l | o | w", "w | i | d | est", "l | o | w | e | r"]


def test_the_next_pair_is_marked_before_and_the_new_token_after_the_step(panel, controller):
    run = trained_run(WORDS, 4)
    show(controller, run, 0)
    newest = cells(panel, 0)
    (place,) = newest.pairs
    assert newest.tokens[place] + newest.tokens[place + 1] == run.log.token_bytes(int(run.log.token[0]))
    assert newest.fresh == ()
    show(controller, run, 1)
    newest = cells(panel, 0)
    assert [newest.tokens[i] for i in newest.fresh] == [run.log.token_bytes(int(run.log.token[0]))]


def test_a_run_of_one_letter_is_marked_without_overlap():
    assert pair_places([7, 7, 7, 8, 7, 7], (7, 7)) == (0, 4)
    assert pair_places([7, 7], None) == ()


def test_a_pair_across_two_words_is_no_pair(qapp):
    run = run_on([("ab", 1), ("ba", 1)])
    snapshot = state_at(run.words, run.log, 0)
    assert words_with_pair(snapshot, (98, 98)).tolist() == [False, False]
    assert words_with_pair(snapshot, (98, 97)).tolist() == [False, True]


def test_another_state_resets_nothing(panel, controller, qtbot):
    run = trained_run(WORDS, 4)
    show(controller, run, 0)
    with qtbot.assertNotEmitted(panel.model.modelReset), qtbot.waitSignal(panel.model.dataChanged):
        show(controller, run, 3)


def test_only_words_with_the_next_pair(panel, controller, qtbot):
    run = trained_run(WORDS, 4)
    show(controller, run, 0)
    panel.only_marked.click()
    assert panel.heading.text() == "2 of 4 words"
    assert all(cells(panel, row).pairs for row in range(panel.model.rowCount()))
    show(controller, run, 3)
    assert all(cells(panel, row).pairs for row in range(panel.model.rowCount()))


def test_a_filter_finds_text_inside_words_only(panel, controller):
    show(controller, run_on([("ab", 1), ("ba", 2), ("naïve", 3)]), 0)
    panel.filter.setText("bb")
    assert panel.model.rowCount() == 0
    panel.filter.setText("ï")
    assert panel.model.rowCount() == 1
    panel.filter.setText("0x62")
    assert panel.heading.text() == "2 of 3 words"


def test_order_of_appearance_is_one_click_away(panel, controller):
    show(controller, run_on(WORDS), 0)
    panel.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert panel.model.order.tolist() == [0, 1, 2, 3]


def test_four_hundred_thousand_words_sort_and_filter_at_once(qapp):
    words = WordTable.from_counts([(f"w{i}", i * 7919 % 100_003 + 1) for i in range(400_000)])
    run = run_on([("ab", 1)])
    symbols, offsets = run.log.alphabet.word_symbols(words)
    base = state_at(run.words, run.log, 0)
    snapshot = type(base)(0, len(symbols), symbols, offsets, base.pairs)
    model = WordsModel()
    start = time.perf_counter()
    model.set_source(WordsSource(words, run.log, snapshot, (119, 49)), len(words))
    model.sort(1, Qt.SortOrder.DescendingOrder)
    model.set_query("99")
    model.set_query("")
    model.set_only_marked(True)
    assert time.perf_counter() - start < 3
    assert model.rowCount() == sum(str(i).startswith("1") for i in range(400_000))
    assert model.index(0, 2).data(Role.TOKEN).pairs == (0,)
    assert np.all(np.diff(words.counts[model.order]) <= 0)


def test_the_words_are_drawn_with_their_marks(panel, controller):
    show(controller, trained_run([*WORDS, ("סלאם\u202e", 4), ("😀<b>", 3), ("x" * 5000, 1)], 4), 1)
    before = panel.view.grab().toImage()
    controller.move(2)
    assert panel.view.is_dimmed
    assert panel.view.grab().toImage() != before or panel.view.is_dimmed
    assert not panel.view.horizontalScrollBar().isVisible()


def test_a_click_on_a_symbol_pins_it_and_a_second_frees_it(panel, controller, qtbot):
    show(controller, trained_run(WORDS, 4), 2)
    place = panel.view.visualRect(panel.model.index(0, 2)).center()
    place.setX(panel.view.columnViewportPosition(2) + 8)
    assert panel.view.symbol_at(place) == ord("n")
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert controller.calls[-1] == ("pin", Focus.of_token(ord("n")))
    controller.session.pin = Focus.of_token(ord("n"))
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert controller.calls[-1] == ("pin", None)
    controller.focus_changed.emit(Focus.of_token(ord("w")))
    assert [cells(panel, 0).tokens[i] for i in cells(panel, 0).focused] == [b"w"]


def test_empty_states_are_sentences(panel, controller):
    assert panel.placeholder.text() == "Add a document or open a sample first"
    controller.show_run(run_on(WORDS))
    assert panel.placeholder.text() == "Cutting the words …"
