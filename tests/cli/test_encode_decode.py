from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.cli import main
from bpe_studio.cli.decode import id_blocks
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.formats.table import load
from tests.cli.running import environment, process

AWKWARD = "\ufeffa\0b\x1b[0m\r\n\u200b\u202ec\u00ad\t 東🙂 "
NEEDS_DEV_FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")


def test_json_is_a_list_of_ids_of_tokens_or_a_count(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("b.txt").write_bytes("aaabdé".encode())
    shown = {}
    for shape in ("--ids", "--tokens", "--count"):
        assert main(["encode", "-t", model, "b.txt", shape, "--json"]) == 0
        shown[shape] = json.loads(capfd.readouterr().out)
    assert shown["--ids"] == [258, 100, 0xC3, 0xA9]
    assert shown["--tokens"][0] == {"id": 258, "text": "aaab", "hex": "61616162"}
    assert [bytes.fromhex(row["hex"]) for row in shown["--tokens"]] == [b"aaab", b"d", b"\xc3", b"\xa9"]
    assert shown["--count"] == {"n_tokens": 4, "n_bytes": 7}


@pytest.mark.parametrize("shape", ["--ids", "--tokens", "--count"])
def test_an_empty_text_is_an_empty_list(shape: str, model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("empty").touch()
    assert main(["encode", "-t", model, "empty", shape, "--json"]) == 0
    value = json.loads(capfd.readouterr().out)
    assert value == ({"n_tokens": 0, "n_bytes": 0} if shape == "--count" else [])


@pytest.mark.parametrize("shape", ["--ids", "--tokens", "--ids --json", "--tokens --json"])
def test_what_is_written_does_not_depend_on_the_blocks(
    shape: str, model: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("b.txt").write_bytes(b"aaab d" * 9)
    command = ["encode", "-t", model, "b.txt", *shape.split()]
    assert main(command) == 0
    whole = capfd.readouterr().out
    monkeypatch.setattr("bpe_studio.dataset.id_files.BLOCK_IDS", 4)
    assert main(command) == 0
    assert capfd.readouterr().out == whole and len(whole) > 50


@pytest.mark.parametrize("name", ["ids.npy", "ids.bin", "ids.txt"])
def test_ids_go_through_a_file_byte_for_byte(
    name: str, model: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("b.txt").write_bytes(AWKWARD.encode())
    assert main(["encode", "-t", model, "b.txt", "-o", name]) == 0
    assert main(["decode", "-t", model, name, "-o", "back"]) == 0
    assert Path("back").read_bytes() == AWKWARD.encode()
    assert main(["decode", "-t", model, name]) == 0
    assert capfd.readouterr() == (AWKWARD, "")
    ids = load(model).encode(AWKWARD)
    if name == "ids.npy":
        assert np.load(name).dtype == np.uint16 and np.load(name).tolist() == ids
    if name == "ids.bin":
        assert np.fromfile(name, "<u2").tolist() == ids


def test_the_dtype_may_be_asked_for(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["encode", "-t", model, "a.txt", "-o", "a.bin", "--dtype", "uint32"]) == 0
    assert np.fromfile("a.bin", "<u4").tolist() == load(model).encode(Path("a.txt").read_bytes(), "none")
    assert main(["decode", "-t", model, "a.bin", "--dtype", "uint32"]) == 0
    assert capfd.readouterr().out.encode() == Path("a.txt").read_bytes()
    Path("odd.bin").write_bytes(b"\1\0\2")
    assert main(["decode", "-t", model, "odd.bin"]) == 1
    assert "odd.bin: the file ends inside a number" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("encode a.txt -o x.npy --tokens", "-o/--output: a .npy file holds ids"),
        ("encode a.txt -o x.bin --json", "-o/--output: a .bin file holds ids"),
        ("encode a.txt --dtype uint16", "--dtype: is for files"),
        ("encode a.txt -o -", "-o/--output: must be a file"),
        ("encode a.txt -o a.txt", "a.txt: is to be read and to be overwritten"),
        ("encode a.txt -o none/x.npy", "none"),
        ("encode gone.txt -o x.npy", "gone.txt: cannot be read"),
        ("encode .", "."),
        ("encode gone.txt --json", "gone.txt: cannot be read"),
        ("encode a.txt --json --tokens --allowed-special none_raise", "a.txt: The text holds the special"),
        ("decode a.txt -o a.txt", "a.txt: is to be read and to be overwritten"),
        ("decode a.txt -o x", "a.txt: item 1 is no token id"),
        ("decode a.txt --dtype int32", "--dtype: is for files"),
    ],
)
def test_what_cannot_be_is_said_and_writes_nothing(
    command: str, named: str, model: str, in_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir())
    name, *rest = command.split()
    assert main([name, "-t", model, *rest]) in (1, 2)
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1 and named in err
    assert sorted(os.listdir()) == before


def test_a_file_keeps_what_it_had_when_the_text_is_bad(model: str) -> None:
    Path("ids.npy").write_bytes(b"old")
    Path("bad.txt").write_bytes("é".encode() + b"\xff" * 9)
    assert main(["train", "a.txt", "--vocab-size", "258", "-o", "gpt4.json", "--quiet"]) == 0
    assert main(["encode", "-t", "gpt4.json", "bad.txt", "-o", "ids.npy"]) == 1
    assert Path("ids.npy").read_bytes() == b"old"
    assert not [name for name in os.listdir() if name.startswith(".bpe")]


@given(ids=st.lists(st.integers(0, 2**31)), cut=st.integers(1, 9), is_list=st.booleans(), data=st.data())
def test_numbers_are_read_however_they_are_cut(
    ids: list[int], cut: int, is_list: bool, data: st.DataObject
) -> None:
    separators = st.sampled_from([" ", ",", ", ", "\n", "\r\n", "\t", " ,\n"])
    text = "".join(f"{number}{data.draw(separators)}" for number in ids)
    text = f" [{text}] \n" if is_list else text
    raw = text.encode() + b" " * (1 << 20)
    chunks = [raw[at : at + cut] for at in range(0, min(len(raw), 400), cut)] + [
        raw[400 // cut * cut + cut :]
    ]
    chunks = [raw[:cut], raw[cut:]]
    assert sum(id_blocks(chunks), []) == ids


@pytest.mark.parametrize("text", [b"1 " * 600_000, b"[" + b"1, " * 400_000 + b"1]"])
def test_many_numbers_come_in_blocks(text: bytes) -> None:
    chunks = [text[at : at + 100_000] for at in range(0, len(text), 100_000)]
    blocks = list(id_blocks(chunks))
    assert len(blocks) > 1 and sum(map(len, blocks)) == text.count(b"1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"1 " * 600_000 + b"x", "item 600,001 is no token id: 'x'"),
        (b"[1, 2", "the list has no ]"),
        (b"[1] 2", "the list has no ]"),
        (b"[1] 2]", "item 1 is no token id"),
        (b"1" * 3_000_000, "item 1 is no token id"),
        (b"[1]" + b"2 " * 900_000 + b"]", "item 1 is no token id"),
    ],
)
def test_what_is_no_list_of_ids_is_said_and_no_memory_is_filled(text: bytes, said: str) -> None:
    chunks = [text[at : at + 1 << 20] for at in range(0, len(text), 1 << 20)]
    with pytest.raises(BpeStudioError, match=said):
        list(id_blocks(chunks))


def interrupted(*parts: bytes) -> Callable[[str], Iterator[bytes]]:
    """What is read of a file before Ctrl+C."""

    def chunks(name: str) -> Iterator[bytes]:
        yield from parts
        raise KeyboardInterrupt

    return chunks


def test_ctrl_c_keeps_the_ids_that_came_out(
    model: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bpe_studio.cli.texts.input_chunks", interrupted(b"cat sat " * 600_000))
    assert main(["encode", "-t", "gpt2"]) == 130
    out, err = capfd.readouterr()
    assert err == "bpe-studio: stopped; what was encoded so far was written\n"
    assert load("gpt2").decode(map(int, out.split())).startswith("cat sat cat")
    monkeypatch.setattr("bpe_studio.cli.decode.input_chunks", interrupted(b"1169 3797 " * 200_000))
    assert main(["decode", "-t", "gpt2"]) == 130
    out, err = capfd.readouterr()
    assert err == "bpe-studio: stopped; what was decoded so far was written\n" and out.startswith("the cat")


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_ctrl_c_before_anything_came_out_writes_nothing(
    command: str, model: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("out").write_bytes(b"old")
    for module in ("texts", "decode"):
        monkeypatch.setattr(f"bpe_studio.cli.{module}.input_chunks", interrupted(b"1 "))
    for output in ([], ["-o", "out"]):
        assert main([command, "-t", model, *output]) == 130
        assert capfd.readouterr() == ("", "bpe-studio: stopped; nothing was written\n")
    assert Path("out").read_bytes() == b"old"


# ---- the world outside -----------------------------------------------------------------------------------


def test_bytes_that_are_no_text_go_through_pipes(model: str) -> None:
    data = bytes(range(256)) * 3
    ids = process("encode", "-t", model, data=data)
    assert ids.returncode == 0
    assert process("decode", "-t", model, data=ids.stdout).stdout == data


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
def test_ids_come_out_before_the_text_has_ended(in_folder: Path) -> None:
    text = b"the cat sat on the mat " * 250_000
    with subprocess.Popen(
        [sys.executable, "-m", "bpe_studio", "encode", "-t", "gpt2"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(),
    ) as running:  # fmt: skip
        assert running.stdin is not None and running.stdout is not None
        writer = threading.Thread(target=running.stdin.write, args=(text,))
        writer.start()
        some = running.stdout.read(100_000)  # comes while the text has no end yet
        rest: list[bytes] = []
        reader = threading.Thread(target=lambda: rest.append(running.stdout.read()))  # type: ignore[union-attr]
        reader.start()
        writer.join()
        running.stdin.close()
        reader.join()
    assert some.startswith(b"1169 3797 ") and running.returncode == 0
    ids = (some + rest[0]).split()
    assert len(ids) == len(load("gpt2").encode(text[: 23 * 3])) + 6 * (250_000 - 3)


@NEEDS_DEV_FULL
@pytest.mark.parametrize("command", ["encode a.txt", "decode ids", "encode a.txt --json", "merges --csv"])
def test_a_full_disk_ends_every_command_with_a_message(command: str, model: str) -> None:
    Path("ids").write_text("97 98")
    name, *rest = command.split()
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bpe_studio", name, "-t", model, *rest],
            stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == b"bpe-studio: standard output: No space left on device"


@NEEDS_DEV_FULL
def test_a_full_disk_behind_an_output_file_is_said(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("ids.npy").symlink_to("/dev/full")
    assert main(["encode", "-t", model, "a.txt", "-o", "ids.npy"]) == 1
    assert capfd.readouterr().err == "bpe-studio: ids.npy: cannot be written: No space left on device.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
@pytest.mark.parametrize("command", ["merges -t gpt2 --csv", "encode -t gpt2 long.txt", "decode -t gpt2 ids"])
def test_a_reader_that_goes_away_ends_every_command_quietly(command: str, in_folder: Path) -> None:
    Path("long.txt").write_bytes(b"xy " * 300_000)
    Path("ids").write_bytes(b"5 198 " * 300_000)
    with subprocess.Popen(
        [sys.executable, "-m", "bpe_studio", *command.split()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    ) as running:  # fmt: skip
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.read(3)
        running.stdout.close()
        said = running.stderr.read()
        assert running.wait(60) == 141 and said == b""
