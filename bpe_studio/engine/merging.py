"""The arrays of the compiled merge loop: laid out, enlarged when full, and read as rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.arrays import enlarged, power_of_two
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import TrainingError
from bpe_studio.engine.kernels.state import (
    AHEAD,
    CELL,
    CHANGES,
    CORPUS_TOKENS,
    ENTRY,
    FRONT,
    LAST_PAIR,
    N_BUCKETS,
    N_HEAP,
    N_PAIRS,
    N_TOKENS,
    NEED_ROOM,
    NO_MORE,
    PAIR,
    PLACE,
    TOKEN,
    Cells,
    Limits,
    Pairs,
    Queue,
    Rows,
    Scratch,
)
from bpe_studio.engine.merges import UNKNOWN
from bpe_studio.engine.ties import BLANK, LOWER_ONE_EIGHTH_BLOCK, fnv1a, parse_rule

NO_LIMIT = 2**62
LEAST_ROOM = 4096  # pairs
MAX_CELLS = 2**30 - 1
State = tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]
"""Symbols, where each word begins in them, and the columns left, right, count, first of all pairs."""

ROW_DTYPES = {"left": np.int32, "right": np.int32}


class FastTrainer:
    """The compiled twin of `reference.ReferenceTrainer`: same merges, counts, ties and margins.

    Parameters
    ----------
    symbols : ndarray of int32, shape (n,)
        Base symbols (ids) of all unique words, concatenated.
    offsets : ndarray of int64, shape (n_words + 1,)
        Where each word begins.
    counts : ndarray of int64, shape (n_words,)
        How often each word occurs.
    alphabet : Alphabet
        The base tokens.
    config : TrainingConfig
        Tie rule, minimum count, longest token.
    kernels : namespace
        What `bpe_studio.engine.kernels.load` returns.
    keeps_all : bool
        Whether pairs are kept that are too rare to be merged: `reapply` and `state` need them.

    Notes
    -----
    Memory is about 20 bytes a base symbol of the unique words, and 50 bytes a pair that is kept.
    """

    def __init__(
        self,
        symbols: np.ndarray,
        offsets: np.ndarray,
        counts: np.ndarray,
        alphabet: Alphabet,
        config: TrainingConfig,
        kernels: SimpleNamespace,
        *,
        keeps_all: bool = True,
    ) -> None:
        self._kernels = kernels
        self._first_id = alphabet.first_id
        rule = parse_rule(config.tie_rule)
        is_bytes = alphabet.kind == "bytes"
        self._limits = Limits(
            np.int64(rule.rule.number),
            np.uint64(rule.seed),
            np.int64(config.min_frequency),
            np.int64(1 if keeps_all else config.min_frequency),
            np.int64(config.max_token_length or NO_LIMIT),
            np.int64(9 if is_bytes else 21),
        )
        wants_hash = rule.rule.name == "random"
        self._utf8 = np.int64(-1 if not wants_hash else 0 if is_bytes else 1)
        if len(symbols) > MAX_CELLS:
            raise TrainingError(
                f"the unique words hold {len(symbols):,} symbols; at most {MAX_CELLS:,} can be trained on. "
                "Choose a split pattern, or documents that repeat more"
            )
        # Read-only: a kernel is compiled anew for arrays that are not.
        symbols, offsets, counts = (read_only(array) for array in (symbols, offsets, counts))
        letters = read_only(sort_letters(alphabet, rule.rule.name == "shortest"))
        self._offsets = offsets
        self._cells = Cells(np.empty(len(symbols) + 1, CELL), counts, symbols, letters)
        self._tokens = np.zeros(alphabet.n_tokens, TOKEN)
        self._tokens["length"] = 1
        if wants_hash:
            self._tokens["hashed"] = [fnv1a(token) for token in alphabet.tokens]
        corpus_tokens = self._kernels.pairs.lay_out(
            self._cells, self._tokens, offsets, self._first_id, alphabet.first_mergeable_id
        )
        self._pairs = self._counted_pairs(2 * len(symbols) + AHEAD)
        self._pairs.numbers[N_TOKENS] = alphabet.n_tokens
        self._pairs.numbers[CORPUS_TOKENS] = corpus_tokens
        self._place_and_queue()

    def _counted_pairs(self, n_pool: int) -> Any:
        """Return all pairs of the words as they are now, without places.

        A pool of two places a symbol never fills. At most one place a symbol is written at first; and each
        merge at a place adds one, while it takes one token out of the words.
        """
        numbers = np.zeros(8, np.int64)
        numbers[N_PAIRS], numbers[FRONT] = 1, N_BUCKETS
        n_pairs = max(LEAST_ROOM, len(self._cells.cell) // 16)
        row, table = np.empty(n_pairs, PAIR), np.zeros(power_of_two(2 * n_pairs), np.int32)
        row[0] = 0
        pairs, at = Pairs(row, table, np.empty(n_pool, np.int32), numbers), 0
        while True:
            at = self._kernels.pairs.count_pairs(self._cells, self._tokens, pairs, at)
            if at == len(self._cells.cell) - 1:
                return pairs
            pairs = self._enlarged(pairs, 0)

    def _place_and_queue(self) -> None:
        pairs, n_tokens = self._pairs, len(self._tokens)
        self._kernels.pairs.place_pairs(self._limits, self._cells, pairs)
        row = pairs.row[: pairs.numbers[N_PAIRS]]
        most_places = int((row["end"] - row["start"]).max())
        self._scratch = Scratch(
            np.zeros(n_tokens, CHANGES), np.empty(n_tokens, np.int32), np.empty(most_places, PLACE)
        )
        n_pairs = len(pairs.row)
        self._queue = Queue(
            np.empty(n_pairs, ENTRY), np.zeros(N_BUCKETS, np.int32), np.empty(n_pairs, np.int32)
        )
        self._kernels.merging.enter_pairs(self._limits, self._tokens, pairs, self._queue)

    def advance(self, n_merges: int) -> list[np.ndarray]:
        """Make up to `n_merges` merges.

        Returns
        -------
        list of ndarray
            left, right (int32 ids), count, n_tied, margin, corpus_tokens (int64), of equal length:
            shorter than asked for when no pair is frequent enough any more.
        """
        self._room_for_tokens(n_merges)
        rows = Rows(*(np.empty(n_merges, ROW_DTYPES.get(name, np.int64)) for name in Rows._fields))
        n_done, state, runner_up = 0, NEED_ROOM, UNKNOWN
        while state in (NEED_ROOM, LAST_PAIR):
            n_done, state = self._kernels.merging.advance(
                *self._everything(), rows, n_done, self._utf8, runner_up
            )
            runner_up = self._best_count(below=self._limits.min_count) if state == LAST_PAIR else UNKNOWN
            if state == NEED_ROOM:
                self._enlarge(int(self._queue.heap[0]["pair"]))
        columns = [column[:n_done] for column in rows]
        columns[0] += self._first_id
        columns[1] += self._first_id
        return columns

    def reapply(self, left: np.ndarray, right: np.ndarray) -> None:
        """Make given merges, in order.

        Raises
        ------
        TrainingError
            If one of the pairs does not occur in the words.
        """
        self._room_for_tokens(len(left))
        left, right = (np.ascontiguousarray(ids - self._first_id, np.int32) for ids in (left, right))
        n_done, state = 0, NEED_ROOM
        while state == NEED_ROOM:
            n_done, state = self._kernels.merging.reapply(
                *self._everything(), left, right, n_done, self._utf8
            )
            if state == NEED_ROOM:
                self._enlarge(len(self._scratch.place))
        if state == NO_MORE:
            raise TrainingError(
                f"merge {n_done:,} does not occur in this corpus; the merges belong to another one"
            )

    def best_count(self) -> int:
        """Return the highest count of any eligible pair, 0 if there is none."""
        return self._best_count(NO_LIMIT)

    def _best_count(self, below: int) -> int:
        """Return the highest count below a limit of any eligible pair, by counting all pairs again."""
        pairs = self._counted_pairs(0)
        row, lengths = pairs.row[1 : pairs.numbers[N_PAIRS]], self._tokens["length"]
        eligible = lengths[row["left"]] + lengths[row["right"]] <= self._limits.max_length
        return int(row["count"][eligible & (row["count"] < below)].max(initial=0))

    def state(self) -> State:
        """Return the words' symbols and all pairs as they are now.

        Returns
        -------
        symbols, symbol_offsets : ndarray of int32 and int64
            Ids of all words, and where each word begins.
        columns : tuple of ndarray
            left, right (int32 ids), count, first (int64; position in the base symbols) of every pair.
        """
        symbols = np.empty(len(self._cells.base), np.int32)
        symbol_offsets = np.empty(len(self._offsets), np.int64)
        n_symbols = self._kernels.replaying.read_symbols(
            self._cells, self._tokens, self._offsets, self._first_id, symbols, symbol_offsets
        )
        n_pairs = int(self._pairs.numbers[N_PAIRS])
        left, right = np.empty((2, n_pairs), np.int32)
        count, first = np.empty((2, n_pairs), np.int64)
        n_alive = self._kernels.replaying.read_pairs(
            self._cells, self._tokens, self._pairs, left, right, count, first
        )
        left, right, count, first = left[:n_alive], right[:n_alive], count[:n_alive], first[:n_alive]
        return (
            symbols[:n_symbols].copy(),
            symbol_offsets,
            (left + self._first_id, right + self._first_id, count, first),
        )

    def _everything(self) -> tuple[Any, ...]:
        return (self._limits, self._cells, self._tokens, self._pairs, self._queue, self._scratch)

    def _room_for_tokens(self, n_more: int) -> None:
        n_tokens = int(self._pairs.numbers[N_TOKENS]) + n_more
        if n_tokens > len(self._tokens):
            n_tokens = max(n_tokens, 2 * len(self._tokens))
            self._tokens = enlarged(self._tokens, n_tokens)
            changes, seen = np.zeros(n_tokens, CHANGES), np.empty(n_tokens, np.int32)
            self._scratch = Scratch(changes, seen, self._scratch.place)

    def _enlarge(self, n_places: int) -> None:
        """Make room for one more merge with that many places, and for twice as many pairs as there is."""
        self._pairs = self._enlarged(self._pairs, 2 * min(n_places, len(self._tokens)))
        n_pairs, numbers, queue = len(self._pairs.row), self._pairs.numbers, self._queue
        heap = enlarged(queue.heap[: numbers[N_HEAP]], n_pairs)
        self._queue = Queue(heap, queue.bucket, enlarged(queue.next[: numbers[N_PAIRS]], n_pairs))

    def _enlarged(self, pairs: Any, n_more: int) -> Any:
        """Return pairs with room for `n_more` at least, and for twice as many as now."""
        known = int(pairs.numbers[N_PAIRS])
        n_pairs = max(2 * len(pairs.row), known + n_more)
        table = np.zeros(power_of_two(2 * n_pairs), np.int32)
        pairs = Pairs(enlarged(pairs.row[:known], n_pairs), table, pairs.pool, pairs.numbers)
        self._kernels.pairs.rebuild(pairs)
        return pairs


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def sort_letters(alphabet: Alphabet, shortest: bool) -> np.ndarray:
    """Return the sort value of each base token, int32, by id: its byte or code point; 0 for walls.

    Code points sort as their UTF-8 bytes do. Under ``shortest`` a blank is read as U+2581.
    """
    letters = np.zeros(alphabet.next_id, np.int32)
    if alphabet.kind == "bytes":
        letters[-256:] = [token[0] for token in alphabet.tokens[-256:]]
        return letters
    n_letters = len(alphabet.characters)
    if n_letters:
        letters[-n_letters:] = [ord(character) for character in alphabet.characters]
    if shortest:
        letters[letters == ord(BLANK)] = ord(LOWER_ONE_EIGHTH_BLOCK)
    return letters


def warm_up(kernels: SimpleNamespace) -> None:
    """Compile or load the merge loop by training on one word of two letters."""
    trainer = FastTrainer(
        np.array([97, 98, 97, 98], np.int32),
        np.array([0, 2, 4]),
        np.array([1, 1]),
        Alphabet(),
        TrainingConfig(),
        kernels,
    )
    trainer._enlarge(1)
    trainer.reapply(*(np.empty(0, np.int32) for _ in range(2)))
    trainer.advance(1)
