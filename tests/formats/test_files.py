from __future__ import annotations

import os
from pathlib import Path

import pytest

from bpe_studio.engine.errors import FormatError
from bpe_studio.formats import files
from bpe_studio.formats.files import read_bounded


def test_reading_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"0123456789")
    assert read_bounded(path) == b"0123456789"
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 9)
    with pytest.raises(FormatError, match="more than 9 bytes"):
        read_bounded(path)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, reason in {
        tmp_path: "directory",
        tmp_path / "none": "No such file",
        Path("a\0b"): "null",
    }.items():
        with pytest.raises(FormatError, match=reason):
            read_bounded(path)
    if os.path.exists("/dev/zero"):
        with pytest.raises(FormatError, match="not a file"):
            read_bounded(Path("/dev/zero"))
