"""Small dialogs: errors, bytes that are no text, unsaved merges. Texts are plain, never read as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

Buttons = dict[str, QMessageBox.ButtonRole]
LONGEST_UNBROKEN = 48


def _tr(text: str) -> str:
    return QCoreApplication.translate("boxes", text)


def ask(
    parent: QWidget, title: str, text: str, choices: dict[str, tuple[str, QMessageBox.ButtonRole]],
    answered: Callable[[str], None] | None = None, *, is_problem: bool = True,
) -> QMessageBox:  # fmt: skip
    """Show a box over `parent` without blocking the event loop.

    Parameters
    ----------
    parent : QWidget
        The window.
    title, text : str
        Plain text; the title is the bold line.
    choices : dict
        Name → text and role of each button; the first one is the default.
    answered : callable or None
        Called with the name of the chosen button.
    is_problem : bool
        Show the warning sign.
    """
    box = QMessageBox(parent)
    box.setObjectName("box")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(_tr("BPE Studio"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(breakable(title))
    box.setInformativeText(breakable(text))
    box.setIcon(QMessageBox.Icon.Warning if is_problem else QMessageBox.Icon.Question)
    for name, (label, role) in choices.items():
        button = box.addButton(label, role)
        button.setObjectName(f"choice-{name}")
        if box.defaultButton() is None:
            box.setDefaultButton(button)
        if role == QMessageBox.ButtonRole.RejectRole:
            box.setEscapeButton(button)

    def on_clicked(button: QAbstractButton) -> None:
        if answered is not None:
            answered(button.objectName().removeprefix("choice-"))

    box.buttonClicked.connect(on_clicked)
    box.open()
    return box


def breakable(text: str) -> str:
    """Return a text that may be wrapped inside very long names too: a label would cut them off.

    Examples
    --------
    >>> breakable("short name"), [len(part) for part in breakable("x" * 100).split(chr(0x200B))]
    ('short name', [48, 48, 4])
    """
    return re.sub(rf"\S{{{LONGEST_UNBROKEN}}}(?=\S)", "\\g<0>\u200b", text)


def show_error(parent: QWidget, title: str, text: str) -> QMessageBox:
    """Say what went wrong; what was there before stays."""
    return ask(parent, title, text, {"close": (_tr("Close"), QMessageBox.ButtonRole.RejectRole)})


def ask_about_bad_bytes(parent: QWidget, text: str, answered: Callable[[str], None]) -> QMessageBox:
    """Ask how to read on: "replace", "skip" or "stop"."""
    choices = {
        "replace": (_tr("Replace them by U+FFFD"), QMessageBox.ButtonRole.AcceptRole),
        "skip": (_tr("Skip the document"), QMessageBox.ButtonRole.AcceptRole),
        "stop": (_tr("Stop"), QMessageBox.ButtonRole.RejectRole),
    }
    return ask(parent, _tr("These bytes are not text"), text, choices, answered)


def ask_about_unsaved(parent: QWidget, names: list[str], answered: Callable[[str], None]) -> QMessageBox:
    """Ask what becomes of unsaved merges: "save", "discard" or "cancel"."""
    choices = {
        "save": (_tr("Save…"), QMessageBox.ButtonRole.AcceptRole),
        "discard": (_tr("Discard"), QMessageBox.ButtonRole.DestructiveRole),
        "cancel": (_tr("Cancel"), QMessageBox.ButtonRole.RejectRole),
    }
    text = _tr("Merges of these runs are not saved: {0}").format(", ".join(names))
    return ask(parent, _tr("Save the merges before closing?"), text, choices, answered, is_problem=False)


def offer_another_place(parent: QWidget, text: str, answered: Callable[[str], None]) -> QMessageBox:
    """Say why a file was not written, and offer to save it elsewhere."""
    choices = {
        "elsewhere": (_tr("Save elsewhere…"), QMessageBox.ButtonRole.AcceptRole),
        "cancel": (_tr("Cancel"), QMessageBox.ButtonRole.RejectRole),
    }
    return ask(parent, _tr("The file was not written"), text, choices, answered)
