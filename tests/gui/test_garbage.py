"""Cycles are collected in the GUI thread, also while another thread allocates."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from bpe_studio.gui.garbage import GarbageCollector


class Cycle:
    def __init__(self, where: list) -> None:
        self.itself = self
        weakref.finalize(self, lambda: where.append(threading.current_thread()))


@pytest.fixture
def collector(qtbot):
    was_enabled = gc.isenabled()
    gc.enable()
    made = GarbageCollector()
    yield made
    made.stop()
    assert gc.isenabled()
    if not was_enabled:
        gc.disable()


def test_a_cycle_dies_in_the_gui_thread_only(collector):
    where: list = []
    Cycle(where)

    def allocate() -> None:
        kept = [[number] for number in range(200_000)]
        del kept

    worker = threading.Thread(target=allocate)
    worker.start()
    worker.join()
    assert where == []
    kept = [[number] for number in range(2000)]  # passes the threshold of the youngest generation
    collector.collect_if_due()
    assert where == [threading.main_thread()] and kept
