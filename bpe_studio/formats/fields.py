"""Fields of a JSON object, checked as they are read. A boolean is no integer, nor is 1.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bpe_studio.engine.errors import FormatError

MAX_INT64 = 2**63 - 1
KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


class Fields:
    """A JSON object whose fields are asked for by type.

    Parameters
    ----------
    value : object
        What ought to be an object.
    place : str
        Where it stands, for messages; empty for the whole document.
    """

    def __init__(self, value: Any, place: str = "") -> None:
        self._place = place
        self._value: Mapping[str, Any] = checked(value, dict, place or "the document")

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def place(self, key: str) -> str:
        """Return the place of a field, such as ``alphabet.kind``."""
        return f"{self._place}.{key}" if self._place else key

    def any(self, key: str) -> Any:
        """Return a field of any type."""
        if key not in self._value:
            raise FormatError(f"{self.place(key)} is missing.")
        return self._value[key]

    def text(self, key: str) -> str:
        """Return a text."""
        value: str = checked(self.any(key), str, self.place(key))
        return value

    def text_or_none(self, key: str) -> str | None:
        """Return a text or None."""
        return None if self.any(key) is None else self.text(key)

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """Return a text that is one of several."""
        value = self.text(key)
        if value not in choices:
            listed = ", ".join(map(repr, choices))
            raise FormatError(f"{self.place(key)} is {value[:80]!r}; it must be {listed}.")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value: bool = checked(self.any(key), bool, self.place(key))
        return value

    def integer(self, key: str, least: int = 0, most: int = MAX_INT64) -> int:
        """Return an integer within bounds."""
        return integer(self.any(key), self.place(key), least, most)

    def fields(self, key: str) -> Fields:
        """Return an object."""
        return Fields(self.any(key), self.place(key))

    def list(self, key: str) -> Any:
        """Return a list of anything."""
        return checked(self.any(key), list, self.place(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        place = self.place(key)
        return tuple(checked(item, str, f"{place}[{i}]") for i, item in enumerate(self.list(key)))

    def integers(self, key: str, most: int = MAX_INT64) -> tuple[int, ...]:
        """Return a list of integers from 0."""
        place = self.place(key)
        return tuple(integer(item, f"{place}[{i}]", 0, most) for i, item in enumerate(self.list(key)))

    def objects(self, key: str) -> Iterator[Fields]:
        """Yield the objects of a list."""
        for index, item in enumerate(self.list(key)):
            yield Fields(item, f"{self.place(key)}[{index}]")


def checked(value: Any, kind: type, place: str) -> Any:
    """Return a value if it is of a kind, else raise `FormatError` naming the place."""
    if type(value) is not kind:
        raise FormatError(f"{place} must be {KINDS[kind]}, not {shown(value)}.")
    return value


def integer(value: Any, place: str, least: int = 0, most: int = MAX_INT64) -> int:
    """Return an integer within bounds, else raise `FormatError` naming the place."""
    if type(value) is not int or not least <= value <= most:
        raise FormatError(f"{place} must be an integer from {least:,} to {most:,}, not {shown(value)}.")
    return value


def shown(value: Any) -> str:
    """Return a value for a message: short, whatever it is."""
    if type(value) is int:
        return str(value) if abs(value) < 10**20 else "a number of more than 20 digits"
    if type(value) is float:
        return repr(value)
    if type(value) is str:
        return repr(value if len(value) <= 40 else value[:40] + "…")
    return KINDS.get(type(value), type(value).__name__)
