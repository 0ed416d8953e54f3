"""SentencePiece's table of replacements: at each place of a text the longest rule that matches there applies.

A table is the size of a trie in bytes (uint32), the trie, and texts that each end in a zero byte; numbers are
little-endian. The trie is a double array as the Darts-clone library makes it, 32 bits a node: bits 0–7 are
the byte by which the node was reached (with bit 31 it is a leaf, and bits 0–30 are the place of its text),
bit 8 says that the node has a leaf, bits 10–30 are an offset, eight bits further left if bit 9 is set. A
node's child lies at node XOR offset XOR byte, its leaf at node XOR offset.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.errors import FormatError

LEAF, HAS_LEAF, FAR = 1 << 31, 1 << 8, 1 << 9
LABEL = LEAF | 0xFF


class Charsmap:
    """The replacements of a table.

    Parameters
    ----------
    table : bytes
        The table; see above.

    Raises
    ------
    FormatError
        If it is not such a table.
    """

    def __init__(self, table: bytes) -> None:
        size = int.from_bytes(table[:4], "little")
        if len(table) < 4 or size % 4 or not size or 4 + size >= len(table) or table[-1]:
            raise FormatError("the table of replacements is damaged: its sizes do not fit.")
        units = np.frombuffer(table, "<u4", size // 4, 4)
        self._texts = table[4 + size :]
        places = units[units & LEAF != 0] & ~np.uint32(LEAF)
        starts = np.frombuffer(self._texts, np.uint8)
        if places.size and places.max() >= len(starts) or (starts[places] & 0xC0 == 0x80).any():
            raise FormatError("the table of replacements is damaged: a text is not where it should be.")
        try:
            self._texts.decode()
        except UnicodeDecodeError as error:
            raise FormatError("the table of replacements is damaged: a text is not UTF-8.") from error
        self._units: list[int] = units.tolist()

    def longest(self, utf8: bytes, at: int) -> tuple[int, str] | None:
        """Return where the longest rule that matches at a place ends, and what it puts there; or None.

        Parameters
        ----------
        utf8 : bytes
            The text.
        at : int
            Offset of a character's first byte.
        """
        units, n = self._units, len(self._units)
        node, found = 0, None
        unit = units[0]
        for end in range(at, len(utf8)):
            base = node ^ (unit >> 10 << ((unit & FAR) >> 6))
            node = base ^ utf8[end]
            if node >= n or units[node] & LABEL != utf8[end]:
                break
            unit = units[node]
            if unit & HAS_LEAF:
                leaf = node ^ (unit >> 10 << ((unit & FAR) >> 6))
                if leaf < n:
                    found = end + 1, units[leaf]
        if found is None:
            return None
        start = found[1] & ~LEAF
        return found[0], self._texts[start : self._texts.index(b"\0", start)].decode()
