"""Merging the symbols of words: lowest rank first, everywhere, left to right; never quadratic."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import kernel, part
from bpe_studio.engine.kernels.pairs import pair_hash

GONE = -1  # a symbol that has become part of its left neighbour


@part
def rank_of(merges, left, right):
    """Return the rank of a pair, or −1 if no merge joins it."""
    mask = np.uint64(len(merges.table) - 1)
    slot = pair_hash(left, right) & mask
    while True:
        rank = merges.table[np.int64(slot)]
        if rank < 0 or (merges.left[rank] == left and merges.right[rank] == right):
            return rank
        slot = (slot + np.uint64(1)) & mask


@kernel
def enter_merges(merges):
    """Fill the hash table. Of a pair that stands twice in the list the first rank applies."""
    mask = np.uint64(len(merges.table) - 1)
    for rank in range(len(merges.left)):
        slot = pair_hash(merges.left[rank], merges.right[rank]) & mask
        while merges.table[np.int64(slot)] >= 0:
            known = merges.table[np.int64(slot)]
            if merges.left[known] == merges.left[rank] and merges.right[known] == merges.right[rank]:
                break
            slot = (slot + np.uint64(1)) & mask
        if merges.table[np.int64(slot)] < 0:
            merges.table[np.int64(slot)] = rank


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
def note_pair(merges, symbols, at, after, due, size):
    """Put a pair of neighbours into the heap if a merge joins it; entries sort by (rank, place)."""
    rank = rank_of(merges, symbols[at], symbols[after])
    if rank < 0:
        return size
    return push_due(due, size, (np.int64(rank) << 32) | np.int64(at))


@kernel
def merge_word(merges, symbols, following, before, due, fresh):
    """Merge the symbols of one word in place and return how many are left.

    Parameters
    ----------
    merges : Merges
        left, right, product (int32, by rank) and their hash table.
    symbols : ndarray of int32, shape (n,)
        Base symbols; overwritten with the word's tokens.
    following, before, fresh : ndarray of int32, shape (n,)
        Scratch: neighbours of each symbol, places whose neighbours have changed.
    due : ndarray of int64, shape (3 n,)
        Scratch: the heap. Every merge takes one pair away and adds two at most.

    Notes
    -----
    O(n log n). All places of a rank are taken from the left before pairs that arose meanwhile are
    looked at, as the reference does; in an ordered list those have higher ranks anyhow.
    """
    n = len(symbols)
    size = 0
    for at in range(n):
        following[at] = at + 1
        before[at] = at - 1
        if at + 1 < n:
            size = note_pair(merges, symbols, at, at + 1, due, size)
    while size > 0:
        rank = due[0] >> 32
        n_fresh = 0
        while size > 0 and due[0] >> 32 == rank:
            at = due[0] & 0xFFFFFFFF
            size = pop_due(due, size)
            after = following[at]
            if symbols[at] != merges.left[rank] or after >= n or symbols[after] != merges.right[rank]:
                continue
            symbols[at] = merges.product[rank]
            symbols[after] = GONE
            following[at] = following[after]
            if following[at] < n:
                before[following[at]] = at
            fresh[n_fresh] = at
            n_fresh += 1
        for index in range(n_fresh):
            at = fresh[index]
            if following[at] < n:
                size = note_pair(merges, symbols, at, following[at], due, size)
            # The pair on the left is noted by the left one if that has just been merged as well.
            if before[at] >= 0 and (index == 0 or fresh[index - 1] != before[at]):
                size = note_pair(merges, symbols, before[at], at, due, size)
    n_left = 0
    for at in range(n):
        if symbols[at] != GONE:
            symbols[n_left] = symbols[at]
            n_left += 1
    return n_left
