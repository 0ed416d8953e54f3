"""Vocabularies in GGUF files: the ids of the libraries that they come from, and no errors but our own."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats import gguf as format_
from bpe_studio.formats.byte_letters import BYTE_NAMES, letters_of
from bpe_studio.formats.content import Content
from bpe_studio.formats.files import HEADS, read_bounded
from bpe_studio.formats.gguf_header import key_values
from bpe_studio.formats.piece_vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
)
from tests.formats.awkward import CORPUS, random_texts
from tests.formats.damage import changed, read_or_refuse
from tests.formats.gguf_writer import ARRAY, BOOL, FLOAT32, INT32, TEXT, UINT32, UINT64, gguf
from tests.formats.test_sentencepiece import differences, model_of

PRE = "tokenizer.ggml."


def content(data: bytes) -> Content:
    """Return a file's content."""
    return Content(Path("some.gguf"), data)


def file_of_merges(tokenizer: Tokenizer, pre: str, **more: Any) -> dict[str, Any]:
    """Return the key-values of a vocabulary of bytes and merges."""
    special, added = set(tokenizer.special_tokens.values()), set(tokenizer.added_tokens.values())
    texts, kinds = [], []
    for token, data in tokenizer.tokens.items():
        kinds.append(CONTROL if token in special else USER_DEFINED if token in added else NORMAL)
        texts.append(letters_of(data) if kinds[-1] == NORMAL else data.decode())
    merges = [f"{letters_of(left)} {letters_of(right)}" for left, right in tokenizer.merges]  # type: ignore[arg-type]
    return {
        "general.architecture": (TEXT, "llama"), "general.alignment": (UINT32, 32),
        f"{PRE}model": (TEXT, "gpt2"), f"{PRE}pre": (TEXT, pre), f"{PRE}tokens": (ARRAY, TEXT, texts),
        f"{PRE}token_type": (ARRAY, INT32, kinds), f"{PRE}merges": (ARRAY, TEXT, merges),
        f"{PRE}bos_token_id": (UINT32, 0), f"{PRE}add_bos_token": (BOOL, False), **more,
    }  # fmt: skip


def file_of_pieces(pieces: list[Piece], **more: Any) -> dict[str, Any]:
    """Return the key-values of a vocabulary of pieces."""
    return {
        f"{PRE}model": (TEXT, "llama"),
        f"{PRE}tokens": (ARRAY, TEXT, [piece.text for piece in pieces]),
        f"{PRE}scores": (ARRAY, FLOAT32, [piece.score for piece in pieces]),
        f"{PRE}token_type": (ARRAY, INT32, [piece.kind for piece in pieces]),
        **more,
    }


TRAINED = {
    pattern: bs.train(
        CORPUS, vocab_size=1_000, pattern=pattern, byte_order="gpt2", special_tokens=("<|end|>",)
    )
    for pattern in ("gpt2", "gpt4", "o200k")
}


def hugging_face(tokenizer: Tokenizer, *, ignore_merges: bool) -> Any:
    """Return the tokenizer of Hugging Face's library made of the same parts."""
    tokenizers = pytest.importorskip("tokenizers")
    merges = [(letters_of(left), letters_of(right)) for left, right in tokenizer.merges]  # type: ignore[arg-type]
    vocab = {letters_of(data): token for token, data in tokenizer.tokens.items()}
    model = tokenizers.models.BPE(vocab=vocab, merges=merges, ignore_merges=ignore_merges)
    made = tokenizers.Tokenizer(model)
    if tokenizer.normalizer:
        assert tokenizer.normalizer == (("NFC",),)
        made.normalizer = tokenizers.normalizers.NFC()
    before = tokenizers.pre_tokenizers
    expression = tokenizers.Regex(tokenizer.pattern.expression)
    made.pre_tokenizer = before.Sequence([
        before.Split(expression, "isolated"), before.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("pattern", "pre"),
    [
        ("gpt2", "gpt-2"),
        ("gpt4", "dbrx"),
        ("gpt4", "llama-bpe"),
        ("o200k", "gpt-4o"),
        ("gpt4", "qwen2"),
        ("o200k", "tekken"),
    ],
)
def test_ids_of_merges_are_those_of_hugging_face(pattern: str, pre: str) -> None:
    tokenizer = TRAINED[pattern]
    again = format_.read(content(gguf(file_of_merges(tokenizer, pre))))
    assert again.tokens == tokenizer.tokens
    assert again.special_tokens == tokenizer.special_tokens
    other = hugging_face(again, ignore_merges=pre in ("llama-bpe", "tekken"))
    texts = random_texts(4_000, seed=5)
    for text, found in zip(texts, other.encode_batch(texts), strict=True):
        assert again.encode(text, "none") == found.ids
    if pre in ("gpt-2", "dbrx", "gpt-4o"):
        assert again == tokenizer


@pytest.mark.parametrize(("order", "version"), [(">", 3), ("<", 2)])
def test_byte_orders_and_versions_are_the_same_to_us(order: str, version: int) -> None:
    values = file_of_merges(TRAINED["gpt2"], "gpt-2")
    assert format_.read(content(gguf(values, order, version))) == TRAINED["gpt2"]


def test_a_token_that_no_merge_makes_is_found_whole_where_that_is_the_way() -> None:
    values = file_of_merges(TRAINED["gpt4"], "llama-bpe")
    for key, item in (("tokens", letters_of(" việc".encode())), ("token_type", NORMAL)):
        values[f"{PRE}{key}"][2].append(item)
    tokenizer = format_.read(content(gguf(values)))
    assert tokenizer.encode(" việc") == [1_000]
    assert tokenizer.encode(" việcx") != [1_000]
    other = hugging_face(tokenizer, ignore_merges=True)
    assert other.encode(" việc việcx").ids == tokenizer.encode(" việc việcx")


@pytest.mark.parametrize("prefix", [True, False])
def test_ids_of_pieces_are_those_of_sentencepiece(prefix: bool) -> None:
    pytest.importorskip("sentencepiece")
    pieces = [
        Piece("<unk>", 0.0, UNKNOWN),
        Piece("<s>", 0.0, CONTROL),
        *(Piece(t, 0.0, BYTE) for t in BYTE_NAMES),
    ]
    trained = bs.train(
        CORPUS[:80_000].replace(" ", "▁"), vocab_size=800, pattern="none", alphabet="characters", lines=True
    )
    texts = [f"{left}{right}" for left, right in trained.merges]
    pieces += [Piece(text, -float(rank)) for rank, text in enumerate(texts)]
    pieces += [Piece(letter, -1e6) for letter in trained.alphabet.characters]
    pieces += [Piece("▁▁", 0.0, USER_DEFINED), Piece("[PAD7]", 0.0, UNUSED)]
    values = file_of_pieces(pieces, **{f"{PRE}add_space_prefix": (BOOL, prefix)})
    tokenizer = format_.read(content(gguf(values)))
    model = model_of(pieces, prefix=prefix, escape=1)
    assert differences(tokenizer, model, random_texts(5_000, seed=6)) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": (TEXT, "bert")}, "must be 'llama', 'gpt2'"),
        ({"model": (UINT32, 7)}, "must be a text"),
        ({"pre": (TEXT, "default")}, "is 'default'; the split patterns of these names"),
        ({"pre": (TEXT, "unheard-of")}, "is 'unheard-of'"),
        ({"tokens": (ARRAY, TEXT, ["a", "b"])}, "1,001 numbers|2 numbers"),
        ({"token_type": (ARRAY, FLOAT32, [1.0] * 1_000)}, "must have 1,000 numbers"),
        ({"token_type": (ARRAY, INT32, [9] * 1_000)}, "of kind 9"),
        ({"merges": (ARRAY, TEXT, ["a  b"])}, "two tokens and a blank"),
        ({"merges": (ARRAY, TEXT, ["t h", "t h"])}, r"merges\[1\] must be two tokens .* not be there before"),
        ({"merges": (ARRAY, TEXT, ["Ġ ŁŁŁ"])}, "merge 0 needs the token 'ŁŁŁ'"),
        ({"merges": (ARRAY, UINT32, [1, 2])}, "must be a text"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(change: dict[str, Any], message: str) -> None:
    values = file_of_merges(TRAINED["gpt2"], "gpt-2") | {PRE + key: value for key, value in change.items()}
    with pytest.raises(FormatError, match=message):
        format_.read(content(gguf(values)))


def test_a_file_that_does_not_say_how_it_splits_is_refused() -> None:
    values = file_of_merges(TRAINED["gpt2"], "gpt-2")
    del values[f"{PRE}pre"]
    with pytest.raises(FormatError, match="pre is 'default'; the split patterns of these names"):
        format_.read(content(gguf(values)))


def test_pieces_without_bytes_or_scores_are_refused() -> None:
    pieces = [Piece("<unk>", 0.0, UNKNOWN), Piece("a"), Piece("b")]
    with pytest.raises(FormatError, match="no byte pieces"):
        format_.read(content(gguf(file_of_pieces(pieces))))
    values = file_of_pieces(pieces)
    del values[f"{PRE}scores"]
    with pytest.raises(FormatError, match=r"scores is missing"):
        format_.read(content(gguf(values)))
    with pytest.raises(FormatError, match=r"no tokenizer\.ggml\.model"):
        format_.read(content(gguf({"general.name": (TEXT, "a model without a vocabulary")})))


def test_only_the_head_of_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.gguf"
    with open(path, "wb") as file:
        file.write(gguf(file_of_merges(TRAINED["gpt2"], "gpt-2")))
        file.truncate(10 << 30)
    data = read_bounded(path)
    assert len(data) == 4 + HEADS[b"GGUF"]
    assert format_.read(content(data)) == TRAINED["gpt2"]


# ---- damaged files -----------------------------------------------------------------------------------------

SMALL = gguf({
    "a": (UINT32, 1), "b": (ARRAY, TEXT, ["x", "yz"]), "c": (BOOL, True), "d": (ARRAY, ARRAY, []),
    "e": (FLOAT32, 0.5), "f": (UINT64, 2**63), "g": (TEXT, "é"),
})  # fmt: skip


def test_values_of_every_type_are_read() -> None:
    values = key_values(SMALL)
    assert values == {"a": 1, "b": ["x", "yz"], "c": True, "d": [], "e": 0.5, "f": 2**63, "g": "é"}
    nested = {"n": (ARRAY, ARRAY, [(INT32, [-1, 2]), (TEXT, ["t"])])}
    assert key_values(gguf_nested(nested)) == {"n": [[-1, 2], ["t"]]}


def gguf_nested(values: Mapping[str, Any]) -> bytes:
    """Return a file with one array of arrays, which the writer does not do by itself."""
    (key, (_, _, rows)), *_ = values.items()
    head = gguf({key: (UINT32, 0)})[:-8]
    body = struct.pack("<IIQ", ARRAY, ARRAY, len(rows))
    for kind, items in rows:
        one = gguf({"": (ARRAY, kind, items)})
        body += one[4 + 4 + 16 + 8 + 4 :]
    return head + body


def test_every_cut_is_refused() -> None:
    for end in range(len(SMALL)):
        with pytest.raises(FormatError):
            key_values(SMALL[:end])


@given(changed(SMALL))
def test_changed_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(format_.read, content(data))


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(format_.read, content(b"GGUF" + data))
    read_or_refuse(format_.read, content(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + data))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF", "version"),
        (b"GGUF" + struct.pack("<I", 1) + bytes(50), "version of this GGUF file is 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63), "do not fit"),
        (gguf({"a": (UINT32, 1)})[:-4] + b"\0", "where the file ends"),
        (SMALL[:24] + struct.pack("<Q1sI", 1, b"a", 99) + bytes(99), "type 99"),
        (gguf({"a": (ARRAY, TEXT, [])})[:-8] + struct.pack("<Q", 2**62), "do not fit into the file"),
        (gguf({"a": (ARRAY, UINT64, [])})[:-8] + struct.pack("<Q", 2**62), "are wanted"),
        (gguf({"a": (BOOL, True)})[:-1] + b"\7", "neither 0 nor 1"),
        (gguf({"a": (TEXT, "xx")})[:-2] + b"\xff\xff", "not UTF-8"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 0) + struct.pack("<I", 9)
         + struct.pack("<IQ", 9, 1) * 50, "nested too deeply"),
        (SMALL[:16] + struct.pack("<Q", 2) + gguf({"a": (UINT32, 1)})[24:] * 2, "'a' is given twice"),
    ],
)  # fmt: skip
def test_damage_is_named(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        key_values(data)


@pytest.mark.parametrize("filling", [b"\0", b" ", b"\xff"])
def test_sixty_megabytes_of_nothing_are_refused(filling: bytes) -> None:
    with pytest.raises(FormatError):
        format_.read(content(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + filling * HEADS[b"GGUF"]))
