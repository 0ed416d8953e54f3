"""Counting the pre-tokens of named patterns by compiled kernels, on one thread or two."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.arrays import aligned_zeros, enlarged
from bpe_studio.engine.kernels.state import (
    BLOCK,
    GPT2,
    GPT4,
    N_ARENA,
    N_WORDS,
    O200K,
    SLOT,
    WHITESPACE,
    Batch,
    Seen,
)
from bpe_studio.engine.unicode_classes import character_classes

KINDS = {"whitespace": WHITESPACE, "gpt2": GPT2, "gpt4": GPT4, "o200k": O200K}
"""Names of the split patterns that are compiled."""

PADDING = BLOCK
"""Bytes that a kernel may read beyond the end of a text."""

STEP = 1 << 18
"""Bytes counted between two looks at whether to go on."""

FIRST_SLOTS = 1 << 15
"""Slots of a new table of words."""

BATCH = 256
"""Words that are looked up together."""

Parts = NDArray[np.int64]
"""Starts and ends of parts of a text between walls, shape (n, 2), bytes."""


def padded(utf8: bytes) -> NDArray[np.uint8]:
    """Return text as an array that a kernel may read beyond the end."""
    buffer = np.zeros((len(utf8) + PADDING + 7) // 8 * 8, np.uint8)
    buffer[: len(utf8)] = np.frombuffer(utf8, np.uint8)
    return buffer


def _empty_slots(n: int) -> NDArray[np.uint64]:
    """Return `n` empty slots, two in each line of the processor's cache."""
    return aligned_zeros(n, int(SLOT)).reshape(-1)


def _empty_batch() -> Batch:
    """Return room for some words that are looked up together."""
    ends, ones = np.empty(BATCH, np.int64), np.ones(BATCH, np.int64)
    return Batch(ends, ones, *(np.empty(BATCH, np.uint64) for _ in range(3)))


class FastCounter:
    """Counts words of one split pattern, in order of first appearance.

    Parameters
    ----------
    kind : int
        One of `KINDS`.
    kernels : namespace
        What `bpe_studio.engine.kernels.load` returns.
    """

    def __init__(self, kind: int, kernels: SimpleNamespace) -> None:
        self._kind = kind
        self._kernels = kernels
        self._classes = character_classes()
        slots, arena = _empty_slots(FIRST_SLOTS), np.zeros(8 * FIRST_SLOTS, np.uint8)
        self._seen = Seen(slots, arena, np.zeros(FIRST_SLOTS, np.int64), np.zeros(3, np.int64))
        self._batch = _empty_batch()

    def add(self, text: NDArray[np.uint8], parts: Parts, go_on: Callable[[int], bool] | None = None) -> bool:
        """Count the parts of a padded text.

        Parameters
        ----------
        text : ndarray of uint8
            As `padded` returns it.
        parts : ndarray of int64, shape (n, 2)
            Starts and ends, in order; no pre-token crosses from one into the next.
        go_on : callable or None
            Called now and then with the offset reached; False stops.

        Returns
        -------
        bool
            False if it was stopped.
        """
        part, at = 0, 0
        limit = STEP
        while part < len(parts):
            part, at = self._kernels.counting.count_parts(
                self._kind, text, parts, part, at, limit, self._classes, self._seen, self._batch
            )
            if at >= limit or part == len(parts):
                if go_on is not None and not go_on(at):
                    return False
                limit = at + STEP
            elif part < len(parts):
                self._enlarge()
        return True

    def add_words_of(self, other: FastCounter) -> None:
        """Count all that another counter has counted, as coming after what this one has."""
        counts, word = other.counts(), 0
        while word < len(counts):
            word = self._kernels.counting.count_words_of(other._seen, word, counts, self._seen, self._batch)
            if word < len(counts):
                self._enlarge()

    def counts(self) -> NDArray[np.int64]:
        """Return the count of each word."""
        counts = np.zeros(int(self._seen.numbers[N_WORDS]), np.int64)
        self._kernels.counting.counts_by_word(self._seen, counts)
        return counts

    def words(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the words' bytes, concatenated in order of first appearance, and where each begins."""
        n_words, n_arena = (int(self._seen.numbers[place]) for place in (N_WORDS, N_ARENA))
        return self._seen.arena[:n_arena].copy(), self._seen.start[: n_words + 1].copy()

    def _enlarge(self) -> None:
        """Double what has no room for the next word."""
        slots, arena, start, numbers = self._seen
        n_words, n_arena, n_needed = (int(number) for number in numbers)
        if n_arena + n_needed + PADDING > len(arena):
            arena = enlarged(arena, max(2 * len(arena), n_arena + n_needed + PADDING))
        if n_words + 1 >= len(start):
            start = enlarged(start, 2 * len(start))
        self._seen = Seen(slots, arena, start, numbers)
        if 16 * n_words >= 3 * len(slots):
            self._enlarge_slots()

    def _enlarge_slots(self) -> None:
        old = self._seen.slots
        self._seen = self._seen._replace(slots=_empty_slots(2 * len(old) // int(SLOT)))
        self._kernels.counting.move_slots(old, self._seen)


def warm_up(kernels: SimpleNamespace) -> None:
    """Compile or load the kernels by counting a few words."""
    counter, other = (FastCounter(GPT2, kernels) for _ in range(2))
    counter.add(padded(b"a b"), np.array([[0, 3]]))
    counter._enlarge_slots()
    other.add_words_of(counter)
