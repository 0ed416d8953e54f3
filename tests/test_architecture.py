"""The house rules that a reader cannot see in one file: layers, sizes, and what the top level holds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bpe_studio"
TOP_LEVEL = set(".ci .gitattributes .gitignore CHANGELOG.md LICENSE NOTICE README.md pyproject.toml".split())
TOP_LEVEL |= {"bpe_studio", "resources", "samples", "tests"}
LONGEST_FILE = 500
LONGEST_WINDOW = 250
HEAVY = ("numba", "llvmlite", "numpy", "regex", "rich", "PySide6", "shiboken6", "pyqtgraph")


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def tracked_files() -> list[Path]:
    """Files that git would put into a commit: tracked, and new ones that nothing ignores."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    if listing.returncode:
        pytest.skip("not in a git checkout")
    return [path for name in listing.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def python(code: str) -> str:
    """Run a line of Python in a process of its own and return what it printed."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imports_go_only_downward() -> None:
    linter = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", linter, "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_the_package_imports_nothing_heavy() -> None:
    printed = python(f"import sys, bpe_studio; print([m for m in {HEAVY!r} if m in sys.modules])")
    assert printed.strip() == "[]"


@pytest.mark.parametrize("layer", ["session", "dataset", "cli", "formats", "analysis"])
def test_a_layer_below_the_window_runs_without_qt(layer: str) -> None:
    printed = python(f"import sys, bpe_studio.{layer}; print('PySide6' in sys.modules)")
    assert printed.strip() == "False"


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_file_is_short_enough_to_read(path: Path) -> None:
    longest = LONGEST_WINDOW if path.name == "main_window.py" else LONGEST_FILE
    n_lines = path.read_text(encoding="utf-8").count("\n")
    assert n_lines <= longest, f"{path.name} has {n_lines} lines, {longest} at most: give a part its own file"


def test_only_assets_asks_where_the_package_lies() -> None:
    users = {path.name for path in modules() if "__file__" in path.read_text(encoding="utf-8")}
    assert users <= {"assets.py"}


def test_every_module_postpones_its_annotations() -> None:
    wanted = "from __future__ import annotations"
    plain = [path for path in modules() if not path.stem.startswith("__")]
    without = [path.name for path in plain if wanted not in path.read_text(encoding="utf-8")]
    assert not without


def test_the_top_level_holds_only_what_belongs_there() -> None:
    found = {path.relative_to(ROOT).parts[0] for path in tracked_files()}
    assert found <= TOP_LEVEL


def test_no_file_names_the_folders_of_one_machine() -> None:
    private = re.compile(rb"(?<![\w.])/(?:home|Users|root|work|tmp)/[\w.-]+")
    places = [
        f"{path.relative_to(ROOT)}: {found.group().decode()}"
        for path in tracked_files()
        if path.suffix not in (".png", ".npz") and (found := private.search(path.read_bytes()))
    ]
    assert not places
