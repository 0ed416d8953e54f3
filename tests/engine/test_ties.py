"""Tie rules: published keys, names, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.errors import TrainingError
from bpe_studio.engine.ties import TIE_RULES, Candidate, parse_rule, random_key


def pair(left, right, *, ids=(0, 0), first=0, characters=False):
    return Candidate(left, right, *ids, first, characters)


@pytest.mark.parametrize(("seed", "key"), [(0, 0xDDCDDB2CC17DC3A4), (7, 0x2E8DD12770D049E1)])
def test_random_keys_are_the_published_ones(seed, key):
    assert random_key(b"t", b"h", seed) == key


@given(st.binary(max_size=4), st.binary(max_size=4))
def test_reverse_lexicographic_is_lexicographic_backwards(a, b):
    forward, backward = parse_rule("lexicographic"), parse_rule("reverse-lexicographic")
    one, other = pair(a, b"x"), pair(b, b"x")
    assert (forward.key(one) < forward.key(other)) == (backward.key(one) > backward.key(other))


def test_pairs_are_compared_not_their_concatenations():
    rule = parse_rule("lexicographic")
    assert rule.key(pair(b"a", b"bc")) < rule.key(pair(b"ab", b"c"))


def test_shortest_reads_a_blank_as_u2581_in_characters_only():
    rule = parse_rule("shortest")
    assert rule.key(pair(b"!", b"b")) > rule.key(pair(b" ", b"b"))
    assert rule.key(pair(b"!", b"b", characters=True)) < rule.key(pair(b" ", b"b", characters=True))


def test_shortest_counts_characters_not_bytes():
    rule = parse_rule("shortest")
    assert rule.key(pair("é".encode(), "é".encode(), characters=True)) < rule.key(
        pair(b"aa", b"a", characters=True)
    )


@pytest.mark.parametrize(
    "name",
    ["", "Lexicographic", "random", "random:", "random:-1", "random:1.5", "random:18446744073709551616",
     "lexicographic:1", "first-seen:", None, 3],
)  # fmt: skip
def test_unknown_rules_are_refused_with_the_known_ones(name):
    with pytest.raises(TrainingError, match="it must be lexicographic, .* or random:SEED"):
        parse_rule(name)


@pytest.mark.parametrize(
    "name", [rule.name for rule in TIE_RULES if rule.name != "random"] + ["random:0", f"random:{2**64 - 1}"]
)
def test_rules_are_written_as_they_are_read(name):
    assert parse_rule(name).text == name
