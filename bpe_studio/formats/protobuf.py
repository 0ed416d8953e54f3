"""The wire form of Protocol Buffers, as far as a SentencePiece model needs it: read within bounds, written.

The library of that name would need a generated module beside it, and its versions quarrel with those of other
programs; the form itself is a list of (field number, value), which takes fewer lines than either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpe_studio.engine.errors import FormatError

VARINT, EIGHT_BYTES, DELIMITED, FOUR_BYTES = 0, 1, 2, 5

#: A number has at most 64 bits, seven a byte.
MAX_VARINT_BYTES = 10

#: No vocabulary has more pieces than this.
MAX_FIELDS = 1 << 21

Value = int | bytes


def fields(message: bytes, place: str) -> Iterator[tuple[int, int, Value]]:
    """Yield the fields of a message in the order in which they stand.

    Parameters
    ----------
    message : bytes
        The message.
    place : str
        What it is, for messages to people.

    Yields
    ------
    number : int
        Number of the field.
    kind : int
        `VARINT`, `EIGHT_BYTES`, `DELIMITED` or `FOUR_BYTES`.
    value : int or bytes
        An unsigned integer of up to 64 bits, or bytes.

    Raises
    ------
    FormatError
        If the message ends inside a field, or has what no writer of today makes.

    Examples
    --------
    >>> list(fields(bytes([0x0A, 2, 104, 105, 0x18, 0x96, 0x01]), "greeting"))
    [(1, 2, b'hi'), (3, 0, 150)]
    """
    at, n = 0, len(message)
    while at < n:
        key, at = _varint(message, at, place)
        number, kind = key >> 3, key & 7
        value: Value
        if kind == VARINT:
            value, at = _varint(message, at, place)
        else:
            if kind == DELIMITED:
                length, at = _varint(message, at, place)
            elif kind in (EIGHT_BYTES, FOUR_BYTES):
                length = 8 if kind == EIGHT_BYTES else 4
            else:
                raise FormatError(
                    f"{place} has a field of kind {kind} at byte {at - 1:,}, which is not known."
                )
            if length > n - at:
                raise FormatError(
                    f"{place} ends inside a field: {length:,} bytes wanted, {n - at:,} are left."
                )
            value, at = message[at : at + length], at + length
        yield number, kind, value


def _varint(message: bytes, at: int, place: str) -> tuple[int, int]:
    """Return an integer of seven bits a byte, the lowest first, and where it ends."""
    value = 0
    for index, byte in enumerate(message[at : at + MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value & (2**64 - 1), at + index + 1
    fault = "ends inside" if len(message) - at < MAX_VARINT_BYTES else "has more than 64 bits in"
    raise FormatError(f"{place} {fault} a number at byte {at:,}.")


class Message:
    """The fields of a message, asked for by number and kind. Fields that nobody asks for are skipped.

    Parameters
    ----------
    message : bytes
        The message.
    place : str
        What it is, for messages to people.
    """

    def __init__(self, message: bytes, place: str) -> None:
        self._place = place
        self._fields: dict[int, list[tuple[int, Value]]] = {}
        for index, (number, kind, value) in enumerate(fields(message, place)):
            if index >= MAX_FIELDS:
                raise FormatError(f"{place} has more than {MAX_FIELDS:,} fields.")
            self._fields.setdefault(number, []).append((kind, value))

    def all(self, number: int, kind: int = DELIMITED) -> list[Any]:
        """Return every value of a field; raise `FormatError` if one is of another kind."""
        found = self._fields.get(number, [])
        for has, _ in found:
            if has != kind:
                raise FormatError(f"field {number} of {self._place} is of kind {has}; it must be {kind}.")
        return [value for _, value in found]

    def data(self, number: int, kind: int = DELIMITED) -> bytes:
        """Return the last value of a field of bytes; none if it is not there."""
        return bytes((self.all(number, kind) or [b""])[-1])

    def joined(self, number: int) -> bytes:
        """Return a message that may be there in parts, as one."""
        return b"".join(self.all(number))

    def integer(self, number: int, default: int) -> int:
        """Return the last value of an integer field, as it is without a sign."""
        return int((self.all(number, VARINT) or [default])[-1])

    def flag(self, number: int, default: bool) -> bool:
        """Return the last value of a field of true or false."""
        return bool(self.integer(number, default))


def number_field(number: int, value: int) -> bytes:
    """Return an integer field; a negative one takes ten bytes."""
    return _varint_bytes(number << 3 | VARINT) + _varint_bytes(value % 2**64)


def bytes_field(number: int, value: bytes) -> bytes:
    """Return a field of bytes: a text in UTF-8, or a message."""
    return _varint_bytes(number << 3 | DELIMITED) + _varint_bytes(len(value)) + value


def four_bytes_field(number: int, value: bytes) -> bytes:
    """Return a field of four bytes, such as a float32."""
    return _varint_bytes(number << 3 | FOUR_BYTES) + value


def _varint_bytes(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
