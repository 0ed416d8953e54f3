"""The cursor as the user moves it: steps, jumps, ties, a token's merge, play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from bpe_studio.gui.controller import Controller

SHORTEST_TICK = 33
"""Milliseconds between two moves while playing; faster play takes several merges a move."""


class SteppingIntentions(QObject):
    """Moves the cursor; at the end of the log a step trains."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._c = controller
        self.speed = 4.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)

    @property
    def is_playing(self) -> bool:
        """True while steps repeat by themselves."""
        return self._timer.isActive()

    def step(self, n: int) -> None:
        """Move on by `n` merges; those beyond the log are trained, as many as are allowed."""
        session = self._c.session
        if session.current is None:
            self._c.message.emit(self._c.blocked_reason)
            self._c.documents.take_up_counting()
            return
        beyond = session.cursor + n - session.n_merges
        if session.cursor < session.n_merges:
            self.go_to(session.cursor + n)
        if beyond > 0:
            self._train(beyond)

    def _train(self, n: int) -> None:
        if self._c.training_now.is_training:
            return
        if self._c.session.current.can_grow:
            self._c.training_now.step(n)
        else:
            self._c.message.emit(self._c.blocked_reason)

    def go_to(self, k: int) -> None:
        """Put the cursor before merge `k`, within the merges there are."""
        self._c.training_now.tell_rows()
        if self._c.session.move_cursor(k):
            self._c.views.cursor_moved()

    def rows_arrived(self, first: int) -> None:
        """The current run has grown from `first` merges; a cursor at its end follows."""
        session = self._c.session
        self._c.merges_appended.emit(first, session.n_merges)
        if session.following and session.move_cursor(session.n_merges):
            self._c.views.cursor_moved(at_leisure=self._c.training_now.is_training)
        self._c.preview.rows_arrived()

    def go_to_tie(self, direction: int) -> None:
        """Put the cursor before the next merge (or the one before) that a tie decided."""
        run, k = self._c.session.current, self._c.session.cursor
        if run is None:
            return
        ties = np.flatnonzero(run.log.n_tied > 1)
        found = ties[ties > k] if direction > 0 else ties[ties < k][::-1]
        if len(found):
            self.go_to(int(found[0]))
        else:
            self._c.message.emit(
                self._c.tr("No tie further on") if direction > 0 else self._c.tr("No tie before this")
            )

    def go_to_text(self, text: str) -> str:
        """Go where the box says: a number of merges, `0x…` bytes or a token's text; returns what is wrong."""
        run = self._c.session.current
        text = text.strip(" ")
        if run is None or not text:
            return self._c.blocked_reason if run is None else ""
        digits = text.replace(",", "").replace(" ", "")
        if digits.isdecimal():
            return self._go_to_number(int(digits), run.n_merges)
        data = bytes_meant(text)
        if data is None:
            return self._c.tr("After 0x come pairs of hexadecimal digits")
        ranks = (
            rank for rank, token in enumerate(run.log.token.tolist()) if run.log.token_bytes(token) == data
        )
        rank = next(ranks, None)
        if rank is None:
            return self._c.tr("No merge makes this token")
        self.go_to(rank + 1)
        return ""

    def _go_to_number(self, k: int, n: int) -> str:
        self.go_to(k)
        return "" if k <= n else self._c.tr("Only {0} merges have been made").format(f"{n:,}")

    def play(self) -> None:
        """Repeat → at the chosen speed."""
        run = self._c.session.current
        if run is None or (self._c.session.cursor == run.n_merges and not run.can_grow):
            self._c.message.emit(self._c.blocked_reason)
            return
        self._timer.start(max(SHORTEST_TICK, round(1000 / self.speed)))
        self._c.play_changed.emit(True)

    def halt(self) -> None:
        """Stop playing."""
        if self._timer.isActive():
            self._timer.stop()
            self._c.play_changed.emit(False)
            self._c.views.refresh()

    def set_speed(self, speed: float) -> None:
        """Set the merges a second of play."""
        self.speed = speed
        if self._timer.isActive():
            self._timer.setInterval(max(SHORTEST_TICK, round(1000 / speed)))

    def _tick(self) -> None:
        session = self._c.session
        n = max(1, round(self.speed * SHORTEST_TICK / 1000))
        if session.current is None:
            self.halt()
        elif session.cursor < session.n_merges:
            self.go_to(session.cursor + n)
        elif not session.current.can_grow:
            self.halt()
        elif self._c.training_now.mode == "idle":
            self._c.training_now.step(n)


def bytes_meant(text: str) -> bytes | None:
    """Return the bytes that the go-to box means: ``0x…`` is hexadecimal, quotes go, the rest is text.

    Examples
    --------
    >>> bytes_meant("0x61 62"), bytes_meant('"12"'), bytes_meant("the"), bytes_meant("0x6")
    (b'ab', b'12', b'the', None)
    """
    if text[:2].lower() == "0x":
        try:
            return bytes.fromhex(text[2:])
        except ValueError:
            return None
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text.replace("·", " ").encode("utf-8", "surrogatepass")
