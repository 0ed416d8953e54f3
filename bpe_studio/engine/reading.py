"""Reading files as bytes, in blocks, with progress and a way to stop."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO, FileIO
from pathlib import Path

from bpe_studio.engine.documents import BLOCK_BYTES, Document, check_errors, decode_document
from bpe_studio.engine.errors import CorpusError

Progress = Callable[[str, int, int | None], bool | None]
"""Called with the stage, how much is done and the total, if known; False cancels."""


@dataclass
class Watched:
    """A caller's `progress`, with a memory: a wish to stop holds for the stages that follow.

    Parameters
    ----------
    progress : callable or None
        Called with stage, done and total.
    """

    progress: Progress | None
    cancelled: bool = False

    def __call__(self, stage: str, done: int, total: int | None) -> bool:
        """Report progress; return False once cancelled."""
        if not self.cancelled and self.progress is not None:
            self.cancelled = self.progress(stage, done, total) is False
        return not self.cancelled


@dataclass
class ReadingMeter:
    """Counts the bytes that were read, tells the caller, and remembers a wish to stop.

    Parameters
    ----------
    progress : callable or None
        Called as ``progress("reading", bytes, total)``.
    total : int or None
        Bytes to read, if known.
    """

    progress: Progress | None = None
    total: int | None = None
    done: int = 0
    cancelled: bool = False

    def advance(self, n_bytes: int) -> bool:
        """Count some bytes more.

        Parameters
        ----------
        n_bytes : int
            Bytes that were read since the last call.

        Returns
        -------
        bool
            Whether to go on.
        """
        self.done += n_bytes
        if self.progress is not None and self.progress("reading", self.done, self.total) is False:
            self.cancelled = True
        return not self.cancelled


def read_document(
    path: Path, *, errors: str = "strict", name: str | None = None, progress: Progress | None = None
) -> Document:
    """A file as a document.

    Parameters
    ----------
    path : Path
        A regular file.
    errors : str
        "strict" or "skip": an error at the first bad byte; "replace": U+FFFD for each bad sequence.
    name : str or None
        The document's name; None takes the file's.
    progress : callable or None
        ``progress("reading", bytes, total)``; False cancels.

    Returns
    -------
    Document
        The file; when cancelled what was read of it, with a problem that says so.

    Raises
    ------
    CorpusError
        If the file cannot be read, or is not text in an encoding that is known.
    """
    check_errors(errors)
    path = Path(path)
    total = file_status(path).st_size
    meter = ReadingMeter(progress, total)
    raw = read_bytes(path, meter)
    document_name = printable(path.name) if name is None else name
    if not meter.cancelled:
        return decode_document(raw, document_name, path=path, errors=errors)
    document = decode_document(raw, document_name, path=path, errors=errors, final=False)
    note = f"reading was cancelled after {len(raw):,} of {total:,} bytes"
    return replace(document, problems=(*document.problems, note))


def file_status(path: Path) -> os.stat_result:
    """What the system says about a regular file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    os.stat_result
        Its size and times.

    Raises
    ------
    CorpusError
        If there is no such file, or it is a folder, a device, a pipe or a socket, which may never end.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, pipe or socket"
        raise CorpusError(f"{printable(path)} is {kind}, not a file with text.", path=path)
    return status


def open_file(path: Path) -> FileIO:
    """A regular file, opened; raises `CorpusError` if it cannot be."""
    file_status(path)  # a pipe would be waited for, without end
    try:
        return FileIO(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def blocks_of(file: BytesIO | FileIO, path: Path | None, n_bytes: int | None = None) -> Iterator[bytes]:
    """The rest of an open file, block after block; raises `CorpusError` if it cannot be read."""
    try:
        while block := file.read(n_bytes or BLOCK_BYTES):
            yield block
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def read_bytes(path: Path, meter: ReadingMeter) -> bytes:
    """A file's bytes, read in blocks.

    Parameters
    ----------
    path : Path
        A regular file.
    meter : ReadingMeter
        Told after each block.

    Returns
    -------
    bytes
        The bytes; fewer than the file has when `meter` is cancelled.

    Raises
    ------
    CorpusError
        If the file cannot be read.
    """
    read = []
    with open_file(path) as file:
        for block in blocks_of(file, path):
            read.append(block)
            if not meter.advance(len(block)):
                break
    return b"".join(read)


def printable(path: Path | str) -> str:
    """A path as text that any UTF-8 file can hold.

    Parameters
    ----------
    path : Path or str
        The path; its name may have bytes that are no UTF-8.

    Returns
    -------
    str
        The path, U+FFFD for such bytes.
    """
    return os.fsencode(path).decode("utf-8", "replace")


def unreadable(path: Path | None, error: Exception) -> CorpusError:
    """The error for a file that the system does not give us.

    Parameters
    ----------
    path : Path or None
        The file, if it has a name.
    error : Exception
        What the system said.

    Returns
    -------
    CorpusError
        The error to raise.
    """
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    name = "the text" if path is None else printable(path)
    return CorpusError(f"Cannot read {name}: {reason}.", path=path)
