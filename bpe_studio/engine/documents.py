r"""Documents: one file or record of the corpus, decoded strictly.

UTF-8 is what text is in; UTF-16 is known by its byte order mark. Nothing is guessed and nothing is changed:
"\r\n" stays "\r\n". The first bad byte is reported with file, line and offset.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from bpe_studio.engine.errors import CorpusError

BLOCK_BYTES = 1 << 20
"""Bytes decoded, and read, at a time: short enough to cancel, and not to hold the interpreter for long."""

ERROR_CHOICES = ("strict", "replace", "skip")
"""What to do about bytes that are not text: stop, put U+FFFD for them, leave the document out."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus.

    Parameters
    ----------
    name : str
        What a list shows: the path inside the opened folder, a file's name, or "text 1".
    utf8 : bytes
        The text in UTF-8, without byte order mark.
    path : Path or None
        The file it came from.
    encoding : str
        How it was encoded: "UTF-8", "UTF-8 with BOM", "UTF-16 LE", "UTF-16 BE", or "text" for a str.
    n_characters : int
        Code points.
    problems : tuple of str
        What was not as it should be, in words.
    """

    name: str
    utf8: bytes
    path: Path | None
    encoding: str
    n_characters: int
    problems: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text, decoded anew at each call."""
        return self.utf8.decode()

    @property
    def n_bytes(self) -> int:
        """Bytes of the text in UTF-8."""
        return len(self.utf8)


def decode_document(
    raw: bytes, name: str, *, path: Path | None = None, errors: str = "strict", final: bool = True
) -> Document:
    """Bytes as a document.

    Parameters
    ----------
    raw : bytes
        UTF-8 with or without byte order mark, or UTF-16 with one.
    name : str
        The document's name.
    path : Path or None
        Where the bytes came from.
    errors : str
        As for `read_document`.
    final : bool
        Whether this is all of it; if not, a character cut off at the end is left out.

    Returns
    -------
    Document
        The text, without byte order mark.

    Raises
    ------
    CorpusError
        At the first bad byte, with line (from 1) and offset (from 0, from the start of `raw`).
    """
    encoding, codec, start = encoding_of(raw, name, path)
    notes = list(mark_notes(start))
    try:
        if codec == "utf-8" and final:  # it is what it should be: looked at once, and taken as it is
            n_characters = sum(map(len, decoded(_blocks(raw, start), codec, start)))
            return Document(name, raw[start:], path, encoding, n_characters, tuple(notes))
        texts = list(decoded(_blocks(raw, start), codec, start, "strict", final))
    except UnicodeDecodeError as error:
        line, at = _line_of(raw, codec, error.start), error.start
        if errors != "replace":
            raise bad_byte(raw[at], error.reason, line, at, name, path, encoding) from None
        texts = list(decoded(_blocks(raw, start), codec, start, "replace", final))
        n_replaced = sum(text.count("\ufffd") for text in texts) - _n_real(raw, codec, start)
        place = f"line {line:,}, byte {at:,}"
        notes.append(f"{n_replaced:,} × U+FFFD in place of bad bytes, the first at {place}")
    n_characters = sum(map(len, texts))
    return Document(name, "".join(texts).encode(), path, encoding, n_characters, tuple(notes))


def document_of_text(text: str, name: str) -> Document:
    """A str as a document.

    Parameters
    ----------
    text : str
        The text. A high and a low surrogate, side by side, join; a lone one becomes U+FFFD.
    name : str
        The document's name.

    Returns
    -------
    Document
        The text; `problems` says what became of surrogates.
    """
    try:
        return Document(name, text.encode(), None, "text", len(text))
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    n_replaced = joined.count("\ufffd") - text.count("\ufffd")
    n_joined = len(text) - len(joined)
    notes = ((n_joined, "pairs of surrogates joined"), (n_replaced, "lone surrogates replaced with U+FFFD"))
    problems = tuple(f"{n:,} {note}" for n, note in notes if n)
    return Document(name, joined.encode(), None, "text", len(joined), problems)


def check_errors(errors: str) -> None:
    """Refuse a choice that does not exist.

    Parameters
    ----------
    errors : str
        One of `ERROR_CHOICES`.

    Raises
    ------
    CorpusError
        If it is another.
    """
    if errors not in ERROR_CHOICES:
        raise CorpusError(f"errors is {errors!r}; it must be one of {', '.join(map(repr, ERROR_CHOICES))}.")


def encoding_of(raw: bytes, name: str, path: Path | None) -> tuple[str, str, int]:
    """How bytes are encoded, by their byte order mark.

    Parameters
    ----------
    raw : bytes
        The first four, or more.
    name : str
        What messages call them.
    path : Path or None
        Where they came from.

    Returns
    -------
    encoding : str
        What to show.
    codec : str
        Python's name.
    start : int
        Length of the byte order mark.

    Raises
    ------
    CorpusError
        If it is UTF-32.
    """
    if raw[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        raise CorpusError(
            f"{name} starts with the byte order mark of UTF-32, which is not read. Save it as UTF-8.",
            path=path, line=1, byte_offset=0,
        )  # fmt: skip
    if raw.startswith(codecs.BOM_UTF8):
        return "UTF-8 with BOM", "utf-8", 3
    # The two bytes alone are no proof of UTF-16, and are refused as UTF-8.
    if len(raw) > 2 and raw.startswith(codecs.BOM_UTF16_LE):
        return "UTF-16 LE", "utf-16-le", 2
    if len(raw) > 2 and raw.startswith(codecs.BOM_UTF16_BE):
        return "UTF-16 BE", "utf-16-be", 2
    return "UTF-8", "utf-8", 0


def mark_notes(start: int) -> tuple[str, ...]:
    """What there is to say about a byte order mark of so many bytes."""
    return (f"byte order mark of {start} bytes dropped",) if start else ()


def decoded(
    blocks: Iterable[bytes], codec: str, at: int = 0, errors: str = "strict", final: bool = True
) -> Iterator[str]:
    """Text of bytes that come in blocks.

    Parameters
    ----------
    blocks : iterable of bytes
        The bytes.
    codec : str
        Python's name of the encoding.
    at : int
        Offset of the first block.
    errors : str
        "strict" or "replace".
    final : bool
        Whether this is all of it; if not, a character cut off at the end is left out.

    Yields
    ------
    str
        The text of each block.

    Raises
    ------
    UnicodeDecodeError
        At the first bad byte, with its offset as `start`.
    """
    decoder = codecs.getincrementaldecoder(codec)(errors)
    for block in chain(blocks, [b""]):
        n_held = len(decoder.getstate()[0])
        try:
            yield decoder.decode(block, final and not block)
        except UnicodeDecodeError as error:
            error.start += at - n_held
            raise
        at += len(block)


def _blocks(raw: bytes, start: int) -> Iterator[bytes]:
    return (raw[at : at + BLOCK_BYTES] for at in range(start, len(raw), BLOCK_BYTES))


def _n_real(raw: bytes, codec: str, start: int) -> int:
    """How many U+FFFD stand in the bytes themselves. Their bytes cannot be part of a bad sequence."""
    if codec == "utf-8":
        return raw.count("\ufffd".encode())
    units = np.frombuffer(raw, "<u2" if codec == "utf-16-le" else ">u2", (len(raw) - start) // 2, start)
    return int(np.count_nonzero(units == 0xFFFD))


def _line_of(raw: bytes, codec: str, offset: int) -> int:
    """Line of a byte, from 1."""
    if codec == "utf-8":
        return raw.count(b"\n", 0, offset) + 1
    # A byte 0x0A may be half of another character.
    return raw[2:offset].decode(codec, "replace").count("\n") + 1


def bad_byte(
    byte: int, reason: str, line: int, offset: int, name: str, path: Path | None, encoding: str
) -> CorpusError:
    """The error about a byte that is no text.

    Parameters
    ----------
    byte : int
        The byte.
    reason : str
        What Python's decoder says.
    line, offset : int
        Where it is: the line from 1, the offset from 0, from the start of the file.
    name, path, encoding
        As `Document` has them.

    Returns
    -------
    CorpusError
        The error to raise.
    """
    what = f"0x{byte:02X} is not valid {encoding.removesuffix(' with BOM')} ({reason})"
    what = f"{name}, line {line:,}, byte offset {offset:,}: {what}."
    return CorpusError(
        f"{what} Stop here and save the file as UTF-8, read "
        'it with errors="replace" (U+FFFD for each bad sequence), or leave it out with errors="skip".',
        what=what,
        path=path,
        line=line,
        byte_offset=offset,
    )
