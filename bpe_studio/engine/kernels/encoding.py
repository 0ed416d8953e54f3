"""Merging the symbols of words: lowest rank first, left to right; never quadratic.

`pairs` is a hash table of the pairs that are joined: uint64, shape (n, 2), rows of the pair (left above
right) and its rank above its product. Several pairs may have one product, or one rank.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, kernel, part
from bpe_studio.engine.kernels.pairs import mix
from bpe_studio.engine.kernels.state import ZERO

GONE = -1  # a symbol that has become part of its left neighbour
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
ABOVE = 31  # bits of the product, above which the rank stands
PRODUCT = 0x7FFFFFFF
NO_RANK = 1 << 31  # above all ranks
NOTHING = NO_RANK << ABOVE  # what is said of two that are not joined
SHORT_WORD = 48  # symbols up to which scanning for the lowest rank is the faster way


@inlined
def pair_slot(pairs, pair):
    """Return the slot of a pair: its own, or the empty one where it belongs."""
    mask = np.uint64(len(pairs) - 1)
    slot = mix(pair) & mask
    while pairs[slot, 0] != pair and pairs[slot, 0] != EMPTY:
        slot = (slot + np.uint64(1)) & mask
    return slot


@inlined
def joined(pairs, left, right):
    """Return the rank of a pair above its product, or `NOTHING` if the two are not joined."""
    slot = pair_slot(pairs, (np.uint64(left) << np.uint64(32)) | np.uint64(right))
    return NOTHING if pairs[slot, 0] == EMPTY else np.int64(pairs[slot, 1])


@part
def enter_pair(pairs, left, right, rank, product):
    """Enter a pair (uint64), unless it is there: of a pair that stands twice the first rank applies."""
    pair = (left << np.uint64(32)) | right
    slot = pair_slot(pairs, pair)
    if pairs[slot, 0] == EMPTY:
        pairs[slot, 0] = pair
        pairs[slot, 1] = (np.uint64(rank) << np.uint64(ABOVE)) | np.uint64(product)


@kernel
def enter_merges(left, right, product, pairs):
    """Fill an empty table from a list of merges in rank order."""
    for rank in range(len(left)):
        enter_pair(pairs, np.uint64(left[rank]), np.uint64(right[rank]), rank, product[rank])


@part
def merge_short(pairs, symbols, known, n, one_by_one):
    """Merge the first `n` symbols in place and return how many are left; scans again for every merge.

    Parameters
    ----------
    pairs : ndarray of uint64
        See above.
    symbols : ndarray of int32
        Base symbols; overwritten with the word's tokens.
    known : ndarray of int64, shape (≥ n,)
        Scratch: what `joined` says of each symbol and its right neighbour.
    one_by_one : int
        As in `merge_word`.
    """
    for at in range(n - 1):
        known[at] = joined(pairs, symbols[at], symbols[at + 1])
    known[n - 1] = NOTHING
    while True:
        lowest = NO_RANK
        for at in range(n - 1):
            if known[at] >> ABOVE < lowest:
                lowest = known[at] >> ABOVE
        if lowest == NO_RANK:
            return n
        n_left = 0
        at = 0
        merged_before = False
        while at < n:
            merges = known[at] >> ABOVE == lowest
            if merges:
                symbols[n_left] = np.int32(known[at] & PRODUCT)
                at += 1
                if one_by_one:
                    lowest = -1
            else:
                symbols[n_left] = symbols[at]
            known[n_left] = known[at]
            if n_left > 0 and (merges or merged_before):
                known[n_left - 1] = joined(pairs, symbols[n_left - 1], symbols[n_left])
            merged_before = merges
            at += 1
            n_left += 1
        n = n_left
        known[n - 1] = NOTHING


@part
def push_due(due, size, entry):
    """Add an entry to a heap of int64 whose smallest is first, and return its size."""
    at = size
    while at > 0 and due[(at - 1) >> 1] > entry:
        due[at] = due[(at - 1) >> 1]
        at = (at - 1) >> 1
    due[at] = entry
    return size + 1


@part
def pop_due(due, size):
    """Remove the first entry of the heap and return its size."""
    size -= 1
    entry = due[size]
    at = 0
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size and due[down + 1] < due[down]:
            down += 1
        if due[down] >= entry:
            break
        due[at] = due[down]
        at = down
    due[at] = entry
    return size


@part
def note_pair(pairs, symbols, at, after, due, size):
    """Put a pair of neighbours into the heap if the two are joined; entries sort by (rank, place)."""
    known = joined(pairs, symbols[at], symbols[after])
    if known == NOTHING:
        return size
    return push_due(due, size, ((known >> ABOVE) << 32) | np.int64(at))


@part
def merge_linked(pairs, symbols, following, before, due, fresh, n, one_by_one):
    """Merge the first `n` symbols in place and return how many are left, as `merge_word` does."""
    size = ZERO
    for at in range(n):
        following[at] = at + 1
        before[at] = at - 1
        if at + 1 < n:
            size = note_pair(pairs, symbols, at, at + 1, due, size)
    while size > 0:
        rank = due[0] >> 32
        n_fresh = 0
        while size > 0 and due[0] >> 32 == rank and not (one_by_one and n_fresh):
            at = due[0] & 0xFFFFFFFF
            size = pop_due(due, size)
            after = following[at]
            if symbols[at] == GONE or after >= n:
                continue
            known = joined(pairs, symbols[at], symbols[after])
            if known >> ABOVE != rank:
                continue
            symbols[at] = np.int32(known & PRODUCT)
            symbols[after] = GONE
            following[at] = following[after]
            if following[at] < n:
                before[following[at]] = at
            fresh[n_fresh] = at
            n_fresh += 1
        for index in range(n_fresh):
            at = np.int64(fresh[index])
            if following[at] < n:
                size = note_pair(pairs, symbols, at, np.int64(following[at]), due, size)
            # The pair on the left is noted by the left one if that has just been merged as well.
            if before[at] >= 0 and (index == 0 or fresh[index - 1] != before[at]):
                size = note_pair(pairs, symbols, np.int64(before[at]), at, due, size)
    n_left = 0
    for at in range(n):
        if symbols[at] != GONE:
            symbols[n_left] = symbols[at]
            n_left += 1
    return n_left


@kernel
def merge_word(pairs, symbols, following, before, due, fresh, one_by_one):
    """Merge the symbols of one word in place and return how many are left.

    Parameters
    ----------
    pairs : ndarray of uint64
        See above.
    symbols : ndarray of int32, shape (n,)
        Base symbols; overwritten with the word's tokens.
    following, before, fresh : ndarray of int32, shape (n,)
        Scratch: neighbours of each symbol, places whose neighbours have changed.
    due : ndarray of int64, shape (3 n,)
        Scratch: the heap. Every merge takes one pair away and adds two at most.
    one_by_one : int
        Whether all pairs are looked at anew after each merge. Otherwise all places of a rank are taken from
        the left before pairs that arose meanwhile, see `semantics.Semantics`.

    Notes
    -----
    O(n log n).
    """
    return merge_linked(pairs, symbols, following, before, due, fresh, len(symbols), one_by_one)
