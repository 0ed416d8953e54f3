"""MergeLog: append-only columns, prefixes, and the conditions for a cursor."""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.merges import RULE, MergeBatch, MergeLog, order_check


def log_of(rows):
    log = MergeLog(Alphabet(), TrainingConfig(), 10)
    log.extend(
        MergeBatch.from_rows(0, [(left, right, token, 2, 1, 1, 9, RULE) for left, right, token in rows])
    )
    return log


def test_views_taken_earlier_stay_as_they_were():
    log = log_of([(97, 97, 256)])
    before = log.left
    log.extend(MergeBatch.from_rows(1, [(256, 97, 257 + i, 2, 1, 1, 8, RULE) for i in range(500)]))
    assert before.tolist() == [97]
    assert len(log) == 501


def test_columns_cannot_be_written():
    log = log_of([(97, 97, 256)])
    with pytest.raises(ValueError, match="read-only"):
        log.count[0] = 3
    log.extend(MergeBatch.from_rows(1, [(256, 97, 257, 2, 1, 1, 8, RULE)]))
    assert log.count.tolist() == [2, 2]


def test_a_prefix_is_a_log_of_its_own():
    log = log_of([(97, 97, 256), (256, 98, 257)])
    prefix = log.first(1)
    assert (len(prefix), prefix.next_id, prefix.token_bytes(256)) == (1, 257, b"aa")
    prefix.extend(MergeBatch.from_rows(1, [(97, 98, 257, 2, 1, 1, 8, RULE)]))
    assert log.token_bytes(257) == b"aab"
    assert prefix.token_bytes(257) == b"ab"


def test_lengths_are_in_base_symbols():
    assert log_of([(97, 97, 256), (256, 98, 257)]).token_lengths()[-2:].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("rows", "rank", "reason"),
    [
        ([(97, 97, 256), (256, 256, 257)], -1, ""),
        ([(97, 256, 257), (97, 97, 256)], 0, "which no lower rank makes"),
        ([(97, 97, 256), (97, 97, 257)], 1, "repeats the pair"),
        ([(97, 97, 256), (97, 98, 256)], 1, "exists already"),
        ([(97, 97, 98)], 0, "exists already"),
    ],
)
def test_order_is_refused_with_rank_and_reason(rows, rank, reason):
    columns = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    check = order_check(Alphabet(), *columns)
    assert (check.rank, bool(check)) == (rank, rank < 0)
    assert reason in check.reason


def test_ids_without_a_hole_are_told_apart_by_the_same_conditions():
    specials_first = Alphabet(first_id=2)
    good = np.array([[99, 99, 258], [258, 100, 259]], np.int32).T
    assert order_check(specials_first, *good)
    for row, column, value in ((0, 0, 1), (0, 1, 258), (1, 0, 259), (1, 1, 260)):
        bad = good.copy()
        bad[column, row] = value
        assert order_check(specials_first, *bad).rank == row
    repeated = np.array([[99, 99, 258], [99, 99, 259]], np.int32).T
    assert order_check(specials_first, *repeated).reason.startswith("merge 1 repeats")
    assert order_check(Alphabet(), *np.zeros((3, 0), np.int32))
