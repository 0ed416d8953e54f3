from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bpe_studio as bs
from bpe_studio.cli import main
from bpe_studio.cli.dataset import prefix_size
from bpe_studio.engine.errors import BpeStudioError
from tests.cli.running import environment

TEXTS = {"t.txt": "the cat sat on the mat. " * 40, "v.txt": "the mat é 東 <e>\n", "e.txt": "on the cat"}
COMMAND = "dataset --train t.txt --val v.txt --test e.txt -o set --vocab-size 280"


@pytest.fixture(autouse=True)
def texts(in_folder: Path) -> None:
    for name, text in TEXTS.items():
        Path(name).write_bytes(text.encode())


def test_a_data_set_is_trained_encoded_and_described(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND.split(), "--special", "<e>", "--document-end", "<e>"]) == 0
    out, err = capfd.readouterr()
    lines = err.splitlines()
    assert out == "" and lines[0].startswith("bpe-studio: train: 960 bytes -> ")
    assert "note: 1 special token in the text was read as plain text" in err
    assert lines[-1].endswith(f"fingerprint {bs.load('set/tokenizer.json').fingerprint()}")
    manifest = json.loads(Path("set/manifest.json").read_text(encoding="utf-8"))
    tok = bs.load("set/tokenizer.json")
    bs.check_fingerprint("set", tok)
    assert tok == bs.train(TEXTS["t.txt"], vocab_size=280, special_tokens=["<e>"])
    for split, name in (("train", "t.txt"), ("val", "v.txt"), ("test", "e.txt")):
        ids = np.load(f"set/{split}.npy")
        assert tok.decode(ids) == TEXTS[name] + "<e>"
        entry = manifest["splits"][split]
        assert entry["n_tokens"] == len(ids) and entry["n_bytes"] == len(TEXTS[name].encode())
        assert entry["compression_factor"] == entry["n_bytes"] / len(ids)
        assert entry["reduction_percent"] == pytest.approx(100 - 100 * len(ids) / entry["n_bytes"])
    assert manifest["splits"]["train"]["longest_tokens"][0]["text"] in TEXTS["t.txt"]
    assert manifest["sources"]["val"] == ["v.txt"]


def test_a_split_that_is_another_one_again_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    command = "dataset --train t.txt --val e.txt --test t.txt -o set --vocab-size 280 --json"
    assert main(command.split()) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["splits"].keys() == {"train", "val", "test"}
    assert err == "bpe-studio: note: train and test hold the same text\n"


def test_the_manifest_goes_to_standard_output_for_a_program(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND.split(), "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out) == json.loads(Path("set/manifest.json").read_text(encoding="utf-8")) and err == ""


@pytest.mark.parametrize(("prefix", "n_bytes"), [("100", 100), ("0.1kB", 100), ("10%", 96), ("1GB", 960)])
def test_it_trains_on_the_beginning_of_the_training_text_only(
    prefix: str, n_bytes: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([*COMMAND.split(), "--train-prefix", prefix, "--json"]) == 0
    training = json.loads(capfd.readouterr().out)["training"]
    assert (training["n_bytes"], training["of_bytes"]) == (n_bytes, 960)
    assert bs.load("set/tokenizer.json") == bs.train(TEXTS["t.txt"][:n_bytes], vocab_size=280)


def test_characters_of_all_splits_have_a_token(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND.split(), "--alphabet", "characters", "--vocab-size", "60"]) == 0
    tok = bs.load("set/tokenizer.json")
    assert set(tok.alphabet.characters) == set("".join(TEXTS.values()))
    assert tok.decode(np.load("set/val.npy")) == TEXTS["v.txt"]


def test_a_tokenizer_that_is_there_encodes_numbers_for_numpy_alone(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main("dataset --val v.txt -o set -t gpt2 --format bin --dtype uint32 --json".split()) == 0
    manifest = json.loads(capfd.readouterr().out)
    assert manifest["ids"] == {"format": "bin", "dtype": "uint32", "byte_order": "little"}
    assert manifest["training"] is None and sorted(os.listdir("set")) == [
        "manifest.json", "tokenizer.json", "val.bin",
    ]  # fmt: skip
    assert np.fromfile("set/val.bin", "<u4").tolist() == bs.load("gpt2").encode(TEXTS["v.txt"])
    assert main("dataset --val v.txt -o set -t set/tokenizer.json".split()) == 0
    assert np.load("set/val.npy").tolist() == bs.load("gpt2").encode(TEXTS["v.txt"])


def test_folders_are_read_and_what_is_no_text_is_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    os.mkdir("texts")
    Path("texts/a.txt").write_bytes(b"the cat")
    Path("texts/b.txt").write_bytes(b"\xff\xff")
    assert main("dataset --train texts -o set --vocab-size 260".split()) == 1
    assert "b.txt, line 1, byte offset 0" in capfd.readouterr().err and not Path("set").exists()
    assert main("dataset --train texts -o set --vocab-size 260 --errors skip".split()) == 0
    assert "left out: b.txt" in capfd.readouterr().err
    assert bs.load("set/tokenizer.json").decode(np.load("set/train.npy")) == "the cat"


@pytest.mark.parametrize(
    ("command", "code", "named"),
    [
        ("-o set --vocab-size 300", 2, "--train"),
        ("--val v.txt -o set --vocab-size 300", 2, "--train: is needed to train"),
        ("--train t.txt -o set", 2, "--vocab-size"),
        ("--train t.txt -o set --vocab-size 300 -t gpt2", 2, "--tokenizer"),
        ("--train t.txt -o set -t gpt2 --pattern gpt4", 2, "--pattern: is for training"),
        ("--train t.txt -o set -t gpt2 --special <s>", 2, "--special: is for training"),
        ("--train t.txt -o set -t gpt2 --byte-fallback", 2, "--byte-fallback: is for training"),
        ("--train t.txt -o set -t gpt2 --train-prefix 5", 2, "--train-prefix: is for training"),
        ("--train t.txt -o set --vocab-size 300 --train-prefix 0", 2, "--train-prefix"),
        ("--train t.txt -o set --vocab-size 300 --train-prefix 101%", 2, "--train-prefix"),
        ("--train t.txt -o set --vocab-size 300 --document-end <x>", 2, "--document-end"),
        ("--train t.txt -o set --vocab-size 300 --allowed-special <x>", 2, "--allowed-special"),
        ("--train t.txt -o set --vocab-size 300 --pattern [", 2, "--pattern"),
        ("--train t.txt -o set --vocab-size 200", 2, "at least 256"),
        ("--train t.txt -o set --vocab-size 300 --format xml", 2, "--format"),
        ("--train t.txt -o set -t o200k_base --dtype uint16", 2, "--dtype"),
        ("--train . -o set --vocab-size 300", 2, "set: lies in a folder that is read"),
        ("--train - --val - -o set --vocab-size 300", 2, "standard input"),
        ("--train gone.txt -o set --vocab-size 300", 1, "gone.txt"),
        ("--train t.txt --val raw -o set --vocab-size 300", 1, "raw, line 1, byte offset 1"),
        ("--train empty.txt -o set --vocab-size 300", 1, "there is no text to train on"),
        ("--train t.txt -o none/set --vocab-size 300", 1, "none"),
        ("--train t.txt -o v.txt --vocab-size 300", 1, "it is not a folder"),
        ("--train t.txt -o set -t gone.json", 1, "gone.json"),
    ],
)
def test_what_cannot_be_is_one_line_and_writes_nothing(
    command: str, code: int, named: str, in_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").touch()
    Path("raw").write_bytes(b"a\xff")
    before = sorted(os.listdir())
    assert main(["dataset", *command.split()]) == code
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("bpe-studio: ") and err.count("\n") == 1 and named in err
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    "options",
    ["--document-end <x>", "--allowed-special <x>", "--vocab-size 70000 --dtype uint16", "--format pt"],
)
def test_what_cannot_be_written_is_found_before_the_training(
    options: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def no_torch() -> None:
        raise BpeStudioError("a .pt file needs PyTorch")

    monkeypatch.setattr("bpe_studio.dataset.id_files._torch", no_torch)
    monkeypatch.setattr("bpe_studio.dataset.training.train_with", lambda *given: 1 // 0)
    assert main([*COMMAND.split(), *options.split()]) in (1, 2)
    assert "fault" not in capfd.readouterr().err


def test_an_input_is_never_written_over(capfd: pytest.CaptureFixture[str]) -> None:
    os.mkdir("set")
    Path("set/train.npy").write_bytes(TEXTS["t.txt"].encode())
    assert main("dataset --train set/train.npy -o set --vocab-size 300".split()) == 2
    assert "is to be read and to be overwritten" in capfd.readouterr().err
    assert Path("set/train.npy").read_bytes() == TEXTS["t.txt"].encode()


def test_sizes_of_a_prefix() -> None:
    assert prefix_size("1") == (1, False) and prefix_size("1.5kB") == (1500, False)
    assert prefix_size("2GB") == (2 * 10**9, False) and prefix_size("0.001%") == (1, True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("where", ["training.train_with", "splits.encode_parts", "splits.RoundTrip"])
def test_a_run_that_is_stopped_leaves_no_data_set_and_the_next_one_tidies_up(
    where: str, sent: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    module, name = where.split(".")
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"import bpe_studio.dataset.{module} as module\n"
        "def wait(*arguments, **named):\n"
        "    print('there', flush=True)\n"
        "    time.sleep(60)\n"
        f"module.{name} = wait\n"
        "from bpe_studio.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, *COMMAND.split()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    ) as running:  # fmt: skip
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline() == b"there\n"
        time.sleep(0.1)
        running.send_signal(sent)
        said = running.stderr.read()
        code = running.wait(60)
    assert not Path("set").exists()
    if sent == signal.SIGINT:
        assert code == 130 and said == b"bpe-studio: stopped; nothing was written\n"
        assert not [name for name in os.listdir() if name.startswith(".bpe")]
    assert main(COMMAND.split()) == 0
    assert not [name for name in os.listdir() if name.startswith(".bpe")]
    assert sorted(os.listdir("set")) == [
        "manifest.json",
        "test.npy",
        "tokenizer.json",
        "train.npy",
        "val.npy",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_full_disk_leaves_the_old_data_set() -> None:
    assert main([*COMMAND.split(), "--json"]) == 0
    before = {name: Path("set", name).read_bytes() for name in os.listdir("set")}
    Path("long.txt").write_bytes(b"the cat sat " * 20_000)
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "from bpe_studio.__main__ import main\n"
        "sys.exit(main('dataset --train long.txt -o set --vocab-size 260 --format bin'.split()))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment(), timeout=60)
    assert done.returncode == 1 and b"set: cannot be written: File too large" in done.stderr
    assert {name: Path("set", name).read_bytes() for name in os.listdir("set")} == before
    assert not [name for name in os.listdir() if name.startswith(".bpe")]
