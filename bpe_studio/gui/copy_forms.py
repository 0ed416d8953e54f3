"""The ways in which PREVIEW's tokens are copied: one record each, for the menu and for the tests."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP

from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.unicode_view import byte_hex, escape_for_copy


@dataclass(frozen=True)
class CopyForm:
    """One way to copy: identifier, words of the menu, and the text it makes."""

    name: str
    title: str
    text_of: Callable[[EncodedText], str]


def as_list(encoded: EncodedText) -> str:
    """Return the ids as a Python list."""
    return "[" + ", ".join(map(str, encoded.ids.tolist())) + "]"


def as_json(encoded: EncodedText) -> str:
    """Return ids, hex bytes and byte offsets as JSON, one object a token."""
    rows = [
        {"id": i, "hex": token.hex(), "start": start, "end": end} for i, token, start, end in _tokens(encoded)
    ]
    return json.dumps(rows, indent=1)


def as_csv(encoded: EncodedText) -> str:
    """Return id, escaped token, hex bytes and byte offsets as CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("id", "token", "hex", "start", "end"))
    writer.writerows(
        (i, escape_for_copy(token), token.hex(), start, end) for i, token, start, end in _tokens(encoded)
    )
    return out.getvalue()


def as_hex(encoded: EncodedText) -> str:
    """Return the bytes as hex, a token a line."""
    return "\n".join(byte_hex(token) for _, token, _, _ in _tokens(encoded))


def as_text(encoded: EncodedText) -> str:
    """Return the exact text; NUL, at which a clipboard may end, as U+2400."""
    return encoded.text.replace("\0", "\u2400")


def _tokens(encoded: EncodedText) -> Iterator[tuple[int, bytes, int, int]]:
    starts = encoded.starts.tolist()
    for i, start, end in zip(encoded.ids.tolist(), starts, starts[1:], strict=False):
        yield i, encoded.utf8[start:end], start, end


COPY_FORMS: tuple[CopyForm, ...] = (
    CopyForm("list", QT_TRANSLATE_NOOP("copy", "Ids as a list"), as_list),
    CopyForm("json", QT_TRANSLATE_NOOP("copy", "Tokens as JSON"), as_json),
    CopyForm("csv", QT_TRANSLATE_NOOP("copy", "Tokens as CSV"), as_csv),
    CopyForm("hex", QT_TRANSLATE_NOOP("copy", "Bytes as hex, a token a line"), as_hex),
    CopyForm("text", QT_TRANSLATE_NOOP("copy", "The text itself (NUL as ␀)"), as_text),
)
