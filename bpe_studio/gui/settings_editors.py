"""One editor for each kind of setting, and what it holds as a plain value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QRegularExpression, Qt
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from bpe_studio.gui.settings_fields import CONTEXT, MAX_NUMBER, SWITCH_WORDS, TIE_TIPS, Field
from bpe_studio.gui.theme import mono_font
from bpe_studio.gui.token_painter import plain_tooltip


def make_editor(field: Field, parent: QWidget, on_edited: Callable[[], None]) -> Any:
    """Return the widget that edits a setting; `on_edited` is called at every change by the user."""
    editor, changed = _MAKERS[field.kind](field, parent)
    changed.connect(on_edited)
    return editor


def _words(text: str) -> str:
    return QCoreApplication.translate(CONTEXT, text)


def _choice(field: Field, parent: QWidget) -> tuple[QComboBox, Any]:
    box = _Choice(parent)
    for value, words in field.choices:
        box.addItem(_words(words), value)
        if field.name == "tie_rule":
            takes, matches = TIE_TIPS[value]
            tip = takes if not matches else f"{takes} ({matches})"
            box.setItemData(box.count() - 1, plain_tooltip(tip), Qt.ItemDataRole.ToolTipRole)
    return box, box.currentIndexChanged


def _number(field: Field, parent: QWidget) -> tuple[QSpinBox, Any]:
    box = _Number(parent)
    box.setRange(field.least, MAX_NUMBER)
    box.setGroupSeparatorShown(True)
    box.setKeyboardTracking(False)
    box.setSpecialValueText(_words(field.none_words) if field.none_words else "")
    return box, box.valueChanged


def _share(field: Field, parent: QWidget) -> tuple[QDoubleSpinBox, Any]:
    box = _Share(parent)
    box.setDecimals(6)
    box.setRange(0.000001, 1.0)
    box.setSingleStep(0.0005)
    box.setKeyboardTracking(False)
    return box, box.valueChanged


def _switch(field: Field, parent: QWidget) -> tuple[QCheckBox, Any]:
    box = QCheckBox(_words(SWITCH_WORDS[field.name]), parent)
    return box, box.toggled


def _line(field: Field, parent: QWidget) -> tuple[QLineEdit, Any]:
    line = QLineEdit(parent)
    line.setFont(mono_font())
    line.setAcceptDrops(False)
    if field.name == "seed":
        line.setValidator(QRegularExpressionValidator(QRegularExpression("[0-9]{0,20}"), line))
    return line, line.textChanged


def _lines(field: Field, parent: QWidget) -> tuple[QPlainTextEdit, Any]:
    edit = QPlainTextEdit(parent)
    edit.setFont(mono_font())
    edit.setTabChangesFocus(True)
    edit.setAcceptDrops(False)  # what is dropped on CORPUS is a document
    edit.setPlaceholderText("<|endoftext|>")
    edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    edit.setFixedHeight(edit.fontMetrics().lineSpacing() * 2 + 14)
    return edit, edit.textChanged


def set_value(editor: Any, value: Any) -> None:
    """Put a value into an editor."""
    if isinstance(editor, QComboBox):
        editor.setCurrentIndex(editor.findData(value))
    elif isinstance(editor, QSpinBox | QDoubleSpinBox):
        editor.setValue(value)
    elif isinstance(editor, QCheckBox):
        editor.setChecked(value)
    elif isinstance(editor, QLineEdit):
        editor.setText(value)
    else:
        editor.setPlainText(value)


def value_of(editor: Any) -> Any:
    """Return what an editor holds."""
    if isinstance(editor, QComboBox):
        return editor.currentData()
    if isinstance(editor, QSpinBox | QDoubleSpinBox):
        return editor.value()
    if isinstance(editor, QCheckBox):
        return editor.isChecked()
    if isinstance(editor, QLineEdit):
        return editor.text()
    return editor.document().toRawText().replace("\u2029", "\n")


class _NoWheel:
    """A field that the wheel scrolls past instead of changing it by accident."""

    def wheelEvent(self, event: Any) -> None:
        event.ignore()


class _Choice(_NoWheel, QComboBox):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)


class _Numeric(_NoWheel):
    """A number as tall as the other fields: Fusion leaves so little room that a descender is cut off."""

    MARGIN = 4

    def minimumSizeHint(self: Any) -> Any:
        hint = super().minimumSizeHint()  # type: ignore[misc]
        hint.setHeight(max(hint.height(), self.fontMetrics().height() + 2 * self.MARGIN))
        hint.setWidth(min(hint.width(), 90))  # the largest number is never what is shown
        return hint


class _Number(_Numeric, QSpinBox):
    pass


class _Share(_Numeric, QDoubleSpinBox):
    pass


_MAKERS: dict[str, Callable[[Field, QWidget], tuple[Any, Any]]] = {
    "choice": _choice,
    "number": _number,
    "share": _share,
    "switch": _switch,
    "line": _line,
    "lines": _lines,
}
