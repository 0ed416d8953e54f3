"""Alphabets: ids, coverage, fallback, and what is missing."""

from __future__ import annotations

import pytest
from hypothesis import given

from bpe_studio.engine.alphabet import Alphabet, alphabet_for, byte_sequence
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import BpeStudioError, TrainingError, UnknownCharacterError
from bpe_studio.engine.words import WordTable
from tests.engine.building import trainings


def of_characters(words, **settings):
    return alphabet_for(WordTable.from_counts(words), TrainingConfig(alphabet="characters", **settings))


def test_gpt2_order_of_bytes_at_its_corners():
    ids = Alphabet(byte_order="gpt2").byte_ids
    corners = {0x21: 0, 0x7E: 93, 0xA1: 94, 0xAC: 105, 0xAE: 106, 0xFF: 187, 0x00: 188, 0x0A: 198, 0x20: 220,
               0x7F: 221, 0x80: 222, 0xA0: 254, 0xAD: 255}  # fmt: skip
    assert {byte: ids[byte] for byte in corners} == corners
    assert sorted(byte_sequence("gpt2")) == list(range(256))


def test_ids_come_in_the_documented_order():
    words = WordTable.from_counts([("bad", 9), ("z", 1)], special_tokens=("<s>",))
    config = TrainingConfig(
        alphabet="characters", character_coverage=0.9, special_placement="first", special_tokens=("<s>",)
    )
    alphabet = alphabet_for(words, config)
    assert (alphabet.first_id, alphabet.unknown_id, alphabet.unknown_token) == (1, 1, "<unk>")
    assert alphabet.character_ids == {"a": 2, "b": 3, "d": 4}
    assert alphabet.next_id == 5


def test_byte_fallback_puts_the_bytes_before_the_characters():
    alphabet = of_characters([("bad", 9), ("é", 1)], character_coverage=0.9, byte_fallback=True)
    assert alphabet.unknown_id is None
    assert alphabet.byte_ids == tuple(range(256))
    assert alphabet.character_ids == {"a": 256, "b": 257, "d": 258}
    assert alphabet.symbols("aé") == [256, 0xC3, 0xA9]
    assert [alphabet.is_wall(token) for token in (0, 255, 256)] == [True, True, False]


@pytest.mark.parametrize(
    ("coverage", "kept"), [(1.0, "abc"), (0.9, "ab"), (0.91, "abc"), (0.6, "a"), (0.61, "ab"), (0.01, "a")]
)
def test_coverage_takes_the_commonest_until_their_share_reaches_it(coverage, kept):
    assert (
        "".join(of_characters([("a", 6), ("b", 3), ("c", 1)], character_coverage=coverage).characters) == kept
    )


def test_coverage_breaks_ties_by_code_point():
    assert of_characters([("cba", 5)], character_coverage=0.34).characters == ("a", "b")


def test_explicit_base_is_taken_as_it_is():
    assert of_characters([("a", 1)], base_characters=["cab", "é"]).characters == ("a", "b", "c", "é")


def test_every_missing_character_is_named():
    alphabet = Alphabet("characters", characters=("a", "b"))
    with pytest.raises(
        UnknownCharacterError, match=r"'x' \(U\+0078\), '🙃' \(U\+1F643\); the first is at character 1"
    ):
        alphabet.symbols("ax🙃xb")


def test_unknown_is_one_a_code_point():
    alphabet = Alphabet("characters", unknown_token="<unk>", characters=("a", "b", "é", "🙂"))
    assert alphabet.symbols("e\u0301") == [0, 0]
    assert alphabet.symbols("🙂🙂") == [4, 4]


def test_unknown_token_that_is_a_special_is_refused():
    words = WordTable.from_counts([("ab", 1)], special_tokens=("<unk>",))
    config = TrainingConfig(alphabet="characters", character_coverage=0.5, special_tokens=("<unk>",))
    with pytest.raises(BpeStudioError, match="both the unknown token and a special"):
        alphabet_for(words, config)


@pytest.mark.parametrize(
    "settings",
    [{"alphabet": "characters", "byte_order": "gpt2"}, {"byte_fallback": True}, {"character_coverage": 0.5},
     {"base_characters": "ab"}, {"alphabet": "letters"}, {"vocab_size": -5}, {"vocab_size": True},
     {"vocab_size": 2**31},
     {"min_frequency": 0}, {"max_token_length": 0}, {"character_coverage": 0.0, "alphabet": "characters"},
     {"character_coverage": float("nan"), "alphabet": "characters"}, {"errors": "ignore"}, {"pattern": None}],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(TrainingError):
        TrainingConfig(**settings)


@given(trainings())
def test_symbols_of_a_table_are_those_of_its_words(training):
    words, config = training
    alphabet = alphabet_for(words, config)
    symbols, offsets = alphabet.word_symbols(words)
    starts = offsets.tolist()
    found = [symbols[a:b].tolist() for a, b in zip(starts, starts[1:], strict=False)]
    assert found == [alphabet.symbols(words.word(index)) for index in range(len(words))]


def test_ids_may_be_in_any_order() -> None:
    alphabet = Alphabet("characters", unknown_token="?", characters=("a", "b"), ids=(7, 3, 5))
    assert (alphabet.unknown_id, alphabet.character_ids, alphabet.next_id) == (7, {"a": 3, "b": 5}, 8)
    assert alphabet.symbols("bax") == [5, 3, 7] and alphabet.walls == {7}
    byte_ids = tuple(range(255, -1, -1))
    shuffled = Alphabet(ids=byte_ids)
    assert shuffled.byte_ids == byte_ids and shuffled.symbols("a") == [158]
    fallback = Alphabet("characters", byte_fallback=True, characters=("a",), ids=(*range(1, 257), 0))
    assert fallback.symbols("aé") == [0, 1 + 0xC3, 1 + 0xA9] and fallback.walls == set(range(1, 257))


@pytest.mark.parametrize("ids", [(0, 1), (0, 1, 1), (0, 1, 2, 3)])
def test_ids_are_one_for_each_base_token(ids: tuple[int, ...]) -> None:
    with pytest.raises(BpeStudioError, match="one for each base token"):
        Alphabet("characters", characters=("a", "b", "c"), ids=ids)
