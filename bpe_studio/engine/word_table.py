"""The table of words: unique pre-tokens, how often each occurs, in order of first appearance.

Training needs nothing else of a corpus. `count_words` in words.py makes a table out of text, and word_file.py
keeps it on the disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.errors import CorpusError, PatternError, SpecialTokenError
from bpe_studio.engine.patterns import SplitPattern, resolve_pattern
from bpe_studio.engine.special_strings import checked_special_tokens

MAX_BYTES = 2**63 - 1
"""Most bytes of text that a table may stand for: counts of pairs must fit into int64."""


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """Sizes of the corpus that a table of words was counted from.

    Parameters
    ----------
    n_documents : int
        Documents; 0 if the words came with their counts.
    n_bytes : int
        Bytes of text in UTF-8, special strings included.
    n_characters : int
        Code points.
    fingerprint : str
        SHA-256, in hexadecimal, of the text and its walls.
    n_uncovered : int
        Pre-tokens that no match of the split pattern covers.
    n_specials : int
        Special strings that were cut out.
    """

    n_documents: int
    n_bytes: int
    n_characters: int
    fingerprint: str
    n_uncovered: int = 0
    n_specials: int = 0


@dataclass(frozen=True, eq=False)
class WordTable:
    """Unique pre-tokens with their counts. The arrays are read-only.

    Parameters
    ----------
    utf8 : ndarray of uint8, shape (n_bytes_of_unique_words,)
        The words' UTF-8, one after the other, in order of first appearance.
    offsets : ndarray of int64, shape (n_words + 1,)
        Where each word starts in `utf8`, in bytes, and where the last one ends.
    counts : ndarray of int64, shape (n_words,)
        How often each word occurs, 1 or more.
    pattern : SplitPattern
        The split pattern that cut the words.
    special_tokens : tuple of str
        Special strings that were cut out of the text.
    facts : CorpusFacts
        Sizes of the corpus.
    """

    utf8: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    pattern: SplitPattern
    special_tokens: tuple[str, ...]
    facts: CorpusFacts

    def __len__(self) -> int:
        return len(self.counts)

    def word(self, index: int) -> bytes:
        """UTF-8 of a word.

        Parameters
        ----------
        index : int
            Row, from 0.

        Returns
        -------
        bytes
            The word.
        """
        return self.utf8[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def text(self, index: int) -> str:
        """Text of a word.

        Parameters
        ----------
        index : int
            Row, from 0.

        Returns
        -------
        str
            The word.
        """
        return self.word(index).decode()

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Words with their counts, in order of first appearance.

        Yields
        ------
        word : bytes
            UTF-8 of the word.
        count : int
            How often it occurs.
        """
        data, offsets = self.utf8.tobytes(), self.offsets.tolist()
        for start, end, count in zip(offsets[:-1], offsets[1:], self.counts.tolist(), strict=True):
            yield data[start:end], count

    @property
    def n_pre_tokens(self) -> int:
        """Pre-tokens of the corpus: the sum of the counts."""
        return int(self.counts.sum())

    @property
    def n_bytes(self) -> int:
        """Bytes of the corpus in UTF-8, special strings left out: the base tokens of a byte alphabet."""
        return int(np.dot(np.diff(self.offsets), self.counts))

    @classmethod
    def from_counts(
        cls,
        pairs: Iterable[tuple[str | bytes, int]],
        pattern: str | SplitPattern = "none",
        special_tokens: Sequence[str] = (),
    ) -> WordTable:
        """A table out of words that are counted already.

        Parameters
        ----------
        pairs : iterable of (str or bytes, int)
            Words and counts of 1 or more; equal words are added up, empty ones left out.
        pattern : str or SplitPattern
            The split pattern that cut the words; the words are not cut again.
        special_tokens : sequence of str
            Special strings that were cut out of the text.

        Returns
        -------
        WordTable
            The words in order of first appearance; `facts.n_documents` is 0, because nobody knows.

        Raises
        ------
        CorpusError
            If a count is no integer of 1 or more, a word is not UTF-8, or the sum does not fit into int64.

        Examples
        --------
        >>> table = WordTable.from_counts([("low", 5), ("lower", 2), ("low", 1)])
        >>> list(table.items())
        [(b'low', 6), (b'lower', 2)]
        """
        counts: dict[bytes, int] = {}
        if not isinstance(pairs, Iterable):
            raise CorpusError(f"Counted words are pairs of a word and its count, not {type(pairs).__name__}.")
        for row, pair in enumerate(pairs):
            if isinstance(pair, str | bytes) or not isinstance(pair, Sequence) or len(pair) != 2:
                raise CorpusError(f"Row {row + 1} must be a word and its count, not {pair!r}.")
            word, count = pair
            utf8 = _word_utf8(word, row)
            counts[utf8] = counts.get(utf8, 0) + _checked_count(count, row)
        counts.pop(b"", None)
        specials = checked_special_tokens(special_tokens)
        return table_of(counts, resolve_pattern(pattern), specials, _facts_of(counts))

    @classmethod
    def merge(cls, tables: Sequence[WordTable]) -> WordTable:
        """One table out of several, as if their documents stood in one corpus in that order.

        Parameters
        ----------
        tables : sequence of WordTable
            One table or more, with the same split pattern and special tokens.

        Returns
        -------
        WordTable
            The words with their counts added up. The facts are added up too; the fingerprint is that of the
            tables' fingerprints, because the text is not here any more.

        Raises
        ------
        PatternError, SpecialTokenError
            If the tables were not cut alike.
        CorpusError
            If there is no table.
        """
        tables = tuple(tables) if isinstance(tables, Iterable) else ()
        if not tables or not all(isinstance(table, WordTable) for table in tables):
            raise CorpusError("What is merged is a list of tables of words, one or more.")
        for table in tables[1:]:
            _check_cut_alike(tables[0], table)
        if len(tables) == 1:
            return tables[0]
        counts: dict[bytes, int] = {}
        for table in tables:
            for word, count in table.items():
                counts[word] = counts.get(word, 0) + count
        return table_of(counts, tables[0].pattern, tables[0].special_tokens, _merged_facts(tables))

    def save(self, path: Path | str) -> None:
        """Write the table to a file, which is replaced only when all of it is written.

        Parameters
        ----------
        path : Path or str
            The file, by custom *.npz.

        Raises
        ------
        FormatError
            If it cannot be written.
        """
        from bpe_studio.engine.word_file import save_words  # the file's reader makes tables

        save_words(self, Path(path))

    @classmethod
    def load(cls, path: Path | str) -> WordTable:
        """Read a table from a file that `save` wrote.

        Parameters
        ----------
        path : Path or str
            The file.

        Returns
        -------
        WordTable
            The table.

        Raises
        ------
        FormatError
            If there is no such file, or it is damaged.
        """
        from bpe_studio.engine.word_file import load_words

        return load_words(Path(path))


def table_of(
    counts: dict[bytes, int], pattern: SplitPattern, special_tokens: tuple[str, ...], facts: CorpusFacts
) -> WordTable:
    """A table out of a dict of words.

    Parameters
    ----------
    counts : dict of bytes to int
        UTF-8 of each word and its count, in order of first appearance.
    pattern, special_tokens, facts
        As `WordTable` has them.

    Returns
    -------
    WordTable
        The table.

    Raises
    ------
    CorpusError
        If the words stand for 2^63 bytes or more.
    """
    n_bytes = sum(len(word) * count for word, count in counts.items())
    if n_bytes > MAX_BYTES:
        raise CorpusError(f"The words stand for {n_bytes:,} bytes of text; the most is {MAX_BYTES:,}.")
    lengths = np.fromiter(map(len, counts), np.int64, len(counts))
    return WordTable(
        _read_only(np.frombuffer(b"".join(counts), np.uint8)),
        _read_only(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])),
        _read_only(np.fromiter(counts.values(), np.int64, len(counts))),
        pattern,
        special_tokens,
        facts,
    )


def _check_cut_alike(first: WordTable, other: WordTable) -> None:
    if first.pattern.expression != other.pattern.expression:
        raise PatternError(
            f"The tables were cut by different split patterns: {first.pattern.name} and {other.pattern.name}."
        )
    if first.special_tokens != other.special_tokens:
        raise SpecialTokenError("The tables were cut at different special tokens.")


def _merged_facts(tables: Sequence[WordTable]) -> CorpusFacts:
    facts = [table.facts for table in tables]
    digest = hashlib.sha256(b"merged\n" + "\n".join(f.fingerprint for f in facts).encode())
    return CorpusFacts(
        sum(f.n_documents for f in facts),
        sum(f.n_bytes for f in facts),
        sum(f.n_characters for f in facts),
        digest.hexdigest(),
        sum(f.n_uncovered for f in facts),
        sum(f.n_specials for f in facts),
    )


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _word_utf8(word: str | bytes, row: int) -> bytes:
    if not isinstance(word, str | bytes):
        raise CorpusError(f"Word {row + 1} must be str or bytes, not {type(word).__name__}.")
    try:
        return word.encode() if isinstance(word, str) else word.decode().encode()
    except UnicodeError as error:
        raise CorpusError(f"Word {row + 1} has no valid UTF-8: {error}.") from None


def _checked_count(count: int, row: int) -> int:
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise CorpusError(f"The count of word {row + 1} must be an integer, not {type(count).__name__}.")
    if count < 1:
        raise CorpusError(f"The count of word {row + 1} is {count}; it must be 1 or more.")
    return int(count)


def _facts_of(counts: dict[bytes, int]) -> CorpusFacts:
    """Sizes of words that came without a corpus; their fingerprint is that of the words and counts."""
    digest = hashlib.sha256(b"words\n")
    for word, count in counts.items():
        digest.update(b"%d %d %b" % (len(word), count, word))
    n_bytes = sum(len(word) * count for word, count in counts.items())
    n_characters = sum(len(word.decode()) * count for word, count in counts.items())
    return CorpusFacts(0, n_bytes, n_characters, digest.hexdigest())


def table_of_arrays(
    utf8: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    pattern: SplitPattern,
    special_tokens: tuple[str, ...],
    facts: CorpusFacts,
) -> WordTable:
    """A table out of its arrays, which nobody else may write.

    Parameters
    ----------
    utf8, offsets, counts, pattern, special_tokens, facts
        As `WordTable` has them.

    Returns
    -------
    WordTable
        The table.
    """
    return WordTable(
        _read_only(utf8), _read_only(offsets), _read_only(counts), pattern, special_tokens, facts
    )
