from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from bpe_studio.analysis.ties import explain
from bpe_studio.engine.replay import PairTable, Snapshot, state_at
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.intentions.views import View
from bpe_studio.gui.panels.candidates_panel import CandidatesPanel
from bpe_studio.gui.tables.array_table import Role, RowState
from bpe_studio.gui.tables.candidates_table import CANDIDATE_COLUMNS, N_BEST, CandidatesSource, change_text
from bpe_studio.session import opened_run
from tests.gui.fakes import FakeController, run_on, trained_run

TEXTBOOK = [("aaabdaaabac", 1)]
KEYS = [column.key for column in CANDIDATE_COLUMNS]


@pytest.fixture
def controller(qapp):
    return FakeController()


@pytest.fixture
def panel(qtbot, controller):
    panel = CandidatesPanel(controller)
    qtbot.addWidget(panel)
    panel.resize(420, 300)
    panel.show()
    return panel


def show(controller, run, k):
    if controller.session.current is not run:
        controller.show_run(run)
    controller.move(k)
    snapshot = state_at(run.words, run.log, k)
    before = state_at(run.words, run.log, k - 1) if k else None
    controller.view = View(snapshot, explain(snapshot, run.log), before)
    controller.snapshot = snapshot
    controller.snapshot_ready.emit(controller.snapshot)


def rows(panel):
    model = panel.model
    return [[model.index(row, i).data() for i in range(len(KEYS))] for row in range(model.rowCount())]


def marks(panel):
    return [panel.model.index(row, 0).data(Role.MARK) for row in range(panel.model.rowCount())]


def test_the_textbook_tie_names_every_rules_pair(panel, controller, qtmodeltester):
    run = trained_run(TEXTBOOK, 3)
    show(controller, run, 1)
    qtmodeltester.check(panel.model)
    assert panel.heading.text() == "2 of 6 pairs tie at 2"
    assert rows(panel)[:2] == [
        ["a + b", "2", "▲1", "lexicographic, lowest-ids, shortest"],
        ["aa + a", "2", "new", "reverse-lexicographic, first-seen"],
    ]
    assert marks(panel) == ["★", "", "", "", "", ""]
    states = [panel.model.index(row, 0).data(Role.STATE) for row in range(3)]
    assert states == [RowState.TIED, RowState.TIED, RowState.PLAIN]


def test_without_a_tie_the_heading_tells_best_and_next(panel, controller):
    show(controller, trained_run(TEXTBOOK, 1), 0)
    assert panel.heading.text() == "6 pairs: best 4, next 2"
    assert marks(panel)[0] == "★"
    assert [row[3] for row in rows(panel)] == ["every rule", "", "", "", "", ""]


def test_rank_changes_births_and_losses_are_since_the_state_before(panel, controller):
    run = trained_run(TEXTBOOK, 3)
    show(controller, run, 0)
    show(controller, run, 1)
    changes = {row[0]: row[2] for row in rows(panel)}
    assert changes["a + b"] == "▲1"
    assert changes["aa + a"] == "new"
    source = panel.model.source
    assert source.changes.tolist() == [source.change(row) for row in range(len(source.pairs))]
    born, lost = source.born_and_lost
    assert panel.note.text() == f"{born} new, {lost} gone by the last merge"
    assert len(source.pairs) - born == len(source.previous.pairs) - lost


def test_rank_changes_read_as_signs():
    assert [change_text(n) for n in (2, -1, 0, np.iinfo(np.int64).max)] == ["▲2", "▼1", "", "new"]


def test_no_pair_wins_below_the_minimum_count(panel, controller):
    show(controller, run_on([("abc", 1)]), 0)
    assert marks(panel) == ["", ""]


def test_the_table_is_dimmed_until_the_cursors_snapshot_is_here(panel, controller):
    run = trained_run(TEXTBOOK, 3)
    show(controller, run, 2)
    assert not panel.view.is_dimmed
    controller.move(1)
    assert panel.view.is_dimmed
    show(controller, run, 1)
    assert not panel.view.is_dimmed


def snapshot_of(n, run):
    number = np.arange(n)
    count = np.sort(number)[::-1] // 3 + 1
    left, right = (number % 256).astype(np.int32), (number // 256 % 256).astype(np.int32)
    pairs = PairTable(left, right, count, number, np.ones(n, bool))
    return Snapshot(0, n, np.zeros(0, np.int32), np.zeros(2, np.int64), pairs)


def test_the_best_thousand_are_listed_and_the_filter_searches_all(panel, controller):
    run = run_on(TEXTBOOK)
    controller.show_run(run)
    snapshot = snapshot_of(60_000, run)
    controller.view = View(snapshot, explain(snapshot, run.log))
    controller.snapshot_ready.emit(snapshot)
    n_tied = panel.model.source.n_tied
    assert panel.model.rowCount() == n_tied + N_BEST
    assert panel.note.text() == f"and {60_000 - n_tied - N_BEST:,} more"
    start = time.perf_counter()
    panel.filter.setText("ab")
    assert time.perf_counter() - start < 1
    # Pairs whose two tokens hold "ab" in a row: only a + b, which lies far behind the first thousand.
    assert [row[0] for row in rows(panel)] == ["a + b"]
    assert panel.note.text() == "1 of 60,000 pairs match"


def test_a_pair_stays_chosen_when_the_cursor_moves(panel, controller):
    run = trained_run(TEXTBOOK, 3)
    show(controller, run, 0)
    row = next(i for i, cells in enumerate(rows(panel)) if cells[0] == "b + d")
    panel.view.selectRow(row)
    assert controller.calls[-1] == ("pin", Focus.of_pair(98, 100))
    show(controller, run, 1)
    assert panel.model.index(panel.view.currentIndex().row(), 0).data() == "b + d"
    show(controller, run, 2)
    assert panel.view.chosen_row() is None


def test_freeing_the_pin_frees_the_selection(panel, controller):
    show(controller, trained_run(TEXTBOOK, 3), 1)
    panel.view.selectRow(1)
    controller.session.pin = None
    controller.focus_changed.emit(None)
    assert panel.view.chosen_row() is None


def test_no_reset_when_the_state_changes(panel, controller, qtbot):
    run = trained_run(TEXTBOOK, 3)
    show(controller, run, 0)
    with qtbot.assertNotEmitted(panel.model.modelReset):
        show(controller, run, 1)
        show(controller, run, 3)


def test_pairs_too_long_to_be_merged_are_dimmed_and_never_win(panel, controller):
    run = run_on(TEXTBOOK, max_token_length=1)
    show(controller, run, 0)
    states = {panel.model.index(row, 0).data(Role.STATE) for row in range(panel.model.rowCount())}
    assert states == {RowState.DIMMED}
    assert "★" not in marks(panel)


def test_sorting_by_pair_is_by_bytes(panel, controller):
    show(controller, trained_run(TEXTBOOK, 3), 1)
    panel.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    pairs = [panel.model.index(row, 0).data(Role.TOKEN) for row in range(panel.model.rowCount())]
    assert pairs == sorted(pairs)


def test_no_horizontal_scroll_bar_at_420_pixels(panel, controller, qtbot):
    show(controller, trained_run([("low lower lowest newest widest", 50)], 10), 5)
    qtbot.waitUntil(lambda: panel.view.viewport().width() > 350)
    assert not panel.view.horizontalScrollBar().isVisible()
    panel.grab()


def test_empty_states_are_sentences(panel, controller):
    assert panel.placeholder.text() == "Add a document or open a sample first"
    controller.show_run(run_on(TEXTBOOK))
    assert panel.placeholder.text() == "Counting the pairs …"
    show(controller, run_on([("a", 3)]), 0)
    assert panel.placeholder.text() == "No pair to merge."
    run = run_on(TEXTBOOK)
    tokenizer = run.tokenizer_at(0)
    controller.show_run(opened_run("loaded", replace(tokenizer), None))
    controller.snapshot_ready.emit(None)
    assert panel.placeholder.text() == "Open a corpus to see counts."


def test_a_huge_tie_is_ruled_at_once(qapp):
    run = run_on(TEXTBOOK)
    n = 60_000
    snapshot = snapshot_of(n, run)
    pairs = replace(snapshot.pairs, count=np.full(n, 2))
    snapshot = replace(snapshot, pairs=pairs)
    start = time.perf_counter()
    rules = CandidatesSource(snapshot, run.log, choices=explain(snapshot, run.log).choices).rules
    assert time.perf_counter() - start < 1
    assert rules[0] == ("lexicographic", "first-seen", "lowest-ids", "shortest")
    assert sorted(name for names in rules.values() for name in names)[-2] == "reverse-lexicographic"


def test_the_rules_pairs_are_those_of_the_why_sentence(qapp):
    run = trained_run([("low lower lowest newest widest", 50)], 12)
    for k in range(12):
        snapshot = state_at(run.words, run.log, k)
        choices = explain(snapshot, run.log).choices
        rules = CandidatesSource(snapshot, run.log, choices=choices).rules
        for choice in choices:
            if not choice.rule.startswith("random") and len(snapshot.pairs.tied) > 1:
                row = next(row for row, names in rules.items() if choice.rule in names)
                assert (snapshot.pairs.left[row], snapshot.pairs.right[row]) == choice.pair.ids
