"""Words: a corpus cut into pre-tokens and counted, in order of first appearance.

First special strings are cut out, leftmost, then longest; then the split pattern cuts what lies between. Each
special string, line (if asked for) and document is a wall: no pre-token crosses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from bpe_studio.engine import kernels
from bpe_studio.engine.corpus import Corpus, CorpusSource, Progress
from bpe_studio.engine.corpus_counting import count_corpus
from bpe_studio.engine.documents import check_errors
from bpe_studio.engine.fast_counting import KINDS
from bpe_studio.engine.items import Item, items_of
from bpe_studio.engine.patterns import SplitPattern, resolve_pattern
from bpe_studio.engine.reading import Watched
from bpe_studio.engine.special_strings import checked_special_tokens
from bpe_studio.engine.text_cuts import cuts_of
from bpe_studio.engine.word_counting import FastCounting, PlainCounting, Walls, WordCounting
from bpe_studio.engine.word_table import MAX_BYTES, CorpusFacts, WordTable

__all__ = ["CorpusFacts", "WordTable", "count_words"]

MIN_BYTES_FOR_KERNELS = {"loaded": 100_000, "cached": 2_000_000}
"""Bytes from which the kernels are worth their table of characters, or worth being loaded. A cold cache is
never waited for: compiling takes as long as counting a hundred megabytes in Python."""


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
        ``progress("counting", bytes, total or None)``, from the calling thread; False cancels.

    Returns
    -------
    WordTable
        Words in order of first appearance. When cancelled it has what was counted, and its facts are those
        of the text that was counted.

    Raises
    ------
    CorpusError, PatternError, SpecialTokenError
        If the text cannot be read, or not be cut.

    Notes
    -----
    Files are read and counted in one stream, so memory follows the unique words. Only documents that cannot
    be cut (a user's own pattern without `lines`), are in UTF-16 or have bad bytes to replace are held whole,
    one at a time.

    Examples
    --------
    >>> list(count_words("a b a", pattern="gpt2").items())
    [(b'a', 1), (b' b', 1), (b' a', 1)]
    """
    return count_source(
        source, pattern=pattern, special_tokens=special_tokens, errors=errors, lines=lines,
        n_threads=n_threads, progress=progress,
    )[0]  # fmt: skip


def count_source(
    source: CorpusSource | WordTable,
    *,
    pattern: str | SplitPattern,
    special_tokens: tuple[str, ...] | list[str],
    errors: str,
    lines: bool,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[WordTable, list[str]]:
    """As `count_words`, and what was left out or not as it should be, in words."""
    if isinstance(source, WordTable):
        return source, []
    check_errors(errors)
    split, specials = resolve_pattern(pattern), checked_special_tokens(special_tokens)
    if isinstance(source, Corpus):
        lines = lines or source.lines
        source = source.documents
    items, is_large = _looked_ahead(items_of(source))
    walls, kind, watched = Walls(specials, lines), KINDS.get(split.name), Watched(progress)

    def make_words() -> WordCounting:
        if kind is None or not is_large:
            return PlainCounting(split, walls)
        return FastCounting(kind, walls, kernels.load())

    counted = count_corpus(
        items,
        make_words,
        cuts_of(split, specials, lines),
        errors=errors,
        lines=lines,
        # Threads of Python would only wait for one another.
        n_threads=1 if kind is None or not is_large else n_threads,
        progress=lambda done, total: watched("counting", done, total),
    )
    return counted.words.table(split, specials, counted.facts()), counted.notes


def _looked_ahead(items: Iterable[Item]) -> tuple[Iterable[Item], bool]:
    """Return the items, and whether they have enough text for compiled kernels."""
    needed = MIN_BYTES_FOR_KERNELS.get(kernels.status(), MAX_BYTES)
    if isinstance(items, list):
        return items, sum(item.n_bytes for item in items) >= needed
    seen, n_bytes = [], 0
    for item in items:
        seen.append(item)
        n_bytes += item.n_bytes
        if n_bytes >= needed:
            return chain(seen, items), True
    return seen, False
