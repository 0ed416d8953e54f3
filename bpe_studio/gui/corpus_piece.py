"""Pieces of the corpus to look at in PREVIEW."""

from __future__ import annotations

from typing import Any

CORPUS_PIECE = 2000
"""Bytes of a piece: far less than PREVIEW shows."""


def piece_of(corpus: Any, number: int, size: int = CORPUS_PIECE) -> str:
    """Return a piece of a corpus, its documents in turn; it ends at a line or a blank if it can."""
    documents = [document for document in corpus.documents if document.n_bytes] if corpus is not None else []
    if not documents:
        return ""
    document = documents[number % len(documents)]
    n_pieces = -(-document.n_bytes // size)
    start = number // len(documents) % n_pieces * size
    # Bytes, since decoding 100 MB for a piece would be felt. Half characters at the ends are dropped.
    text = document.utf8[start : start + size].decode("utf-8", "ignore")
    if start + size >= document.n_bytes:
        return text
    cut = max(text.rfind("\n"), text.rfind(" "))
    return text[: cut + 1] if cut > size // 2 else text
