"""Rules that several panels keep together: whose ids are whose, what F3 does, what empty states say."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QSpinBox

from bpe_studio.gui.dialogs.boxes import breakable
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.theme import apply_theme, contrast


@pytest.fixture
def three(window, qtbot):
    """The window with the three merges of its first sample."""
    window.controller.step(3)
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 3)
    return window


@pytest.fixture
def opened(three, qtbot, tmp_path):
    """The same window looking through a tokenizer whose ids mean other tokens than the run's."""
    controller, path = three.controller, tmp_path / "other.json"
    controller.save(path)
    qtbot.waitUntil(lambda: path.exists() and not controller.session.has_unsaved_merges)
    controller.open_sample(sample_keys()[2])
    qtbot.waitUntil(lambda: not controller.jobs.is_busy("count") and len(controller.session.runs) == 2)
    controller.step(3)
    qtbot.waitUntil(lambda: controller.session.n_merges == 3)
    controller.open_path(path)
    qtbot.waitUntil(lambda: controller.session.preview_source == "other.json")
    controller.set_preview_text("aaabdaaabac")
    qtbot.waitUntil(lambda: controller.encoded is not None and controller.encoded.ids.tolist()[0] == 258)
    return three


def sample_keys():
    from bpe_studio.assets import sample_list

    return [one.key for one in sample_list()]


def panel(window, name):
    return window.docks[name].widget()


def test_ids_of_another_tokenizer_outline_no_merge_of_the_run(opened, qtbot):
    preview = panel(opened, "preview")
    preview.rail.item_chosen.emit(0)
    assert opened.controller.session.pin == Focus(start=0, end=4)
    assert opened.merges.view._focus_row is None
    preview.rail.item_chosen.emit(0)
    assert opened.controller.session.pin is None, "a second click frees"
    opened.controller.pin(Focus.of_token(258))
    qtbot.waitUntil(lambda: preview.rail._focus is None and panel(opened, "bytes").view._focus is None)
    qtbot.waitUntil(lambda: opened.merges.view._focus_row == 2)


def test_the_status_line_tells_the_merge_of_the_tokenizer_that_made_the_token(opened, qtbot):
    opened.controller.pin(Focus.of_bytes(0, 1))
    qtbot.waitUntil(lambda: "token 258" in opened.statusBar().focus.text())
    assert opened.statusBar().focus.text().endswith("made by merge 2")


def test_f3_without_a_find_text_goes_through_the_merges_of_the_pinned_token(three):
    three.controller.pin(Focus.of_token(ord("a")))
    three.controller.go_to_start()
    rows = []
    for direction in (1, 1, 1, -1, -1):
        three.find_again(direction)
        rows.append(three.controller.selected_row)
    assert rows == [0, 1, 1, 0, 0], "`a` is in merges 0 and 1"


def test_f3_with_a_find_text_goes_through_its_matches(three):
    three.merges.view.setFocus()
    three.find()
    three.merges.find_bar.edit.setText("aaab")
    three.find_again(1)
    assert three.controller.selected_row == 2


def test_an_opened_tokenizer_at_its_end_offers_no_extension(opened):
    opened.controller.select_run(2)
    assert opened.sentence.text == "All rules of this tokenizer are in effect; open a corpus to see counts"
    assert panel(opened, "candidates").placeholder.text() == "Open a corpus to see counts."
    opened.controller.go_to(1)
    opened.controller.step(5)
    assert opened.controller.session.cursor == 3


@pytest.mark.parametrize(("text", "vocab_size", "said"), [
    ("", 300, "No pair is left to merge; 44 merges short of a vocabulary of 300"),
    ("a", 300, "No pair is left to merge; 44 merges short of a vocabulary of 300"),
    ("a", 100, "Vocabulary full at 256"),
])  # fmt: skip
def test_a_corpus_without_pairs_says_so_everywhere(open_window, qtbot, text, vocab_size, said):
    window = open_window()
    controller, failures = window.controller, []
    controller.failed.connect(lambda *what: failures.append(what))
    controller.clear_corpus()
    controller.change_settings(pattern="none", vocab_size=vocab_size)
    controller.add_text("small", text)
    qtbot.waitUntil(lambda: window.merges.placeholder.text() == said)
    qtbot.waitUntil(lambda: panel(window, "candidates").placeholder.text() == "No pair to merge.")
    controller.step()
    qtbot.waitUntil(lambda: controller.blocked_reason == said)
    assert window.sentence.text.startswith(said) and failures == []


def test_characters_outside_the_alphabet_have_a_curve_too(window, qtbot):
    controller = window.controller
    controller.open_sample(sample_keys()[1])
    qtbot.waitUntil(lambda: controller.session.current.name.startswith("low"))
    controller.set_preview_text("low é")
    qtbot.waitUntil(lambda: controller.encoded is not None and controller.encoded.unknown == ("é",))
    qtbot.waitUntil(lambda: getattr(controller.preview_curve, "n_tokens", np.zeros(0)).tolist() == [5])
    assert not controller.preview.curve_problem


def test_one_switch_writes_tokens_alike_in_every_panel(three):
    preview = panel(three, "preview")
    preview.modes.setCurrentIndex(preview.modes.findData("gpt2"))
    tables = (three.merges, panel(three, "candidates"), panel(three, "words"))
    delegates = [table.view.itemDelegateForColumn(column) for table in tables for column in range(2)]
    assert {delegate.mode for delegate in delegates if hasattr(delegate, "mode")} == {"gpt2"}
    assert three.sentence._chips.mode == panel(three, "bytes").view.chips.mode == preview.rail.mode == "gpt2"


def test_a_filter_that_nothing_matches_says_so(three):
    three.merges.filter.setText("zz")
    shown = three.merges.view.grab().toImage()
    three.merges.model.n_source_rows = 0
    assert shown != three.merges.view.grab().toImage(), "an empty panel would be no answer"
    three.merges.model.n_source_rows = 3


def test_a_long_unbroken_name_is_wrapped_and_not_cut():
    assert max(map(len, breakable("/folder/" + "x" * 500).split("\u200b"))) <= 48
    assert breakable("a b/c") == "a b/c"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", [QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QSpinBox])
def test_outlines_of_controls_are_seen(qtbot, qapp, kind, scheme):
    apply_theme(qapp, scheme)
    widget = kind()
    qtbot.addWidget(widget)
    widget.ensurePolished()
    outline = widget.palette().color(QPalette.ColorRole.Window).darker(140)  # as Fusion draws it
    window = qapp.palette().color(QPalette.ColorRole.Window)
    assert min(contrast(outline, window), contrast(outline, widget.palette().base().color())) >= 3
    apply_theme(qapp, "light")
