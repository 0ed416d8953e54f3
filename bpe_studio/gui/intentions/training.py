"""Training as the user wants it: one merge, or all up to the target; pause, stop, go on, extend."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.merges import COLUMNS, MergeBatch
from bpe_studio.engine.trainer import stop_reason
from bpe_studio.gui.training_thread import TrainingAdvance, TrainingFailure, TrainingRequest
from bpe_studio.gui.wording import STAGES, STUTTER, said, stop_text, training_text
from bpe_studio.session import Run, extended

if TYPE_CHECKING:
    from bpe_studio.gui.controller import Controller

LARGEST_LEAD = 4
"""Steps asked for before they are made: three quick clicks count, a held key queues no more."""


@dataclass(frozen=True)
class TrainingStatus:
    """What the long work is doing.

    Parameters
    ----------
    state : {"idle", "reading", "counting", "preparing", "training", "paused"}
        Stage of the work.
    done, total : int and int or None
        Bytes, or merges while training.
    rate : float
        Merges (or bytes) a second; 0 if unknown.
    seconds_left : float or None
        Time left, if it can be told.
    text : str
        All of it in words.
    """

    state: str = "idle"
    done: int = 0
    total: int | None = None
    rate: float = 0.0
    seconds_left: float | None = None
    text: str = ""


MILLISECONDS_BETWEEN_FACTS = 200
"""A training at full speed tells of its rows five times a second: drawing them costs more than they do."""


class TrainingIntentions(QObject):
    """Owns the target number. `mode` is idle, step (a few merges), train (to the target) or paused."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._c = controller
        self._untold: int | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MILLISECONDS_BETWEEN_FACTS)
        self._timer.timeout.connect(self.tell_rows)
        self._end_timer = QTimer(self)
        self._end_timer.setSingleShot(True)
        self._end_timer.timeout.connect(self._finish)
        self.mode = "idle"
        self.status = TrainingStatus()
        self._run: Run | None = None
        self._target = 0
        self._is_waiting = False
        self._after_step = "idle"
        self._started = (0.0, 0)

    @property
    def is_training(self) -> bool:
        """True while merges are being made up to the target."""
        return self.mode == "train"

    def is_at_work_on(self, run: Run) -> bool:
        """True while merges of this run are being made, waited for or paused."""
        return self._run is run and self.mode != "idle"

    def step(self, n: int) -> None:
        """Ask for `n` more merges of the current run; while a training runs, nothing."""
        run = self._c.session.current
        if run is None or self.mode == "train":
            return
        pending = self._target if self.mode == "step" and self._run is run else run.n_merges
        lead = max(n, LARGEST_LEAD)
        self._target = min(max(pending, run.n_merges) + n, run.n_merges + lead, run.n_target)
        self._after_step = "paused" if self.mode == "paused" or self._after_step == "paused" else "idle"
        self._begin(run, "step")

    def train(self) -> None:
        """Train the current run from its last merge to its target; another run that is training rests."""
        run = self._c.session.current
        if run is None or (self.mode == "train" and self._run is run):
            return
        self.tell_rows()
        if self._c.session.settings_extend:
            self._enlarge(run, self._c.session.settings.vocab_size)
        if not run.can_grow:
            self._c.message.emit(self._c.blocked_reason)
            return
        self._forget_user_stop(run)
        self._after_step = "idle"
        self._target = run.n_target
        self._started = (time.monotonic(), run.n_merges)
        self._begin(run, "train")

    def pause(self) -> None:
        """Rest, keeping every merge, until the user goes on."""
        if self.mode in ("train", "step"):
            self._rest("paused" if self.mode == "train" else "idle")

    def stop(self) -> None:
        """Rest, keeping every merge, and record that the user ended it here."""
        run, was_training = self._run, self.mode in ("train", "paused")
        if run is None or self.mode == "idle":
            return
        self._rest("idle")
        if was_training and run.can_grow:
            run.stop_reason = stop_reason("user", run.config, run.log.alphabet, run.n_merges)
        self._c.runs_changed.emit()

    def extend(self, vocab_size: int) -> None:
        """Let the current run grow to a larger vocabulary, and train on."""
        run = self._c.session.current
        if run is None or not run.has_words:
            return
        if vocab_size <= run.config.vocab_size:
            self._c.message.emit(
                self._c.tr("The vocabulary may have {0} tokens already").format(run.config.vocab_size)
            )
            return
        self._enlarge(run, vocab_size)
        self._c.change_settings(vocab_size=vocab_size)
        self._c.runs_changed.emit()
        self.train()

    def release(self, run: Run) -> None:
        """Forget a run that is about to be deleted."""
        if self._run is run:
            self._rest("idle")
            self._c.training_thread.release()
            self._run = None

    def on_advanced(self, advance: TrainingAdvance) -> None:
        """Take rows from the training thread; they belong to a run that may not be the current one."""
        run = self._c.session.run_numbered(advance.run_id)
        if run is None:
            return
        first = run.n_merges
        run.log.extend(rows_from(advance.batch, first))
        if advance.stop_reason is not None:
            run.stop_reason = advance.stop_reason
        if run is self._c.session.current and run.n_merges > first:
            self._untold = first if self._untold is None else self._untold
        is_done = advance.is_idle and (run.n_merges >= self._target or run.stop_reason is not None)
        if run is not self._run or is_done or self.mode != "train":
            self.tell_rows()
        elif not self._timer.isActive():
            self._timer.start()
        if run is self._run and is_done:
            if self.mode == "train":
                # The window has just drawn rows: let it answer once before it redraws for the end.
                self._end_timer.start()
            else:
                self._finish()

    def tell_rows(self) -> None:
        """Tell of the rows that have arrived since the last time."""
        self._timer.stop()
        first, self._untold = self._untold, None
        if first is not None:
            self._c.stepping.rows_arrived(first)
        if self.mode in ("train", "paused"):  # the last slice arrives after a pause has begun
            self._tell()

    def on_failed(self, failure: TrainingFailure) -> None:
        """Say what went wrong; the merges made before stay."""
        self._rest("idle")
        known = isinstance(failure.error, BpeStudioError)
        self._c.failed.emit(
            self._c.tr("Training failed"), str(failure.error) if known else repr(failure.error)
        )

    def on_engine_ready(self, ok: bool) -> None:
        """Go on with the fast engine; if the helper failed, the training thread compiles itself."""
        was_waiting, self._is_waiting = self._is_waiting, False
        if was_waiting and not ok:
            self._c.message.emit(said(STUTTER))
        self._c.training_thread.renew()
        if self._run is not None and self.mode in ("train", "step"):
            self._post(self._run)
            self._tell()
        self._c.views.engine_ready()

    def _begin(self, run: Run, mode: str) -> None:
        self._end_timer.stop()
        self._run, self.mode = run, mode
        self._is_waiting = self._c.engine.must_wait_for(run.words, self._target)
        if self._is_waiting:
            self._c.engine.prepare()
        else:
            self._post(run)
        self._tell()
        if mode == "train":
            self._c.runs_changed.emit()

    def _post(self, run: Run) -> None:
        engine = "reference" if self._c.engine.is_preparing else "auto"
        request = TrainingRequest(
            run.number, run.words, run.config, run.log, run.n_merges, self._target, engine
        )
        self._c.training_thread.request(request)

    def _rest(self, mode: str) -> None:
        self.tell_rows()
        self.mode = mode
        self._is_waiting = False
        self._c.training_thread.pause()
        self._tell()

    def _finish(self) -> None:
        run = self._run
        if run is None:
            return  # deleted meanwhile
        was_training = self.mode in ("train", "paused")
        # A step inside a pause leaves the pause as it is.
        self.mode = self._after_step if self.mode == "step" and run.can_grow else "idle"
        self._after_step = "idle"
        self._tell()
        if was_training or run.stop_reason is not None:
            self._c.runs_changed.emit()
            self._c.views.refresh()
        if run.stop_reason is not None:
            self._c.message.emit(stop_text(run.stop_reason))

    def _enlarge(self, run: Run, vocab_size: int) -> None:
        run.config = run.log.config = extended(run.config, vocab_size)
        run.stop_reason = None

    def _forget_user_stop(self, run: Run) -> None:
        if run.stop_reason is not None and run.stop_reason.code == "user":
            run.stop_reason = None

    def _tell(self) -> None:
        self.set_status(self._status_now())

    def tell_work(self, status: TrainingStatus | None) -> None:
        """Tell of reading or counting (None: it has ended), unless a training has more to say."""
        if self.mode == "idle":
            self.set_status(status or TrainingStatus())

    def set_status(self, status: TrainingStatus) -> None:
        """Tell of a new status if it is one."""
        if status != self.status:
            self.status = status
            self._c.training_changed.emit(status)

    def _status_now(self) -> TrainingStatus:
        run = self._run
        if run is not None and self._is_waiting:
            return TrainingStatus("preparing", text=said(STAGES["preparing"]))
        if run is None or self.mode not in ("train", "paused"):
            return TrainingStatus()
        state = "training" if self.mode == "train" else "paused"
        seconds = time.monotonic() - self._started[0]
        made = run.n_merges - self._started[1]
        rate = made / seconds if seconds > 0.1 and self.mode == "train" else 0.0
        # Until the kernels are compiled the rate tells nothing about the rest of the way.
        is_steady = rate > 0 and not self._c.engine.is_preparing
        left = (run.n_target - run.n_merges) / rate if is_steady else None
        text = training_text(run.n_merges, run.n_target, rate, left, state)
        return TrainingStatus(state, run.n_merges, run.n_target, rate, left, text)


def rows_from(batch: MergeBatch, first: int) -> MergeBatch:
    """Return the rows of a batch from rank `first` on; after a change some may come a second time."""
    start = first - batch.first_rank
    assert start >= 0 or not len(batch), "rows arrive in order"
    if start <= 0:
        return batch if len(batch) else MergeBatch.from_rows(first, [])
    return MergeBatch(first, *(getattr(batch, name)[start:] for name in COLUMNS))
