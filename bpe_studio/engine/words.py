"""Words: a corpus cut into pre-tokens and counted, in order of first appearance.

First special strings are cut out, leftmost, then longest; then the split pattern cuts what lies between. Each
special string, line (if asked for) and document is a wall: no pre-token crosses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from bpe_studio.engine import kernels
from bpe_studio.engine.corpus import Corpus, CorpusSource, Progress, walls
from bpe_studio.engine.corpus_counting import count_corpus, counted_part
from bpe_studio.engine.errors import PatternError
from bpe_studio.engine.fast_counting import KINDS
from bpe_studio.engine.patterns import SplitPattern, resolve_pattern
from bpe_studio.engine.reading import Watched
from bpe_studio.engine.special_strings import checked_special_tokens, cut_specials
from bpe_studio.engine.word_table import MAX_BYTES, CorpusFacts, WordTable, table_of, table_of_arrays

__all__ = ["CorpusFacts", "WordTable", "count_words"]

REPORT_BYTES = 1 << 18
"""Bytes counted between two calls of `progress`: a few tens a second."""

MIN_BYTES_FOR_KERNELS = {"loaded": 100_000, "cached": 2_000_000}
"""Bytes from which the kernels are worth their table of characters, or worth being loaded. A cold cache is
never waited for: compiling takes as long as counting a hundred megabytes in Python."""

_SPANS = 10_000  # pre-tokens of a user's own expression counted between two looks at the clock


def count_words(
    source: CorpusSource | WordTable,
    *,
    pattern: str | SplitPattern = "gpt4",
    special_tokens: tuple[str, ...] | list[str] = (),
    errors: str = "strict",
    lines: bool = False,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> WordTable:
    """Unique pre-tokens of a corpus and how often each occurs.

    Parameters
    ----------
    source : str, bytes, Path, Corpus, WordTable, or an iterable of the first three
        The text, as `Corpus.from_source` takes it. A WordTable is passed through as it is.
    pattern : str or SplitPattern
        The name of a split pattern, or a regular expression.
    special_tokens : sequence of str
        Strings that are cut out before the pattern and are no words.
    errors : str
        "strict", "replace" or "skip": what to do about bytes that are not text.
    lines : bool
        Whether each line is a wall.
    n_threads : int or None
        Threads for counting, two at most; None takes what the machine has. The result does not depend on it.
    progress : callable or None
        ``progress("reading" or "counting", bytes, total or None)``; False cancels.

    Returns
    -------
    WordTable
        Words in order of first appearance. When cancelled it has what was counted, and its facts are those
        of the text that was counted.

    Raises
    ------
    CorpusError, PatternError, SpecialTokenError
        If the text cannot be read, or not be cut.

    Examples
    --------
    >>> list(count_words("a b a", pattern="gpt2").items())
    [(b'a', 1), (b' b', 1), (b' a', 1)]
    """
    if isinstance(source, WordTable):
        return source
    tally = _Tally(resolve_pattern(pattern), checked_special_tokens(special_tokens))
    watched = Watched(progress)
    corpus = Corpus.from_source(source, errors=errors, lines=lines, progress=watched)
    kind = KINDS.get(tally.pattern.name)
    if kind is not None and wants_kernels(corpus.n_bytes):
        return _fast_table(corpus, kind, tally, watched, n_threads)
    counted = corpus if _count(corpus, tally, watched) else tally.counted_part(corpus)
    counts = {word.encode(): count for word, count in tally.counts.items()}
    facts = _facts(counted, tally.n_uncovered, tally.n_specials)
    return table_of(counts, tally.pattern, tally.special_tokens, facts)


def wants_kernels(n_bytes: int) -> bool:
    """Return whether compiled kernels are at hand, or quickly enough loaded for so many bytes."""
    return n_bytes >= MIN_BYTES_FOR_KERNELS.get(kernels.status(), MAX_BYTES)


def _facts(counted: Corpus, n_uncovered: int, n_specials: int) -> CorpusFacts:
    n_documents, fingerprint = len(counted.documents), counted.fingerprint()
    n_bytes, n_characters = counted.n_bytes, counted.n_characters
    return CorpusFacts(n_documents, n_bytes, n_characters, fingerprint, n_uncovered, n_specials)


def _fast_table(
    corpus: Corpus, kind: int, tally: _Tally, progress: Watched, n_threads: int | None
) -> WordTable:
    """Count by compiled kernels; these patterns cover any text."""
    total = corpus.n_bytes
    found = count_corpus(
        corpus, kind, tally.special_tokens, kernels.load(), n_threads=n_threads,
        go_on=lambda done: progress("counting", done, total),
    )  # fmt: skip
    counted = corpus if found.is_whole else counted_part(corpus, found)
    facts = _facts(counted, 0, found.n_specials)
    utf8, offsets = found.counter.words()
    return table_of_arrays(utf8, offsets, found.counter.counts(), tally.pattern, tally.special_tokens, facts)


@dataclass
class _Tally:
    """Counts so far, and how far in the corpus they go. A dict keeps the order of first appearance."""

    pattern: SplitPattern
    special_tokens: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    n_uncovered: int = 0
    n_specials: int = 0
    n_documents: int = 0  # counted whole
    n_characters: int = 0  # counted of the document after them

    def add(self, text: str) -> Iterator[int]:
        """Count the text between two walls, and yield how many characters were counted, part after part."""
        for start, end, special in cut_specials(text, self.special_tokens):
            if special:
                self.n_specials += 1
                yield end - start
                continue
            part = text[start:end]
            yield from self._add_blocks(part) if self.pattern.is_named else self._add_spans(part)

    def _add_blocks(self, text: str) -> Iterator[int]:
        for block, pre_tokens in self.pattern.split_blocks(text):
            self.counts.update(pre_tokens)
            yield len(block)

    def _add_spans(self, text: str) -> Iterator[int]:
        spans, done = self.pattern.spans(text), 0
        while some := list(islice(spans, _SPANS)):
            self.counts.update([text[start:end] for start, end, _ in some])
            self.n_uncovered += sum(not covered for _, _, covered in some)
            yield some[-1][1] - done
            done = some[-1][1]

    def counted_part(self, corpus: Corpus) -> Corpus:
        """The documents that were counted, the last of them as far as it was counted."""
        documents = corpus.documents[: self.n_documents]
        if self.n_characters:
            whole = corpus.documents[self.n_documents]
            text = whole.text[: self.n_characters]
            documents += (replace(whole, utf8=text.encode(), n_characters=len(text)),)
        return replace(corpus, documents=documents)


def _count(corpus: Corpus, tally: _Tally, progress: Watched) -> bool:
    """Count a corpus; False if it was cancelled."""
    total, before, reported = corpus.n_bytes, 0, 0
    if not progress("counting", 0, total):
        return False
    for document in corpus.documents:
        for n in _counted(document.name, walls(document, corpus.lines), tally):
            tally.n_characters += n
            # Bytes in proportion to characters: measuring each part would take longer than counting it.
            done = before + document.n_bytes * tally.n_characters // document.n_characters
            if done - reported >= REPORT_BYTES:
                reported = done
                if not progress("counting", done, total):
                    return False
        before += document.n_bytes
        tally.n_documents, tally.n_characters = tally.n_documents + 1, 0
    # Nothing is left to cancel.
    progress("counting", total, total)
    return True


def _counted(name: str, texts: Iterator[str], tally: _Tally) -> Iterator[int]:
    """Characters counted, part after part; an error says in which document."""
    try:
        for text in texts:
            yield from tally.add(text)
    except PatternError as error:
        place = f"In {name}, in the part that starts near character {tally.n_characters:,}: "
        raise PatternError(place + str(error), position=error.position) from None
