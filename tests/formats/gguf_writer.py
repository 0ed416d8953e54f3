"""A GGUF file of key-values alone, for tests."""

from __future__ import annotations

import struct
from typing import Any

UINT32, INT32, FLOAT32, BOOL, TEXT, ARRAY, UINT64 = 4, 5, 6, 7, 8, 9, 10
FORMS = {0: "B", UINT32: "I", INT32: "i", FLOAT32: "f", BOOL: "?", UINT64: "Q"}


def gguf(
    values: dict[str, tuple[int, Any] | tuple[int, int, Any]], order: str = "<", version: int = 3
) -> bytes:
    """Return a file.

    Parameters
    ----------
    values : dict of str to tuple
        Key → (type, value), or (`ARRAY`, type of the items, items).
    order : {"<", ">"}
        Byte order.
    version : int
        Version of the format.
    """
    head = b"GGUF" + struct.pack(f"{order}IQQ", version, 0, len(values))
    return head + b"".join(_text(key, order) + _value(order, *value) for key, value in values.items())


def _text(text: str, order: str) -> bytes:
    data = text.encode()
    return struct.pack(f"{order}Q", len(data)) + data


def _value(order: str, kind: int, *value: Any) -> bytes:
    return struct.pack(f"{order}I", kind) + _body(order, kind, *value)


def _body(order: str, kind: int, *value: Any) -> bytes:
    if kind == ARRAY:
        of, items = value
        return struct.pack(f"{order}IQ", of, len(items)) + b"".join(_body(order, of, item) for item in items)
    return _text(value[0], order) if kind == TEXT else struct.pack(order + FORMS[kind], value[0])
