r"""Bytes and characters as something the eye can read: labels, hex, code points, escapes.

A token is bytes. Shown raw, a blank is nothing, a tab is a gap, half a character is `U+FFFD` and a
direction mark turns the row around. `segments` turns any bytes into pieces that are all visible:

>>> label(b" the")
'·the'
>>> label(b"a\t\n")
'a→↵'
>>> label(b"\xf0")
'F0'
>>> label("\u200b".encode())
'⟨ZWSP⟩'

Since a blank is drawn as ``·``, a real ``·`` is drawn as ``⟨·⟩``: two
different tokens never look alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bpe_studio.analysis.unicode_names import character_name, is_invisible, short_name

LabelMode = Literal["text", "bytes", "gpt2"]
SegmentKind = Literal["text", "blank", "invisible", "hex"]

BLANKS = {" ": "·", "\t": "→", "\n": "↵"}
#: Signs that labels use for themselves; met in the data they are set in brackets.
SIGNS = frozenset("·→↵⟨◌")
DOTTED_CIRCLE = "◌"
BAD_BYTES = re.compile("([\udc80-\udcff]+)")


class Segment(NamedTuple):
    """A piece of a label: its visible text and what it stands for.

    ``kind`` is "text" (shown as it is), "blank" (``·`` ``→`` ``↵``), "invisible" (a name in brackets)
    or "hex" (bytes that are no whole character).
    """

    text: str
    kind: SegmentKind


@dataclass(frozen=True)
class CodePoint:
    """One character of a text with its UTF-8 bytes.

    Parameters
    ----------
    char : str
        The character itself.
    label : str
        What to draw for it; never blank.
    code_point : str
        ``"U+1F600"``.
    name : str
        Unicode name, or the control's name, or ``"<unassigned>"``.
    category : str
        Two letters, as in ``"Lu"``.
    utf8 : bytes
        1 to 4 bytes, the lead first.
    start : int
        Offset of the lead byte in the whole text's UTF-8, in bytes.
    """

    char: str
    label: str
    code_point: str
    name: str
    category: str
    utf8: bytes
    start: int


def label(data: bytes, mode: LabelMode = "text") -> str:
    """Text for a token: never empty, never blank, never U+FFFD.

    Parameters
    ----------
    data : bytes
        The token's bytes, any bytes.
    mode : {"text", "bytes", "gpt2"}
        Characters; hex; or the printable letters that GPT-2's files use for bytes.

    Returns
    -------
    str
        Pieces that are no characters stand apart by a space (a real space is ``·``).
    """
    pieces: list[str] = []
    before = ""
    for text, kind in segments(data, mode):
        if pieces and (kind == "hex" or before == "hex"):
            pieces.append(" ")
        pieces.append(text)
        before = kind
    return "".join(pieces)


@lru_cache(maxsize=65536)
def segments(data: bytes, mode: LabelMode = "text") -> tuple[Segment, ...]:
    """Cut a token into visible pieces, in logical order.

    Parameters
    ----------
    data : bytes
        The token's bytes.
    mode : {"text", "bytes", "gpt2"}
        As in `label`.

    Returns
    -------
    tuple of Segment
        At least one; neighbours of one kind are joined, except "hex" and "invisible" pieces.
    """
    if not data:
        return (Segment("⟨empty⟩", "invisible"),)
    if mode == "gpt2":
        return (Segment("".join(GPT2_LETTERS[byte] for byte in data), "text"),)
    pieces: list[Segment] = []
    for text, invalid in _decoded(data):
        if invalid:
            pieces.append(Segment(byte_hex(invalid), "hex"))
        elif mode == "bytes":
            pieces.append(Segment(byte_hex(text.encode()), "text"))
        else:
            pieces.extend(_visible(text))
    return tuple(pieces)


def byte_hex(data: bytes) -> str:
    """Bytes as spaced capital hex: ``"F0 9F 98 80"``."""
    return data.hex(" ").upper()


def is_plain(data: bytes) -> bool:
    """Say whether a token is whole, visible text without blanks, so that its label is the text itself."""
    found = segments(data)
    return len(found) == 1 and found[0].kind == "text"


def escape_for_copy(data: bytes) -> str:
    r"""Escape a token for the clipboard: one line, nothing invisible, and reversible.

    Backslash, tab and line ends as ``\\``, ``\t``, ``\n``, ``\r``; other invisible characters as ``\x00`` or
    ``\u200b``; bytes that are no character as ``\xf0``. A space stays a space.
    """
    pieces: list[str] = []
    for text, invalid in _decoded(data):
        pieces.append("".join(f"\\x{byte:02x}" for byte in invalid))
        pieces.append("".join(map(_escaped, text)))
    return "".join(pieces)


def code_points(text: str) -> tuple[CodePoint, ...]:
    """List the characters of a text with their names and UTF-8 bytes.

    Lone surrogates, which have no UTF-8, are read as U+FFFD like everywhere in the program.
    """
    rows: list[CodePoint] = []
    start = 0
    for char in text:
        if unicodedata.category(char) == "Cs":
            char = "\ufffd"
        utf8 = char.encode()
        rows.append(CodePoint(char, label(utf8), f"U+{ord(char):04X}", character_name(char),
                              unicodedata.category(char), utf8, start))  # fmt: skip
        start += len(utf8)
    return tuple(rows)


def byte_roles(data: bytes) -> NDArray[np.uint8]:
    """Tell what each byte is in UTF-8.

    Returns
    -------
    ndarray of uint8, shape (len(data),)
        0 ASCII, 1 lead, 2 continuation, 3 part of no whole character.
    """
    roles = np.zeros(len(data), np.uint8)
    at = 0
    for text, invalid in _decoded(data):
        roles[at : at + len(invalid)] = 3
        at += len(invalid)
        piece = np.frombuffer(text.encode(), np.uint8)
        roles[at : at + len(piece)] = np.where(piece < 0x80, 0, np.where(piece < 0xC0, 2, 1))
        at += len(piece)
    return roles


def bit_parts(byte: int) -> tuple[str, str]:
    """Split a byte's bits into UTF-8's fixed marker and the payload: 0xE2 is ``("1110", "0010")``."""
    bits = f"{byte:08b}"
    n_marker = min(bits.find("0") + 1, 5) if "0" in bits else 8
    return bits[:n_marker], bits[n_marker:]


def _decoded(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield ``(text, b"")`` for whole characters and ``("", bytes)`` for each run of bytes that are none."""
    # surrogateescape turns each bad byte b into U+DC00 + b, which whole UTF-8 can never hold.
    for piece in BAD_BYTES.split(data.decode("utf-8", "surrogateescape")):
        if piece and BAD_BYTES.match(piece):
            yield "", piece.encode("utf-8", "surrogateescape")
        elif piece:
            yield piece, b""


def _visible(text: str) -> Iterator[Segment]:
    run, run_kind = "", "text"
    for char in text:
        shown, kind = _shown(char, run[-1:] if run_kind == "text" else "")
        if run and (kind != run_kind or kind == "invisible"):
            yield Segment(run, run_kind)  # type: ignore[arg-type]
            run = ""
        run, run_kind = run + shown, kind
    yield Segment(run, run_kind)  # type: ignore[arg-type]


def _shown(char: str, base: str) -> tuple[str, SegmentKind]:
    if char in BLANKS:
        return BLANKS[char], "blank"
    if char in SIGNS:
        return f"⟨{char}⟩", "invisible"
    if is_invisible(char):
        return f"⟨{short_name(char)}⟩", "invisible"
    if not base and unicodedata.category(char)[0] == "M":
        return DOTTED_CIRCLE + char, "text"
    return char, "text"


def _escaped(char: str) -> str:
    simple = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", " ": " "}
    if char in simple:
        return simple[char]
    if not is_invisible(char):
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _gpt2_letters() -> tuple[str, ...]:
    """Letters by byte: printable Latin-1 stands for itself, the others are numbered from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return tuple(chr(byte) if byte in printable else chr(next(others)) for byte in range(256))


GPT2_LETTERS = _gpt2_letters()
