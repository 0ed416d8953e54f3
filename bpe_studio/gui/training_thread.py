"""The one thread that trains: requests go in by queued signal, frozen batches of merges come out.

A Trainer is built here, lives here and dies here; no other thread ever holds it, so there is no lock.
`advance` is called in slices of about 30 ms from a timer of this thread's event loop. Between two
slices the loop delivers what the GUI has asked for meanwhile: a new target, a pause, another run.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from bpe_studio.engine import kernels
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.merges import MergeBatch, MergeLog
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import WordTable

SLICE_SECONDS = 0.034
"""Length of a slice: batches then reach the GUI at most 30 times a second."""


@dataclass(frozen=True)
class TrainingRequest:
    """Train run `run_id` until it has `target` merges.

    `log` is the run's own, of which the first `n_merges` rows count; they never change, and the thread
    copies them before it goes on from there. `engine` is "auto" or "reference", as for `Trainer`.
    """

    run_id: int
    words: WordTable
    config: TrainingConfig
    log: MergeLog
    n_merges: int
    target: int
    engine: str = "auto"


@dataclass(frozen=True)
class TrainingAdvance:
    """What a slice did: new rows, why the trainer stopped if it did, and whether it rests now."""

    run_id: int
    batch: MergeBatch
    stop_reason: StopReason | None
    is_idle: bool


@dataclass(frozen=True)
class TrainingFailure:
    """An error of the trainer, as a value."""

    run_id: int
    error: Exception


class TrainingWorker(QObject):
    """Lives in the training thread and owns the Trainer. Its slots are called by queued signals only."""

    advanced = Signal(object)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._request: TrainingRequest | None = None
        self._trainer: Trainer | None = None
        self._own_log: MergeLog | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._train_a_slice)

    @Slot(object)
    def on_requested(self, request: TrainingRequest) -> None:
        """Take over a run, or a new target or size for the run at hand."""
        before, self._request = self._request, request
        if before is None or before.run_id != request.run_id:
            self._trainer = self._own_log = None
        elif before.config != request.config:
            self._trainer = None
        self._timer.start()

    @Slot()
    def on_paused(self) -> None:
        """Rest after the slice that has just ended; every merge made so far has been sent."""
        self._timer.stop()

    @Slot()
    def on_renewed(self) -> None:
        """Build the Trainer again from its words and merges: the fast engine has become ready."""
        self._trainer = None

    @Slot()
    def on_warmed_up(self) -> None:
        """Load the compiled kernels from their cache, before anybody waits for them."""
        with contextlib.suppress(Exception):  # whoever needs them will meet the error, and say it
            kernels.load()

    @Slot()
    def on_released(self) -> None:
        """Forget the run at hand and its memory."""
        self._timer.stop()
        self._request = self._trainer = self._own_log = None

    @Slot()
    def _train_a_slice(self) -> None:
        request = self._request
        if request is None:
            self._timer.stop()
            return
        try:
            trainer = self._ready_trainer(request)
            wanted = max(0, request.target - len(trainer.log))
            batch = trainer.advance(max_merges=wanted, max_seconds=SLICE_SECONDS)
        except Exception as error:
            self._timer.stop()
            self._trainer = self._request = self._own_log = None
            self.failed.emit(TrainingFailure(request.run_id, error))
            return
        is_idle = len(trainer.log) >= request.target or trainer.stop_reason is not None
        if is_idle:
            self._timer.stop()
        self.advanced.emit(TrainingAdvance(request.run_id, batch, trainer.stop_reason, is_idle))

    def _ready_trainer(self, request: TrainingRequest) -> Trainer:
        if self._trainer is None:
            # Rows may still be under way to the GUI: then this thread's own log is the longer one.
            own, n_own = self._own_log, len(self._own_log or ())
            log = own if n_own > request.n_merges else request.log.first(request.n_merges)
            self._trainer = Trainer(request.words, request.config, log=log, engine=request.engine)
            self._own_log = self._trainer.log
        return self._trainer


class TrainingThread(QObject):
    """The GUI's end: posts requests, and hands on what the worker says.

    `advanced` carries a `TrainingAdvance`, `failed` a `TrainingFailure`; both arrive in the thread that
    made this object, because they are passed on by its own slots.
    """

    advanced = Signal(object)
    failed = Signal(object)
    _requested = Signal(object)
    _paused = Signal()
    _renewed = Signal()
    _released = Signal()
    _warmed_up = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = QThread()
        self._thread.setObjectName("training")
        self._worker = TrainingWorker()
        self._worker.moveToThread(self._thread)
        self._requested.connect(self._worker.on_requested)
        self._paused.connect(self._worker.on_paused)
        self._renewed.connect(self._worker.on_renewed)
        self._released.connect(self._worker.on_released)
        self._warmed_up.connect(self._worker.on_warmed_up)
        self._worker.advanced.connect(self._on_advanced)
        self._worker.failed.connect(self._on_failed)
        # The timer must stop in its own thread, and `quit` may overtake what is still posted.
        self._thread.finished.connect(self._worker.on_released)
        self._thread.start()

    def request(self, request: TrainingRequest) -> None:
        """Post a request; a newer one for the same run only moves its target."""
        self._requested.emit(request)

    def pause(self) -> None:
        """Ask for rest; rows already made still arrive."""
        self._paused.emit()

    def renew(self) -> None:
        """Ask for a new Trainer over the same words and merges."""
        self._renewed.emit()

    def warm_up(self) -> None:
        """Ask the thread to load the compiled kernels."""
        self._warmed_up.emit()

    def release(self) -> None:
        """Ask the thread to forget its run."""
        self._released.emit()

    def close(self) -> None:
        """End the thread and wait for it; nothing is sent afterwards."""
        if not self._thread.isRunning():
            return
        self._worker.advanced.disconnect(self._on_advanced)
        self._worker.failed.disconnect(self._on_failed)
        self._thread.quit()
        self._thread.wait()

    @Slot(object)
    def _on_advanced(self, advance: TrainingAdvance) -> None:
        self.advanced.emit(advance)

    @Slot(object)
    def _on_failed(self, failure: TrainingFailure) -> None:
        self.failed.emit(failure)
