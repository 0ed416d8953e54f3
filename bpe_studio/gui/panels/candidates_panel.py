"""CANDIDATES: the pairs at the cursor, which of them tie, which one wins and which other rules would take."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.tables.array_view import ArrayTableView
from bpe_studio.gui.tables.candidates_table import CandidatesModel, CandidatesSource
from bpe_studio.gui.tables.table_panel import TablePanel


class CandidatesPanel(TablePanel):
    """The pair table of the last snapshot; dimmed while that is for another cursor.

    Parameters
    ----------
    controller : Controller
        Facts and verbs.
    parent : QWidget or None
        Parent widget.
    """

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        self.model = CandidatesModel()
        super().__init__(controller, ArrayTableView(self.model), parent)
        self.setObjectName("candidates")
        self.set_title(self.tr("Candidates"))
        self._pair: tuple[int, int] | None = None
        self._connect()
        self.snapshot_ready(controller.snapshot)

    def _connect(self) -> None:
        self.controller.snapshot_ready.connect(self.snapshot_ready)
        self.controller.cursor_moved.connect(self.cursor_moved)
        self.controller.runs_changed.connect(self._show_state)
        self.controller.corpus_changed.connect(self._show_state)
        self.controller.focus_changed.connect(self.focus_changed)
        self.view.row_chosen.connect(self.row_chosen)
        self.view.row_hovered.connect(self.row_hovered)
        self.filter.textChanged.connect(self._show_state)

    @Slot(object)
    def snapshot_ready(self, snapshot: Any) -> None:
        """Show the pairs of a snapshot; None empties the table."""
        run = self.controller.session.current
        if snapshot is None or run is None:
            self.model.set_source(None, 0)
        else:
            view = self.controller.view
            source = CandidatesSource(snapshot, run.log, view.before, view.why.choices)
            self.model.replace_source(source, len(snapshot.pairs))
            self._choose_pair()
        self._show_state()

    @Slot(int)
    def cursor_moved(self, k: int) -> None:
        """Dim the table until the snapshot for the cursor is here."""
        source = self.model.source
        self.view.set_dimmed(source is not None and source.snapshot.k != k)

    @Slot(object)
    def row_chosen(self, row: int | None) -> None:
        """Pin a pair: in tables the selection is the pin."""
        focus = self._focus(row)
        self._pair = focus.pair if focus is not None else None
        self.controller.pin(focus)

    @Slot(object)
    def row_hovered(self, row: int | None) -> None:
        """Look at a pair for as long as the pointer is on it."""
        self.controller.hover(self._focus(row))

    @Slot(object)
    def focus_changed(self, focus: Focus | None) -> None:
        """Outline the pair that is looked at anywhere in the window."""
        if self._pair is not None and self.controller.session.pin is None:
            self._pair = None
            self.view.choose_row(None)
        source = self.model.source
        row = -1
        if source is not None and focus is not None and focus.pair is not None:
            row = source.row_of(*focus.pair)
        self.view.set_focus_row(row if row >= 0 else None)

    def _focus(self, row: int | None) -> Focus | None:
        if row is None or self.model.source is None:
            return None
        pairs = self.model.source.pairs
        return Focus.of_pair(int(pairs.left[row]), int(pairs.right[row]))

    def _choose_pair(self) -> None:
        """Keep the chosen pair chosen, wherever it stands now."""
        row = self.model.source.row_of(*self._pair) if self._pair is not None else -1
        self.view.choose_row(row if row >= 0 else None)

    @Slot()
    def _show_state(self) -> None:
        self.cursor_moved(self.controller.session.cursor)
        self.heading.setText(self._heading_text())
        self.heading.setToolTip(self.tr("The pair table at the cursor: what the next merge chooses from"))
        text = self._placeholder_text()
        self.show_placeholder(text)
        self.show_note("" if text else self._note_text())

    def _placeholder_text(self) -> str:
        source, run = self.model.source, self.controller.session.current
        if run is None:
            return str(self.controller.blocked_reason)
        if run.words is None:
            return self.tr("Open a corpus to see counts.")
        if source is None:
            return self.tr("Counting the pairs …")
        return "" if len(source.pairs) else self.tr("No pair to merge.")

    def _heading_text(self) -> str:
        source = self.model.source
        if source is None or not len(source.pairs):
            return self.tr("Candidates")
        n_pairs, best = f"{len(source.pairs):,}", f"{source.best_count:,}"
        if source.n_tied > 1:
            return self.tr("{0} of {1} pairs tie at {2}").format(f"{source.n_tied:,}", n_pairs, best)
        if source.pairs.runner_up < 0:
            return self.tr("{0} pairs, the best occurs {1} times").format(n_pairs, best)
        second = f"{int(source.pairs.count[source.pairs.runner_up]):,}"
        return self.tr("{0} pairs: best {1}, next {2}").format(n_pairs, best, second)

    def _note_text(self) -> str:
        source, n_shown = self.model.source, len(self.model.order)
        parts = []
        if self.model.query:
            parts.append(self.tr("{0} of {1} pairs match").format(f"{n_shown:,}", f"{len(source.pairs):,}"))
        elif n_shown < len(source.pairs):
            parts.append(self.tr("and {0} more").format(f"{len(source.pairs) - n_shown:,}"))
        if source.born_and_lost is not None:
            born, lost = (f"{n:,}" for n in source.born_and_lost)
            parts.append(self.tr("{0} new, {1} gone by the last merge").format(born, lost))
        return " · ".join(parts)
