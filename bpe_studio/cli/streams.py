"""Standard input, output and error: bytes for data, escapes where a console cannot show a character.

Each of the three is None if the program was started with it closed.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO, TextIO

from bpe_studio.engine.errors import BpeStudioError, PatternError

PROGRAM = "bpe-studio"
STANDARD_INPUT = "-"
CHUNK_BYTES = 1 << 20
"""Bytes that are read at a time."""


class UsageError(BpeStudioError):
    """Arguments that cannot be: exit code 2."""


class OutputError(Exception):
    """Standard output could not be written; the system says why."""


def text_encoding(stream: TextIO | None) -> str:
    """Return the encoding of text: what a console or the user asks for, and UTF-8 into files and pipes."""
    asked = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
    if stream is not None and (asked or stream.isatty()):
        return stream.encoding or "utf-8"
    return "utf-8"


def output_is_terminal() -> bool:
    """Say whether standard output is looked at as it comes, so that a bar would stand in its way."""
    with contextlib.suppress(ValueError):
        return sys.stdout is not None and sys.stdout.isatty()
    return False


def write_bytes(data: bytes) -> None:
    """Write data to standard output.

    Raises
    ------
    BrokenPipeError
        If the reader has gone.
    OutputError
        If it cannot be written, as on a full disk.
    """
    if sys.stdout is None:
        raise OutputError("it is closed")
    rest = memoryview(data)
    try:
        while rest:
            # With PYTHONUNBUFFERED set this is the bare file, which may take a part only.
            n_written = sys.stdout.buffer.write(rest)
            if not n_written:
                time.sleep(0.01)  # a pipe that does not block, and is full
            rest = rest[n_written or 0 :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from error


def write_text(text: str) -> None:
    """Write text to standard output; what its encoding lacks is escaped."""
    write_bytes(text.encode(text_encoding(sys.stdout), "backslashreplace"))


def write_lines(lines: Iterable[str]) -> None:
    """Write many lines to standard output, some thousand at a time."""
    lines = iter(lines)
    while some := list(islice(lines, 4096)):
        write_text("".join(some))


def write_json(value: Any) -> None:
    """Write a value as JSON on lines of its own."""
    is_utf8 = text_encoding(sys.stdout).lower().replace("_", "-") in ("utf-8", "utf8")
    write_text(json.dumps(value, ensure_ascii=not is_utf8, indent=1) + "\n")


def tell(message: str) -> None:
    """Say something on one line of standard error; where nobody can hear it, the work goes on."""
    line = f"{PROGRAM}: {one_line(as_typed(message))}\n"
    data = line.encode(text_encoding(sys.stderr), "backslashreplace")
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()


def error_text(error: Exception) -> str:
    """Return an error's message for one line; a pattern's picture of where it broke does not fit there."""
    return str(error).split("\n", 1)[0] if isinstance(error, PatternError) else str(error)


def as_typed(message: str) -> str:
    r"""Return a message with file names in UTF-8 as they were typed.

    Where the locale is not UTF-8, Python hands the bytes of a name over as lone surrogates.

    Examples
    --------
    >>> as_typed("\udcc3\udcbc.txt: gone"), as_typed("\udcff.txt: gone")
    ('ü.txt: gone', '\udcff.txt: gone')
    """
    try:
        return message.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeError:
        return message


def one_line(text: str) -> str:
    r"""Return text with line ends, escape codes and other controls made visible.

    Examples
    --------
    >>> one_line("a\nb")
    'a\\nb'
    """
    return "".join(
        repr(character)[1:-1] if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character
        for character in text
    )


def drop_output() -> None:
    """Point standard output to nowhere: the interpreter would try to flush it once more at the end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def input_bytes(name: str) -> bytes:
    """Return a file's bytes, or those of standard input for "-".

    Raises
    ------
    BpeStudioError
        If it cannot be read.
    """
    return b"".join(input_chunks(name))


def input_chunks(name: str) -> Iterator[bytes]:
    """Yield a file's bytes, or those of standard input for "-", as they come.

    Raises
    ------
    BpeStudioError
        If it cannot be read.
    """
    with opened(name) as file:
        while chunk := _read_some(file, name):
            yield chunk


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a file to read, or standard input for "-", which stays open.

    Raises
    ------
    BpeStudioError
        If it cannot be opened.
    """
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise _unreadable(name, ValueError("it is closed"))
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    with file:
        yield file


def _read_some(file: BinaryIO, name: str) -> bytes:
    try:
        return file.read(CHUNK_BYTES)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error


def _unreadable(name: str, error: OSError | ValueError) -> BpeStudioError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return BpeStudioError(f"{input_name(name)}: cannot be read: {reason}.")


def input_size(name: str) -> int | None:
    """Return how many bytes a file has, or None where that is not known."""
    with contextlib.suppress(OSError, ValueError):
        status = os.stat(name)
        if name != STANDARD_INPUT and stat.S_ISREG(status.st_mode):
            return status.st_size
    return None


def input_name(name: str) -> str:
    """Return what messages call an input."""
    return "standard input" if name == STANDARD_INPUT else name
