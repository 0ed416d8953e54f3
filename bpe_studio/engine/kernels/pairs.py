"""Pairs and their counts, and the places where each pair occurs.

A pair's places are written once, in ascending order, into a pool: all occurrences of a pair with token C
arise in the step that makes C. They go stale, and are checked, when a neighbour is merged. So a pair's count
never grows after that step, and a pair that is born too rare to be merged need not be kept.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, kernel
from bpe_studio.engine.kernels.intrinsics import item
from bpe_studio.engine.kernels.state import N_PAIRS, N_POOL, WALL, ZERO

LARGE = 1 << 30  # the least count that does not fit into a cell


@inlined
def mix(value):
    """Return splitmix64's finalizer of a uint64."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@inlined
def pair_hash(left, right):
    """Return a uint64 hash of a pair of tokens; its low bits are the good ones."""
    value = ((np.uint64(left) << np.uint64(32)) | np.uint64(right)) * np.uint64(0x9E3779B97F4A7C15)
    return value ^ (value >> np.uint64(32))


@inlined
def find_pair(pairs, left, right):
    """Return the slot of a pair in the table: its own, or the empty one where it belongs."""
    mask = np.uint64(len(pairs.table) - 1)
    slot = pair_hash(left, right) & mask
    while True:
        pair = item(pairs.table, slot)
        if pair == 0 or (item(pairs.row, pair).left == left and item(pairs.row, pair).right == right):
            return slot
        slot = (slot + np.uint64(1)) & mask


@inlined
def add_pair(pairs, slot, left, right, count, start, end):
    """Append a pair that belongs at an empty slot of the table, and return its row."""
    pair = pairs.numbers[N_PAIRS]
    pairs.numbers[N_PAIRS] += 1
    pairs.table[slot] = pair
    row = item(pairs.row, pair)
    row.left = left
    row.right = right
    row.count = count
    row.start = start
    row.end = end
    return pair


@inlined
def is_eligible(limits, tokens, left, right):
    """Return whether a pair's product is short enough."""
    return item(tokens, left).length + item(tokens, right).length <= limits.max_length


@inlined
def packed_weight(word, count, starts_word):
    """Return what a cell keeps of its word: the count, or the word's number if that is too large.

    The lowest bit says whether the word starts here; numbers of words are told by a minus sign.
    """
    if count < LARGE:
        return (count << 1) | starts_word
    return ~((word << 1) | starts_word)


@inlined
def starts_word(packed):
    """Return whether a cell is the first of its word."""
    return ((packed ^ (packed >> 31)) & 1) == 1


@inlined
def weight_of(cells, packed):
    """Return the count of a cell's word, int64."""
    if packed < 0:
        return cells.count[(~packed) >> 1]
    return np.int64(packed >> 1)


@inlined
def first_place(cells, tokens, pairs, pair):
    """Return the first cell where a pair occurs, dropping places that are stale."""
    row = item(pairs.row, pair)
    length_left = item(tokens, row.left).length
    while row.start < row.end:
        at = item(pairs.pool, row.start)
        if item(cells.cell, at).token == row.left and item(cells.cell, at + length_left).token == row.right:
            return np.int64(at)
        row.start += 1
    return np.int64(len(cells.cell))


@kernel
def lay_out(cells, tokens, offsets, first_id, first_mergeable_id):
    """Write the words into their cells, and note for each base token one cell where it occurs.

    Returns the number of base tokens of the corpus.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_words + 1,)
        Where each word begins in the base symbols.
    first_id, first_mergeable_id : int
        Ids of token number 0, and of the first that is no wall.
    """
    corpus_tokens = np.int64(0)
    for word in range(len(offsets) - 1):
        count = cells.count[word]
        corpus_tokens += count * (offsets[word + 1] - offsets[word])
        for at in range(offsets[word], offsets[word + 1]):
            symbol = cells.base[at]
            tokens[symbol - first_id].start = at
            item(cells.cell, at).token = symbol - first_id if symbol >= first_mergeable_id else WALL
            item(cells.cell, at).weight = packed_weight(word, count, at == offsets[word])
    last = len(cells.cell) - 1
    item(cells.cell, last).token = WALL
    item(cells.cell, last).weight = 1
    return corpus_tokens


@kernel
def count_pairs(cells, tokens, pairs, at):
    """Count the pairs of the words from a cell on, until the table is half full; return the cell reached.

    If there is a pool, its upper half keeps the pair of each cell for `place_pairs`, 0 for none.
    """
    last = len(cells.cell) - 1
    noting = len(pairs.pool) > last
    most = min(len(pairs.row), len(pairs.table) >> 1)
    while at < last and pairs.numbers[N_PAIRS] < most:
        left = item(cells.cell, at).token
        after = at + (item(tokens, left).length if left >= 0 else 1)
        packed = item(cells.cell, after).weight
        right = item(cells.cell, after).token
        pair = np.int64(0)
        if left >= 0 and right >= 0 and not starts_word(packed):
            slot = find_pair(pairs, left, right)
            pair = np.int64(item(pairs.table, slot))
            if pair == 0:
                pair = add_pair(pairs, slot, left, right, ZERO, ZERO, ZERO)
            item(pairs.row, pair).count += weight_of(cells, packed)
            item(pairs.row, pair).end += 1
        if noting:
            pairs.pool[last + at] = pair
        at = after
    return at


@kernel
def place_pairs(limits, cells, pairs):
    """Write the places of all counted pairs that are frequent enough into the pool, in ascending order.

    Each cell is a token still.
    """
    used = 0
    for pair in range(1, pairs.numbers[N_PAIRS]):
        row = item(pairs.row, pair)
        n_places = row.end
        row.start = row.end = used
        if row.count >= limits.least:
            used += n_places
    pairs.numbers[N_POOL] = used
    n_cells = len(cells.cell) - 1
    for at in range(n_cells):
        row = item(pairs.row, pairs.pool[n_cells + at])
        if row.count >= limits.least:  # row 0 is not
            pairs.pool[row.end] = at
            row.end += 1


@kernel
def rebuild(pairs):
    """Enter all pairs into a new, empty table."""
    for pair in range(1, pairs.numbers[N_PAIRS]):
        row = item(pairs.row, pair)
        pairs.table[find_pair(pairs, row.left, row.right)] = pair
