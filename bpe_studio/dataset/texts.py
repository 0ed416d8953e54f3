"""The texts of a data set: looked at once, then read in a stream as often as needed."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bpe_studio.engine.documents import Document
from bpe_studio.engine.errors import CorpusError
from bpe_studio.engine.items import Item, OpenText
from bpe_studio.engine.reading import Progress

CHUNK_BYTES = 1 << 20
"""Bytes read at a time."""


def sound_items(
    items: Sequence[Item], errors: str, progress: Progress | None = None
) -> tuple[list[Item], list[str]]:
    """Look at all texts once, so that what is no text is found before the work.

    Parameters
    ----------
    items : sequence of Item
        What `items_of` lists.
    errors : {"strict", "replace", "skip"}
        What to do about bytes that are no text, see `Corpus.from_source`.
    progress : callable or None
        Called as ``progress("reading", bytes, total)``.

    Returns
    -------
    items : list of Item
        To be opened with "strict": their bytes are text. Those that had to be changed are held in memory.
    notes : list of str
        What was left out or changed, in words.

    Raises
    ------
    CorpusError
        If something cannot be read, or is no text.
    """
    found, notes = [], []
    total, done = sum(item.n_bytes for item in items), 0
    for item in items:
        done += item.n_bytes
        try:
            with item.open(errors) as text:
                error = text.first_error() if errors == "strict" else None
                if error is not None:
                    raise error
                notes += [f"{item.name}: {problem}" for problem in text.problems]
                found.append(replace(text.item, is_sound=True))
        except CorpusError as error:
            if errors != "skip":
                raise
            notes.append(f"left out: {error}")
        if progress is not None:
            progress("reading", done, total)
    return found, notes


def chunks_of(text: OpenText) -> Iterator[bytes]:
    """Yield a text from its start, chunk after chunk."""
    text.seek(0)
    while chunk := next_bytes(text, CHUNK_BYTES):
        yield chunk


def next_bytes(text: OpenText, n_bytes: int) -> bytes:
    """Return the next bytes of a text; fewer only at its end."""
    buffer = memoryview(bytearray(n_bytes))
    return bytes(buffer[: text.read_into(buffer)])


def characters_of(items: Sequence[Item]) -> set[str]:
    """Return the characters that sound texts have."""
    found: set[str] = set()
    for item in items:
        with item.open("strict") as text:
            for block in codecs.iterdecode(chunks_of(text), "utf-8"):
                found.update(block)
    return found


def beginning(items: Sequence[Item], n_bytes: int) -> list[Item]:
    """Return the beginning of sound texts.

    Parameters
    ----------
    items : sequence of Item
        The texts in their order.
    n_bytes : int
        How much, in bytes of UTF-8; up to three fewer where that would cut a character.
    """
    kept: list[Item] = []
    for item in items:
        with item.open("strict") as text:
            text.seek(0)
            utf8 = next_bytes(text, min(n_bytes, item.n_bytes) + 1)
        if len(utf8) > n_bytes:
            part = utf8[:n_bytes].decode("utf-8", "ignore")
            if part:
                document = Document(item.name, part.encode(), item.path, "UTF-8", len(part))
                kept.append(Item(item.name, document.n_bytes, document))
            break
        kept.append(item)
        n_bytes -= len(utf8)
    return kept
