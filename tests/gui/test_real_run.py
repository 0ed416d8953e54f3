"""A real run: the window's clicks and the terminal's command make the same tokenizer, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bpe_studio.engine.compiling import prepare
from bpe_studio.formats.table import load

N_BYTES = 3_000_000
ROOT = Path(__file__).parent.parent.parent


def real_text() -> str:
    """Python's own manual, as its interpreter carries it, then its library: text that every machine has."""
    library = Path(sysconfig.get_paths()["stdlib"])
    parts, size = [], 0
    for path in [library / "pydoc_data" / "topics.py", *sorted(library.glob("*.py"))]:
        text = path.read_text(encoding="utf-8", errors="replace")
        parts.append(text)
        size += len(text.encode())
        if size > N_BYTES:
            break
    return "".join(parts)


@pytest.mark.slow
def test_window_and_terminal_train_the_same_tokenizer(window, qtbot, tmp_path):
    prepare()  # compiling takes longer than this test may
    text, path = real_text(), tmp_path / "real.txt"
    path.write_text(text, encoding="utf-8")
    controller = window.controller
    assert controller.change_settings(vocab_size=4096, pattern="gpt4", tie_rule="lexicographic") == ""
    controller.open_path(path)
    qtbot.waitUntil(lambda: controller.session.current is not None and not controller.jobs.is_busy("count")
                    and controller.session.current.facts.n_documents == 1
                    and controller.session.current.facts.n_bytes > 1_000_000, timeout=60_000)  # fmt: skip
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: controller.session.n_merges == 3840, timeout=120_000)
    from_window = tmp_path / "window.json"
    with qtbot.waitSignal(controller.saved, timeout=60_000) as saved:
        controller.save(from_window)
    assert saved.args[0].ok and saved.args[0].checks[0].n_bytes > 200_000
    from_terminal = tmp_path / "terminal.json"
    command = [
        "train",
        str(path),
        "--vocab-size",
        "4096",
        "--pattern",
        "gpt4",
        "-o",
        str(from_terminal),
        "--quiet",
    ]
    subprocess.run([sys.executable, "-m", "bpe_studio", *command], cwd=ROOT, check=True, timeout=240)
    one, other = load(from_window), load(from_terminal)
    assert one.fingerprint() == other.fingerprint()
    assert one.training.log.count.tolist() == other.training.log.count.tolist()
    assert one.decode(one.encode(text, allowed_special="none")) == text
