"""The compiled check of UTF-8 answers as Python's decoder does."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine import kernels
from bpe_studio.engine.fast_counting import padded
from tests.strategies import awkward_texts, byte_strings

EDGES = bytes.fromhex("00417f80 8f909fa0bf c0c1c2df e0e1eced eeeff0f1 f3f4f5ff")
"""First and last byte of every class in the table of well-formed sequences."""


def by_python(data: bytes) -> tuple[int, int]:
    try:
        return len(data), len(data.decode())
    except UnicodeDecodeError as error:
        return error.start, len(data[: error.start].decode())


def by_kernel(data: bytes) -> tuple[int, int]:
    text = padded(data)
    return kernels.load().utf8.check(text, text.view(np.uint64), len(data))  # type: ignore[no-any-return]


def test_every_class_of_bytes_after_every_other() -> None:
    for n in range(4):
        for data in map(bytes, product(EDGES, repeat=n)):
            assert by_kernel(data) == by_python(data)


def test_all_sequences_of_four_bytes_that_begin_as_one() -> None:
    for first in (0xF0, 0xF1, 0xF3, 0xF4, 0xF5):
        for rest in product(EDGES, repeat=3):
            data = bytes((first, *rest))
            assert by_kernel(data) == by_python(data)


@given(byte_strings() | awkward_texts().map(str.encode), st.integers(0, 20), st.binary(max_size=20))
def test_ascii_before_and_anything_behind(data: bytes, n_before: int, behind: bytes) -> None:
    data = b"x" * n_before + data + behind
    assert by_kernel(data) == by_python(data)


def test_what_stands_behind_the_end_is_not_looked_at() -> None:
    text = padded("aé€😀".encode())
    found = [kernels.load().utf8.check(text, text.view(np.uint64), end) for end in range(11)]
    assert found == [by_python("aé€😀".encode()[:end]) for end in range(11)]
