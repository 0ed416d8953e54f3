from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import tests.formats.building as building
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError, UnknownCharacterError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats import character_bpe
from bpe_studio.formats.content import Content

EXAMPLE: dict[str, Any] = {
    "type": "character_bpe",
    "base_tokens": ["a", "b", "é", " "],
    "merges": [["a", "b"], ["ab", "é"]],
    "vocab_size": 6,
    "fingerprint": "f0ce5b73988a1de5e202da32bf026a89bcb1545d1ac1f5613476432fe1451d51",
}


def read(value: Any) -> Tokenizer:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return character_bpe.read(Content(Path("x.json"), data))


def test_the_example_has_its_fingerprint_byte_for_byte() -> None:
    assert character_bpe.fingerprint(EXAMPLE["base_tokens"], EXAMPLE["merges"]) == EXAMPLE["fingerprint"]


def test_ids_follow_the_order_of_the_file() -> None:
    tokenizer = read(EXAMPLE)
    assert tokenizer.encode("abé ab") == [5, 3, 4]
    assert tokenizer.merges == [("a", "b"), ("ab", "é")]
    assert tokenizer.vocab_size == tokenizer.n_ids == 6
    assert tokenizer.decode([5, 3, 4]) == "abé ab"


def test_writing_gives_the_file_back_with_real_characters() -> None:
    data = character_bpe.write(read(EXAMPLE))
    assert data.decode() == json.dumps(EXAMPLE, indent=2, ensure_ascii=False)
    assert '"é"' in data.decode()


def test_what_was_trained_on_characters_comes_back() -> None:
    again = read(character_bpe.write(building.CHARACTERS))
    assert again == building.CHARACTERS
    assert character_bpe.lost(building.CHARACTERS) and not character_bpe.lost(again)


def test_a_product_that_is_a_token_already_takes_no_new_id() -> None:
    merges = [["a", "b"], ["b", "c"], ["ab", "c"], ["a", "bc"]]
    value = {"type": "character_bpe", "base_tokens": list("abc"), "merges": merges, "vocab_size": 6}
    with pytest.warns(UserWarning, match="no fingerprint"):
        tokenizer = read(value)
    assert tokenizer.product.tolist() == [3, 4, 5, 5]
    assert tokenizer.vocab_size == 6
    assert not tokenizer.is_ordered()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(character_bpe.write(tokenizer)) == tokenizer


def test_a_character_outside_the_alphabet_is_an_error_that_names_every_one() -> None:
    with pytest.raises(UnknownCharacterError) as caught:
        read(EXAMPLE).encode("axyb")
    assert caught.value.characters == ("x", "y")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocab_size": 5}, "vocab_size is 5, but base tokens and merges make 6 tokens"),
        ({"vocab_size": True}, "vocab_size must be an integer"),
        ({"fingerprint": "0"}, "fingerprint does not match"),
        ({"fingerprint": None}, "fingerprint must be a text"),
        ({"base_tokens": ["a", "a", "b", "é"]}, "base_tokens[1] repeats 'a'"),
        ({"base_tokens": ["", "a", "b", "é"]}, "base_tokens[0] is empty"),
        ({"base_tokens": ["\ud800", "a", "b", "é"]}, "base_tokens[0] holds a lone surrogate"),
        ({"base_tokens": "abé "}, "base_tokens must be a list"),
        ({"base_tokens": [1]}, "base_tokens[0] must be a text, not 1"),
        ({"merges": [["ab", "é"], ["a", "b"]]}, "merges[0] uses 'ab'"),
        ({"merges": [["a", "z"]]}, "merges[0] uses 'z'"),
        ({"merges": [["a", "b", "é"]]}, "merges[0] must be a pair of texts, not 3 items"),
        ({"merges": ["a b"]}, "merges[0] must be a list, not 'a b'"),
        ({"merges": [["a", 1]]}, "merges[0][1] must be a text"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(EXAMPLE | change)
    assert message in str(caught.value)


@pytest.mark.parametrize("key", ["base_tokens", "merges", "vocab_size"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(FormatError, match=f"{key} is missing"):
        read({name: value for name, value in EXAMPLE.items() if name != key})


@pytest.mark.parametrize(
    ("tokenizer", "reason"),
    [
        (building.BYTES, "bytes"),
        (building.UNKNOWN, "unknown token"),
        (building.FALLBACK, "falls back to bytes"),
        (
            building.trained([("ab ab", 2)], "whitespace", alphabet="characters", vocab_size=4),
            "split pattern",
        ),
        (
            building.trained([("abab", 2)], alphabet="characters", vocab_size=4, special_tokens=("<s>",)),
            "special",
        ),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tokenizer: Tokenizer, reason: str) -> None:
    assert any(reason in text for text in character_bpe.refusals(tokenizer))


def test_ids_in_another_order_are_refused() -> None:
    left, right = [0, 1], [1, 0]
    odd = Tokenizer(
        Alphabet("characters", characters=("a", "b")), left, right, [7, 3], building.CHARACTERS.pattern
    )  # type: ignore[arg-type]
    assert character_bpe.refusals(odd) == ("its token ids are not numbered in the order of its merges",)
    assert character_bpe.refusals(building.CHARACTERS) == ()
