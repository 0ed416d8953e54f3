"""Jobs: latest wins, stale answers are dropped, errors are values, no thread is left."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from bpe_studio.gui.jobs import Jobs


class Taker(QObject):
    """Notes results and the thread they arrive in."""

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self.results: list = []
        self.reports: list = []
        self.threads: set = set()
        jobs.finished.connect(self.on_finished)
        jobs.progressed.connect(self.on_progressed)

    @Slot(object)
    def on_finished(self, result) -> None:
        self.results.append(result)
        self.threads.add(QThread.currentThread())

    @Slot(str, str, object, object)
    def on_progressed(self, kind, stage, done, total) -> None:
        self.reports.append((kind, stage, done, total))

    @property
    def values(self) -> list:
        return [result.value for result in self.results]


@pytest.fixture
def jobs(qtbot):
    made = Jobs()
    yield made
    made.shutdown()


@pytest.fixture
def taker(jobs):
    return Taker(jobs)


def echo(request, progress):
    return request


def test_a_result_arrives_in_the_thread_of_the_window(qtbot, jobs, taker):
    jobs.submit("a", echo, 1)
    qtbot.waitUntil(lambda: taker.values == [1])
    assert taker.threads == {QThread.currentThread()}


def test_an_error_is_delivered_as_a_value(qtbot, jobs, taker):
    def fail(request, progress):
        raise ValueError("no")

    jobs.submit("a", fail, 1)
    qtbot.waitUntil(lambda: bool(taker.results))
    assert isinstance(taker.results[0].error, ValueError)


def test_one_runs_one_waits_and_the_latest_wins(qtbot, jobs, taker):
    gate = threading.Event()
    ran = []

    def gated(request, progress):
        gate.wait(10)
        ran.append(request)
        return request

    for number in range(6):
        jobs.submit("a", gated, number)
    gate.set()
    qtbot.waitUntil(lambda: taker.values == [5])
    assert ran == [0, 5]


def test_without_superseding_the_running_job_still_delivers(qtbot, jobs, taker):
    gate = threading.Event()

    def gated(request, progress):
        gate.wait(10)
        return request

    for number in range(6):
        jobs.submit("a", gated, number, supersede=False)
    gate.set()
    qtbot.waitUntil(lambda: taker.values == [0, 5])


def test_kinds_do_not_wait_for_one_another(qtbot, jobs, taker):
    gate = threading.Event()
    jobs.submit("slow", lambda request, progress: gate.wait(10), 1)
    jobs.submit("quick", echo, 2)
    qtbot.waitUntil(lambda: taker.values == [2])
    gate.set()
    qtbot.waitUntil(lambda: len(taker.results) == 2)


def test_a_cancelled_job_is_told_and_its_answer_dropped(qtbot, jobs, taker):
    started, told = threading.Event(), threading.Event()

    def until_unwanted(request, progress):
        started.set()
        while progress("working", 1, None):
            pass
        told.set()
        return request

    jobs.submit("a", until_unwanted, 1)
    assert started.wait(10)
    jobs.cancel("a")
    assert not jobs.is_busy("a")
    assert told.wait(10)
    jobs.submit("a", echo, 2)
    qtbot.waitUntil(lambda: taker.values == [2])


def test_progress_is_told_at_most_thirty_times_a_second(qtbot, jobs, taker):
    def busy(request, progress):
        for done in range(10_000):
            progress("counting", done, 10_000)

    jobs.submit("a", busy, None)
    qtbot.waitUntil(lambda: bool(taker.results))
    assert 1 <= len(taker.reports) <= 30
    assert taker.reports[0] == ("a", "counting", 0, 10_000)


def test_cancel_start_again_and_close_fifty_times_leaves_nothing(qtbot):
    before = threading.active_count()
    for number in range(50):
        jobs = Jobs()
        taker = Taker(jobs)
        jobs.submit("a", echo, "A")
        jobs.cancel("a")
        jobs.submit("a", echo, number)
        if number % 2:
            qtbot.waitUntil(lambda taker=taker, number=number: taker.values == [number])
        jobs.shutdown()
        assert "A" not in taker.values
    assert threading.active_count() == before


def test_after_the_shutdown_nothing_is_delivered(qtbot, jobs, taker):
    jobs.submit("a", echo, 1)
    jobs.shutdown()
    jobs.submit("a", echo, 2)
    qtbot.wait(20)
    assert taker.results == []
