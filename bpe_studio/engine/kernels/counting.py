"""Counting pre-tokens as they are cut: a hash table of unique words, found by their first sixteen bytes."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, kernel, part
from bpe_studio.engine.kernels.intrinsics import load_eight, prefetch, store_eight
from bpe_studio.engine.kernels.keys import HALF, LOW, NONE, is_same, key_of, slot_of
from bpe_studio.engine.kernels.splitting import fill_ends
from bpe_studio.engine.kernels.state import COUNT, KEY, MORE_KEY, N_ARENA, N_NEEDED, N_WORDS, SLOT, WORD

TWO_SLOTS = np.uint64(7)


@inlined
def first_slot(slots, key, more):
    """Return the slot from which a word is looked for: the first of two in a line of the cache."""
    return slot_of(len(slots), key, more) & ~TWO_SLOTS


@inlined
def difference(slots, slot, n, key, more):
    """Return 0 if a slot has a word's keys and length."""
    length = slots[slot + WORD] >> HALF
    return (slots[slot + KEY] ^ key) | (slots[slot + MORE_KEY] ^ more) | (length ^ np.uint64(n))


@inlined
def is_word(seen, slot, text, at, n, key, more):
    """Return whether a slot holds the word of `n` bytes at `at`. Up to sixteen bytes the keys tell."""
    if difference(seen.slots, slot, n, key, more) != NONE:
        return False
    return n <= 16 or is_same(text, at, n, seen.arena, seen.start[seen.slots[slot + WORD] & LOW])


@inlined
def enter_word(seen, slot, text, at, n, key, more):
    """Put a new word into an empty slot; return False if there is no room for it."""
    n_words, n_arena = seen.numbers[N_WORDS], seen.numbers[N_ARENA]
    is_full = n_words + 1 >= len(seen.start) or 16 * n_words >= 3 * len(seen.slots)
    # Words are read by eight bytes, the first sixteen always.
    if is_full or n_arena + n + 16 > len(seen.arena):
        seen.numbers[N_NEEDED] = n
        return False
    for index in range(0, n, 8):
        store_eight(seen.arena, n_arena + index, load_eight(text, at + index))
    seen.slots[slot + KEY] = key
    seen.slots[slot + MORE_KEY] = more
    seen.slots[slot + WORD] = (np.uint64(n) << HALF) | np.uint64(n_words)
    seen.start[n_words + 1] = n_arena + n
    seen.numbers[N_WORDS] = n_words + 1
    seen.numbers[N_ARENA] = n_arena + n
    return True


@part
def count_batch(seen, text, at, ends, counts, n, batch):
    """Count the words that lie side by side from `at` on.

    Parameters
    ----------
    seen : Seen
        Counts go here.
    text : ndarray of uint8
        Holds the words, and sixteen bytes more.
    at : int
        Where the first word starts.
    ends, counts : ndarray of int64
        Where each word ends, and how many more times it was seen.
    n : int
        Number of words.
    batch : Batch
        Room for `n` words.

    Returns
    -------
    int
        The number of words that were counted; fewer than `n` where `seen` needs room.
    """
    start = at
    for index in range(n):
        key, more = key_of(text, start, ends[index] - start)
        slot = first_slot(seen.slots, key, more)
        prefetch(seen.slots, slot)
        batch.key[index], batch.more[index], batch.slot[index] = key, more, slot
        start = ends[index]
    mask = np.uint64(len(seen.slots) - 1)
    start = at
    for index in range(n):
        key, more, slot = batch.key[index], batch.more[index], batch.slot[index]
        length = ends[index] - start
        # Nearly every word is in one of the first two slots; both are looked at before the one branch.
        here = difference(seen.slots, slot, length, key, more) != NONE
        there = difference(seen.slots, slot + SLOT, length, key, more) != NONE
        if (here & there) | (length > 16):
            while seen.slots[slot + COUNT] != NONE and not is_word(
                seen, slot, text, start, length, key, more
            ):
                slot = (slot + SLOT) & mask
            if seen.slots[slot + COUNT] == NONE:
                if not enter_word(seen, slot, text, start, length, key, more):
                    return index
        else:
            slot += SLOT * np.uint64(here)
        seen.slots[slot + COUNT] += np.uint64(counts[index])
        start = ends[index]
    return n


@kernel
def count_parts(kind, text, ends, part, at, limit, classes, seen, batch):
    """Count the pre-tokens of some parts of a text, none crossing from one part into the next.

    Parameters
    ----------
    kind : int
        The split pattern.
    text : ndarray of uint8
        UTF-8, with `fast_counting.PADDING` bytes more than the text needs.
    ends : ndarray of int64, shape (n_parts, 2)
        Start and end of each part.
    part, at : int
        Where to go on.
    limit : int
        Rest when this offset is reached.
    classes : ndarray of uint8
        As `unicode_classes.character_classes` returns them.
    seen : Seen
        Counts go here.
    batch : Batch
        Room for some words.

    Returns
    -------
    part, at : int
        Where it rested: at the end of all parts, beyond `limit`, or where `seen` needs room.
    """
    while part < len(ends):
        at = max(at, ends[part, 0])
        while at < ends[part, 1]:
            if at >= limit:
                return part, at
            n = fill_ends(kind, text, at, ends[part, 1], classes, batch.ends)
            n_counted = count_batch(seen, text, at, batch.ends, batch.ones, n, batch)
            if n_counted > 0:
                at = batch.ends[n_counted - 1]
            if n_counted < n:
                return part, at
        part += 1
    return part, at


@kernel
def count_words_of(other, word, counts, seen, batch):
    """Add the words of another table from number `word` on; return the first for which there was no room.

    Parameters
    ----------
    other : Seen
        The other table.
    counts : ndarray of int64
        Its counts by word.
    seen : Seen
        Counts go here.
    batch : Batch
        Room for some words.
    """
    n_words = other.numbers[N_WORDS]
    while word < n_words:
        n = min(n_words - word, len(batch.ends))
        ends = other.start[word + 1 : word + 1 + n]
        n_counted = count_batch(seen, other.arena, other.start[word], ends, counts[word:], n, batch)
        word += n_counted
        if n_counted < n:
            break
    return word


@kernel
def counts_by_word(seen, counts):
    """Write the count of each word."""
    slots = seen.slots
    for slot in range(np.uint64(0), np.uint64(len(slots)), SLOT):
        if slots[slot + COUNT] != NONE:
            counts[slots[slot + WORD] & LOW] = np.int64(slots[slot + COUNT])


@kernel
def move_slots(old_slots, seen):
    """Enter all words of a smaller table into the empty slots of `seen`, whose arena holds them already."""
    slots = seen.slots
    mask = np.uint64(len(slots) - 1)
    for old in range(np.uint64(0), np.uint64(len(old_slots)), SLOT):
        if old_slots[old + COUNT] != NONE:
            slot = first_slot(slots, old_slots[old + KEY], old_slots[old + MORE_KEY])
            while slots[slot + COUNT] != NONE:
                slot = (slot + SLOT) & mask
            for cell in (KEY, MORE_KEY, WORD, COUNT):
                slots[slot + cell] = old_slots[old + cell]
