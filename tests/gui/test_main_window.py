"""The main window: size, layout, settings of any kind, title, dropping, closing."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QMimeData, QPoint, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from bpe_studio import save, train
from bpe_studio.gui.layout import DOCKS
from bpe_studio.gui.main_window import USUAL_SIZE
from bpe_studio.gui.preferences import Preferences
from bpe_studio.gui.start import make_window

LINES_OF_THE_WINDOW_FILE = 250


def settings_of(path: Path) -> QSettings:
    return QSettings(str(path), QSettings.Format.IniFormat)


def box_of(window) -> QMessageBox:
    return window.findChild(QMessageBox, "box")


def choose(window, qtbot, name: str) -> None:
    qtbot.waitUntil(lambda: box_of(window) is not None)
    box = box_of(window)
    QTest.mouseClick(box.findChild(QPushButton, f"choice-{name}"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not shiboken6.isValid(box))


def one_merge(window, qtbot) -> None:
    window.controller.step()
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 1)


# --- size and layout


def test_the_window_fits_into_1280_by_640(window):
    least = window.minimumSizeHint()
    assert least.width() <= USUAL_SIZE[0] and least.height() <= USUAL_SIZE[1]
    assert (window.width(), window.height()) == USUAL_SIZE


def test_the_usual_layout_shows_every_panel(window, qtbot):
    qtbot.waitUntil(lambda: abs(window.docks["corpus"].width() - 240) <= 12)
    assert {dock.objectName() for dock in window.docks.values()} == {f"dock-{spec.name}" for spec in DOCKS}
    shown = {name for name, dock in window.docks.items() if not dock.visibleRegion().isEmpty()}
    assert shown == set(window.docks) - {"bytes"}
    assert window.merges.isVisible() and window.merges.height() > 60


def test_layout_and_geometry_come_back(open_window, preferences, qtbot):
    window = open_window()
    window.docks["charts"].hide()
    window.resize(1300, 700)
    window.closing.allow()
    again = open_window()
    assert not again.docks["charts"].isVisible()
    assert (again.width(), again.height()) == (1300, 700)
    again.reset_layout()
    assert again.docks["charts"].isVisible()


JUNK = {
    "random geometry": {"geometry": random.Random(1).randbytes(60)},
    "random layout": {"layout": random.Random(2).randbytes(200)},
    "text for numbers": {"text_scale": "many", "play_speed": "fast", "scheme": 7},
    "a list for bytes": {"geometry": ["a", "b"], "layout": 3.5},
}


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)
def test_broken_settings_never_stop_the_start(open_window, preferences, settings_file, junk):
    settings = preferences._settings
    for key, value in junk.items():
        settings.setValue(key, value)
    window = open_window()
    assert any(screen.availableGeometry().contains(window.pos()) for screen in QGuiApplication.screens())
    assert window.width() >= 200 and window.height() >= 200


def test_a_window_that_was_on_another_screen_comes_back_onto_one(open_window, preferences):
    window = open_window()
    window.move(9999, 9999)
    window.closing.allow()
    again = open_window()
    assert any(
        screen.availableGeometry().intersects(again.frameGeometry()) for screen in QGuiApplication.screens()
    )


def test_a_window_larger_than_the_screen_is_made_to_fit(open_window):
    window = open_window()
    window.resize(9000, 9000)
    window.closing.allow()
    again = open_window()
    place = again.screen().availableGeometry()
    assert again.width() <= place.width() and again.height() <= place.height()


def test_tokenizers_of_other_programs_are_in_a_menu(open_window, tmp_path, monkeypatch):
    file = tmp_path / "models--a--b" / "snapshots" / "1" / "tokenizer.json"
    file.parent.mkdir(parents=True)
    save(train("abab", vocab_size=257), file, "huggingface")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    window = open_window()
    window.menus.fill_found()
    (action,) = window.menus.found.actions()
    assert action.text() == "a/b (huggingface)" and action.data() == str(file)
    file.unlink()
    window.menus.fill_found()
    assert not window.menus.found.actions()[0].isEnabled()


def test_a_recent_file_that_is_gone_is_greyed(open_window, preferences, tmp_path):
    there = tmp_path / "a&b.json"
    there.write_text("{}", encoding="utf-8")
    preferences.add_recent_file(there)
    preferences.add_recent_file(tmp_path / "gone.json")
    window = open_window()
    window.menus.fill_recent()
    actions = window.menus.recent.actions()
    assert [action.isEnabled() for action in actions] == [False, True]
    assert actions[1].text().replace("&&", "&") == str(there)


def test_text_size_and_colours_are_remembered(open_window, preferences, qapp):
    window = open_window()
    size = qapp.font().pointSizeF()
    window.zoom(1)
    window.choose_scheme("dark")
    assert qapp.font().pointSizeF() == size + 1
    assert (preferences["text_scale"], preferences["scheme"]) == (1, "dark")
    window.zoom(0)
    window.choose_scheme("light")
    assert qapp.font().pointSizeF() == size


def test_the_file_of_the_window_stays_short():
    import bpe_studio.gui.main_window as module

    assert len(Path(module.__file__).read_text(encoding="utf-8").splitlines()) < LINES_OF_THE_WINDOW_FILE


# --- title


def test_the_title_tells_run_rule_and_unsaved_merges(window, qtbot):
    assert window.windowTitle() == "aaabdaaabac · lexicographic[*] — BPE Studio"
    assert not window.isWindowModified()
    one_merge(window, qtbot)
    assert window.isWindowModified()


NAMES = ["über 文件.json", "a [*] b%20c.json", "-dash.json", "🙂.json", os.fsdecode(b"\xf0.json")]


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name_is_shown_whole(window, qtbot, tmp_path, name):
    one_merge(window, qtbot)
    path = tmp_path / name
    with qtbot.waitSignal(window.controller.saved):
        window.controller.save(path)
    with qtbot.waitSignal(window.controller.file_opened):
        window.controller.open_path(path)
    window.controller.select_run(1)
    shown = os.fsencode(name).decode("utf-8", "replace")
    assert window.windowTitle().replace("[*][*]", "[*]").startswith(f"{shown} · ")


# --- Esc, find, links


def test_escape_frees_the_row_then_the_pin_then_pauses(window, qtbot):
    one_merge(window, qtbot)
    controller = window.controller
    controller.select_row(0)
    window.escape()
    assert controller.selected_row is None
    controller.play()
    window.escape()
    assert not controller.is_playing


def test_find_opens_in_the_focused_panel(window, qtbot):
    one_merge(window, qtbot)
    window.merges.view.setFocus()
    QTest.keyClick(window.merges.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.merges.find_bar.isVisible()
    window.escape()
    assert not window.merges.find_bar.isVisible()


def test_links_of_the_sentence_lead_somewhere(window):
    window.docks["candidates"].hide()
    window.follow("candidates")
    assert window.docks["candidates"].isVisible()


# --- dropping


def dropped(*paths: Path, text: str = "") -> QMimeData:
    data = QMimeData()
    if paths:
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    else:
        data.setText(text)
    return data


def test_a_tokenizer_dropped_on_the_corpus_is_a_document(window, qtbot, tmp_path):
    one_merge(window, qtbot)
    path = tmp_path / "a b%20c#.json"
    with qtbot.waitSignal(window.controller.saved):
        window.controller.save(path)
    window.take_drop(dropped(path), on_corpus=True)
    qtbot.waitUntil(lambda: window.controller.session.corpus.documents[-1].name == path.name)
    assert window.controller.session.opened == []


def test_a_tokenizer_dropped_elsewhere_is_opened_and_a_text_is_a_document(window, qtbot, tmp_path):
    one_merge(window, qtbot)
    tokenizer, text = tmp_path / "t.json", tmp_path / "t.txt"
    with qtbot.waitSignal(window.controller.saved):
        window.controller.save(tokenizer)
    text.write_text("some text", encoding="utf-8")
    window.take_drop(dropped(tokenizer, text), on_corpus=False)
    qtbot.waitUntil(lambda: len(window.controller.session.opened) == 1)
    qtbot.waitUntil(lambda: window.controller.session.corpus.documents[-1].name == "t.txt")


def test_dropped_text_is_a_document(window, qtbot):
    window.take_drop(dropped(text="hello"), on_corpus=False)
    assert window.controller.session.corpus.documents[-1].text == "hello"


def test_files_dropped_on_a_text_field_go_to_the_window(window, tmp_path):
    field = window.findChild(QPlainTextEdit)
    moves, buttons = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    data = dropped(tmp_path / "t.txt")
    event = QDragEnterEvent(QPoint(1, 1), moves, data, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(field.viewport(), event)
    # A widget behind the field has taken it: the place is told in its coordinates.
    assert event.isAccepted() and event.position().toPoint() != QPoint(1, 1)


def test_the_corpus_knows_where_it_was_dropped(window, qtbot, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("x", encoding="utf-8")
    place = window.docks["corpus"].geometry().center()
    assert window.is_over_corpus(QPoint(place)) and not window.is_over_corpus(window.rect().center())


# --- closing


def test_closing_without_merges_does_not_ask(window):
    assert window.close()


def test_unsaved_merges_are_asked_about_and_cancel_keeps_the_window(window, qtbot):
    one_merge(window, qtbot)
    assert not window.close()
    choose(window, qtbot, "cancel")
    assert window.isVisible() and window.controller.session.n_merges == 1
    window.controller.step()
    qtbot.waitUntil(lambda: window.controller.session.n_merges == 2)


def test_discard_closes(window, qtbot):
    one_merge(window, qtbot)
    window.close()
    choose(window, qtbot, "discard")
    assert not window.isVisible()


def test_save_writes_first_and_then_closes(window, qtbot, tmp_path):
    one_merge(window, qtbot)
    window.controller.session.current.path = tmp_path / "t.json"
    window.close()
    choose(window, qtbot, "save")
    qtbot.waitUntil(lambda: not window.isVisible())
    assert (tmp_path / "t.json").exists()


def test_a_save_that_fails_keeps_the_window_and_offers_another_place(window, qtbot, tmp_path):
    one_merge(window, qtbot)
    window.controller.session.current.path = tmp_path / "gone" / "t.json"
    window.close()
    choose(window, qtbot, "save")
    qtbot.waitUntil(lambda: box_of(window) is not None)
    assert "gone" in box_of(window).informativeText()
    choose(window, qtbot, "cancel")
    assert window.isVisible() and window.isWindowModified()


def test_closing_during_a_training_is_clean(open_window, preferences, qtbot):
    before = threading.active_count()
    for _ in range(5):
        window = make_window(preferences, [])
        window.show()
        controller = window.controller
        controller.change_settings(vocab_size=2000)
        text = " ".join(f"the cat {n} sat on mat {n * n}." for n in range(3000))
        controller.add_text("prose", text)
        qtbot.waitUntil(lambda controller=controller: controller.session.current is not None)
        controller.train_to_target()
        window.closing.allow()
        assert not window.isVisible()
        window.deleteLater()
    assert threading.active_count() == before


def test_the_preferences_of_one_window_are_read_by_the_next(open_window, settings_file):
    window = open_window()
    window.controller.set_speed(30)
    window.closing.allow()
    assert Preferences(settings_of(settings_file))["play_speed"] == 30
    assert QApplication.instance() is not None


# --- keyboard and screen readers


def focusable(window) -> list[QWidget]:
    widgets = [one for one in window.findChildren(QWidget) if one.isVisible() and one.isEnabled()]
    return [one for one in widgets if one.focusPolicy() & Qt.FocusPolicy.TabFocus]


def test_f7_steps_from_anywhere(window, qtbot, monkeypatch):
    calls = []
    monkeypatch.setattr(window.controller, "step", lambda n=1: calls.append(n))
    widgets = focusable(window)
    assert len(widgets) > 20
    for widget in widgets:
        widget.setFocus()
        calls.clear()
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F7)
        assert calls == [1], widget


def test_the_arrow_steps_from_tables_and_right_after_the_start(window, monkeypatch):
    calls = []
    monkeypatch.setattr(window.controller, "step", lambda n=1: calls.append(n))
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Right)
    window.docks["candidates"].findChild(QTableView).setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Right)
    assert calls == [1, 1]


def test_every_control_has_a_name_for_screen_readers(window):
    ours = [one for one in focusable(window) if not one.objectName().startswith("qt_")]
    ours = [one for one in ours if type(one) is not QWidget]
    nameless = [
        f"{type(one).__name__} {one.objectName()} in {one.parent().objectName()}"
        for one in ours
        if not one.accessibleName() and not (isinstance(one, QAbstractButton) and one.text())
    ]
    assert nameless == []


def test_controls_of_the_bar_have_tooltips_with_their_keys(window):
    bar = window.bar
    tips = [button.toolTip() for button in bar.buttons.values() if button.isEnabled()]
    assert tips and all("(" in tip for tip in (*tips, bar.slider.toolTip(), bar.box.toolTip()))
