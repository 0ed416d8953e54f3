"""The helper that compiles: started once, ended with the window, and nothing waits for it in vain."""

from __future__ import annotations

import sys

import pytest

from bpe_studio.engine import kernels
from bpe_studio.engine.words import count_words
from bpe_studio.gui import fast_engine
from bpe_studio.gui.fast_engine import FastEngine

SMALL = count_words("a small text")
LARGE = count_words(" ".join(f"word{n}" for n in range(60_000)), pattern="whitespace")


@pytest.fixture
def cold(monkeypatch):
    monkeypatch.setattr(kernels, "status", lambda: "cold")


@pytest.fixture
def engine(qtbot):
    made = FastEngine()
    yield made
    made.close()


def test_a_cold_cache_makes_large_work_wait_and_small_work_not(engine, cold):
    assert engine.must_wait_for(LARGE, 1000) and not engine.must_wait_for(SMALL, 1000)


def test_a_warm_cache_makes_nothing_wait(engine, monkeypatch):
    monkeypatch.setattr(kernels, "status", lambda: "cached")
    assert not engine.must_wait_for(LARGE, 1000) and not engine.is_preparing
    engine.prepare()
    assert not engine.is_preparing


def test_the_helper_is_started_once_and_tells_when_it_has_ended(engine, cold, qtbot, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with qtbot.waitSignal(engine.became_ready) as ready:
        engine.prepare()
        engine.prepare()
    assert ready.args == [False]  # it ended, and the cache is as cold as before
    assert not engine.is_preparing and not engine.must_wait_for(LARGE, 1000)


def test_a_helper_that_cannot_start_is_no_reason_to_wait(engine, cold, qtbot, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with qtbot.waitSignal(engine.became_ready):
        engine.prepare()
    assert not engine.is_preparing


def test_the_helper_compiles_this_package_and_not_one_in_the_folder_it_starts_in(
    engine, cold, qtbot, monkeypatch, tmp_path
):
    (tmp_path / "bpe_studio").mkdir()
    (tmp_path / "bpe_studio" / "__init__.py").write_text("open('taken', 'w')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with qtbot.waitSignal(engine.became_ready, timeout=120_000):
        engine.prepare()
    assert not (tmp_path / "taken").exists()


def test_closing_ends_the_helper(engine, cold, monkeypatch, tmp_path):
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    sleeper.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(sleeper))
    engine.prepare()
    process = engine._process
    assert process.waitForStarted()
    engine.close()
    assert process.state() == process.ProcessState.NotRunning


def test_a_large_training_waits_with_its_reason_and_then_goes_on(
    real_controller, qtbot, monkeypatch, tmp_path
):
    controller = real_controller
    status = ["cold"]
    monkeypatch.setattr(kernels, "status", lambda: status[0])
    monkeypatch.setattr(fast_engine, "SMALL_WORDS_BYTES", 100)
    monkeypatch.setattr(fast_engine, "wants_kernels", lambda n_symbols, n_merges: True)
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    sleeper.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(sleeper))
    controller.add_text("prose", " ".join(f"word{n} {n * n}" for n in range(100)))
    qtbot.waitUntil(lambda: controller.session.current is not None)
    controller.step()
    assert controller.training.state == "preparing" and "12 s" in controller.training.text
    controller.stop()
    assert controller.training.state == "idle"
    controller.step()
    status[0] = "cached"
    controller.engine._process.kill()
    qtbot.waitUntil(lambda: controller.session.n_merges == 1)
    assert controller.training.state == "idle"
