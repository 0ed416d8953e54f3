"""Names of characters that have none in Unicode's list, and which characters leave no ink."""

from __future__ import annotations

import re
import unicodedata

C0_NAMES = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC "
    "FS GS RS US"
).split()
C0_LONG_NAMES = (
    "NULL,START OF HEADING,START OF TEXT,END OF TEXT,END OF TRANSMISSION,ENQUIRY,ACKNOWLEDGE,BELL,BACKSPACE,"
    "CHARACTER TABULATION,LINE FEED,LINE TABULATION,FORM FEED,CARRIAGE RETURN,SHIFT OUT,SHIFT IN,"
    "DATA LINK ESCAPE,DEVICE CONTROL ONE,DEVICE CONTROL TWO,DEVICE CONTROL THREE,DEVICE CONTROL FOUR,"
    "NEGATIVE ACKNOWLEDGE,SYNCHRONOUS IDLE,END OF TRANSMISSION BLOCK,CANCEL,END OF MEDIUM,SUBSTITUTE,ESCAPE,"
    "FILE SEPARATOR,GROUP SEPARATOR,RECORD SEPARATOR,UNIT SEPARATOR"
).split(",")
SHORT_NAMES = {
    **{chr(i): name for i, name in enumerate(C0_NAMES)},
    "\x7f": "DEL", "\x85": "NEL", "\xa0": "NBSP", "\xad": "SHY", "\u034f": "CGJ", "\u061c": "ALM",
    "\u2002": "ENSP", "\u2003": "EMSP", "\u2007": "FSP", "\u2009": "THSP", "\u200a": "HSP", "\u200b": "ZWSP",
    "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u200e": "LRM", "\u200f": "RLM", "\u2028": "LS", "\u2029": "PS",
    "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u202f": "NNBSP",
    "\u205f": "MMSP", "\u2060": "WJ", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
    "\u3000": "IDSP", "\ufe0e": "VS15", "\ufe0f": "VS16", "\ufeff": "BOM",
}  # fmt: skip
INKLESS_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
#: Signs without ink of their own although their category says otherwise; and U+FFFC, U+FFFD.
INKLESS_OTHERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffc\ufffd"
    "\U000e0100-\U000e01ef]"
)


def is_invisible(char: str) -> bool:
    """Say whether a character has no ink of its own or acts on its neighbours: controls, odd blanks."""
    return unicodedata.category(char) in INKLESS_CATEGORIES or INKLESS_OTHERS.match(char) is not None


def short_name(char: str) -> str:
    """Return the usual short name of an invisible character, else its code point: ``NBSP``, ``U+E000``."""
    return SHORT_NAMES.get(char) or f"U+{ord(char):04X}"


def character_name(char: str) -> str:
    """Return the Unicode name of a character; controls have one too, others say why they have none."""
    if char < " ":
        return C0_LONG_NAMES[ord(char)]
    if char == "\x7f":
        return "DELETE"
    kinds = {"Cc": "<control>", "Co": "<private use>", "Cs": "<surrogate>"}
    return unicodedata.name(char, kinds.get(unicodedata.category(char), "<unassigned>"))
