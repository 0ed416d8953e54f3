"""The list of runs: which one is current, how far each is, what its corpus was."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QFont, QKeySequence
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMessageBox, QWidget

from bpe_studio.gui.token_painter import plain_tooltip

ROWS_SHOWN = 5


class RunList(QListWidget):
    """Runs as lines; a click makes one current, Delete takes it out.

    Signals
    -------
    chosen(int), removed(int)
        Place in the session's list of runs.
    """

    chosen = Signal(int)
    removed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runs")
        self.setAccessibleName(self.tr("Runs"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._runs: list[Any] = []
        delete = QAction(self.tr("Delete this run"), self)
        delete.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        delete.triggered.connect(self._on_delete)
        self.addAction(delete)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.itemClicked.connect(self._on_chosen)
        self.itemActivated.connect(self._on_chosen)

    def set_runs(self, runs: list[Any], current: Any) -> None:
        """Show the runs; the current one is set in bold and selected."""
        self._runs = list(runs)
        with QSignalBlocker(self):
            while self.count() > len(runs):
                self.takeItem(self.count() - 1)
            while self.count() < len(runs):
                self.addItem(QListWidgetItem())
            for place, run in enumerate(runs):
                self._fill(self.item(place), run, run is current)
        rows = min(max(len(runs), 1), ROWS_SHOWN)
        self.setFixedHeight(rows * (self.fontMetrics().height() + 6) + 2 * self.frameWidth() + 2)

    def _fill(self, item: QListWidgetItem, run: Any, is_current: bool) -> None:
        text, tip = run_text(run), "\n".join((run.name, *run_facts(run)))
        item.setText(text)
        item.setToolTip(plain_tooltip(tip))
        font = QFont(self.font())
        font.setBold(is_current)
        item.setFont(font)
        item.setSelected(is_current)
        if is_current:
            self.setCurrentItem(item)

    def _on_chosen(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.row(item))

    def _on_delete(self) -> None:
        place = self.currentRow()
        if 0 <= place < len(self._runs) and (self._runs[place].saved or self._is_sure(place)):
            self.removed.emit(place)

    def _is_sure(self, place: int) -> bool:
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Delete “{name}”? Its merges are not saved.").format(name=self._runs[place].name))
        box.setStandardButtons(QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel)
        return box.exec() == QMessageBox.StandardButton.Discard


def run_text(run: Any) -> str:
    """Return a run's line: its merges first, so that a long name cuts nothing off."""
    stale = " ⚠" if run.stale else ""
    return f"{run.n_merges:,}{stale} · {run.name}"


def run_facts(run: Any) -> list[str]:
    """Return what the tooltip says of a run."""
    facts = [
        f"{run.n_merges:,} of {run.n_target:,} merges"
        if run.has_words
        else f"{run.n_merges:,} merges, opened"
    ]
    if run.stale:
        facts.append("trained on an earlier corpus")
    if not run.saved:
        facts.append("not saved")
    return facts
