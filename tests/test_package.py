from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bpe_studio
from bpe_studio.__main__ import are_files

HEAVY = ("numba", "llvmlite", "regex", "numpy", "PySide6", "pyqtgraph", "rich")


def modules_after(program: str) -> set[str]:
    code = f"import sys\n{program}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    folder = Path(bpe_studio.__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, check=True)
    return set(run.stdout.splitlines()[-1].split())


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert not modules_after("import bpe_studio; bpe_studio.__version__; dir(bpe_studio)") & set(HEAVY)


def test_the_command_line_needs_no_qt_and_help_needs_no_numpy() -> None:
    program = "from bpe_studio.__main__ import main\nmain(['{}'])"
    assert not modules_after(program.format("--version")) & set(HEAVY)
    used = "import bpe_studio as bs\nbs.train('abab', vocab_size=258, pattern='none').encode('abab')"
    assert not modules_after(used) & {"PySide6", "pyqtgraph", "numba"}


def test_files_open_the_window_and_commands_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b c.json", "train"):
        Path(name).touch()
    assert are_files(["a.txt", "b c.json"]) and are_files(["."])
    assert not are_files(["train"]) and not are_files(["a.txt", "gone.txt"]) and not are_files(["--help"])


def test_every_public_name_is_there() -> None:
    for name in bpe_studio.__all__:
        assert getattr(bpe_studio, name) is not None
    assert set(bpe_studio.__all__) >= {
        "train", "count_words", "WordTable", "Trainer", "TrainingConfig", "state_at", "load", "save",
        "compression_curve", "BpeStudioError", "CorpusError", "PatternError", "SpecialTokenError",
        "UnknownCharacterError", "FormatError", "TrainingError",
    }  # fmt: skip
    assert dir(bpe_studio) == sorted(bpe_studio.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tarin'"):
        bpe_studio.tarin  # type: ignore[attr-defined]  # noqa: B018


def test_the_example_of_the_package_runs() -> None:
    tokenizer = bpe_studio.train("aaabdaaabac", vocab_size=259, pattern="none", min_frequency=1)
    assert tokenizer.encode("aaab") == [258]
