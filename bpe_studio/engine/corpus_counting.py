"""Counting a corpus as it is read, on one thread or two: memory follows the words, not the text.

The second thread takes the second half of the text, with a table of its own that is added at the end:
so the words stand in the same order of first appearance, whatever the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bpe_studio.engine.chunks import ChunkBuffer
from bpe_studio.engine.corpus_hash import CorpusHash
from bpe_studio.engine.errors import CorpusError, PatternError
from bpe_studio.engine.items import Item, OpenText
from bpe_studio.engine.text_cuts import TextCuts
from bpe_studio.engine.word_counting import WordCounting
from bpe_studio.engine.word_table import CorpusFacts

MIN_BYTES_FOR_TWO = 1 << 25
"""Bytes from which a second thread is worth its table: both wait for one another where memory is new."""

REPORT_BYTES = 1 << 18
"""Bytes counted between two looks at whether to go on: a few hundred a second."""

WAIT_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Part:
    """A document, or what one thread counts of it: from `start` to `stop`, in bytes of its text."""

    item: Item
    start: int = 0
    stop: int | None = None


class Stretch:
    """Documents that one thread counts, the first and the last perhaps cut.

    Parameters
    ----------
    parts : iterable of Part
        The documents.
    words : WordCounting
        Counts.
    hashed : CorpusHash
        Takes the text that was counted.
    cuts : TextCuts or None
        Where text may be cut; None if a document must be seen whole.
    errors : str
        "strict", "replace" or "skip".

    Attributes
    ----------
    done : int
        Bytes counted.
    notes : list of str
        What was left out, or not as it should be, in words.
    error : BaseException or None
        What ended the other thread.
    """

    done: int
    notes: list[str]
    error: BaseException | None

    def __init__(
        self,
        parts: Iterable[Part],
        words: WordCounting,
        hashed: CorpusHash,
        cuts: TextCuts | None,
        errors: str,
    ) -> None:
        self.words, self.done, self.error, self.notes = words, 0, None, []
        self._parts, self._hashed, self._cuts, self._errors = parts, hashed, cuts, errors
        self._buffer = ChunkBuffer()
        self._reported = 0
        self._n_documents = self._n_characters = 0
        self._at = 0  # bytes counted of the document in work

    def count(self, go_on: Callable[[], bool]) -> bool:
        """Count everything; False if `go_on` said so: then what was counted is the beginning of it."""
        for part in self._parts:
            try:
                text = part.item.open(self._errors)
            except CorpusError as error:
                if self._errors != "skip":
                    raise
                self.notes.append(f"left out: {error}")
                continue
            with text:
                if part.start == 0:
                    self.notes += [f"{text.item.name}: {problem}" for problem in text.problems]
                if not self._count_part(text, part, go_on):
                    return False
                if part.stop is None:
                    text.check_unchanged()
                    self._end_document()
        return True

    def _count_part(self, text: OpenText, part: Part, go_on: Callable[[], bool]) -> bool:
        self._at, n_before = part.start, self._n_characters
        for end in self._buffer.chunks(text, part.start, part.stop, self._cuts):
            chunk, done = self._buffer.array, self.done

            def reached(at: int, done: int = done) -> bool:
                self.done = done + at
                if self.done - self._reported < REPORT_BYTES:
                    return True
                self._reported = self.done
                return go_on()

            try:
                n_characters = self.words.n_characters(chunk, end)
                is_whole = self.words.add(chunk, end, reached)
            except UnicodeDecodeError as error:
                raise text.bad_byte(text.start + self._at + error.start, error.reason) from None
            except PatternError as error:
                place = self._n_characters - n_before + self.words.n_characters(chunk, self.words.reached)
                where = f"In {text.item.name}, in the part that starts near character {place:,}: "
                raise PatternError(where + str(error), position=error.position) from None
            n = self.words.reached
            self._hashed.update(self._buffer.view[:n])
            self._at += n
            self._n_characters += n_characters if is_whole else self.words.n_characters(chunk, n)
            self.done = done + n
            if not is_whole:
                return False
        return True

    def _end_document(self) -> None:
        self._hashed.end_document()
        self._n_documents += 1
        self._at = 0

    def follow(self, other: Stretch) -> None:
        """Add all that was counted of the stretch after this one."""
        self.words.follow(other.words)
        self._hashed.follow(other._hashed)
        self._n_documents += other._n_documents
        self.done += other.done
        self._n_characters += other._n_characters
        self.notes += other.notes
        self._at = other._at

    def facts(self) -> CorpusFacts:
        """Return the sizes of what was counted, the last document as far as it was."""
        if self._at:
            self._end_document()
        return CorpusFacts(
            self._n_documents, self.done, self._n_characters, self._hashed.hexdigest(),
            self.words.n_uncovered, self.words.n_specials,
        )  # fmt: skip


def count_corpus(
    items: Iterable[Item],
    make_words: Callable[[], WordCounting],
    cuts: TextCuts | None,
    *,
    errors: str,
    lines: bool,
    n_threads: int | None,
    progress: Callable[[int, int | None], bool],
) -> Stretch:
    """Count the words of a corpus.

    Parameters
    ----------
    items : iterable of Item
        The documents. A list is known beforehand, and may be shared by two threads.
    make_words : callable
        Makes what counts, for each thread.
    cuts : TextCuts or None
        Where text may be cut.
    errors : str
        "strict", "replace" or "skip".
    lines : bool
        Whether each line is a wall of its own.
    n_threads : int or None
        One or two; None takes what the machine has.
    progress : callable
        Called in this thread with the bytes counted and all there are, if that is known; False stops.

    Returns
    -------
    Stretch
        The corpus; when stopped, as far as the first thread had counted it.

    Raises
    ------
    CorpusError, PatternError
        The first, in the order of the corpus, that there is.
    """
    total = sum(item.n_bytes for item in items) if isinstance(items, list) else None

    def told(done: int) -> bool:
        # Replaced text, and that in UTF-16, may have more bytes than were listed.
        return progress(done, None if total is None else max(done, total))

    halves: tuple[Iterable[Part], list[Part]] = map(Part, items), []
    if isinstance(items, list) and cuts is not None and (n_threads or os.cpu_count() or 1) > 1:
        if total is not None and total >= MIN_BYTES_FOR_TWO:
            halves = _halves(items, total // 2, cuts, errors)
    first = Stretch(halves[0], make_words(), CorpusHash(lines), cuts, errors)
    if not told(0):
        return first
    if not halves[1]:
        is_whole = first.count(lambda: told(first.done))
    else:
        second = Stretch(halves[1], make_words(), CorpusHash(lines, halves[1][0].start), cuts, errors)
        is_whole = _count_both(first, second, lambda: told(first.done + second.done))
        if is_whole:
            first.follow(second)
    if is_whole:
        progress(first.done, first.done)  # nothing is left to cancel
    return first


def _count_both(first: Stretch, second: Stretch, go_on: Callable[[], bool]) -> bool:
    """Count two stretches at once; False if `go_on` said so."""
    stop = threading.Event()
    thread = threading.Thread(target=_count_quietly, args=(second, stop), name="counting")
    thread.start()
    try:
        is_whole = first.count(go_on)
        while is_whole and thread.is_alive():
            thread.join(WAIT_SECONDS)
            is_whole = go_on()
    finally:
        stop.set()
        thread.join()
    if is_whole and second.error is not None:
        raise second.error
    return is_whole


def _count_quietly(stretch: Stretch, stop: threading.Event) -> None:
    try:
        stretch.count(lambda: not stop.is_set())
    except BaseException as error:  # raised where the caller is
        stretch.error = error


def _halves(items: list[Item], half: int, cuts: TextCuts, errors: str) -> tuple[Iterable[Part], list[Part]]:
    """Return the documents in two stretches, the first of about `half` bytes."""
    place, before = 0, 0
    while before + items[place].n_bytes < half:
        before += items[place].n_bytes
        place += 1
    item, cut = _cut_near(items[place], half - before, cuts, errors)
    first, second = [Part(one) for one in items[:place]], [Part(one) for one in items[place + 1 :]]
    if not cut:
        return [*first, Part(item)], second
    return [*first, Part(item, 0, cut)], [Part(item, cut), *second]


def _cut_near(item: Item, wanted: int, cuts: TextCuts, errors: str) -> tuple[Item, int]:
    """Return a document, looked at once, and the first place from `wanted` on where it may be cut, or 0."""
    try:
        text = item.open(errors)
    except CorpusError:
        return item, 0  # it says so again where it is counted
    with text:
        start, size = max(0, wanted - cuts.margin - 1), 1 << 12
        while True:
            data = bytearray(size)
            text.seek(start)
            n = text.read_into(memoryview(data))
            found = cuts.first(bytes(data[:n]), wanted - start, is_end=n < size)
            if found or n < size:
                return text.item, start + found if found else 0
            size *= 16
