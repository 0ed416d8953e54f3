"""What the README says is true: its commands, its example, the names in it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_studio import assets
from bpe_studio.engine.ties import TIE_RULES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("mark", ["&& .venv/bin/bpe-studio", "-m pytest", "apt-get install"])
def test_each_command_that_the_checks_take_is_one_line(mark: str) -> None:
    assert len([line for line in README.splitlines() if mark in line]) == 1


def test_the_terminal_does_what_the_first_command_does(tmp_path: Path) -> None:
    line = next(line for line in section("Start").splitlines() if "bpe-studio train" in line)
    words = line.split()[1:]
    words[words.index("-o") + 1] = str(tmp_path / "aaab.json")
    command = [sys.executable, "-m", "bpe_studio", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "aaab.json").stat().st_size > 100


def test_the_example_in_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = section("In Python").split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(ROOT)
    exec(code.replace('"prose.json"', repr(str(tmp_path / "prose.json"))), {})
    assert (tmp_path / "prose.json").exists()


def test_every_sample_is_in_its_table() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", section("The samples"), flags=re.MULTILINE)
    assert [row.rstrip("/") for row in rows] == [sample.path.name for sample in assets.sample_list()]


def test_every_tie_rule_is_in_its_table() -> None:
    rows = re.findall(r"^\| `([a-z-]+)", section("When pairs tie"), flags=re.MULTILINE)
    assert rows == [rule.name for rule in TIE_RULES]


def test_every_file_in_the_layout_exists() -> None:
    block = section("How the code is laid out").split("    bpe_studio/\n")[1].split("\n\n")[0]
    names = [line.split()[0] for line in block.splitlines()]
    known = {path.name for path in (ROOT / "bpe_studio").rglob("*")} | {path.name for path in ROOT.iterdir()}
    assert not [name for name in names if name.rstrip("/") not in known]


def test_every_file_that_is_linked_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).is_file()]
