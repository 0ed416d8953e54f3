"""Counting a whole corpus by the compiled kernels: what lies between walls, on one thread or two.

The second thread takes the second half of the text, with a table of its own that is added at the end:
so the words stand in the same order of first appearance, whatever the number of threads.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np

from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.documents import Document
from bpe_studio.engine.fast_counting import FastCounter, Parts, padded

MIN_BYTES_FOR_TWO = 1 << 21
"""Bytes from which a second thread is worth its table."""

# A place where no match of a named pattern crosses, whatever comes before and after; see `pattern_matching`.
SAFE_CUT = re.compile(rb"[A-Za-z0-9](?=[ \n])")

WAIT_SECONDS = 0.02


@dataclass
class Stretch:
    """Part of a corpus that one thread counts: some documents, the first and last perhaps cut."""

    texts: list[tuple[int, bytes]]
    """Index and UTF-8 of each document, or of what is counted of it here."""
    counter: FastCounter
    n_specials: int = 0
    done: int = 0
    """Bytes counted."""
    place: tuple[int, int] = (0, 0)
    """Document counted now, and bytes of it that are counted."""
    error: BaseException | None = field(default=None)

    def count(self, cut: Callable[[bytes], tuple[Parts, int]], go_on: Callable[[], bool]) -> bool:
        """Count everything; False if `go_on` said so."""
        for index, utf8 in self.texts:
            parts, n_specials = cut(utf8)
            before = self.done

            def reached(at: int, index: int = index, before: int = before) -> bool:
                self.done, self.place = before + at, (index, at)
                return go_on()

            if not self.counter.add(padded(utf8), parts, reached):
                return False
            self.n_specials += n_specials
            self.done, self.place = before + len(utf8), (index + 1, 0)
        return go_on()


@dataclass(frozen=True)
class Counted:
    """What was counted: the words, and how far in the corpus."""

    counter: FastCounter
    n_specials: int
    n_documents: int
    """Documents counted whole."""
    n_bytes: int
    """Bytes counted of the document after them."""
    is_whole: bool


def count_corpus(
    corpus: Corpus,
    kind: int,
    special_tokens: tuple[str, ...],
    kernels: SimpleNamespace,
    *,
    n_threads: int | None = None,
    go_on: Callable[[int], bool],
) -> Counted:
    """Count the words of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The text.
    kind : int
        The split pattern, one of `fast_counting.KINDS`.
    special_tokens : tuple of str
        Cut out before the pattern.
    kernels : namespace
        What `bpe_studio.engine.kernels.load` returns.
    n_threads : int or None
        One or two; None takes what the machine has.
    go_on : callable
        Called in this thread with the bytes counted; False stops.

    Returns
    -------
    Counted
        When stopped, what the first thread had counted: the beginning of the corpus.
    """
    cut = part_cutter(corpus.lines, special_tokens)
    first, second = (
        Stretch(texts, FastCounter(kind, kernels)) for texts in _halves(corpus, n_threads, special_tokens)
    )
    stop = threading.Event()
    thread = threading.Thread(target=_count_quietly, args=(second, cut, stop), name="counting")
    if second.texts:
        thread.start()
    try:
        is_whole = go_on(0) and first.count(cut, lambda: go_on(first.done + second.done))
        while is_whole and thread.is_alive():
            thread.join(WAIT_SECONDS)
            is_whole = go_on(first.done + second.done)
    finally:
        stop.set()
        if second.texts:
            thread.join()
    if second.error is not None:
        raise second.error
    if not is_whole:
        return Counted(first.counter, first.n_specials, *first.place, is_whole=False)
    go_on(corpus.n_bytes)
    first.counter.add_words_of(second.counter)
    n_specials = first.n_specials + second.n_specials
    return Counted(first.counter, n_specials, len(corpus.documents), 0, is_whole=True)


def _count_quietly(
    stretch: Stretch, cut: Callable[[bytes], tuple[Parts, int]], stop: threading.Event
) -> None:
    try:
        stretch.count(cut, lambda: not stop.is_set())
    except BaseException as error:  # raised where the caller is
        stretch.error = error


Texts = list[tuple[int, bytes]]


def _halves(corpus: Corpus, n_threads: int | None, special_tokens: tuple[str, ...]) -> tuple[Texts, Texts]:
    """Return the corpus in two stretches of about the same size; the second is empty for one thread."""
    texts = [(index, document.utf8) for index, document in enumerate(corpus.documents)]
    wants_two = (n_threads or os.cpu_count() or 1) > 1 and corpus.n_bytes >= MIN_BYTES_FOR_TWO
    if not wants_two or any(SAFE_CUT.search(token.encode()) for token in special_tokens):
        return texts, []
    before, half = 0, corpus.n_bytes // 2
    for place, (index, utf8) in enumerate(texts):
        if before + len(utf8) >= half:
            cut = _safe_cut(utf8, half - before)
            return [*texts[:place], (index, utf8[:cut])], [(index, utf8[cut:]), *texts[place + 1 :]]
        before += len(utf8)
    return texts, []


def _safe_cut(utf8: bytes, wanted: int) -> int:
    """Return the first place from `wanted` on where the text may be cut, or its end."""
    found = SAFE_CUT.search(utf8, max(wanted, 0))
    return len(utf8) if found is None else found.end()


def part_cutter(lines: bool, special_tokens: tuple[str, ...]) -> Callable[[bytes], tuple[Parts, int]]:
    """Return a function from a document's UTF-8 to the parts between walls, and how many specials it held."""
    # The alternatives are tried in turn, so the longest has to come first.
    longest_first = sorted((token.encode() for token in special_tokens), key=len, reverse=True)
    special = re.compile(b"|".join(map(re.escape, longest_first))) if special_tokens else None

    def cut(utf8: bytes) -> tuple[Parts, int]:
        ends = np.array([0, len(utf8)], np.int64)
        if lines:
            after = np.flatnonzero(np.frombuffer(utf8, np.uint8) == ord("\n")) + 1
            ends = np.unique(np.concatenate([ends, after]))
        parts = np.stack([ends[:-1], ends[1:]], axis=1)
        if special is None:
            return parts, 0
        kept = [part for start, end in parts.tolist() for part in _between(special, utf8, start, end)]
        n_specials = sum(len(special.findall(utf8, start, end)) for start, end in parts.tolist())
        return np.array(kept, np.int64).reshape(-1, 2), n_specials

    return cut


def _between(special: re.Pattern[bytes], utf8: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Starts and ends of what lies between special strings."""
    for match in special.finditer(utf8, start, end):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < end:
        yield start, end


def counted_part(corpus: Corpus, counted: Counted) -> Corpus:
    """Return the beginning of a corpus that was counted."""
    documents: tuple[Document, ...] = corpus.documents[: counted.n_documents]
    if counted.n_bytes:
        whole = corpus.documents[counted.n_documents]
        utf8 = whole.utf8[: counted.n_bytes]
        documents += (replace(whole, utf8=utf8, n_characters=len(utf8.decode())),)
    return replace(corpus, documents=documents)
