"""A controller that encodes at once, for the panels that look at a text."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal

from bpe_studio.analysis.encoded_text import encoded_text
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from tests.gui.fakes import FakeController, Status


def byte_tokenizer(pairs=(), pattern="none"):
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    products = [256 + rank for rank in range(len(pairs))]
    arrays = (np.array(column, np.int32) for column in (left, right, products))
    return Tokenizer(Alphabet(), *arrays, resolve_pattern(pattern), {})


class PreviewController(FakeController):
    preview_text_changed = Signal(str)
    preview_changed = Signal(object)
    preview_curve_changed = Signal(object)
    tokenizer_changed = Signal()
    message = Signal(str)

    def __init__(self, tokenizer=None, text=""):
        super().__init__()
        self.tokenizer = tokenizer
        self.encoded = None
        self.training = Status("idle")
        self.session.preview_text = text
        self._encode()

    def _encode(self):
        if self.tokenizer is not None:
            self.encoded = encoded_text(self.tokenizer, self.session.preview_text)

    def set_preview_text(self, text):
        self.session.preview_text = text
        self._encode()
        self.preview_text_changed.emit(text)
        self.preview_changed.emit(self.encoded)

    def hover(self, focus):
        self.focus_changed.emit(self.session.pin or focus)

    def pin(self, focus):
        self.session.pin = focus
        self.focus_changed.emit(focus)
