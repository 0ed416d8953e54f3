"""state_at(words, log, k) is the trainer after k merges, for any k."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.reference import count_pairs
from bpe_studio.engine.replay import Replay, state_at
from bpe_studio.engine.words import WordTable
from tests.engine.building import reference_of, trained, trainings


def reference_state(words, config, log, k):
    """Symbols, and pairs sorted by (−count, rule), after k merges, by the reference."""
    reference = reference_of(words, config)
    for left, right in zip(log.left[:k].tolist(), log.right[:k].tolist(), strict=True):
        reference.apply((left, right))
    pairs = {
        pair: facts
        for pair, facts in count_pairs(reference.words, reference.counts, reference.lengths).items()
        if not any(map(reference.alphabet.is_wall, pair))
    }
    eligible = reference.eligible_pairs()
    rows = sorted(
        pairs.items(),
        key=lambda item: (-item[1].count, reference.rule.key(reference.candidate(item[0], item[1].first))),
    )
    return reference.words, [(*pair, facts.count, facts.first, pair in eligible) for pair, facts in rows]


def rows_of(pairs):
    columns = (pairs.left, pairs.right, pairs.count, pairs.first, pairs.eligible)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@settings(max_examples=300)
@given(trainings(), st.data())
def test_state_equals_the_reference_after_k_merges(training, data):
    words, config = training
    log = trained(words, config).log
    k = data.draw(st.integers(0, len(log)))
    symbols, rows = reference_state(words, config, log, k)
    for fast in (True, False):
        snapshot = Replay(words, log, fast=fast).state_at(k)
        starts = snapshot.offsets.tolist()
        found = [snapshot.symbols[a:b].tolist() for a, b in zip(starts, starts[1:], strict=False)]
        assert found == symbols
        assert rows_of(snapshot.pairs) == rows
        assert snapshot.n_tokens == (log.corpus_tokens[k - 1] if k else log.corpus_tokens_before)


@given(trainings())
def test_winner_and_ties_of_every_state_are_those_of_the_log(training):
    words, config = training
    log = trained(words, config).log
    replay = Replay(words, log, fast=True)
    for k in range(len(log)):
        pairs = replay.state_at(k).pairs
        row = pairs.winner
        assert (pairs.left[row], pairs.right[row], pairs.count[row]) == (
            log.left[k],
            log.right[k],
            log.count[k],
        )
        assert len(pairs.tied) == log.n_tied[k]
        best_other = pairs.count[pairs.runner_up] if pairs.runner_up >= 0 else 0
        assert log.count[k] - best_other == log.margin[k]


@given(trainings(), st.lists(st.integers(0, 30), max_size=6))
def test_going_back_and_forth_gives_the_same_states(training, visits):
    words, config = training
    log = trained(words, config).log
    replay = Replay(words, log, fast=True)
    for visit in visits:
        k = min(visit, len(log))
        there, fresh = replay.state_at(k), state_at(words, log, k)
        assert there.symbols.tolist() == fresh.symbols.tolist()
        assert rows_of(there.pairs) == rows_of(fresh.pairs)


def test_pair_tables_of_a_textbook_step_forward_and_back():
    words = WordTable.from_counts([("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)])
    log = trained(words, TrainingConfig(vocab_size=259, tie_rule="lowest-ids")).log
    tables = []
    for k in (0, 1, 2, 3, 2, 1, 0):
        pairs = state_at(words, log, k).pairs
        rows = zip(pairs.left.tolist(), pairs.right.tolist(), pairs.count.tolist(), strict=True)
        tables.append({f"{log.token_bytes(a).decode()}+{log.token_bytes(b).decode()}": n for a, b, n in rows})
    assert tables[0] == {
        "e+s": 9, "s+t": 9, "w+e": 8, "l+o": 7, "o+w": 7, "e+w": 6, "n+e": 6, "d+e": 3, "i+d": 3, "w+i": 3,
        "e+r": 2,
    }  # fmt: skip
    assert tables[3] == {
        "lo+w": 7, "e+w": 6, "n+e": 6, "w+est": 6, "d+est": 3, "i+d": 3, "w+i": 3, "e+r": 2, "w+e": 2,
    }  # fmt: skip
    assert tables[4:] == tables[2::-1]
    assert log.n_tied.tolist() == [2, 1, 2]


def test_a_state_beyond_the_log_is_refused():
    words = WordTable.from_counts([("abab", 1)])
    log = trained(words, TrainingConfig(vocab_size=257)).log
    with pytest.raises(BpeStudioError, match="the run has 1 merges"):
        state_at(words, log, 2)


def test_arrays_of_a_state_cannot_be_changed():
    words = WordTable.from_counts([("abab", 1)])
    snapshot = state_at(words, trained(words, TrainingConfig(vocab_size=257)).log, 1)
    with pytest.raises(ValueError, match="read-only"):
        snapshot.symbols[0] = 1
    assert isinstance(snapshot.pairs.count, np.ndarray)
    assert not snapshot.pairs.count.flags.writeable
