"""What the cursor looks at: the snapshot, the reasons for the next merge or the selected row."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer

from bpe_studio.analysis.ties import Why, explain, explain_row
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.merges import MergeLog
from bpe_studio.engine.replay import Replay, Snapshot
from bpe_studio.engine.words import WordTable
from bpe_studio.gui.jobs import JobResult, Progress
from bpe_studio.session import Run

if TYPE_CHECKING:
    from bpe_studio.gui.controller import Controller

SNAPSHOT, ROW = "snapshot", "row"
OPENED_AND_AT_ITS_END = StopReason("opened", {})
"""An opened tokenizer is no training: it has not stopped, there are no more rules in it."""
N_KEPT = 2
MILLISECONDS_BETWEEN_REFRESHES = 500
"""While the cursor follows a training, the panels catch up twice a second."""


class RunReader:
    """Replays one run for the jobs of one kind, of which only one runs at a time.

    It has a log of its own, which catches up with the run's: reading whole columns of a log that grows
    in another thread could meet two of them at different lengths.
    """

    def __init__(self, words: WordTable, log: MergeLog, *, fast: bool | None) -> None:
        self.words, self.source, self.fast = words, log, fast
        self._own = MergeLog(log.alphabet, log.config, log.corpus_tokens_before)
        self._replay: Replay | None = None
        self._last: Snapshot | None = None

    def view_at(self, k: int, n_merges: int, config: TrainingConfig) -> View:
        """Return the state before merge `k` of a run that has `n_merges`, and why that merge is made.

        The state one merge earlier comes first, unless it was shown last: going forward is cheap.
        """
        self._own.extend(self.source.batch(len(self._own), max(n_merges, len(self._own))))
        self._own.config = config
        if self._replay is None:
            self._replay = Replay(self.words, self._own, fast=self.fast)
        before = self._last
        if before is None or before.k != k - 1:
            before = self._replay.state_at(k - 1) if k else None
        self._last = snapshot = self._replay.state_at(k)
        return View(snapshot, explain(snapshot, self._own, order=self._replay.order), before)


@dataclass(frozen=True)
class ViewRequest:
    """The state of a run before its merge number `k`, when it has `n_merges`."""

    run_number: int
    reader: RunReader
    k: int
    n_merges: int
    config: TrainingConfig


@dataclass(frozen=True)
class View:
    """A snapshot with the reasons for the merge that follows it, and the snapshot one merge earlier."""

    snapshot: Snapshot
    why: Why
    before: Snapshot | None = None


def view_at(request: ViewRequest, progress: Progress) -> View:
    """Compute a view (in a job)."""
    return request.reader.view_at(request.k, request.n_merges, request.config)


class ViewIntentions(QObject):
    """Asks for snapshots, keeps the last two, and says why: of the selected row, else of the next merge."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._c = controller
        self.view: View | None = None
        self.why: Why | None = None
        self.selected_row: int | None = None
        self._kept: OrderedDict[tuple[int, int, bool], View] = OrderedDict()
        self._readers: dict[str, tuple[int, RunReader]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MILLISECONDS_BETWEEN_REFRESHES)
        self._timer.timeout.connect(self.refresh)

    def cursor_moved(self, *, at_leisure: bool = False) -> None:
        """Tell of the cursor at once; snapshot and preview follow, at leisure while a training runs."""
        self._c.cursor_moved.emit(self._c.session.cursor)
        if not at_leisure:
            self.refresh()
        elif not self._timer.isActive():
            self._timer.start()

    def run_changed(self) -> None:
        """Another run is current: nothing of the last one stays."""
        self.view = None
        self._c.snapshot_ready.emit(None)
        if self.selected_row is not None:
            self.selected_row = None
            self._c.selection_changed.emit(None)
        self.refresh()

    def engine_ready(self) -> None:
        """Snapshots of large runs were waiting for the compiled kernels."""
        self._readers.clear()
        self.refresh()

    def refresh(self) -> None:
        """Ask for what belongs to the cursor; the sentence changes at once, as far as it is known."""
        self._timer.stop()
        self._c.preview.refresh()
        run, k = self._c.session.current, self._c.session.cursor
        if run is None:
            self._show_next(None)
            return
        kept = self._kept.get(self._key(run, k))
        if kept is not None:
            self._c.jobs.cancel(SNAPSHOT)
            self._show(kept)
            return
        self._show_next(self._known_of(run, k))
        self._submit(SNAPSHOT, run, k)

    def select_row(self, row: int | None) -> None:
        """Explain a row instead of the next merge; None goes back. The cursor stays."""
        run = self._c.session.current
        if row == self.selected_row or run is None or (row is not None and not 0 <= row < run.n_merges):
            return
        self.selected_row = row
        self._c.selection_changed.emit(row)
        if row is None:
            self._c.jobs.cancel(ROW)
            self.refresh()
        else:
            self._set_why(explain_row(run.log, row))
            self._submit(ROW, run, row)

    def select_touching(self, direction: int) -> None:
        """Select the next merge (or the one before) that makes or uses the pinned token."""
        run, row = self._c.session.current, self.selected_row
        tokens = self._pinned_tokens()
        if run is None or not tokens:
            self._c.message.emit(self._c.tr("Pin a token first: F3 then goes through the merges of it"))
            return
        log = run.log
        touching = np.flatnonzero(np.isin([log.left, log.right, log.token], tokens).any(axis=0))
        at = self._c.session.cursor if row is None else row
        later = touching[touching >= at + (row is not None)]
        found = later[:1] if direction > 0 else touching[touching < at][-1:]
        if len(found):
            self.select_row(int(found[0]))
        else:
            self._c.message.emit(
                self._c.tr("No later merge of it") if direction > 0 else self._c.tr("No earlier merge of it")
            )

    def _pinned_tokens(self) -> list[int]:
        """Return the ids that are pinned; in MERGES the selected row is the pin."""
        pin, run = self._c.session.pin, self._c.session.current
        if pin is not None:
            return [token for token in (pin.token, *(pin.pair or ())) if token is not None]
        return [] if run is None or self.selected_row is None else [int(run.log.token[self.selected_row])]

    def on_snapshot(self, result: JobResult) -> None:
        """Show a snapshot; one of a run that is no longer current is kept for nobody."""
        run = self._c.session.current
        if run is None or result.request.run_number != run.number:
            return
        if result.error is not None:
            self._c.failed.emit(self._c.tr("The pairs cannot be counted"), str(result.error))
            return
        self._kept[(run.number, result.request.k, result.request.k < result.request.n_merges)] = result.value
        while len(self._kept) > N_KEPT:
            self._kept.popitem(last=False)
        self._show(result.value)

    def on_row(self, result: JobResult) -> None:
        """Complete the explanation of the selected row."""
        run = self._c.session.current
        if run is None or result.request.run_number != run.number or result.request.k != self.selected_row:
            return
        if result.error is None:
            self._set_why(result.value.why)

    def _show(self, view: View) -> None:
        self.view = view
        self._c.snapshot_ready.emit(view.snapshot)
        run = self._c.session.current
        if run is not None and view.snapshot.k == self._c.session.cursor:
            self._show_next(self._known_of(run, view.snapshot.k) if self._has_ended(run) else view.why)

    def _known_of(self, run: Run, k: int) -> Why | None:
        """Return what can be said of the merge after `k` without counting: its row, or why there is none."""
        if k < run.n_merges:
            return explain_row(run.log, k)
        if self._has_ended(run):
            ended = run.stop_reason or run.full_reason if run.has_words else OPENED_AND_AT_ITS_END
            return Why("stopped", k, run.config.tie_rule, stop=ended)
        return None

    def _has_ended(self, run: Run) -> bool:
        return self._c.session.cursor == run.n_merges and not run.can_grow

    def _show_next(self, why: Why | None) -> None:
        if self.selected_row is None:
            self._set_why(why)

    def _submit(self, kind: str, run: Run, k: int) -> None:
        if run.words is None or self._c.engine.must_wait_for(run.words, k):
            return
        reader = self._reader(kind, run)
        # Holding a key must keep the panels moving: what is under way is shown, then the newest.
        request = ViewRequest(run.number, reader, k, run.n_merges, run.config)
        self._c.jobs.submit(kind, view_at, request, supersede=False)

    def _reader(self, kind: str, run: Run) -> RunReader:
        number, reader = self._readers.get(kind, (None, None))
        if number != run.number or reader is None:
            reader = RunReader(run.words, run.log, fast=False if self._c.engine.is_preparing else None)
            self._readers[kind] = (run.number, reader)
        return reader

    def _key(self, run: Run, k: int) -> tuple[int, int, bool]:
        return run.number, k, k < run.n_merges

    def _set_why(self, why: Why | None) -> None:
        self.why = why
        self._c.why_changed.emit(why)
