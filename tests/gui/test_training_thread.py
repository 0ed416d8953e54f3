"""The training thread: work is done there, rows come back here, and it ends cleanly."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import TrainingError
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import count_words
from bpe_studio.gui import training_thread
from bpe_studio.gui.training_thread import TrainingRequest, TrainingThread
from bpe_studio.session import new_run

TEXT = " ".join(f"the cat {n} sat on mat {n * n}; a dog in {n % 7} fogs." for n in range(300))
CONFIG = TrainingConfig(vocab_size=300)


class Taker(QObject):
    """Appends rows to a run, as the controller does."""

    def __init__(self, thread: TrainingThread, run) -> None:
        super().__init__()
        self.run = run
        self.failures: list = []
        self.is_idle = False
        self.stop_reason = None
        self.threads: set = set()
        thread.advanced.connect(self.on_advanced)
        thread.failed.connect(self.on_failed)

    @Slot(object)
    def on_advanced(self, advance) -> None:
        self.threads.add(QThread.currentThread())
        self.run.log.extend(advance.batch)
        self.is_idle = advance.is_idle
        self.stop_reason = advance.stop_reason

    @Slot(object)
    def on_failed(self, failure) -> None:
        self.failures.append(failure)


@pytest.fixture
def run():
    return new_run("test", count_words(TEXT), CONFIG)


@pytest.fixture
def thread(qtbot):
    made = TrainingThread()
    yield made
    made.close()


@pytest.fixture
def taker(thread, run):
    return Taker(thread, run)


def request(run, target: int) -> TrainingRequest:
    return TrainingRequest(run.number, run.words, run.config, run.log, run.n_merges, target)


def test_one_request_of_one_merge_makes_exactly_one(qtbot, thread, taker, run):
    thread.request(request(run, 1))
    qtbot.waitUntil(lambda: taker.is_idle)
    assert run.n_merges == 1
    assert taker.threads == {QThread.currentThread()}


def test_the_trainer_never_works_in_the_threads_of_the_window(qtbot, thread, taker, run, monkeypatch):
    where = []

    class Watched(Trainer):
        def advance(self, *args, **keywords):
            where.append(threading.get_ident())
            return super().advance(*args, **keywords)

    monkeypatch.setattr(training_thread, "Trainer", Watched)
    thread.request(request(run, 5))
    qtbot.waitUntil(lambda: run.n_merges == 5)
    assert threading.get_ident() not in where


def test_rows_equal_those_of_a_trainer_that_runs_in_one_go(qtbot, thread, taker, run):
    thread.request(request(run, run.n_target))
    qtbot.waitUntil(lambda: taker.is_idle)
    bare = Trainer(run.words, run.config)
    bare.advance()
    for name in ("left", "right", "count", "n_tied", "margin", "corpus_tokens"):
        assert getattr(run.log, name).tolist() == getattr(bare.log, name).tolist()
    assert taker.stop_reason == bare.stop_reason


def test_requests_coalesce_into_one_target(qtbot, thread, taker, run):
    for target in range(1, 21):
        thread.request(request(run, target))
    qtbot.waitUntil(lambda: taker.is_idle and run.n_merges == 20)


def test_going_on_after_another_run_starts_from_the_rows_there_are(qtbot, thread, taker, run):
    thread.request(request(run, 3))
    qtbot.waitUntil(lambda: run.n_merges == 3)
    other = new_run("other", run.words, run.config)
    taker.run = other
    thread.request(request(other, 2))
    qtbot.waitUntil(lambda: other.n_merges == 2)
    taker.run = run
    thread.request(request(run, 6))
    qtbot.waitUntil(lambda: run.n_merges == 6)


def test_a_larger_vocabulary_goes_on_where_the_run_was(qtbot, thread, taker, run):
    run.config = replace(run.config, vocab_size=260)
    thread.request(request(run, 4))
    qtbot.waitUntil(lambda: taker.is_idle)
    assert taker.stop_reason.code == "vocabulary_full"
    run.config = replace(run.config, vocab_size=262)
    thread.request(request(run, 6))
    qtbot.waitUntil(lambda: run.n_merges == 6)


def test_renewing_the_trainer_changes_no_row(qtbot, thread, taker, run):
    thread.request(request(run, 4))
    thread.renew()
    thread.request(request(run, 10))
    qtbot.waitUntil(lambda: run.n_merges == 10)
    bare = Trainer(run.words, run.config)
    bare.advance(max_merges=10)
    assert run.log.left.tolist() == bare.log.left.tolist()


def test_a_pause_keeps_what_was_made_and_a_request_goes_on(qtbot, thread, taker, run):
    thread.request(request(run, run.n_target))
    thread.pause()
    thread.request(request(run, run.n_target))
    qtbot.waitUntil(lambda: taker.is_idle)
    assert run.n_merges > 0


def test_an_error_of_the_trainer_is_delivered_as_a_value(qtbot, thread, taker, run):
    run.config = replace(run.config, vocab_size=10)
    thread.request(request(run, 1))
    qtbot.waitUntil(lambda: bool(taker.failures))
    assert isinstance(taker.failures[0].error, TrainingError)


def test_closing_fifty_times_in_the_middle_of_work_leaves_no_thread(qtbot, run):
    for _ in range(50):
        thread = TrainingThread()
        thread.request(request(run, run.n_target))
        thread.close()
        thread.close()
