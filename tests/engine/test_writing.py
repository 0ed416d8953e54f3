from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_studio.engine import writing
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.words import WordTable, count_words
from bpe_studio.engine.writing import check_target, write_atomic


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == ["x.json"]


def test_a_new_file_has_the_mode_that_the_user_asks_of_new_files(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_atomic(tmp_path / "ours", b"")
    assert os.stat(tmp_path / "ours").st_mode == os.stat(tmp_path / "plain").st_mode


def test_the_mode_of_an_old_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"one")
    os.chmod(path, 0o640)
    write_atomic(path, b"two")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    real = tmp_path / "folder" / "real"
    real.write_bytes(b"one")
    link = tmp_path / "link"
    link.symlink_to(real)
    write_atomic(link, b"two")
    assert link.is_symlink() and real.read_bytes() == b"two"
    assert names(tmp_path / "folder") == ["real"]
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "folder" / "new")
    write_atomic(dangling, b"three")
    assert dangling.is_symlink() and (tmp_path / "folder" / "new").read_bytes() == b"three"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_failure_keeps_the_old_file_and_leaves_nothing(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"one")

    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, failing, fail)
    with pytest.raises(FormatError) as caught:
        write_atomic(path, b"two")
    assert str(caught.value) == f"{path}: cannot be written: No space left on device."
    assert path.read_bytes() == b"one" and names(tmp_path) == ["x"]


def test_a_check_that_fails_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"one")

    def check(written: Path) -> None:
        assert written.read_bytes() == b"two"
        raise FormatError("no")

    with pytest.raises(FormatError, match="^no$"):
        write_atomic(path, b"two", check)
    assert path.read_bytes() == b"one" and names(tmp_path) == ["x"]


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    def check(written: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "x", b"two", check)
    assert names(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no file size limits")
def test_a_full_disk_keeps_the_old_file_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"old" * 1000)
    program = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from bpe_studio.engine.writing import write_atomic\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "try: write_atomic(Path(sys.argv[1]), b'x' * (5 << 20))\n"
        "except ValueError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert run.stdout == f"{path}: cannot be written: File too large.\n"
    assert path.read_bytes() == b"old" * 1000 and names(tmp_path) == ["model.json"]


def test_a_target_that_cannot_be_is_found_before_writing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path, reason in {
        tmp_path: "it is a folder",
        tmp_path / "none" / "x": "does not exist",
        tmp_path / "file" / "x": "Not a directory",
        tmp_path / ("x" * 300): "File name too long",
        Path(str(tmp_path) + "/a\0b"): "null",
    }.items():
        for act in (check_target, lambda path: write_atomic(path, b"")):
            with pytest.raises(FormatError, match="cannot be written") as caught:
                act(path)
            assert reason in str(caught.value)
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_or_file_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "old").write_bytes(b"one")
    os.chmod(folder, 0o555)
    try:
        with pytest.raises(FormatError, match="read-only"):
            write_atomic(folder / "old", b"two")
    finally:
        os.chmod(folder, 0o755)
    os.chmod(folder / "old", 0o444)
    with pytest.raises(FormatError, match="read-only"):
        write_atomic(folder / "old", b"two")
    assert (folder / "old").read_bytes() == b"one"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
def test_a_device_is_written_to_not_replaced() -> None:
    with pytest.raises(FormatError, match="/dev/full: cannot be written: No space left"):
        write_atomic(Path("/dev/full"), b"x" * 100_000)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_table_of_words_never_takes_the_place_of_a_pipe_or_device(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        count_words("ab").save(pipe)
        assert os.read(reader, 2) == b"PK"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


def test_a_table_of_words_is_saved_under_any_name_and_keeps_the_mode_of_an_old_file(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250 + ".npz")
    count_words("old").save(path)
    os.chmod(path, 0o600)
    count_words("new").save(path)
    assert list(WordTable.load(path).items()) == [(b"new", 1)]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with pytest.raises(FormatError, match="null"):
        count_words("a").save(str(tmp_path) + "/a\0b")
    assert names(tmp_path) == [path.name]
