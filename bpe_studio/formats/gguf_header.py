"""The key-values at the head of a GGUF file, read within bounds. The tensors behind them are never read.

A file is "GGUF", a version (uint32), the numbers of tensors and of key-values (uint64), then the key-values:
a key, the number of a type (uint32), a value. A text is its length (uint64) and UTF-8; an array is the number
of its items' type (uint32), their number (uint64), the items. Numbers are little-endian, or all big-endian.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.errors import FormatError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
NUMBERS = {
    0: "u1", 1: "i1", 2: "u2", 3: "i2", 4: "u4", 5: "i4", 6: "f4", 7: "u1", 10: "u8", 11: "i8", 12: "f8",
}  # fmt: skip
FLAG, TEXT, ARRAY = 7, 8, 9

#: Arrays of arrays are allowed, and used by nobody.
MAX_DEPTH = 4

#: The least that a key-value takes: the length of an empty key, a type, a value of one byte.
LEAST_BYTES = 13


def key_values(data: bytes) -> dict[str, Any]:
    """Return the key-values of a file.

    Parameters
    ----------
    data : bytes
        The beginning of the file, or all of it.

    Returns
    -------
    dict of str to object
        Numbers, booleans, texts and lists of them.

    Raises
    ------
    FormatError
        If it is no such file, or one of another version, or it ends inside the key-values.

    Notes
    -----
    Nothing is reserved for a number of items before as many bytes are seen to be there.
    """
    return _Reader(data).key_values()


class _Reader:
    def __init__(self, data: bytes) -> None:
        if data[:4] != MAGIC:
            raise FormatError("this is no GGUF file.")
        self._data = data
        self._at = 4
        little, big = (int.from_bytes(data[4:8], order) for order in ("little", "big"))
        self._order = ">" if big in VERSIONS else "<"
        self._at = 8
        if len(data) < 8 or not (little in VERSIONS or big in VERSIONS):
            raise FormatError(f"the version of this GGUF file is {little:,}; it must be 2 or 3.")

    def key_values(self) -> dict[str, Any]:
        self._number(10)
        n = self._number(10)
        if n > (len(self._data) - self._at) // LEAST_BYTES:
            raise FormatError(f"the file says it has {n:,} key-values, which do not fit into it.")
        found: dict[str, Any] = {}
        for _ in range(n):
            key = self._text("a key")
            if key in found:
                raise FormatError(f"the key {key[:80]!r} is given twice.")
            found[key] = self._value(self._number(4), key[:80], 0)
        return found

    def _bytes(self, n: int, place: str) -> bytes:
        if n > len(self._data) - self._at:
            raise FormatError(f"{place}: {n:,} bytes are wanted at byte {self._at:,}, where the file ends.")
        self._at += n
        return self._data[self._at - n : self._at]

    def _number(self, kind: int) -> int:
        width = int(NUMBERS[kind][1])
        order = "big" if self._order == ">" else "little"
        return int.from_bytes(self._bytes(width, "the head"), order)  # type: ignore[arg-type]

    def _text(self, place: str) -> str:
        data = self._bytes(self._number(10), place)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{place} is not UTF-8, at byte {self._at - len(data) + error.start:,}."
            ) from error

    def _value(self, kind: int, place: str, depth: int) -> Any:
        if kind == TEXT:
            return self._text(place)
        if kind == ARRAY:
            return self._array(place, depth)
        if kind not in NUMBERS:
            raise FormatError(f"{place} has values of type {kind}, which is not known.")
        return self._numbers(kind, 1, place)[0]

    def _array(self, place: str, depth: int) -> list[Any]:
        kind, n = self._number(4), self._number(10)
        if depth >= MAX_DEPTH:
            raise FormatError(f"{place} is nested too deeply.")
        if kind in NUMBERS:
            return self._numbers(kind, n, place)
        # A text takes at least its length, an array its type and number.
        if n > (len(self._data) - self._at) // 8:
            raise FormatError(f"{place} says it has {n:,} items, which do not fit into the file.")
        return [self._value(kind, place, depth + 1) for _ in range(n)]

    def _numbers(self, kind: int, n: int, place: str) -> list[Any]:
        dtype = np.dtype(self._order + NUMBERS[kind])
        values = np.frombuffer(self._bytes(n * dtype.itemsize, place), dtype)
        if kind == FLAG:
            if (values > 1).any():
                raise FormatError(f"{place} holds a boolean that is neither 0 nor 1.")
            values = values.astype(bool)
        found: list[Any] = values.tolist()
        return found
