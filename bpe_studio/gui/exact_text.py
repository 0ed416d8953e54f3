"""Text that a QTextDocument keeps to the letter.

Qt's documents take a carriage return, U+2029 and two noncharacters for the end of a paragraph, and their
plain text turns NBSP into a space. Stand-ins, one UTF-16 unit each, keep the text exact to the byte.
"""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument

#: Letters that a document would change → noncharacters that it keeps.
STAND_INS = {"\r": "\ufdd2", "\u2029": "\ufdd3", "\ufdd0": "\ufdd4", "\ufdd1": "\ufdd5"}
STAND_IN_LABELS = {"\ufdd2": "CR", "\ufdd3": "PS", "\ufdd4": "??", "\ufdd5": "??"}
_TO_DOCUMENT = str.maketrans(STAND_INS)
_FROM_DOCUMENT = str.maketrans({**{value: key for key, value in STAND_INS.items()}, "\u2029": "\n"})


def can_be_held(text: str) -> bool:
    """Return whether a document can hold a text exactly: it must not hold stand-ins itself."""
    return not any(stand_in in text for stand_in in STAND_IN_LABELS)


def without_stand_ins(text: str) -> str:
    """Return a text without the few noncharacters that a document cannot hold."""
    return text if can_be_held(text) else "".join(char for char in text if char not in STAND_IN_LABELS)


def to_document(text: str) -> str:
    """Return a text as it is put into a document."""
    return for_qt(text.translate(_TO_DOCUMENT))


def for_qt(text: str) -> str:
    """Return a text such that Qt receives all of it.

    On the way into a QString a leading U+FEFF is taken for a byte order mark and dropped, once.
    """
    return "\ufeff" + text if text.startswith("\ufeff") else text


def from_document(document: QTextDocument) -> str:
    """Return a document's exact text."""
    return document.toRawText().translate(_FROM_DOCUMENT)


def selected_text(cursor: QTextCursor) -> str:
    """Return the exact text of a selection."""
    raw = _units(cursor.document())[2 * cursor.selectionStart() : 2 * cursor.selectionEnd()]
    return raw.decode("utf-16-le", "replace").translate(_FROM_DOCUMENT)


def code_points_before(document: QTextDocument, position: int) -> int:
    """Return how many code points stand before a position, which counts UTF-16 units."""
    return len(_units(document)[: 2 * position].decode("utf-16-le", "replace"))


def _units(document: QTextDocument) -> bytes:
    return document.toRawText().encode("utf-16-le", "surrogatepass")
