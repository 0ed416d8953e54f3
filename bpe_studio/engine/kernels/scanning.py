"""Where a pre-token of the named patterns ends: one plain loop a pattern, equal to `regex`.

Each ``…_end`` tries the alternatives of its expression in their order, as a backtracking matcher would.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, part
from bpe_studio.engine.kernels.state import (
    GPT2,
    GPT4,
    LETTER,
    LOWER,
    NEWLINE,
    NO,
    NUMBER,
    SPACE,
    UPPER,
    WHITESPACE,
    YES,
)

WIDTH = 8  # a character's length in bytes stands above its class


@inlined
def character(text, at, classes):
    """Return the class of the character at `at`, with its length in bytes above it."""
    byte = np.int64(text[at])
    if byte < 0x80:
        return np.int64(classes[byte]) | (1 << WIDTH)
    second = np.int64(text[at + 1]) & 0x3F
    if byte < 0xE0:
        return np.int64(classes[((byte & 0x1F) << 6) | second]) | (2 << WIDTH)
    third = np.int64(text[at + 2]) & 0x3F
    if byte < 0xF0:
        return np.int64(classes[((byte & 0x0F) << 12) | (second << 6) | third]) | (3 << WIDTH)
    fourth = np.int64(text[at + 3]) & 0x3F
    return np.int64(classes[((byte & 0x07) << 18) | (second << 12) | (third << 6) | fourth]) | (4 << WIDTH)


@inlined
def run_end(text, at, end, classes, bits):
    """Return the end of the run of characters that have one of `bits`.

    ASCII steps by one whatever the class is: the next load need not wait for this one.
    """
    while at < end:
        byte = text[at]
        if byte < 0x80:
            if not classes[byte] & bits:
                break
            at += 1
        else:
            found = character(text, at, classes)
            if not found & bits:
                break
            at += found >> WIDTH
    return at


@inlined
def other_end(text, at, end, classes):
    """Return the end of the run of characters that are no letter, number or white space."""
    while at < end:
        byte = text[at]
        if byte < 0x80:
            if classes[byte] & (LETTER | NUMBER | SPACE):
                break
            at += 1
        else:
            found = character(text, at, classes)
            if found & (LETTER | NUMBER | SPACE):
                break
            at += found >> WIDTH
    return at


@part
def contraction_end(text, at, end, any_case):
    """Return the end of an English contraction such as ``'s`` at `at`, or `at` if there is none.

    ``(?i:'s)`` matches U+017F too, the long s: its simple case folding is s.
    """
    if at + 1 >= end or text[at] != 0x27:
        return at
    first = text[at + 1]
    if any_case and first == 0xC5 and at + 2 < end and text[at + 2] == 0xBF:
        return at + 3
    if any_case and 0x41 <= first <= 0x5A:
        first |= 0x20
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:  # s t m d
        return at + 2
    if at + 2 >= end:
        return at
    second = text[at + 2]
    if any_case and 0x41 <= second <= 0x5A:
        second |= 0x20
    if (second == 0x65 and (first == 0x72 or first == 0x76)) or (
        first == 0x6C and second == 0x6C
    ):  # re ve ll
        return at + 3
    return at


@part
def blank_end(text, at, end, classes):
    r"""Return the end of ``\s+(?!\S)|\s+``: the run of white space, less its last character before a word."""
    last = at
    while at < end:
        found = character(text, at, classes)
        if not found & SPACE:
            break
        last = at
        at += found >> WIDTH
    return at, last


@part
def gpt2_end(text, at, end, classes):
    """Return where GPT-2's pattern ends the pre-token that starts at `at`."""
    after = contraction_end(text, at, end, NO)
    if after > at:
        return after
    start = at + 1 if text[at] == 0x20 and at + 1 < end else at
    found = character(text, start, classes)
    if found & LETTER:
        return run_end(text, start + (found >> WIDTH), end, classes, LETTER)
    if found & NUMBER:
        return run_end(text, start + (found >> WIDTH), end, classes, NUMBER)
    if not found & SPACE:
        return other_end(text, start + (found >> WIDTH), end, classes)
    after, last = blank_end(text, at, end, classes)
    return last if after < end and last > at else after


@part
def numbers_end(text, at, end, classes):
    """Return the end of up to three numbers."""
    for _ in range(3):
        if at >= end:
            break
        found = character(text, at, classes)
        if not found & NUMBER:
            break
        at += found >> WIDTH
    return at


@part
def newline_blank_end(text, at, end, classes):
    r"""Return the end of ``\s*[\r\n]+|\s+(?!\S)|\s+`` for white space at `at`."""
    start, last, after_newline = at, at, at
    while at < end:
        found = character(text, at, classes)
        if not found & SPACE:
            break
        last = at
        at += found >> WIDTH
        if found & NEWLINE:
            after_newline = at
    if after_newline > start:
        return after_newline
    return last if at < end and last > start else at


@part
def symbols_end(text, at, end, classes, slash):
    r"""Return the end of ``[^\s\p{L}\p{N}]+[\r\n]*``, or of the same with ``/`` among the line ends."""
    at = other_end(text, at, end, classes)
    while at < end and (text[at] == 0x0D or text[at] == 0x0A or (slash and text[at] == 0x2F)):
        at += 1
    return at


@part
def rest_end(text, at, end, classes, found, slash):
    """Return the end of what is no word: numbers, other signs with line ends, white space."""
    if found & NUMBER:
        return numbers_end(text, at, end, classes)
    if not found & SPACE:
        return symbols_end(text, at, end, classes, slash)
    if text[at] == 0x20 and at + 1 < end:
        after = character(text, at + 1, classes)
        if not after & (LETTER | NUMBER | SPACE):
            return symbols_end(text, at + 1, end, classes, slash)
    return newline_blank_end(text, at, end, classes)


@part
def gpt4_end(text, at, end, classes):
    """Return where GPT-4's pattern (cl100k) ends the pre-token that starts at `at`."""
    after = contraction_end(text, at, end, YES)
    if after > at:
        return after
    found = character(text, at, classes)
    start = at + (found >> WIDTH)
    if found & LETTER:
        return run_end(text, start, end, classes, LETTER)
    if not found & (NUMBER | NEWLINE) and start < end:
        after = run_end(text, start, end, classes, LETTER)
        if after > start:
            return after
    return rest_end(text, at, end, classes, found, NO)


@part
def small_word_end(text, at, end, classes):
    """Return the end of o200k's ``UPPER* LOWER+`` at `at`, or `at` if there is none.

    If no LOWER follows the run of UPPER, the run is given back up to its last character that is both.
    """
    after_both = at
    while at < end:
        found = character(text, at, classes)
        if not found & UPPER:
            break
        at += found >> WIDTH
        if found & LOWER:
            after_both = at
    after = run_end(text, at, end, classes, LOWER)
    return after if after > at else after_both


@part
def o200k_end(text, at, end, classes):
    """Return where o200k's pattern ends the pre-token that starts at `at`.

    Both kinds of words, small letters at their end or none, are tried with the character before the word
    and then without it.
    """
    found = character(text, at, classes)
    start = at + (found >> WIDTH)
    takes_one_more = not found & (LETTER | NUMBER | NEWLINE)
    after = small_word_end(text, start, end, classes) if takes_one_more else start
    if after == start and found & (UPPER | LOWER):
        after = small_word_end(text, at, end, classes)
        if after > at:
            return contraction_end(text, after, end, YES)
        after = start
    if after == start and takes_one_more:
        after = run_end(text, start, end, classes, UPPER)
    if after == start and found & UPPER:
        after = run_end(text, at, end, classes, UPPER)
        return contraction_end(text, after, end, YES)
    if after > start:
        return contraction_end(text, after, end, YES)
    return rest_end(text, at, end, classes, found, YES)


@part
def whitespace_end(text, at, end, classes):
    r"""Return where ``\S+|\s+`` ends the pre-token that starts at `at`."""
    found = character(text, at, classes)
    if found & SPACE:
        return run_end(text, at, end, classes, SPACE)
    while at < end and not character(text, at, classes) & SPACE:
        at += character(text, at, classes) >> WIDTH
    return at


@inlined
def pre_token_end(kind, text, at, end, classes):
    """Return where the pre-token that starts at `at` ends, under one of the patterns."""
    if kind == GPT2:
        return gpt2_end(text, at, end, classes)
    if kind == GPT4:
        return gpt4_end(text, at, end, classes)
    if kind == WHITESPACE:
        return whitespace_end(text, at, end, classes)
    return o200k_end(text, at, end, classes)
