"""Items: what a source lists to be read. Each is one document, read whole or opened as a stream."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from io import BytesIO, FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from bpe_studio.engine.documents import (
    Document,
    bad_byte,
    decode_document,
    decoded,
    document_of_text,
    encoding_of,
    mark_notes,
)
from bpe_studio.engine.errors import CorpusError
from bpe_studio.engine.reading import (
    ReadingMeter,
    blocks_of,
    file_status,
    open_file,
    printable,
    read_bytes,
    unreadable,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One document to be read.

    Parameters
    ----------
    name : str
        What messages call it.
    n_bytes : int
        Its size when it was listed.
    content : str, bytes, Document or Path
        Where its text is.
    modified : int
        When a file was last changed when it was listed, in nanoseconds.
    is_sound : bool
        Whether somebody has seen that its bytes are UTF-8.
    """

    name: str
    n_bytes: int
    content: str | bytes | Document | Path
    modified: int = 0
    is_sound: bool = False

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        return self.content if isinstance(self.content, Path) else None

    def read(self, errors: str, meter: ReadingMeter) -> Document | None:
        """Return the document, whole; None if `meter` was cancelled. `errors` as for `Corpus.from_source`."""
        if self.path is None:
            document = self._document(b"", errors)
            meter.advance(self.n_bytes)
            return document
        raw = read_bytes(self.path, meter)
        return None if meter.cancelled else self._document(raw, errors)

    def open(self, errors: str) -> OpenText:
        """Return the document as a stream.

        Parameters
        ----------
        errors : str
            With "strict" the reader of the stream has to find bad bytes; else all is looked at first.

        Returns
        -------
        OpenText
            Plain UTF-8. UTF-16, and what has bad bytes to replace, is decoded whole and held in memory.

        Raises
        ------
        CorpusError
            If it cannot be read, or is to be skipped.
        """
        if isinstance(self.content, str | Document):
            return _in_memory(self._document(b"", errors))
        text = self._opened()
        error = text.first_error() if text.is_utf8 and errors != "strict" and not self.is_sound else None
        if text.is_utf8 and error is None:
            return replace(text, item=replace(self, is_sound=errors != "strict"))
        with text:
            if error is not None and errors == "skip":
                raise error
            return _in_memory(self._document(b"".join(text.blocks()), errors))

    def _document(self, raw: bytes, errors: str) -> Document:
        """The content as a document; `raw` is what a file holds."""
        if isinstance(self.content, Document):
            return self.content
        if isinstance(self.content, str):
            return document_of_text(self.content, self.name)
        raw = self.content if isinstance(self.content, bytes) else raw
        return decode_document(raw, self.name, path=self.path, errors=errors)

    def _opened(self) -> OpenText:
        assert isinstance(self.content, bytes | Path)
        file = BytesIO(self.content) if isinstance(self.content, bytes) else open_file(self.content)
        try:
            head = next(blocks_of(file, self.path, 4), b"")
            encoding, codec, start = encoding_of(head, self.name, self.path)
        except CorpusError:
            file.close()
            raise
        return OpenText(self, file, encoding, codec, start, mark_notes(start))


@dataclass(frozen=True, slots=True)
class OpenText:
    """A document as a stream of UTF-8, without its byte order mark.

    Parameters
    ----------
    item : Item
        What opens it again, at once.
    file : BytesIO or FileIO
        Where its bytes are.
    encoding, codec : str
        How the bytes are encoded: the name to show, and Python's.
    start : int
        Bytes before the text.
    problems : tuple of str
        What was not as it should be, in words.
    """

    item: Item
    file: BytesIO | FileIO
    encoding: str
    codec: str
    start: int
    problems: tuple[str, ...]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are the text as they are."""
        return self.codec == "utf-8"

    def seek(self, at: int) -> None:
        """Go on reading at a place of the text, in bytes."""
        self.file.seek(self.start + at)

    def read_into(self, view: memoryview) -> int:
        """Fill a buffer, and return how many bytes there were: fewer only at the end.

        Raises
        ------
        CorpusError
            If the file cannot be read.
        """
        filled = 0
        try:
            while filled < len(view) and (n := self.file.readinto(view[filled:])):
                filled += n
        except (OSError, ValueError) as error:
            raise unreadable(self.item.path, error) from None
        return filled

    def check_unchanged(self) -> None:
        """Raise `CorpusError` if the file is not as it was when it was listed."""
        path = self.item.path
        if path is not None:
            status = os.fstat(self.file.fileno())
            if (status.st_size, status.st_mtime_ns) != (self.item.n_bytes, self.item.modified):
                raise CorpusError(f"{printable(path)} was changed while it was read.", path=path)

    def bad_byte(self, offset: int, reason: str) -> CorpusError:
        """Return the error about a byte of the file, counted from its start, that is no text."""
        self.file.seek(offset)
        byte, line, at = self.file.read(1)[0], 1, 0
        for block in self.blocks():
            line += block.count(b"\n", 0, max(0, offset - at))
            at += len(block)
            if at > offset:
                break
        return bad_byte(byte, reason, line, offset, self.item.name, self.item.path, self.encoding)

    def first_error(self) -> CorpusError | None:
        """Look at all of the text, and return the error about its first bad byte."""
        try:
            for _ in decoded(self.blocks(), self.codec):
                pass
        except UnicodeDecodeError as error:
            return self.bad_byte(error.start, error.reason)
        return None

    def blocks(self) -> Iterator[bytes]:
        """The file's bytes, byte order mark included, block after block."""
        self.file.seek(0)
        return blocks_of(self.file, self.item.path)


def _in_memory(document: Document) -> OpenText:
    item = Item(document.name, document.n_bytes, document)
    return OpenText(item, BytesIO(document.utf8), document.encoding, "utf-8", 0, document.problems)


def items_of(source: object) -> Iterable[Item]:
    """What a source lists: a list if it is known beforehand, else one item after the other.

    Parameters
    ----------
    source : str, bytes, Path, Document, Item, or an iterable of these
        As `Corpus.from_source` takes it.

    Returns
    -------
    iterable of Item
        The items.

    Raises
    ------
    CorpusError
        If something is no source, or there is no such file.
    """
    if isinstance(source, str | bytes | bytearray | memoryview | os.PathLike | Document):
        return list(_items_of_part(source, "text"))
    # A set's order changes from run to run, and with it first-seen ties; a mapping is hardly meant.
    if isinstance(source, Set | Mapping) or not isinstance(source, Iterable):
        raise CorpusError(
            f"A corpus is a str, bytes, a Path, or an ordered iterable of these, not {type(source).__name__}."
        )
    items = (item for n, part in enumerate(source, 1) for item in _items_of_part(part, f"text {n}"))
    return list(items) if isinstance(source, Sequence) else items


def _items_of_part(part: object, name: str) -> Iterator[Item]:
    if isinstance(part, str):
        n_bytes = len(part) if part.isascii() else len(part.encode("utf-8", "surrogatepass"))
        yield Item(name, n_bytes, part)
    elif isinstance(part, bytes | bytearray | memoryview):
        yield Item(name, len(raw := bytes(part)), raw)
    elif isinstance(part, Item):
        yield part
    elif isinstance(part, Document):
        yield Item(part.name, part.n_bytes, part)
    elif isinstance(part, os.PathLike):
        yield from _items_of_path(Path(os.fsdecode(part)))
    else:
        raise CorpusError(f"{name.capitalize()} is {type(part).__name__}; it must be str, bytes or a Path.")


def _items_of_path(path: Path) -> Iterator[Item]:
    """A file, or the files of a folder in sorted order of their relative paths."""
    if not path.is_dir():
        status = file_status(path)
        yield Item(printable(path.name), status.st_size, path, status.st_mtime_ns)
        return
    names = sorted(_file_names(path))
    if not names:
        raise CorpusError(f"The folder {printable(path)} has no files (hidden ones are left out).", path=path)
    for name in names:
        try:
            status = (path / name).stat()
            yield Item(printable(name), status.st_size, path / name, status.st_mtime_ns)
        except OSError:
            yield Item(printable(name), 0, path / name)  # reading it says what is wrong


def _file_names(folder: Path) -> Iterator[str]:
    """Relative paths, with "/", of the files below a folder; links to folders are not followed."""

    def refuse(error: OSError) -> None:
        raise unreadable(Path(error.filename), error)

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = Path(parent).relative_to(folder)
        yield from ((below / name).as_posix() for name in files if not name.startswith("."))
