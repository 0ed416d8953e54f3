"""WORDS: the unique pre-tokens, each cut into its symbols at the cursor, the next pair marked."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.tables.candidates_table import CandidatesSource
from bpe_studio.gui.tables.table_panel import TablePanel
from bpe_studio.gui.tables.words_table import WordsModel, WordsSource, WordsView
from bpe_studio.gui.theme import icon

COUNT_COLUMN = 1


class WordsPanel(TablePanel):
    """The words of the current run in the last snapshot; dimmed while that is for another cursor.

    Parameters
    ----------
    controller : Controller
        Facts and verbs.
    parent : QWidget or None
        Parent widget.
    """

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        self.model = WordsModel()
        super().__init__(controller, WordsView(self.model), parent)
        self.setObjectName("words")
        self.set_title(self.tr("Words"))
        self._focus_token = -1
        self.only_marked = self._toggle()
        self.header.insertWidget(1, self.only_marked)
        # The words that weigh most come first, until the user sorts otherwise.
        self.view.sortByColumn(COUNT_COLUMN, Qt.SortOrder.DescendingOrder)
        self._connect()
        self.snapshot_ready(controller.snapshot)

    def _toggle(self) -> QToolButton:
        button = QToolButton()
        button.setObjectName("only_marked")
        button.setIcon(icon("pin"))
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setToolTip(self.tr("Show only words with the pair that is merged next"))
        button.setAccessibleName(button.toolTip())
        return button

    def _connect(self) -> None:
        self.controller.snapshot_ready.connect(self.snapshot_ready)
        self.controller.cursor_moved.connect(self.cursor_moved)
        self.controller.runs_changed.connect(self._show_state)
        self.controller.corpus_changed.connect(self._show_state)
        self.controller.focus_changed.connect(self.focus_changed)
        self.view.symbol_hovered.connect(self.symbol_hovered)
        self.view.symbol_clicked.connect(self.symbol_clicked)
        self.only_marked.toggled.connect(self.model.set_only_marked)
        self.only_marked.toggled.connect(self._show_state)
        self.filter.textChanged.connect(self._show_state)

    @Slot(object)
    def snapshot_ready(self, snapshot: Any) -> None:
        """Show the words as a snapshot cuts them; None empties the table."""
        run = self.controller.session.current
        shown = self.model.source
        if snapshot is None or run is None or run.words is None:
            self.model.set_source(None, 0)
        else:
            source = WordsSource(run.words, run.log, snapshot, next_pair(snapshot, run.log))
            source.focus_token = self._focus_token
            if shown is not None and shown.words is run.words:
                self.model.show_state(source)
            else:
                self.model.set_source(source, len(run.words))
        self._show_state()

    @Slot(int)
    def cursor_moved(self, k: int) -> None:
        """Dim the table until the snapshot for the cursor is here."""
        source = self.model.source
        self.view.set_dimmed(source is not None and source.snapshot.k != k)

    @Slot(object)
    def focus_changed(self, focus: Focus | None) -> None:
        """Outline the token that is looked at anywhere in the window."""
        self._focus_token = focus.token if focus is not None and focus.token is not None else -1
        if self.model.source is not None:
            self.model.source.focus_token = self._focus_token
            self.view.viewport().update()

    @Slot(object)
    def symbol_hovered(self, token: int | None) -> None:
        """Look at a symbol for as long as the pointer is on it."""
        self.controller.hover(Focus.of_token(token) if token is not None else None)

    @Slot(object)
    def symbol_clicked(self, token: int | None) -> None:
        """Pin a symbol; a second click frees it."""
        pin = self.controller.session.pin
        is_pinned = pin is not None and pin.token == token
        self.controller.pin(None if token is None or is_pinned else Focus.of_token(token))

    @Slot()
    def _show_state(self) -> None:
        self.cursor_moved(self.controller.session.cursor)
        source, n_shown = self.model.source, len(self.model.order)
        text = self._placeholder_text()
        self.show_placeholder(text)
        self.only_marked.setEnabled(not text)
        heading = self.tr("Words")
        if source is not None and not text:
            words = self.tr("1 word") if len(source.words) == 1 else self.tr("{0} words")
            heading = words.format(f"{len(source.words):,}")
            if n_shown != len(source.words):
                heading = self.tr("{0} of {1} words").format(f"{n_shown:,}", f"{len(source.words):,}")
        self.heading.setText(heading)

    def _placeholder_text(self) -> str:
        source, run = self.model.source, self.controller.session.current
        if run is None:
            return str(self.controller.blocked_reason)
        if run.words is None:
            return self.tr("Open a corpus to see counts.")
        if source is None:
            return self.tr("Cutting the words …")
        return "" if len(source.words) else self.tr("The corpus has no words.")


def next_pair(snapshot: Any, log: Any) -> tuple[int, int] | None:
    """Return the pair that is merged next in a snapshot, or None if there is none."""
    source = CandidatesSource(snapshot, log)
    if source.winner < 0:
        return None
    return int(source.pairs.left[source.winner]), int(source.pairs.right[source.winner])
