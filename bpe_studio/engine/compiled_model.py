"""The tables of a `MergeModel` as the compiled kernels take them: arrays, and the addresses of arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.arrays import aligned_zeros, power_of_two
from bpe_studio.engine.fast_counting import PADDING
from bpe_studio.engine.kernels.fields import (
    MAX_SYMBOLS,
    N_FIELDS,
    N_WHOLE,
    ONE_BY_ONE,
    PAIRS,
    WHOLE,
    WHOLE_ARENA,
)
from bpe_studio.engine.semantics import MergeModel


def fits_kernels(model: MergeModel) -> bool:
    """Return whether the kernels can hold all that decides tokens: none that is looked up is too long."""
    asks_bytes = model.semantics.by_bytes or model.semantics.whole_first
    return not asks_bytes or max(map(len, model.whole), default=0) <= MAX_SYMBOLS


class CompiledModel:
    """What encoders of one model share; nothing of it changes.

    Parameters
    ----------
    model : MergeModel
        Must fit, see `fits_kernels`.
    kernels : namespace
        What `bpe_studio.engine.kernels.load` returns.

    Attributes
    ----------
    numbers : ndarray of int64, shape (N_FIELDS,)
        Addresses and sizes of the model's tables at their places, 0 elsewhere.
    pairs : ndarray of uint64, shape (n, 2)
        The pairs that are joined, see `kernels.encoding`.
    n_ids : int
        The largest id that a text can become + 1.
    """

    def __init__(self, model: MergeModel, kernels: SimpleNamespace) -> None:
        self._model = model
        self._kernels = kernels
        self._kept: list[NDArray[Any]] = []  # arrays that are known to the kernels by their addresses only
        self.numbers = np.zeros(N_FIELDS, np.int64)
        self.numbers[ONE_BY_ONE] = model.semantics.one_by_one
        largest = max(max(model.alphabet.token_ids), int(model.product.max(initial=0)))
        if model.semantics.by_bytes or model.semantics.whole_first:
            whole = self._enter_whole()
            largest = max(largest, max(model.whole.values(), default=0))
        self.n_ids = largest + 1
        if model.semantics.by_bytes:
            self.pairs = self._pairs_of_bytes(*whole)
        else:
            self.pairs = self._empty_pairs(len(model.left))
            merges = (column.copy() for column in (model.left, model.right, model.product))  # not read-only
            kernels.encoding.enter_merges(*merges, self.pairs)
        if not model.semantics.whole_first:
            self.numbers[N_WHOLE] = 0

    def place(self, field: int, array: NDArray[Any]) -> None:
        """Note an array's address, and behind it the number of its rows."""
        self._kept.append(array)
        self.numbers[field : field + 2] = array.ctypes.data, len(array)

    def _empty_pairs(self, n_pairs: int) -> NDArray[np.uint64]:
        pairs = aligned_zeros(power_of_two(2 * n_pairs + 1), 2)
        pairs[:, 0] = np.iinfo(np.uint64).max
        self.place(PAIRS, pairs)
        return pairs

    def _enter_whole(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]:
        whole = self._model.whole
        data = np.frombuffer(bytearray(b"".join(whole) + bytes(PADDING)), np.uint8)
        ends = np.cumsum(np.fromiter(map(len, whole), np.int64, len(whole)))
        ids = np.fromiter(whole.values(), np.int32, len(whole))
        self.place(WHOLE, aligned_zeros(power_of_two(2 * len(whole) + 1), 4))
        self.place(WHOLE_ARENA, data)
        self._kernels.vocabularies.enter_words(self.numbers.ctypes.data, data, ends, ids)
        return data, ends, ids

    def _pairs_of_bytes(
        self, data: NDArray[np.uint8], ends: NDArray[np.int64], ids: NDArray[np.int32]
    ) -> NDArray[np.uint64]:
        ranks, own = ids.astype(np.int64), self._model.ranks
        if own:
            ranks = np.array([own.get(token, token) for token in ids.tolist()], np.int64)
        rows = (self.numbers.ctypes.data, data, ends, ids, ranks)
        self._empty_pairs(0)
        pairs = self._empty_pairs(self._kernels.vocabularies.enter_splits(*rows, 1))
        self._kernels.vocabularies.enter_splits(*rows, 0)
        return pairs
