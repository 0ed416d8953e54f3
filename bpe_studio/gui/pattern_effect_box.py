"""What the split pattern does to a piece of the corpus: the cuts, a legend of alternatives, notes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from bpe_studio.analysis.pattern_effect import PatternEffect, pattern_effect
from bpe_studio.engine.patterns import SplitPattern
from bpe_studio.gui.cuts_view import CutsView
from bpe_studio.gui.flow_view import MARGIN
from bpe_studio.gui.theme import mono_font
from bpe_studio.gui.token_painter import plain_tooltip

PIECE_CHARACTERS = 400
LEGEND_CHARACTERS = 34
ROWS_SHOWN = 4
EXAMPLE = "The tokenizer's 1st text: it isn't long, it costs 12,345 ¥.\n\n  Naïve? 你好!"


class PatternEffectBox(QWidget):
    """Cuts the beginning of the corpus, or an example while there is none, whenever the pattern changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pattern_effect")
        self._pattern: SplitPattern | None = None
        self._text = EXAMPLE
        self.title, self.notes = self._label(), self._label()
        self.legend = self._label()
        self.legend.setFont(mono_font(max(self.font().pointSizeF() * 0.8, 5.0)))
        self.view = CutsView(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        for widget in (self.title, self.view, self.notes, self.legend):
            layout.addWidget(widget)
        # Several changes at once (a sample with its settings) are one refresh.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.refresh)
        self.set_corpus(None)

    def _label(self) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        return label

    def set_corpus(self, corpus: Any) -> None:
        """Cut the beginning of this corpus."""
        document = (
            next((one for one in corpus.documents if one.n_bytes), None) if corpus is not None else None
        )
        # At most four bytes a character; half a character at the end is dropped.
        data = document.utf8[: 4 * PIECE_CHARACTERS] if document is not None else b""
        self._text = data.decode("utf-8", "ignore")[:PIECE_CHARACTERS] or EXAMPLE
        words = (
            self.tr("Cuts of the split pattern") if document is not None else self.tr("Cuts, on an example")
        )
        self.title.setText(words)
        self._soon.start()

    def set_pattern(self, pattern: SplitPattern | None) -> None:
        """Show another pattern; None, while it does not compile, keeps the last cuts, dimmed."""
        self.view.setEnabled(pattern is not None)
        if pattern is not None:
            self._pattern = pattern
            self._soon.start()

    def _fit(self) -> None:
        """Make room for the rows there are, up to a few."""
        rows = min(max(self.view.n_rows, 1), ROWS_SHOWN)
        self.view.setFixedHeight(rows * self.view.row_height + 2 * MARGIN)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def refresh(self) -> None:
        """Cut now."""
        if self._pattern is None:
            return
        effect = pattern_effect(self._pattern, self._text)
        self.view.set_effect(effect)
        self._fit()
        self.notes.setText(" ".join(effect_notes(effect)))
        self.notes.setVisible(bool(self.notes.text()))
        self.legend.setText("\n".join(legend_lines(effect)))
        self.legend.setToolTip(
            plain_tooltip("\n".join(f"{n + 1}  {a}" for n, a in enumerate(effect.alternatives)))
        )
        self.legend.setVisible(bool(self.legend.text()))


def effect_notes(effect: PatternEffect) -> list[str]:
    """Return what is to be said of a pattern's effect."""
    notes = [effect.problem] if effect.problem else []
    if effect.n_uncovered:
        noun = "piece is" if effect.n_uncovered == 1 else "pieces are"
        notes.append(f"{effect.n_uncovered:,} {noun} matched by nothing (hatched) and kept whole.")
    return [*notes, *effect.notes]


def legend_lines(effect: PatternEffect) -> list[str]:
    """Return the alternatives that matched here, each with its number."""
    if len(effect.alternatives) < 2:
        return []
    used = sorted({cut.alternative for cut in effect.cuts if cut.alternative is not None})
    return [f"{number + 1}  {_short(effect.alternatives[number])}" for number in used]


def _short(text: str) -> str:
    return text if len(text) <= LEGEND_CHARACTERS else text[: LEGEND_CHARACTERS - 1] + "…"
