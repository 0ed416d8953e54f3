from __future__ import annotations

from pathlib import Path

import pytest

from bpe_studio.cli import main
from tests.cli.running import TEXT


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the test runs, with a text in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    (tmp_path / "a.txt").write_bytes(TEXT.encode())
    return tmp_path


@pytest.fixture
def model(in_folder: Path) -> str:
    """A tokenizer file: ``aa``, ``ab``, ``aaab`` and one special token."""
    command = "train a.txt --vocab-size 260 --pattern none --special <s> -o model.json --quiet"
    assert main(command.split()) == 0
    return "model.json"
