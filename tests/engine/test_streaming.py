from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.streaming import StreamDecoder

# Rows of case C044: pieces as hex ("!" marks a special token), what each step emits, what the end gives.
STREAMS = {
    "emoji in 4 tokens": (["68", "f0", "9f", "99", "82", "21"], ["h", "", "", "", "🙂", "!"], ""),
    "two halves": (["6f6b20", "e69d", "b1e4", "baac"], ["ok ", "", "東", "京"], ""),
    "cut off": (["61", "f09f"], ["a", ""], "\ufffd"),
    "bad then good": (["ff", "62", "e2", "28", "63"], ["\ufffd", "b", "", "\ufffd(", "c"], ""),
    "across special": (["e282", "!<SPECIAL>", "ac"], ["", "\ufffd<SPECIAL>", "\ufffd"], ""),
}


def tokens_of(pieces: list[str]) -> list[bytes | str]:
    return [piece[1:] if piece.startswith("!") else bytes.fromhex(piece) for piece in pieces]


@pytest.mark.parametrize("name", STREAMS)
def test_half_characters_are_held_back_and_flushed_at_the_end(name: str) -> None:
    pieces, emitted, rest = STREAMS[name]
    stream = StreamDecoder(tokens_of(pieces).__getitem__)
    assert [stream.feed(index) for index in range(len(pieces))] == emitted
    assert stream.finish() == rest


@given(st.lists(st.binary(max_size=4), max_size=12))
def test_joined_pieces_equal_the_whole(pieces: list[bytes]) -> None:
    stream = StreamDecoder(pieces.__getitem__)
    text = "".join(stream.feed(index) for index in range(len(pieces))) + stream.finish()
    assert text == b"".join(pieces).decode("utf-8", "replace")


def test_it_can_be_used_again_after_the_end() -> None:
    stream = StreamDecoder({0: b"\xe6\x9d", 1: b"b"}.__getitem__)
    assert stream.feed(0) + stream.finish() == "\ufffd"
    assert stream.feed([1, 1]) == "bb"


def test_strict_names_the_fault_and_unknown_errors_are_refused() -> None:
    with pytest.raises(BpeStudioError, match="not UTF-8"):
        StreamDecoder({0: b"\xff"}.__getitem__, "strict").feed(0)
    with pytest.raises(BpeStudioError, match="'loud'"):
        StreamDecoder({0: b""}.__getitem__, "loud")
