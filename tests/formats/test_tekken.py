"""Mistral's tekken.json: the ids of tiktoken with the numbers of special tokens before them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.formats import tekken as format_
from bpe_studio.formats.content import Content
from bpe_studio.formats.gguf import SPLIT_NAMES
from tests.formats.awkward import CORPUS, random_texts

PATTERN = next(split.pattern for split in SPLIT_NAMES if "tekken" in split.names)
N_SPECIALS = 30
RANKS = {
    token: rank for rank, token in bs.train(CORPUS[:80_000], vocab_size=900, pattern=PATTERN).tokens.items()
}
UNREACHABLE = {**RANKS, b".:.:": 900, " việc".encode(): 901, b"the ferry": 902}


def tekken(ranks: Mapping[bytes, int], **changes: Any) -> bytes:
    """Return a file; a change of None leaves a key out."""
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for token, rank in ranks.items()
    ]
    config = {
        "pattern": PATTERN, "num_vocab_tokens": len(vocab) + 5, "default_vocab_size": len(vocab) + N_SPECIALS,
        "default_num_special_tokens": N_SPECIALS, "version": "v3",
    }  # fmt: skip
    config |= {key: value for key, value in changes.items() if key in config}
    value = {"config": config, "vocab": vocab, "image": None, "unheard-of": [1]}
    value |= {key: value for key, value in changes.items() if key not in config}
    return json.dumps(value).encode()


def content(data: bytes) -> Content:
    """Return a file's content."""
    return Content(Path("tekken.json"), data)


@pytest.mark.parametrize("ranks", [RANKS, UNREACHABLE], ids=["trained", "with unreachable tokens"])
def test_ids_are_those_of_tiktoken(ranks: dict[bytes, int]) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    assert format_.recognises(content(tekken(ranks)))
    tokenizer = format_.read(content(tekken(ranks)))
    other = tiktoken.Encoding("tekken", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    for text in random_texts(10_000, seed=7):
        assert tokenizer.encode(text, "none") == [N_SPECIALS + rank for rank in other.encode_ordinary(text)]
    assert tokenizer.is_ordered() or ranks is UNREACHABLE


def test_tokens_beyond_the_vocabulary_size_are_not_used() -> None:
    few = format_.read(content(tekken(RANKS, default_vocab_size=500 + N_SPECIALS)))
    assert few.vocab_size == few.n_ids == 500 + N_SPECIALS
    assert few == format_.read(content(tekken({t: rank for t, rank in RANKS.items() if rank < 500})))


def test_special_tokens_come_first_and_fillers_after_those_that_are_listed() -> None:
    old = format_.read(content(tekken(RANKS)))
    assert old.special_tokens["</s>"] == 2
    assert old.special_tokens["[TOOL_CONTENT]"] == 19
    assert old.special_tokens["<SPECIAL_29>"] == 29
    listed = [{"rank": 0, "token_str": "<unk>", "is_control": True}, {"rank": 1, "token_str": "[X]"}]
    new = format_.read(content(tekken(RANKS, special_tokens=listed, version="v11")))
    assert list(new.special_tokens)[:3] == ["<unk>", "[X]", "<SPECIAL_2>"]
    assert new.encode("a[X]", "all") == [N_SPECIALS + 97, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": "v11"}, "special_tokens is missing"),
        ({"special_tokens": [{"rank": 1, "token_str": "a"}]}, "each rank from 0 once"),
        ({"special_tokens": [{"rank": 0, "token_str": "<SPECIAL_5>"}]}, "no text twice"),
        ({"special_tokens": [{"rank": 0, "token_str": 5}]}, r"special_tokens\[0\]\.token_str must be a text"),
        ({"special_tokens": {}}, "special_tokens must be a list"),
        ({"default_num_special_tokens": 3, "default_vocab_size": 900}, "each rank from 0 once, 3 at most"),
        ({"default_num_special_tokens": -1}, "must be an integer from 0"),
        ({"default_vocab_size": 10**9}, "config asks for"),
        ({"default_vocab_size": 20 + N_SPECIALS}, "236 of the 256 bytes have no token"),
        ({"default_vocab_size": 2.0}, "must be an integer"),
        ({"pattern": "(a"}, "group|does not compile|parenthesis"),
        ({"pattern": 7}, "config.pattern must be a text"),
        ({"vocab": 7}, "vocab must be a list"),
        ({"vocab": [7] * 999}, r"vocab\[0\] must be an object"),
        ({"vocab": [{"rank": 1, "token_bytes": ""}] * 999}, r"vocab\[0\]\.rank must be 0"),
        ({"vocab": [{"rank": 0, "token_bytes": "!"}] * 999}, "not base64"),
        ({"vocab": [{"rank": 0, "token_bytes": ""}] * 999}, "is empty"),
        ({"vocab": [{"rank": r, "token_bytes": "YQ=="} for r in range(999)]}, r"vocab\[1\] repeats"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BpeStudioError, match=message):
        format_.read(content(tekken(RANKS, **changes)))


def test_every_cut_is_refused() -> None:
    data = tekken({token: rank for token, rank in RANKS.items() if rank < 256})
    for end in range(0, len(data), 97):
        with pytest.raises(FormatError):
            format_.read(content(data[:end]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["config", "vocab", "special_tokens"]), JSON), JSON)
def test_any_values_are_refused(value: dict[str, Any], config: Any) -> None:
    for changed in (value, value | {"config": config}):
        with pytest.raises(BpeStudioError):
            format_.read(content(json.dumps(changed).encode()))
