"""Arrays that grow: kernels cannot allocate, so what is full is made larger between two calls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CACHE_LINE = 64
"""Bytes that the processor fetches together."""


def power_of_two(least: int) -> int:
    """Return the smallest power of two that is ≥ `least`."""
    return 1 << max(int(least) - 1, 1).bit_length()


def enlarged(array: np.ndarray, size: int) -> np.ndarray:
    """Return an array of `size` that begins with `array`."""
    if size <= len(array):
        return array
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger


def aligned_zeros(n_rows: int, n_columns: int) -> NDArray[np.uint64]:
    """Return rows of zeros that begin where a line of the cache does, so that few of them lie in two."""
    memory = np.zeros(n_rows * n_columns + CACHE_LINE // 8, np.uint64)
    start = -memory.ctypes.data % CACHE_LINE // 8
    return memory[start : start + n_rows * n_columns].reshape(n_rows, n_columns)
