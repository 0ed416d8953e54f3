"""A stand-in for the controller: the same signals, and verbs that only write down that they were called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.merges import MergeBatch
from bpe_studio.engine.reference import ReferenceTrainer
from bpe_studio.engine.words import WordTable
from bpe_studio.session import Session, new_run


@dataclass(frozen=True)
class Status:
    state: str


class FakeController(QObject):
    corpus_changed = Signal()
    settings_changed = Signal()
    runs_changed = Signal()
    merges_appended = Signal(int, int)
    cursor_moved = Signal(int)
    snapshot_ready = Signal(object)
    why_changed = Signal(object)
    selection_changed = Signal(object)
    training_changed = Signal(object)
    focus_changed = Signal(object)

    def __init__(self):
        super().__init__()
        self.session = Session()
        self.snapshot = self.view = None
        self.why = None
        self.selected_row = None
        self.blocked_reason = "Add a document or open a sample first"
        self.calls = []

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *arguments: self.calls.append((name, *arguments))

    def select_row(self, row):
        self.calls.append(("select_row", row))
        self.selected_row = row
        self.selection_changed.emit(row)

    def show_run(self, run):
        self.session.add_run(run)
        self.blocked_reason = ""
        self.runs_changed.emit()
        self.cursor_moved.emit(self.session.cursor)

    def append(self, run, rows):
        first = run.n_merges
        run.log.extend(MergeBatch.from_rows(first, rows))
        if self.session.following:
            self.session.cursor = run.n_merges
        self.merges_appended.emit(first, run.n_merges)
        self.cursor_moved.emit(self.session.cursor)

    def move(self, k):
        self.session.move_cursor(k)
        self.cursor_moved.emit(k)


def run_on(words, **settings):
    """A run without merges over words with counts."""
    settings.setdefault("vocab_size", 1000)
    return new_run("run", WordTable.from_counts(list(words)), TrainingConfig(**settings))


def merge_rows(run, n):
    """The first rows that the reference trains for a run."""
    symbols, offsets = run.log.alphabet.word_symbols(run.words)
    words = [symbols[a:b].tolist() for a, b in zip(offsets[:-1], offsets[1:], strict=True)]
    trainer = ReferenceTrainer(words, run.words.counts.tolist(), run.log.alphabet, run.config)
    rows = []
    for _ in range(n):
        merge = trainer.step()
        if merge is None:
            break
        rows.append((merge.left, merge.right, merge.token, merge.count, merge.n_tied, merge.margin,
                     merge.corpus_tokens, 0))  # fmt: skip
    return rows


def trained_run(words, n, **settings):
    run = run_on(words, **settings)
    run.log.extend(MergeBatch.from_rows(0, merge_rows(run, n)))
    return run


def long_run(n):
    """A run with many invented merges: each adds a byte to the last token."""
    run = run_on([("ab", 1)])
    rank = np.arange(n, dtype=np.int64)
    left = (rank * 7 % 256).astype(np.int32)
    right = (rank // 256 % 256).astype(np.int32)
    token = (256 + rank).astype(np.int32)
    count = (rank * 7919) % 100_003
    run.log.extend(MergeBatch(0, left, right, token, count, rank % 3 + 1, count // 2, 3 * n - rank,
                              np.zeros(n, np.int8)))  # fmt: skip
    return run
