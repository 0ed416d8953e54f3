"""MERGES: one row a merge, the cursor as a line between the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.tables.merges_table import MergesModel, MergesSource, MergesView
from bpe_studio.gui.tables.table_panel import TablePanel
from bpe_studio.gui.wording import stop_text


class MergesPanel(TablePanel):
    """The merges of the current run.

    Selecting a row explains it and never moves the cursor; double-click or Enter puts it in effect.

    Parameters
    ----------
    controller : Controller
        Facts and verbs.
    parent : QWidget or None
        Parent widget.
    """

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        self.model = MergesModel()
        super().__init__(controller, MergesView(self.model), parent)
        self.setObjectName("merges")
        self.set_title(self.tr("Merges"))
        self.view.setToolTip(self.tr("Double-click or Enter goes to a merge; Esc frees the selection"))
        self._run: Any = None
        self._connect()
        self.runs_changed()

    def _connect(self) -> None:
        self.controller.runs_changed.connect(self.runs_changed)
        self.controller.merges_appended.connect(self.merges_appended)
        self.controller.cursor_moved.connect(self.cursor_moved)
        self.controller.selection_changed.connect(self.selection_changed)
        self.controller.training_changed.connect(self.training_changed)
        self.controller.corpus_changed.connect(self._show_state)
        self.controller.why_changed.connect(self._why_changed)
        self.view.row_chosen.connect(self.controller.select_row)
        self.view.row_activated.connect(self.go_behind)
        self.view.row_hovered.connect(self.row_hovered)
        self.controller.focus_changed.connect(self.focus_changed)
        self.filter.textChanged.connect(self._filtered)

    @Slot()
    def runs_changed(self) -> None:
        """Show the current run from its first merge on, if it is another one than before."""
        run = self.controller.session.current
        log = run.log if run is not None else None
        shown = self.model.source.log if self.model.source is not None else None
        if run is not self._run or log is not shown:
            self._run = run
            facts = run.facts if run is not None else None
            n_bytes = facts.n_bytes if facts is not None else -1
            source = MergesSource(log, n_bytes) if log is not None else None
            self.model.cursor = self.controller.session.cursor
            self.model.set_source(source, len(log) if log is not None else 0)
            self.view.fit_columns()
            self._show_cursor()
        self._show_state()

    @Slot(int, int)
    def merges_appended(self, first: int, end: int) -> None:
        """Insert the rows of new merges."""
        if self.model.source is not None and end > self.model.n_source_rows:
            self.model.append_rows(min(end, len(self.model.source.log)))
            self._show_state()
            if self.controller.session.following and self.model.is_in_rank_order:
                self.view.scrollToBottom()

    @Slot(int)
    def cursor_moved(self, k: int) -> None:
        """Draw the line before merge ``k`` and keep it in view."""
        self.model.set_cursor(k)
        self._show_cursor()

    @Slot(object)
    def selection_changed(self, row: int | None) -> None:
        """Select the row that is explained."""
        self.view.choose_row(row)

    @Slot(object)
    def training_changed(self, status: Any) -> None:
        """Sort in the rows that came during a training once it rests."""
        if status.state not in ("training", "preparing"):
            self.model.sort_in()

    @Slot(int)
    def go_behind(self, row: int) -> None:
        """Put a row's merge in effect as the last one."""
        self.controller.go_to(row + 1)

    @Slot(object)
    def row_hovered(self, row: int | None) -> None:
        """Look at a merge for as long as the pointer is on its row."""
        if row is None:
            self.controller.hover(None)
            return
        log = self.model.source.log
        parts = (int(column[row]) for column in (log.left, log.right, log.token))
        self.controller.hover(Focus.of_merge(row, *parts))

    @Slot(object)
    def focus_changed(self, focus: Focus | None) -> None:
        """Outline the merge that makes what is looked at anywhere in the window."""
        self.view.set_focus_row(self._row_of(focus))

    def _row_of(self, focus: Focus | None) -> int | None:
        if focus is None or self.model.source is None or focus.merge is not None:
            return focus.merge if focus is not None else None
        log = self.model.source.log
        if focus.pair is not None:
            found = np.flatnonzero((log.left == focus.pair[0]) & (log.right == focus.pair[1]))
        else:
            found = np.flatnonzero(log.token == (-1 if focus.token is None else focus.token))
        return int(found[0]) if len(found) else None

    def shows_row(self, rank: int) -> bool:
        """Say whether the filter leaves a merge visible; the bar tells when the next one is hidden."""
        return self.model.view_row(rank) is not None

    def _show_cursor(self) -> None:
        for row in (self.model.cursor - 1, self.model.cursor):
            self.view.show_row(row)
        if self.model.cursor >= self.model.n_source_rows and self.model.is_in_rank_order:
            self.view.scrollToBottom()

    @Slot()
    def _filtered(self) -> None:
        self._show_state()
        self._show_cursor()

    @Slot()
    def _why_changed(self) -> None:
        """Only an empty table speaks of the next merge."""
        if not self.model.n_source_rows:
            self._show_state()

    @Slot()
    def _show_state(self) -> None:
        n_rows, n_shown = self.model.n_source_rows, len(self.model.order)
        text = self.tr("Merges")
        if n_shown != n_rows:
            text = self.tr("Merges: {0} of {1} shown").format(f"{n_shown:,}", f"{n_rows:,}")
        self.heading.setText(text)
        if n_rows:
            self.show_placeholder("")
        else:
            why = self.controller.why
            ended = stop_text(why.stop) if why is not None and why.stop is not None else ""
            self.show_placeholder(
                self.controller.blocked_reason or ended or self.tr("Press → to make the first merge.")
            )
