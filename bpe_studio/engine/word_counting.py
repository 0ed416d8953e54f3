"""Counting the words of one stretch of text: by compiled kernels, or by `regex` and a dict.

Both have the same face, and give the same words, in order of first appearance. First special strings are cut
out, leftmost, then longest; then the split pattern cuts what lies between.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.fast_counting import KINDS, FastCounter, Parts, padded
from bpe_studio.engine.patterns import SplitPattern
from bpe_studio.engine.word_table import CorpusFacts, WordTable, table_of, table_of_arrays

Bytes = NDArray[np.uint8]
GoOn = Callable[[int], bool]

_SPANS = 10_000  # pre-tokens of a user's own expression counted between two looks at whether to go on


class Walls:
    """What lies between the walls of a text: between special strings and, if asked for, in a line.

    Parameters
    ----------
    special_tokens : tuple of str
        The special strings.
    lines : bool
        Whether each line is a wall of its own; it keeps its end.
    """

    def __init__(self, special_tokens: tuple[str, ...], lines: bool) -> None:
        # The alternatives are tried in turn, so the longest has to come first.
        longest_first = sorted((token.encode() for token in special_tokens), key=len, reverse=True)
        self._special = re.compile(b"|".join(map(re.escape, longest_first))) if special_tokens else None
        self._lines = lines

    def parts(self, text: Bytes, end: int) -> tuple[Parts, int]:
        """Return what lies between walls in the first `end` bytes, and how many special strings do."""
        parts = np.array([[0, end]], np.int64)
        if self._lines:
            ends = np.flatnonzero(text[:end] == ord("\n")) + 1
            ends = ends if len(ends) and ends[-1] == end else np.append(ends, end)
            parts = np.stack([np.append(0, ends[:-1]), ends], axis=1)
        if self._special is None:
            return parts, 0
        kept: list[tuple[int, int]] = []
        n_specials = 0
        for start, stop in parts.tolist():
            for match in self._special.finditer(text, start, stop):  # type: ignore[call-overload]
                kept.append((start, match.start()))
                start = match.end()
                n_specials += 1
            kept.append((start, stop))
        return np.array([part for part in kept if part[0] < part[1]], np.int64).reshape(-1, 2), n_specials


class WordCounting(Protocol):
    """What counts the words of a stretch of text that comes in chunks."""

    n_specials: int
    """Special strings that were cut out."""
    n_uncovered: int
    """Pre-tokens that no match of the split pattern covers."""
    reached: int
    """Bytes of the chunk that are counted."""

    def n_characters(self, text: Bytes, end: int) -> int:
        """Return the characters in the first `end` bytes; `UnicodeDecodeError` if they are no UTF-8."""

    def add(self, text: Bytes, end: int, go_on: GoOn) -> bool:
        """Count the words in the first `end` bytes; False if `go_on`, which gets `reached`, said so."""

    def follow(self, other: Any) -> None:
        """Count all that another has counted, as coming after what this one has."""

    def table(self, pattern: SplitPattern, special_tokens: tuple[str, ...], facts: CorpusFacts) -> WordTable:
        """Return the words."""


class FastCounting:
    """Counts by compiled kernels.

    Parameters
    ----------
    kind : int
        The split pattern, one of `fast_counting.KINDS`; these cover any text.
    walls : Walls
        What no pre-token crosses.
    kernels : namespace
        What `bpe_studio.engine.kernels.load` returns.
    """

    def __init__(self, kind: int, walls: Walls, kernels: SimpleNamespace) -> None:
        self.n_specials = self.n_uncovered = self.reached = 0
        self._walls, self._kernels = walls, kernels
        self._counter = FastCounter(kind, kernels)

    def n_characters(self, text: Bytes, end: int) -> int:
        """Return the characters in the first `end` bytes; `UnicodeDecodeError` if they are no UTF-8."""
        at, n_characters = self._kernels.utf8.check(text, text.view(np.uint64), end)
        if at < end:
            try:
                text[at : min(at + 4, end)].tobytes().decode()
            except UnicodeDecodeError as error:  # Python's own words for it
                error.start += at
                raise
        return int(n_characters)

    def add(self, text: Bytes, end: int, go_on: GoOn) -> bool:
        """Count the words in the first `end` bytes; False if `go_on`, which gets `reached`, said so."""
        parts, n_specials = self._walls.parts(text, end)

        def goes_on(at: int) -> bool:
            self.reached = at
            return go_on(at)

        is_whole = self._counter.add(text, parts, goes_on)
        if is_whole:
            self.reached = end
        else:
            _, n_specials = self._walls.parts(text, self.reached)
        self.n_specials += n_specials
        return is_whole

    def follow(self, other: FastCounting) -> None:
        """Count all that another has counted, as coming after what this one has."""
        self._counter.add_words_of(other._counter)
        self.n_specials += other.n_specials

    def table(self, pattern: SplitPattern, special_tokens: tuple[str, ...], facts: CorpusFacts) -> WordTable:
        """Return the words."""
        utf8, offsets = self._counter.words()
        return table_of_arrays(utf8, offsets, self._counter.counts(), pattern, special_tokens, facts)


class PlainCounting:
    """Counts by `regex` and a dict, which keeps the order of first appearance.

    Parameters
    ----------
    pattern : SplitPattern
        The split pattern.
    walls : Walls
        What no pre-token crosses.
    """

    def __init__(self, pattern: SplitPattern, walls: Walls) -> None:
        self.n_specials = self.n_uncovered = self.reached = 0
        self._pattern, self._walls = pattern, walls
        self._counts: Counter[str] = Counter()

    def n_characters(self, text: Bytes, end: int) -> int:
        """Return the characters in the first `end` bytes; `UnicodeDecodeError` if they are no UTF-8."""
        return len(str(text[:end].data, "utf-8"))

    def add(self, text: Bytes, end: int, go_on: GoOn) -> bool:
        """Count the words in the first `end` bytes; False if `go_on`, which gets `reached`, said so."""
        parts, n_specials = self._walls.parts(text, end)
        self.reached = 0
        for start, stop in parts.tolist():
            self.reached = start
            for block in self._counted(str(text[start:stop].data, "utf-8")):
                self.reached += len(block.encode())
                if not go_on(self.reached):
                    self.n_specials += self._walls.parts(text, self.reached)[1]
                    return False
        self.reached = end
        self.n_specials += n_specials
        return True

    def follow(self, other: PlainCounting) -> None:
        """Count all that another has counted, as coming after what this one has."""
        self._counts.update(other._counts)
        self.n_specials += other.n_specials
        self.n_uncovered += other.n_uncovered

    def table(self, pattern: SplitPattern, special_tokens: tuple[str, ...], facts: CorpusFacts) -> WordTable:
        """Return the words."""
        counts = {word.encode(): count for word, count in self._counts.items()}
        return table_of(counts, pattern, special_tokens, facts)

    def _counted(self, text: str) -> Iterator[str]:
        """Count what lies between two walls, and yield it block after block."""
        if self._pattern.is_named:
            for block, pre_tokens in self._pattern.split_blocks(text):
                self._counts.update(pre_tokens)
                yield block
            return
        spans, done = self._pattern.spans(text), 0
        while some := list(islice(spans, _SPANS)):
            self._counts.update([text[start:end] for start, end, _ in some])
            self.n_uncovered += sum(not covered for _, _, covered in some)
            yield text[done : some[-1][1]]
            done = some[-1][1]


def warm_up(kernels: SimpleNamespace) -> None:
    """Compile or load the kernel that looks for bad bytes; `fast_counting` does so for the others."""
    FastCounting(KINDS["gpt2"], Walls((), False), kernels).n_characters(padded(b"a"), 1)
