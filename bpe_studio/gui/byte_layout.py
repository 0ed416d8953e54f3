"""How wide each byte of BYTES is, and what its lines say: arrays in, arrays out, no painting."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QT_TRANSLATE_NOOP

from bpe_studio.analysis.unicode_names import character_name
from bpe_studio.analysis.unicode_view import label
from bpe_studio.gui.preview_marks import ShownText

Int64Array = NDArray[np.int64]


@dataclass(frozen=True)
class CharacterLine:
    """A line of BYTES that says something of each character.

    Attributes
    ----------
    name : str
        Identifier.
    title : str
        Words in the gutter.
    text_of : callable
        Text for a character; "" for none.
    option : str
        The switch that shows it; "" is always shown.
    """

    name: str
    title: str
    text_of: Callable[[str], str]
    option: str = ""


def code_point_text(char: str) -> str:
    """Return ``U+20AC``; nothing for ASCII, where it is the byte again."""
    return "" if char < "\x80" else f"U+{ord(char):04X}"


def name_text(char: str) -> str:
    """Return the Unicode name and the category: ``EURO SIGN Sc``."""
    return f"{character_name(char)} {_category(char)}"


def utf16_text(char: str) -> str:
    """Return the UTF-16 code units: ``D83D DE00``."""
    return char.encode("utf-16-be").hex(" ", 2).upper()


def utf32_text(char: str) -> str:
    """Return the UTF-32 code unit: ``0001F600``."""
    return f"{ord(char):08X}"


@lru_cache(maxsize=4096)
def _category(char: str) -> str:
    return unicodedata.category(char)


@lru_cache(maxsize=8192)
def character_label(char: str) -> str:
    """Return what is drawn for a character; never blank."""
    return label(char.encode())


CHARACTER_LINES: tuple[CharacterLine, ...] = (
    CharacterLine("character", QT_TRANSLATE_NOOP("Bytes", "character"), character_label),
    CharacterLine("code point", QT_TRANSLATE_NOOP("Bytes", "code point"), code_point_text),
    CharacterLine("name", QT_TRANSLATE_NOOP("Bytes", "name"), name_text, "names"),
    CharacterLine("utf16", QT_TRANSLATE_NOOP("Bytes", "UTF-16"), utf16_text, "utf16"),
    CharacterLine("utf32", QT_TRANSLATE_NOOP("Bytes", "UTF-32"), utf32_text, "utf16"),
)
OPTIONS: tuple[tuple[str, Any, Any], ...] = (
    (
        "bits",
        QT_TRANSLATE_NOOP("Bytes", "Bits"),
        QT_TRANSLATE_NOOP("Bytes", "Show each byte's bits, markers coloured"),
    ),
    (
        "names",
        QT_TRANSLATE_NOOP("Bytes", "Names"),
        QT_TRANSLATE_NOOP("Bytes", "Show Unicode names and categories"),
    ),
    (
        "utf16",
        QT_TRANSLATE_NOOP("Bytes", "UTF-16 and 32"),
        QT_TRANSLATE_NOOP("Bytes", "Show the UTF-16 and UTF-32 units"),
    ),
)


def character_lines(options: frozenset[str]) -> tuple[CharacterLine, ...]:
    """Return the lines above the bytes under some switches."""
    return tuple(line for line in CHARACTER_LINES if not line.option or line.option in options)


def character_widths(
    shown: ShownText, lines: tuple[CharacterLine, ...], width: Callable[[str, str], float], max_width: int
) -> Int64Array:
    """Return the width each character needs, in pixels. Each distinct character is measured once.

    Parameters
    ----------
    shown : ShownText
        The text.
    lines : tuple of CharacterLine
        Its widest line counts.
    width : callable
        ``width(line name, text)`` in pixels.
    max_width : int
        Lines that are wider are cut when drawn.
    """
    text = shown.encoded.text[: shown.n_characters]
    needed = {
        char: int(min(max(width(line.name, line.text_of(char)) for line in lines), max_width)) + 1
        for char in set(text)
    }
    return np.fromiter((needed[char] for char in text), dtype=np.int64, count=len(text))


def byte_widths(n_bytes: int, least: int, groups: tuple[tuple[Int64Array, Int64Array], ...]) -> Int64Array:
    """Return the width of every byte, so that each group of bytes is as wide as it needs.

    Parameters
    ----------
    n_bytes : int
        Number of bytes.
    least : int
        Width of a byte alone, in pixels.
    groups : tuple of (starts, needed)
        ``starts`` (n + 1 offsets) cut the bytes into groups; ``needed`` is each group's width in pixels.
        What is missing is shared out evenly; later groups see the widths the earlier ones made.
    """
    widths = np.full(n_bytes, least, dtype=np.int64)
    for starts, needed in groups:
        if n_bytes == 0 or len(starts) < 2:
            continue
        sizes = np.diff(starts)
        missing = np.maximum(needed - np.add.reduceat(widths, starts[:-1]), 0)
        widths += np.repeat(-(-missing // sizes), sizes)
    return widths


def shared_breaks(shown: ShownText) -> Int64Array:
    """Return the bytes at which both a character and a token begin: there a row may begin."""
    characters = shown.encoded.character_starts[: shown.n_characters]
    return np.intersect1d(characters, shown.encoded.starts[: shown.n_tokens], assume_unique=True)
