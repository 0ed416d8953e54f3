"""SentencePiece models: read to the same ids as SentencePiece itself, written so that it reads them."""

from __future__ import annotations

import io
import pickle
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats import sentencepiece as format_
from bpe_studio.formats import studio
from bpe_studio.formats.byte_letters import BYTE_NAMES
from bpe_studio.formats.content import Content
from bpe_studio.formats.piece_vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
)
from bpe_studio.formats.protobuf import bytes_field, four_bytes_field, number_field
from tests.formats.awkward import CORPUS, random_texts
from tests.formats.building import built
from tests.formats.damage import changed, read_or_refuse

sentencepiece = pytest.importorskip("sentencepiece")

AS_IT_IS: dict[str, Any] = {
    "normalization_rule_name": "identity", "add_dummy_prefix": False, "remove_extra_whitespaces": False,
}  # fmt: skip

OPTIONS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "bytes": {"byte_fallback": True},
    "identity": AS_IT_IS,
    "blanks": AS_IT_IS | {
        "byte_fallback": True, "split_by_whitespace": False, "allow_whitespace_only_pieces": True,
    },
    "user": {"user_defined_symbols": ["<sep>", "▁the", "ab", "abc", "e\u0301", "\u0301z", " "],
             "control_symbols": ["<ctl>"]},
    "suffix": {"normalization_rule_name": "nfkc", "treat_whitespace_as_suffix": True, "split_digits": True,
               "max_sentencepiece_length": 4},
    "other ids": {"normalization_rule_name": "nfkc_cf", "unk_id": 3, "bos_id": -1, "eos_id": 0, "pad_id": 1,
                  "unk_piece": "[UNK]", "vocab_size": 1_501, "split_by_unicode_script": False},
    "runs": {"character_coverage": 0.98, "byte_fallback": True, "normalization_rule_name": "identity",
             "user_defined_symbols": ["▁▁", "▁▁▁▁", "▁▁▁"], "remove_extra_whitespaces": False},
    "prefix only": {"normalization_rule_name": "nmt_nfkc", "remove_extra_whitespaces": False},
    "no prefix": {"normalization_rule_name": "nfkc", "add_dummy_prefix": False, "byte_fallback": True},
}  # fmt: skip


def content(data: bytes) -> Content:
    """Return a file's content."""
    return Content(Path("some.model"), data)


def trained(**options: Any) -> bytes:
    """Return what SentencePiece trains on the sample texts."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS.splitlines()), model_writer=model, model_type="bpe",
        **{"vocab_size": 1_500, "minloglevel": 2, "hard_vocab_limit": False} | options,
    )  # fmt: skip
    return model.getvalue()


def model_of(pieces: list[Piece], **settings_: int) -> bytes:
    """Return a model of given pieces that does nothing to a text, put together by hand."""
    parts = [
        bytes_field(1, bytes_field(1, piece.text.encode())
                    + four_bytes_field(2, struct.pack("<f", piece.score)) + number_field(3, piece.kind))
        for piece in pieces
    ]  # fmt: skip
    has_bytes = any(piece.kind == BYTE for piece in pieces)
    trainer = number_field(3, settings_.get("model_type", 2)) + number_field(35, has_bytes)
    prefix, escape = settings_.get("prefix", 0), settings_.get("escape", 0)
    normalizer = number_field(3, prefix) + number_field(4, 0) + number_field(5, escape)
    return b"".join([*parts, bytes_field(2, trainer), bytes_field(3, normalizer)])


def peer(model: bytes) -> Any:
    """Return SentencePiece's own tokenizer."""
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def differences(tokenizer: Tokenizer, model: bytes, texts: list[str]) -> list[str]:
    """Return the texts that SentencePiece encodes otherwise."""
    other = peer(model)
    return [text for text in texts if tokenizer.encode(text, "none") != other.encode(text)]


@pytest.mark.parametrize("name", OPTIONS)
def test_ids_are_those_of_sentencepiece(name: str) -> None:
    model = trained(**OPTIONS[name])
    assert format_.recognises(content(model))
    tokenizer = format_.read(content(model))
    assert differences(tokenizer, model, random_texts(2_500, seed=len(name))) == []
    assert tokenizer.vocab_size == tokenizer.n_ids == peer(model).get_piece_size()


@pytest.mark.parametrize("name", OPTIONS)
def test_what_is_written_again_is_the_same_for_sentencepiece(name: str) -> None:
    model = trained(**OPTIONS[name])
    tokenizer = format_.read(content(model))
    assert format_.refusals(tokenizer) == ()
    written = format_.write(tokenizer)
    assert format_.read(content(written)) == tokenizer
    assert differences(tokenizer, written, random_texts(1_000, seed=1)) == []


@pytest.mark.parametrize("name", ["user", "runs", "other ids"])
def test_our_own_file_keeps_all_of_it(name: str) -> None:
    tokenizer = format_.read(content(trained(**OPTIONS[name])))
    again = studio.read(content(studio.write(tokenizer)))
    assert again == tokenizer == pickle.loads(pickle.dumps(tokenizer))
    texts = random_texts(300, seed=8)
    assert again.encode_batch(texts, "none") == tokenizer.encode_batch(texts, "none")


@pytest.mark.parametrize("name", ["as it comes", "bytes", "identity", "suffix", "prefix only", "no prefix"])
def test_decoding_is_that_of_sentencepiece(name: str) -> None:
    model = trained(**OPTIONS[name])
    tokenizer, other = format_.read(content(model)), peer(model)
    for text in random_texts(800, seed=2):
        ids = other.encode(text)
        # Of a blank's own sign at the start it depends on the pieces how many are taken for the dummy prefix.
        if other.unk_id() not in ids and "\u2581" not in text:
            assert tokenizer.decode(ids) == other.decode(ids)


def test_a_trained_model_has_merges() -> None:
    tokenizer = format_.read(content(trained()))
    assert tokenizer.semantics == "pairs"
    assert tokenizer.merges[0] == ("e", "r") or len(tokenizer.merges) > 1_000
    assert not tokenizer.unmerged


# ---- vocabularies that no training makes -------------------------------------------------------------------

LETTERS = [Piece(letter) for letter in "ab▁"]
STRINGS = st.text("ab▁", min_size=2, max_size=5)


@st.composite
def vocabularies(draw: st.DrawFn) -> list[Piece]:
    """Draw pieces with scores that often are equal, in any order, with user-defined and control ones."""
    texts = draw(st.lists(STRINGS, max_size=12, unique=True))
    scores = st.integers(-3, 3).map(float) | st.sampled_from([0.5, -1e9, 1e30, float("inf"), float("-inf")])
    kinds = st.sampled_from([NORMAL] * 6 + [USER_DEFINED, CONTROL])
    pieces = [Piece(text, draw(scores), draw(kinds)) for text in texts]
    unknown = Piece("<unk>", 0.0, UNKNOWN)
    spelled = [Piece(text, 0.0, BYTE) for text in BYTE_NAMES] if draw(st.booleans()) else []
    return list(draw(st.permutations([*LETTERS, unknown, *pieces]))) + spelled


@settings(max_examples=300)
@given(vocabularies(), st.lists(st.text("ab▁ c<unk>", max_size=14), min_size=20, max_size=20))
def test_any_scores_and_kinds_give_the_ids_of_sentencepiece(pieces: list[Piece], texts: list[str]) -> None:
    model = model_of(pieces)
    tokenizer = format_.read(content(model))
    assert differences(tokenizer, model, texts) == []
    written = format_.write(tokenizer)
    assert format_.refusals(tokenizer) == ()
    assert differences(tokenizer, written, texts) == []
    assert format_.read(content(written)) == tokenizer


def test_equal_scores_are_joined_from_the_left() -> None:
    pieces = [*LETTERS, Piece("<unk>", 0.0, UNKNOWN), *(Piece("▁" * n, -1e9) for n in (2, 3, 4))]
    tokenizer = format_.read(content(model_of(pieces)))
    assert tokenizer.semantics == "scores"
    assert tokenizer.merges == [("▁", "▁"), ("▁▁", "▁"), ("▁▁▁", "▁")]
    assert differences(tokenizer, model_of(pieces), ["▁" * n for n in range(30)]) == []


def test_what_a_model_leaves_out_is_as_sentencepiece_takes_it() -> None:
    """Blanks are put before a text, joined and dropped at its ends unless the model says otherwise."""
    pieces = [*LETTERS, Piece("<unk>", 0.0, UNKNOWN), Piece("▁a", -1.0), Piece("ab", -2.0)]
    said = bytes_field(3, b"".join(number_field(number, 0) for number in (3, 4, 5)))
    model = model_of(pieces).removesuffix(said)
    assert model + said == model_of(pieces)
    tokenizer = format_.read(content(model))
    assert [tokenizer.token_bytes(token).decode() for token in tokenizer.encode("  a  b")] == ["▁a", "▁", "b"]
    assert differences(tokenizer, model, ["  a  b", "", " ", "ab  ", "a▁b", "ba  ab"]) == []


def test_an_unused_piece_that_cannot_come_about_is_a_token_that_no_text_becomes() -> None:
    pieces = [*LETTERS, Piece("<unk>", 0.0, UNKNOWN), Piece("ab", -1.0), Piece("<pad7>", 0.0, UNUSED)]
    model = model_of(pieces)
    tokenizer = format_.read(content(model))
    assert tokenizer.token_bytes(5) == b"<pad7>"
    assert differences(tokenizer, model, ["<pad7>", "abab<pad7>b"]) == []
    assert format_.read(content(format_.write(tokenizer))) == tokenizer


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([Piece("ab", 0.0, UNUSED), Piece("abab", -1.0, UNUSED)], "unused, and 'a' and 'b'"),
        ([Piece("xa", 0.0)], "holds 'x', which is no piece"),
        ([Piece("a", 0.0)], "'a' is there twice"),
        ([Piece("<s>", 0.0, CONTROL), Piece("<s>", 0.0)], "'<s>' is there twice"),
        ([Piece("c", 0.0, CONTROL)], "control and one character"),
        ([Piece("ab", float("nan"))], "score that is no number"),
        ([Piece("ab", 0.0, 9)], "kind 9"),
        ([Piece("", 0.0)], "empty"),
        ([Piece("a\0", 0.0)], "zero character"),
        ([Piece("a" * 8_000, 0.0)], "too long"),
        ([Piece("<0x41>", 0.0, BYTE)], "256 bytes"),
        ([Piece("<unk2>", 0.0, UNKNOWN)], "one unknown piece; there are 2"),
    ],
)  # fmt: skip
def test_what_is_not_done_exactly_is_refused_by_name(pieces: list[Piece], message: str) -> None:
    model = model_of([*LETTERS, Piece("<unk>", 0.0, UNKNOWN), *pieces])
    with pytest.raises(FormatError, match=message):
        format_.read(content(model))


@pytest.mark.parametrize(("number", "name"), [(1, "unigram"), (3, "word"), (4, "char")])
def test_other_kinds_of_models_are_refused_by_name(number: int, name: str) -> None:
    theirs = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat on the mat with the hat"] * 50), model_writer=theirs,
        model_type=name, vocab_size=20, hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    ours = model_of([*LETTERS, Piece("<unk>", 0.0, UNKNOWN)], model_type=number)
    for model in (theirs.getvalue(), ours):
        assert format_.recognises(content(model))
        with pytest.raises(FormatError, match=f"model type is {name}"):
            format_.read(content(model))


# ---- writing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"byte_fallback": True, "character_coverage": 0.99},
        {"special_tokens": ("<s>", "<|end|>"), "special_placement": "first"},
        {"tie_rule": "shortest", "special_tokens": ("</s>",)},
        {"tie_rule": "random:3", "max_token_length": 5},
    ],
)
def test_sentencepiece_gives_our_ids_from_our_file(options: dict[str, Any]) -> None:
    tokenizer = bs.train(
        CORPUS[:60_000], vocab_size=600, pattern="none", alphabet="characters", lines=True, **options
    )
    assert format_.refusals(tokenizer) == ()
    model = format_.write(tokenizer)
    again, other = format_.read(content(model)), peer(model)
    assert again == format_.keeps(tokenizer)
    n_compared = 0
    for text in random_texts(5_000, seed=3):
        try:
            ids = tokenizer.encode(text, "none")
        except bs.UnknownCharacterError:
            ids = again.encode(text, "none")
            assert other.unk_id() in ids
        else:
            n_compared += 1
        assert ids == other.encode(text) == again.encode(text, "none")
        if other.unk_id() not in ids and "\u2581" not in text:
            assert tokenizer.decode(ids) == other.decode(ids) == text
    assert n_compared > 1_000


CHARACTERS = Alphabet("characters", characters=("a", "b", "c"))


@pytest.mark.parametrize(
    ("tokenizer", "reason"),
    [
        (built(Alphabet(), [(97, 98)]), r"its alphabet is bytes \(128 tokens hold parts"),
        (built(CHARACTERS, [(0, 1)], "gpt4"), "split pattern 'gpt4'"),
        (built(CHARACTERS, [(0, 1)], specials={"<s>": 9}), "its ids have holes"),
        (built(CHARACTERS, [(0, 1)], specials={"<unk>": 4}), "'<unk>' is there twice"),
        (built(CHARACTERS, [(0, 1), (1, 2), (3, 2), (0, 4)]), "'abc' is there twice"),
        (built(CHARACTERS, [(0, 0), (0, 3), (3, 3)]), "come about otherwise"),
        (built(Alphabet("characters", characters=("\0", "a")), []), "zero character"),
        (
            built(Alphabet("characters", unknown_token="?", characters=("a",)), []),
            "run of unknown characters",
        ),
    ],
)
def test_what_the_format_cannot_hold_is_refused_with_the_reason(tokenizer: Tokenizer, reason: str) -> None:
    found = format_.refusals(tokenizer)
    assert len(found) == 1
    with pytest.raises(BpeStudioError, match=reason):
        raise BpeStudioError(found[0])


def test_what_is_lost_is_said() -> None:
    assert any("is an error here" in sentence for sentence in format_.lost(built(CHARACTERS, [])))
    spells = Alphabet("characters", characters=("a",), byte_fallback=True)
    assert any("one is added" in sentence for sentence in format_.lost(built(spells, [])))
    own_sign = built(Alphabet("characters", characters=("a", "\u2581")), [])
    assert any("U+2581" in sentence for sentence in format_.lost(own_sign))
    model = peer(format_.write(own_sign))
    assert model.decode(own_sign.encode("a\u2581a")) == "a a"


# ---- damaged files -----------------------------------------------------------------------------------------

SMALL = model_of([*LETTERS, Piece("<unk>", 0.0, UNKNOWN), Piece("ab", -1.0), Piece("</s>", 0.0, CONTROL)])


def test_every_cut_is_refused_or_is_a_whole_model() -> None:
    for end in range(len(SMALL)):
        read_or_refuse(format_.read, content(SMALL[:end]))
    assert read_or_refuse(format_.read, content(SMALL[: len(SMALL) // 2])) is None
    assert read_or_refuse(format_.read, content(SMALL)) is not None


@given(changed(SMALL))
def test_changed_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(format_.read, content(data))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(format_.read, content(data))
    format_.recognises(content(data))


def test_damaged_tables_of_replacements_are_read_or_refused() -> None:
    source = random.Random(4)
    model = trained(vocab_size=300, normalization_rule_name="nfkc")
    for _ in range(30):
        data = bytearray(model)
        for _ in range(source.randrange(1, 200)):
            data[source.randrange(len(data) * 9 // 10, len(data))] = source.randrange(256)
        tokenizer = read_or_refuse(format_.read, content(bytes(data)))
        if tokenizer is not None:
            tokenizer.encode("ﬁne e\u0301 ½ 가 \u2581", "none")


@pytest.mark.parametrize("data", [b"\n" * 100_000_000, bytes(100_000_000), b" " * 100_000_000])
def test_a_hundred_megabytes_of_nothing_are_refused_at_once(data: bytes) -> None:
    assert not format_.recognises(content(data))
    with pytest.raises(FormatError):
        format_.read(content(data))


def test_a_model_in_parts_and_in_another_order_is_the_same() -> None:
    pieces = [bytes_field(1, bytes_field(1, text.encode())) for text in ("a", "b")]
    pieces.append(bytes_field(1, number_field(3, UNKNOWN) + bytes_field(1, b"<unk>")))
    settings_ = bytes_field(2, number_field(3, 2))
    one = b"".join([*pieces, settings_])
    other = b"".join([pieces[0], bytes_field(2, number_field(3, 1)), *pieces[1:], settings_])
    assert format_.read(content(one)) == format_.read(content(other))
    assert differences(format_.read(content(one)), other, ["ab ba", " a\u2581b", "c"]) == []
