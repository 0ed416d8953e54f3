"""A document's text, chunk after chunk, in a buffer that is used again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bpe_studio.engine.fast_counting import PADDING
from bpe_studio.engine.items import OpenText
from bpe_studio.engine.text_cuts import TextCuts
from bpe_studio.engine.word_table import MAX_BYTES

CHUNK_BYTES = 1 << 20
"""Bytes read at a time: few calls, and what is read is still in the processor's cache when it is counted."""


class ChunkBuffer:
    """Bytes that are filled anew, and made larger where a text cannot be cut."""

    def __init__(self) -> None:
        self._allot(CHUNK_BYTES)

    def _allot(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        # As kernels want it: read beyond the end, and in numbers of eight bytes.
        self.array = np.empty((n_bytes + PADDING + 7) // 8 * 8, np.uint8)
        self.view = self.array.data

    def _enlarge(self) -> None:
        before = self.view
        self._allot(2 * self.n_bytes)
        self.view[: len(before)] = before

    def chunks(self, text: OpenText, start: int, stop: int | None, cuts: TextCuts | None) -> Iterator[int]:
        """Read a text, and cut it where that is safe.

        Parameters
        ----------
        text : OpenText
            The text.
        start, stop : int, int or None
            Where to begin and to end, in bytes; None is the end of the text.
        cuts : TextCuts or None
            Where to cut; None cuts nowhere.

        Yields
        ------
        int
            Bytes of the next chunk, which stands at the beginning of the buffer until the next is asked for.
        """
        held, left = 0, MAX_BYTES if stop is None else stop - start
        text.seek(start)
        if cuts is None and text.item.n_bytes >= self.n_bytes:
            self._allot(text.item.n_bytes + 1)  # one more, to see the end
        while True:
            room = min(self.n_bytes - held, left)
            n_read = text.read_into(self.view[held : held + room])
            left -= n_read
            end = held + n_read
            is_last = n_read < room or not left
            n = end if is_last else cuts.last(self.view, end) if cuts is not None else 0
            if n:
                yield n
            if is_last:
                return
            held = end - n
            if n:
                self.array[:held] = self.array[n:end]
            else:
                self._enlarge()
