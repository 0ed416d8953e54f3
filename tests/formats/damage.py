"""Files that are damaged: read all the same, or refused with an error of ours."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.content import Content


def read_or_refuse(read: Callable[[Content], Tokenizer], content: Content) -> Tokenizer | None:
    """Return the tokenizer of a file, or None if it is refused as it should be."""
    try:
        return read(content)
    except BpeStudioError:
        return None


def changed(data: bytes) -> st.SearchStrategy[bytes]:
    """The same bytes, up to four of them others."""

    def with_changes(changes: list[tuple[int, int]]) -> bytes:
        damaged = bytearray(data)
        for at, byte in changes:
            damaged[at] = byte
        return bytes(damaged)

    change = st.tuples(st.integers(0, len(data) - 1), st.integers(0, 255))
    return st.lists(change, min_size=1, max_size=4).map(with_changes)
