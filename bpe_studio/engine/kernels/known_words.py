"""The words that an encoder has met before, and their tokens: see `fields.Words`."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, kernel
from bpe_studio.engine.kernels.fields import (
    ARENA,
    ARENA_SIZE,
    N_FIELDS,
    N_SEEN,
    N_WHOLE,
    N_WHOLE_ARENA,
    POOL,
    POOL_SIZE,
    REST,
    SEEN,
    SHAPE,
    WHOLE,
    WHOLE_ARENA,
    Words,
)
from bpe_studio.engine.kernels.intrinsics import array_at, prefetch
from bpe_studio.engine.kernels.keys import HALF, LOW, is_same, key_of, slot_of
from bpe_studio.engine.kernels.state import KEY, MORE_KEY

LENGTH = np.uint64(0xFFFF)
KEPT_HERE = 3  # tokens that have room in a slot


@inlined
def find_word_from(slot, words, text, at, n, key, more):
    """Return the slot of a word, looking from a slot on: its own, or the empty one where it belongs."""
    mask = np.uint64(len(words.slots) - 1)
    while True:
        shape = words.slots[slot, SHAPE]
        if shape == 0:
            return slot
        if words.slots[slot, KEY] == key and words.slots[slot, MORE_KEY] == more:
            if np.int64(shape & LENGTH) == n:
                if n <= 16:
                    return slot
                start = np.int64(words.slots[slot, REST] & LOW)
                if is_same(text, at, n, words.arena, start):
                    return slot
        slot = (slot + np.uint64(1)) & mask


@inlined
def find_word(words, text, at, n, key, more):
    """Return the slot of a word: its own, or the empty one where it belongs."""
    return find_word_from(slot_of(len(words.slots), key, more), words, text, at, n, key, more)


@inlined
def seen_words(context):
    """Return the words met before."""
    return Words(
        array_at(context[SEEN], (context[N_SEEN], 4), np.uint64),
        array_at(context[ARENA], context[ARENA_SIZE], np.uint8),
        array_at(context[POOL], context[POOL_SIZE], np.int32),
    )


@inlined
def whole_words(context):
    """Return the tokens that are taken whole; none have tokens in a pool."""
    return Words(
        array_at(context[WHOLE], (context[N_WHOLE], 4), np.uint64),
        array_at(context[WHOLE_ARENA], context[N_WHOLE_ARENA], np.uint8),
        array_at(context[WHOLE_ARENA], 0, np.int32),
    )


@inlined
def note_batch(words, text, at, ends, n_words, batch):
    """Write what tells each of the next words, and the slot where it stands unless another one does."""
    for index in range(n_words):
        n = ends[index] - at
        key, more = key_of(text, at, n)
        slot = slot_of(len(words.slots), key, more)
        prefetch(words.slots, slot)
        batch[0, index] = key
        batch[1, index] = more
        batch[2, index] = slot
        at = ends[index]


@inlined
def write_known(words, text, at, ends, index, n_words, batch, out, n_out):
    """Write the ids of the next words until one is new; return the index of that, its place and the ids' end.

    The slot found last is left in `batch`.
    """
    while index < n_words:
        n = ends[index] - at
        slot = find_word_from(batch[2, index], words, text, at, n, batch[0, index], batch[1, index])
        shape, rest = words.slots[slot, SHAPE], words.slots[slot, REST]
        if shape == 0:
            batch[2, index] = slot
            break
        n_tokens = np.int64(shape >> np.uint64(16) & LENGTH)
        if n_tokens <= KEPT_HERE and n <= 16:
            # All three at once: what is too much is overwritten by the next word.
            out[n_out] = np.int32(shape >> HALF)
            out[n_out + 1] = np.int32(rest & LOW)
            out[n_out + 2] = np.int32(rest >> HALF)
        else:
            first = np.int64(shape >> HALF)
            for place in range(n_tokens):
                out[n_out + place] = words.pool[first + place]
        n_out += n_tokens
        at = ends[index]
        index += 1
    return index, at, n_out


@kernel
def move_words(address, old_slots):
    """Enter all words of a smaller table into the empty slots of the one at SEEN."""
    words = seen_words(array_at(address, N_FIELDS, np.int64))
    mask = np.uint64(len(words.slots) - 1)
    for old in range(len(old_slots)):
        shape = old_slots[old, SHAPE]
        if shape != 0:
            slot = slot_of(len(words.slots), old_slots[old, KEY], old_slots[old, MORE_KEY])
            while words.slots[slot, SHAPE] != 0:
                slot = (slot + np.uint64(1)) & mask
            for column in range(4):
                words.slots[slot, column] = old_slots[old, column]
