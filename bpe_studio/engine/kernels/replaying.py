"""Reading the state of a merge loop: the words' symbols, and the pairs with counts and first places."""

from __future__ import annotations

from bpe_studio.engine.kernels.decorator import kernel
from bpe_studio.engine.kernels.pairs import first_place
from bpe_studio.engine.kernels.state import N_PAIRS


@kernel
def read_symbols(cells, tokens, offsets, first_id, symbols, symbol_offsets):
    """Write the symbols of all words, one after the other, and return how many there are.

    Parameters
    ----------
    cells, tokens : Cells, Tokens
        State of the merge loop.
    offsets : ndarray of int64, shape (n_words + 1,)
        Where each word begins in the base symbols.
    first_id : int
        Id of token number 0.
    symbols, symbol_offsets : ndarray of int32 and int64
        Written; as large as the base symbols and `offsets`.
    """
    n_symbols = 0
    for word in range(len(offsets) - 1):
        symbol_offsets[word] = n_symbols
        at = offsets[word]
        while at < offsets[word + 1]:
            token = cells.cell[at].token
            if token < 0:
                symbols[n_symbols] = cells.base[at]  # a wall does not tell which token it stands for
                at += 1
            else:
                symbols[n_symbols] = token + first_id
                at += tokens[token].length
            n_symbols += 1
    symbol_offsets[len(offsets) - 1] = n_symbols
    return n_symbols


@kernel
def read_pairs(cells, tokens, pairs, left, right, count, first):
    """Write every pair that still occurs, with its first cell, and return how many there are.

    Parameters
    ----------
    left, right : ndarray of int32
        Written: token numbers. All four are as large as there are pairs.
    count, first : ndarray of int64
        Written: count, and cell of the first place.
    """
    n_alive = 0
    for pair in range(1, pairs.numbers[N_PAIRS]):
        if pairs.row[pair].count > 0:
            left[n_alive] = pairs.row[pair].left
            right[n_alive] = pairs.row[pair].right
            count[n_alive] = pairs.row[pair].count
            first[n_alive] = first_place(cells, tokens, pairs, pair)
            n_alive += 1
    return n_alive
