"""The corpus: documents in order, and the walls between them.

A source is a str or bytes (one document, never a path), a Path (a file, or a folder with all files below it),
an iterable of these, or a Corpus.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from bpe_studio.engine.documents import Document, check_errors, decode_document, document_of_text
from bpe_studio.engine.errors import CorpusError
from bpe_studio.engine.reading import (
    Progress,
    ReadingMeter,
    file_size,
    printable,
    read_bytes,
    read_document,
    unreadable,
)

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
            SHA-256 in hexadecimal, of the documents' UTF-8 and lengths; names and files do not count.
        """
        digest = hashlib.sha256(b"lines\n" if self.lines else b"documents\n")
        for document in self.documents:
            digest.update(document.utf8)
            # The length, last, makes the walls readable from the end: ["ab"] is not ["a", "b"].
            digest.update(document.n_bytes.to_bytes(8, "little"))
        return digest.hexdigest()

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
        return _read_items(_items(source), errors, lines, progress)


CorpusSource: TypeAlias = "str | bytes | Path | Document | Corpus | Iterable[str | bytes | Path | Document]"
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


@dataclass(frozen=True, slots=True)
class _Item:
    """Something to read: its name, its size in bytes, and what makes a document of it (None: cancelled)."""

    name: str
    n_bytes: int
    read: Callable[[str, ReadingMeter], Document | None]


def _read_items(items: Iterable[_Item], errors: str, lines: bool, progress: Progress | None) -> Corpus:
    total = sum(item.n_bytes for item in items) if isinstance(items, Sequence) else None
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
    return Corpus(tuple(documents), lines, tuple(skipped))


def _items(source: CorpusSource) -> Iterable[_Item]:
    """What there is to read: a list if it is known beforehand, else one after the other."""
    if isinstance(source, str | bytes | bytearray | memoryview | os.PathLike | Document):
        return list(_items_of(source, "text"))
    # A set's order changes from run to run, and with it first-seen ties; a mapping is hardly meant.
    if isinstance(source, Set | Mapping) or not isinstance(source, Iterable):
        raise CorpusError(
            f"A corpus is a str, bytes, a Path, or an ordered iterable of these, not {type(source).__name__}."
        )
    named = (item for n, part in enumerate(source, 1) for item in _items_of(part, f"text {n}"))
    return list(named) if isinstance(source, Sequence) else named


def _items_of(part: object, name: str) -> Iterator[_Item]:
    if isinstance(part, str):
        yield _memory_item(name, len(part), lambda errors: document_of_text(part, name))
    elif isinstance(part, bytes | bytearray | memoryview):
        raw = bytes(part)
        yield _memory_item(name, len(raw), lambda errors: decode_document(raw, name, errors=errors))
    elif isinstance(part, Document):
        yield _memory_item(part.name, part.n_bytes, lambda errors: part)
    elif isinstance(part, os.PathLike):
        yield from _file_items(Path(os.fsdecode(part)))
    else:
        raise CorpusError(f"{name.capitalize()} is {type(part).__name__}; it must be str, bytes or a Path.")


def _memory_item(name: str, n_bytes: int, make: Callable[[str], Document]) -> _Item:
    def read(errors: str, meter: ReadingMeter) -> Document:
        document = make(errors)
        meter.advance(n_bytes)
        return document

    return _Item(name, n_bytes, read)


def _file_items(path: Path) -> Iterator[_Item]:
    """A file, or the files of a folder in sorted order of their relative paths."""
    if not path.is_dir():
        yield _file_item(path, printable(path.name), file_size(path))
        return
    names = sorted(_file_names(path))
    if not names:
        raise CorpusError(f"The folder {printable(path)} has no files (hidden ones are left out).", path=path)
    for name in names:
        try:
            size = (path / name).stat().st_size
        except OSError:
            size = 0  # reading it says what is wrong
        yield _file_item(path / name, printable(name), size)


def _file_names(folder: Path) -> Iterator[str]:
    """Relative paths, with "/", of the files below a folder; links to folders are not followed."""

    def refuse(error: OSError) -> None:
        raise unreadable(Path(error.filename), error)

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = Path(parent).relative_to(folder)
        yield from ((below / name).as_posix() for name in files if not name.startswith("."))


def _file_item(path: Path, name: str, size: int) -> _Item:
    def read(errors: str, meter: ReadingMeter) -> Document | None:
        file_size(path)  # a pipe would be waited for, without end
        raw = read_bytes(path, meter)
        return None if meter.cancelled else decode_document(raw, name, path=path, errors=errors)

    return _Item(name, size, read)
