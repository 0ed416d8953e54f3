"""The instructions that Python has no name for do what their plain forms say."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine import kernels
from bpe_studio.engine.kernels.state import PAIR


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

    @njit
    def leading_zeros(bits):
        return intrinsics.leading_zeros(bits)

    @njit
    def byte_sets(array, at):
        return intrinsics.byte_sets(array, at)

    @njit
    def store_eight(array, at, value):
        intrinsics.store_eight(array, at, value)

    @njit
    def raise_count(pairs, places, at):
        record = intrinsics.item(pairs, intrinsics.item(places, at))
        record.count += at
        return record.left

    @njit
    def sums_at(address, n):
        flat = intrinsics.array_at(address, 2 * n, np.int32)
        table = intrinsics.array_at(address, (n, 2), np.int32)
        return flat.sum(), table[:, 1].sum(), table[n - 1, 0]

    return SimpleNamespace(**{function.__name__: function for function in (
        sums_at, raise_count, load_eight, store_eight, trailing_zeros, leading_zeros, second_column,
        byte_sets,
    )})  # fmt: skip


@given(st.binary(min_size=8, max_size=40), st.integers(0))
def test_eight_bytes_are_loaded_wherever_they_lie(compiled, data, at):
    array, at = np.frombuffer(data, np.uint8).copy(), at % (len(data) - 7)
    assert compiled.load_eight(array, at) == kernels.load().intrinsics.load_eight_plainly(array, at)


@given(st.binary(min_size=8, max_size=40), st.integers(0), st.integers(0, 2**64 - 1))
def test_eight_bytes_are_stored_wherever_they_lie(compiled, data, at, value):
    array, at = np.frombuffer(data, np.uint8).copy(), at % (len(data) - 7)
    expected = array.copy()
    kernels.load().intrinsics.store_eight_plainly(expected, at, value)
    compiled.store_eight(array, at, np.uint64(value))
    assert array.tolist() == expected.tolist()


@given(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda place: 1 << place))
def test_zeros_are_counted(compiled, bits):
    plain = kernels.load().intrinsics
    assert compiled.trailing_zeros(np.uint64(bits)) == plain.trailing_zeros_plainly(bits)
    assert compiled.leading_zeros(np.uint64(bits)) == plain.leading_zeros_plainly(bits)


@given(st.permutations(range(6)), st.integers(0, 5))
def test_an_item_is_the_array_s_own(compiled, order, at):
    plain = kernels.load().intrinsics.item_plainly
    places, pairs = np.array(order, np.int32), np.zeros(6, PAIR)
    pairs["left"] = np.arange(6) + 10
    expected = pairs.copy()
    record = plain(expected, plain(places, at))
    record["count"] += at
    assert compiled.raise_count(pairs, places, at) == record["left"]
    assert pairs.tolist() == expected.tolist()


@given(st.permutations(range(256)), st.integers(0, 192))
def test_sets_of_bytes_are_found(compiled, order, at):
    array = np.array(order, np.uint8)
    assert compiled.byte_sets(array, at) == kernels.load().intrinsics.byte_sets_plainly(array, at)


def test_prefetching_changes_nothing(compiled):
    table = np.arange(12, dtype=np.uint64).reshape(3, 4)
    assert [compiled.second_column(table, row) for row in range(3)] == [1, 5, 9]


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=2).filter(lambda values: len(values) % 2 == 0))
def test_an_address_is_an_array(compiled, values):
    array = np.array(values, np.int32)
    address, n = array.ctypes.data, len(values) // 2
    table = kernels.load().intrinsics.array_at_plainly(address, (n, 2), np.int32)
    assert table.tolist() == array.reshape(n, 2).tolist()
    assert compiled.sums_at(address, n) == (array.sum(), table[:, 1].sum(), table[-1, 0])
