"""The arrays of the compiled merge loop: laid out, enlarged when full, and read as rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.arrays import enlarged, grown, power_of_two
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import TrainingError
from bpe_studio.engine.kernels.state import (
    CORPUS_TOKENS,
    N_PAIRS,
    N_POOL,
    N_QUEUE,
    N_TOKENS,
    NEED_ROOM,
    NO_MORE,
    Cells,
    Counts,
    Limits,
    Pairs,
    Queue,
    Rows,
    Scratch,
    Tokens,
)
from bpe_studio.engine.ties import BLANK, LOWER_ONE_EIGHTH_BLOCK, fnv1a, parse_rule

NO_LIMIT = 2**62
MAX_CELLS = 2**31 - 2
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

    Notes
    -----
    Memory is about 30 bytes a base symbol of the unique words, and 40 bytes a distinct pair.
    """

    def __init__(
        self,
        symbols: np.ndarray,
        offsets: np.ndarray,
        counts: np.ndarray,
        alphabet: Alphabet,
        config: TrainingConfig,
        kernels: SimpleNamespace,
    ) -> None:
        self._kernels = kernels
        self._first_id = alphabet.first_id
        rule = parse_rule(config.tie_rule)
        is_bytes = alphabet.kind == "bytes"
        self._limits = Limits(
            np.int64(rule.rule.number),
            np.uint64(rule.seed),
            np.int64(config.min_frequency),
            np.int64(config.max_token_length or NO_LIMIT),
            np.int64(9 if is_bytes else 21),
        )
        wants_hash = rule.rule.name == "random"
        self._utf8 = np.int64(-1 if not wants_hash else 0 if is_bytes else 1)
        self._cells = self._lay_out(symbols, offsets, counts, alphabet, rule.rule.name == "shortest")
        self._tokens = self._base_tokens(alphabet)
        self._find_pairs(int(np.sum(np.diff(offsets) * counts)), alphabet.n_tokens)

    def _lay_out(
        self, symbols: np.ndarray, offsets: np.ndarray, counts: np.ndarray, alphabet: Alphabet, shortest: bool
    ) -> Any:
        """Return the cells: a wall before each word and at the end, then one cell a base token."""
        lengths = np.diff(offsets)
        n_cells = len(symbols) + len(lengths) + 1
        if n_cells > MAX_CELLS:
            raise TrainingError(
                f"the unique words hold {len(symbols):,} symbols; at most {MAX_CELLS:,} can be trained on. "
                "Choose a split pattern, or documents that repeat more"
            )
        n_cells += alphabet.n_tokens
        cells = Cells(np.empty(n_cells, np.int32), np.empty(n_cells, np.int64), np.empty(n_cells, np.int32))
        # Copies: a kernel is compiled anew for read-only arrays.
        self._kernels.pairs.lay_out(
            cells, symbols, offsets.copy(), counts.copy(), self._first_id, alphabet.first_mergeable_id,
            sort_letters(alphabet, shortest),
        )  # fmt: skip
        return cells

    def _base_tokens(self, alphabet: Alphabet) -> Any:
        n_tokens = alphabet.n_tokens
        first_cell = len(self._cells.token) - n_tokens
        return Tokens(
            np.ones(n_tokens, np.int64),
            np.arange(first_cell, first_cell + n_tokens, dtype=np.int64),
            np.array([fnv1a(token) for token in alphabet.tokens], np.uint64),
        )

    def _find_pairs(self, corpus_tokens: int, n_tokens: int) -> None:
        numbers = np.zeros(6, np.int64)
        numbers[N_TOKENS] = n_tokens
        numbers[CORPUS_TOKENS] = corpus_tokens
        n_cells = len(self._cells.token)
        n_pairs = min(n_cells, n_tokens * n_tokens) + 1
        ids, numbers_of_pair = np.empty((2, n_pairs), np.int32), np.empty((3, n_pairs), np.int64)
        table = np.full(power_of_two(2 * n_pairs), -1, np.int32)
        pool = np.empty(n_cells, np.int32)
        self._pairs = Pairs._make([*ids, *numbers_of_pair, table, pool, numbers])
        self._kernels.pairs.find_pairs(self._cells, self._tokens, self._pairs)
        n_found = int(numbers[N_PAIRS])
        self._queue = Queue(
            np.empty(n_found + 1, np.int64), np.empty(n_found + 1, np.uint64), np.empty(n_found + 1, np.int32)
        )
        size = power_of_two(4 * n_found + 64)
        self._counts = Counts(np.zeros(size, np.int64), np.zeros(size, np.int64))
        self._scratch = self._new_scratch(n_tokens + 64, 64)
        self._kernels.merging.enter_pairs(
            self._limits, self._cells, self._tokens, self._pairs, self._queue, self._counts
        )

    def _new_scratch(self, n_tokens: int, n_places: int) -> Any:
        per_token = [np.zeros(n_tokens, np.int64) for _ in range(6)]
        per_place = [np.empty(n_places, np.int32) for _ in range(3)]
        return Scratch._make([*per_token, np.empty(n_tokens, np.int32), *per_place])

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
        n_done, state = 0, NEED_ROOM
        while state == NEED_ROOM:
            n_done, state = self._kernels.merging.advance(*self._everything(), rows, n_done, self._utf8)
            if state == NEED_ROOM:
                self._enlarge(int(self._pairs.n_places[self._queue.pair[0]]))
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
                n_pairs = int(self._pairs.numbers[N_PAIRS])
                self._enlarge(int(self._pairs.n_places[:n_pairs].max()))
        if state == NO_MORE:
            raise TrainingError(
                f"merge {n_done:,} does not occur in this corpus; the merges belong to another one"
            )

    def best_count(self) -> int:
        """Return the highest count of any eligible pair, 0 if there is none."""
        alive = self._counts.value[self._counts.n_pairs > 0]
        return int(alive.max()) if len(alive) else 0

    def state(
        self, base: np.ndarray, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        """Return the words' symbols and all pairs as they are now.

        Parameters
        ----------
        base, offsets : ndarray of int32 and int64
            What the loop was started with.

        Returns
        -------
        symbols, symbol_offsets : ndarray of int32 and int64
            Ids of all words, and where each word begins.
        columns : tuple of ndarray
            left, right (int32 ids), count, first (int64; position in `base`) of every pair that occurs.
        """
        symbols, symbol_offsets = np.empty_like(base), np.empty_like(offsets)
        n_symbols = self._kernels.replaying.read_symbols(
            self._cells, self._tokens, base, offsets, self._first_id, symbols, symbol_offsets
        )
        n_pairs = int(self._pairs.numbers[N_PAIRS])
        left, right = np.empty((2, n_pairs), np.int32)
        count, cell = np.empty((2, n_pairs), np.int64)
        n_alive = self._kernels.replaying.read_pairs(
            self._cells, self._tokens, self._pairs, left, right, count, cell
        )
        left, right, count, cell = left[:n_alive], right[:n_alive], count[:n_alive], cell[:n_alive]
        # One wall stands before each word up to the cell's own.
        first = cell - np.searchsorted(offsets[1:] + np.arange(1, len(offsets)), cell, "left") - 1
        return (
            symbols[:n_symbols].copy(),
            symbol_offsets,
            (left + self._first_id, right + self._first_id, count, first),
        )

    def _everything(self) -> tuple[Any, ...]:
        state = (self._limits, self._cells, self._tokens, self._pairs, self._queue, self._counts)
        return (*state, self._scratch)

    def _room_for_tokens(self, n_more: int) -> None:
        needed = int(self._pairs.numbers[N_TOKENS]) + n_more + 1
        if needed > len(self._tokens.length):
            self._tokens = Tokens(*(enlarged(array, max(needed, 2 * len(array))) for array in self._tokens))
        if needed > len(self._scratch.seen):
            self._scratch = self._new_scratch(2 * needed, len(self._scratch.at))

    def _enlarge(self, n_places: int) -> None:
        """Make room for one more merge with that many places, and for half as much again as there is."""
        pairs, numbers = self._pairs, self._pairs.numbers
        n_new = 2 * min(n_places, int(numbers[N_TOKENS]) + 1)
        n_pairs = grown(len(pairs.left), int(numbers[N_PAIRS]) + n_new)
        by_pair = [enlarged(array, n_pairs) for array in pairs[:5]]
        table = np.full(power_of_two(2 * n_pairs), -1, np.int32)
        pool = enlarged(pairs.pool, grown(len(pairs.pool), int(numbers[N_POOL]) + 2 * n_places))
        self._pairs = Pairs._make([*by_pair, table, pool, numbers])
        n_queue = grown(len(self._queue.pair), int(numbers[N_QUEUE]) + n_new)
        self._queue = Queue(*(enlarged(array, n_queue) for array in self._queue))
        old = self._counts
        size = power_of_two(
            max(8 * (int(np.count_nonzero(old.n_pairs)) + 2 * n_new), len(old.value) // 2 + 1)
        )
        self._counts = Counts(np.zeros(size, np.int64), np.zeros(size, np.int64))
        if n_places > len(self._scratch.at):
            self._scratch = self._new_scratch(len(self._scratch.seen), n_places)
        self._kernels.pairs.rebuild(self._pairs, self._counts, old.value, old.n_pairs)


def sort_letters(alphabet: Alphabet, shortest: bool) -> np.ndarray:
    """Return the sort value of each base token, int32: its byte or code point; 0 for walls.

    Code points sort as their UTF-8 bytes do. Under ``shortest`` a blank is read as U+2581.
    """
    letters = np.zeros(alphabet.n_tokens, np.int32)
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
