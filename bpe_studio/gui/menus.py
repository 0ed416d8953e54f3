"""The parts of the menus that no table holds: recent files, samples, panels to show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu

from bpe_studio.assets import sample_list
from bpe_studio.formats.found import found_tokenizers
from bpe_studio.gui.actions import fill_menus
from bpe_studio.gui.preferences import Preferences


class Menus(QObject):
    """Builds the menu bar and fills what changes when it is opened."""

    def __init__(self, window: QMainWindow, actions: dict[str, QAction], docks: dict[str, QDockWidget],
                 controller: Any, preferences: Preferences) -> None:  # fmt: skip
        super().__init__(window)
        self._controller = controller
        self._preferences = preferences
        menus = fill_menus(window, actions)
        self.recent = QMenu(self.tr("Open &recent"), menus["file"])
        menus["file"].insertMenu(actions["save"], self.recent)
        self.recent.aboutToShow.connect(self.fill_recent)
        self.recent.triggered.connect(self._on_recent)
        self.found = QMenu(self.tr("Open from &other programs"), menus["file"])
        menus["file"].insertMenu(actions["save"], self.found)
        self.found.aboutToShow.connect(self.fill_found)
        self.found.triggered.connect(self._on_recent)
        self.samples = QMenu(self.tr("Open a &sample"), menus["corpus"])
        menus["corpus"].insertMenu(actions["clear-corpus"], self.samples)
        self._fill_samples()
        self.samples.triggered.connect(self._on_sample)
        first = menus["view"].actions()[0]
        for dock in docks.values():
            menus["view"].insertAction(first, dock.toggleViewAction())
        menus["view"].insertSeparator(first)

    def _fill_samples(self) -> None:
        for one in sample_list():
            action = self.samples.addAction(one.title.replace("&", "&&"))
            action.setData(one.key)
            action.setStatusTip(one.shows)

    @Slot()
    def fill_recent(self) -> None:
        """Show the recent files; those that are gone are greyed."""
        self.recent.clear()
        for text in self._preferences["recent_files"]:
            action = self.recent.addAction(text.replace("&", "&&"))
            action.setData(text)
            action.setEnabled(Path(text).exists())
        if self.recent.isEmpty():
            self.recent.addAction(self.tr("Nothing yet")).setEnabled(False)

    @Slot()
    def fill_found(self) -> None:
        """Show the tokenizers in the caches of tiktoken and Hugging Face."""
        self.found.clear()
        for one in found_tokenizers():
            action = self.found.addAction(f"{one.name} ({one.format})".replace("&", "&&"))
            action.setData(str(one.path))
            action.setStatusTip(str(one.path))
        if self.found.isEmpty():
            none = self.found.addAction(self.tr("Nothing found where tiktoken and Hugging Face keep theirs"))
            none.setEnabled(False)

    @Slot(QAction)
    def _on_recent(self, action: QAction) -> None:
        self._controller.open_path(Path(action.data()))

    @Slot(QAction)
    def _on_sample(self, action: QAction) -> None:
        self._controller.open_sample(action.data())
