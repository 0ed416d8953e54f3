from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine.errors import BpeStudioError, SpecialTokenError, UnknownCharacterError
from bpe_studio.engine.long_texts import can_be_cut, encode_parts
from tests.strategies import awkward_texts

TEXT = "the cat sat on the mat, the 12 cats' mats don't\r\n\r\n  sit on the <s> 東京 é 😀 "
PATTERNS = ("whitespace", "gpt2", "gpt4", "o200k", "none", r"\w+|\W")
TOKENIZERS = {
    pattern: bs.train(TEXT * 3, vocab_size=330, pattern=pattern, special_tokens=["<s>", "<e>"])
    for pattern in PATTERNS
}


def chunks(data: bytes, sizes: list[int]) -> list[bytes]:
    """A text cut after so many bytes, then so many more, over and over."""
    found, at, turn = [], 0, 0
    while at < len(data):
        found.append(data[at : at + sizes[turn % len(sizes)]])
        at, turn = at + len(found[-1]), turn + 1
    return found


@given(
    pattern=st.sampled_from(PATTERNS),
    text=st.lists(awkward_texts(6) | st.sampled_from(["the cat ", "<s>", "a <s> b", " 12"]), max_size=8),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    n_characters=st.integers(0, 12),
    allowed=st.sampled_from(["none", "all", frozenset({"<s>"})]),
)
@settings(max_examples=400, deadline=None)
def test_parts_have_the_ids_of_the_whole(
    pattern: str, text: list[str], sizes: list[int], n_characters: int, allowed: str | frozenset[str]
) -> None:
    tokenizer, data = TOKENIZERS[pattern], "".join(text).encode()
    parts = list(encode_parts(tokenizer, chunks(data, sizes), allowed, n_characters))
    assert b"".join(utf8 for utf8, _ in parts) == data
    assert [token for _, ids in parts for token in ids.tolist()] == tokenizer.encode(data, allowed)


def test_a_long_text_comes_in_parts_where_places_to_cut_are_known() -> None:
    data = (TEXT * 20).encode()
    n_parts = {
        pattern: len(list(encode_parts(tokenizer, [data], n_characters=100)))
        for pattern, tokenizer in TOKENIZERS.items()
    }
    assert n_parts["none"] == n_parts[r"\w+|\W"] == 1
    assert min(n_parts[pattern] for pattern in ("whitespace", "gpt2", "gpt4", "o200k")) >= 10


def test_nothing_is_cut_where_a_special_token_may_lie_across() -> None:
    tokenizer = bs.train(TEXT, vocab_size=300, special_tokens=["the cat"])
    assert not can_be_cut(tokenizer)
    data = b"see the cat sat " * 9
    parts = list(encode_parts(tokenizer, [data], "all", 1))
    assert [ids.tolist() for _, ids in parts] == [tokenizer.encode(data, "all")]


def test_a_text_without_places_to_cut_is_one_part() -> None:
    data = "東。\n".encode() * 1000
    assert len(list(encode_parts(TOKENIZERS["gpt4"], chunks(data, [7]), n_characters=3))) == 1


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xe6\x9d", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_are_named_as_in_the_whole(bad: bytes, size: int) -> None:
    data = "the é cat ".encode() * 5 + bad
    tokenizer = TOKENIZERS["gpt4"]
    with pytest.raises(BpeStudioError) as whole:
        tokenizer.encode(data)
    with pytest.raises(BpeStudioError) as parts:
        list(encode_parts(tokenizer, chunks(data, [size]), n_characters=1))
    assert f"offset {len(data) - len(bad)}" in str(parts.value)
    assert str(parts.value) == str(whole.value)


def test_raw_bytes_go_through_where_no_pattern_cuts() -> None:
    tokenizer, data = TOKENIZERS["none"], b"the \xff\xfe cat \x80"
    ((utf8, ids),) = encode_parts(tokenizer, chunks(data, [3]))
    assert utf8 == data and tokenizer.decode_bytes(ids) == data


def test_every_missing_character_of_all_parts_is_named() -> None:
    tokenizer = bs.train("the cat ", vocab_size=9, alphabet="characters")
    text = "the cat X the Y cat the Z "
    with pytest.raises(UnknownCharacterError) as whole:
        tokenizer.encode(text)
    with pytest.raises(UnknownCharacterError) as parts:
        list(encode_parts(tokenizer, [text.encode()], n_characters=3))
    assert str(parts.value) == str(whole.value)
    assert parts.value.characters == ("X", "Y", "Z") and parts.value.position == 8


def test_a_special_token_is_placed_in_the_whole_text() -> None:
    text = "the cat " * 5 + "<s>"
    with pytest.raises(SpecialTokenError) as error:
        list(encode_parts(TOKENIZERS["gpt4"], [text.encode()], "none_raise", 3))
    assert error.value.position == 40 and "In the part that starts at character" in str(error.value)
