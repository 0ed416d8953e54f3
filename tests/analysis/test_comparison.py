from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.analysis.comparison import WINDOW_TOKENS, FigureCounter, figures_of
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.long_texts import encode_parts
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from tests.strategies import awkward_texts

TOK = bs.train("the cat sat on the mat the cat é 東 " * 3, vocab_size=275, special_tokens=["<s>"])


def test_the_figures_of_a_small_text_by_hand() -> None:
    tok = bs.train("aaabdaaabac", vocab_size=259, pattern="none")
    figures = figures_of(tok, encode_parts(tok, ["aaabdé".encode()]))
    assert (figures.n_bytes, figures.n_characters, figures.n_symbols) == (7, 6, 7)
    assert figures.counts == {258: 1, 100: 1, 0xC3: 1, 0xA9: 1}
    assert figures.n_tokens == figures.n_used == 4 and figures.n_unknown == 0
    assert figures.compression_factor == figures.bytes_per_token == 7 / 4
    assert figures.characters_per_token == 6 / 4
    assert figures.reduction_percent == pytest.approx(100 * 3 / 7)
    assert [token.utf8 for token in figures.longest] == [b"aaab", b"d", b"\xa9", b"\xc3"]
    assert figures.window is None


def test_characters_are_the_symbols_of_their_alphabet() -> None:
    tok = bs.train("éé éé", vocab_size=9, alphabet="characters", pattern="none", min_frequency=2)
    figures = figures_of(tok, encode_parts(tok, ["éé éé".encode()]))
    assert (figures.n_symbols, figures.n_tokens, figures.compression_factor) == (5, 3, 5 / 3)


def test_an_empty_text_has_no_ratios() -> None:
    value = figures_of(TOK, encode_parts(TOK, [])).as_json()
    assert value["n_tokens"] == 0 and value["bytes_per_token"] is None and value["reduction_percent"] is None
    assert value["longest_tokens"] == [] and value["characters_in_window"] is None


@given(texts=st.lists(awkward_texts(30), max_size=6), n_characters=st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_figures_do_not_depend_on_the_parts(texts: list[str], n_characters: int) -> None:
    text = "the cat sat ".join(texts) * 3
    ids = TOK.encode(text, "none")
    figures = figures_of(TOK, encode_parts(TOK, [text.encode()], n_characters=n_characters))
    assert figures.counts == dict(sorted(Counter(ids).items()))
    assert (figures.n_bytes, figures.n_characters) == (len(text.encode()), len(text))
    assert figures.n_tokens == len(ids)
    # A character lies where its first byte does.
    starts = [sum(byte & 0xC0 != 0x80 for byte in TOK.token_bytes(token)) for token in ids]
    windows = [
        sum(starts[at : at + WINDOW_TOKENS]) for at in range(0, len(ids) - WINDOW_TOKENS + 1, WINDOW_TOKENS)
    ]
    if windows:
        assert figures.window == (min(windows), pytest.approx(np.mean(windows)), max(windows))
    else:
        assert figures.window is None


def test_unknown_characters_count_as_one_each_and_are_counted() -> None:
    tok = bs.train("ab " * 9, vocab_size=9, alphabet="characters", unknown_token="<unk>", pattern="none")
    text = "aXYb" + "Z" * 200
    figures = figures_of(tok, encode_parts(tok, [text.encode()]))
    assert figures.n_unknown == 202 and figures.window == (128, 128.0, 128)


def test_ids_with_holes_and_far_above_take_no_more_memory() -> None:
    none = np.zeros(0, np.int32)
    specials = {"<s>": 300, "<e>": 2**31 - 1}
    tok = Tokenizer(Alphabet(), none, none, none, resolve_pattern("none"), specials)
    counter = FigureCounter(tok)
    counter.add(b"<s>a<e>", tok.encode_to_array("<s>a<e>", "all"))
    assert counter.figures().counts == {97: 1, 300: 1, 2**31 - 1: 1}
    assert [token.id for token in counter.figures().longest] == [97]
