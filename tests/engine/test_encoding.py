from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine import kernels
from bpe_studio.engine.compiled_model import CompiledModel
from bpe_studio.engine.encoding import (
    SHORT_WORD,
    merged_array,
    merged_linked,
    merged_short,
    merged_symbols,
)
from bpe_studio.engine.reference import encode_word, encode_word_one_by_one
from bpe_studio.engine.semantics import SEMANTICS, MergeModel
from tests.engine.building import trained, trainings

Rows = list[tuple[int, int, int]]


def ranks_of(rows: Rows) -> dict[tuple[int, int], tuple[int, int]]:
    ranks: dict[tuple[int, int], tuple[int, int]] = {}
    for rank, (left, right, product) in enumerate(rows):
        ranks.setdefault((left, right), (rank, product))
    return ranks


def reference(symbols: list[int], rows: Rows) -> list[int]:
    known = ranks_of(rows)
    ranks = {pair: rank for pair, (rank, _) in known.items()}
    return encode_word(symbols, ranks, {pair: product for pair, (_, product) in known.items()})


@st.composite
def ordered_merges(draw: st.DrawFn) -> Rows:
    """Merges over the symbols 0, 1, 2 as a training makes them: parts known, no pair twice."""
    rows: Rows = []
    pairs = set()
    for product in range(3, 3 + draw(st.integers(0, 12))):
        pair = (draw(st.integers(0, product - 1)), draw(st.integers(0, product - 1)))
        if pair not in pairs:
            pairs.add(pair)
            rows.append((*pair, 3 + len(rows)))
    return rows


@given(st.lists(st.integers(0, 2), max_size=200), ordered_merges())
def test_short_and_long_way_equal_the_reference(symbols: list[int], rows: Rows) -> None:
    expected = reference(symbols, rows)
    assert merged_short(list(symbols), ranks_of(rows)) == expected
    assert merged_linked(symbols, ranks_of(rows)) == expected


@given(st.lists(st.integers(0, 2), max_size=60), ordered_merges(), st.randoms(use_true_random=False))
def test_a_list_out_of_order_is_merged_as_the_reference_does(
    symbols: list[int], rows: Rows, random: object
) -> None:
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert merged_linked(symbols, ranks_of(rows)) == reference(symbols, rows)
    assert merged_short(list(symbols), ranks_of(rows)) == reference(symbols, rows)


@given(st.lists(st.integers(0, 2), max_size=100), ordered_merges())
def test_applications_tell_every_token_made(symbols: list[int], rows: Rows) -> None:
    applied: list[tuple[int, int, int]] = []
    tokens = merged_linked(symbols, ranks_of(rows), applied)
    assert len(symbols) - len(tokens) == len(applied)
    assert applied == sorted(applied)
    for rank, start, end in applied:
        assert reference(symbols[start:end], rows[: rank + 1]) == [rows[rank][2]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abc", [97, 256]), ("abcab", [97, 256, 257]), ("aabbcc", [97, 257, 256, 99]), ("bcbc", [256, 256])],
)
def test_the_lowest_rank_goes_first(text: str, expected: list[int]) -> None:
    assert merged_symbols(list(text.encode()), ranks_of([(98, 99, 256), (97, 98, 257)])) == expected


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, [97]), (2, [256]), (3, [256, 97]), (4, [257]), (5, [257, 97]), (6, [257, 256]),
        (7, [257, 256, 97]), (8, [257, 257]), (9, [257, 257, 97]),
    ],
)  # fmt: skip
def test_runs_pair_off_from_the_left(n: int, expected: list[int]) -> None:
    ranks = ranks_of([(97, 97, 256), (256, 256, 257)])
    assert merged_symbols([97] * n, ranks) == expected
    assert merged_linked([97] * n, ranks) == expected


def test_a_million_of_one_character_takes_seconds() -> None:
    ranks = ranks_of([(97, 97, 256), *((256 + k, 256 + k, 257 + k) for k in range(20))])
    started = time.perf_counter()
    tokens = merged_symbols([97] * 1_000_000, ranks)
    assert time.perf_counter() - started < 20
    lengths = {97: 1, **{256 + k: 2 ** (k + 1) for k in range(21)}}
    assert sum(lengths[token] for token in tokens) == 1_000_000
    assert tokens == sorted(tokens, reverse=True) and len(tokens) == (1_000_000).bit_count()


def test_time_grows_with_the_length_not_with_its_square() -> None:
    rows = [(a, b, 26 * a + b + 26) for a in range(26) for b in range(26)]
    seconds = []
    for n in (20_000, 200_000):
        symbols = [(i * 7919) % 26 for i in range(n)]
        started = time.perf_counter()
        merged_symbols(symbols, ranks_of(rows))
        seconds.append(time.perf_counter() - started)
    assert seconds[1] < 40 * seconds[0] + 0.5


def test_both_ways_meet_at_the_length_where_they_change() -> None:
    rows = [(0, 1, 2), (2, 2, 3), (3, 0, 4)]
    for n in range(SHORT_WORD - 2, SHORT_WORD + 4):
        symbols = [i % 2 for i in range(n)]
        assert merged_symbols(symbols, ranks_of(rows)) == reference(symbols, rows)


@given(trainings(), st.data())
def test_compiled_merging_equals_the_reference(training, data):
    words, config = training
    log = trained(words, config).log
    compiled = kernels.load()
    order = data.draw(st.permutations(range(len(log)))) if data.draw(st.booleans()) else range(len(log))
    columns = [column[list(order)] for column in (log.left, log.right, log.token)]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    ranks = {(left, right): rank for rank, (left, right, _) in enumerate(rows)}
    products = {(left, right): token for left, right, token in rows}
    base = log.alphabet.word_symbols(words)[0].tolist()
    symbols = data.draw(st.lists(st.sampled_from(base), min_size=1, max_size=60)) if base else [0]
    for name, expected in (("pairs", encode_word), ("pairs-whole", encode_word_one_by_one)):
        model = MergeModel(log.alphabet, *columns, SEMANTICS[name], {}, {}, {}, dict)
        pairs, one_by_one = CompiledModel(model, compiled).pairs, model.semantics.one_by_one
        found = merged_array(np.array(symbols, np.int32), pairs, compiled, one_by_one=one_by_one)
        assert found.tolist() == expected(symbols, ranks, products)


@pytest.mark.parametrize("text", ["a" * 60_000, "ab" * 30_000 + "a", "née €" * 10_000])
def test_very_long_words_are_encoded_as_the_short_ones_are(text, monkeypatch):
    kernels.load()
    tok = bs.train(text[:500], vocab_size=300, pattern="none")
    with_kernel = tok.encode(f"{text}")
    assert tok.encode_to_array(text).tolist() == with_kernel
    monkeypatch.setattr(kernels, "status", lambda: "cold")
    assert tok.encode(text) == with_kernel
    assert tok.decode(with_kernel) == text
