"""BYTES: PREVIEW's text from code points over UTF-8 bytes to tokens and ids.

It shows what PREVIEW encodes and outlines the same bytes; the line below tells all of one byte.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from bpe_studio.analysis.byte_facts import byte_facts
from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.unicode_view import LabelMode
from bpe_studio.gui.byte_layout import OPTIONS
from bpe_studio.gui.byte_view import ByteView
from bpe_studio.gui.elided_label import ElidedLabel
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.preview_marks import focus_of_byte, heard_focus, preview_products, shown_text, told_focus

LATE_BYTES = 10_000


class BytesPanel(QWidget):
    """Bytes of PREVIEW's text.

    Parameters
    ----------
    controller : Controller
        Encodes the text and tells of the focus.
    """

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bytes")
        self.setAccessibleName(self.tr("Bytes"))
        self._controller = controller
        self.encoded: EncodedText | None = None
        self._is_late = False
        self.view = ByteView(self._facts_text, self)
        self.switches = {name: self._switch(title, tip) for name, title, tip in OPTIONS}
        self.facts = ElidedLabel(self)
        self.facts.setAccessibleName(self.tr("The byte looked at"))
        self.empty = _plain(self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.empty.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._lay_out()
        self._connect()
        self._on_preview_changed(controller.encoded)

    def _switch(self, title: str, tip: str) -> QCheckBox:
        box = QCheckBox(QCoreApplication.translate("Bytes", title), self)
        box.setToolTip(QCoreApplication.translate("Bytes", tip))
        box.toggled.connect(self._on_switched)
        return box

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        for box in self.switches.values():
            bar.addWidget(box)
        bar.addSpacing(12)
        bar.addWidget(self.facts, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(4)
        layout.addLayout(bar)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.empty, 1)

    def _connect(self) -> None:
        self.view.item_hovered.connect(self._on_byte_hovered)
        self.view.item_chosen.connect(self._on_byte_chosen)
        self._controller.preview_changed.connect(self._on_preview_changed)
        self._controller.preview_text_changed.connect(self._on_preview_text_changed)
        self._controller.focus_changed.connect(self._on_focus_changed)

    # -- facts -------------------------------------------------------------------------------------

    def _on_preview_changed(self, encoded: EncodedText | None) -> None:
        self.encoded = encoded
        # Laying out 100,000 characters takes 0.1 s: not while another tab is in front.
        self._is_late = encoded is not None and encoded.n_bytes > LATE_BYTES and not self.isVisible()
        if not self._is_late:
            self._show_bytes()
        self._show_emptiness()
        self.facts.setText("")

    def _show_bytes(self) -> None:
        self._is_late = False
        self.view.set_shown(None if self.encoded is None else shown_text(self.encoded))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_late:
            self._show_bytes()

    def _on_preview_text_changed(self, text: str) -> None:
        self._show_emptiness()

    def _show_emptiness(self) -> None:
        is_empty = self.encoded is None or not self.encoded.n_bytes
        without_tokenizer = self.encoded is None and self._controller.session.preview_text
        self.empty.setText(
            self.tr("Open a corpus or a tokenizer to see this text as bytes and tokens.")
            if without_tokenizer
            else self.tr("Type a text in Preview to see its bytes.")
        )
        self.empty.setVisible(is_empty)
        self.view.setVisible(not is_empty)

    def _on_focus_changed(self, focus: Focus | None) -> None:
        focus = heard_focus(self._controller.session, focus)
        is_pinned = focus is not None and self._controller.session.pin == focus
        self.view.set_focus(focus, is_pinned)
        has_place = focus is not None and focus.start is not None and self.encoded is not None
        self.facts.setText(self._facts_text(focus.start) if has_place else "")
        if is_pinned and has_place:
            self.view.show_item(focus.start)

    def _facts_text(self, byte: int) -> str:
        """Return all that is known of a byte, on one line."""
        if self.encoded is None or not 0 <= byte < self.encoded.n_bytes:
            return ""
        return byte_facts(self.encoded, byte, preview_products(self._controller.session)).text

    # -- intentions --------------------------------------------------------------------------------

    def _on_switched(self) -> None:
        self.view.set_options(frozenset(name for name, box in self.switches.items() if box.isChecked()))

    def _on_byte_hovered(self, byte: int) -> None:
        known = self.encoded is not None and 0 <= byte < self.encoded.n_bytes
        self._controller.hover(self._focus(byte) if known else None)

    def _on_byte_chosen(self, byte: int) -> None:
        if self.encoded is not None and 0 <= byte < self.encoded.n_bytes:
            focus = self._focus(byte)
            self._controller.pin(None if self._controller.session.pin == focus else focus)

    def _focus(self, byte: int) -> Focus:
        return told_focus(self._controller.session, focus_of_byte(self.encoded, byte))

    def set_label_mode(self, mode: LabelMode) -> None:
        """Write tokens as text, as bytes or in GPT-2's letters."""
        self.view.set_mode(mode)


def _plain(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
