"""Compiled splitting is that of `regex`: in blocks and one by one, for every code point and at every seam."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine import kernels
from bpe_studio.engine.fast_counting import KINDS, PADDING, padded
from bpe_studio.engine.kernels.state import BLOCK
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.unicode_classes import character_classes
from tests.strategies import CLUSTERS, PIECES, SEAMS

PATTERNS = sorted(KINDS)
POINTS = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]

TRICKY = (
    *SEAMS,
    *"' 's 'S 'ſ 't 'Re 'VE 'lL 'm 'd s S ſ a B Dž ʰ 漢 é É Ж क \u093f \u0301 1 ½ Ⅷ / // ! ? - — _ “".split(
        " "
    ),
    *("😀", "\u200d", "\u212a", "ﬀ", "𝕬", "İ", "ß", "\x1c", "\n  \n", "\n \u2028\r\n", "x" * 70, " " * 70),
)
"""What the alternatives of the patterns begin, end and turn on, and what fills a block."""


@cache
def compiled():
    """The two ways: blocks with what is left to the loops, and the loops alone."""
    from numba import njit

    loaded = kernels.load()
    fill_ends, pre_token_end = loaded.splitting.fill_ends, loaded.scanning.pre_token_end

    @njit
    def in_blocks(kind, text, at, end, classes, ends):
        return fill_ends(kind, text, at, end, classes, ends)

    @njit
    def one_by_one(kind, text, at, end, classes, ends):
        n = 0
        while at < end and n < len(ends):
            at = pre_token_end(kind, text, at, end, classes)
            ends[n] = at
            n += 1
        return n

    return in_blocks, one_by_one


def ends_of(fill, name, text, at, end, room=256):
    """Ends of the pre-tokens of part of a text, filled in batches of a size."""
    batch, found = np.zeros(room, np.int64), []
    while at < end:
        n = fill(KINDS[name], text, at, end, character_classes(), batch)
        found += batch[:n].tolist()
        at = found[-1]
    return found


def by_regex(name, text, at):
    pre_tokens = regex.findall(resolve_pattern(name).expression, text)
    return (at + np.cumsum([len(pre_token.encode()) for pre_token in pre_tokens], dtype=int)).tolist()


def assert_split_alike(name, text, before="", after="", room=256):
    at = len(before.encode())
    array = padded((before + text + after).encode())
    end = at + len(text.encode())
    for fill in compiled():
        assert ends_of(fill, name, array, at, end, room) == by_regex(name, text, at)


@settings(max_examples=1000)
@given(
    st.lists(st.sampled_from(TRICKY) | st.characters(codec="utf-8"), max_size=12).map("".join),
    st.sampled_from(("", "a", "é漢", " ")),
    st.sampled_from(("", "a", "\n", " \n", "'s", "漢", "1")),
)
def test_splitting_is_that_of_regex_whatever_lies_around_the_text(text, before, after):
    for name in PATTERNS:
        assert_split_alike(name, text, before, after)


@settings(max_examples=500)
@given(
    st.lists(st.sampled_from(TRICKY + CLUSTERS + PIECES), min_size=1, max_size=8),
    st.integers(0, 2**32),
    st.integers(BLOCK, 2 * BLOCK),
)
def test_splitting_is_that_of_regex_over_many_blocks(pieces, seed, room):
    text = "".join(random.Random(seed).choices(pieces, k=150))
    for name in PATTERNS:
        assert_split_alike(name, text, room=room)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("sign", ["'", "\n", " ", "\u3000", "1", "½", "é", "😀"])
def test_what_crosses_the_end_of_a_block_is_cut_alike(name, sign):
    for tail in ("s a", "\n  \n b", "  x", "11 1", "—é"):
        for place in range(BLOCK - 6, BLOCK + 2):
            assert_split_alike(name, "a" * place + sign + tail)
            assert_split_alike(name, "a " * (place // 2) + "b" * (place % 2) + sign + tail)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("text", ["a\n  ", "!\n", "it", "12", "a ", "é"])
@pytest.mark.parametrize("after", ["\n", "'s", "3", "/", "b", "\u0301", " "])
def test_what_follows_the_end_of_a_part_does_not_matter(name, text, after):
    assert_split_alike(name, text, after=after)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("around", ["{}", "a{}B", "'{}\u0301"])
def test_splitting_is_that_of_regex_for_every_code_point(name, around):
    # A line break and a letter keep the samples apart, so that one fault does not hide the next.
    assert_split_alike(name, "\nx".join(around.format(chr(point)) for point in POINTS), room=1 << 16)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("text", ["", " ", "a", "\n", "1", "'", "\u3000", "漢", "a ", "\n "])
def test_long_runs_are_cut_alike(name, text):
    for after in ("", " ", "a"):
        assert_split_alike(name, text * 50_000 + after, room=1 << 16)


def test_a_block_can_be_read_from_the_last_byte():
    assert len(padded(b"a")) >= 1 + PADDING and PADDING >= BLOCK
