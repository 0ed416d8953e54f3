"""Entering a vocabulary: its tokens as words that are taken whole, and every way to make one of two."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import kernel
from bpe_studio.engine.kernels.encoding import enter_pair
from bpe_studio.engine.kernels.fields import (
    MAX_SYMBOLS,
    N_FIELDS,
    N_PAIR_SLOTS,
    PAIRS,
    REST,
    SHAPE,
)
from bpe_studio.engine.kernels.intrinsics import array_at
from bpe_studio.engine.kernels.keys import HALF, key_of
from bpe_studio.engine.kernels.known_words import find_word, whole_words
from bpe_studio.engine.kernels.state import KEY, MORE_KEY, ZERO


@kernel
def enter_words(address, data, ends, tokens):
    """Enter tokens that are taken whole, as words of one token, into an empty table.

    Parameters
    ----------
    address : int
        Of the encoder's numbers. WHOLE has room; WHOLE_ARENA is `data`.
    data : ndarray of uint8
        The tokens' bytes, one after the other, and sixteen more.
    ends : ndarray of int64, shape (n,)
        Where each ends.
    tokens : ndarray of int32, shape (n,)
        Ids.
    """
    words = whole_words(array_at(address, N_FIELDS, np.int64))
    start = ZERO
    for index in range(len(ends)):
        n = ends[index] - start
        if n <= MAX_SYMBOLS:
            key, more = key_of(data, start, n)
            slot = find_word(words, data, start, n, key, more)
            if words.slots[slot, SHAPE] == 0:
                words.slots[slot, KEY] = key
                words.slots[slot, MORE_KEY] = more
                words.slots[slot, SHAPE] = (
                    np.uint64(n) | np.uint64(1) << np.uint64(16) | np.uint64(tokens[index]) << HALF
                )
                words.slots[slot, REST] = np.uint64(start)
        start = ends[index]


@kernel
def enter_splits(address, data, ends, tokens, ranks, count_only):
    """Enter every way to make a token of two into the pair table; return how many there are.

    Parameters
    ----------
    address, data, ends, tokens
        As in `enter_words`, after that was done.
    ranks : ndarray of int64
        Rank of each token.
    count_only : int
        1 to enter nothing.
    """
    context = array_at(address, N_FIELDS, np.int64)
    words = whole_words(context)
    pairs = array_at(context[PAIRS], (context[N_PAIR_SLOTS], 2), np.uint64)
    start, n_found = ZERO, 0
    for index in range(len(ends)):
        for cut in range(start + 1, ends[index]):
            key, more = key_of(data, start, cut - start)
            left = find_word(words, data, start, cut - start, key, more)
            if words.slots[left, SHAPE] == 0:
                continue
            n = ends[index] - cut
            key, more = key_of(data, cut, n)
            right = find_word(words, data, cut, n, key, more)
            if words.slots[right, SHAPE] == 0:
                continue
            n_found += 1
            if not count_only:
                first = words.slots[left, SHAPE] >> HALF
                second = words.slots[right, SHAPE] >> HALF
                enter_pair(pairs, first, second, ranks[index], tokens[index])
        start = ends[index]
    return n_found
