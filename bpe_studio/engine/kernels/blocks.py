"""The pre-tokens in a block of 64 bytes, by sets of bytes kept as bits of one number.

A block begins where a pre-token starts, so nothing that comes before it matters. Bit i is byte i, and
``x << 1`` are the bytes that come after those of x. All bytes of a character have its class.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import inlined, part
from bpe_studio.engine.kernels.intrinsics import byte_sets, leading_zeros, trailing_zeros
from bpe_studio.engine.kernels.scanning import WIDTH, character, contraction_end
from bpe_studio.engine.kernels.state import (
    BLOCK,
    GPT2,
    GPT4,
    LETTER,
    LOWER,
    NO,
    NUMBER,
    O200K,
    SPACE,
    UPPER,
    WHITESPACE,
    YES,
)

NONE, ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)


@part
def wide_sets(text, at, leads, classes):
    """Return which bytes of several-byte characters are LETTER, SPACE, UPPER and LOWER, and which are known.

    Those from the first number on are not: numbers are counted in characters, and sets count bytes.
    """
    letters, spaces, upper, lower = NONE, NONE, NONE, NONE
    while leads != NONE:
        place = trailing_zeros(leads)
        found = character(text, at + place, classes)
        if found & NUMBER:
            return letters, spaces, upper, lower, (ONE << np.uint64(place)) - ONE
        bits = ((ONE << np.uint64(found >> WIDTH)) - ONE) << np.uint64(place)
        if found & LETTER:
            letters |= bits
        elif found & SPACE:
            spaces |= bits
        if found & UPPER:
            upper |= bits
        if found & LOWER:
            lower |= bits
        leads &= leads - ONE
    return letters, spaces, upper, lower, ALL


@inlined
def below(places):
    """Return the bits below the lowest one of a set; all if it is empty."""
    return (places & (NONE - places)) - ONE


@inlined
def last_spaces(spaces, valid, rest):
    """Return where the last character of each run of white space starts that something else follows."""
    last = spaces & ((valid & ~spaces) >> ONE)
    if rest & spaces != NONE:  # from the last byte of a character to its first: three bytes at most
        last = (last & ~rest) | ((last & rest) >> ONE)
        last = (last & ~rest) | ((last & rest) >> ONE)
    return last


@inlined
def gpt2_starts(letters, numbers, spaces, others, blanks, last):
    """Return the starts of GPT-2's pattern, contractions left out."""
    words = (letters & ~(letters << ONE)) | (numbers & ~(numbers << ONE)) | (others & ~(others << ONE))
    return (words & ~(blanks << ONE)) | (spaces & ~(spaces << ONE)) | last


@inlined
def threes(numbers):
    """Return the starts of numbers: each run, and each third byte in it."""
    starts = numbers & ~(numbers << ONE)
    follows_three = numbers & (numbers << ONE) & (numbers << TWO) & (numbers << THREE)
    more = starts
    while True:
        more = (more << THREE) & follows_three
        if more == NONE:
            return starts
        starts |= more


@inlined
def gpt4_blanks(spaces, newlines, others, last):
    r"""Return the starts of white space in GPT-4's pattern, where line ends after other signs are theirs.

    ``\\s*[\\r\\n]+`` goes on to the last line end of a run: blanks between two line ends start nothing.
    """
    blanks = spaces & ~newlines
    starts = (newlines & ~((spaces | others) << ONE)) | (blanks & (~(blanks << ONE) | last))
    # Adding the first of a run to all of it carries to the byte after the run, and clears the run.
    taken = newlines & ~(newlines + (newlines & (others << ONE)))
    between = blanks & ((newlines & ~taken) << ONE)
    if (blanks + between) & ~blanks & newlines != NONE:
        while between != NONE:
            first = between & (NONE - between)
            if (blanks + first) & ~blanks & newlines != NONE:
                starts &= ~first
            between ^= first
    return starts


@inlined
def gpt4_starts(letters, numbers, spaces, newlines, others, blanks, last, rest):
    """Return the starts of GPT-4's pattern, contractions left out."""
    signs = others & ~((others | blanks) << ONE)
    before = signs  # all bytes of a sign that a word begins with
    if rest != NONE:
        before |= (before << ONE) & rest
        before |= (before << ONE) & rest
        before |= (before << ONE) & rest
    before |= letters | (spaces & ~newlines)
    words = letters & ~(before << ONE)
    return signs | words | threes(numbers) | gpt4_blanks(spaces, newlines, others, last)


@inlined
def with_contractions(starts, quotes, text, at, end, any_case):
    """Return the starts where an apostrophe that is one begins an English contraction such as ``'s``."""
    quotes &= starts
    while quotes != NONE:
        quote = quotes & (NONE - quotes)
        place = at + trailing_zeros(quote)
        after = contraction_end(text, place, end, any_case)
        if after > place:
            starts = (starts & ~(quote << ONE)) | (quote << np.uint64(after - place))
        quotes ^= quote
    return starts


@inlined
def with_contractions_of_words(starts, quotes, letters, text, at, end):
    """Return the starts where a contraction belongs to the word before it."""
    quotes &= letters << ONE
    while quotes != NONE:
        quote = quotes & (NONE - quotes)
        place = at + trailing_zeros(quote)
        after = contraction_end(text, place, end, YES)
        if after > place:
            next_one = quote << np.uint64(after - place)
            starts = (starts & ~(next_one - quote)) | next_one
            quotes &= ~next_one
        quotes ^= quote
    return starts


@inlined
def block_starts(kind, text, at, end, classes):
    """Return where in a block pre-tokens start, the first left out, as far as that is certain.

    Parameters
    ----------
    kind : int
        The split pattern.
    text : ndarray of uint8
        UTF-8; a block can be read from any place in it.
    at, end : int
        Where a pre-token starts, and where the text ends.
    classes : ndarray of uint8
        As `unicode_classes.character_classes` returns them.

    Returns
    -------
    uint64
        Bits of the block; the end of the text is one of them.
    """
    letters, capitals, numbers, spaces, blanks, newlines, slashes, quotes, wide, rest = byte_sets(text, at)
    whole = ALL if end - at >= BLOCK else (ONE << np.uint64(end - at)) - ONE
    valid = whole
    wide &= valid
    small = letters & ~capitals
    if wide != NONE:
        more_letters, more_spaces, upper, lower, known = wide_sets(text, at, wide & ~rest, classes)
        letters |= more_letters
        spaces |= more_spaces
        valid &= known
        if kind == O200K:
            # A mark goes on with a word, but begins none here; no capital follows what may be small.
            marks = upper & lower & ~more_letters
            valid &= below(marks & ~((letters | marks) << ONE))
            letters |= marks
            capitals |= upper & ~lower
            small |= lower & ~upper
            valid &= below(capitals & ((upper & lower) << ONE))
    spaces &= valid
    newlines &= valid
    rest &= valid
    others = valid & ~(letters | numbers | spaces)
    last = last_spaces(spaces, valid, rest)
    if kind == WHITESPACE:
        starts = spaces ^ (spaces << ONE)
    elif kind == GPT2:
        starts = gpt2_starts(letters, numbers, spaces, others, blanks, last)
        starts = with_contractions(starts, quotes, text, at, end, NO)
    else:
        starts = gpt4_starts(letters, numbers, spaces, newlines, others, blanks, last, rest)
        if kind == GPT4:
            starts = with_contractions(starts, quotes, text, at, end, YES)
        else:
            starts |= capitals & (small << ONE)
            starts = with_contractions_of_words(starts, quotes, letters, text, at, end)
            valid &= below(slashes & (newlines << ONE))  # it may belong to the line end
    starts &= valid & ~ONE
    if end - at < BLOCK and valid == whole:
        return starts | (ONE << np.uint64(end - at))
    # How a run of white space is cut depends on what follows it; only its first byte is certain.
    settled = leading_zeros(valid & ~spaces)
    return starts & (ALL >> np.uint64(max(settled - 1, 0))) if settled < BLOCK else NONE
