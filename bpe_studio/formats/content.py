"""A file's content, and JSON read strictly: every fault has a place, nothing is guessed."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.formats.files import read_bounded

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Content:
    """The bytes of a file, parsed at most once however many formats look at them.

    Parameters
    ----------
    path : Path
        Where they come from.
    data : bytes
        All of them.
    beside : mapping of str to bytes, optional
        Contents of files in the same folder by name; None for those that are on the disk.
    """

    path: Path
    data: bytes
    beside: Mapping[str, bytes] | None = None

    def sibling(self, name: str) -> Content | None:
        """Return a file of the same folder, or None if there is none.

        Raises
        ------
        FormatError
            If it cannot be read.
        """
        path = self.path.with_name(name)
        if self.beside is not None:
            return Content(path, self.beside[name], {}) if name in self.beside else None
        return Content(path, read_bounded(path)) if path.is_file() else None

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space."""
        return not self.data.strip()

    @property
    def looks_like_json(self) -> bool:
        """Whether the first thing is what JSON documents begin with."""
        return self.data.removeprefix(BOM)[:4096].lstrip()[:1] in (b"{", b"[")

    @cached_property
    def json(self) -> Any:
        """The JSON value.

        Raises
        ------
        FormatError
            Naming line and column where that is known.
        """
        return parsed_json(self.data)

    @property
    def json_object(self) -> Mapping[str, Any]:
        """The JSON value if it is an object, else an empty one."""
        value = self.json if self.looks_like_json else None
        return value if isinstance(value, dict) else {}


def parsed_json(data: bytes) -> Any:
    """Return the value of a JSON document in UTF-8.

    Parameters
    ----------
    data : bytes
        The document; a byte order mark is dropped.

    Returns
    -------
    object
        Dicts, lists, strings, numbers, booleans and None.

    Raises
    ------
    FormatError
        For anything that is not strict JSON: bytes outside UTF-8, a key given twice, NaN, a number without
        end, nesting without end.
    """
    body = data.removeprefix(BOM)
    try:
        return json.loads(
            body.decode(), object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
        )
    except FormatError:
        raise
    except UnicodeDecodeError as error:
        at = error.start + len(data) - len(body)
        raise FormatError(f"byte {body[error.start]:#04x} at offset {at:,} is not UTF-8.") from error
    except json.JSONDecodeError as error:
        fault = error.msg.removesuffix(" at").lower()
        raise FormatError(f"not whole JSON, line {error.lineno} column {error.colno}: {fault}.") from error
    except RecursionError:
        raise FormatError("it is nested too deeply.") from None
    except ValueError as error:
        raise FormatError("it holds a number of thousands of digits.") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise FormatError(f"the key {twice[:80]!r} is given twice.")
    return found


def _constant(name: str) -> Any:
    raise FormatError(f"{name} is not a number in JSON.")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise FormatError(f"the number {text[:40]} is too large.")
    return value
