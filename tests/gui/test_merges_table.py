from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import Qt

from bpe_studio.engine.merges import MergeBatch
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.panels.merges_panel import MergesPanel
from bpe_studio.gui.tables.array_table import Role, RowState
from bpe_studio.gui.tables.merges_table import MERGE_COLUMNS, tie_text
from tests.gui.fakes import FakeController, Status, long_run, merge_rows, run_on, trained_run

KEYS = [column.key for column in MERGE_COLUMNS]
TEXTBOOK = [("aaabdaaabac", 1)]


@pytest.fixture
def controller(qapp):
    return FakeController()


@pytest.fixture
def panel(qtbot, controller):
    panel = MergesPanel(controller)
    qtbot.addWidget(panel)
    panel.resize(700, 300)
    panel.show()
    return panel


def cells(panel, row):
    return {key: panel.model.index(row, i).data() for i, key in enumerate(KEYS)}


def states(panel):
    return [panel.model.index(row, 0).data(Role.STATE) for row in range(panel.model.rowCount())]


def test_the_textbook_example_reads_as_in_the_book(panel, controller, qtmodeltester):
    controller.show_run(trained_run(TEXTBOOK, 3))
    qtmodeltester.check(panel.model)
    rows = [cells(panel, row) for row in range(3)]
    assert [(row["left"], row["right"], row["token"]) for row in rows] == [
        ("a", "a", "aa"),
        ("a", "b", "ab"),
        ("aa", "ab", "aaab"),
    ]
    assert [row["count"] for row in rows] == ["4", "2", "2"]
    assert [row["n_tied"] for row in rows] == ["", "=2", ""]
    assert [row["corpus_tokens"] for row in rows] == ["9", "7", "5"]
    assert [row["saved"] for row in rows] == ["2", "2", "2"]
    assert rows[2]["ratio"] == "2.200"
    assert rows[2]["bytes"] == "61 61 61 62"


def test_unknown_numbers_of_a_loaded_tokenizer_are_dashes(panel, controller):
    run = run_on(TEXTBOOK)
    run.log.extend(MergeBatch.from_rows(0, [(97, 97, 256, -1, -1, -1, -1, 2)]))
    controller.show_run(run)
    row = cells(panel, 0)
    assert {row[key] for key in ("count", "n_tied", "margin", "saved", "corpus_tokens", "ratio")} == {"—"}
    assert panel.model.tsv().split("\n")[1].split("\t")[5:] == [""] * 6


def test_a_tie_is_blank_when_one_pair_stands_alone():
    assert [tie_text(n) for n in (1, 2, 1234, -1)] == ["", "=2", "=1,234", "—"]


def test_growth_inserts_rows_and_another_run_resets(panel, controller, qtbot):
    run = run_on(TEXTBOOK)
    rows = merge_rows(run, 3)
    controller.show_run(run)
    with qtbot.assertNotEmitted(panel.model.modelReset):
        controller.append(run, rows[:1])
        controller.append(run, rows[1:])
        controller.runs_changed.emit()
    assert panel.model.rowCount() == 3
    with qtbot.waitSignal(panel.model.modelReset):
        controller.show_run(trained_run([("low", 2), ("lower", 3)], 1))
    assert panel.model.rowCount() == 1


def test_rows_from_the_cursor_on_are_not_in_effect(panel, controller):
    controller.show_run(trained_run([("low lower lowest", 5)], 5))
    controller.move(2)
    assert states(panel) == [RowState.PLAIN, RowState.LAST, RowState.NEXT, RowState.DIMMED, RowState.DIMMED]
    controller.move(0)
    assert states(panel)[0] == RowState.NEXT
    assert panel.view.cursor_y() == 1
    controller.move(5)
    assert states(panel)[-1] == RowState.LAST
    assert panel.view.cursor_y() == 5 * panel.view.rowHeight(0)


def test_selecting_explains_a_row_and_never_moves_the_cursor(panel, controller):
    controller.show_run(trained_run(TEXTBOOK, 3))
    panel.view.selectRow(1)
    assert controller.calls == [("select_row", 1)]
    assert controller.session.cursor == 3


def test_enter_puts_a_merge_in_effect_and_esc_frees_the_row(panel, controller, qtbot):
    controller.show_run(trained_run(TEXTBOOK, 3))
    panel.view.selectRow(0)
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    qtbot.keyClick(panel.view, Qt.Key.Key_Escape)
    assert controller.calls == [("select_row", 0), ("go_to", 1), ("select_row", None)]
    assert panel.view.chosen_row() is None


def test_a_selection_made_elsewhere_is_shown_here(panel, controller):
    controller.show_run(trained_run(TEXTBOOK, 3))
    controller.selection_changed.emit(2)
    assert panel.view.chosen_row() == 2
    controller.selection_changed.emit(None)
    assert panel.view.chosen_row() is None
    assert controller.calls == []


def test_sorting_keeps_the_cursor_and_rows_wait_until_the_training_rests(panel, controller):
    run = run_on([("low lower lowest", 5)])
    rows = merge_rows(run, 6)
    controller.show_run(run)
    controller.append(run, rows[:4])
    panel.view.sortByColumn(KEYS.index("token"), Qt.SortOrder.DescendingOrder)
    assert panel.view.cursor_y() is None
    before = panel.model.order.tolist()
    controller.append(run, rows[4:])
    assert panel.model.order.tolist() == [*before, 4, 5]
    assert states(panel).count(RowState.LAST) == 1
    controller.training_changed.emit(Status("training"))
    assert panel.model.order.tolist() == [*before, 4, 5]
    controller.training_changed.emit(Status("paused"))
    tokens = [panel.model.index(row, 0).siblingAtColumn(3).data(Role.TOKEN) for row in range(6)]
    assert tokens == sorted(tokens, reverse=True)


def test_a_filter_says_how_many_merges_it_shows(panel, controller):
    controller.show_run(trained_run([("low lower lowest", 5)], 5))
    panel.filter.setText("ow")
    shown = [panel.model.index(row, 3).data(Role.TOKEN) for row in range(panel.model.rowCount())]
    assert shown and all(b"ow" in token for token in shown)
    assert panel.heading.text() == f"Merges: {len(shown)} of 5 shown"
    hidden = next(rank for rank in range(5) if panel.model.view_row(rank) is None)
    assert not panel.shows_row(hidden)
    panel.filter.setText("0x6C 6F")
    assert panel.model.rowCount() > 0


def test_a_typed_blank_sign_finds_blanks(panel, controller):
    controller.show_run(trained_run([("a the the the b", 5)], 5))
    panel.filter.setText("·t")
    assert panel.model.rowCount() > 0


def test_while_following_the_last_row_stays_in_view(panel, controller):
    controller.show_run(long_run(200))
    bar = panel.view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    controller.move(3)
    assert panel.view.indexAt(panel.view.viewport().rect().topLeft()).row() <= 3


def test_a_hundred_thousand_merges_sort_filter_copy_and_scroll_at_once(panel, controller):
    controller.show_run(long_run(100_000))
    limits = {}
    for column in range(len(KEYS)):
        start = time.perf_counter()
        panel.view.sortByColumn(column, Qt.SortOrder.DescendingOrder)
        limits[KEYS[column]] = time.perf_counter() - start
    start = time.perf_counter()
    panel.filter.setText("a")
    limits["filter"] = time.perf_counter() - start
    panel.filter.clear()
    start = time.perf_counter()
    assert panel.model.tsv().count("\n") == 100_000
    copying = time.perf_counter() - start
    panel.view.scrollToBottom()
    panel.view.grab()
    assert max(limits.values()) < 1, limits
    assert copying < 6
    assert np.array_equal(np.sort(panel.model.order), np.arange(100_000))


def test_an_empty_table_says_why(panel, controller):
    assert panel.placeholder.isVisible()
    assert panel.placeholder.text() == "Add a document or open a sample first"
    controller.show_run(run_on(TEXTBOOK))
    assert "→" in panel.placeholder.text()
    controller.append(controller.session.current, merge_rows(controller.session.current, 1))
    assert not panel.placeholder.isVisible()


def test_screen_readers_hear_what_is_in_effect(panel, controller):
    controller.show_run(trained_run(TEXTBOOK, 3))
    controller.move(1)
    role = Qt.ItemDataRole.AccessibleDescriptionRole
    assert [panel.model.index(row, 0).data(role) for row in range(3)] == [
        "the last merge in effect",
        "the next merge, not in effect",
        "not in effect",
    ]


def test_home_and_end_go_to_the_first_and_last_row(panel, controller, qtbot):
    controller.show_run(trained_run(TEXTBOOK, 3))
    qtbot.keyClick(panel.view, Qt.Key.Key_End)
    assert panel.view.chosen_row() == 2
    qtbot.keyClick(panel.view, Qt.Key.Key_Home)
    assert panel.view.chosen_row() == 0


def test_what_is_looked_at_elsewhere_is_outlined_here(panel, controller):
    controller.show_run(trained_run(TEXTBOOK, 3))
    before = panel.view.grab().toImage()
    controller.focus_changed.emit(Focus.of_pair(97, 98))
    assert panel.view.grab().toImage() != before
    controller.focus_changed.emit(None)
    assert panel.view.grab().toImage() == before
    panel.view.row_hovered.emit(1)
    assert controller.calls[-1] == ("hover", Focus.of_merge(1, 97, 98, 257))


def test_columns_fit_without_a_horizontal_scroll_bar(panel, controller, qtbot):
    controller.show_run(long_run(1000))
    qtbot.waitUntil(lambda: panel.view.viewport().width() > 600)
    assert not panel.view.horizontalScrollBar().isVisible()
