"""The commands that tell something about a tokenizer or a text: merges, count, compare, curve, verify."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bpe_studio as bs
from bpe_studio.cli import main
from bpe_studio.formats.table import load
from tests.cli.running import TEXT, environment


def shown(command: str, capfd: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(command.split()) == code
    return capfd.readouterr().out


def as_json(command: str, capfd: pytest.CaptureFixture[str], code: int = 0) -> Any:
    return json.loads(shown(f"{command} --json", capfd, code))


# ---- merges ----------------------------------------------------------------------------------------------


def test_merges_come_with_counts_and_ties(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert shown("merges -t model.json", capfd).split("\n")[1:] == [
        "        0        256              4       1  a + a",
        "        1        257              2       2  a + b",
        "        2        258              2       1  aa + ab",
        "",
    ]
    rows = as_json("merges -t model.json -n 2", capfd)
    assert [(row["rank"], row["left"], row["right"], row["token"]) for row in rows] == [
        (0, 97, 97, 256), (1, 97, 98, 257),
    ]  # fmt: skip
    assert [(row["text"], row["hex"], row["count"], row["n_tied"]) for row in rows] == [
        ("aa", "6161", 4, 1), ("ab", "6162", 2, 2),
    ]  # fmt: skip
    assert as_json("merges -t model.json -n 0", capfd) == []


def test_merges_as_csv_are_those_that_train_writes(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    command = "train a.txt --vocab-size 260 --pattern none --special <s> -o again.json --quiet"
    assert main(f"{command} --merges-csv rows.csv".split()) == 0
    assert shown("merges -t model.json --csv", capfd) == Path("rows.csv").read_text(encoding="utf-8")


def test_what_is_not_known_of_a_merge_is_empty(capfd: pytest.CaptureFixture[str]) -> None:
    (row,) = csv.DictReader(io.StringIO(shown("merges -t gpt2 -n 1 --csv", capfd)))
    assert (row["rank"], row["text"], row["hex"]) == ("0", " t", "2074")
    assert row["count"] == row["n_tied"] == row["margin"] == row["corpus_tokens"] == ""
    (value,) = as_json("merges -t gpt2 -n 1", capfd)
    assert value["count"] is None and value["token"] == 256


# ---- count -----------------------------------------------------------------------------------------------


def test_words_are_counted_and_the_most_frequent_come_first(capfd: pytest.CaptureFixture[str]) -> None:
    Path("w.txt").write_bytes(b"b a b c b a")
    value = as_json("count w.txt --pattern whitespace -n 2", capfd)
    assert (value["n_words"], value["n_unique"], value["n_bytes"], value["n_documents"]) == (11, 4, 11, 1)
    assert [(row["word"], row["count"]) for row in value["words"]] == [(" ", 5), ("b", 3)]
    table = shown("count w.txt --pattern whitespace -n 2", capfd).splitlines()
    assert table[0] == "words                    11" and table[-1] == "           3  b"


def test_a_table_of_words_is_saved_for_a_training(capfd: pytest.CaptureFixture[str]) -> None:
    shown("count a.txt . --special <s> -o words.npz", capfd)
    words = bs.WordTable.load("words.npz")
    assert words.facts.n_documents == 2 and words.special_tokens == ("<s>",)
    again = bs.train([TEXT, TEXT], vocab_size=262, special_tokens=["<s>"])
    assert bs.train(words, vocab_size=262, special_tokens=["<s>"]) == again
    assert main("train words.npz --vocab-size 262 -o t.json --quiet".split()) == 0
    assert load("t.json") == again
    Path("half.txt").write_bytes(TEXT.encode())
    assert main("count half.txt --special <s> -o half.npz".split()) == 0
    assert main("train half.npz half.npz --vocab-size 262 -o t.json --quiet".split()) == 0
    assert load("t.json") == again
    for files, why in (("words.npz a.txt", "and not both"), ("words.npz --pattern gpt2", "cut with 'gpt4'")):
        assert main(f"train {files} --vocab-size 262 -o t.json".split()) == 2
        assert why in capfd.readouterr().err


def test_specials_and_options_reach_the_counting(capfd: pytest.CaptureFixture[str]) -> None:
    Path("w.txt").write_bytes(b"a\n<s>\xffa\n")
    value = as_json("count w.txt --special <s> --errors replace --lines --pattern none", capfd)
    assert value["n_specials"] == 1 and value["pattern"] is None
    assert [row["word"] for row in value["words"]] == ["a\\n", "\\ufffda\\n"]


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("count a.txt --pattern [", "--pattern"),
        ("count a.txt --special <s> --special <s>", "--special"),
        ("count a.txt -o a.txt", "a.txt: is to be read"),
        ("count a.txt -n -1", "-n/--number"),
        ("count gone.txt", "gone.txt"),
        ("merges -t model.json -n x", "-n/--number"),
        ("merges -t model.json --csv --json", "--json"),
        ("compare a.txt", "-t/--tokenizer"),
        ("compare -t model.json -t gpt2 -", "standard input can be read once"),
        ("compare -t gone.json a.txt", "gone.json"),
        ("curve -t model.json gone.txt", "gone.txt: cannot be read"),
        ("curve -t model.json . ", ".: cannot be read"),
        ("verify -t model.json", "FILE"),
        ("verify -t model.json a.txt --allowed-special <x>", "--allowed-special"),
        ("convert model.json", "-o/--output"),
        ("convert gone.json -o x.json", "gone.json"),
        ("convert model.json -o none/x.json", "none"),
        ("convert model.json -o x.json --format xml", "--format"),
        ("convert model.json -o x.json --format character_bpe", "character_bpe cannot hold"),
        ("convert a.txt -o x.json", "a.txt: this is not a tokenizer file"),
    ],
)
def test_what_cannot_be_is_one_line_and_writes_nothing(
    command: str, named: str, model: str, in_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(in_folder.iterdir())
    assert main(command.split()) in (1, 2)
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("bpe-studio: ") and err.count("\n") == 1 and named in err
    assert sorted(in_folder.iterdir()) == before


# ---- compare ---------------------------------------------------------------------------------------------


def test_tokenizers_are_compared_file_by_file(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("b.txt").write_bytes("é aaab".encode())
    value = as_json("compare -t model.json -t gpt2 a.txt b.txt", capfd)
    assert [row["tokenizer"] for row in value["tokenizers"]] == ["model.json", "gpt2"]
    assert value["tokenizers"][1]["fingerprint"] == load("gpt2").fingerprint()
    assert [(row["file"], row["tokenizer"]) for row in value["results"]] == [
        (file, name) for file in ("a.txt", "b.txt") for name in ("model.json", "gpt2")
    ]
    for row in value["results"]:
        text = Path(row["file"]).read_bytes()
        ids = load(row["tokenizer"]).encode(text, "none")
        assert (row["n_tokens"], row["n_used"]) == (len(ids), len(set(ids)))
        assert row["bytes_per_token"] == len(text) / len(ids)
        assert row["characters_per_token"] == len(text.decode()) / len(ids)
    table = shown("compare -t model.json -t gpt2 a.txt", capfd).splitlines()
    assert table[0] == "a.txt: 20 bytes, 19 characters"
    assert table[2].split()[:3] == ["model.json", str(len(load(model).encode(TEXT, "none"))), "1.429"]


def test_a_text_that_one_of_them_cannot_encode_leaves_the_others(
    model: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("ab.txt").write_bytes(b"abab ab ")
    assert main("train ab.txt --alphabet characters --vocab-size 5 -o c.json --quiet".split()) == 0
    assert main("compare -t c.json -t model.json a.txt ab.txt --json".split()) == 1
    out, err = capfd.readouterr()
    results = json.loads(out)["results"]
    assert "error" in results[0] and [row["n_bytes"] for row in results[1:]] == [20, 8, 8]
    assert "c.json: a.txt: not in the alphabet: 'd' (U+0064)" in err
    assert main("compare -t c.json a.txt".split()) == 1
    assert capfd.readouterr().out.splitlines()[-1].split() == ["c.json", *"------"]


# ---- curve -----------------------------------------------------------------------------------------------


def test_the_curve_is_that_of_the_library(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("b.txt").write_bytes(b"aaab" * 9)
    values = as_json("curve -t model.json a.txt b.txt", capfd)
    rows = list(csv.DictReader(io.StringIO(shown("curve -t model.json a.txt b.txt --csv", capfd))))
    for value in values:
        curve = bs.compression_curve(load(model), Path(value["file"]).read_bytes())
        for name, column in zip(("vocab_size", "n_tokens", "bytes_per_token"), curve, strict=True):
            assert value[name] == column.tolist()
            assert [float(row[name]) for row in rows if row["file"] == value["file"]] == column.tolist()
    table = shown("curve -t model.json b.txt", capfd).splitlines()
    assert table[2].split() == ["257", "36", "1.000"] and table[-1].split() == ["260", "9", "4.000"]


def test_an_empty_text_has_no_ratio(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("empty").touch()
    (value,) = as_json("curve -t model.json empty", capfd)
    assert value["bytes_per_token"] == [None] * 4 and value["n_tokens"] == [0] * 4
    assert shown("curve -t model.json empty --csv", capfd).splitlines()[1] == "empty,257,0,"


# ---- verify ----------------------------------------------------------------------------------------------


def test_a_sound_tokenizer_gives_every_byte_back(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("raw").write_bytes(bytes(range(256)))
    value = as_json("verify -t model.json a.txt raw", capfd)
    assert value["ok"] and value["faults"] == [] and value["n_ids"] == 260
    assert [(row["n_bytes"], row["fault"]) for row in value["files"]] == [(20, None), (256, None)]
    assert value["files"][1]["largest_id"] == 257
    good = f"verify -t model.json a.txt --fingerprint {load(model).fingerprint()}"
    assert (
        shown(good, capfd).splitlines()[0]
        == "a.txt: 20 bytes, 14 tokens, largest id 258: the same bytes came back"
    )


def test_the_first_byte_that_differs_is_named(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("ab.txt").write_bytes(b"ab\n" * 9)
    command = "train ab.txt --alphabet characters --unknown-token ? --vocab-size 6 -o c.json --quiet"
    assert main(command.split()) == 0
    Path("x.txt").write_bytes("ab\nbéa".encode())
    assert main("verify -t c.json ab.txt x.txt".split()) == 1
    out, err = capfd.readouterr()
    assert out.splitlines()[1] == "x.txt: differs"
    assert "x.txt: at byte 4, line 2: b'\\xc3\\xa9a' comes back as b'\\xef\\xbf\\xbda'" in err
    assert as_json("verify -t c.json x.txt", capfd, 1)["ok"] is False


def test_another_fingerprint_is_a_fault(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main("verify -t model.json a.txt --fingerprint 00ff".split()) == 1
    assert f"the fingerprint is {load(model).fingerprint()}, not 00ff" in capfd.readouterr().err


# ---- convert ---------------------------------------------------------------------------------------------


def test_a_tokenizer_is_written_in_another_format_and_what_is_lost_is_said(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("ab.txt").write_bytes(b"ab\n" * 9)
    command = "train ab.txt --alphabet characters --pattern none --vocab-size 5 -o c.json --quiet"
    assert main(command.split()) == 0
    assert main("convert c.json -o t.json --format character_bpe".split()) == 0
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("bpe-studio: note: The counts, ties and margins")
    assert "t.json: reloaded with BPE Studio: 0 differences on " in err
    assert load("t.json") == load("c.json") and load("t.json").training is None
    value = as_json("convert c.json -o t.json --format character_bpe", capfd)
    assert value["fingerprint"] == load("c.json").fingerprint() and len(value["lost"]) == 1
    assert value["files"] == ["t.json"] and value["ok"] and value["checks"][0]["by"] == "BPE Studio"


def test_a_tokenizer_is_checked_by_the_program_whose_format_it_is(
    model: str, capfd: pytest.CaptureFixture[str]
) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    Path("s.txt").write_bytes(TEXT.encode() * 5)
    command = "train a.txt --vocab-size 262 --pattern gpt2 -o g.json --quiet"
    assert main(command.split()) == 0
    value = as_json("convert g.json -o tokenizer.json --format huggingface --sample s.txt", capfd)
    theirs = next(check for check in value["checks"] if check["by"] == "tokenizers")
    assert theirs["ok"] and theirs["n_bytes"] > 100
    ids = tokenizers.Tokenizer.from_file("tokenizer.json").encode(TEXT, add_special_tokens=False).ids
    assert ids == load("g.json").encode(TEXT)
    assert load("tokenizer.json").encode(TEXT) == ids


def test_a_check_that_fails_is_the_exit_code(
    model: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from bpe_studio.formats import table
    from bpe_studio.formats.reports import Check

    checks = table._checks
    monkeypatch.setattr(table, "_checks", lambda *given: [*checks(*given), Check("somebody", 7, 1)])
    assert main("convert model.json -o t.json".split()) == 1
    assert "t.json: reloaded with somebody: 1 difference on 7 bytes" in capfd.readouterr().err
    assert main("train a.txt --vocab-size 258 -o t.json --quiet".split()) == 1
    assert "1 difference" in capfd.readouterr().err


def test_a_pattern_takes_the_place_of_the_files(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main("convert model.json --pattern gpt2 -o t.json".split()) == 0
    assert load("t.json").pattern.name == "gpt2"
    assert main("convert model.json --pattern [ -o t.json".split()) == 2
    assert "argument --pattern: " in capfd.readouterr().err


def test_every_format_that_is_written_is_named_in_the_help() -> None:
    from bpe_studio.cli.arguments import FORMAT_NAMES
    from bpe_studio.formats.table import FORMATS

    assert sorted(FORMAT_NAMES) == sorted(record.name for record in FORMATS if record.is_written)


def test_a_pretrained_vocabulary_becomes_a_file(capfd: pytest.CaptureFixture[str]) -> None:
    assert as_json("convert gpt2 -o gpt2.json", capfd)["format"] == "studio"
    assert load("gpt2.json") == load("gpt2")


def test_a_file_that_changed_is_read_anew(capfd: pytest.CaptureFixture[str]) -> None:
    Path("w.txt").write_bytes(b"abcd")
    for text, expected in ((b"abab", [256, 99, 100]), (b"cdcd", [97, 98, 256])):
        Path("t.txt").write_bytes(text)
        assert main("train t.txt --vocab-size 257 --pattern none -o t.json --quiet".split()) == 0
        assert json.loads(shown("encode -t t.json w.txt --json", capfd)) == expected


@pytest.mark.parametrize(
    "name",
    [
        "über 文件/модель 1.json",
        "🙂/a b%20c.json",
        "x" * 240 + ".json",
        "d.json/m.json",
        "a#b?c.json",
        "-dash.json",
    ],
)
def test_any_name_is_written_and_read(name: str, model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    assert main(["convert", model, f"--output={name}"]) == 0
    assert main(["encode", f"--tokenizer={name}", "a.txt", "--count"]) == 0
    out, err = capfd.readouterr()
    assert out == "14\n" and name in err


def test_ids_with_holes_decode_and_what_is_in_a_hole_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    from bpe_studio.engine.alphabet import Alphabet
    from bpe_studio.engine.patterns import resolve_pattern
    from bpe_studio.engine.tokenizer import Tokenizer

    merges = (np.array([token], np.int32) for token in (97, 98, 256))
    bs.save(Tokenizer(Alphabet(), *merges, resolve_pattern("none"), {"<s>": 300, "<e>": 1000}), "h.json")
    value = as_json("inspect -t h.json", capfd)
    assert (value["vocab_size"], value["n_ids"]) == (259, 1001)
    Path("ids").write_text("256 300 1000")
    assert shown("decode -t h.json ids", capfd) == "ab<s><e>"
    Path("ids").write_text("256 257")
    assert shown("decode -t h.json ids", capfd, 1) == ""
    assert as_json("convert h.json -o again.json", capfd)["n_ids"] == 1001


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_keeps_what_was_compared(model: str) -> None:
    program = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from bpe_studio.cli import texts\n"
        "chunks = texts.input_chunks\n"
        "def read(name):\n"
        "    if name == 'b.txt': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return chunks(name)\n"
        "texts.input_chunks = read\n"
        "from bpe_studio.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    Path("b.txt").touch()
    for command in ("compare", "curve", "verify"):
        line = [sys.executable, "-c", program, command, "-t", model, "a.txt", "b.txt", "--json"]
        done = subprocess.run(line, capture_output=True, env=environment(), timeout=60)
        assert done.returncode == 130 and done.stderr.startswith(b"bpe-studio: stopped; ")
        value = json.loads(done.stdout)
        rows = value if command == "curve" else value["results" if command == "compare" else "files"]
        assert [row["file"] for row in rows] == ["a.txt"]
