"""Tokens that are found in any text, and runs of unknown characters that are one token."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.content import Content
from bpe_studio.formats.studio import read, write

A, B, C, AB, SPECIAL, ADDED, LONGER = 1, 2, 3, 4, 5, 6, 7
LETTERS = Alphabet("characters", unknown_token="<unk>", characters=("a", "b", "c"), fuse_unknown=True)
TOKENIZER = Tokenizer(
    LETTERS,
    [A],
    [B],
    [AB],
    resolve_pattern("none"),
    {"<s>": SPECIAL},
    added_tokens={"bc": ADDED, "bca": LONGER},
)  # type: ignore[arg-type]


def slow_ids(text: str) -> list[int]:
    """Return ids by one regular expression and a dict: all that the tokenizer above can do."""
    found = re.findall("bca|bc|ab(?!c)|[abc]|[^abc]+", text)
    ids = {"bca": LONGER, "bc": ADDED, "ab": AB, "a": A, "b": B, "c": C}
    return [ids.get(piece, 0) for piece in found]


@given(st.text("abc<s>é ", max_size=30))
def test_added_tokens_are_cut_out_first_and_unknown_runs_are_one_token(text: str) -> None:
    assert TOKENIZER.encode(text, "none") == slow_ids(text)
    assert TOKENIZER.encode_batch([text], "none") == [slow_ids(text)]


def test_special_tokens_are_found_before_added_ones() -> None:
    tokenizer = Tokenizer(LETTERS, [], [], [], resolve_pattern("none"), {"c<": 5}, added_tokens={"bc": 6})  # type: ignore[arg-type]
    assert tokenizer.encode("bc<", "all") == [B, 5]
    assert tokenizer.encode("bc<", "none") == [6, 0]


@given(st.text("abé🙂 ", max_size=20))
def test_offsets_of_a_run_reach_over_all_of_it(text: str) -> None:
    offsets = TOKENIZER.offsets(text, "characters").tolist()
    assert [start for start, _ in offsets] == [0, *(end for _, end in offsets)][: len(offsets)]
    pieces = [text[start:end] for start, end in offsets]
    assert "".join(pieces) == text
    assert [slow_ids(piece) for piece in pieces] == [[token] for token in TOKENIZER.encode(text)]
    in_bytes = TOKENIZER.offsets(text).tolist()
    assert [text.encode()[start:end].decode() for start, end in in_bytes] == pieces


def test_an_added_token_is_a_token_with_bytes_and_decides_the_fingerprint() -> None:
    assert TOKENIZER.token_bytes(ADDED) == b"bc"
    assert TOKENIZER.decode([ADDED, LONGER, 0]) == "bcbca\ufffd"
    without = Tokenizer(LETTERS, [A], [B], [AB], resolve_pattern("none"), {"<s>": 5, "bc": 6, "bca": 7})  # type: ignore[arg-type]
    assert without.tokens == TOKENIZER.tokens
    assert without != TOKENIZER
    one_by_one = Alphabet("characters", unknown_token="<unk>", characters=("a", "b", "c"))
    assert Tokenizer(one_by_one, [], [], [], resolve_pattern("none")) != Tokenizer(
        LETTERS, [], [], [], resolve_pattern("none")
    )  # type: ignore[arg-type]


def test_an_added_token_with_the_id_of_another_is_refused() -> None:
    tokenizer = Tokenizer(LETTERS, [], [], [], resolve_pattern("none"), added_tokens={"bc": A})  # type: ignore[arg-type]
    with pytest.raises(BpeStudioError, match="which another token has"):
        tokenizer.tokens  # noqa: B018 - the table is made and checked on first use


def test_copies_pickles_and_files_keep_them() -> None:
    assert pickle.loads(pickle.dumps(TOKENIZER)) == TOKENIZER == copy.deepcopy(TOKENIZER)
    again = read(Content(Path("x"), write(TOKENIZER)))
    assert again == TOKENIZER
    assert again.added_tokens == TOKENIZER.added_tokens
    assert again.alphabet == LETTERS
