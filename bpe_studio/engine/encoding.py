"""Merging the symbols of one word: lowest rank first, left to right, never quadratic.

Short words, that is nearly all, are scanned again for every merge: a list of a dozen symbols is scanned
faster than any clever structure is built. Long ones are a linked list with the places of each pair kept by
rank, and very long ones go to a compiled kernel once there is one. `engine.reference.encode_word` says the
same in fewer lines; `tests/engine/test_encoding.py` holds all of them together.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine import kernels
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.kernels.state import Merges
from bpe_studio.engine.pieces import RAW_BYTES

#: Symbols up to which scanning again for every merge is the faster way.
SHORT_WORD = 64

#: Characters from which a word is worth the compiled kernel, if loading that takes no compiling.
VERY_LONG_WORD = 20_000

#: Words kept with their tokens, and the longest word worth keeping (characters).
CACHED_WORDS, CACHED_LENGTH = 65_536, 48

#: (left id, right id) → (rank, product id)
MergeRanks = Mapping[tuple[int, int], tuple[int, int]]

#: (rank, first symbol, symbol after the last) of an application, in base symbols of the word.
Application = tuple[int, int, int]


def merged_symbols(symbols: Sequence[int], ranks: MergeRanks) -> list[int]:
    """Return a word's symbols after all merges.

    Parameters
    ----------
    symbols : sequence of int
        Base symbols (ids) of one word.
    ranks : mapping of (int, int) to (int, int)
        A pair's rank and product.

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
        return merged_linked(symbols, ranks)
    return merged_short(list(symbols), ranks)


def merged_short(symbols: list[int], ranks: MergeRanks) -> list[int]:
    """Merge by scanning: find the lowest rank among the pairs, apply it left to right, repeat.

    Parameters
    ----------
    symbols : list of int
        Base symbols; the list is not changed.
    ranks : mapping
        As in `merged_symbols`.

    Returns
    -------
    list of int
        The word's tokens.
    """
    while len(symbols) > 1:
        found = [pair for pair in zip(symbols, symbols[1:], strict=False) if pair in ranks]
        if not found:
            break
        pair = min(found, key=ranks.__getitem__)
        symbols = _replaced(symbols, pair, ranks[pair][1])
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
    symbols: Sequence[int], ranks: MergeRanks, applications: list[Application] | None = None
) -> list[int]:
    """Merge on a linked list, with the places where each rank may apply kept by rank.

    Parameters
    ----------
    symbols : sequence of int
        Base symbols of one word.
    ranks : mapping
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
    checked when its rank is due, so a pair that has gone in the meantime costs one comparison. All places of
    a rank are taken in one pass from the left, as the reference does it; sorting them makes a run of one
    symbol pair off from its start. A million equal characters take about two seconds.
    """
    n = len(symbols)
    ids = list(symbols)
    following = list(range(1, n + 1))
    before = list(range(-1, n - 1))
    places: dict[int, list[int]] = {}
    due: list[int] = []

    def note(at: int, pair: tuple[int, int]) -> None:
        known = ranks.get(pair)
        if known is None:
            return
        rank = known[0]
        if rank in places:
            places[rank].append(at)
        else:
            places[rank] = [at]
            heapq.heappush(due, rank)

    for at, pair in enumerate(zip(symbols, symbols[1:], strict=False)):
        note(at, pair)
    while due:
        rank = heapq.heappop(due)
        here = places.pop(rank)
        here.sort()
        for at in here:
            after = following[at]
            # A symbol that was merged into its left neighbour has no id any more.
            if ids[at] < 0 or after >= n:
                continue
            known = ranks.get((ids[at], ids[after]))
            if known is None or known[0] != rank:
                continue
            end = following[after]
            ids[at], ids[after] = known[1], -1
            following[at] = end
            if applications is not None:
                applications.append((rank, at, end))
            if end < n:
                before[end] = at
                note(at, (ids[at], ids[end]))
            if before[at] >= 0:
                note(before[at], (ids[before[at]], ids[at]))
    return [id_ for id_ in ids if id_ >= 0]


def merges_table(
    left: NDArray[np.int32], right: NDArray[np.int32], product: NDArray[np.int32], compiled: SimpleNamespace
) -> Merges:
    """Return merges in rank order as the kernel takes them."""
    size = 1 << (2 * len(left) + 1).bit_length()
    # Copies: a kernel is compiled anew for read-only arrays.
    merges = Merges(left.copy(), right.copy(), product.copy(), np.full(size, -1, np.int32))
    compiled.encoding.enter_merges(merges)
    return merges


def merged_array(symbols: NDArray[np.int32], merges: Merges, compiled: SimpleNamespace) -> NDArray[np.int32]:
    """Return a word's symbols after all merges, by the compiled kernel; `symbols` is overwritten."""
    n = len(symbols)
    following, before, fresh = np.empty((3, n), np.int32)
    due = np.empty(3 * n, np.int64)
    n_left = compiled.encoding.merge_word(merges, symbols, following, before, due, fresh)
    return symbols[:n_left].copy()


def warm_up(compiled: SimpleNamespace) -> None:
    """Compile or load the kernel by encoding three letters."""
    pair = np.array([97], np.int32)
    merged_array(np.array([97, 97, 97], np.int32), merges_table(pair, pair, pair + 159, compiled), compiled)


class WordEncoder:
    """Encodes words with one alphabet and one list of merges, and remembers the short ones.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens.
    left, right, product : ndarray of int32, shape (n_merges,)
        The merges in rank order.
    """

    def __init__(
        self,
        alphabet: Alphabet,
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        product: NDArray[np.int32],
    ) -> None:
        self._alphabet = alphabet
        self._ranks: dict[tuple[int, int], tuple[int, int]] = {}
        self._cache: dict[str, tuple[int, ...]] = {}
        self._merges = left, right, product
        rows = zip(left.tolist(), right.tolist(), product.tolist(), strict=True)
        for rank, (left_id, right_id, token) in enumerate(rows):
            # A list from a file may repeat a pair: the first occurrence is the one that ever applies.
            self._ranks.setdefault((left_id, right_id), (rank, token))

    def symbols(self, word: str) -> list[int]:
        """Return the base symbols of a word; raw bytes may travel in it, see `RAW_BYTES`."""
        if self._alphabet.kind == "bytes":
            return self._alphabet.symbols(word.encode("utf-8", RAW_BYTES))
        return self._alphabet.symbols(word)

    @property
    def has_kernel(self) -> bool:
        """Whether words are encoded by the compiled kernel from `VERY_LONG_WORD` characters on."""
        return kernels.status() != "cold"

    def tokens_of_long(self, word: str) -> NDArray[np.int32]:
        """Return the token ids of a very long word, by the compiled kernel."""
        if self._alphabet.kind == "bytes":
            data = np.frombuffer(word.encode("utf-8", RAW_BYTES), np.uint8)
            symbols = np.array(self._alphabet.byte_ids, np.int32)[data]
        else:
            symbols = np.array(self._alphabet.symbols(word), np.int32)
        return merged_array(symbols, self._compiled, kernels.load())

    @cached_property
    def _compiled(self) -> Merges:
        return merges_table(*self._merges, kernels.load())

    def tokens(self, word: str) -> Sequence[int]:
        """Return the token ids of a word."""
        known = self._cache.get(word)
        if known is not None:
            return known
        tokens = merged_symbols(self.symbols(word), self._ranks)
        if len(word) <= CACHED_LENGTH:
            if len(self._cache) >= CACHED_WORDS:
                self._cache.clear()
            self._cache[word] = tuple(tokens)
        return tokens

    def applications(self, word: str) -> list[Application]:
        """Return every application of a merge in a word, by rank and position."""
        applied: list[Application] = []
        merged_linked(self.symbols(word), self._ranks, applied)
        return sorted(applied)
