"""Whether bytes are UTF-8: the same answer as Python's decoder, without holding the interpreter."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, kernel
from bpe_studio.engine.kernels.state import ZERO

HIGH_BITS = np.uint64(0x8080808080808080)


@inlined
def sequence_length(text, at, end):
    """Return the bytes of the character above U+007F at `at`, or 0 if there is none that is well-formed.

    Well-formed is: no longer than needed, no surrogate, nothing above U+10FFFF, and all of it before `end`.
    """
    first = text[at]
    if first < 0xC2 or first > 0xF4:
        return 0
    length = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if at + length > end:
        return 0
    least = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
    most = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
    if text[at + 1] < least or text[at + 1] > most:
        return 0
    for index in range(at + 2, at + length):
        if text[index] & 0xC0 != 0x80:
            return 0
    return length


@kernel
def check(text, text64, end):
    """Return where the first bytes are that are no UTF-8, and how many characters stand before.

    Parameters
    ----------
    text, text64 : ndarray of uint8 and uint64
        The same memory.
    end : int
        Bytes to look at, from the start.

    Returns
    -------
    at, n_characters : int
        `at` is `end` if all of it is UTF-8.

    References
    ----------
    The Unicode Standard, section 3.9, table 3-7: well-formed UTF-8 byte sequences.
    """
    at, n_characters = ZERO, ZERO
    while at < end:
        if text[at] >= 0x80:
            length = sequence_length(text, at, end)
            if length == 0:
                break
            at += length
            n_characters += 1
            continue
        at += 1
        n_characters += 1
        if at & 7 == 0:  # eight bytes of ASCII at a time
            start = at
            while at + 8 <= end and text64[at >> 3] & HIGH_BITS == 0:
                at += 8
            n_characters += at - start
    return at, n_characters
