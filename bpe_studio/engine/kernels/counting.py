"""Counting pre-tokens as they are cut: a hash table of unique words, found by their first sixteen bytes."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, kernel, part
from bpe_studio.engine.kernels.splitting import pre_token_end
from bpe_studio.engine.kernels.state import COUNT, KEY, MORE_KEY, N_ARENA, N_NEEDED, N_WORDS, WORD

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def eight_bytes(text64, at):
    """Return the eight bytes at `at` as a number, out of the two aligned numbers that they lie in."""
    shift = np.uint64((at & 7) << 3)
    # Shifting by 64 does nothing on many processors, so the second part is shifted in two steps.
    return (text64[at >> 3] >> shift) | ((text64[(at >> 3) + 1] << np.uint64(1)) << (np.uint64(63) - shift))


@inlined
def key_of(text, text64, at, n):
    """Return two numbers that tell a word: its bytes up to sixteen, else eight and a hash of the rest."""
    key = eight_bytes(text64, at)
    if n <= 8:
        return key & (ALL >> np.uint64((8 - n) << 3)), np.uint64(0)
    if n <= 16:
        return key, eight_bytes(text64, at + 8) & (ALL >> np.uint64((16 - n) << 3))
    more = np.uint64(0xCBF29CE484222325)
    for index in range(at + 8, at + n):
        more = (more ^ np.uint64(text[index])) * np.uint64(0x100000001B3)
    return key, more


@inlined
def slot_hash(key, more, n):
    """Return a uint64 whose low bits spread words over the table."""
    value = key ^ ((more + np.uint64(n)) * np.uint64(0x9E3779B97F4A7C15))
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return value ^ (value >> np.uint64(29))


@inlined
def is_word(seen, slot, text, at, n, key, more):
    """Return whether a slot holds the word of `n` bytes at `at`. Up to sixteen bytes the keys tell."""
    slots = seen.slots
    if slots[slot, KEY] != key or slots[slot, MORE_KEY] != more:
        return False
    if np.int64(slots[slot, WORD] >> np.uint64(32)) != n:
        return False
    if n > 16:
        start = seen.start[np.int64(slots[slot, WORD] & np.uint64(0xFFFFFFFF))]
        for index in range(n):
            if text[at + index] != seen.arena[start + index]:
                return False
    return True


@part
def enter_word(seen, slot, text, at, n, key, more):
    """Put a new word into an empty slot; return False if there is no room for it."""
    n_words, n_arena = seen.numbers[N_WORDS], seen.numbers[N_ARENA]
    is_full = n_words + 1 >= len(seen.start) or 2 * n_words >= len(seen.slots)
    if is_full or n_arena + n > len(seen.arena):
        seen.numbers[N_NEEDED] = n
        return False
    for index in range(n):
        seen.arena[n_arena + index] = text[at + index]
    seen.slots[slot, KEY] = key
    seen.slots[slot, MORE_KEY] = more
    seen.slots[slot, WORD] = (np.uint64(n) << np.uint64(32)) | np.uint64(n_words)
    seen.start[n_words + 1] = n_arena + n
    seen.numbers[N_WORDS] = n_words + 1
    seen.numbers[N_ARENA] = n_arena + n
    return True


@inlined
def count_word(seen, text, text64, at, n, count):
    """Count the word of `n` bytes at `at` so many times more; return False if there is no room for it."""
    key, more = key_of(text, text64, at, n)
    mask = len(seen.slots) - 1
    slot = np.int64(slot_hash(key, more, n) & np.uint64(mask))
    while seen.slots[slot, COUNT] != 0:
        if is_word(seen, slot, text, at, n, key, more):
            seen.slots[slot, COUNT] += np.uint64(count)
            return True
        slot = (slot + 1) & mask
    if not enter_word(seen, slot, text, at, n, key, more):
        return False
    seen.slots[slot, COUNT] = np.uint64(count)
    return True


@kernel
def count_parts(kind, text, text64, ends, part, at, limit, classes, seen):
    """Count the pre-tokens of some parts of a text, none crossing from one part into the next.

    Parameters
    ----------
    kind : int
        The split pattern.
    text, text64 : ndarray of uint8 and uint64
        The same memory; sixteen bytes more than the text needs.
    ends : ndarray of int64, shape (n_parts, 2)
        Start and end of each part.
    part, at : int
        Where to go on.
    limit : int
        Rest when this offset is reached.
    seen : Seen
        Counts go here.

    Returns
    -------
    part, at : int
        Where it rested: at the end of all parts, beyond `limit`, or where `seen` needs room.
    """
    while part < len(ends):
        at = max(at, ends[part, 0])
        end = ends[part, 1]
        while at < end:
            if at >= limit:
                return part, at
            after = pre_token_end(kind, text, at, end, classes)
            if not count_word(seen, text, text64, at, after - at, 1):
                return part, at
            at = after
        part += 1
    return part, at


@kernel
def count_words_of(other, text64, word, seen, counts):
    """Add the words of another table from number `word` on; return the first for which there was no room.

    Parameters
    ----------
    other : Seen
        The other table; its arena is the text, and `text64` the same memory.
    counts : ndarray of int64
        Its counts by word.
    """
    while word < other.numbers[N_WORDS]:
        at, end = other.start[word], other.start[word + 1]
        if not count_word(seen, other.arena, text64, at, end - at, counts[word]):
            return word
        word += 1
    return word


@kernel
def counts_by_word(seen, counts):
    """Write the count of each word."""
    for slot in range(len(seen.slots)):
        if seen.slots[slot, COUNT] != 0:
            counts[np.int64(seen.slots[slot, WORD] & np.uint64(0xFFFFFFFF))] = np.int64(
                seen.slots[slot, COUNT]
            )


@kernel
def move_slots(old_slots, seen):
    """Enter all words of a smaller table into the empty slots of `seen`, whose arena holds them already."""
    mask = len(seen.slots) - 1
    for old in range(len(old_slots)):
        if old_slots[old, COUNT] != 0:
            key, more = old_slots[old, KEY], old_slots[old, MORE_KEY]
            n = np.int64(old_slots[old, WORD] >> np.uint64(32))
            slot = np.int64(slot_hash(key, more, n) & np.uint64(mask))
            while seen.slots[slot, COUNT] != 0:
                slot = (slot + 1) & mask
            for column in range(4):
                seen.slots[slot, column] = old_slots[old, column]
