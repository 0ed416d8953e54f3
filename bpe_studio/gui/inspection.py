"""Linked inspection: what is hovered or pinned is one `Focus`, which every panel maps to its own rows.

Hover shows, a click pins, Esc or a second click frees, and while something is pinned hovering changes
nothing. Facts about the focus go out at most 30 times a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from PySide6.QtCore import QObject, QTimer, Signal

MILLISECONDS_BETWEEN_FACTS = 33


@dataclass(frozen=True)
class Focus:
    """What is looked at: a byte range of PREVIEW's text, a token, a pair or a merge.

    Parameters
    ----------
    start, end : int or None
        Byte range of the PREVIEW text, end exclusive; None if the focus is no place in it.
    token : int or None
        Token id.
    pair : (int, int) or None
        Ids of the two parts.
    merge : int or None
        Rank in the current run.
    """

    start: int | None = None
    end: int | None = None
    token: int | None = None
    pair: tuple[int, int] | None = None
    merge: int | None = None

    @classmethod
    def of_bytes(cls, start: int, end: int, token: int | None = None) -> Self:
        """Return the focus on a byte range of the text, and on the token that covers it."""
        return cls(start=start, end=end, token=token)

    @classmethod
    def of_token(cls, token: int) -> Self:
        """Return the focus on a token wherever it occurs."""
        return cls(token=token)

    @classmethod
    def of_pair(cls, left: int, right: int, token: int | None = None) -> Self:
        """Return the focus on a pair of tokens, and on the token it makes if it has been merged."""
        return cls(pair=(left, right), token=token)

    @classmethod
    def of_merge(cls, rank: int, left: int, right: int, token: int) -> Self:
        """Return the focus on a merge with its pair and product."""
        return cls(merge=rank, pair=(left, right), token=token)


class Inspection(QObject):
    """Keeps hover and pin, and tells of the focus: the pin if there is one, else what is hovered."""

    focus_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hovered: Focus | None = None
        self._pinned: Focus | None = None
        self._told: Focus | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MILLISECONDS_BETWEEN_FACTS)
        self._timer.timeout.connect(self._tell)

    @property
    def focus(self) -> Focus | None:
        """What every panel outlines."""
        return self._pinned if self._pinned is not None else self._hovered

    @property
    def pinned(self) -> Focus | None:
        """What stays when the pointer leaves."""
        return self._pinned

    def hover(self, focus: Focus | None) -> None:
        """Look at something, or at nothing when the pointer leaves."""
        self._hovered = focus
        self._tell_soon()

    def pin(self, focus: Focus | None) -> None:
        """Keep something in view, or let it go."""
        self._pinned = focus
        if focus is None:
            self._hovered = None
        self._tell_soon()

    def _tell_soon(self) -> None:
        if not self._timer.isActive():
            self._tell()
            self._timer.start()

    def _tell(self) -> None:
        if self.focus != self._told:
            self._told = self.focus
            self.focus_changed.emit(self.focus)
            self._timer.start()
