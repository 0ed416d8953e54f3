"""Cutting UTF-8 into the pre-tokens of the named patterns, many at a time."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.blocks import block_starts
from bpe_studio.engine.kernels.decorator import part
from bpe_studio.engine.kernels.intrinsics import trailing_zeros
from bpe_studio.engine.kernels.scanning import pre_token_end
from bpe_studio.engine.kernels.state import BLOCK


@part
def fill_ends(kind, text, at, end, classes, ends):
    """Write where the next pre-tokens end, until `end` is reached or a block more might not fit.

    Parameters
    ----------
    kind : int
        The split pattern.
    text : ndarray of uint8
        UTF-8, with `fast_counting.PADDING` bytes more than the text needs.
    at, end : int
        Where a pre-token starts, and where the text ends.
    classes : ndarray of uint8
        As `unicode_classes.character_classes` returns them.
    ends : ndarray of int64
        Ends are written here: room for `BLOCK` at least.

    Returns
    -------
    int
        How many were written; none only if `at` is `end`.
    """
    n = 0
    while at < end and n + BLOCK <= len(ends):
        starts = block_starts(kind, text, at, end, classes)
        if starts == np.uint64(0):
            at = pre_token_end(kind, text, at, end, classes)
            ends[n] = at
            n += 1
            continue
        block = at
        while starts != np.uint64(0):
            at = block + trailing_zeros(starts)
            ends[n] = at
            n += 1
            starts &= starts - np.uint64(1)
    return n
