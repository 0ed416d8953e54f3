"""The window answers while ten megabytes are read, split, counted and trained; the figures are printed.

The bounds are generous: a loaded machine must not fail the build. On an idle one expect a 99th percentile
under 50 ms, no wait over 200 ms, and a training that takes at most 1.3 times the bare engine's time.
"""

from __future__ import annotations

import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, QTimer, Slot

from bpe_studio.engine import kernels
from bpe_studio.engine.trainer import Trainer

N_BYTES = 10_000_000
VOCAB_SIZE = 32_768
INTERVAL = 5
N_TRAININGS = 5
WORST_P99, WORST, WORST_FACTOR = 300, 1500, 6


class Pulse(QObject):
    """A 5 ms timer of the GUI thread that notes by how much it was late, in ms, stage by stage."""

    def __init__(self) -> None:
        super().__init__()
        self.late: dict[str, list[float]] = {}
        self.stage = ""
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.on_timeout)

    def start(self, stage: str) -> None:
        self.stage = stage
        if not self._timer.isActive():
            self._last = time.perf_counter()
            self._timer.start(INTERVAL)

    @Slot()
    def on_timeout(self) -> None:
        now = time.perf_counter()
        self.late.setdefault(self.stage, []).append((now - self._last) * 1000 - INTERVAL)
        self._last = now

    def stop(self) -> None:
        self._timer.stop()

    def report(self) -> np.ndarray:
        for stage, values in self.late.items():
            p99, worst = np.percentile(values, 99), max(values)
            print(f"{stage}: {len(values)} beats, late by {p99:.0f} ms at p99, {worst:.0f} ms at most")
        return np.concatenate([np.array(values) for values in self.late.values()])


class Stopwatch(QObject):
    """Measures each training from its first report to its end, as the GUI thread learns of both."""

    def __init__(self, controller) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self._started = 0.0
        controller.training_changed.connect(self._on_changed)

    @Slot(object)
    def _on_changed(self, status) -> None:
        if status.state == "training" and not self._started:
            self._started = time.perf_counter()
        elif status.state == "idle" and self._started:
            self.seconds.append(time.perf_counter() - self._started)
            self._started = 0.0


def real_text() -> str:
    """Ten megabytes of Python's own library, which every machine has."""
    parts, size = [], 0
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        parts.append(text)
        size += len(text.encode())
        if size >= N_BYTES:
            break
    return "".join(parts)


@pytest.mark.slow
def test_the_window_answers_while_ten_megabytes_are_trained(window, qtbot, tmp_path, capsys):
    path = tmp_path / "large.txt"
    path.write_text(real_text(), encoding="utf-8")
    kernels.load()  # as the program does, before anybody waits
    controller, pulse = window.controller, Pulse()
    controller.change_settings(vocab_size=VOCAB_SIZE, pattern="gpt4")
    first = controller.session.current
    pulse.start("reading and counting")
    controller.add_paths([path])
    qtbot.waitUntil(lambda: len(controller.session.corpus.documents) == 1
                    and controller.session.corpus.n_bytes > 1000, timeout=60_000)  # fmt: skip
    qtbot.waitUntil(lambda: controller.session.current not in (None, first)
                    and controller.session.current.facts.n_bytes > 1000, timeout=60_000)  # fmt: skip
    pulse.start("training")
    stopwatch, alone = Stopwatch(controller), []
    for repeat in range(N_TRAININGS):
        if repeat:
            pulse.start("training again")
        controller.train_to_target() if not repeat else controller.start_new_run()
        qtbot.waitUntil(lambda: has_trained(controller, repeat), timeout=120_000)  # noqa: B023
        run = controller.session.current
        pulse.stop()
        start = time.perf_counter()
        bare = Trainer(run.words, run.config)
        bare.advance()
        alone.append(time.perf_counter() - start)
        assert run.log.left.tolist() == bare.log.left.tolist()
    in_window = stopwatch.seconds
    factor = np.median(in_window) / np.median(alone)
    with capsys.disabled():
        print(f"\n{run.facts.n_bytes:,} bytes, {run.n_merges:,} merges")
        late = pulse.report()
        here, there = np.median(in_window), np.median(alone)
        print(f"training {here:.2f} s in the window, {there:.2f} s alone: {factor:.2f}")
    assert np.percentile(late, 99) < WORST_P99 and late.max() < WORST
    assert factor < WORST_FACTOR


def has_trained(controller, repeat):
    """Whether training number `repeat` is at its end; each is a run of its own."""
    session = controller.session
    return (
        controller.training.state == "idle"
        and len([run for run in session.runs if run.n_merges and run.is_full]) > repeat
    )
