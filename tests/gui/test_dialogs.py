"""Dialogs: export with preview and check, keys, bad bytes, errors; none blocks, none reads HTML."""

from __future__ import annotations

import shlex

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QPushButton

from bpe_studio.cli.program import main
from bpe_studio.formats.table import FORMATS, load
from bpe_studio.gui.actions import ACTIONS
from bpe_studio.gui.dialogs.boxes import show_error
from bpe_studio.gui.dialogs.export import ExportDialog
from bpe_studio.gui.dialogs.keys import KeysDialog


@pytest.fixture
def three(window, qtbot):
    window.controller.step(3)
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 3)
    return window


@pytest.fixture
def export(three, qtbot):
    QTest.keyClick(three, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    dialog = three.findChild(ExportDialog)
    qtbot.waitUntil(lambda: bool(dialog.note.text()))
    return dialog


def test_export_shows_the_file_before_it_is_written(export):
    assert export.text.toPlainText().lstrip().startswith("{")
    assert export.write.isEnabled() and "Nothing is lost" in export.note.text()


def test_a_format_that_cannot_hold_the_tokenizer_says_why(export, qtbot):
    place = [record.name for record in FORMATS].index("character_bpe")
    export.formats.setCurrentIndex(place)
    qtbot.waitUntil(lambda: "cannot hold" in export.note.text())
    assert not export.write.isEnabled() and export.text.toPlainText() == ""


def test_a_written_file_is_read_back_and_compared(export, qtbot, tmp_path):
    path = tmp_path / "über 文件 1.json"
    export.write_to(str(path))
    qtbot.waitUntil(lambda: "Reloaded" in export.outcome.text())
    said = export.outcome.text()
    assert said.startswith("Saved über 文件 1.json. Reloaded with BPE Studio: 0 differences on ")
    assert load(path).n_merges == 3


def choose(export, qtbot, name):
    export.formats.setCurrentIndex(export.formats.findData(name))
    qtbot.waitUntil(lambda: export.write.isEnabled())


def test_every_format_that_is_written_can_be_chosen(export):
    offered = [export.formats.itemData(place) for place in range(export.formats.count())]
    assert offered == [record.name for record in FORMATS if record.is_written]


def test_the_check_by_the_program_of_the_format_is_told(export, three, qtbot, tmp_path):
    pytest.importorskip("tokenizers")
    choose(export, qtbot, "huggingface")
    assert "tokenizer_config.json" in export.note.text()
    export.write_to(str(tmp_path / "tokenizer.json"))
    qtbot.waitUntil(lambda: "Reloaded" in export.outcome.text())
    assert "Saved tokenizer.json, tokenizer_config.json." in export.outcome.text()
    assert "Reloaded with tokenizers: 0 differences on" in export.outcome.text()
    three.controller.open_path(tmp_path)  # the folder
    qtbot.waitUntil(lambda: len(three.controller.session.opened) == 1)
    assert three.controller.session.opened[0].tokenizer.n_merges == 3


def test_a_file_that_is_no_text_is_shown_as_bytes(window, qtbot):
    assert window.controller.change_settings(alphabet="characters", pattern="none") == ""
    window.controller.add_text("words", "abab abab")
    qtbot.waitUntil(lambda: window.controller.session.current.config.alphabet == "characters")
    window.files.ask_export()
    dialog = window.findChild(ExportDialog)
    choose(dialog, qtbot, "sentencepiece")
    qtbot.waitUntil(lambda: "0a" in dialog.text.toPlainText())
    rows = dialog.text.toPlainText().splitlines()
    assert all(len(bytes.fromhex(row)) == 16 for row in rows[:-1])


def test_the_copied_command_writes_the_same_tokenizer(export, three, qtbot, tmp_path):
    path = tmp_path / "a b.json"
    export.write_to(str(path))
    qtbot.waitUntil(lambda: "Reloaded" in export.outcome.text())
    written = load(path)
    path.unlink()
    QTest.mouseClick(export.copy, Qt.MouseButton.LeftButton)
    line = QGuiApplication.clipboard().text()
    assert line in export.outcome.text()
    assert main([*shlex.split(line)[1:], "--quiet"]) == 0
    assert load(path) == written


def test_without_files_there_is_no_command_to_copy(export, three, qtbot):
    three.controller.add_text("pasted", "abc")
    qtbot.waitUntil(lambda: three.controller.session.corpus.documents[-1].path is None)
    QTest.mouseClick(export.copy, Qt.MouseButton.LeftButton)
    assert "no such command" in export.outcome.text()


def test_a_dialog_that_was_closed_hears_no_late_answer(three, qtbot):
    for _ in range(10):
        three.files.ask_export()
        dialog = three.findChild(ExportDialog)
        dialog.formats.setCurrentIndex(1)
        dialog.close()
    three.controller.save(three.preferences and "/nonexistent-folder/t.json")
    qtbot.waitUntil(lambda: three.findChild(QMessageBox, "box") is not None)


def test_keys_lists_every_action_that_has_one(three):
    three.files.show_keys()
    dialog = three.findChild(KeysDialog)
    assert dialog.table.rowCount() == sum(bool(spec.keys) for spec in ACTIONS)
    shown = {dialog.table.item(row, 2).text() for row in range(dialog.table.rowCount())}
    assert any("F7" in text for text in shown)


def test_texts_are_never_read_as_html(three):
    box = show_error(three, "<b>bold</b>", "<img src=x>")
    assert box.textFormat() == Qt.TextFormat.PlainText
    box.close()


@pytest.mark.parametrize(("choice", "n_documents"), [("replace", 2), ("skip", 1), ("stop", 0)])
def test_bad_bytes_ask_for_the_way_on(window, qtbot, tmp_path, choice, n_documents):
    window.controller.clear_corpus()
    (tmp_path / "bad.txt").write_bytes(b"ok\nno \xff here")
    (tmp_path / "good.txt").write_text("good", encoding="utf-8")
    window.controller.add_paths([tmp_path / "bad.txt", tmp_path / "good.txt"])
    qtbot.waitUntil(lambda: window.findChild(QMessageBox, "box") is not None)
    box = window.findChild(QMessageBox, "box")
    assert "bad.txt" in box.informativeText() and "line 2" in box.informativeText()
    QTest.mouseClick(box.findChild(QPushButton, f"choice-{choice}"), Qt.MouseButton.LeftButton)
    if n_documents:
        qtbot.waitUntil(lambda: window.controller.session.corpus is not None)
        assert len(window.controller.session.corpus.documents) == n_documents
    else:
        assert not window.controller.jobs.is_busy("read") and window.controller.session.corpus is None


def test_extend_asks_for_more_and_trains_on(three, qtbot):
    three.follow("extend")
    dialog = three.findChild(QInputDialog)
    assert dialog.intMinimum() == 260
    dialog.setIntValue(261)
    dialog.accept()
    run = three.controller.session.current
    qtbot.waitUntil(lambda: run.stop_reason is not None and run.stop_reason.code == "min_frequency")
    assert run.config.vocab_size == 261


def test_open_dialogs_hand_over_what_was_chosen(window, qtbot, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("some text", encoding="utf-8")
    window.files.ask_open()
    dialog = window.findChild(QFileDialog)
    dialog.filesSelected.emit([str(path)])
    dialog.close()
    qtbot.waitUntil(lambda: window.controller.session.corpus.documents[-1].name == "text.txt")
