"""What tells a word from others: two keys made of its bytes, and the slot where they are looked for."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, part
from bpe_studio.engine.kernels.intrinsics import leading_zeros, load_eight

NONE, ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
ODD = np.uint64(0x9E3779B97F4A7C15)


@part
def hash_of_rest(text, at, end):
    """Return a hash of the bytes from `at` to `end`, eight at least."""
    hashed = NONE
    while at < end:
        hashed = (hashed ^ load_eight(text, min(at, end - 8))) * ODD
        hashed ^= hashed >> HALF
        at += 8
    return hashed


@inlined
def key_of(text, at, n):
    """Return two numbers that with the length tell a word of up to 16 bytes: its first eight and last eight.

    The second is 0 for up to eight bytes; for more than 16 it is a hash of what follows the first eight.
    """
    key = load_eight(text, at) & (ALL >> np.uint64(64 - 8 * min(n, 8)))
    if n > 16:
        return key, hash_of_rest(text, at + 8, at + n)
    last = load_eight(text, at + max(n - 8, 0))
    return key, last if n > 8 else NONE


@part
def is_same(text, at, n, other, start):
    """Return whether the `n` bytes at `at`, eight at least, are those of `other` from `start` on."""
    for index in range(0, n, 8):
        place = min(index, n - 8)
        if load_eight(text, at + place) != load_eight(other, start + place):
            return False
    return True


@inlined
def slot_of(n_slots, key, more):
    """Return the slot, of a power of two, from which a word is looked for."""
    hashed = (key ^ (more * ODD) ^ (more >> HALF)) * ODD
    # The upper bits depend on all bits of both keys.
    return hashed >> np.uint64(leading_zeros(np.uint64(n_slots - 1)))
