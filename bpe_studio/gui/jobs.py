"""Short work off the GUI thread: a frozen request goes in, a result comes back as a value.

Latest wins, kind by kind: one job runs, one waits, and a newer request replaces the waiting one. An
answer that is no longer wanted is dropped by its generation number, so that no panel needs to ask
itself whether what arrives is still its business. Errors are values too: nothing is ever raised into
an event loop.

Every job has a Python thread for as long as it runs. Between jobs there is no thread, which makes
"no thread is left" true by construction.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

Progress = Callable[[str, int, "int | None"], bool]
Function = Callable[[Any, Progress], Any]

SECONDS_BETWEEN_REPORTS = 1 / 30


@dataclass(frozen=True)
class JobResult:
    """What a job came to: a value or an error, with the request that asked for it."""

    kind: str
    generation: int
    request: Any
    value: Any = None
    error: Exception | None = None


@dataclass
class _Job:
    """One request on its way; `wanted` turns False when it is cancelled or superseded."""

    kind: str
    generation: int
    function: Function
    request: Any
    wanted: bool = True
    thread: threading.Thread | None = None
    last_report: float = 0.0


class Jobs(QObject):
    """Runs functions ``function(request, progress)`` in threads and hands their results to the GUI thread.

    `finished` carries a `JobResult`; `progressed` carries kind, stage, done and total (or None), at most
    30 times a second for each job. `progress` answers False once nobody wants the answer any more.
    Connect both to methods of QObjects only: a plain function would run in the job's thread.
    """

    finished = Signal(object)
    progressed = Signal(str, str, object, object)
    _ended = Signal(object, object)
    _reported = Signal(object, str, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: dict[str, _Job] = {}
        self._waiting: dict[str, _Job] = {}
        self._generation = 0
        self._closed = False
        self._ended.connect(self._on_ended)
        self._reported.connect(self._on_reported)

    def submit(self, kind: str, function: Function, request: Any, *, supersede: bool = True) -> int:
        """Ask for ``function(request, progress)``; returns the request's generation number.

        With `supersede` the job of the same kind that runs now is told to stop and its answer is dropped.
        Without it the running job still delivers (it is newer than anything shown), and only the one
        that waits is replaced: right for views that must keep moving while a key is held.
        """
        self._generation += 1
        if self._closed:
            return self._generation
        job = _Job(kind, self._generation, function, request)
        running = self._running.get(kind)
        if running is None:
            self._start(job)
        else:
            running.wanted = running.wanted and not supersede
            self._waiting[kind] = job
        return self._generation

    def cancel(self, kind: str) -> None:
        """Want no answer of this kind any more; what runs ends at its next report of progress."""
        self._waiting.pop(kind, None)
        if kind in self._running:
            self._running[kind].wanted = False

    def is_busy(self, kind: str) -> bool:
        """True while an answer of this kind is awaited."""
        running = self._running.get(kind)
        return kind in self._waiting or (running is not None and running.wanted)

    def shutdown(self) -> None:
        """Cancel everything and wait for the threads. No signal is sent afterwards."""
        self._closed = True
        for kind in list(self._running):
            self.cancel(kind)
        for job in self._running.values():
            if job.thread is not None:
                job.thread.join()
        self._running.clear()

    def _start(self, job: _Job) -> None:
        self._running[job.kind] = job
        job.thread = threading.Thread(target=self._run, args=(job,), name=f"job {job.kind}")
        job.thread.start()

    def _run(self, job: _Job) -> None:
        """Do the work (in the job's thread) and post the result to the GUI thread."""

        def progress(stage: str, done: int, total: int | None = None) -> bool:
            now = time.monotonic()
            if job.wanted and now - job.last_report >= SECONDS_BETWEEN_REPORTS:
                job.last_report = now
                self._reported.emit(job, stage, done, total)
            return job.wanted

        try:
            result = JobResult(job.kind, job.generation, job.request, job.function(job.request, progress))
        except Exception as error:
            result = JobResult(job.kind, job.generation, job.request, error=error)
        self._ended.emit(job, result)

    @Slot(object, object)
    def _on_ended(self, job: _Job, result: JobResult) -> None:
        if self._closed:
            return
        if job.thread is not None:
            job.thread.join()
        del self._running[job.kind]
        waiting = self._waiting.pop(job.kind, None)
        if waiting is not None:
            self._start(waiting)
        if job.wanted:
            self.finished.emit(result)

    @Slot(object, str, object, object)
    def _on_reported(self, job: _Job, stage: str, done: int, total: int | None) -> None:
        if job.wanted and not self._closed:
            self.progressed.emit(job.kind, stage, done, total)
