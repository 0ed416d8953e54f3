from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.formats.building as building
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats import studio
from bpe_studio.formats.content import Content
from bpe_studio.formats.training_fields import same_training


def read_back(data: bytes) -> Tokenizer:
    return studio.read(Content(Path("x.json"), data))


def value_of(tokenizer: Tokenizer = building.BYTES) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(studio.write(tokenizer))
    return value


def refused(value: Any) -> str:
    with pytest.raises(BpeStudioError) as caught:
        read_back(json.dumps(value).encode())
    return str(caught.value)


@pytest.mark.parametrize("name", building.ALL)
def test_everything_comes_back(name: str) -> None:
    tokenizer = building.ALL[name]
    again = read_back(studio.write(tokenizer))
    assert again == tokenizer
    assert same_training(again.training, tokenizer.training)
    assert again.pattern == tokenizer.pattern
    assert dict(again.special_tokens) == dict(tokenizer.special_tokens)
    assert studio.write(again) == studio.write(tokenizer)


def test_counts_ties_margins_and_the_stop_reason_are_in_the_file() -> None:
    again = read_back(studio.write(building.CHARACTERS))
    record = again.training
    assert record is not None and record.stop_reason is not None
    assert record.log.count.tolist() == [4, 2, 2]
    assert record.log.n_tied.tolist() == [1, 2, 1]
    assert record.log.margin.tolist() == [2, 0, 1]
    assert record.log.corpus_tokens.tolist() == [9, 7, 5]
    assert record.log.corpus_tokens_before == 11
    assert record.stop_reason.text == "the vocabulary is full at 7"


def test_the_same_tokenizer_gives_the_same_bytes() -> None:
    assert studio.write(building.BYTES) == studio.write(building.BYTES)
    text = studio.write(building.BYTES).decode()
    assert '   [220, 70, 256, " g", 13, 6, 0, 143, 0],\n' in text
    assert text.endswith(" }\n}\n")


def test_threads_do_not_change_the_file() -> None:
    one = building.trained([("abab", 4)], vocab_size=258)
    four = building.trained([("abab", 4)], vocab_size=258, n_threads=4)
    assert studio.write(one) == studio.write(four)


def test_a_tokenizer_of_the_first_merges_comes_back() -> None:
    first = building.BYTES.first(3)
    again = read_back(studio.write(first))
    assert again == first and same_training(again.training, first.training)
    assert again.training is not None and again.training.stop_reason is None


def test_characters_that_mean_something_in_json_come_back() -> None:
    characters = ('"', "\\", "\n", "\0", "\u2028", "\ufeff", "é", "🙂", "\x7f")
    tokenizer = building.built(
        Alphabet("characters", characters=characters), [(0, 1), (9, 2)], specials={'"\\\n\u2029': 11}
    )
    assert read_back(studio.write(tokenizer)) == tokenizer
    assert read_back(studio.write(tokenizer)).merges == tokenizer.merges


def test_a_pattern_with_a_lone_surrogate_comes_back() -> None:
    tokenizer = building.built(Alphabet(), [], "[a\ud800]+")
    data = studio.write(tokenizer)
    assert data.decode().count("\\ud800") == 1
    assert read_back(data) == tokenizer


def test_a_file_with_a_byte_order_mark_and_with_unknown_keys_is_read() -> None:
    value = value_of() | {"note": "mine"}
    value["alphabet"]["colour"] = "red"
    assert read_back(b"\xef\xbb\xbf" + json.dumps(value).encode()) == building.BYTES


def test_every_setting_comes_back() -> None:
    config = TrainingConfig(
        vocab_size=300, pattern="a|b", alphabet="characters", tie_rule="random:18446744073709551615",
        min_frequency=3, special_tokens=("<s>",), special_placement="first", max_token_length=7,
        character_coverage=0.9995, base_characters=("abc", "é"), unknown_token="?", lines=True,
        errors="replace",
    )  # fmt: skip
    record = building.CHARACTERS.training
    assert record is not None
    value = value_of(building.CHARACTERS)
    from dataclasses import replace

    from bpe_studio.formats.training_fields import training_value

    value["training"] = training_value(replace(record, config=config))
    again = read_back(json.dumps(value).encode())
    assert again.training is not None and again.training.config == config


# ---- what is wrong -----------------------------------------------------------------------------------------


def test_a_newer_file_says_so() -> None:
    message = refused({"format": "bpe-studio", "version": 9})
    assert "newer BPE Studio (version 9" in message and "up to version 1" in message


def changed(path: str, new: Any) -> dict[str, Any]:
    value = value_of()
    *parents, last = path.split("/")
    target: Any = value
    for key in parents:
        target = target[int(key)] if isinstance(target, list) else target[key]
    if isinstance(target, list):
        target[int(last)] = new
    else:
        target[last] = new
    return value


@pytest.mark.parametrize(
    ("path", "new", "message"),
    [
        (
            "version",
            True,
            "version must be an integer from 1 to 9,223,372,036,854,775,807, not true or false",
        ),
        ("version", 1.0, "version must be an integer"),
        ("version", 0, "not 0"),
        ("fingerprint", "0" * 64, "the fingerprint does not match the content"),
        ("vocab_size", 267, "vocab_size must be 268"),
        ("normalizer", "NFC", "normalizer must be a list, not 'NFC'"),
        ("normalizer", ["NFC"], "normalizer[0] must be a list, not 'NFC'"),
        ("normalizer", [["NFC"]], "the fingerprint does not match"),
        ("normalizer", [["rot13"]], "no known kind"),
        ("normalizer", [["NFC", "x"]], "takes 0 texts"),
        ("normalizer", [["replace", "", "x"]], "an empty text"),
        ("semantics", "luck", "semantics is 'luck'; it must be 'pairs'"),
        ("semantics", "ranks", "the fingerprint does not match"),
        ("unmerged", [[1]], "unmerged[0] must be an id and a text"),
        ("unmerged", [[300, "zz"]], "unmerged[0][1] must be bytes in hex, not 'zz'"),
        ("unmerged", [[300, "00"], [300, "01"]], "unmerged[1] repeats the id 300"),
        ("ranks", [[256, -1]], "ranks[0][1] must be an integer from 0"),
        ("pattern/then", ["("], "does not compile"),
        ("alphabet", [], "alphabet must be an object, not a list"),
        ("alphabet/kind", "letters", "alphabet.kind is 'letters'"),
        ("alphabet/byte_order", 7, "alphabet.byte_order must be a text, not 7"),
        ("alphabet/byte_order", "identity", "fingerprint does not match"),
        ("alphabet/first_id", -1, "alphabet.first_id must be an integer from 0"),
        ("alphabet/first_id", 2**31 - 1, "."),
        ("alphabet/byte_fallback", 1, "alphabet.byte_fallback must be true or false, not 1"),
        ("alphabet/characters", ["a"], "no characters"),
        ("alphabet/unknown_token", 3, "alphabet.unknown_token must be a text"),
        ("pattern/expression", "[", "does not compile"),
        ("pattern/expression", 1, "pattern.expression must be a text, not 1"),
        ("special_tokens/0", "x", "special_tokens[0] must be an object"),
        ("special_tokens/1/text", "<|end of text|>", "special_tokens[1].text repeats"),
        ("special_tokens/1/id", 266, "has the id 266, which another token has"),
        ("special_tokens/1/id", 2**31, "special_tokens[1].id must be an integer from 0 to 2,147,483,647"),
        ("special_tokens/1/text", "", "empty"),
        ("special_tokens/1/text", "\ud800", "lone surrogate"),
        ("merges/columns/0", "right", "must name each column once"),
        ("merges/columns/4", "cuont", "merges.columns lacks count"),
        ("merges/rows/3", [1, 2], "merges.rows[3] has 2 items; there are 9 columns"),
        ("merges/rows/3", {}, "merges.rows[3] must be a list"),
        ("merges/rows/3/0", 999, "Merge 3 uses token 999"),
        ("merges/rows/3/0", True, "merges.rows[3][0] (left) must be an integer from 0 to 2,147,483,647"),
        ("merges/rows/3/2", 258, "Merge 3 makes token 258"),
        ("merges/rows/3/4", 2**63, "merges.rows[3][4] (count) must be an integer from -1"),
        ("merges/rows/3/4", 10**400, "not a number of more than 20 digits"),
        ("merges/rows/3/8", 3, "(origin)"),
        ("training", "yes", "training must be an object, not 'yes'"),
        ("training/config/tie_rule", "coin", "coin"),
        ("training/config/vocab_size", "268", "training.config.vocab_size must be an integer"),
        ("training/config/character_coverage", True, "character_coverage must be a number"),
        ("training/config/special_tokens", "ab", "special_tokens must be a list"),
        ("training/stop_reason/code", "tired", "stop_reason.code is 'tired'"),
        ("training/stop_reason/numbers", {}, "stop_reason.numbers.vocab_size is missing"),
        ("training/stop_reason/numbers/short", None, "stop_reason.numbers.short must be an integer"),
        ("training/corpus/n_bytes", -5, "training.corpus.n_bytes must be an integer from 0"),
        ("training/corpus_tokens_before", None, "corpus_tokens_before must be"),
        ("training/version", None, "training.version must be a text, not null"),
    ],
)
def test_a_wrong_field_is_named(path: str, new: Any, message: str) -> None:
    assert message in refused(changed(path, new))


@pytest.mark.parametrize(
    "key", ["version", "fingerprint", "alphabet", "pattern", "special_tokens", "merges", "training"]
)
def test_a_missing_key_is_named(key: str) -> None:
    value = value_of()
    del value[key]
    assert f"{key} is missing" in refused(value)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(leaf for key, item in items for leaf in leaves(item, (*path, key)))]


WHOLE = value_of()
PLACES = leaves(WHOLE)[1:]
JUNK = [
    None,
    True,
    False,
    -1,
    0,
    1,
    255,
    2**31,
    2**63,
    10**30,
    0.5,
    "",
    "a",
    "\ud800",
    "none",
    [],
    [[]],
    {},
    {"": 0},
]


@given(st.sampled_from(PLACES), st.sampled_from(JUNK))
def test_any_field_replaced_by_junk_is_read_whole_or_refused_in_words(
    path: tuple[Any, ...], junk: Any
) -> None:
    value = copy.deepcopy(WHOLE)
    target = value
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = junk
    try:
        assert read_back(json.dumps(value).encode()) == building.BYTES
    except FormatError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
    except BpeStudioError:
        pass


def test_any_cut_or_changed_byte_is_read_whole_or_refused_in_words() -> None:
    data = studio.write(building.BYTES)
    chance = random.Random(1)
    for _ in range(300):
        at = chance.randrange(len(data))
        broken = (
            data[:at]
            if chance.random() < 0.5
            else data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        )
        try:
            assert read_back(broken) == building.BYTES
        except BpeStudioError:
            pass


def test_stop_reasons_of_every_kind_come_back() -> None:
    numbers = {"vocab_size": 7, "target": 9, "n_merges": 3, "short": 2, "best_count": 1, "min_frequency": 2}
    from dataclasses import replace

    for code in ("vocabulary_full", "no_pair", "min_frequency", "user"):
        record = building.CHARACTERS.training
        assert record is not None
        stop = StopReason(code, numbers)
        tokenizer = replace(building.CHARACTERS, training=replace(record, stop_reason=stop))
        again = read_back(studio.write(tokenizer)).training
        assert again is not None and again.stop_reason == stop


def test_ids_in_any_order_are_listed_and_keep_the_cursor_away() -> None:
    value = value_of(building.ANY_ORDER)
    assert value["alphabet"]["ids"][:2] == [600, 598] and "ids" not in value_of()["alphabet"]
    again = read_back(json.dumps(value).encode())
    assert again.encode("abcab") == [10, 11] and "do not follow" in again.is_ordered().reason
