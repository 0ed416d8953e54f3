"""Texts to token ids: cut, looked up word by word, and merged where a word is new."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.decorator import kernel, part
from bpe_studio.engine.kernels.encoding import SHORT_WORD, merge_linked, merge_short
from bpe_studio.engine.kernels.fields import (
    ARENA_SIZE,
    AT,
    BATCH,
    BATCH_SIZE,
    BEGINNING,
    BYTE_IDS,
    CLASSES,
    ID_ENDS,
    KIND,
    MAX_SYMBOLS,
    MAX_WORD,
    MERGING,
    N_CLASSES,
    N_FIELDS,
    N_IN_ARENA,
    N_IN_POOL,
    N_OUT,
    N_PAIR_SLOTS,
    N_SEEN,
    N_SEEN_WORDS,
    N_WHOLE,
    NEEDED,
    ONE_BY_ONE,
    OUT,
    PAIRS,
    PART,
    PART_ENDS,
    POOL_SIZE,
    REST,
    SHAPE,
    SIZE,
    SYMBOLS,
    TAIL,
    TAIL_SIZE,
    WHOLE_TEXT,
)
from bpe_studio.engine.kernels.intrinsics import array_at
from bpe_studio.engine.kernels.keys import HALF, LOW
from bpe_studio.engine.kernels.known_words import (
    KEPT_HERE,
    find_word,
    note_batch,
    seen_words,
    whole_words,
    write_known,
)
from bpe_studio.engine.kernels.scanning import character
from bpe_studio.engine.kernels.splitting import fill_ends
from bpe_studio.engine.kernels.state import BLOCK, KEY, LETTER, MORE_KEY, SPACE, ZERO

RESTS = -1  # what `encode` returns if something must be done before it can go on


@part
def learn(context, text, at, n, key, more, slot):
    """Write the tokens of a new word to the encoder's symbols and keep them; return how many, or `RESTS`.

    Parameters
    ----------
    context : ndarray of int64
        The encoder's numbers.
    text, at, n, key, more
        The word, and what `key_of` says of it.
    slot : uint64
        The empty slot where it belongs.
    """
    context[NEEDED] = n if n > MAX_SYMBOLS else 0
    in_arena, in_pool = context[N_IN_ARENA], context[N_IN_POOL]
    is_full = 2 * context[N_SEEN_WORDS] >= context[N_SEEN]
    if n > MAX_SYMBOLS or is_full or in_arena + n > context[ARENA_SIZE] or in_pool + n > context[POOL_SIZE]:
        return RESTS
    symbols = array_at(context[SYMBOLS], 4 * MAX_SYMBOLS, np.int32)
    n_tokens = 0
    if context[N_WHOLE] > 0:
        whole = whole_words(context)
        found = find_word(whole, text, at, n, key, more)
        if whole.slots[found, SHAPE] != 0:
            symbols[0] = np.int32(whole.slots[found, SHAPE] >> HALF)
            n_tokens = 1
    if n_tokens == 0:
        byte_ids = array_at(context[BYTE_IDS], 256, np.int32)
        for index in range(n):
            symbols[index] = byte_ids[text[at + index]]
        pairs = array_at(context[PAIRS], (context[N_PAIR_SLOTS], 2), np.uint64)
        due = array_at(context[MERGING], 3 * MAX_SYMBOLS, np.int64)
        if n <= SHORT_WORD:
            n_tokens = merge_short(pairs, symbols, due, n, context[ONE_BY_ONE])
        else:
            following, before = symbols[MAX_SYMBOLS:], symbols[2 * MAX_SYMBOLS :]
            fresh = symbols[3 * MAX_SYMBOLS :]
            n_tokens = merge_linked(pairs, symbols, following, before, due, fresh, n, context[ONE_BY_ONE])
    if n > MAX_WORD:
        return n_tokens
    words = seen_words(context)
    first, second, third = np.uint64(symbols[0]), np.uint64(symbols[1]), np.uint64(symbols[2])
    if n_tokens > KEPT_HERE or n > 16:
        first, second, third = np.uint64(in_pool), np.uint64(in_arena), np.uint64(0)
        for index in range(n_tokens):
            words.pool[in_pool + index] = symbols[index]
        context[N_IN_POOL] = in_pool + n_tokens
        if n > 16:
            for index in range(n):
                words.arena[in_arena + index] = text[at + index]
            context[N_IN_ARENA] = in_arena + n
    words.slots[slot, KEY] = key
    words.slots[slot, MORE_KEY] = more
    words.slots[slot, SHAPE] = np.uint64(n) | np.uint64(n_tokens) << np.uint64(16) | first << HALF
    words.slots[slot, REST] = (second & LOW) | third << HALF
    context[N_SEEN_WORDS] += 1
    return n_tokens


@part
def safe_cut(text, size, classes):
    """Return a place between `TAIL_SIZE` and `BLOCK` bytes before the end where any pattern cuts, or 0.

    That is before a blank between two small letters, and before a letter that follows a single line end.
    What comes before it is cut as if it were the whole text.
    """
    for at in range(size - BLOCK - 4, max(size - TAIL_SIZE, 4), -1):
        if text[at] == 0x20:
            if 0x61 <= text[at - 1] <= 0x7A and 0x61 <= text[at + 1] <= 0x7A:
                return at
        elif text[at - 1] == 0x0A:
            before = at - 2
            while text[before] & 0xC0 == 0x80:
                before -= 1
            if character(text, at, classes) & LETTER and not character(text, before, classes) & SPACE:
                return at
    return 0


@kernel
def encode(address, text_address, n_parts, goes_on):
    """Encode a text, or parts of one, and return how many ids there are, or `RESTS`.

    Parameters
    ----------
    address : int
        Of the encoder's numbers, see `state`. SIZE is that of the text, in bytes.
    text_address : int
        Of the UTF-8.
    n_parts : int
        0: one text, beyond which nothing may be read. Otherwise so many parts that follow one another, their
        ends at PART_ENDS, and the text has `BLOCK` more bytes than the last part needs; where the ids of
        each part end is written to ID_ENDS. No pre-token crosses from one part into the next.
    goes_on : int
        1 to go on where it rested, 0 to begin.

    Notes
    -----
    It rests if a word has more than `MAX_SYMBOLS` bytes, which stand at NEEDED, or, 0 there, if words met
    before need more room; or if a text that has no place for a `safe_cut` must be padded: −1 there.
    """
    context = array_at(address, N_FIELDS, np.int64)
    size = context[SIZE]
    text = array_at(text_address, size, np.uint8)
    part_ends = array_at(context[PART_ENDS], n_parts, np.int64)
    id_ends = array_at(context[ID_ENDS], n_parts, np.int64)
    tail = array_at(context[TAIL], TAIL_SIZE + BLOCK, np.uint8)
    part, at, n_out = ZERO, ZERO, ZERO
    if goes_on:
        part, at, n_out = context[PART], context[AT], context[N_OUT]
    classes = array_at(context[CLASSES], context[N_CLASSES], np.uint8)
    # A single text has two parts: what is read where it lies, and its end, which is copied.
    n_spans, cut = n_parts, ZERO
    if n_parts <= 0:
        n_spans = 2 if n_parts == WHOLE_TEXT else 1
        if size > TAIL_SIZE or n_parts == BEGINNING:
            cut = safe_cut(text, size, classes)
            if cut == 0:
                context[NEEDED] = -1
                return RESTS
    if n_parts == WHOLE_TEXT:
        for place in range(cut, size):
            tail[place - cut] = text[place]
    words = seen_words(context)
    batch = array_at(context[BATCH], (3, BATCH_SIZE), np.uint64)
    ends = array_at(context[BATCH] + batch.nbytes, BATCH_SIZE, np.int64)
    symbols = array_at(context[SYMBOLS], MAX_SYMBOLS, np.int32)
    out = array_at(context[OUT], 1 << 40, np.int32)
    while part < n_spans:
        # `before` are the bytes before the array that is read.
        source, before, end = text, ZERO, ZERO
        if n_parts > 0:
            end = part_ends[part]
        elif part == 0:
            end = cut
        else:
            source, before, end = tail, cut, size
        while at < end:
            n_words = fill_ends(context[KIND], source, at - before, end - before, classes, ends)
            place = at - before
            note_batch(words, source, place, ends, n_words, batch)
            index = ZERO
            while index < n_words:
                index, place, n_out = write_known(
                    words, source, place, ends, index, n_words, batch, out, n_out
                )
                if index == n_words:
                    break
                n = ends[index] - place
                n_tokens = learn(context, source, place, n, batch[0, index], batch[1, index], batch[2, index])
                if n_tokens == RESTS:
                    context[PART], context[AT], context[N_OUT] = part, place + before, n_out
                    return RESTS
                for token in range(n_tokens):
                    out[n_out + token] = symbols[token]
                n_out += n_tokens
                place = ends[index]
                index += 1
            at = place + before
        if n_parts > 0:
            id_ends[part] = n_out
        part += 1
    context[AT] = at
    return n_out
