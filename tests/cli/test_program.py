from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import bpe_studio
import bpe_studio.__main__ as program
from bpe_studio.cli import main
from bpe_studio.cli.decode import token_ids
from bpe_studio.cli.program import COMMANDS
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.formats.table import load
from tests.cli.running import TEXT, environment, process

AWKWARD = "\ufeffa\0b\x1b[0m\r\n\u200b\u202ec\u00ad\t 東🙂 "
NEEDS_DEV_FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")


# ---- train -----------------------------------------------------------------------------------------------


def test_training_writes_the_tokenizer_and_says_how_it_ended(capfd: pytest.CaptureFixture[str]) -> None:
    assert main("train a.txt --vocab-size 300 --pattern none --special <s> -o t.json".split()) == 0
    tokenizer = load("t.json")
    assert tokenizer.merges == [(b"a", b"a"), (b"a", b"b"), (b"aa", b"ab")]
    assert dict(tokenizer.special_tokens) == {"<s>": 259}
    out, err = capfd.readouterr()
    assert out == ""
    assert err == (
        "bpe-studio: t.json: 260 tokens, 3 merges; best count 1 is below 2; 40 merges short of 300; "
        "corpus of 20 bytes: 17 -> 11 tokens, 1.82 bytes per token\n"
    )


def test_every_option_reaches_the_training() -> None:
    assert (
        main(
            "train a.txt --vocab-size 20 --pattern whitespace --alphabet characters --tie-rule random:7 "
            "--min-frequency 1 --max-token-length 2 --special <s> --special <e> --special-placement first "
            "--character-coverage 0.9 --unknown-token ? --errors replace --lines -o t.json --quiet".split()
        )
        == 0
    )
    record = load("t.json").training
    assert record is not None
    config = record.config
    assert (config.vocab_size, config.pattern, config.alphabet) == (20, "whitespace", "characters")
    assert (config.tie_rule, config.min_frequency, config.max_token_length) == ("random:7", 1, 2)
    assert (config.special_tokens, config.special_placement) == (("<s>", "<e>"), "first")
    assert (config.character_coverage, config.unknown_token) == (0.9, "?")
    assert (config.errors, config.lines) == ("replace", True)


def test_the_same_training_in_the_library_gives_the_same_file(model: str) -> None:
    tokenizer = bpe_studio.train(Path("a.txt"), vocab_size=260, pattern="none", special_tokens=["<s>"])
    bpe_studio.save(tokenizer, "library.json")
    assert Path("library.json").read_bytes() == Path(model).read_bytes()


def test_standard_input_is_a_document(in_folder: Path, model: str) -> None:
    options = "--vocab-size 260 --pattern none --special <s> -o b.json".split()
    done = process("train", "-", *options, data=TEXT.encode())
    assert done.returncode == 0
    assert load("b.json") == load(model)


def test_a_summary_in_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert main("train a.txt --vocab-size 258 --pattern none -o t.json --json".split()) == 0
    out, err = capfd.readouterr()
    value = json.loads(out)
    assert err == ""
    assert (value["output"], value["vocab_size"], value["n_merges"]) == ("t.json", 258, 2)
    assert value["fingerprint"] == load("t.json").fingerprint()
    assert value["training"]["stop_reason"]["code"] == "vocabulary_full"


def test_the_merges_as_csv() -> None:
    command = "train a.txt --vocab-size 258 --pattern none -o t.json --merges-csv m.csv --quiet"
    assert main(command.split()) == 0
    assert Path("m.csv").read_text("utf-8") == (
        "rank,left,right,token,left_text,right_text,text,hex,count,n_tied,margin,corpus_tokens\n"
        "0,97,97,256,a,a,aa,6161,4,1,2,18\n"
        "1,97,98,257,a,b,ab,6162,2,2,0,16\n"
    )


def test_a_word_that_names_no_pattern_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    note = "is not the name of a split pattern"
    for pattern, is_said in (("gpt-4", True), ("cl100k_base", False), ("[a-z]+", False)):
        assert main(["count", "a.txt", "--pattern", pattern]) == 0
        assert (note in capfd.readouterr().err) == is_said


def test_standard_input_is_trained_on_as_a_file_is() -> None:
    options = "--vocab-size 258 --pattern none --quiet -o".split()
    assert main(["train", "a.txt", *options, "file.json"]) == 0
    done = process("train", "-", *options, "pipe.json", data=Path("a.txt").read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert Path("pipe.json").read_bytes() == Path("file.json").read_bytes()
    done = process("train", "-", *options, "bad.json", data=b"ok\n\xff")
    assert done.stderr.startswith(b"bpe-studio: standard input, line 2, byte offset 3: 0xFF is not valid")


def test_what_cannot_be_read_as_text_is_left_out_and_said(capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad.txt").write_bytes(b"ok\n\xff")
    assert main("train a.txt bad.txt --vocab-size 258 --pattern none -o t.json --errors skip".split()) == 0
    assert "bpe-studio: note: left out: " in capfd.readouterr().err
    assert main("train a.txt bad.txt --vocab-size 258 --pattern none -o u.json".split()) == 1
    assert "bad.txt" in capfd.readouterr().err and not Path("u.json").exists()


# ---- encode, decode, inspect -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "258 100 10"),
        ("--ids", "258 100 10"),
        ("--count", "3"),
        ("--tokens", "258\taaab\n100\td\n10\t\\n"),
    ],
)
def test_encoding_gives_ids_tokens_or_their_number(
    options: str, expected: str, model: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("b.txt").write_bytes(b"aaabd\n")
    assert main(["encode", "-t", model, "b.txt", *options.split()]) == 0
    assert capfd.readouterr().out == expected + "\n"


def test_special_tokens_in_a_text_are_plain_text_and_counted(
    model: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("b.txt").write_bytes(b"<s>ab<s>")
    assert main(["encode", "-t", model, "b.txt"]) == 0
    out, err = capfd.readouterr()
    assert out == "60 115 62 257 60 115 62\n"
    assert err.startswith("bpe-studio: note: 2 special tokens in the text were read as plain text")
    for choice in ("all", "<s>"):
        assert main(["encode", "-t", model, "b.txt", "--allowed-special", choice]) == 0
        assert capfd.readouterr() == ("259 257 259\n", "")
    assert main(["encode", "-t", model, "b.txt", "--allowed-special", "none_raise"]) == 1
    assert "b.txt: The text holds the special token '<s>' at character 0" in capfd.readouterr().err
    assert main(["encode", "-t", model, "b.txt", "--allowed-special", "<s>,<e>"]) == 2
    assert "argument --allowed-special: '<e>' is not a special token" in capfd.readouterr().err


def test_a_text_goes_through_pipes_byte_for_byte(model: str) -> None:
    ids = process("encode", "-t", model, data=AWKWARD.encode())
    assert ids.returncode == 0 and ids.stderr == b""
    text = process("decode", "-t", model, data=ids.stdout)
    assert text.stdout == AWKWARD.encode() and text.returncode == 0


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b" \n", []),
        (b"1 2\n3\t4\r\n", [1, 2, 3, 4]),
        (b"1,2, 3", [1, 2, 3]),
        (b"[1, 2]\n", [1, 2]),
        (b"[]", []),
        (b"\xef\xbb\xbf7", [7]),
    ],
)
def test_ids_may_be_written_in_many_ways(data: bytes, expected: list[int]) -> None:
    assert token_ids(data) == expected


@pytest.mark.parametrize(
    "data", [b"1 x", b"1 -2", b"1 2.5", b"1 [2", b"1 \xff", b"1 " + b"9" * 5000, "1 ２".encode()]
)
def test_what_is_no_id_is_named(data: bytes) -> None:
    with pytest.raises(BpeStudioError, match="item 2 is no token id"):
        token_ids(data)


def test_an_unknown_id_fails_and_writes_nothing(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("ids").write_text("97 999")
    assert main(["decode", "-t", model, "ids"]) == 1
    assert capfd.readouterr() == (
        "",
        "bpe-studio: ids: No token has the id 999; this tokenizer has 260 tokens, the largest id is 259.\n",
    )


def test_inspecting_tells_what_a_tokenizer_is(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "-t", model, "ab é"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "vocabulary     260 tokens, largest id 259"
    assert "special token  <s>  259" in lines
    assert f"fingerprint    {load(model).fingerprint()}" in lines
    assert lines[-5:-1] == [
        "       257      0–2      ab",
        "        32      2–3      ·",
        "       195      3–4      C3",
        "       169      4–5      A9",
    ]
    assert main(["inspect", "-t", model, "ab", "--json"]) == 0
    value = json.loads(capfd.readouterr().out)
    assert value["tokens"] == [{"id": 257, "text": "ab", "hex": "6162", "start": 0, "end": 2}]
    assert value["n_ids"] == 260 and value["special_tokens"] == {"<s>": 259}


# ---- wrong usage -----------------------------------------------------------------------------------------

TRAIN = "train a.txt -o out.json --vocab-size 300"


@pytest.mark.parametrize(
    ("command", "code", "named"),
    [
        ("train nofile.txt -o out.json --vocab-size 300", 1, "nofile.txt"),
        ("train empty.txt -o out.json --vocab-size 300", 1, "empty.txt"),
        ("train . --vocab-size 300", 2, "-o/--output"),
        ("train a.txt -o out.json", 2, "--vocab-size"),
        ("train a.txt -o out.json --vocab-size 0", 2, "--vocab-size: must be a whole number from 1"),
        ("train a.txt -o out.json --vocab-size -5", 2, "--vocab-size: must be a whole number from 1"),
        ("train a.txt -o out.json --vocab-size 1e6", 2, "'1e6'"),
        ("train a.txt -o out.json --vocab-size abc", 2, "'abc'"),
        ("train a.txt -o out.json --vocab-size 99999999999", 2, "'99999999999'"),
        ("train a.txt -o out.json --vocab-size " + "9" * 5000, 2, "--vocab-size"),
        ("train a.txt -o out.json --vocab-size 255", 2, "at least 256"),
        (f"{TRAIN} --min-frequency -1", 2, "--min-frequency"),
        (f"{TRAIN} --max-token-length 0", 2, "--max-token-length"),
        (f"{TRAIN} --character-coverage nan", 2, "--character-coverage"),
        (f"{TRAIN} --character-coverage 1.5", 2, "--character-coverage"),
        (f"{TRAIN} --pattern [", 2, "--pattern"),
        (f"{TRAIN} --tie-rule coin", 2, "coin"),
        (f"{TRAIN} --alphabet runes", 2, "--alphabet"),
        (f"{TRAIN} --special <s> --special <s>", 2, "<s>"),
        (f"{TRAIN} --byte-fallback", 2, "byte_fallback"),
        (f"{TRAIN} --format xml", 2, "--format"),
        (f"{TRAIN} --format character_bpe", 2, "character_bpe cannot hold"),
        (f"{TRAIN} --quiet --json", 2, "--json"),
        (f"{TRAIN} --bogus", 2, "--bogus"),
        (f"{TRAIN} --merges-csv out.json", 2, "--merges-csv"),
        ("train a.txt -o a.txt --vocab-size 300", 2, "a.txt"),
        ("train a.txt -o none/out.json --vocab-size 300", 1, "none"),
        ("train a.txt -o . --vocab-size 300", 1, "it is a folder"),
        ("train a.txt -o - --vocab-size 300", 2, "--output"),
        ("encode a.txt", 2, "--tokenizer"),
        ("encode -t nofile.json a.txt", 1, "nofile.json"),
        ("encode -t a.txt a.txt", 1, "a.txt: this is not a tokenizer file"),
        ("encode -t empty.txt a.txt", 1, "empty.txt: the file is empty"),
        ("encode --model nofile.json", 2, "--tokenizer"),
        ("decode -t nofile.json", 1, "nofile.json"),
        ("encode -t nofile.json ''", 2, "FILE: is an empty file name"),
        ("encode -t '' a.txt", 2, "--tokenizer: is an empty file name"),
        ("train '' -o out.json --vocab-size 300", 2, "FILE: is an empty file name"),
        ("train a.txt -o '' --vocab-size 300", 2, "--output: is an empty file name"),
        (f"{TRAIN} --merges-csv ''", 2, "--merges-csv: is an empty file name"),
        ("train . -o a.txt --vocab-size 300", 2, "a.txt: is to be read and to be overwritten"),
        ("train . -o out.json --vocab-size 300 --merges-csv a.txt", 2, "a.txt: is to be read and"),
        ("inspect", 2, "--tokenizer"),
        ("fly", 2, "fly: neither a command nor a file"),
        ("a.txt gone.json", 2, "gone.json: neither a command nor a file"),
        ("--bogus", 2, "COMMAND"),
    ],
)
def test_what_cannot_be_gets_one_line_a_code_and_no_file(
    command: str, code: int, named: str, in_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").write_bytes(b"")
    assert main(shlex.split(command)) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("bpe-studio: ") and err.count("\n") == 1 and named in err
    assert sorted(set(os.listdir()) - {"home"}) == ["a.txt", "empty.txt"]
    assert Path("a.txt").read_bytes() == TEXT.encode()


def test_an_output_beside_the_texts_is_fine_while_it_is_not_one_of_them(in_folder: Path) -> None:
    assert main("train . -o .hidden.json --vocab-size 300 --quiet".split()) == 0
    assert main("train . -o .hidden.json --vocab-size 300 --quiet".split()) == 0
    assert load(".hidden.json").training.facts.n_documents == 1  # type: ignore[union-attr]
    os.mkdir("texts")
    os.rename("a.txt", "texts/a.txt")
    assert main("train texts -o out.json --vocab-size 300 --quiet".split()) == 0
    assert main("train texts -o out.json --vocab-size 300 --quiet".split()) == 0


def test_a_missing_output_folder_is_found_before_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[object] = []
    monkeypatch.setattr(
        "bpe_studio.engine.corpus.Corpus.from_source", lambda *args, **named: called.append(1)
    )
    assert main("train a.txt -o none/out.json --vocab-size 300".split()) == 1
    assert called == []


def test_help_and_version_go_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"BPE Studio {bpe_studio.__version__}\n"
    for command in ([], *([name] for name in COMMANDS)):
        assert main([*command, "-h"]) == 0
        out, err = capfd.readouterr()
        assert out.isascii() and out.startswith("usage: bpe-studio") and err == ""


def test_help_lists_every_command_on_one_line_and_each_shows_an_example(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    rows = [
        line.split(None, 1) for line in capfd.readouterr().out.splitlines() if re.match(" {4}[a-z]", line)
    ]
    assert [row[0] for row in rows] == list(COMMANDS) and all(row[1].endswith(".") for row in rows)
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        assert re.search(rf"\n    bpe-studio {name}\s", capfd.readouterr().out)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize(
    ("command", "stages"),
    [
        ("encode -t gpt2 long.txt", ["Encoding", "MB"]),
        ("dataset --train long.txt -o set --vocab-size 300", ["Training", "Encoding", "Checking"]),
        ("count long.txt", ["Counting words"]),
    ],
)
def test_a_terminal_sees_how_far_the_work_is_and_the_data_stay_clean(
    command: str, stages: list[str], in_folder: Path
) -> None:
    Path("long.txt").write_bytes(b"the cat sat on the mat, " * 40_000)
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "bpe_studio", *command.split()],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
        env=environment({"TERM": "xterm", "COLUMNS": "100"}),
    ) as running:  # fmt: skip
        os.close(theirs)
        shown = b""
        reader = threading.Thread(target=running.communicate)
        reader.start()
        with contextlib.suppress(OSError):  # the system's way to say that the other side is closed
            while some := os.read(ours, 4096):
                shown += some
        reader.join()
    os.close(ours)
    assert running.returncode == 0
    assert [stage for stage in stages if stage.encode() not in shown] == []


def test_a_fault_of_the_program_is_one_line(
    model: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bpe_studio.cli.texts.input_chunks", lambda name: 1 // 0)
    assert main(["encode", "-t", model]) == 1
    err = capfd.readouterr().err
    assert "ZeroDivisionError" in err and err.count("\n") == 1
    monkeypatch.setenv("BPE_STUDIO_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["encode", "-t", model])


def test_a_name_with_line_ends_or_no_text_makes_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("no\nfile\x1b[31m", os.fsdecode(b"\xf0")):
        assert main(["encode", "-t", name]) == 1
        err = capfd.readouterr().err
        assert err.count("\n") == 1 and "\x1b" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="names are bytes only where the system says so")
def test_a_name_is_shown_as_it_was_typed_whatever_the_locale(in_folder: Path) -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    os.mkdir("ü")
    done = process("train", "a.txt", "--vocab-size", "258", "-o", "ü/модель 1.json", env=env)
    assert done.returncode == 0 and done.stderr.startswith("bpe-studio: ü/модель 1.json: 258 ".encode())
    gone = process("encode", "-t", "ü/нет.json", env=env)
    assert gone.returncode == 1 and "bpe-studio: ü/нет.json: cannot be read" in gone.stderr.decode()


# ---- the world outside -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C.UTF-8"},
    ],
    ids=["C", "cp1252", "UTF-8"],
)
def test_files_are_the_same_under_every_locale_and_consoles_get_escapes(
    env: dict[str, str], in_folder: Path
) -> None:
    text = "▁ ĠĠ \u200b 東 🙂 " * 3
    Path("t.txt").write_bytes(text.encode())
    special = "東▁🙂"
    done = process("train", "t.txt", "--vocab-size", "262", "--special", special, "-o", "t.json", env=env)
    assert done.returncode == 0, done.stderr
    tokenizer = bpe_studio.train(text, vocab_size=262, special_tokens=[special])
    assert load("t.json") == tokenizer
    assert b'"text": "' + special.encode() + b'"' in Path("t.json").read_bytes()
    shown = process("inspect", "-t", "t.json", env=env)
    assert shown.returncode == 0
    expected = special if "PYTHONIOENCODING" not in env else "\\u6771\\u2581\\U0001f642"
    assert f"special token  {expected}  261" in shown.stdout.decode().splitlines()
    looked = process("inspect", "-t", "t.json", special, "--json", env=env)
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    assert json.loads(looked.stdout.decode(encoding))["special_tokens"] == {special: 261}
    assert json.loads(looked.stdout.decode(encoding))["tokens"][0]["start"] == 0


@NEEDS_DEV_FULL
def test_a_full_disk_behind_standard_output_is_said(model: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bpe_studio", "encode", "-t", model, "a.txt"],
            stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == b"bpe-studio: standard output: No space left on device"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
def test_a_reader_that_goes_away_ends_it_quietly(model: str) -> None:
    Path("long.txt").write_bytes(b"xy" * 100_000)
    command = [sys.executable, "-m", "bpe_studio", "encode", "-t", model, "long.txt", "--tokens"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline() == b"120\tx\n"
        running.stdout.close()
        said = running.stderr.read()
        assert running.wait(60) == 141 and said == b""


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
def test_training_goes_on_when_nobody_reads_standard_error(in_folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "bpe_studio", *"train a.txt --vocab-size 258 -o t.json".split()]
    done = subprocess.run(command, stdout=writing, stderr=writing, env=environment(), timeout=60)
    os.close(writing)
    assert done.returncode == 0 and load("t.json").n_merges == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such shell")
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("encode -t model.json <&-", 1, "bpe-studio: standard input: cannot be read: it is closed.\n"),
        ("encode -t model.json a.txt >&-", 1, "bpe-studio: standard output: it is closed\n"),
        ("inspect -t model.json --json >&-", 1, "bpe-studio: standard output: it is closed\n"),
        ("train a.txt --vocab-size 258 -o new.json 2>&-", 0, ""),
        ("train a.txt --vocab-size 1 -o new.json 2>&-", 2, ""),
    ],
)
def test_closed_streams_are_said_or_not_needed(command: str, code: int, said: str, model: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m bpe_studio {command}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=environment(), timeout=120)
    assert (done.returncode, done.stdout) == (code, "") and done.stderr.endswith(said)
    assert "fault" not in done.stderr
    assert Path("new.json").exists() == (code == 0 and "train" in command)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_keeps_the_merges_made_so_far(in_folder: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from bpe_studio.engine.trainer import Trainer\n"
        "advance, made = Trainer.advance, []\n"
        "def slow(self, max_merges=None, max_seconds=None):\n"
        "    made.append(1)\n"
        "    if len(made) == 3: os.kill(os.getpid(), signal.SIGINT)\n"
        "    return advance(self, max_merges=1)\n"
        "Trainer.advance = slow\n"
        "from bpe_studio.__main__ import main\n"
        "sys.exit(main('train a.txt --vocab-size 300 --min-frequency 1 --pattern none -o t.json'.split()))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment(), timeout=60)
    assert done.returncode == 130
    assert b"259 tokens, 3 merges; stopped by the user; 41 merges short of 300" in done.stderr
    assert load("t.json").n_merges == 3


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_before_the_first_merge_writes_nothing(in_folder: Path) -> None:
    # A shell that starts this test in the background has Ctrl+C ignored, and children inherit that.
    program = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from bpe_studio.__main__ import main\n"
        "print('ready', flush=True)\n"
        "sys.exit(main('train - --vocab-size 300 -o t.json'.split()))\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], **pipes, env=environment()) as running:
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline() == b"ready\n"
        time.sleep(1.0)
        running.send_signal(signal.SIGINT)
        assert running.stderr.read() == b"bpe-studio: stopped; nothing was written\n"
        assert running.wait(60) == 130
    assert not Path("t.json").exists()


def test_stopped_before_any_command_is_there_it_ends_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def stopped(arguments: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "are_files", stopped)
    assert program.main(["train"]) == 130
    assert capfd.readouterr() == ("", "")
