"""The instructions that Python has no name for do what their plain forms say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine import kernels


@pytest.fixture(scope="module")
def compiled():
    from numba import njit

    intrinsics = kernels.load().intrinsics

    @njit
    def load_eight(array, at):
        return intrinsics.load_eight(array, at)

    @njit
    def trailing_zeros(bits):
        return intrinsics.trailing_zeros(bits)

    @njit
    def second_column(table, row):
        intrinsics.prefetch(table, row)
        return table[row, 1]

    return load_eight, trailing_zeros, second_column


@given(st.binary(min_size=8, max_size=40), st.integers(0))
def test_eight_bytes_are_loaded_wherever_they_lie(compiled, data, at):
    array, at = np.frombuffer(data, np.uint8).copy(), at % (len(data) - 7)
    assert compiled[0](array, at) == kernels.load().intrinsics.load_eight_plainly(array, at)


@given(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda place: 1 << place))
def test_trailing_zeros_are_counted(compiled, bits):
    assert compiled[1](np.uint64(bits)) == kernels.load().intrinsics.trailing_zeros_plainly(bits)


def test_prefetching_changes_nothing(compiled):
    table = np.arange(12, dtype=np.uint64).reshape(3, 4)
    assert [compiled[2](table, row) for row in range(3)] == [1, 5, 9]
