from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter, QTextDocument

from bpe_studio.gui.data_colors import DARK, LIGHT
from bpe_studio.gui.theme import mono_font
from bpe_studio.gui.token_painter import TokenPainter, fill_indices, plain_tooltip, token_tooltip


@pytest.fixture
def tokens(qapp):
    return TokenPainter(mono_font(10), LIGHT)


def drawn(tokens, data, ratio=1.0, **options):
    image = QImage(int(300 * ratio), int(40 * ratio), QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    width = tokens.paint(painter, QPointF(0, 0), data, **options)
    painter.end()
    return image, width


def ink(image):
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    return pixels != 0


@pytest.mark.parametrize("text", [" ", "\t", "\n", "\0", "\u200b", "\u0301", "", "\U000e0041", "\udcf0"])
def test_every_token_leaves_ink_without_a_fill(tokens, text):
    data = text.encode(errors="surrogateescape")
    image, width = drawn(tokens, data)
    assert ink(image).any()
    assert not ink(image)[:, int(width) + 2 :].any()


def test_a_chip_is_as_wide_as_its_label_and_grows_with_it(tokens):
    assert tokens.width(b"abab") == pytest.approx(tokens.width(b"ab") * 2 - 2 * tokens.padding, abs=1)
    assert tokens.width(b"  ") > tokens.width(b" ")


@given(st.text(min_size=1).map(str.encode), st.integers(min_value=30, max_value=200))
def test_an_elided_chip_fits(data, width):
    tokens = TokenPainter(mono_font(10), LIGHT)
    chip = tokens.chip(data, width)
    assert chip.width <= width + 1
    assert chip.is_elided == (tokens.width(data) > width)


def test_fill_covers_the_chip_at_both_pixel_ratios(tokens):
    for ratio in (1.0, 2.0):
        image, width = drawn(tokens, b"the", ratio, fill=1)
        assert image.pixelColor(int(2 * ratio), int(2 * ratio)) == LIGHT.token_fills[1]
        assert ink(image).any(axis=0).sum() == pytest.approx(width * ratio, abs=ratio)


def test_pieces_of_characters_are_hatched(tokens):
    plain, _ = drawn(tokens, b"F0")
    hatched, _ = drawn(tokens, b"\xf0")
    assert ink(hatched).sum() > ink(plain).sum()


def test_a_layout_is_kept_for_the_next_time(tokens):
    assert tokens.chip(b"the") is tokens.chip(b"the")


def test_a_huge_token_is_laid_out_at_once(tokens):
    assert tokens.chip(b"a" * 10_000_000, 200).is_elided


def test_letters_without_a_font_are_spelled_out(tokens):
    # Nothing but a private font draws U+13FFF; the label is then its code point, not a box.
    (piece,) = tokens.chip("\U00013ffe\U00012543".encode()).pieces[-1:]
    assert "U+" in piece.text.text()


def test_modes_label_the_same_token_differently(qapp):
    modes = ("text", "bytes", "gpt2")
    widths = {mode: TokenPainter(mono_font(10), DARK, mode).width(b" the") for mode in modes}
    assert widths["bytes"] > widths["gpt2"] == pytest.approx(widths["text"], abs=1)


def test_neighbours_never_share_a_fill():
    fills = fill_indices([7, 1, 1, 13, 7, 2])
    assert fills.tolist() == [1, 2, 1, 2, 1, 2]
    assert fill_indices([]).size == 0


@pytest.mark.parametrize(
    "token", ["<b>bold</b>", "<img src=x>", "&lt;", "<|im_start|>", "a & b", "<a href='x'>x</a>"]
)
def test_tooltips_show_exactly_the_tokens_characters(qapp, token):
    document = QTextDocument()
    document.setHtml(plain_tooltip(token))
    assert document.toPlainText() == token
    assert "<img" not in token_tooltip(token.encode())
