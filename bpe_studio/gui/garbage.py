"""Reference cycles are collected in the GUI thread only.

Python's own collector runs in whatever thread happens to allocate. If that is a worker, it may destroy
widgets and timers of the GUI thread from there, which ends the process. So it is switched off while a
window is open, and a timer of the GUI thread does its work.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

MILLISECONDS_BETWEEN_LOOKS = 1000


class GarbageCollector(QObject):
    """Collects as often as Python would, by its own thresholds, but here."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_enabled = gc.isenabled()
        # What exists at the start (modules, compiled code) will stay: looking at it again and again would
        # make each full collection a pause that can be felt.
        gc.collect()
        gc.freeze()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect_if_due)
        self._timer.start(MILLISECONDS_BETWEEN_LOOKS)

    def collect_if_due(self) -> None:
        """Collect the oldest generation whose threshold is passed."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > gc.get_threshold()[generation] > 0:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Leave the work to Python again."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_enabled:
            gc.enable()
