"""Encoding with the compiled kernels: named patterns over bytes, with a table of words met before."""

from __future__ import annotations

import ctypes
import threading
from functools import cached_property
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.arrays import aligned_zeros, enlarged, power_of_two
from bpe_studio.engine.compiled_model import CompiledModel
from bpe_studio.engine.encoding import merged_array
from bpe_studio.engine.fast_counting import PADDING, padded
from bpe_studio.engine.kernels.fields import (
    ARENA,
    AT,
    BATCH,
    BATCH_SIZE,
    BEGINNING,
    BYTE_IDS,
    CLASSES,
    ID_ENDS,
    KIND,
    MAX_SYMBOLS,
    MERGING,
    N_IN_ARENA,
    N_IN_POOL,
    N_OUT,
    N_SEEN_WORDS,
    NEEDED,
    OUT,
    PART_ENDS,
    POOL,
    SEEN,
    SIZE,
    SYMBOLS,
    TAIL,
    TAIL_SIZE,
    WHOLE_TEXT,
)
from bpe_studio.engine.kernels.state import GPT2
from bpe_studio.engine.semantics import SEMANTICS, MergeModel
from bpe_studio.engine.unicode_classes import character_classes

Ids = NDArray[np.int32]

MAX_WORDS = 1 << 19
"""Words remembered at most, in some 60 MB; then the table is emptied."""

FIRST_WORDS = 1 << 12

BYTES_A_WORD = 64
"""Of a long text: for one new word in so many bytes room is made at once."""

MAX_INTEGERS = 1 << 20

SHORT_TEXT = 1 << 14
"""Characters up to which ids are written to memory that is kept for that."""

PIECE = 1 << 17
"""Characters of a long text that are turned into UTF-8 together: they stay in the processor's cache."""

utf8_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
    ("PyUnicode_AsUTF8AndSize", ctypes.pythonapi)
)
"""The address of a text's UTF-8, which the text keeps from then on; its size is written to an address. Raises
UnicodeEncodeError for a text with surrogates."""


class FastEncoder:
    """Encodes texts in the alphabet of bytes under a named split pattern. Safe from several threads.

    Parameters
    ----------
    kind : int
        One of `fast_counting.KINDS`.
    model : MergeModel
        What decides the tokens; must fit, see `compiled_model.fits_kernels`.
    kernels : namespace
        What `bpe_studio.engine.kernels.load` returns.
    """

    def __init__(self, kind: int, model: MergeModel, kernels: SimpleNamespace) -> None:
        self._kernels = kernels
        self._encode = kernels.texts.encode
        self._model = CompiledModel(model, kernels)
        self._one_by_one = model.semantics.one_by_one
        self._byte_ids = np.array(model.alphabet.byte_ids, np.int32)
        self._numbers = self._model.numbers.copy()
        self._address = self._numbers.ctypes.data
        self._size_address = self._address + SIZE * self._numbers.itemsize
        self._numbers[KIND] = kind
        self._kept: dict[int, NDArray[np.generic]] = {}
        self._place(CLASSES, character_classes())
        for field, array in (
            (BYTE_IDS, self._byte_ids),
            (BATCH, np.empty((4, BATCH_SIZE), np.uint64)),
            (SYMBOLS, np.empty((4, MAX_SYMBOLS), np.int32)),
            (MERGING, np.empty(3 * MAX_SYMBOLS, np.int64)),
            (TAIL, np.zeros(TAIL_SIZE + PADDING, np.uint8)),
        ):
            self._place(field, array, sized=False)
        self._short_out = np.empty(4 * SHORT_TEXT + PADDING, np.int32)
        self._write_to(self._short_out)
        self._lock = threading.Lock()
        self._forget(FIRST_WORDS)

    def _place(self, field: int, array: NDArray[np.generic], *, sized: bool = True) -> None:
        """Note an array's address, and behind it the number of its rows; and keep it alive."""
        self._kept[field] = array
        self._numbers[field] = array.ctypes.data
        if sized:
            self._numbers[field + 1] = len(array)

    def _write_to(self, out: Ids) -> None:
        self._out = out
        self._numbers[OUT] = out.ctypes.data

    # ---- words met before --------------------------------------------------------------------------------

    def _forget(self, n_words: int) -> None:
        """Begin again with an empty table for so many words."""
        self._place(SEEN, aligned_zeros(2 * n_words, 4))
        self._place(ARENA, np.empty(16 * n_words + MAX_SYMBOLS, np.uint8))
        self._place(POOL, np.empty(4 * n_words + MAX_SYMBOLS, np.int32))
        self._numbers[[N_SEEN_WORDS, N_IN_ARENA, N_IN_POOL]] = 0

    def _enlarge(self, n_words: int) -> None:
        """Give every table room for so many words, and keep what is known."""
        old = self._kept[SEEN]
        self._place(SEEN, aligned_zeros(2 * n_words, 4))
        self._kernels.known_words.move_words(self._address, old)
        self._place(ARENA, enlarged(self._kept[ARENA], 16 * n_words + MAX_SYMBOLS))
        self._place(POOL, enlarged(self._kept[POOL], 4 * n_words + MAX_SYMBOLS))

    @property
    def _n_words(self) -> int:
        """How many words have room."""
        return len(self._kept[SEEN]) // 2

    # ---- texts -------------------------------------------------------------------------------------------

    def ids(self, text: str) -> list[int]:
        """Return the token ids of a text.

        Raises
        ------
        UnicodeEncodeError
            If the text has surrogates.
        """
        if len(text) > SHORT_TEXT:
            return self.integers(self.array(text))
        with self._lock:
            n = self._encode(self._address, utf8_of(text, self._size_address), WHOLE_TEXT, 0)
            if n < 0:
                n = self._go_on(utf8_of(text, self._size_address), WHOLE_TEXT)
            ids: list[int] = self._out[:n].tolist()
        return ids

    def integers(self, ids: NDArray[np.uint32]) -> list[int]:
        """Return ids as a list, made of integers that are kept: new ones would take memory, and so time."""
        kept = self._integers
        integers: list[int] = ids.tolist() if kept is None else kept.take(ids).tolist()
        return integers

    @cached_property
    def _integers(self) -> NDArray[np.object_] | None:
        """Every id as an object, if ids have no large holes."""
        n_ids = self._model.n_ids
        return np.array(range(n_ids), object) if n_ids <= MAX_INTEGERS else None

    def array(self, text: str) -> NDArray[np.uint32]:
        """Return the token ids of a text as an array; raises as `ids`."""
        with self._lock:
            self._reserve(len(text))
            ids = np.empty(len(text) // 2 + 4 * PIECE, np.uint32)
            start, length, n_ids = 0, PIECE, 0
            while start < len(text):
                piece = text[start : start + length]
                address, is_last = utf8_of(piece, self._size_address), start + length >= len(text)
                size = int(self._numbers[SIZE])
                if n_ids + size + PADDING > len(ids):
                    ids = enlarged(ids, 2 * len(ids) + size)
                n = self._written(ids[n_ids:], address, WHOLE_TEXT if is_last else BEGINNING)
                if n < 0:  # there is no place to cut it
                    length *= 2
                    continue
                n_ids += n
                at = int(self._numbers[AT])
                start += len(piece) - len(ctypes.string_at(address + at, size - at).decode())
                length = PIECE
        ids.resize(n_ids, refcheck=False)  # gives back what was never touched, without a copy
        return ids

    def parts(self, utf8: bytes, ends: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the ids of parts of a text, one after the other, and where those of each part end.

        Parameters
        ----------
        utf8 : bytes
            The parts, one after the other, and `PADDING` bytes more.
        ends : ndarray of int64
            Where each part ends. No pre-token crosses from one into the next.
        """
        ids, id_ends = np.empty(len(utf8), np.uint32), np.zeros(len(ends), np.int64)
        text = np.frombuffer(utf8, np.uint8)
        with self._lock:
            self._reserve(len(utf8))
            self._numbers[SIZE] = len(utf8) - PADDING
            n_ids = self._written_parts(ids, text.ctypes.data, ends, id_ends) if len(ends) else 0
        ids.resize(n_ids, refcheck=False)
        return ids, id_ends

    def _written_parts(
        self, ids: NDArray[np.uint32], address: int, ends: NDArray[np.int64], id_ends: NDArray[np.int64]
    ) -> int:
        self._place(PART_ENDS, ends, sized=False)
        self._place(ID_ENDS, id_ends, sized=False)
        return self._written(ids, address, len(ends))

    def _reserve(self, size: int) -> None:
        n_words = power_of_two(min(size // BYTES_A_WORD, MAX_WORDS))
        if n_words > self._n_words:
            self._enlarge(n_words)

    def _written(self, ids: NDArray[np.uint32], address: int, n_parts: int) -> int:
        """Write the ids of a text to an array and return how many there are; −1 as `_go_on`."""
        self._write_to(ids.view(np.int32))
        try:
            n = self._encode(self._address, address, n_parts, 0)
            if n < 0:
                n = self._go_on(address, n_parts)
        finally:  # whoever interrupts this must not leave less memory than a short text needs
            self._write_to(self._short_out)
        return int(n)

    def _go_on(self, address: int, n_parts: int) -> int:
        """Do what the kernel rests for, until it has come to the end; return how many ids there are.

        −1 if it was to encode the beginning of a text that has no place to cut it.
        """
        n = -1
        while n < 0:
            needed = int(self._numbers[NEEDED])
            if needed < 0 and n_parts == WHOLE_TEXT:
                size = int(self._numbers[SIZE])
                copy, end = padded(ctypes.string_at(address, size)), np.array([size], np.int64)
                n = self._written_parts(self._out.view(np.uint32), copy.ctypes.data, end, np.zeros_like(end))
                self._numbers[AT] = size
                return n
            if needed < 0:
                return -1
            if needed:
                self._encode_long(address, needed)
            elif self._n_words < MAX_WORDS:
                self._enlarge(2 * self._n_words)
            else:
                self._forget(MAX_WORDS)
            n = self._encode(self._address, address, n_parts, 1)
        return n

    def _encode_long(self, address: int, n: int) -> None:
        """Encode a word that is too long for the kernel's memory."""
        at, n_out = int(self._numbers[AT]), int(self._numbers[N_OUT])
        symbols = self._byte_ids[np.frombuffer(ctypes.string_at(address + at, n), np.uint8)]
        ids = merged_array(symbols, self._model.pairs, self._kernels, one_by_one=self._one_by_one)
        self._out[n_out : n_out + len(ids)] = ids
        self._numbers[[AT, N_OUT]] = at + n, n_out + len(ids)


def warm_up(kernels: SimpleNamespace) -> None:
    """Compile or load the kernels by encoding a few letters under two semantics."""
    pair = np.array([97], np.int32)
    tokens = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"aa"}
    for semantics in (SEMANTICS["pairs"], SEMANTICS["ranks"]):
        model = MergeModel(Alphabet(), pair, pair, pair + 159, semantics, {}, {}, {}, lambda: tokens)
        encoder = FastEncoder(GPT2, model, kernels)
        encoder._enlarge(2 * FIRST_WORDS)
        encoder.ids("aa b")
        merged_array(np.array([97, 97, 97], np.int32), encoder._model.pairs, kernels)
