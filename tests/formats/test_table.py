from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

import tests.formats.building as building
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError
from bpe_studio.formats import studio, table
from bpe_studio.formats.checking import sample_texts
from bpe_studio.formats.content import Content
from bpe_studio.formats.table import FORMATS, format_for, load, save
from bpe_studio.formats.training_fields import same_training


@pytest.mark.parametrize("record", FORMATS, ids=lambda record: record.name)
@pytest.mark.parametrize("name", building.ALL)
def test_every_format_gives_the_same_ids_back_or_refuses(
    record: table.Format, name: str, tmp_path: Path
) -> None:
    tokenizer, path = building.ALL[name], tmp_path / f"x{record.suffixes[0]}"
    if record.refusals(tokenizer):
        with pytest.raises(FormatError, match=f"{record.name} cannot hold"):
            save(tokenizer, path, record.name)
        assert os.listdir(tmp_path) == []
        return
    report = save(tokenizer, path, record.name)
    assert sorted(os.listdir(tmp_path)) == sorted(file.name for file in report.files)
    assert report.ok and report.path == path and report.lost == record.lost(tokenizer)
    again = load(path)
    assert again == record.keeps(tokenizer)
    assert dict(again.special_tokens) == dict(tokenizer.special_tokens)
    assert record.recognises(table.Content(path, path.read_bytes()))
    if record.keeps_training:
        assert same_training(again.training, tokenizer.training)


@pytest.mark.parametrize(
    "record", [record for record in FORMATS if record.peer], ids=lambda record: record.name
)
def test_the_program_whose_format_it_is_finds_the_same_ids(record: table.Format, tmp_path: Path) -> None:
    pytest.importorskip(record.peer)
    holdable = (each for each in building.ALL.values() if not record.refusals(each))
    report = save(next(holdable), tmp_path / "x", record.name, sample="aabaa\n" * 99)
    own, theirs = report.checks
    assert (own.by, theirs.by) == ("BPE Studio", record.peer)
    assert own.ok and theirs.ok and theirs.n_bytes == own.n_bytes > 500
    assert str(theirs).startswith(f"reloaded with {record.peer}: 0 differences on ")


def test_what_the_program_finds_otherwise_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load_another(content: Content, tokenizer: object) -> Callable[[list[str]], list[list[int]]]:
        return lambda texts: [[*building.BYTES.encode(text, "none"), 7] for text in texts]

    def panic(content: Content, tokenizer: object) -> NoReturn:
        raise BaseException("no entry\nfound")

    def is_missing(content: Content, tokenizer: object) -> NoReturn:
        raise ImportError

    for loader, said in {
        load_another: f"reloaded with X: {len(sample_texts(building.BYTES))} differences on 1.2 kB",
        panic: "reloading with X failed: no entry",
        is_missing: None,
    }.items():
        record = dataclasses.replace(FORMATS[0], peer="X", load_with_peer=loader)
        monkeypatch.setattr(table, "FORMATS", (record, *FORMATS[1:]))
        report = save(building.BYTES, tmp_path / "x.json")
        assert [str(check) for check in report.checks[1:]] == ([] if said is None else [said])
        assert report.ok == (said is None)


@pytest.mark.parametrize(
    "name",
    [
        "über 文件/модель 1.json",
        "🙂/a b%20c.json",
        "-dash.json",
        "x" * 240 + ".json",
        "dir.json/model.bin",
        "a#b?c.txt",
    ],
)
def test_any_name_can_be_saved_and_loaded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    save(building.BYTES, name)
    assert load(name) == load(Path(name)) == load(tmp_path / name) == building.BYTES


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_name_that_is_no_text_can_be_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xf0.json")
    save(building.BYTES, path)
    assert load(path) == building.BYTES


def test_the_content_decides_not_the_ending(tmp_path: Path) -> None:
    save(building.CHARACTERS, tmp_path / "x.txt", "character_bpe")
    assert load(tmp_path / "x.txt") == building.CHARACTERS
    assert load(tmp_path / "x.txt").training is None


def test_the_format_follows_the_ending_and_is_ours_otherwise() -> None:
    names = ("a.json", "A.JSON", "a", "a.txt", "tokenizer.json", "vocab.json")
    assert {format_for(Path(name)).name for name in names} == {"studio"}
    assert format_for(Path("a.tiktoken")).name == "tiktoken"
    assert [format_for(Path("a.model"), each).name for each in (building.HOLES, building.CHARACTERS)] == [
        "minbpe",
        "sentencepiece",
    ]
    assert {record.name: record.usual_name for record in FORMATS if record.name in ("gpt2", "minbpe")} == {
        "gpt2": "vocab.json", "minbpe": "tokenizer.model",
    }  # fmt: skip


def test_a_folder_with_a_known_file_opens(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no tokenizer file of a known name"):
        load(tmp_path)
    save(building.BYTES, tmp_path / "any.tiktoken", "tiktoken")
    assert load(tmp_path) == building.BYTES
    (tmp_path / "any.gguf").touch()
    with pytest.raises(FormatError, match="several tokenizer files"):
        load(tmp_path)
    save(building.BYTES, tmp_path / "vocab.json", "gpt2")
    assert load(tmp_path) == load(tmp_path / "merges.txt") == building.BYTES
    save(building.FIRST, tmp_path / "tokenizer.json", "huggingface")
    assert load(tmp_path) == building.FIRST


def test_the_pattern_can_be_given(tmp_path: Path) -> None:
    save(building.BYTES, tmp_path / "a.json")
    assert load(tmp_path / "a.json", pattern="gpt2").pattern.name == "gpt2"
    assert load("gpt2", pattern="none").pattern.expression is None


def test_a_format_may_be_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        table, "FORMATS", (FORMATS[0], dataclasses.replace(FORMATS[1], refusals=table.only_read))
    )
    assert not table.FORMATS[1].is_written
    assert table.format_named("character_bpe").refusals(building.CHARACTERS) == ("it is only read",)
    with pytest.raises(FormatError, match="it is only read"):
        save(building.CHARACTERS, tmp_path / "x", "character_bpe")


def test_files_that_belong_together_are_replaced_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "vocab.json"
    save(building.BYTES, path, "gpt2")
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    broken = dataclasses.replace(table.format_named("gpt2"), write=lambda tokenizer: b"{}")
    monkeypatch.setattr(table, "FORMATS", (broken,))
    with pytest.raises(FormatError, match="not written"):
        save(building.FIRST, path, "gpt2")
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no format 'xml'; there are: studio, character_bpe"):
        save(building.BYTES, tmp_path / "x", "xml")


def test_what_reads_back_differently_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    save(building.BYTES, path)
    before = path.read_bytes()
    for wrong in (
        studio.write(building.BYTES.first(3)),
        b"{}",
        b"",
        before.replace(b'" g", 13,', b'" g", 14,'),
    ):
        broken = dataclasses.replace(FORMATS[0], write=lambda tokenizer, wrong=wrong: wrong)
        monkeypatch.setattr(table, "FORMATS", (broken, *FORMATS[1:]))
        with pytest.raises(FormatError, match="not written"):
            save(building.BYTES, path)
        assert path.read_bytes() == before and os.listdir(tmp_path) == ["x.json"]


CUT = studio.write(building.BYTES)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t ", "the file is empty"),
        (b"[]", "not a tokenizer file"),
        (b"{}", "not a tokenizer file"),
        (b"null", "not a tokenizer file"),
        (bytes(range(256)), "not a tokenizer file"),
        (b'{"format": "bpe-studio"', "line 1 column 24"),
        (b'{"format":\n "bpe-studio",,', "line 2 column 15"),
        (CUT[:700], "line 12 column 84"),
        (CUT.replace(b"garden", b"gard\xff"), "byte 0xff at offset"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"format": "bpe-studio", "format": "bpe-studio"}', "the key 'format' is given twice"),
        (b'{"format": "bpe-studio", "version": NaN}', "NaN is not a number"),
        (b'{"format": "bpe-studio", "version": -Infinity}', "-Infinity is not a number"),
        (b'{"format": "bpe-studio", "version": 1e999}', "the number 1e999 is too large"),
        (b'{"format": "bpe-studio", "version": ' + b"1" * 5000 + b"}", "thousands of digits"),
        (b'{"format": "bpe-studio", "version": ' + b"1" * 400 + b"}", "more than 20 digits"),
        (b'{"format": "bpe-studio", "version": 9}', "newer BPE Studio"),
    ],
)
def test_a_damaged_file_gets_one_sentence_with_its_name_and_the_place(
    data: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        load(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ") and message in text
    assert "\n" not in text and len(text) < 500


def test_a_hundred_megabytes_of_blanks_take_a_moment(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b" " * 100_000_000)
    started = time.perf_counter()
    with pytest.raises(FormatError, match="empty"):
        load(path)
    path.write_bytes(b" " * 100_000_000 + b"{")
    with pytest.raises(FormatError):
        load(path)
    assert time.perf_counter() - started < 20


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FormatError, match="no such.json: cannot be read: No such file or directory"):
        load("no such.json")


def test_the_garden_model_keeps_its_ids_in_a_file(tmp_path: Path) -> None:
    garden = json.loads((Path(__file__).parents[1] / "engine" / "garden.json").read_text("utf-8"))
    merges = [(left, right) for left, right in garden["merges"]]
    save(building.built(Alphabet(), merges, garden["pattern"]), tmp_path / "garden.json")
    again = load(tmp_path / "garden.json")
    assert {text: again.encode(text) for text in garden["ids"]} == garden["ids"]


def test_ids_with_holes_are_never_renumbered(tmp_path: Path) -> None:
    save(building.HOLES, tmp_path / "holes.json")
    again = load(tmp_path / "holes.json")
    assert (again.vocab_size, again.n_ids) == (259, 1001)
    assert again.decode([256, 300, 1000]) == "ab<s><e>"
    assert again.encode("<s>ab<e>", allowed_special="all") == [300, 256, 1000]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"Anna 12\nBert 7\n"),
        ("a.json", b'{"apples": 3, "pears": 4}'),
        ("a.json", b'{"model": {"type": "saloon"}, "year": 1999}'),
        ("merges.txt", b"how to merge\n"),
        ("a.txt", b"minbpe v2\n"),
    ],
)
def test_texts_that_look_a_little_like_tokenizers_are_texts(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match="not a tokenizer file"):
        load(tmp_path / name)
