from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.dataset import checks
from bpe_studio.dataset.checks import RoundTrip, check_reload, first_difference
from bpe_studio.engine.errors import BpeStudioError
from tests.strategies import awkward_texts

TOK = bs.train("the cat sat on the mat " * 3, vocab_size=270, pattern="gpt4", special_tokens=["<s>"])
UNK = bs.train("ab " * 9, vocab_size=9, alphabet="characters", unknown_token="<unk>", pattern="none")


@given(text=awkward_texts(), cuts=st.lists(st.integers(0, 60), max_size=4))
def test_a_text_is_followed_along_its_ids_however_they_are_cut(text: str, cuts: list[int]) -> None:
    utf8, ids = text.encode(), TOK.encode_to_array(text, "none")
    trip, at = RoundTrip(TOK), 0
    for part in np.split(ids, sorted(cut for cut in cuts if cut <= len(ids))):
        at = trip.follow(utf8, part, at)
    trip.check_end(utf8, at)
    assert (trip.n_bytes, trip.n_tokens, trip.n_lines) == (len(utf8), len(ids), utf8.count(b"\n"))
    assert trip.largest_id == max(ids.tolist(), default=None)


@given(text=awkward_texts().filter(bool), place=st.integers(0), bit=st.integers(0, 7))
def test_every_changed_byte_is_named(text: str, place: int, bit: int) -> None:
    utf8, ids = text.encode(), TOK.encode_to_array(text, "none")
    changed = bytearray(utf8)
    place %= len(utf8)
    changed[place] ^= 1 << bit
    with pytest.raises(BpeStudioError, match="comes back as") as error:
        RoundTrip(TOK).follow(bytes(changed), ids)
    # The message names the first byte of the character.
    named = int(str(error.value).split("at byte ")[1].split(", line")[0].replace(",", ""))
    assert named <= place and all(byte & 0xC0 == 0x80 for byte in changed[named + 1 : place + 1])


def test_the_place_counts_from_the_start_of_the_text() -> None:
    trip = RoundTrip(TOK)
    assert trip.follow(b"the\ncat\n", TOK.encode_to_array("the\ncat\n")) == 8
    with pytest.raises(BpeStudioError, match=r"at byte 12, line 4: b'sat' comes back as b'mat'"):
        trip.follow(b"the\nsat", TOK.encode_to_array("the\nmat"))


def test_a_text_that_goes_on_is_said() -> None:
    trip = RoundTrip(TOK)
    with pytest.raises(BpeStudioError, match=r"at byte 3, line 1: the ids end, and 4 bytes"):
        trip.check_end(b"the cat", trip.follow(b"the cat", TOK.encode_to_array("the")))
    with pytest.raises(BpeStudioError, match=r"at byte 3, line 1: nothing comes back as b' cat'"):
        RoundTrip(TOK).follow(b"the", TOK.encode_to_array("the cat"))


def test_an_id_out_of_range_is_an_error() -> None:
    with pytest.raises(BpeStudioError, match="No token has the id 999"):
        RoundTrip(TOK).follow(b"the", np.array([999], np.uint32))


def test_unknown_characters_differ_unless_they_are_allowed() -> None:
    utf8, ids = "aXéb".encode(), UNK.encode_to_array("aXéb")
    with pytest.raises(BpeStudioError, match="outside the alphabet became the unknown token"):
        RoundTrip(UNK).follow(utf8, ids)
    assert RoundTrip(UNK, as_encoded=True).follow(utf8, ids) == len(utf8)
    with pytest.raises(BpeStudioError, match="comes back as"):  # a known character is no unknown one
        RoundTrip(UNK, as_encoded=True).follow(b"aab", ids)


def test_many_ids_are_decoded_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "BLOCK_IDS", 3)
    text = "the cat sat on the mat " * 9
    trip = RoundTrip(TOK)
    assert trip.follow(text.encode(), TOK.encode_to_array(text)) == len(text)
    assert trip.n_tokens == len(TOK.encode(text))


def test_differences() -> None:
    assert [first_difference(*pair) for pair in ((b"", b""), (b"", b"a"), (b"ab", b"ac"))] == [0, 0, 1]


def test_a_reload_that_differs_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    check_reload(TOK)
    monkeypatch.setattr(checks, "written_and_read", lambda tokenizer: tokenizer.first(3))
    with pytest.raises(BpeStudioError, match="written and read back"):
        check_reload(TOK)


@given(text=awkward_texts())
def test_a_normalizer_is_followed_in_the_text_that_it_gives(text: str) -> None:
    for steps in ((("NFC",),), (("prepend", " "), ("replace", " ", "▁"))):
        tok = replace(TOK, normalizer=steps)
        ids = tok.encode_to_array(text, "none")
        utf8 = tok.normalized(text, "none").encode()
        assert RoundTrip(tok, as_encoded=True).follow(utf8, ids) == len(utf8)


def test_a_normalizer_that_changes_a_text_is_named() -> None:
    tok = replace(TOK, normalizer=(("NFC",),))
    assert RoundTrip(tok).follow("é".encode(), tok.encode_to_array("é")) == 2
    with pytest.raises(BpeStudioError, match="normalizes text first: NFC"):
        RoundTrip(tok).follow("e\u0301".encode(), tok.encode_to_array("e\u0301"))
    spaces = replace(TOK, normalizer=(("prepend", " "), ("replace", " ", "▁")))
    assert RoundTrip(spaces).follow(b"the cat", spaces.encode_to_array("the cat")) == 7
