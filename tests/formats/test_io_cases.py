"""Files that people reported trouble with, good and spoiled, as they were collected."""

from __future__ import annotations

import base64
import json
import warnings
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bs
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.formats.byte_letters import LETTERS
from bpe_studio.formats.content import Content
from bpe_studio.formats.table import format_named, load, save
from bpe_studio.formats.tiktoken import ranks_of
from tests.formats.building import built

CASES = json.loads((Path(__file__).parents[1] / "golden" / "io_cases.json").read_text("utf-8"))


def pieces(tokenizer: bs.Tokenizer, text: str) -> list[str]:
    return [tokenizer.token_bytes(token).decode() for token in tokenizer.encode(text)]


@pytest.mark.parametrize(
    "format", ["studio", "huggingface", "huggingface_older", "gpt2", "tiktoken", "minbpe"]
)
def test_one_model_has_its_ids_after_every_format(format: str, tmp_path: Path) -> None:
    case = CASES["C041"]
    merges = [(left, right) for left, right in case["input"]["merges"]]
    save(built(Alphabet(), merges, case["input"]["pattern"]), tmp_path / "model", format)
    again = load(tmp_path / "model")
    assert {text: again.encode(text) for text in case["expected"]["ids"]} == case["expected"]["ids"]


def test_a_minbpe_model_is_taken_letter_by_letter(tmp_path: Path) -> None:
    case = CASES["C049"]
    data = base64.b64decode(case["expected"]["file_b64"])
    (tmp_path / "a.model").write_bytes(data)
    tokenizer = load(tmp_path / "a.model")
    assert tokenizer.pattern.expression == case["expected"]["imported_pattern"] == r" ?\w+| +"
    assert tokenizer.encode("abc ab<|end|>", "all") == [257, 32, 256, 258]
    assert format_named("minbpe").write(tokenizer) == data
    more = bs.Tokenizer(
        Alphabet(), tokenizer.left, tokenizer.right, tokenizer.product, tokenizer.pattern,
        {**tokenizer.special_tokens, "<my tok>": 259},
    )  # fmt: skip
    with pytest.raises(bs.FormatError, match="special token '<my tok>' holds a blank"):
        save(more, tmp_path / "b.model", "minbpe")


def pair(folder: Path, vocabulary: dict[str, int], merges: bytes) -> Path:
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_bytes(merges)
    return folder / "merges.txt"


def test_merges_that_begin_with_a_hash_are_merges(tmp_path: Path) -> None:
    case = CASES["C050"]
    path = pair(tmp_path, case["input"]["vocab_json"], base64.b64decode(case["input"]["merges_txt_b64"]))
    tokenizer = load(path)
    for again in (tokenizer, load(save(tokenizer, tmp_path / "b-vocab.json", "gpt2").path)):
        assert {text: pieces(again, text) for text in case["expected"]["tokens"]} == case["expected"][
            "tokens"
        ]
        assert again.n_merges == case["expected"]["merges_read"]


@pytest.mark.parametrize("name", CASES["C052"]["input"]["variants"])
def test_lines_of_merges_are_read_as_tokenizers_reads_them(name: str, tmp_path: Path) -> None:
    case = CASES["C052"]["input"]
    variant = case["variants"][name]
    path = pair(tmp_path, case["vocab_json"], base64.b64decode(variant["merges_txt_b64"]))
    if isinstance(variant["tokenizers_says"], list):
        assert pieces(load(path), "abc") == variant["tokenizers_says"]
        return
    with pytest.raises(bs.FormatError) as caught:
        load(path)
    # Theirs counts the lines without the first; ours those of the file.
    place = {"blank line inside": "line 3", "two spaces": "line 2", "one column": "line 3"}.get(
        name, "merge 1 needs"
    )
    assert place in str(caught.value)


def test_what_looks_like_a_line_end_may_be_part_of_a_token(tmp_path: Path) -> None:
    case = CASES["C052"]["input"]
    path = pair(tmp_path, case["unicode_vocab_json"], base64.b64decode(case["unicode_merges_txt_b64"]))
    for text in ("a\x85", "a\u2028"):
        assert pieces(load(path), text) == [text]


@pytest.mark.parametrize("fault", CASES["C054"]["input"]["faults"])
def test_a_broken_tokenizer_json_gets_one_sentence(fault: str, tmp_path: Path) -> None:
    given = CASES["C054"]["input"]["faults"][fault]
    data = b"[" * 100_000 if fault == "huge nesting" else base64.b64decode(given)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    with pytest.raises(bs.FormatError) as caught:
        load(path)
    said = {
        "cut in the middle": "line 1 column", "empty": "empty", "a list": "not a tokenizer file",
        "unknown model": "model.type is 'WordPiece'", "id as text": "model.vocab.'ab ' must be an integer",
        "merge of unknown token": "merge 1 needs the token 'z'", "huge nesting": "nested too deeply",
        "two tokens one id": "model.vocab.'ab ' has the id 3, as 'ab' has", "not UTF-8": "not UTF-8",
        "version 9": "version is '9.0'", "binary": "not a tokenizer file",
    }[fault]  # fmt: skip
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_the_same_file_unbroken_is_of_characters(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(CASES["C054"]["input"]["base"]))
    tokenizer = load(tmp_path / "t.json")
    assert tokenizer.encode("ab ba") == [4, 1, 0]
    with pytest.raises(bs.UnknownCharacterError):
        tokenizer.encode("abc")


@pytest.mark.parametrize("name", CASES["C055"]["input"]["files_b64"])
def test_rank_files_are_read_strictly(name: str) -> None:
    case: dict[str, Any] = CASES["C055"]
    content = Content(Path("x.tiktoken"), base64.b64decode(case["input"]["files_b64"][name]))
    if name in (*case["expected"]["accepted"], "byte-order mark"):
        assert ranks_of(content) == {b"a": 0, b"b": 1}
        with pytest.raises(bs.FormatError, match="254 of the 256 bytes have no token: 0x00, 0x01"):
            format_named("tiktoken").read(content)
    else:
        with pytest.raises(bs.FormatError, match=r"^line [12][ :]"):
            ranks_of(content)


def test_bytes_have_the_order_of_gpt2(tmp_path: Path) -> None:
    letters = sorted(LETTERS.values())
    assert {byte: LETTERS[byte] for byte in (0, 9, 10, 32, 127, 128, 160, 173, 255)} == {
        0: "Ā", 9: "ĉ", 10: "Ċ", 32: "Ġ", 127: "ġ", 128: "Ģ", 160: "ł", 173: "Ń", 255: "ÿ",
    }  # fmt: skip
    path = pair(tmp_path, {letter: token for token, letter in enumerate(letters)}, b"#version: 0.2\n")
    assert load(path).encode("Hi there\n") == [39, 72, 220, 83, 71, 68, 81, 68, 198]
    assert load(path).alphabet == Alphabet(byte_order="gpt2")


def test_ids_with_holes_are_kept_in_every_format_that_can(tmp_path: Path) -> None:
    tokenizer = built(Alphabet(), [(97, 98)], specials={"<s>": 300, "<e>": 1000})
    for format in ("studio", "huggingface", "gpt2", "minbpe", "tiktoken"):
        again = load(save(tokenizer, tmp_path / "x", format).path)
        assert (again.vocab_size, again.n_ids) == (259, 1001)
        assert again.decode([256, 300, 1000]) == "ab<s><e>"
        with pytest.raises(bs.BpeStudioError, match="No token has the id 257"):
            again.decode([257])


def test_added_tokens_are_text_though_their_letters_stand_for_bytes(tmp_path: Path) -> None:
    text = "x ilÖveyou é Ġword"
    added = {"ilÖveyou": 256, "Ġword": 257}
    special = built(Alphabet(byte_order="gpt2"), [], "gpt2", added)
    plain = replace(special, special_tokens={}, added_tokens=added)
    for tokenizer, format in product((special, plain), ("huggingface", "gpt2", "studio")):
        if tokenizer is plain and format == "gpt2":
            continue  # refused: other programs would not find them
        again = load(save(tokenizer, tmp_path / "x", format).path)
        ids = again.encode(text, "all")
        assert again.decode(ids) == text and {256, 257} <= set(ids)


def test_a_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    lines = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
    for last, ids in {b"ab": [256, 99, 100], b"cd": [97, 98, 256]}.items():
        path.write_bytes(lines + base64.b64encode(last) + b" 256\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert load(path).encode("abcd") == ids
    with pytest.warns(UserWarning, match="holds no split pattern"):
        load(path)


def test_the_configuration_beside_the_pair_tells_which_tokens_are_special(tmp_path: Path) -> None:
    path = pair(tmp_path, {"a": 0, "b": 1, "ab": 2, "<s>": 3, "[X]": 4, "rest": 5}, b"a b\n")
    tokenizer = load(path)
    assert dict(tokenizer.special_tokens) == {"<s>": 3, "[X]": 4} and dict(tokenizer.unmerged) == {5: b"rest"}
    entry = {"content": "<s>", "special": True, "lstrip": False}
    decoder = {"3": entry, "9": {"content": "<t>", "special": False}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": decoder}))
    tokenizer = load(path)
    assert dict(tokenizer.special_tokens) == {"<s>": 3} and dict(tokenizer.added_tokens) == {"<t>": 9}
    assert tokenizer.encode("ab<t>") == [2, 9] and dict(tokenizer.unmerged) == {4: b"[X]", 5: b"rest"}
    for wrong, said in {"lstrip": "found in another way", "content": "must be a text"}.items():
        decoder["3"] = {**entry, wrong: True}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": decoder}))
        with pytest.raises(bs.FormatError, match=said):
            load(path)


def test_a_chat_template_beside_a_file_stays(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "{{ x }}", "tokenizer_class": "Mine"}')
    save(built(Alphabet(), [], specials={"<s>": 300}), tmp_path / "tokenizer.json", "huggingface")
    value = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert (value["chat_template"], value["tokenizer_class"]) == ("{{ x }}", "Mine")
    assert value["added_tokens_decoder"]["300"]["content"] == "<s>"
