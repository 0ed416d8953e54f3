"""Tie rules compiled: a 64-bit key a pair, and letters compared only where keys are equal."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, part
from bpe_studio.engine.kernels.pairs import first_place, mix
from bpe_studio.engine.kernels.state import FIRST_SEEN, LOWEST_IDS, RANDOM, REVERSE, SHORTEST


@inlined
def letter_at(cells, at):
    """Return the sort value of the base symbol at a cell."""
    return cells.letter[cells.base[at]]


@part
def compare_letters(cells, start_a, length_a, start_b, length_b):
    """Return −1, 0 or 1 as token a sorts before, like or after token b."""
    for offset in range(min(length_a, length_b)):
        a = letter_at(cells, start_a + offset)
        b = letter_at(cells, start_b + offset)
        if a != b:
            return -1 if a < b else 1
    if length_a == length_b:
        return 0
    return -1 if length_a < length_b else 1


@part
def compare_pairs(cells, tokens, left_a, right_a, left_b, right_b):
    """Return −1, 0 or 1 as pair a sorts before, like or after pair b by (left, right) letters."""
    order = 0
    if left_a != left_b:
        order = compare_letters(
            cells, tokens[left_a].start, tokens[left_a].length, tokens[left_b].start, tokens[left_b].length
        )
    if order == 0 and right_a != right_b:
        order = compare_letters(
            cells,
            tokens[right_a].start,
            tokens[right_a].length,
            tokens[right_b].start,
            tokens[right_b].length,
        )
    return order


@inlined
def letter_of_pair(cells, tokens, left, right, offset):
    """Return letter number `offset` of the merged text."""
    if offset < tokens[left].length:
        return letter_at(cells, tokens[left].start + offset)
    return letter_at(cells, tokens[right].start + offset - tokens[left].length)


@part
def compare_merged(cells, tokens, left_a, right_a, left_b, right_b):
    """Return −1, 0 or 1 as pair a's merged text is shorter, or of the same length and smaller, than b's."""
    length_a = tokens[left_a].length + tokens[right_a].length
    length_b = tokens[left_b].length + tokens[right_b].length
    if length_a != length_b:
        return -1 if length_a < length_b else 1
    for offset in range(length_a):
        a = letter_of_pair(cells, tokens, left_a, right_a, offset)
        b = letter_of_pair(cells, tokens, left_b, right_b, offset)
        if a != b:
            return -1 if a < b else 1
    return 0


@part
def letters_key(limits, cells, tokens, left, right, n_letters):
    """Return the first letters of a pair's merged text, packed so that numbers sort as the letters do.

    Each is raised by one, so that a letter 0 sorts after the end of a shorter text.
    """
    length = tokens[left].length
    if right >= 0:
        length += tokens[right].length
    key = np.uint64(0)
    for offset in range(n_letters):
        key <<= np.uint64(limits.letter_bits)
        if offset < length:
            key |= np.uint64(letter_of_pair(cells, tokens, left, right, offset)) + np.uint64(1)
    return key


@part
def length_key(limits, cells, tokens, left, right):
    """Return the length of a pair's merged text in the upper 21 bits, its first letters below.

    A length that does not fit is cut, and then the letters are left to the full comparison.
    """
    longest = (1 << 21) - 1
    length = min(tokens[left].length + tokens[right].length, longest)
    key = np.uint64(length) << np.uint64(42)
    if length == longest:
        return key
    return key | letters_key(limits, cells, tokens, left, right, 42 // limits.letter_bits)


@inlined
def tie_key(limits, cells, tokens, pairs, pair):
    """Return the 64-bit key of a pair: a smaller key wins, equal keys are told apart by letters."""
    left, right = pairs.row[pair].left, pairs.row[pair].right
    if limits.rule == FIRST_SEEN:
        return np.uint64(first_place(cells, tokens, pairs, pair))
    if limits.rule == LOWEST_IDS:
        return (np.uint64(left) << np.uint64(32)) | np.uint64(right)
    if limits.rule == SHORTEST:
        return length_key(limits, cells, tokens, left, right)
    if limits.rule == RANDOM:
        return mix(
            mix(mix(limits.seed + np.uint64(0x9E3779B97F4A7C15)) ^ tokens[left].hashed) + tokens[right].hashed
        )
    # The end of the left part must sort before any letter: the right part is not looked at.
    key = letters_key(limits, cells, tokens, left, np.int32(-1), 63 // limits.letter_bits)
    return ~key if limits.rule == REVERSE else key


@part
def letters_go_before(limits, cells, tokens, pairs, pair_a, pair_b):
    """Return whether pair a is merged before pair b, by their letters."""
    left_a, right_a = pairs.row[pair_a].left, pairs.row[pair_a].right
    left_b, right_b = pairs.row[pair_b].left, pairs.row[pair_b].right
    order = 0
    if limits.rule == SHORTEST:
        order = compare_merged(cells, tokens, left_a, right_a, left_b, right_b)
    if order == 0:
        order = compare_pairs(cells, tokens, left_a, right_a, left_b, right_b)
    if limits.rule == REVERSE:
        order = -order
    if order == 0:  # only a blank against a real U+2581 gets here
        return left_a < left_b or (left_a == left_b and right_a < right_b)
    return order < 0


@inlined
def goes_before(limits, cells, tokens, pairs, count_a, key_a, pair_a, count_b, key_b, pair_b):
    """Return whether queue entry a is merged before entry b."""
    if count_a != count_b:
        return count_a > count_b
    if key_a != key_b:
        return key_a < key_b
    return letters_go_before(limits, cells, tokens, pairs, pair_a, pair_b)


@part
def hash_letter(hashed, letter, utf8):
    """Continue an FNV-1a hash over a letter: a byte, or (utf8 = 1) the UTF-8 bytes of a code point."""
    prime = np.uint64(0x100000001B3)
    code = np.uint64(letter)
    if utf8 == 0 or code < np.uint64(0x80):
        return (hashed ^ code) * prime
    low = np.uint64(0x3F)
    mark = np.uint64(0x80)
    if code < np.uint64(0x800):
        hashed = (hashed ^ (np.uint64(0xC0) | (code >> np.uint64(6)))) * prime
    else:
        if code < np.uint64(0x10000):
            hashed = (hashed ^ (np.uint64(0xE0) | (code >> np.uint64(12)))) * prime
        else:
            hashed = (hashed ^ (np.uint64(0xF0) | (code >> np.uint64(18)))) * prime
            hashed = (hashed ^ (mark | ((code >> np.uint64(12)) & low))) * prime
        hashed = (hashed ^ (mark | ((code >> np.uint64(6)) & low))) * prime
    return (hashed ^ (mark | (code & low))) * prime
