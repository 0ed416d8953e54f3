"""SentencePiece's normalizer: what the library itself makes of a text, with every setting."""

from __future__ import annotations

import base64
import io
import itertools
import pickle
from typing import Any

import pytest

from bpe_studio.engine.charsmap import Charsmap
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.normalizing import checked_steps, normalized, restored
from bpe_studio.engine.sentencepiece_normalizer import SentencePieceNormalizer
from bpe_studio.formats.protobuf import Message
from tests.formats.awkward import random_texts

KEPT = ["<sep>", "e\u0301", "a b", "½x", "\u0301z", "e\u0301z", " it's", "the "]
TEXTS = random_texts(400, seed=11)


def trained(**options: Any) -> tuple[Any, bytes]:
    """Return SentencePiece's own tokenizer, and the table of replacements in its model."""
    sentencepiece = pytest.importorskip("sentencepiece")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["abc def"] * 20), model_writer=model, model_type="bpe",
        vocab_size=20, hard_vocab_limit=False, minloglevel=2, **options,
    )  # fmt: skip
    settings = Message(Message(model.getvalue(), "").joined(3), "")
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()), settings.data(2)


@pytest.mark.parametrize("name", ["identity", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"])
@pytest.mark.parametrize("kept", [[], KEPT], ids=["nothing kept", "some kept"])
def test_texts_are_normalized_as_by_sentencepiece(name: str, kept: list[str]) -> None:
    for prefix, extra, suffix in itertools.product([True, False], repeat=3):
        other, table = trained(
            normalization_rule_name=name, add_dummy_prefix=prefix, remove_extra_whitespaces=extra,
            treat_whitespace_as_suffix=suffix, user_defined_symbols=kept,
        )  # fmt: skip
        charsmap = base64.b64encode(table).decode()
        ours = SentencePieceNormalizer(prefix, extra, True, suffix, charsmap, tuple(kept))
        assert [ours.apply(text) for text in TEXTS] == [other.normalize(text) for text in TEXTS]
        if ours.steps:
            assert [normalized(text, ours.steps) for text in TEXTS] == [ours.apply(text) for text in TEXTS]


def test_the_table_of_nfkc_replaces_the_longest_match() -> None:
    _, table = trained(normalization_rule_name="nfkc")
    rules = Charsmap(table)
    assert rules.longest("ﬁn".encode(), 0) == (3, "fi")
    assert rules.longest("e\u0301x".encode(), 0) == (3, "é")
    assert rules.longest(b"ex", 0) is None
    assert rules.longest("x½".encode(), 1) == (3, "1⁄2")


def test_blanks_alone_are_nothing_and_so_is_nothing() -> None:
    assert SentencePieceNormalizer().apply("") == SentencePieceNormalizer().apply("   ") == ""
    as_it_is = SentencePieceNormalizer(False, False, False)
    assert as_it_is.apply("  a\u2581 ") == "  a\u2581 "
    assert as_it_is.steps == ()


def test_what_was_put_before_is_taken_away_at_the_start_only() -> None:
    steps = SentencePieceNormalizer(True, False).steps
    assert restored("▁a▁b", steps) == "a b"
    assert restored("▁a▁b", steps, at_start=False) == " a b"
    assert restored("▁▁a", steps) == " a"


def test_steps_are_plain_values() -> None:
    steps = SentencePieceNormalizer(charsmap="", kept=("x", "y")).steps
    assert steps == (("sentencepiece", True, True, True, False, "", "x", "y"),)
    assert checked_steps(pickle.loads(pickle.dumps([list(step) for step in steps]))) == steps


@pytest.mark.parametrize(
    "values",
    [
        (), (True, True, True, False), (1, True, True, False, ""), (True, True, True, False, 5),
        (True, True, True, False, "", ""), (True, True, True, False, "", "\ud800"),
        (True, True, True, False, "!"), (True, True, True, False, "é"), (True, True, True, False, "AAAA"),
    ],
)  # fmt: skip
def test_steps_of_other_values_are_refused(values: tuple[Any, ...]) -> None:
    with pytest.raises(BpeStudioError):
        checked_steps([("sentencepiece", *values)])


@pytest.mark.parametrize(
    "table",
    [b"", b"\4\0\0\0", bytes(20), b"\x08\0\0\0" + bytes(8) + b"x", b"\xff\xff\xff\xff" + bytes(99),
     b"\4\0\0\0" + b"\x09\0\0\x80" + b"ab\0", b"\4\0\0\0" + b"\1\0\0\x80" + "é\0".encode(),
     b"\4\0\0\0" + bytes(4) + b"\xff\0"],
)  # fmt: skip
def test_a_damaged_table_is_refused(table: bytes) -> None:
    with pytest.raises(FormatError, match="damaged"):
        Charsmap(table)
