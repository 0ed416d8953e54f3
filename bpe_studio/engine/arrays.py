"""Arrays that grow: kernels cannot allocate, so what is full is made larger between two calls."""

from __future__ import annotations

import numpy as np


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
