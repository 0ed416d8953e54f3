"""Values that callers hand over: made Python's own types, or refused in words.

Nothing is guessed: 300.0 is no integer, and a set is no list, because its order changes from run to run.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Set
from typing import Any, SupportsIndex

import numpy as np

from bpe_studio.engine.errors import BpeStudioError, TrainingError


def as_index(name: str, value: SupportsIndex) -> int:
    """Return an integer as an int; numpy's are fine, 1.0 is none. Else raise `BpeStudioError`."""
    try:
        return operator.index(value)
    except TypeError:
        raise BpeStudioError(f"{name} is {value!r}; it must be an integer.") from None


def as_texts(name: str, value: str | Iterable[str], *, ordered: bool = True) -> tuple[str, ...]:
    """Return a keyword that holds several texts as a tuple; a single str is one text.

    Parameters
    ----------
    name : str
        The keyword.
    value : str or iterable of str
        Its value.
    ordered : bool
        Whether the order matters: a set's changes from run to run, and a mapping's values would be lost.

    Raises
    ------
    TrainingError
        If it is something else.
    """
    if ordered and isinstance(value, Set | Mapping) or not isinstance(value, Iterable):
        raise TrainingError(f"{name} is a {type(value).__name__}; it must be a list of texts")
    texts = (value,) if isinstance(value, str) else tuple(value)
    for text in texts:
        if not isinstance(text, str):
            raise TrainingError(f"{name} holds {text!r}; every entry must be a text")
    return tuple(map(str.__str__, texts))


def chosen(name: str, value: object, allowed: tuple[Any, ...]) -> Any:
    """Return the one of the `allowed` values that `value` equals, or raise `TrainingError`."""
    for choice in allowed:
        if isinstance(value, str | int | np.bool_) and value == choice:
            return choice
    choices = ", ".join(repr(choice) for choice in allowed)
    raise TrainingError(f"{name} is {value!r}; it must be one of {choices}")


def as_int(name: str, value: object, least: int, most: int) -> int:
    """Return an integer within bounds as an int; numpy's are fine. Else raise `TrainingError`."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (is_integer and least <= value <= most):  # type: ignore[operator]
        raise TrainingError(f"{name} is {value!r}; it must be an integer from {least:,} to {most:,}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def as_share(name: str, value: object) -> float:
    """Return a number above 0 and at most 1 as the float written like it, or raise `TrainingError`."""
    is_number = isinstance(value, float | int | np.floating) and not isinstance(value, bool)
    if not (is_number and 0 < value <= 1):  # type: ignore[operator]
        raise TrainingError(f"{name} is {value!r}; it must be above 0 and at most 1")
    return float(str(value))


def has_surrogate(text: str) -> bool:
    """Return whether a text holds a surrogate, and so is not valid Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
