"""Why a merge was made: winner, rival, what was compared, and what other rules would take."""

from __future__ import annotations

import pytest
from hypothesis import given

from bpe_studio.analysis.ties import explain, explain_row, rules_shown
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.replay import Replay, state_at
from bpe_studio.engine.ties import parse_rule
from bpe_studio.engine.words import WordTable
from tests.engine.building import reference_of, trained, trainings


def why_of(texts, k, **settings):
    words = WordTable.from_counts([(text, 1) for text in texts])
    config = TrainingConfig(vocab_size=settings.pop("vocab_size", 300), **settings)
    log = trained(words, config).log
    return explain(state_at(words, log, k), log)


def test_without_a_tie_the_runner_up_and_the_lead_are_told():
    why = why_of(["aaabdaaabac"], 0)
    assert (why.kind, why.rank, why.winner.token, why.winner.count) == ("merge", 0, b"aa", 4)
    assert (why.is_tie, why.margin, why.rival.left + why.rival.right, why.rival.count) == (False, 2, b"ab", 2)
    assert why.compared == ()


@pytest.mark.parametrize(
    ("rule", "winner", "compared"),
    [
        ("lexicographic", (b"a", b"b"), ("61 + 62", "61 61 + 61")),
        ("reverse-lexicographic", (b"aa", b"a"), ("61 61 + 61", "61 + 62")),
        ("first-seen", (b"aa", b"a"), ("0", "2")),
        ("lowest-ids", (b"a", b"b"), ("(97, 98)", "(256, 97)")),
        ("shortest", (b"a", b"b"), ("2: 61 62", "3: 61 61 61")),
    ],
)
def test_in_a_tie_the_rule_says_what_it_compared(rule, winner, compared):
    why = why_of(["aaabdaaabac"], 1, tie_rule=rule)
    assert (why.winner.left, why.winner.right) == winner
    assert (why.n_tied, why.margin, why.compared) == (2, 0, compared)
    assert {choice.rule for choice in why.dissent} == {
        name
        for name in rules_shown(rule)
        if (name in ("lexicographic", "lowest-ids", "shortest")) != (winner == (b"a", b"b"))
    }


def test_no_further_merge_gives_the_reason():
    why = why_of(["aaabdaaabac"], 3)
    assert (why.kind, why.winner) == ("stopped", None)
    assert why.stop.text == "best count 1 is below 2; 41 merges short of 300"


def test_a_loaded_row_without_counts_says_that_they_are_unknown():
    log = trained(WordTable.from_counts([("abab", 1)]), TrainingConfig(vocab_size=257)).log
    assert explain_row(log, 0).kind == "merge"
    log._columns["count"][0] = -1
    assert explain_row(log, 0).kind == "unknown"


@given(trainings())
def test_choices_are_what_each_rule_takes_by_its_own_key(training):
    words, config = training
    log = trained(words, config).log
    replay = Replay(words, log, fast=True)
    reference = reference_of(words, config)
    for k in range(min(len(log), 6)):
        snapshot = replay.state_at(k)
        why = explain(snapshot, log, order=replay.order)
        pairs = reference.eligible_pairs()
        tied = [
            reference.candidate(pair, facts.first)
            for pair, facts in pairs.items()
            if facts.count == why.winner.count
        ]
        for choice in why.choices:
            best = min(tied, key=parse_rule(choice.rule).key)
            assert choice.pair.ids == (best.left_id, best.right_id)
        assert (why.winner.left_id, why.winner.right_id) == (log.left[k], log.right[k])
        reference.apply((int(log.left[k]), int(log.right[k])))
