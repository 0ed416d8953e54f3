"""Export: choose a format, see what the file will be and what it does not keep, write it, see it checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.formats.reports import SaveReport
from bpe_studio.formats.table import FORMATS, format_named
from bpe_studio.gui.intentions.files import ExportPreview
from bpe_studio.gui.theme import mono_font
from bpe_studio.gui.wording import saved_text, size_text


class ExportDialog(QDialog):
    """Asks the controller for a preview of each format and has it write the chosen one."""

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._written: Path | None = None
        self.setObjectName("export-dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Export the tokenizer"))
        self.formats = QComboBox(self)
        self.formats.setAccessibleName(self.tr("Format"))
        for record in FORMATS:
            if record.is_written:
                self.formats.addItem(record.label, record.name)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.text.setAccessibleName(self.tr("Beginning of the file"))
        self.note = self._label("export-note")
        self.outcome = self._label("export-result")
        self._lay_out()
        self.formats.currentIndexChanged.connect(self._ask)
        controller.export_previewed.connect(self._on_previewed)
        controller.saved.connect(self._on_saved)
        self._ask()

    def _label(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setObjectName(name)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _lay_out(self) -> None:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.write = buttons.addButton(self.tr("Write the file…"), QDialogButtonBox.ButtonRole.ActionRole)
        self.write.setDefault(True)
        self.write.clicked.connect(self._ask_path)
        self.copy = buttons.addButton(self.tr("Copy as command"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setToolTip(self.tr("The line for a terminal that writes the same file"))
        self.copy.clicked.connect(self._copy_command)
        buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.addRow(self.tr("Format"), self.formats)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.note)
        layout.addWidget(self.outcome)
        layout.addWidget(buttons)
        self.resize(620, 460)

    @property
    def format(self) -> str:
        """Name of the chosen format."""
        return str(self.formats.currentData())

    @Slot()
    def _ask(self) -> None:
        for button in (self.write, self.copy):
            button.setEnabled(False)
        self.outcome.clear()
        self._written = None
        self._controller.files.preview(self.format)

    @Slot(object)
    def _on_previewed(self, preview: ExportPreview) -> None:
        if preview.format != self.format:
            return
        self.text.setPlainText(preview.text)
        for button in (self.write, self.copy):
            button.setEnabled(not preview.refusals)
        if preview.refusals:
            lines = [self.tr("This format cannot hold the tokenizer:"), *preview.refusals]
        else:
            lines = [f"{size_text(preview.n_bytes)}."]
            lines += [f"– {sentence}" for sentence in preview.lost] or [self.tr("Nothing is lost.")]
            if preview.beside:
                lines.append(self.tr("Written beside it: {0}").format(", ".join(preview.beside)))
        self.note.setText("\n".join(lines))

    @Slot()
    def _ask_path(self) -> None:
        record = format_named(self.format)
        dialog = QFileDialog(self, self.tr("Write the file"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(record.suffixes[0].lstrip("."))
        dialog.selectFile(record.usual_name)
        dialog.fileSelected.connect(self.write_to)
        dialog.open()

    @Slot()
    def _copy_command(self) -> None:
        path = self._written or Path(format_named(self.format).usual_name)
        line = self._controller.files.command(self.format, path)
        if line is None:
            text = self.tr("There is no such command: the text, or the tokenizer, does not lie in files.")
        else:
            QGuiApplication.clipboard().setText(line)
            text = self.tr("Copied: {0}").format(line)
        self.outcome.setText(text)

    @Slot(str)
    def write_to(self, path: str) -> None:
        """Write the tokenizer to a file in the chosen format."""
        self._written = Path(path)
        self.outcome.setText(self.tr("Writing and reading back…"))
        self._controller.export(Path(path), self.format)

    @Slot(object)
    def _on_saved(self, report: SaveReport) -> None:
        self.outcome.setText(saved_text(report))
