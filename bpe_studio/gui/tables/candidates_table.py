"""The table of candidates: the pairs of a snapshot, the tie group first, and what each rule would take."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QT_TRANSLATE_NOOP as T
from PySide6.QtCore import Qt

from bpe_studio.analysis.ties import Choice
from bpe_studio.analysis.unicode_view import escape_for_copy, label
from bpe_studio.engine.merges import MergeLog
from bpe_studio.engine.replay import Snapshot
from bpe_studio.engine.ties import TIE_RULES, parse_rule
from bpe_studio.gui.tables.array_table import ArrayTableModel, Column, Role, RowState, number_text
from bpe_studio.gui.tables.queries import Query, parsed
from bpe_studio.gui.token_painter import plain_tooltip, token_tooltip

N_BEST = 1000
"""Pairs listed after the tie group; the filter searches all."""
MAX_COMPARED = 200_000
"""Pairs up to which those born and lost are counted."""
NEW = np.iinfo(np.int64).max
"""Rank change of a pair that was not there before."""
WINNER = "★"


class CandidatesSource:
    """The pairs of a snapshot and how they have changed since the one before.

    Parameters
    ----------
    snapshot : Snapshot
        The state of the corpus.
    log : MergeLog
        The run's merges, for tokens and rule.
    previous : Snapshot or None
        The snapshot one merge earlier.
    choices : sequence of Choice
        What each rule would take from the tie group.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        log: MergeLog,
        previous: Snapshot | None = None,
        choices: Sequence[Choice] = (),
    ) -> None:
        self.snapshot, self.log, self.previous = snapshot, log, previous
        self.pairs = snapshot.pairs
        self.choices = choices
        self._changes: dict[int, int] = {}

    @cached_property
    def winner(self) -> int:
        """Row of the pair that is merged next: the log's own if it is made already, −1 if there is none."""
        k = self.snapshot.k
        if k < len(self.log):
            return self.row_of(int(self.log.left[k]), int(self.log.right[k]))
        row = self.pairs.winner
        return row if row >= 0 and self.pairs.count[row] >= self.log.config.min_frequency else -1

    @cached_property
    def n_tied(self) -> int:
        """Eligible pairs that share the best count; 1 is no tie."""
        return len(self.pairs.tied)

    @cached_property
    def best_count(self) -> int:
        """Highest count of an eligible pair, 0 if there is none."""
        return int(self.pairs.count[self.pairs.winner]) if self.pairs.winner >= 0 else 0

    @cached_property
    def n_listed(self) -> int:
        """Rows shown without a filter: the tie group and the best after it."""
        end = int(self.pairs.tied[-1]) + 1 if self.n_tied else 0
        return min(len(self.pairs), end + N_BEST)

    def row_of(self, left: int, right: int) -> int:
        """Return the row of a pair, −1 if it does not occur."""
        return place_of(self.snapshot, left, right)

    def is_tied(self, row: int) -> bool:
        """Say whether a row belongs to a group of two or more pairs that share the best count."""
        is_best = int(self.pairs.count[row]) == self.best_count
        return self.n_tied > 1 and is_best and bool(self.pairs.eligible[row])

    def parts(self, row: int) -> tuple[bytes, bytes]:
        """Return the bytes of a pair's two tokens."""
        left, right = int(self.pairs.left[row]), int(self.pairs.right[row])
        return self.log.token_bytes(left), self.log.token_bytes(right)

    @cached_property
    def rules(self) -> dict[int, tuple[str, ...]]:
        """Names of the rules that would take a row, by row; without a tie only the run's own."""
        own = parse_rule(self.log.config.tie_rule).text
        chosen: dict[int, list[str]] = {}
        for choice in self.choices:
            # Any seed would do for "random", so it is named only where it is the run's own.
            is_told = self.n_tied > 1 and not choice.rule.startswith("random")
            if choice.rule == own or is_told:
                chosen.setdefault(self.row_of(*choice.pair.ids), []).append(choice.rule)
        return {row: tuple(sorted(names, key=own.__ne__)) for row, names in chosen.items()}

    # --- Compared with the snapshot before -------------------------------------------------------

    def change(self, row: int) -> int:
        """Return by how many ranks a pair has risen; `NEW` if it was not there, 0 without a comparison."""
        if self.previous is None:
            return 0
        if row not in self._changes:
            before = place_of(self.previous, int(self.pairs.left[row]), int(self.pairs.right[row]))
            self._changes[row] = NEW if before < 0 else before - row
        return self._changes[row]

    @cached_property
    def changes(self) -> NDArray[np.int64]:
        """The same for every row, for sorting."""
        if self.previous is None or not len(self.previous.pairs):
            return np.zeros(len(self.pairs), np.int64)
        before, now = pair_keys(self.previous), pair_keys(self.snapshot)
        order = np.argsort(before)
        places = np.minimum(np.searchsorted(before[order], now), len(before) - 1)
        found = before[order][places] == now
        return np.where(found, order[places] - np.arange(len(now)), NEW)

    @cached_property
    def born_and_lost(self) -> tuple[int, int] | None:
        """How many pairs are new and how many are gone; None without a comparison or for too many pairs."""
        if self.previous is None or max(len(self.pairs), len(self.previous.pairs)) > MAX_COMPARED:
            return None
        before, now = pair_keys(self.previous), pair_keys(self.snapshot)
        n_both = len(np.intersect1d(before, now, assume_unique=True))
        return len(now) - n_both, len(before) - n_both

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """Sort keys of all pairs by (left bytes, right bytes)."""
        first_id = self.log.alphabet.first_id
        n_tokens = self.log.alphabet.n_tokens + len(self.log)
        tokens = [self.log.token_bytes(first_id + i) for i in range(n_tokens)]
        places = np.empty(n_tokens, np.int64)
        places[sorted(range(n_tokens), key=tokens.__getitem__)] = np.arange(n_tokens)
        return places[self.pairs.left - first_id] * n_tokens + places[self.pairs.right - first_id]


def pair_keys(snapshot: Snapshot) -> NDArray[np.int64]:
    """Return one number for each pair of a snapshot."""
    return snapshot.pairs.left.astype(np.int64) << 32 | snapshot.pairs.right.astype(np.int64)


def place_of(snapshot: Snapshot, left: int, right: int) -> int:
    """Return the row of a pair in a snapshot, −1 if it does not occur there."""
    found = np.flatnonzero((snapshot.pairs.left == left) & (snapshot.pairs.right == right))
    return int(found[0]) if len(found) else -1


def change_text(change: int) -> str:
    """Return a rank change: ``▲2`` risen, ``▼1`` fallen, "new", or nothing."""
    if change == NEW:
        return "new"
    return f"▲{change:,}" if change > 0 else f"▼{-change:,}" if change < 0 else ""


def _pair_text(source: CandidatesSource, row: int) -> str:
    return " + ".join(map(label, source.parts(row)))


def _pair_tip(source: CandidatesSource, row: int) -> str:
    return "".join(map(token_tooltip, source.parts(row)))


def _rules_text(source: CandidatesSource, row: int) -> str:
    names = source.rules.get(row, ())
    # A single best pair needs no rule: naming the run's own alone would look as if the others differed.
    return "every rule" if names and source.n_tied == 1 else ", ".join(names)


def _rules_tip(source: CandidatesSource, row: int) -> str:
    names = source.rules.get(row, ())
    rules = {rule.name: rule for rule in TIE_RULES}
    lines = [f"{name}: {rules[name.split(':')[0]].takes}" for name in names]
    return plain_tooltip("\n".join(lines))


def _copied_pairs(source: CandidatesSource, rows: NDArray[np.int64]) -> list[str]:
    return [" + ".join(map(escape_for_copy, source.parts(row))) for row in rows.tolist()]


CANDIDATE_COLUMNS = (
    Column(
        "pair", T("candidates", "pair"), T("candidates", "Two neighbours; ★ is the pair merged next"),
        "candidate",
        values=lambda source: source.places,
        show=_pair_text,
        token=lambda source, row: source.parts(row),
        copied=_copied_pairs, tip=_pair_tip, chars=17),
    Column(
        "count", T("candidates", "count"), T("candidates", "How often the pair occurs, overlaps included"),
        "number",
        values=lambda source: source.pairs.count,
        show=lambda source, row: number_text(int(source.pairs.count[row])),
        copied=lambda source, rows: list(map(str, source.pairs.count[rows].tolist())), chars=11),
    Column(
        "change", T("candidates", "Δ"), T("candidates", "Ranks risen or fallen by the last merge"),
        "sign",
        values=lambda source: source.changes,
        show=lambda source, row: change_text(source.change(row)), chars=6),
    Column(
        "rules", T("candidates", "taken by"), T("candidates", "Tie rules that would take this pair"), "text",
        values=lambda source: [-len(source.rules.get(row, ())) for row in range(len(source.pairs))],
        show=_rules_text, tip=_rules_tip, chars=15),
)  # fmt: skip


def matching_pairs(source: CandidatesSource, text: str) -> NDArray[np.bool_]:
    """Return for each pair whether its two tokens in a row hold a search text, or one has the id."""
    query, log, pairs = parsed(text), source.log, source.pairs
    first_id = log.alphabet.first_id
    tokens = [log.token_bytes(first_id + i) for i in range(log.alphabet.n_tokens + len(log))]
    left, right = pairs.left - first_id, pairs.right - first_id
    inside = np.fromiter(map(query.matches, tokens), bool, len(tokens))
    found: NDArray[np.bool_] = inside[left] | inside[right]
    for head, tail in _cuts(query):
        ends = np.fromiter((token.endswith(head) for token in tokens), bool, len(tokens))
        starts = np.fromiter((token.startswith(tail) for token in tokens), bool, len(tokens))
        found |= ends[left] & starts[right]
    if query.number is not None:
        found |= (pairs.left == query.number) | (pairs.right == query.number)
    return found


def _cuts(query: Query) -> list[tuple[bytes, bytes]]:
    """Return the ways a search text can lie across the seam of a pair."""
    return [(needle[:i], needle[i:]) for needle in query.needles for i in range(1, len(needle))]


class CandidatesModel(ArrayTableModel):
    """The tie group and the best pairs after it; under a filter, all pairs that match."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(CANDIDATE_COLUMNS, "candidates", matching_pairs, parent)

    def _wanted_order(self) -> NDArray[np.int64]:
        order = super()._wanted_order()
        if self.query or self.source is None:
            return order
        return order[order < self.source.n_listed]

    def row_state(self, source_row: int) -> RowState:
        if self.source.is_tied(source_row):
            return RowState.TIED
        return RowState.PLAIN if self.source.pairs.eligible[source_row] else RowState.DIMMED

    def described(self, source_row: int) -> str:
        if source_row == self.source.winner:
            return self.tr("merged next")
        return self.tr("tied for the best count") if self.source.is_tied(source_row) else ""

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Role.MARK and index.isValid():
            return WINNER if self.source_row(index.row()) == self.source.winner else ""
        return super().data(index, role)
