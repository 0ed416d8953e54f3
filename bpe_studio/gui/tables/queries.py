"""What a filter or find text means: text, bytes in hex, or a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

HEX = re.compile(r"0[xX]\s*((?:[0-9a-fA-F]{2}\s*)+)$")
#: Labels show blanks as signs; whoever types a sign means the blank or the sign itself.
SIGNS = str.maketrans({"·": " ", "→": "\t", "↵": "\n"})


@dataclass(frozen=True)
class Query:
    """A parsed search text.

    Parameters
    ----------
    needles : tuple of bytes
        Any of these is looked for.
    number : int or None
        The number it is, for ranks and ids.
    """

    needles: tuple[bytes, ...]
    number: int | None

    def matches(self, data: bytes) -> bool:
        """Say whether some bytes hold what is looked for."""
        return any(needle in data for needle in self.needles)


@lru_cache(maxsize=64)
def parsed(text: str) -> Query:
    r"""Read a search text: ``0x6F 72`` is bytes, anything else text; digits are a number too.

    Examples
    --------
    >>> parsed("0x6F72").needles
    (b'or',)
    >>> parsed("·the").needles
    (b'\xc2\xb7the', b' the')
    """
    found = HEX.match(text.strip())
    if found:
        return Query((bytes.fromhex(found[1]),), None)
    needles = dict.fromkeys((text.encode(errors="replace"), text.translate(SIGNS).encode(errors="replace")))
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
    return Query(tuple(needles), number)


def matching_tokens(tokens: Sequence[bytes], query: Query) -> NDArray[np.bool_]:
    """Return for each token whether it matches."""
    if len(query.needles) == 1:
        needle = query.needles[0]
        return np.fromiter((needle in token for token in tokens), bool, len(tokens))
    return np.fromiter(map(query.matches, tokens), bool, len(tokens))


def matching_words(utf8: NDArray[np.uint8], offsets: NDArray[np.int64], query: Query) -> NDArray[np.bool_]:
    """Return for each word of concatenated words whether it matches.

    Parameters
    ----------
    utf8 : ndarray of uint8
        All words, one after the other.
    offsets : ndarray of int64, shape (n_words + 1,)
        Where each begins.
    query : Query
        What is looked for.

    Notes
    -----
    One comparison of the whole buffer a byte of the needle: 400,000 words take some milliseconds.
    """
    found = np.zeros(len(offsets) - 1, bool)
    for needle in query.needles:
        n = len(needle)
        if not 0 < n <= len(utf8):
            found |= n == 0
            continue
        hits = np.ones(len(utf8) - n + 1, bool)
        for i, byte in enumerate(needle):
            hits &= utf8[i : len(utf8) - n + 1 + i] == byte
        starts = np.flatnonzero(hits)
        words = np.searchsorted(offsets, starts, side="right") - 1
        found[words[starts + n <= offsets[words + 1]]] = True
    return found
