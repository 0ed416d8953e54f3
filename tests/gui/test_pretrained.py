"""PREVIEW has the pretrained vocabularies from the start, and loads one when it is first chosen."""

from __future__ import annotations

import threading

import pytest

from bpe_studio.engine.errors import FormatError
from bpe_studio.formats.pretrained import pretrained
from bpe_studio.gui.intentions import preview
from bpe_studio.gui.panels.preview_panel import PreviewPanel
from bpe_studio.session import PRETRAINED, THIS_TRAINING

TEXT = "Hello tokenization 1234567"


@pytest.fixture
def panel(real_controller, qtbot):
    real_controller.set_preview_text(TEXT)
    made = PreviewPanel(real_controller)
    qtbot.addWidget(made)
    made.show()
    return made


def choose(panel, name):
    panel.source.setCurrentIndex(panel.source.findData(name))
    panel.source.activated.emit(panel.source.currentIndex())


def items(panel):
    return [panel.source.itemText(i) for i in range(panel.source.count())]


def test_they_are_listed_from_the_start_and_nothing_is_loaded(real_controller, panel):
    assert items(panel) == ["This training at 0", "GPT-2", "cl100k (GPT-4)", "o200k (GPT-4o)"]
    assert real_controller.session.opened == [] and not real_controller.jobs.is_busy(preview.VOCABULARY)


@pytest.mark.parametrize("name", PRETRAINED)
def test_the_first_choice_loads_it_and_shows_tokens_and_curve(name, real_controller, panel, qtbot):
    choose(panel, name)
    assert panel.source.currentText() == f"{name}: loading…" and panel.notes.text() == f"Loading {name}…"
    assert panel.encoded is None
    qtbot.waitUntil(lambda: panel.encoded is not None and real_controller.preview_curve is not None)
    tokenizer = pretrained(PRETRAINED[name])
    assert panel.encoded.ids.tolist() == tokenizer.encode(TEXT)
    assert len(real_controller.preview_curve) == tokenizer.n_merges + 1
    assert panel.source.currentText() == name and panel.notes.text() == ""
    assert items(panel) == ["This training at 0", *PRETRAINED] and len(real_controller.session.runs) == 0


def test_it_is_loaded_once_and_in_a_job(real_controller, panel, qtbot, monkeypatch):
    threads = []
    work = preview.pretrained_tokenizer

    def noted(name, progress):
        threads.append(threading.get_ident())
        return work(name, progress)

    monkeypatch.setattr(preview, "pretrained_tokenizer", noted)
    for name in ("GPT-2", THIS_TRAINING, "GPT-2"):
        choose(panel, name)
        qtbot.waitUntil(lambda: not real_controller.jobs.is_busy(preview.VOCABULARY))
    qtbot.waitUntil(lambda: panel.encoded is not None)
    assert panel.source.currentText() == "GPT-2" and not panel.notes.text()
    assert len(threads) == 1 and threads[0] != threading.get_ident()


def test_another_choice_meanwhile_stays_chosen(real_controller, panel, qtbot):
    for name in ("o200k (GPT-4o)", "GPT-2", THIS_TRAINING):
        choose(panel, name)
    qtbot.waitUntil(lambda: len(real_controller.session.opened) == 2)
    assert real_controller.session.preview_source == THIS_TRAINING and panel.encoded is None
    assert panel.source.currentIndex() == 0 and "Open a corpus" in panel.notes.text()


def test_what_goes_wrong_is_said_and_the_training_is_back(real_controller, panel, qtbot, monkeypatch):
    def failing(name, progress):
        raise FormatError("The vocabulary gpt2 cannot be unpacked: it is gone.")

    monkeypatch.setattr(preview, "pretrained_tokenizer", failing)
    with qtbot.waitSignal(real_controller.failed) as told:
        choose(panel, "GPT-2")
    title = "GPT-2 cannot be loaded"
    assert told.args == [title, "The vocabulary gpt2 cannot be unpacked: it is gone."]
    qtbot.waitUntil(lambda: real_controller.session.preview_source == THIS_TRAINING)
    assert panel.source.currentIndex() == 0 and items(panel)[1] == "GPT-2"


def test_a_file_of_that_name_is_told_from_it(real_controller):
    assert real_controller.session.fresh_name("GPT-2") == "GPT-2 (2)"


def test_beside_a_run_it_is_whole_wherever_the_cursor_stands(window, qtbot):
    controller = window.controller
    controller.set_preview_text(TEXT)
    controller.set_preview_source("GPT-2")
    ids = pretrained("gpt2").encode(TEXT)
    qtbot.waitUntil(lambda: controller.encoded is not None and controller.encoded.ids.tolist() == ids)
    controller.step()
    qtbot.waitUntil(lambda: controller.session.cursor == 1 and not controller.jobs.is_busy("preview"))
    assert controller.encoded.ids.tolist() == ids
    controller.set_preview_source(THIS_TRAINING)
    qtbot.waitUntil(lambda: controller.encoded is not None and controller.encoded.ids.tolist() != ids)
