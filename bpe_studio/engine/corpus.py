"""The corpus: documents in order, and the walls between them.

A source is a str or bytes (one document, never a path), a Path (a file, or a folder with all files below it),
an iterable of these, or a Corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from bpe_studio.engine.corpus_hash import CorpusHash
from bpe_studio.engine.documents import Document, check_errors
from bpe_studio.engine.errors import CorpusError
from bpe_studio.engine.items import Item, items_of
from bpe_studio.engine.reading import Progress, ReadingMeter, read_document

__all__ = ["Corpus", "CorpusSource", "Document", "Progress", "read_document"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in the order in which they count.

    Parameters
    ----------
    documents : tuple of Document
        The documents; empty ones are fine.
    lines : bool
        Whether each line is a wall of its own, and not only each document.
    skipped : tuple of str
        What was left out, and why, in words.
    """

    documents: tuple[Document, ...] = ()
    lines: bool = False
    skipped: tuple[str, ...] = ()

    @property
    def n_bytes(self) -> int:
        """Bytes of text in UTF-8."""
        return sum(document.n_bytes for document in self.documents)

    @property
    def n_characters(self) -> int:
        """Code points."""
        return sum(document.n_characters for document in self.documents)

    def texts(self) -> Iterator[str]:
        r"""Text between walls: documents or, with `lines`, lines with their ends.

        Yields
        ------
        str
            A document, or a line with its end. Lines end at "\n" only, so "\r\n" stays on its line.
        """
        for document in self.documents:
            yield from walls(document, self.lines)

    def fingerprint(self) -> str:
        """What tells this text, with its walls, from any other.

        Returns
        -------
        str
            SHA-256 in hexadecimal, as `CorpusHash` defines it; names and files do not count.
        """
        found = CorpusHash(self.lines)
        for document in self.documents:
            found.update(memoryview(document.utf8))
            found.end_document()
        return found.hexdigest()

    @classmethod
    def from_source(
        cls,
        source: CorpusSource,
        *,
        errors: str = "strict",
        lines: bool = False,
        progress: Progress | None = None,
    ) -> Corpus:
        """A corpus out of text, bytes, files and folders.

        Parameters
        ----------
        source : str, bytes, Path, Document, Corpus, or an iterable of the first four
            A str or bytes is one document; a folder is read recursively in sorted order of the relative
            paths, hidden files left out. An iterable is consumed once. A Corpus is passed through.
        errors : str
            "strict": an error at the first bad byte; "replace": U+FFFD for it; "skip": without the document.
        lines : bool
            Whether each line is a wall of its own.
        progress : callable or None
            ``progress("reading", bytes, total or None)``; False cancels.

        Returns
        -------
        Corpus
            The documents; when cancelled those that were read whole.

        Raises
        ------
        CorpusError
            If something is not there, not text, or not a source.
        """
        check_errors(errors)
        if isinstance(source, Corpus):
            return replace(source, lines=True) if lines else source
        items = items_of(source)
        total = sum(item.n_bytes for item in items) if isinstance(items, list) else None
        meter = ReadingMeter(progress, total)
        documents: list[Document] = []
        skipped: list[str] = []
        for item in items:
            try:
                document = item.read(errors, meter)
            except CorpusError as error:
                if errors != "skip":
                    raise
                skipped.append(str(error))
                continue
            if document is not None:
                documents.append(document)
            if meter.cancelled:
                break
        return cls(tuple(documents), lines, tuple(skipped))


CorpusSource: TypeAlias = (
    "str | bytes | Path | Document | Item | Corpus | Iterable[str | bytes | Path | Document | Item]"
)
"""What a corpus can be made from."""


def walls(document: Document, lines: bool) -> Iterator[str]:
    r"""Text between the walls of a document.

    Parameters
    ----------
    document : Document
        The document.
    lines : bool
        Whether each line is a wall of its own.

    Yields
    ------
    str
        The document, or its lines with their ends, cut after "\n" only.
    """
    text = document.text
    if not lines:
        yield text
        return
    start = 0
    while end := text.find("\n", start) + 1:
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]
