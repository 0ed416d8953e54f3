from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from bpe_studio.gui.byte_layout import CHARACTER_LINES, byte_widths, character_lines, shared_breaks
from bpe_studio.gui.byte_view import GAP
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.panels.bytes_panel import BytesPanel
from bpe_studio.gui.preview_marks import MAX_SHOWN, shown_text
from bpe_studio.session import OpenedTokenizer
from tests.gui.preview_fakes import PreviewController, byte_tokenizer

EURO = byte_tokenizer([(0xE2, 0x82), (0x74, 0x68)])
MIXED = "the € سلام שלום 你好 👨\u200d👩\u200d👧 e\u0301\t\r\n\u200b\u202e\x00<b>&amp;"


def panel_on(qtbot, tokenizer=EURO, text="", size=(700, 300)):
    controller = PreviewController(tokenizer, text)
    panel = BytesPanel(controller)
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.show()
    qtbot.waitExposed(panel)
    QGuiApplication.processEvents()
    return controller, panel


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 200)), max_size=20))
def test_every_group_of_bytes_is_as_wide_as_it_needs(groups):
    sizes, needed = ([group[i] for group in groups] for i in (0, 1))
    starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)
    widths = byte_widths(int(starts[-1]), 20, ((starts, np.array(needed, np.int64)),))
    assert (widths >= 20).all()
    for start, end, need in zip(starts, starts[1:], needed, strict=False):
        assert widths[start:end].sum() >= need


def test_a_cell_is_as_wide_as_its_widest_line_and_there_is_a_gap(qtbot):
    _, panel = panel_on(qtbot, text=MIXED)
    view, encoded = panel.view, panel.encoded
    for i in range(encoded.n_tokens):
        span = range(int(encoded.starts[i]), int(encoded.starts[i + 1]))
        width = sum(view.width_of(byte) for byte in span)
        assert width >= view.chips.width(encoded.token_bytes(i)) + GAP - 1
    hex_width = view.mono.width("F0")
    assert all(view.width_of(byte) >= hex_width + GAP for byte in range(encoded.n_bytes))


def test_rows_begin_where_a_character_and_a_token_begin():
    shown = shown_text(PreviewController(EURO, "th€x").encoded)
    assert shared_breaks(shown).tolist() == [0, 2, 5]


def test_the_lines_are_code_point_name_utf16_and_utf32():
    texts = {line.name: line.text_of("😀") for line in CHARACTER_LINES}
    assert texts == {
        "character": "😀",
        "code point": "U+1F600",
        "name": "GRINNING FACE So",
        "utf16": "D83D DE00",
        "utf32": "0001F600",
    }
    assert [line.name for line in character_lines(frozenset())] == ["character", "code point"]
    assert [line.name for line in character_lines(frozenset({"names"}))] == [
        "character",
        "code point",
        "name",
    ]


@pytest.mark.parametrize("options", [(), ("bits",), ("names",), ("bits", "names", "utf16")])
def test_every_combination_of_lines_paints(qtbot, options):
    _, panel = panel_on(qtbot, text=MIXED * 20)
    for option in options:
        panel.switches[option].click()
    assert panel.view.options == frozenset(options)
    assert not panel.grab().isNull()


def test_a_byte_is_told_on_one_line(qtbot):
    controller, panel = panel_on(qtbot, text="th€")
    controller.session.opened.append(OpenedTokenizer("euro", EURO, None))
    controller.session.preview_source = "euro"
    controller.hover(Focus.of_bytes(2, 3))
    assert panel.facts.text() == (
        "byte 2 of 5 · 0xE2, lead of 3 · U+20AC EURO SIGN · token 256 (1 of 2) · made by merge 0"
    )
    assert panel.view.item_tip(4).startswith("byte 4 of 5 · 0xAC, continuation 3 of 3")
    controller.hover(None)
    assert panel.facts.text() == ""


def test_a_click_pins_a_byte_and_a_second_click_frees_it(qtbot):
    controller, panel = panel_on(qtbot, text="th€")
    place = panel.view.item_rect(3).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (controller.session.pin.start, controller.session.pin.end, controller.session.pin.token) == (
        3,
        4,
        256,
    )
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert controller.session.pin is None


def test_moving_the_mouse_hovers_and_leaving_clears(qtbot):
    controller, panel = panel_on(qtbot, text="th€")
    seen = []
    controller.focus_changed.connect(seen.append)
    qtbot.mouseMove(panel.view.viewport(), panel.view.item_rect(1).center())
    panel.view._set_hovered(-1)
    assert seen[-1] is None
    assert any(focus is not None and focus.start == 1 for focus in seen)


def test_a_pin_elsewhere_is_brought_into_sight(qtbot):
    controller, panel = panel_on(qtbot, text="word " * 2000)
    controller.pin(Focus.of_bytes(9000, 9001))
    top = panel.view.item_rect(9000).top()
    assert 0 <= top < panel.view.viewport().height()


def test_nothing_to_show_is_a_sentence(qtbot):
    controller, panel = panel_on(qtbot, None, "abc")
    assert panel.empty.isVisible() and "Open a corpus or a tokenizer" in panel.empty.text()
    controller.tokenizer = EURO
    controller.set_preview_text("")
    assert panel.empty.isVisible() and "Type a text" in panel.empty.text()
    controller.set_preview_text("a")
    assert panel.view.isVisible() and not panel.empty.isVisible()


def test_a_hidden_panel_lays_out_a_long_text_only_when_it_is_shown(qtbot):
    controller, panel = panel_on(qtbot, text="short")
    panel.hide()
    controller.set_preview_text("long " * 5000)
    assert panel.view.n_items == 5
    panel.show()
    assert panel.view.n_items == 25_000


def test_a_long_text_shows_its_beginning(qtbot):
    _, panel = panel_on(qtbot, text="ab" * 60_000)
    assert panel.view.n_items == MAX_SHOWN
