"""The sentences of PREVIEW: counts, and what is special about the text. Pure functions of values."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.unicode_view import label
from bpe_studio.gui.preview_marks import MAX_SHOWN
from bpe_studio.session import THIS_TRAINING

CONTEXT = "PreviewWords"
MAX_NAMED = 12

NO_TOKENIZER = QT_TRANSLATE_NOOP("PreviewWords", "Open a corpus or a tokenizer to see this text as tokens.")
LOADING = QT_TRANSLATE_NOOP("PreviewWords", "Loading {name}…")
SHORTENED = QT_TRANSLATE_NOOP(
    "PreviewWords", "Showing the first {shown} of {all} characters, read-only; counts are for all."
)
HELD_BACK = QT_TRANSLATE_NOOP(
    "PreviewWords", "This text holds noncharacters that the editor keeps for itself: read-only."
)
UNKNOWN = QT_TRANSLATE_NOOP("PreviewWords", "Not in the alphabet, hatched: {characters}.")
SPECIALS = QT_TRANSLATE_NOOP("PreviewWords", "Special tokens met and read as plain text: {n}.")
NORMALIZED = QT_TRANSLATE_NOOP(
    "PreviewWords", "The tokenizer normalizes the text first; tokens and counts are of what it makes of it."
)
SURROGATES = QT_TRANSLATE_NOOP("PreviewWords", "Lone surrogates read as U+FFFD: {n}.")


def said(text: str, **values: object) -> str:
    """Return a sentence in the user's language with its values put in."""
    return QCoreApplication.translate(CONTEXT, text).format(**values)


def counts_text(encoded: EncodedText) -> str:
    """Return ``33 tokens · 32 characters · 32 code points · 40 bytes · 1.21 bytes per token``."""
    parts = [_counted(encoded.n_tokens, "token")]
    if encoded.n_graphemes is not None:
        parts.append(_counted(encoded.n_graphemes, "character"))
    parts += [_counted(encoded.n_code_points, "code point"), _counted(encoded.n_bytes, "byte")]
    if encoded.n_tokens:
        parts.append(said("{ratio} bytes per token", ratio=f"{encoded.bytes_per_token:.2f}"))
    return " · ".join(parts)


def short_counts_text(encoded: EncodedText) -> str:
    """Return the counts for a narrow panel: ``33 tokens · 32 chars · 32 code pts · 40 B · 1.21 B/token``."""
    parts = [_counted(encoded.n_tokens, "token")]
    if encoded.n_graphemes is not None:
        parts.append(_counted(encoded.n_graphemes, "char"))
    parts += [_counted(encoded.n_code_points, "code pt"), said("{n} B", n=f"{encoded.n_bytes:,}")]
    if encoded.n_tokens:
        parts.append(said("{ratio} B/token", ratio=f"{encoded.bytes_per_token:.2f}"))
    return " · ".join(parts)


def _counted(n: int, noun: str) -> str:
    return said(f"{{n}} {noun}" if n == 1 else f"{{n}} {noun}s", n=f"{n:,}")


def notes_text(encoded: EncodedText | None, text: str, is_shortened: bool, source: str) -> str:
    """Return what the reader should know about the text under the tokenizer `source`; "" if nothing."""
    notes = []
    if encoded is None and source != THIS_TRAINING:
        notes.append(said(LOADING, name=source))
    elif encoded is None and text:
        notes.append(said(NO_TOKENIZER))
    if is_shortened:
        long = len(text) > MAX_SHOWN
        notes.append(
            said(SHORTENED, shown=f"{MAX_SHOWN:,}", all=f"{len(text):,}") if long else said(HELD_BACK)
        )
    if encoded is not None:
        notes += _notes_on(encoded)
    return " ".join(notes)


def _notes_on(encoded: EncodedText) -> list[str]:
    notes = []
    if encoded.is_normalized:
        notes.append(said(NORMALIZED))
    if encoded.unknown:
        notes.append(said(UNKNOWN, characters=named_characters(encoded.unknown)))
    if encoded.n_specials_met:
        notes.append(said(SPECIALS, n=f"{encoded.n_specials_met:,}"))
    if encoded.n_surrogates:
        notes.append(said(SURROGATES, n=f"{encoded.n_surrogates:,}"))
    return notes


def named_characters(characters: tuple[str, ...]) -> str:
    """Return characters with their code points, the first dozen of them: ``é U+00E9, ⟨NBSP⟩ U+00A0``."""
    named = [f"{label(char.encode())} U+{ord(char):04X}" for char in characters[:MAX_NAMED]]
    more = len(characters) - MAX_NAMED
    return ", ".join(named) + (said(" and {n} more", n=f"{more:,}") if more > 0 else "")
