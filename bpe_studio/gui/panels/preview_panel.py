"""PREVIEW: any text as coloured tokens, under the training at the cursor or under an opened tokenizer.

The editor shows the text as a reader sees it, the rail below each token alone. Encoding happens in the
controller's job; this panel only shows what comes back.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.unicode_view import LabelMode
from bpe_studio.gui.copy_forms import COPY_FORMS
from bpe_studio.gui.corpus_piece import piece_of
from bpe_studio.gui.elided_label import ElidedLabel
from bpe_studio.gui.exact_text import for_qt
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.preview_editor import PreviewEditor
from bpe_studio.gui.preview_marks import (
    focus_of_byte,
    focus_of_token,
    heard_focus,
    loading_source,
    shown_text,
    source_names,
    told_focus,
)
from bpe_studio.gui.preview_words import counts_text, notes_text, short_counts_text
from bpe_studio.gui.theme import icon
from bpe_studio.gui.token_rail import TokenRail

MODES: tuple[tuple[LabelMode, str], ...] = (("text", "Text"), ("bytes", "Bytes"), ("gpt2", "GPT-2 letters"))


class PreviewPanel(QWidget):
    """A text and its tokens.

    Parameters
    ----------
    controller : Controller
        Encodes the text and tells of the focus.

    Signals
    -------
    mode_changed(str)
        How the user wants tokens written, here and in every other panel.
    """

    mode_changed = Signal(str)

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preview")
        self.setAccessibleName(self.tr("Preview"))
        self._controller = controller
        self.encoded: EncodedText | None = None
        self._n_pieces_taken = 0
        self._make_bar()
        self.editor = PreviewEditor(self)
        self.rail = TokenRail(self)
        self._make_notes()
        self._lay_out()
        self._connect()
        self._on_tokenizer_changed()
        self._on_preview_text_changed()
        self._on_preview_changed(controller.encoded)

    # -- building ----------------------------------------------------------------------------------

    def _make_bar(self) -> None:
        self.source = QComboBox(self)
        self.source.setAccessibleName(self.tr("Tokenizer of the preview"))
        self.source.setToolTip(self.tr("Which tokenizer cuts the text"))
        self.source.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.source.setMinimumContentsLength(15)
        self.modes = QComboBox(self)
        self.modes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.modes.setMinimumContentsLength(6)
        self.modes.setAccessibleName(self.tr("How tokens are written"))
        self.modes.setToolTip(
            self.tr("Write tokens as text, as hex bytes, or as the letters of GPT-2's files")
        )
        for mode, words in MODES:
            self.modes.addItem(self.tr(words), mode)
        self.piece = _tool(
            self,
            "sample",
            self.tr("A piece of the corpus"),
            self.tr("Show a piece of the corpus here; again for the next piece"),
        )
        self.copy = _tool(self, "copy", self.tr("Copy"), self.tr("Copy the tokens as list, JSON, CSV or hex"))
        self.copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.copy.setMenu(self._copy_menu())
        # The counts may be cut (the tooltip has them whole); they must not widen the window.
        self.counts = ElidedLabel(self)
        self.counts.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _copy_menu(self) -> QMenu:
        menu = QMenu(self)
        for form in COPY_FORMS:
            action = menu.addAction(QCoreApplication.translate("copy", form.title).replace("&", "&&"))
            action.setData(form.name)
        menu.triggered.connect(self._on_copy_triggered)
        return menu

    def _make_notes(self) -> None:
        self.notes = _plain(self)
        self.notes.setWordWrap(True)
        self.notes.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.notes.setAccessibleName(self.tr("Notes on the text"))
        self.edit_beginning = QToolButton(self)
        self.edit_beginning.setText(self.tr("Edit the beginning"))
        self.edit_beginning.setToolTip(
            self.tr("Drop the rest of the text, so that what is shown can be edited")
        )
        self.clear = QToolButton(self)
        self.clear.setText(self.tr("Clear"))
        self.clear.setToolTip(self.tr("Remove the text"))

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        for widget in (self.source, self.modes, self.piece, self.copy):
            bar.addWidget(widget)
        bar.addWidget(self.counts, 1)
        below = QHBoxLayout()
        below.addWidget(self.notes, 1)
        below.addWidget(self.edit_beginning)
        below.addWidget(self.clear)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.editor)
        self.splitter.addWidget(self.rail)
        self.splitter.setSizes([80, 160])
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 2)
        self.editor.setMinimumHeight(40)
        self.rail.setMinimumHeight(48)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(4)
        layout.addLayout(bar)
        layout.addWidget(self.splitter, 1)
        layout.addLayout(below)

    def _connect(self) -> None:
        controller = self._controller
        self.editor.text_changed.connect(self._on_text_typed)
        self.editor.byte_pointed.connect(self._on_byte_pointed)
        self.editor.byte_chosen.connect(self._on_byte_chosen)
        self.rail.item_hovered.connect(self._on_token_hovered)
        self.rail.item_chosen.connect(self._on_token_chosen)
        self.source.activated.connect(self._on_source_activated)
        self.modes.currentIndexChanged.connect(self._on_mode_changed)
        self.piece.clicked.connect(self.take_piece_of_corpus)
        self.edit_beginning.clicked.connect(self.editor.edit_beginning)
        self.clear.clicked.connect(self._on_clear_clicked)
        controller.preview_text_changed.connect(self._on_preview_text_changed)
        controller.preview_changed.connect(self._on_preview_changed)
        controller.tokenizer_changed.connect(self._on_tokenizer_changed)
        controller.cursor_moved.connect(self._on_cursor_moved)
        controller.corpus_changed.connect(self._on_corpus_changed)
        controller.focus_changed.connect(self._on_focus_changed)
        self._on_corpus_changed()

    # -- facts -------------------------------------------------------------------------------------

    def _on_preview_text_changed(self) -> None:
        text = self._controller.session.preview_text
        if text != self.editor.text:
            self.editor.set_text(text)
        self._show_notes()

    def _on_preview_changed(self, encoded: EncodedText | None) -> None:
        self.encoded = encoded
        shown = None if encoded is None else shown_text(encoded)
        self.rail.set_shown(shown)
        # While the user types, an answer may be for an older text: the old colours stay until the next.
        is_of_this_text = encoded is None or encoded.text == self.editor.text or encoded.n_surrogates > 0
        if encoded is not None and encoded.is_normalized:
            self.editor.set_shown(None)  # the offsets are not those of the text in the editor
        elif is_of_this_text:
            self.editor.set_shown(shown)
        self.counts.setText("" if encoded is None else counts_text(encoded))
        self.counts.set_short_text("" if encoded is None else short_counts_text(encoded))
        self.copy.setEnabled(encoded is not None and encoded.n_tokens > 0)
        self._show_notes()

    def _show_notes(self) -> None:
        source = self._controller.session.preview_source
        text = notes_text(self.encoded, self.editor.text, self.editor.is_shortened, source)
        self.notes.setText(text)
        self.notes.setVisible(bool(text))
        self.edit_beginning.setVisible(self.editor.is_shortened)
        self.clear.setVisible(self.editor.is_shortened)

    def _on_tokenizer_changed(self) -> None:
        session = self._controller.session
        self.source.clear()
        for name in source_names(session):
            self.source.addItem(name, name)
        index = max(self.source.findData(session.preview_source), 0)
        self.source.setCurrentIndex(index)
        if loading := loading_source(session):
            self.source.setItemText(index, self.tr("{name}: loading…").format(name=loading))
        self._show_notes()
        self._on_cursor_moved(session.cursor)

    def _on_cursor_moved(self, k: int) -> None:
        self.source.setItemText(0, self.tr("This training at {k}").format(k=f"{k:,}"))

    def _on_corpus_changed(self) -> None:
        corpus = self._controller.session.corpus
        self._n_pieces_taken = 0
        self.piece.setEnabled(corpus is not None and corpus.n_bytes > 0)

    def _on_focus_changed(self, focus: Focus | None) -> None:
        focus = heard_focus(self._controller.session, focus)
        is_pinned = focus is not None and self._controller.session.pin == focus
        self.rail.set_focus(focus, is_pinned)
        self.editor.set_focus(focus, is_pinned)
        if is_pinned and focus.start is not None and self.encoded is not None:
            self.rail.show_item(self.encoded.token_at(focus.start))

    # -- intentions --------------------------------------------------------------------------------

    def _on_text_typed(self, text: str) -> None:
        self._controller.set_preview_text(text)
        self._show_notes()

    def _on_clear_clicked(self) -> None:
        self.editor.take("")
        self.editor.setFocus()

    def _on_source_activated(self, index: int) -> None:
        self._controller.set_preview_source(self.source.itemData(index))

    def _on_mode_changed(self, index: int) -> None:
        self.rail.set_mode(self.modes.itemData(index))
        self.mode_changed.emit(self.modes.itemData(index))

    def take_piece_of_corpus(self) -> None:
        """Show a piece of the corpus; the next call shows the piece after it."""
        text = piece_of(self._controller.session.corpus, self._n_pieces_taken)
        self._n_pieces_taken += 1
        if text:
            self.editor.take(text)

    def _on_copy_triggered(self, action: Any) -> None:
        if self.encoded is not None:
            form = next(form for form in COPY_FORMS if form.name == action.data())
            QGuiApplication.clipboard().setText(for_qt(form.text_of(self.encoded)))

    # -- linked inspection -------------------------------------------------------------------------

    def _on_token_hovered(self, i: int) -> None:
        known = self.encoded is not None and 0 <= i < self.encoded.n_tokens
        self._controller.hover(self._told(focus_of_token(self.encoded, i)) if known else None)

    def _on_token_chosen(self, i: int) -> None:
        if self.encoded is not None:
            self._toggle_pin(focus_of_token(self.encoded, i))

    def _on_byte_pointed(self, byte: int) -> None:
        known = self.encoded is not None and 0 <= byte < self.encoded.n_bytes
        self._controller.hover(self._told(focus_of_byte(self.encoded, byte)) if known else None)

    def _on_byte_chosen(self, byte: int) -> None:
        if self.encoded is not None and 0 <= byte < self.encoded.n_bytes:
            self._toggle_pin(focus_of_token(self.encoded, self.encoded.token_at(byte)))

    def _told(self, focus: Focus) -> Focus:
        return told_focus(self._controller.session, focus)

    def _toggle_pin(self, focus: Focus) -> None:
        focus = self._told(focus)
        self._controller.pin(None if self._controller.session.pin == focus else focus)


def _tool(parent: QWidget, icon_name: str, text: str, tip: str) -> QToolButton:
    button = QToolButton(parent)
    button.setIcon(icon(icon_name))
    button.setText(text)
    button.setAccessibleName(text)
    button.setToolTip(tip)
    button.setAutoRaise(True)
    return button


def _plain(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
