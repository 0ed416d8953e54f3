"""The dialogs of the window in one place: what they ask for goes to the controller as a verb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from bpe_studio import __version__
from bpe_studio.formats.reports import SaveReport
from bpe_studio.formats.table import FORMATS
from bpe_studio.gui.dialogs.boxes import ask_about_bad_bytes, offer_another_place, show_error
from bpe_studio.gui.dialogs.export import ExportDialog
from bpe_studio.gui.dialogs.keys import KeysDialog
from bpe_studio.gui.intentions.documents import BadBytes
from bpe_studio.gui.wording import saved_text

LARGEST_VOCABULARY = 2**31 - 1


class FileDialogs(QObject):
    """Opens the dialogs. None of them blocks the event loop."""

    save_given_up = Signal()

    def __init__(self, controller: Any, window: QWidget) -> None:
        super().__init__(window)
        self._controller = controller
        self._window = window
        controller.failed.connect(self.show_error)
        controller.bad_bytes_met.connect(self._on_bad_bytes)
        controller.saved.connect(self._on_saved)
        controller.save_failed.connect(self._on_save_failed)

    def _dialog(self, title: str, mode: QFileDialog.FileMode) -> QFileDialog:
        dialog = QFileDialog(self._window, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        return dialog

    def ask_open(self) -> None:
        """Ask for tokenizers or texts to open; the content decides which."""
        dialog = self._dialog(self.tr("Open"), QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._on_open)
        dialog.open()

    def ask_documents(self) -> None:
        """Ask for files to add to the corpus."""
        dialog = self._dialog(self.tr("Add documents"), QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._on_documents)
        dialog.open()

    def ask_folder(self) -> None:
        """Ask for a folder whose files are added to the corpus."""
        dialog = self._dialog(self.tr("Add a folder of documents"), QFileDialog.FileMode.Directory)
        dialog.filesSelected.connect(self._on_documents)
        dialog.open()

    def paste_document(self) -> None:
        """Add the clipboard's text as a document."""
        text = QGuiApplication.clipboard().text()
        if text:
            self._controller.add_text(self.tr("pasted text"), text)
        else:
            self._controller.message.emit(self.tr("There is no text on the clipboard"))

    def ask_save(self) -> None:
        """Save the current run where it was saved last; ask if it was not."""
        run = self._controller.session.current
        if run is None:
            self._controller.message.emit(self._controller.blocked_reason)
        elif run.path is not None and run.has_words:
            self._controller.save(run.path)
        else:
            self.ask_save_elsewhere()

    def ask_save_elsewhere(self) -> None:
        """Ask where to save the current run."""
        dialog = self._dialog(self.tr("Save the tokenizer"), QFileDialog.FileMode.AnyFile)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.setNameFilter(f"{FORMATS[0].label} (*.json)")
        dialog.selectFile("tokenizer.json")
        dialog.fileSelected.connect(self._on_save)
        dialog.rejected.connect(self.save_given_up)
        dialog.open()

    def ask_export(self) -> None:
        """Open the export dialog."""
        if self._controller.session.current is None:
            self._controller.message.emit(self._controller.blocked_reason)
        else:
            ExportDialog(self._controller, self._window).open()

    def ask_extend(self) -> None:
        """Ask for a larger vocabulary for the current run."""
        run = self._controller.session.current
        if run is None or not run.has_words:
            self._controller.message.emit(self._controller.blocked_reason)
            return
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setWindowTitle(self.tr("Extend the vocabulary"))
        dialog.setLabelText(self.tr("Vocabulary size; training goes on from the last merge:"))
        dialog.setIntRange(run.config.vocab_size + 1, LARGEST_VOCABULARY)
        dialog.setIntValue(min(2 * run.config.vocab_size, LARGEST_VOCABULARY))
        dialog.intValueSelected.connect(self._controller.extend)
        dialog.open()

    def show_keys(self) -> None:
        """Show every key."""
        KeysDialog(self._window).open()

    def show_about(self) -> None:
        """Say what this is."""
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("About BPE Studio"))
        box.setText(f"BPE Studio {__version__}")
        box.setInformativeText(self.tr("Trains byte-pair-encoding tokenizers in front of your eyes."))
        box.open()

    @Slot(str, str)
    def show_error(self, title: str, text: str) -> None:
        """Say what went wrong."""
        show_error(self._window, title, text)

    @Slot(list)
    def _on_open(self, paths: list[str]) -> None:
        for path in paths:
            self._controller.open_path(Path(path))

    @Slot(list)
    def _on_documents(self, paths: list[str]) -> None:
        self._controller.add_paths([Path(path) for path in paths])

    @Slot(str)
    def _on_save(self, path: str) -> None:
        self._controller.save(Path(path))

    @Slot(object)
    def _on_bad_bytes(self, bad: BadBytes) -> None:
        def answered(choice: str) -> None:
            if choice in ("replace", "skip"):
                self._controller.read_again(bad, choice)

        ask_about_bad_bytes(self._window, bad.text, answered)

    @Slot(object)
    def _on_saved(self, report: SaveReport) -> None:
        self._controller.message.emit(saved_text(report))

    @Slot(object, str)
    def _on_save_failed(self, path: Path, text: str) -> None:
        def answered(choice: str) -> None:
            if choice == "elsewhere":
                self.ask_save_elsewhere()
            else:
                self.save_given_up.emit()

        offer_another_place(self._window, text, answered)
