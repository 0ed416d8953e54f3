"""Texts to token ids: cut, looked up word by word, and merged where a word is new."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.counting import enter_word, first_slot, is_word, key_of
from bpe_studio.engine.kernels.decorator import kernel, part
from bpe_studio.engine.kernels.encoding import merge_word
from bpe_studio.engine.kernels.splitting import pre_token_end
from bpe_studio.engine.kernels.state import COUNT, N_NEEDED, N_WORDS, SLOT, WORD


@part
def merged_bytes(text, at, n, byte_ids, merges, scratch, due):
    """Write the tokens of the word of `n` bytes at `at` into the first row of `scratch`; return how many."""
    symbols = scratch[0, :n]
    for index in range(n):
        symbols[index] = byte_ids[text[at + index]]
    return merge_word(merges, symbols, scratch[1, :n], scratch[2, :n], due, scratch[3, :n])


@kernel
def encode_parts(
    kind,
    text,
    text64,
    ends,
    part,
    at,
    classes,
    byte_ids,
    merges,
    seen,
    known,
    scratch,
    due,
    out,
    out_ends,
    n_out,
):
    """Encode parts of a text, none of whose words crosses from one part into the next.

    Parameters
    ----------
    kind, text, text64, ends, part, at, classes
        As in `counting.count_parts`.
    byte_ids : ndarray of int32, shape (256,)
        Id of each byte.
    merges : Merges
        By rank.
    seen, known : Seen, Known
        Words met before and their tokens. Words longer than a row of `scratch` have no place here.
    scratch, due : ndarray of int32, shape (4, n), and int64, shape (3 n,)
        For merging a word of up to n bytes.
    out : ndarray of int32
        Ids are written from `n_out` on; as long as the text has bytes.
    out_ends : ndarray of int64, shape (n_parts,)
        Written: where the ids of each part end.

    Returns
    -------
    part, at, n_out : int
        Where it rested: at the end of all parts, at a word that is too long (then its length stands in
        ``seen.numbers[N_NEEDED]``), or at one for which there is no room (then 0).
    """
    mask = np.uint64(len(seen.slots) - 1)
    while part < len(ends):
        at = max(at, ends[part, 0])
        end = ends[part, 1]
        while at < end:
            after = pre_token_end(kind, text, at, end, classes)
            n = after - at
            key, more = key_of(text, at, n)
            slot = first_slot(seen.slots, key, more)
            while seen.slots[slot + COUNT] != np.uint64(0) and not is_word(
                seen, slot, text, at, n, key, more
            ):
                slot = (slot + SLOT) & mask
            if seen.slots[slot + COUNT] == np.uint64(0):
                word = seen.numbers[N_WORDS]
                seen.numbers[N_NEEDED] = n if n > scratch.shape[1] else 0
                if n > scratch.shape[1] or known.start[word] + n > len(known.tokens):
                    return part, at, n_out
                if not enter_word(seen, slot, text, at, n, key, more):
                    seen.numbers[N_NEEDED] = 0
                    return part, at, n_out
                seen.slots[slot + COUNT] = np.uint64(1)
                n_tokens = merged_bytes(text, at, n, byte_ids, merges, scratch, due)
                start = known.start[word]
                for index in range(n_tokens):
                    known.tokens[start + index] = scratch[0, index]
                known.start[word + 1] = start + n_tokens
            word = np.int64(seen.slots[slot + WORD] & np.uint64(0xFFFFFFFF))
            for index in range(known.start[word], known.start[word + 1]):
                out[n_out] = known.tokens[index]
                n_out += 1
            at = after
        out_ends[part] = n_out
        part += 1
    return part, at, n_out
