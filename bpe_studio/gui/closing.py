"""Closing the window: unsaved merges are asked about, and saving them ends before the window does."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.dialogs.boxes import ask_about_unsaved
from bpe_studio.gui.dialogs.files import FileDialogs


class Closing(QObject):
    """Knows whether the window may close; `allowed` tells when it may after all."""

    allowed = Signal()

    def __init__(self, controller: Any, files: FileDialogs, window: QWidget) -> None:
        super().__init__(window)
        self._controller = controller
        self._files = files
        self._window = window
        self._is_saving = False
        self._is_allowed = False
        controller.saved.connect(self._on_saved)
        files.save_given_up.connect(self._on_given_up)

    def may_close(self) -> bool:
        """Return True if nothing would be lost; else ask, and return False for now."""
        names = [run.name for run in self._controller.session.runs if not run.saved]
        if not names or self._is_allowed:
            return True
        ask_about_unsaved(self._window, names, self._on_answer)
        return False

    def allow(self) -> None:
        """Close without asking."""
        self._is_allowed = True
        self.allowed.emit()

    def _on_answer(self, answer: str) -> None:
        self._is_saving = answer == "save"
        if answer == "discard":
            self.allow()
        elif self._is_saving:
            self._save_next()

    def _save_next(self) -> None:
        runs = self._controller.session.runs
        unsaved = next((place for place, run in enumerate(runs) if not run.saved), None)
        if unsaved is None:
            self.allow()
            return
        if runs[unsaved] is not self._controller.session.current:
            self._controller.select_run(unsaved)
        self._files.ask_save()

    @Slot()
    def _on_saved(self) -> None:
        if self._is_saving:
            self._save_next()

    @Slot()
    def _on_given_up(self) -> None:
        self._is_saving = False
