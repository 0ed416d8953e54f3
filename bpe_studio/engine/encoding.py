"""Merging the symbols of one word: lowest rank first, left to right, never quadratic.

Short words, that is nearly all, are scanned again for every merge: a list of a dozen symbols is scanned
faster than any clever structure is built. Long ones are a linked list with the places of all pairs in a heap,
and very long ones go to a compiled kernel once there is one. `engine.reference.encode_word` says the same in
fewer lines; `tests/engine/test_encoding.py` holds all of them together.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import cached_property
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine import kernels
from bpe_studio.engine.compiled_model import CompiledModel, fits_kernels
from bpe_studio.engine.pieces import RAW_BYTES
from bpe_studio.engine.semantics import MergeModel, PairRanks

#: Symbols up to which scanning again for every merge is the faster way.
SHORT_WORD = 64

#: Characters from which a word is worth the compiled kernel, if loading that takes no compiling.
VERY_LONG_WORD = 20_000

#: Words kept with their tokens, and the longest word worth keeping (characters).
CACHED_WORDS, CACHED_LENGTH = 65_536, 48

#: Bits of a heap's entry that say the place; the rank stands above.
PLACE = 0xFFFFFFFF

#: (rank, first symbol, symbol after the last) of an application, in base symbols of the word.
Application = tuple[int, int, int]

#: The rank of a word that is taken whole though merging would make something else of it.
NO_RANK = -1


def merged_symbols(symbols: Sequence[int], ranks: PairRanks, *, one_by_one: bool = False) -> list[int]:
    """Return a word's symbols after all merges.

    Parameters
    ----------
    symbols : sequence of int
        Base symbols (ids) of one word.
    ranks : mapping of (int, int) to (int, int)
        A pair's rank and product; only `get` is asked.
    one_by_one : bool
        As in `Semantics`.

    Returns
    -------
    list of int
        The ids of the word's tokens.

    Notes
    -----
    O(n · applied ranks) up to `SHORT_WORD` symbols, O(n log n) above.

    Examples
    --------
    >>> merged_symbols([97, 97, 97, 97, 97], {(97, 97): (0, 256), (256, 256): (1, 257)})
    [257, 97]
    """
    if len(symbols) > SHORT_WORD:
        return merged_linked(symbols, ranks, one_by_one=one_by_one)
    return merged_short(list(symbols), ranks, one_by_one=one_by_one)


def merged_short(symbols: list[int], ranks: PairRanks, *, one_by_one: bool = False) -> list[int]:
    """Merge by scanning: find the lowest rank among the pairs, apply it left to right, repeat.

    Parameters
    ----------
    symbols : list of int
        Base symbols; the list is not changed.
    ranks, one_by_one
        As in `merged_symbols`.

    Returns
    -------
    list of int
        The word's tokens.
    """
    while len(symbols) > 1:
        pairs = zip(symbols, symbols[1:], strict=False)
        found = [(known[0], at, known[1]) for at, pair in enumerate(pairs) if (known := ranks.get(pair))]
        if not found:
            break
        _, at, product = min(found)
        if one_by_one:
            symbols = [*symbols[:at], product, *symbols[at + 2 :]]
        else:
            symbols = _replaced(symbols, (symbols[at], symbols[at + 1]), product)
    return symbols


def _replaced(symbols: list[int], pair: tuple[int, int], product: int) -> list[int]:
    left, right = pair
    merged: list[int] = []
    at, n = 0, len(symbols)
    while at < n:
        if at + 1 < n and symbols[at] == left and symbols[at + 1] == right:
            merged.append(product)
            at += 2
        else:
            merged.append(symbols[at])
            at += 1
    return merged


def merged_linked(
    symbols: Sequence[int],
    ranks: PairRanks,
    applications: list[Application] | None = None,
    *,
    one_by_one: bool = False,
) -> list[int]:
    """Merge on a linked list, with the places where merges may apply in a heap by (rank, place).

    Parameters
    ----------
    symbols : sequence of int
        Base symbols of one word.
    ranks, one_by_one
        As in `merged_symbols`.
    applications : list, optional
        Receives every application in the order in which they were made.

    Returns
    -------
    list of int
        The word's tokens.

    Notes
    -----
    A place is the index of a pair's first base symbol. Places are noted when a pair comes into being and
    checked when their rank is due, so a pair that has gone in the meantime costs one comparison. Unless
    merges apply one by one, what arises is noted only after all places of a rank, as the reference does it.
    """
    n = len(symbols)
    ids = list(symbols)
    following = list(range(1, n + 1))
    before = list(range(-1, n - 1))

    def due_at(at: int) -> int | None:
        """Return rank and place of the pair at `at` as one number."""
        known = ranks.get((ids[at], ids[following[at]])) if following[at] < n else None
        return None if known is None else known[0] << 32 | at

    due = [entry for at in range(n) if (entry := due_at(at)) is not None]
    heapq.heapify(due)
    while due:
        rank = due[0] >> 32
        fresh: list[int] = []
        while due and due[0] >> 32 == rank and not (one_by_one and fresh):
            at = heapq.heappop(due) & PLACE
            after = following[at]
            # A symbol that was merged into its left neighbour has no id any more.
            known = ranks.get((ids[at], ids[after])) if ids[at] >= 0 and after < n else None
            if known is None or known[0] != rank:
                continue
            ids[at], ids[after] = known[1], -1
            end = following[at] = following[after]
            if end < n:
                before[end] = at
            if applications is not None:
                applications.append((rank, at, end))
            fresh.append(at)
        for at in fresh:
            for place in (before[at], at):
                entry = due_at(place) if place >= 0 else None
                if entry is not None:
                    heapq.heappush(due, entry)
    return [id_ for id_ in ids if id_ >= 0]


def merged_array(
    symbols: NDArray[np.int32],
    pairs: NDArray[np.uint64],
    compiled: SimpleNamespace,
    *,
    one_by_one: bool = False,
) -> NDArray[np.int32]:
    """Return a word's symbols after all merges, by the compiled kernel; `symbols` is overwritten.

    Parameters
    ----------
    symbols : ndarray of int32
        Base symbols of one word.
    pairs : ndarray of uint64
        `CompiledModel.pairs`.
    compiled : namespace
        What `bpe_studio.engine.kernels.load` returns.
    one_by_one : bool
        As in `Semantics`.
    """
    n = len(symbols)
    following, before, fresh = np.empty((3, n), np.int32)
    due = np.empty(3 * n, np.int64)
    n_left = compiled.encoding.merge_word(pairs, symbols, following, before, due, fresh, int(one_by_one))
    return symbols[:n_left].copy()


class WordEncoder:
    """Encodes words and remembers the short ones.

    Parameters
    ----------
    model : MergeModel
        What decides the tokens.
    """

    def __init__(self, model: MergeModel) -> None:
        self._model = model
        self._cache: dict[str, tuple[int, ...]] = {}

    def symbols(self, word: str) -> list[int]:
        """Return the base symbols of a word; raw bytes may travel in it, see `RAW_BYTES`."""
        alphabet = self._model.alphabet
        return alphabet.symbols(word.encode("utf-8", RAW_BYTES) if alphabet.kind == "bytes" else word)

    @property
    def has_kernel(self) -> bool:
        """Whether words are encoded by the compiled kernel from `VERY_LONG_WORD` characters on."""
        return kernels.status() != "cold" and fits_kernels(self._model)

    def tokens_of_long(self, word: str) -> NDArray[np.int32]:
        """Return the token ids of a very long word, by the compiled kernel."""
        alphabet = self._model.alphabet
        if alphabet.kind == "bytes":
            data = np.frombuffer(word.encode("utf-8", RAW_BYTES), np.uint8)
            symbols = np.array(alphabet.byte_ids, np.int32)[data]
        else:
            symbols = np.array(alphabet.symbols(word), np.int32)
        whole = self._whole(word)
        if whole is not None:
            return np.array([whole], np.int32)
        one_by_one = self._model.semantics.one_by_one
        return merged_array(symbols, self._compiled.pairs, kernels.load(), one_by_one=one_by_one)

    @cached_property
    def _compiled(self) -> CompiledModel:
        return CompiledModel(self._model, kernels.load())

    def tokens(self, word: str) -> Sequence[int]:
        """Return the token ids of a word."""
        known = self._cache.get(word)
        if known is not None:
            return known
        model = self._model
        whole = self._whole(word)
        if whole is not None:
            tokens = [whole]
        else:
            one_by_one = model.semantics.one_by_one
            tokens = merged_symbols(self.symbols(word), model.pair_ranks, one_by_one=one_by_one)
        if len(word) <= CACHED_LENGTH:
            if len(self._cache) >= CACHED_WORDS:
                self._cache.clear()
            self._cache[word] = tuple(tokens)
        return tokens

    def _whole(self, word: str) -> int | None:
        """Return the token that a word is as a whole, if that is what counts."""
        if not self._model.semantics.whole_first:
            return None
        return self._model.whole.get(word.encode("utf-8", RAW_BYTES))

    def applications(self, word: str) -> list[Application]:
        """Return every application of a merge in a word, by rank and position."""
        applied: list[Application] = []
        symbols, model = self.symbols(word), self._model
        tokens = merged_linked(symbols, model.pair_ranks, applied, one_by_one=model.semantics.one_by_one)
        whole = self._whole(word)
        if whole is not None and tokens != [whole]:
            return [(NO_RANK, 0, len(symbols))]
        return sorted(applied)
