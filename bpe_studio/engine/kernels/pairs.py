"""Pairs and their counts: two hash tables, and the places where each pair occurs.

A pair's places are written once, in ascending order, into a pool: all occurrences of a pair with token C
arise in the step that makes C. They go stale, and are checked, when a neighbour is merged.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, kernel, part
from bpe_studio.engine.kernels.state import N_COUNTS, N_PAIRS, N_POOL, WALL


@inlined
def mix(value):
    """Return splitmix64's finalizer of a uint64."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@inlined
def pair_hash(left, right):
    """Return a uint64 hash of a pair of tokens."""
    return mix((np.uint64(left) << np.uint64(32)) | np.uint64(right))


@inlined
def find_pair(pairs, left, right):
    """Return the slot of a pair in the table: its own, or the empty one where it belongs."""
    mask = np.uint64(len(pairs.table) - 1)
    slot = pair_hash(left, right) & mask
    while True:
        pair = pairs.table[np.int64(slot)]
        if pair < 0 or (pairs.left[pair] == left and pairs.right[pair] == right):
            return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask


@inlined
def add_pair(pairs, left, right, count, start, n_places):
    """Append a pair and return its number."""
    pair = np.int32(pairs.numbers[N_PAIRS])
    pairs.table[find_pair(pairs, left, right)] = pair
    pairs.left[pair] = left
    pairs.right[pair] = right
    pairs.count[pair] = count
    pairs.start[pair] = start
    pairs.n_places[pair] = n_places
    pairs.numbers[N_PAIRS] += 1
    return pair


@inlined
def count_slot(counts, value):
    """Return the slot of a count: its own for small counts, a hashed one in the upper half for others."""
    half = len(counts.value) >> 1
    if value < half:
        return np.int64(value)
    slot = np.int64(mix(np.uint64(value)) & np.uint64(half - 1))
    while counts.value[half + slot] != value and counts.value[half + slot] != 0:
        slot = (slot + 1) & (half - 1)
    return half + slot


@inlined
def note_count(counts, numbers, value, change):
    """Note that `change` more eligible pairs have this count."""
    if value > 0:
        slot = count_slot(counts, value)
        if counts.value[slot] == 0:
            counts.value[slot] = value
            numbers[N_COUNTS] += 2 * slot >= len(counts.value)
        counts.n_pairs[slot] += change


@part
def best_below(counts, limit):
    """Return the highest count below `limit` that any eligible pair has, or 0."""
    for value in range(limit - 1, 0, -1):
        slot = count_slot(counts, np.int64(value))
        if counts.value[slot] == value and counts.n_pairs[slot] > 0:
            return np.int64(value)
    return np.int64(0)


@inlined
def is_eligible(limits, tokens, left, right):
    """Return whether a pair's product is short enough."""
    return tokens.length[left] + tokens.length[right] <= limits.max_length


@inlined
def first_place(cells, tokens, pairs, pair):
    """Return the first cell where a pair occurs, dropping places that are stale."""
    left, right = pairs.left[pair], pairs.right[pair]
    end = pairs.start[pair] + pairs.n_places[pair]
    while pairs.n_places[pair] > 0:
        at = pairs.pool[pairs.start[pair]]
        if cells.token[at] == left and cells.token[at + tokens.length[left]] == right:
            return np.int64(at)
        pairs.start[pair] += 1
        pairs.n_places[pair] = end - pairs.start[pair]
    return np.int64(len(cells.token))


@kernel
def lay_out(cells, base, offsets, counts, first_id, first_mergeable_id, letters):
    """Write the words into their cells, with a wall before each, and the base tokens at the end.

    Parameters
    ----------
    base : ndarray of int32, shape (n,)
        Base symbols (ids) of all words.
    offsets : ndarray of int64, shape (n_words + 1,)
        Where each word begins.
    counts : ndarray of int64, shape (n_words,)
        How often each word occurs.
    first_id, first_mergeable_id : int
        Ids of token number 0, and of the first that is no wall.
    letters : ndarray of int32, shape (n_base_tokens,)
        Sort value of each base token. Each gets a cell at the end, where its letter can be looked up.
    """
    at = 0
    for word in range(len(counts)):
        cells.token[at] = WALL
        at += 1
        for index in range(offsets[word], offsets[word + 1]):
            symbol = base[index]
            cells.token[at] = symbol - first_id if symbol >= first_mergeable_id else WALL
            cells.weight[at] = counts[word]
            cells.letter[at] = letters[symbol - first_id]
            at += 1
    cells.token[at] = WALL
    for number in range(len(letters)):
        cells.token[at + 1 + number] = WALL
        cells.letter[at + 1 + number] = letters[number]


@kernel
def find_pairs(cells, tokens, pairs):
    """Enter every pair of the words with its count, and all its places in ascending order.

    Complexity is O(cells). The table must have room for as many pairs as there are.
    """
    n_cells = len(cells.token)
    at = 0
    for fill in range(2):
        at = 0
        while at < n_cells:
            left = cells.token[at]
            after = at + (tokens.length[left] if left >= 0 else 1)
            if left >= 0 and cells.token[after] >= 0:
                slot = find_pair(pairs, left, cells.token[after])
                pair = pairs.table[slot]
                if fill:
                    pairs.pool[pairs.start[pair] + pairs.n_places[pair]] = at
                else:
                    if pair < 0:
                        pair = add_pair(pairs, left, cells.token[after], 0, 0, 0)
                    pairs.count[pair] += cells.weight[at]
                pairs.n_places[pair] += 1
            at = after
        if not fill:
            used = 0
            for pair in range(pairs.numbers[N_PAIRS]):
                pairs.start[pair] = used
                used += pairs.n_places[pair]
                pairs.n_places[pair] = 0
            pairs.numbers[N_POOL] = used


@kernel
def rebuild(pairs, counts, old_value, old_n_pairs):
    """Enter all pairs and all living counts into new, empty tables."""
    for pair in range(pairs.numbers[N_PAIRS]):
        pairs.table[find_pair(pairs, pairs.left[pair], pairs.right[pair])] = pair
    pairs.numbers[N_COUNTS] = 0
    for slot in range(len(old_value)):
        if old_n_pairs[slot] > 0:
            note_count(counts, pairs.numbers, old_value[slot], old_n_pairs[slot])
