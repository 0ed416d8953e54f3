"""The settings of the next training as a form. A wrong value is said beside it and told to nobody."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import PatternError
from bpe_studio.engine.named_patterns import BY_NAME
from bpe_studio.engine.patterns import SplitPattern, resolve_expression, resolve_pattern
from bpe_studio.gui.settings_editors import make_editor, set_value, value_of
from bpe_studio.gui.settings_fields import CONTEXT, CUSTOM, FIELDS, Field
from bpe_studio.gui.theme import colors, mono_font
from bpe_studio.gui.token_painter import plain_tooltip

AROUND = 12
LARGEST_SEED = 2**64 - 1


class SettingsForm(QWidget):
    """Edits a `TrainingConfig`.

    Signals
    -------
    changed(object)
        A dict of keywords: the settings as they stand, all of them right as far as the form can tell.
    pattern_changed(object)
        The `SplitPattern` in the form, or None while the expression does not compile.
    """

    changed = Signal(object)
    pattern_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settings")
        self.editors: dict[str, Any] = {}
        self._labels: dict[str, QLabel] = {}
        self.problem = ""
        self.pattern: SplitPattern | None = None
        # An error of the expression stands right under it, any other below the form.
        self.pattern_problem, self.other_problem = self._make_problem_label(), self._make_problem_label()
        self._lay_out()
        self.set_config(TrainingConfig())

    def _words(self, text: str) -> str:
        return QCoreApplication.translate(CONTEXT, text)

    # -- building ----------------------------------------------------------------------------------

    def _make_problem_label(self) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setAccessibleName(self.tr("What is wrong with the settings"))
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.hide()
        return label

    def _lay_out(self) -> None:
        usual, more = QFormLayout(), QFormLayout()
        self._more = QWidget(self)
        self._more.setLayout(more)
        self.toggle = QToolButton(self)
        self.toggle.setText(self.tr("More settings"))
        self.toggle.setCheckable(True)
        self.toggle.setAutoRaise(True)
        self.toggle.setArrowType(Qt.ArrowType.RightArrow)
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.toggle.toggled.connect(self._on_more_toggled)
        for form in (usual, more):
            form.setContentsMargins(0, 0, 0, 0)
            form.setVerticalSpacing(5)
            form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in FIELDS:
            self._add(field, usual if field.is_usual else more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(usual)
        layout.addWidget(self.other_problem)
        layout.addWidget(self.toggle)
        layout.addWidget(self._more)
        self._more.hide()

    def _add(self, field: Field, form: QFormLayout) -> None:
        editor = make_editor(field, self, self._on_edited)
        title = self._words(field.title)
        editor.setObjectName(f"setting_{field.name}")
        # The column is as wide as the panel, never wider than it.
        editor.setMinimumWidth(60)
        editor.setSizePolicy(QSizePolicy.Policy.Ignored, editor.sizePolicy().verticalPolicy())
        editor.setAccessibleName(title)
        editor.setToolTip(plain_tooltip(self._words(field.tip)))
        label = QLabel("" if field.name == "byte_fallback" else title, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setBuddy(editor)
        if field.kind == "lines":  # as wide as the panel
            form.addRow(label)
            form.addRow(editor)
        else:
            form.addRow(label, editor)
        self.editors[field.name], self._labels[field.name] = editor, label
        if field.name == "expression":
            form.addRow(self.pattern_problem)

    def _on_more_toggled(self, is_open: bool) -> None:
        self._more.setVisible(is_open)
        self.toggle.setArrowType(Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow)

    # -- values ------------------------------------------------------------------------------------

    def set_config(self, config: TrainingConfig) -> None:
        """Show other settings without telling `changed`; a form that says them already stays as it is."""
        if not self.problem and self.editors_say(config):
            return
        blockers = [QSignalBlocker(editor) for editor in self.editors.values()]
        for name, value in form_values(config).items():
            set_value(self.editors[name], value)
        for blocker in blockers:
            blocker.unblock()
        self._refresh()

    def editors_say(self, config: TrainingConfig) -> bool:
        """Return whether the form stands for these settings."""
        return self.keywords() == {name: getattr(config, name) for name in self.keywords()}

    def value(self, name: str) -> Any:
        """Return what an editor holds."""
        return value_of(self.editors[name])

    def keywords(self) -> dict[str, Any]:
        """Return the settings in the form as keywords of `TrainingConfig`."""
        values = {field.name: self.value(field.name) for field in FIELDS}
        expression, seed = values.pop("expression"), values.pop("seed")
        is_characters = values["alphabet"] == "characters"
        if values["pattern"] == CUSTOM:
            # An expression that reads like a name is still an expression.
            values["pattern"] = f"(?:{expression})" if expression in BY_NAME else expression
        if values["tie_rule"] == "random":
            values["tie_rule"] = f"random:{int(seed or 0)}"
        values["max_token_length"] = values["max_token_length"] or None
        values["special_tokens"] = tuple(filter(None, values["special_tokens"].split("\n")))
        values["byte_order"] = "identity" if is_characters else values["byte_order"]
        values["character_coverage"] = values["character_coverage"] if is_characters else 1.0
        values["byte_fallback"] = values["byte_fallback"] and is_characters
        return values

    # -- reacting ----------------------------------------------------------------------------------

    def _on_edited(self) -> None:
        self._refresh()
        if not self.problem:
            self.changed.emit(self.keywords())

    def _refresh(self) -> None:
        for field in FIELDS:
            if field.shown_for is not None:
                name, value = field.shown_for
                is_shown = self.value(name) == value
                self.editors[field.name].setVisible(is_shown)
                self._labels[field.name].setVisible(is_shown)
        self.set_problem(self._check())
        self.pattern_changed.emit(self.pattern)

    def _check(self) -> str:
        """Return what is wrong that the form can tell; sets the pattern."""
        self.pattern = None
        try:
            is_custom = self.value("pattern") == CUSTOM
            expression = self.value("expression")
            self.pattern = (
                resolve_expression(expression) if is_custom else resolve_pattern(self.value("pattern"))
            )
        except PatternError as error:
            return error_at_column(expression, error)
        if self.value("tie_rule") == "random" and int(self.value("seed") or 0) > LARGEST_SEED:
            return self.tr("The seed must be at most 2^64 − 1.")
        return ""

    def set_problem(self, text: str) -> None:
        """Say what is wrong beside the fields; the controller's objections come here too."""
        self.problem = text
        for label in (self.pattern_problem, self.other_problem):
            shown = text if (self.pattern is None) == (label is self.pattern_problem) else ""
            label.setText(shown)
            label.setVisible(bool(shown))
            label.setToolTip(plain_tooltip(shown))
            # A caret stands under its column in a monospaced font only, and only without wrapping.
            has_caret = "\n" in shown
            label.setFont(mono_font(self.font().pointSizeF() * 0.9) if has_caret else self.font())
            label.setWordWrap(not has_caret)
        self._colour_problems()

    def _colour_problems(self) -> None:
        for label in (self.pattern_problem, self.other_problem):
            palette = label.palette()
            if palette.color(QPalette.ColorRole.WindowText) != colors(self).bad:
                palette.setColor(QPalette.ColorRole.WindowText, colors(self).bad)
                label.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.editors:
            self._colour_problems()


def error_at_column(expression: str, error: PatternError) -> str:
    """Return an error in three short lines: what, the expression near the place, a caret under it.

    Examples
    --------
    >>> print(error_at_column("a**", PatternError("multiple repeat", position=2)))
    Column 3: multiple repeat
    a**
      ^
    """
    what = str(error).split("\n", 1)[0]
    if error.position is None:
        return what
    what = what.removeprefix("The split pattern does not compile: ").split(" at column ", 1)[0].rstrip(".")
    at = error.position
    start = max(at - AROUND, 0)
    near = expression[start : at + AROUND].replace("\n", "↵").replace("\t", "→")
    before = "…" if start else ""
    return f"Column {at + 1}: {what}\n{before}{near}\n{' ' * (len(before) + at - start)}^"


def form_values(config: TrainingConfig) -> dict[str, Any]:
    """Return what each editor holds for these settings."""
    values = {field.name: getattr(config, field.name) for field in FIELDS if hasattr(config, field.name)}
    pattern = resolve_pattern(config.pattern)
    values["pattern"], values["expression"] = pattern.name, pattern.expression or ""
    rule, _, seed = config.tie_rule.partition(":")
    values["tie_rule"], values["seed"] = rule, seed or "0"
    values["max_token_length"] = config.max_token_length or 0
    values["special_tokens"] = "\n".join(config.special_tokens)
    return values
