"""What the window remembers between two starts that is not work: one table of records over QSettings.

A settings file may be old, cut in the middle, written by another program or not writable. So every
value is checked when it is read, and a bad one is simply the default: settings never stop a start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

N_RECENT_FILES = 10


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"{value!r} is not one of {allowed}")
        return str(value)

    return parse


def _number(low: float, high: float) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        number = float(value)
        if not math.isfinite(number) or not low <= number <= high:
            raise ValueError(f"{number} is not between {low} and {high}")
        return number

    return parse


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        number = int(value)
        if not low <= number <= high:
            raise ValueError(f"{number} is not between {low} and {high}")
        return number

    return parse


def _bytes(value: Any) -> bytes:
    if not isinstance(value, QByteArray | bytes):
        raise ValueError("not bytes")
    return bytes(value)


def _texts(value: Any) -> tuple[str, ...]:
    # QSettings gives a list of one back as a plain string.
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise ValueError("not a list of texts")
    return tuple(item for item in items if item)


@dataclass(frozen=True)
class Preference:
    """One remembered value: `parse` turns what the settings hold into it, or raises."""

    key: str
    default: Any
    parse: Callable[[Any], Any]


PREFERENCES: tuple[Preference, ...] = (
    Preference("scheme", "system", _one_of("system", "light", "dark")),
    Preference("text_scale", 0, _whole(-4, 12)),
    Preference("play_speed", 4.0, _number(0.25, 1e6)),
    Preference("recent_files", (), _texts),
    Preference("geometry", b"", _bytes),
    Preference("layout", b"", _bytes),
)


class Preferences:
    """Typed access to the table; reading never fails and writing never raises."""

    def __init__(self, settings: QSettings | None = None) -> None:
        self._settings = settings if settings is not None else _usual_settings()
        self._records = {record.key: record for record in PREFERENCES}

    def __getitem__(self, key: str) -> Any:
        record = self._records[key]
        # The settings file is whatever is on the disk: any failure to make sense of it is the default.
        try:
            value = self._settings.value(key)
            return record.default if value is None else record.parse(value)
        except Exception:
            return record.default

    def __setitem__(self, key: str, value: Any) -> None:
        parsed = self._records[key].parse(value)
        stored = (
            list(parsed)
            if isinstance(parsed, tuple)
            else QByteArray(parsed)
            if isinstance(parsed, bytes)
            else parsed
        )
        self._settings.setValue(key, stored)

    def add_recent_file(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        text = str(path)
        others = [old for old in self["recent_files"] if old != text]
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return  # a name that is not text (a lone byte F0) cannot be kept in a settings file
        self["recent_files"] = (text, *others)[:N_RECENT_FILES]

    def forget_recent_file(self, path: str) -> None:
        """Take a file that is gone out of the recent ones."""
        self["recent_files"] = tuple(old for old in self["recent_files"] if old != path)

    def save(self) -> None:
        """Write now; a folder that cannot be written to is no reason to complain."""
        self._settings.sync()


def _usual_settings() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "bpe-studio", "window")
