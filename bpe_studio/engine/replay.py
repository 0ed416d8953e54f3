"""The corpus after any number of merges, without retraining: `state_at(words, log, k)`.

A training run is a list of merges and nothing else, so the state after k merges is a pure function of
the words and the first k merges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine import kernels
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.checking import as_index
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding import merged_symbols
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.merges import MergeLog
from bpe_studio.engine.merging import NO_LIMIT, FastTrainer, State
from bpe_studio.engine.reference import count_pairs
from bpe_studio.engine.token_order import TokenOrder
from bpe_studio.engine.words import WordTable

MAX_REFERENCE_WORK = 2_000_000
"""Symbols × merges up to which plain Python is as quick as loading the compiled kernels."""


@dataclass(frozen=True, eq=False)
class PairTable:
    """Every pair of a state, sorted by (−count, the run's tie rule).

    Parameters
    ----------
    left, right : ndarray of int32
        Token ids.
    count : ndarray of int64
        Weighted occurrences, overlaps included.
    first : ndarray of int64
        Position of the first occurrence in the concatenated base symbols of the words.
    eligible : ndarray of bool
        Whether the product is short enough to be merged.
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    count: NDArray[np.int64]
    first: NDArray[np.int64]
    eligible: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def winner(self) -> int:
        """Row of the first eligible pair, −1 if there is none."""
        return int(np.argmax(self.eligible)) if self.eligible.any() else -1

    @cached_property
    def tied(self) -> NDArray[np.int64]:
        """Rows of the eligible pairs that share the winner's count, the winner first."""
        if self.winner < 0:
            return np.zeros(0, np.int64)
        return np.flatnonzero(self.eligible & (self.count == self.count[self.winner]))

    @cached_property
    def runner_up(self) -> int:
        """Row of the best eligible pair besides the winner, −1 if there is none."""
        others = np.flatnonzero(self.eligible)[1:2]
        return int(others[0]) if len(others) else -1


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The corpus after k merges.

    Parameters
    ----------
    k : int
        Merges in effect.
    n_tokens : int
        Tokens of the corpus.
    symbols : ndarray of int32
        Token ids of all unique words, concatenated.
    offsets : ndarray of int64, shape (n_words + 1,)
        Word w is ``symbols[offsets[w]:offsets[w + 1]]``.
    pairs : PairTable
        All pairs.
    """

    k: int
    n_tokens: int
    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    pairs: PairTable


class Replay:
    """The states of one run. Going forward costs only the merges gone; going back starts again.

    Parameters
    ----------
    words : WordTable
        The words of the run.
    log : MergeLog
        Its merges; more may be appended meanwhile.
    fast : bool or None
        Compiled, or plain Python; None chooses by the size of the work.
    """

    def __init__(self, words: WordTable, log: MergeLog, *, fast: bool | None = None) -> None:
        self.words = words
        self.log = log
        self._fast = fast
        self._base, self._offsets = log.alphabet.word_symbols(words)
        self._trainer: FastTrainer | None = None
        self._k = 0
        self.order = TokenOrder(log)

    def state_at(self, k: int) -> Snapshot:
        """Return the state after k merges.

        Raises
        ------
        BpeStudioError
            If the log has fewer merges.
        """
        k = as_index("The state", k)
        if not 0 <= k <= len(self.log):
            raise BpeStudioError(f"state {k:,} does not exist: the run has {len(self.log):,} merges")
        if self._wants_kernels(k):
            symbols, offsets, columns = self._compiled_state(kernels.load(), k)
        else:
            symbols, offsets, columns = self._plain_state(k)
        for array in (symbols, offsets):
            array.flags.writeable = False
        n_tokens = int(np.dot(np.diff(offsets), self.words.counts))
        return Snapshot(k, n_tokens, symbols, offsets, self._sorted_pairs(*columns))

    def _wants_kernels(self, k: int) -> bool:
        if self._fast is not None:
            return self._fast
        return wants_kernels(len(self._base), k)

    def _compiled_state(self, kernel: SimpleNamespace, k: int) -> State:
        if self._trainer is None or k < self._k:
            self._trainer = replayer(self._base, self._offsets, self.words.counts, self.log.alphabet, kernel)
            self._k = 0
        left, right = self.log.left, self.log.right
        self._trainer.reapply(left[self._k : k], right[self._k : k])
        self._k = k
        return self._trainer.state()

    def _plain_state(self, k: int) -> State:
        rows = zip(
            self.log.left[:k].tolist(), self.log.right[:k].tolist(), self.log.token[:k].tolist(), strict=True
        )
        ranks = {(left, right): (rank, token) for rank, (left, right, token) in enumerate(rows)}
        offsets = self._offsets.tolist()
        base = self._base.tolist()
        words = [merged_symbols(base[at:end], ranks) for at, end in zip(offsets, offsets[1:], strict=False)]
        alphabet = self.log.alphabet
        lengths = dict(enumerate(self.log.token_lengths().tolist(), start=alphabet.first_id))
        found = count_pairs(words, self.words.counts.tolist(), lengths)
        alive = {pair: facts for pair, facts in found.items() if not any(map(alphabet.is_wall, pair))}
        columns = (
            np.array([left for left, _ in alive], np.int32),
            np.array([right for _, right in alive], np.int32),
            np.array([facts.count for facts in alive.values()], np.int64),
            np.array([facts.first for facts in alive.values()], np.int64),
        )
        symbols = np.array([token for word in words for token in word], np.int32)
        return (
            symbols,
            np.concatenate([[0], np.cumsum([len(word) for word in words], dtype=np.int64)]),
            columns,
        )

    def _sorted_pairs(
        self, left: np.ndarray, right: np.ndarray, count: np.ndarray, first: np.ndarray
    ) -> PairTable:
        self.order.update()
        order = self.order.sorted_rows(self.log.config.tie_rule, left, right, first, -count)
        longest = self.log.config.max_token_length or NO_LIMIT
        lengths = self.order.lengths
        first_id = self.log.alphabet.first_id
        eligible = lengths[left - first_id] + lengths[right - first_id] <= longest
        columns = [column[order] for column in (left, right, count, first, eligible)]
        for column in columns:
            column.flags.writeable = False
        return PairTable(*columns)


def replayer(
    base: np.ndarray, offsets: np.ndarray, counts: np.ndarray, alphabet: Alphabet, kernel: SimpleNamespace
) -> FastTrainer:
    """Return a merge loop that never chooses: nothing is eligible, so no queue is kept."""
    settings = TrainingConfig(alphabet=alphabet.kind, max_token_length=1)
    return FastTrainer(base, offsets, counts, alphabet, settings, kernel)


def wants_kernels(n_symbols: int, n_merges: int) -> bool:
    """Return whether compiled kernels are the quicker way, their loading included."""
    return kernels.status() == "loaded" or n_symbols * max(n_merges, 1) > MAX_REFERENCE_WORK


def state_at(words: WordTable, log: MergeLog, k: int) -> Snapshot:
    """Return the corpus after the first k merges of a log; see `Snapshot`.

    Parameters
    ----------
    words : WordTable
        The words that the log was trained on.
    log : MergeLog
        Holds alphabet and settings.
    k : int
        Merges in effect, from 0 to the length of the log.

    Raises
    ------
    BpeStudioError
        If the log has fewer merges.

    Notes
    -----
    O(symbols + occurrences of the k merges). For many states of one run use `Replay`.
    """
    return Replay(words, log).state_at(k)


def warm_up(kernel: SimpleNamespace) -> None:
    """Compile or load the kernels of this module."""
    base, offsets = np.array([97, 98], np.int32), np.array([0, 2])
    replayer(base, offsets, np.ones(1, np.int64), Alphabet(), kernel).state()
