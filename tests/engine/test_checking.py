from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bpe_studio as bs
from bpe_studio.engine.errors import (
    BpeStudioError,
    CorpusError,
    SpecialTokenError,
    TrainingError,
)

TEXT = "abab cd abab cd"


class Name(str):
    """A str of somebody else's."""


def test_numbers_of_numpy_are_settings_and_are_saved_as_plain_ones(tmp_path: Path) -> None:
    plain: dict[str, Any] = {"vocab_size": 300, "min_frequency": 1, "max_token_length": 3, "lines": True}
    numpy = {
        "vocab_size": np.uint16(300), "min_frequency": np.int64(1), "max_token_length": np.int8(3),
        "lines": np.bool_(True), "n_threads": np.int32(2), "pattern": Name("none"),
        "special_tokens": np.array(["<s>"]), "tie_rule": np.str_("first-seen"),
    }  # fmt: skip
    bs.save(bs.train(TEXT, **numpy), tmp_path / "numpy.json")  # type: ignore[arg-type]
    expected = bs.train(TEXT, **plain, pattern="none", special_tokens="<s>", tie_rule="first-seen")
    bs.save(expected, tmp_path / "plain.json")
    assert (tmp_path / "numpy.json").read_bytes() == (tmp_path / "plain.json").read_bytes()


def test_a_share_is_the_decimal_that_was_written() -> None:
    for share in (np.float32(0.9995), np.float64(0.9995), 0.9995):
        config = bs.TrainingConfig(alphabet="characters", character_coverage=share)  # type: ignore[arg-type]
        assert config.character_coverage == 0.9995 and type(config.character_coverage) is float


@pytest.mark.parametrize(
    "settings",
    [
        {"vocab_size": 300.0},
        {"vocab_size": True},
        {"vocab_size": 2**31},
        {"min_frequency": np.float64(2)},
        {"max_token_length": "2"},
        {"lines": None},
        {"errors": np.array(["strict", "skip"])},
        {"alphabet": "characters", "character_coverage": True},
        {"special_tokens": {"a", "b"}},
        {"special_tokens": {"a": 1}},
        {"special_tokens": None},
        {"special_tokens": 5},
        {"special_tokens": ["\ud800"]},
        {"alphabet": "characters", "base_characters": ["\ud800", TEXT]},
        {"alphabet": "characters", "base_characters": 5},
        {"unknown_token": "\ud800"},
    ],
)
def test_settings_of_another_kind_are_refused_in_words(settings: dict[str, Any]) -> None:
    with pytest.raises(BpeStudioError):
        bs.train(TEXT, pattern="none", **settings)


def test_a_set_of_base_characters_is_fine_because_they_are_sorted() -> None:
    tokenizer = bs.train(TEXT, alphabet="characters", base_characters=set(TEXT), pattern="none")
    assert "".join(tokenizer.alphabet.characters) == " abcd"


@pytest.mark.parametrize("specials", [{"a", "b"}, {"a": 1}, "ab", b"ab", None, 5])
def test_special_tokens_without_an_order_are_refused_when_counting(specials: Any) -> None:
    with pytest.raises(SpecialTokenError, match="list of strings"):
        bs.count_words(TEXT, special_tokens=specials)


@pytest.mark.parametrize("text", [5, None, Path("x"), ["a"], np.frombuffer(b"ab", np.uint8), 1.5])
def test_what_is_no_text_is_not_encoded(text: Any) -> None:
    tokenizer = bs.train(TEXT, pattern="none")
    for act in (tokenizer.encode, tokenizer.encode_to_array, tokenizer.offsets, tokenizer.trace):
        with pytest.raises(BpeStudioError, match="A text is a str or bytes"):
            act(text)


def test_one_text_is_no_batch_and_an_error_of_the_caller_is_his_own() -> None:
    tokenizer = bs.train(TEXT, pattern="none")
    with pytest.raises(BpeStudioError, match="several texts"):
        tokenizer.encode_batch("ab")

    def texts():
        yield "ab"
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        tokenizer.encode_batch(texts())
    with pytest.raises(RuntimeError, match="mine"):
        bs.train(texts())


def test_allowed_special_tokens_may_come_one_by_one() -> None:
    tokenizer = bs.train(TEXT, pattern="none", special_tokens=["<s>", "<e>"])
    expected = [tokenizer.special_tokens[name] for name in ("<s>", "<e>")]
    for allowed in (iter(["<s>", "<e>"]), np.array(["<s>", "<e>"]), {"<s>", "<e>"}):
        assert tokenizer.encode("<s><e>", allowed) == expected
    for wrong in (None, 5, "<s>"):
        with pytest.raises(BpeStudioError, match="allowed_special"):
            tokenizer.encode("<s>", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [1.0, "1", None])
def test_what_is_no_integer_is_no_id_and_no_number_of_merges(number: Any) -> None:
    words = bs.count_words(TEXT, pattern="none")
    trainer = bs.Trainer(words, bs.TrainingConfig(vocab_size=258))
    trainer.advance(np.int64(2))
    tokenizer = trainer.tokenizer()
    acts = [tokenizer.token_bytes, tokenizer.first, lambda k: bs.state_at(words, trainer.log, k)]
    for act in acts if number is None else [*acts, trainer.advance, trainer.tokenizer]:
        with pytest.raises(BpeStudioError, match="must be an integer"):
            act(number)
    assert tokenizer.first(np.int64(1)).n_merges == 1
    assert tokenizer.token_bytes(np.uint32(97)) == b"a"


def test_a_trainer_wants_a_table_and_settings() -> None:
    with pytest.raises(TrainingError, match="words is a str; it must be a WordTable"):
        bs.Trainer(TEXT, bs.TrainingConfig())  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="config is a NoneType; it must be a TrainingConfig"):
        bs.Trainer(bs.count_words(TEXT), None)  # type: ignore[arg-type]


@pytest.mark.parametrize("pairs", [5, ["ab"], [("a",)], [("a", 1, 2)], {"ab": 1}, [5]])
def test_counted_words_are_pairs(pairs: Any) -> None:
    with pytest.raises(CorpusError):
        bs.WordTable.from_counts(pairs)


@pytest.mark.parametrize("tables", [[], 5, [5], [None, None]])
def test_what_is_merged_is_tables(tables: Any) -> None:
    with pytest.raises(CorpusError, match="list of tables of words"):
        bs.WordTable.merge(tables)


def test_a_path_of_bytes_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)

    class Entry:
        def __fspath__(self) -> bytes:
            return bytes(tmp_path / "a.txt")

    assert bs.Corpus.from_source(Entry()).n_bytes == len(TEXT)  # type: ignore[arg-type]
