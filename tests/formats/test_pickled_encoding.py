"""Pickled encodings: read to tiktoken's ids, and nothing else in a pickle is ever run."""

from __future__ import annotations

import os
import pickle
import pickletools
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.formats import pickled_encoding as format_
from bpe_studio.formats.content import Content
from bpe_studio.formats.pickled_encoding import MAX_INSTRUCTIONS, MAX_STACK
from tests.formats.awkward import CORPUS, random_texts
from tests.formats.damage import changed, read_or_refuse

NANOCHAT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
RANKS = {
    token: rank for rank, token in bs.train(CORPUS[:80_000], vocab_size=900, pattern=NANOCHAT).tokens.items()
}
UNREACHABLE = {**RANKS, b".:.:": 900, " việc".encode(): 901, b"the ferry": 902}
HEAD = b"\x80\x04ctiktoken.core\nEncoding\n)\x81"


def content(data: bytes) -> Content:
    """Return a file's content."""
    return Content(Path("tokenizer.pkl"), data)


def pickled(state: Any, protocol: int = 4) -> bytes:
    """Return the pickle of an encoding, made without tiktoken."""
    return HEAD + pickle.dumps(state, protocol)[2:-1] + b"b."


def state_of(ranks: dict[bytes, int], **changes: Any) -> dict[str, Any]:
    """Return what an encoding is pickled with."""
    specials = {"<|bos|>": len(ranks), "<|user_start|>": len(ranks) + 1}
    parts = {"name": "rustbpe", "pat_str": NANOCHAT, "mergeable_ranks": ranks, "special_tokens": specials}
    return parts | changes


@pytest.mark.parametrize("ranks", [RANKS, UNREACHABLE], ids=["trained", "with unreachable tokens"])
@pytest.mark.parametrize("protocol", [3, 4, 5])
def test_ids_are_those_of_tiktoken(ranks: dict[bytes, int], protocol: int) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    state = state_of(ranks)
    parts = {key: value for key, value in state.items() if key != "name"}
    encoding = tiktoken.Encoding("rustbpe", **parts)
    data = pickle.dumps(encoding, protocol)
    assert format_.recognises(content(data))
    tokenizer = format_.read(content(data))
    assert tokenizer.special_tokens == state["special_tokens"]
    for text in random_texts(3_500, seed=protocol):
        assert tokenizer.encode(text, "none") == encoding.encode_ordinary(text)
        with_special = encoding.encode(text + "<|bos|>", allowed_special="all")
        assert tokenizer.encode(text + "<|bos|>", "all") == with_special


def test_tiktoken_is_not_needed() -> None:
    assert format_.read(content(pickled(state_of(RANKS)))).n_ids == 902


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
def test_an_encoding_pickled_by_name_is_the_one_that_is_packed(name: str) -> None:
    assert format_.read(content(pickled(name))) == bs.load(name)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(FormatError, match="no pretrained vocabulary 'mine'"):
        format_.read(content(pickled("mine")))


# ---- pickles that mean harm --------------------------------------------------------------------------------


class Calls:
    """Pickles as a call of something."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> Any:
        return self._call


def harm() -> None:
    """Say that a pickle was run."""
    raise AssertionError("the pickle was run")


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    "value",
    [
        Calls(harm), Calls(os.system, "exit 1"), Calls(eval, "1/0"), Calls(getattr, os.system, "__call__"),
        Calls(bytearray, 1 << 60), [], {1: 2}, {"a": []}, {("a",): 1}, {None: 1}, 1.5, None, True,
        Calls(Calls, harm), frozenset([1]), {"mergeable_ranks": Calls(harm)},
    ],
    ids=repr,
)  # fmt: skip
def test_whatever_is_no_encoding_is_refused_and_not_run(value: Any, protocol: int) -> None:
    data = pickle.dumps(value, protocol)
    with pytest.raises(FormatError):
        format_.read(content(data))
    with pytest.raises(FormatError):
        format_.read(content(HEAD + data[2 if protocol > 1 else 0 : -1] + b"b."))


def test_what_a_pickle_asks_for_is_named() -> None:
    with pytest.raises(FormatError, match=r"asks for '(posix|nt) system', which may run code: refused"):
        format_.read(content(pickle.dumps(Calls(os.system, "exit 1"))))
    with pytest.raises(FormatError, match="asks for 'tiktoken.load read_file'"):
        format_.read(content(b"\x80\x04ctiktoken.load\nread_file\n."))
    with pytest.raises(FormatError, match="instruction REDUCE, which no tokenizer needs"):
        format_.read(content(b"\x80\x04ctiktoken.core\nEncoding\n)R."))


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x04" + b"}" * (MAX_STACK + 9) + b".",
        b"\x80\x04" + b"(" * 50_000_000,
        HEAD + b"}" + b"\x94" * (MAX_INSTRUCTIONS + 9),
        HEAD + b"}" + b"X\x01\0\0\0a}" * 100_000 + b"b.",
        HEAD + b"}(" + b"X\x01\0\0\0a}" * 2_000 + b"ub.",
        HEAD + b"}q\0X\x01\0\0\0ah\0s" + b"b.",
        HEAD + b"}X\x01\0\0\0aK\1sX\x01\0\0\0aK\2sb.",
        b"\x80\x04\x8e" + struct.pack("<Q", 1 << 62),
        b"\x80\x05\x96" + struct.pack("<Q", 1 << 62),
        b"\x80\x04r\xff\xff\xff\xff.",
        b"\x80\x04}r\xff\xff\xff\xff.",
        b"\x80\x04j\xff\xff\xff\xff.",
        b"\x80\x04\x8b" + struct.pack("<i", -1),
        b"\x80\x04I" + b"9" * 1_000_000 + b"\n.",
        b"\x80\x04" + bytes(100_000_000),
        b"\x80\x04" + b" " * 100_000_000,
        b"\x80\x04.", b"\x80\x04", b"", b"\x80\x04)\x81.", HEAD + b".", HEAD + b")b.", HEAD + HEAD[2:] + b".",
        b"\x80\x04)b.", b"\x80\x04s.", b"\x80\x04u.", b"\x80\x04(u.", b"\x80\x04h\0.", b"\x80\x04\x94.",
        b"\x80\x04\x93.", b"\x80\x04))\x93.", HEAD + b"}b}b.",
    ],
)  # fmt: skip
def test_bombs_and_ruins_are_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        format_.read(content(data))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "mergeable_ranks is missing"),
        (state_of(RANKS, mergeable_ranks="x"), "mergeable_ranks must be a dict"),
        (state_of(RANKS, mergeable_ranks={"a": 1}), "keys of type bytes"),
        (state_of(RANKS, special_tokens={b"a": 1}), "keys of type str"),
        (state_of(RANKS, pat_str=b"x"), "pat_str must be a text"),
        (state_of(RANKS, pat_str="(a"), "group"),
        (state_of({**RANKS, b"zzz": 5}), "one id to two tokens"),
        (state_of({**RANKS, b"zzz": -5}), "must be an integer from 0"),
        (state_of({**RANKS, b"zzz": 1 << 900}), "a number of more than 20 digits"),
        (state_of({b"a": 0}), "255 of the 256 bytes have no token"),
        (state_of(RANKS, special_tokens={"<s>": 5}), "which another token has"),
        (state_of(RANKS, special_tokens={"": 5_000}), "is empty"),
        (state_of(RANKS, special_tokens={"\ud800": 5_000}), "lone surrogate"),
    ],
)
def test_what_is_wrong_is_named(state: dict[str, Any], message: str) -> None:
    with pytest.raises(BpeStudioError, match=message):
        format_.read(content(pickled(state)))


SMALL = pickled(state_of({bytes([byte]): byte for byte in range(256)}))


def test_every_cut_is_refused() -> None:
    for end in range(len(SMALL)):
        with pytest.raises(FormatError):
            format_.read(content(SMALL[:end]))


@given(changed(SMALL))
def test_changed_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(format_.read, content(data))


@given(st.lists(st.sampled_from(pickletools.opcodes), max_size=30), st.binary(max_size=40))
def test_any_instructions_are_read_or_refused(instructions: list[Any], argument: bytes) -> None:
    body = b"".join(opcode.code.encode("latin-1") + argument[:4] for opcode in instructions)
    read_or_refuse(format_.read, content(b"\x80\x04" + body + b"."))
    read_or_refuse(format_.read, content(HEAD + body + b"b."))
