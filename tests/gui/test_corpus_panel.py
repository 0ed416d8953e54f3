from __future__ import annotations

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QScrollArea

from bpe_studio.analysis.pattern_effect import pattern_effect
from bpe_studio.assets import sample_list
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.errors import BpeStudioError, PatternError
from bpe_studio.engine.patterns import resolve_expression, resolve_pattern
from bpe_studio.gui.document_list import sizes_text
from bpe_studio.gui.panels.corpus_panel import CorpusPanel
from bpe_studio.gui.pattern_effect_box import effect_notes, legend_lines
from bpe_studio.gui.settings_fields import FIELDS
from bpe_studio.gui.settings_form import SettingsForm, error_at_column
from bpe_studio.gui.training_plan import training_plan
from bpe_studio.session import Session
from tests.gui.fakes import run_on, trained_run
from tests.gui.preview_fakes import PreviewController

WORDS = [("aaabdaaabac", 1)]


class CorpusController(PreviewController):
    def change_settings(self, **fields):
        try:
            settings = replace(self.session.settings, **fields)
        except BpeStudioError as error:
            return str(error)
        if settings != self.session.settings:
            self.session.settings = settings
            self.settings_changed.emit()
        return ""

    def set_corpus(self, *texts):
        self.session.corpus = Corpus.from_source(list(texts)) if texts else None
        self.corpus_changed.emit()


def panel_on(qtbot, *texts):
    controller = CorpusController()
    if texts:
        controller.set_corpus(*texts)
    panel = CorpusPanel(controller)
    qtbot.addWidget(panel)
    panel.resize(240, 760)
    panel.show()
    qtbot.waitExposed(panel)
    QGuiApplication.processEvents()
    return controller, panel


def choose(panel, name, value):
    box = panel.form.editors[name]
    box.setCurrentIndex(box.findData(value))


# ---- documents -------------------------------------------------------------------------------------------


def test_documents_are_listed_with_sizes_and_encoding(qtbot):
    controller, panel = panel_on(qtbot, "naïve", "R&D <b>")
    model = panel.documents.documents
    assert model.rowCount() == 2
    assert sizes_text(model.documents[0]) == "6 B · 5 characters · text"
    assert panel.totals.text() == "2 documents · 13 B"
    controller.set_corpus()
    assert model.rowCount() == 0 and not panel.totals.isVisible()


def test_the_panel_fits_into_240_pixels_without_a_horizontal_bar(qtbot):
    area = QScrollArea()
    qtbot.addWidget(area)
    controller = CorpusController()
    controller.set_corpus("x" * 50)
    panel = CorpusPanel(controller)
    area.setWidgetResizable(True)
    area.setWidget(panel)
    area.resize(240, 400)
    area.show()
    qtbot.waitExposed(area)
    panel.form.toggle.setChecked(True)
    choose(panel, "pattern", "custom")
    choose(panel, "tie_rule", "random")
    QGuiApplication.processEvents()
    assert not area.horizontalScrollBar().isVisible()
    assert panel.minimumSizeHint().width() <= area.viewport().width()


def test_removing_takes_the_selected_documents(qtbot):
    controller, panel = panel_on(qtbot, "a", "b", "c")
    assert not panel.remove.isEnabled()
    panel.documents.setCurrentIndex(panel.documents.documents.index(1))
    panel.remove.click()
    assert controller.calls[-1] == ("remove_documents", [1])
    panel.documents.setFocus()
    qtbot.keyClick(panel.documents, Qt.Key.Key_Delete)
    assert controller.calls.count(("remove_documents", [1])) == 2


def test_samples_are_in_the_menu_under_their_titles(qtbot):
    controller, panel = panel_on(qtbot)
    actions = panel.samples.menu().actions()
    assert [action.text().replace("&&", "&") for action in actions] == [s.title for s in sample_list()]
    actions[0].trigger()
    assert controller.calls[-1] == ("open_sample", "aaabdaaabac")


def drop(panel, data):
    position = QPointF(20, 20)
    event = QDropEvent(
        position, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    panel.dropEvent(event)
    return event.isAccepted()


def test_whatever_is_dropped_here_is_a_document(qtbot, tmp_path):
    controller, panel = panel_on(qtbot)
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    files, text = QMimeData(), QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(path))])
    text.setText("dropped")
    drop(panel, files)
    assert controller.calls[-1] == ("add_paths", [path], "strict")
    drop(panel, text)
    assert controller.calls[-1] == ("add_text", "dropped text", "dropped")


def test_pasting_nothing_says_so(qtbot):
    controller, panel = panel_on(qtbot)
    seen = []
    controller.message.connect(seen.append)
    QGuiApplication.clipboard().clear()
    panel.paste.click()
    assert seen == ["There is no text to add."]
    QGuiApplication.clipboard().setText("a\r\nb")
    panel.paste.click()
    assert controller.calls[-1] == ("add_text", "pasted text", "a\r\nb")


# ---- settings --------------------------------------------------------------------------------------------

SETTINGS = (
    {},
    {"alphabet": "characters", "character_coverage": 0.9995, "byte_fallback": True, "pattern": "whitespace"},
    {"pattern": r"\p{L}+|\s+", "tie_rule": "random:18446744073709551615", "min_frequency": 7},
    {"special_tokens": ("<|endoftext|>", " a b "), "special_placement": "first", "max_token_length": 9},
    {"byte_order": "gpt2", "tie_rule": "lowest-ids", "lines": True, "vocab_size": 100_000, "pattern": "none"},
)


@pytest.mark.parametrize("keywords", SETTINGS)
def test_the_form_says_what_the_settings_are_and_back(qtbot, keywords):
    form = SettingsForm()
    qtbot.addWidget(form)
    config = TrainingConfig(**keywords)
    form.set_config(config)
    assert replace(TrainingConfig(), **form.keywords()) == config
    assert form.editors_say(config) and not form.problem


def test_every_setting_of_a_training_is_in_the_form():
    elsewhere = {"errors", "n_threads", "base_characters", "unknown_token"}
    names = {field.name for field in FIELDS} - {"expression", "seed"}
    assert names == set(TrainingConfig.__dataclass_fields__) - elsewhere


def test_fields_show_only_where_they_mean_something(qtbot):
    _, panel = panel_on(qtbot)
    editors = panel.form.editors
    assert not editors["character_coverage"].isVisible() and not editors["seed"].isVisible()
    choose(panel, "alphabet", "characters")
    choose(panel, "tie_rule", "random")
    assert editors["character_coverage"].isVisible() and editors["seed"].isVisible()


def test_an_edit_reaches_the_controller(qtbot):
    controller, panel = panel_on(qtbot, "abc")
    choose(panel, "tie_rule", "random")
    panel.form.editors["seed"].setText("7")
    panel.form.editors["special_tokens"].setPlainText("<s>\n\n</s>\n")
    settings = controller.session.settings
    assert (settings.tie_rule, settings.special_tokens) == ("random:7", ("<s>", "</s>"))


def test_an_expression_that_reads_like_a_name_is_an_expression(qtbot):
    controller, panel = panel_on(qtbot, "abc")
    choose(panel, "pattern", "custom")
    panel.form.editors["expression"].setText("gpt2")
    assert resolve_pattern(controller.session.settings.pattern).split("a gpt2") == ["a ", "gpt2"]


def test_what_the_controller_refuses_stands_in_the_form_and_train_is_off(qtbot):
    controller, panel = panel_on(qtbot, "abc")
    before = controller.session.settings
    panel.form.editors["special_tokens"].setPlainText("<s>\n<s>")
    assert "given twice" in panel.form.other_problem.text() and not panel.train.isEnabled()
    assert controller.session.settings == before
    panel.form.editors["special_tokens"].setPlainText("<s>")
    assert not panel.form.problem and panel.train.isEnabled()


# ---- typing a pattern (C088) -----------------------------------------------------------------------------

BAD = {"[": 1, "(": 1, "*": 0, "a{2,1}": 2, r"\p{Foo}": 7, "\\": 1, "a**": 2, "(?i": 3}
GOOD = ["(?P<n>a)(?P<n>b)", "(?<=a+)b", "", "^", "a*", "(?=x)"]


@pytest.mark.parametrize("expression", BAD)
def test_a_bad_expression_says_its_column_and_train_is_off(qtbot, expression):
    controller, panel = panel_on(qtbot, "abc")
    choose(panel, "pattern", "custom")
    before = controller.session.settings
    panel.form.editors["expression"].setText(expression)
    lines = panel.form.pattern_problem.text().split("\n")
    assert lines[0].startswith(f"Column {BAD[expression] + 1}: ")
    assert lines[-1].index("^") == BAD[expression]
    assert panel.form.pattern_problem.isVisible() and not panel.train.isEnabled()
    assert controller.session.settings == before


@pytest.mark.parametrize("expression", GOOD)
def test_an_odd_expression_is_accepted_and_explained(qtbot, expression):
    _, panel = panel_on(qtbot, "zzz abx")
    choose(panel, "pattern", "custom")
    panel.form.editors["expression"].setText(expression)
    QGuiApplication.processEvents()
    assert not panel.form.problem and panel.train.isEnabled()
    if expression in ("", "^", "a*", "(?=x)"):
        assert panel.effect.notes.text()


def test_typing_key_by_key_never_opens_a_dialog(qtbot):
    controller, panel = panel_on(qtbot, "ab 12")
    choose(panel, "pattern", "custom")
    line = panel.form.editors["expression"]
    line.clear()
    for key in r"\p{L}+|\s+":
        qtbot.keyClicks(line, key)
        assert QGuiApplication.modalWindow() is None
    assert not panel.form.problem
    assert controller.session.settings.pattern == r"\p{L}+|\s+"
    panel.effect.refresh()
    assert [cut.text for cut in panel.effect.view.effect.cuts] == ["ab", " ", "12"]


def test_a_far_column_shows_only_its_neighbourhood():
    error = PatternError("The split pattern does not compile: multiple repeat at column 42.", position=41)
    text = error_at_column("x" * 40 + "**" + "y" * 40, error)
    what, near, caret = text.split("\n")
    assert what == "Column 42: multiple repeat"
    assert near.startswith("…") and len(near) < 30 and near[caret.index("^")] == "*"


# ---- the effect of the pattern ---------------------------------------------------------------------------


def test_cuts_name_the_alternative_that_matched():
    effect = pattern_effect(resolve_expression(r"[a-z]+|\d+"), "ab12 x")
    assert [(cut.text, cut.alternative, cut.is_covered) for cut in effect.cuts] == [
        ("ab", 0, True),
        ("12", 1, True),
        (" ", None, False),
        ("x", 0, True),
    ]
    assert legend_lines(effect) == ["1  [a-z]+", r"2  \d+"]
    assert effect_notes(effect) == ["1 piece is matched by nothing (hatched) and kept whole."]


@pytest.mark.parametrize("expression", [r"(a+)+$", r"(a|aa)+b|x", r"(?:a*)*b"])
def test_a_pattern_that_runs_away_is_stopped_soon(expression):
    start = time.perf_counter()
    effect = pattern_effect(resolve_expression(expression), "a" * 300 + "!" * 40)
    took = time.perf_counter() - start
    print(f"{expression}: {took * 1000:.0f} ms {effect.problem}")
    assert took < 0.5


def test_without_a_corpus_an_example_is_cut(qtbot):
    controller, panel = panel_on(qtbot)
    assert "example" in panel.effect.title.text() and panel.effect.view.n_items > 10
    controller.set_corpus("two words")
    panel.effect.refresh()
    assert [cut.text for cut in panel.effect.view.effect.cuts] == ["two", " words"]
    assert "alternative 2 of 7" in panel.effect.view.item_tip(0)
    panel.grab()


# ---- what Train would do ---------------------------------------------------------------------------------


def said(plan):
    return [text.format(**values) for text, values in (plan.button, *plan.lines)]


def session_on(run=None, corpus="aaabdaaabac", **settings):
    session = Session()
    session.corpus = Corpus.from_source(corpus) if corpus is not None else None
    if run is not None:
        session.add_run(run)
        session.settings = run.config
    session.settings = replace(session.settings, **settings)
    return session


def test_the_number_of_merges_is_said_beforehand():
    plan = training_plan(session_on(vocab_size=300, special_tokens=("<|endoftext|>", "<|pad|>")))
    assert (plan.action, said(plan)) == (
        "new_run",
        ["Train to 300", "42 merges: 300 − 256 bytes − 2 special tokens."],
    )


def test_a_vocabulary_that_is_too_small_gives_the_minimum():
    plan = training_plan(session_on(vocab_size=200, special_tokens=("<s>",)))
    assert (plan.action, said(plan)[1]) == (
        "",
        "The vocabulary needs at least 257: 256 bytes + 1 special token.",
    )


def test_without_a_corpus_nothing_can_be_trained():
    plan = training_plan(session_on(corpus=None))
    assert plan.action == "" and said(plan)[1] == "Add a document first."


def test_the_current_run_is_trained_on():
    plan = training_plan(session_on(run_on(WORDS, pattern="none", vocab_size=300)))
    assert (plan.action, said(plan)[0]) == ("train", "Train to 300")


def test_a_larger_vocabulary_extends_the_run():
    run = trained_run(WORDS, 3, pattern="none", vocab_size=259)
    plan = training_plan(session_on(run, vocab_size=400))
    assert (plan.action, said(plan)[0]) == ("extend", "Train to 400")


def test_other_settings_start_a_new_run_and_say_so():
    run = trained_run(WORDS, 3, pattern="none", vocab_size=300)
    plan = training_plan(session_on(run, min_frequency=3))
    assert plan.action == "new_run"
    assert said(plan)[:2] == ["Train a new run", "These settings start a new run."]


def test_another_corpus_starts_a_new_run_and_says_so():
    run = trained_run(WORDS, 3, pattern="none", vocab_size=300)
    run.stale = True
    plan = training_plan(session_on(run))
    sentence = "This run was trained on an earlier corpus: training starts a new run."
    assert said(plan)[:2] == ["Train a new run", sentence]


def test_a_run_that_cannot_go_on_says_why():
    run = trained_run(WORDS, 3, pattern="none", vocab_size=300)
    numbers = {
        "best_count": 1,
        "min_frequency": 2,
        "short": 41,
        "target": 300,
        "n_merges": 3,
        "vocab_size": 259,
    }
    run.stop_reason = StopReason("min_frequency", numbers)
    plan = training_plan(session_on(run))
    assert plan.action == "" and said(plan)[1].startswith("The best count, 1, is below the minimum of 2")
    full = trained_run(WORDS, 3, pattern="none", vocab_size=259)
    assert said(training_plan(session_on(full)))[1] == "Vocabulary full at 259: raise it to go on."


def test_characters_are_counted_before_their_merges_can_be_told():
    plan = training_plan(session_on(alphabet="characters", vocab_size=20))
    assert said(plan)[1] == "Merges: 20 − the corpus's characters."
    run = run_on([("low", 2)], alphabet="characters", pattern="none", vocab_size=20)
    assert said(training_plan(session_on(run)))[1] == "17 merges: 20 − 3 base tokens."


def test_the_button_calls_the_verb_that_it_names(qtbot):
    controller, panel = panel_on(qtbot, "aaabdaaabac")
    panel.train.click()
    assert controller.calls[-1] == ("start_new_run",)
    controller.show_run(run_on(WORDS, pattern="gpt4", vocab_size=512))
    panel.train.click()
    assert controller.calls[-1] == ("train_to_target",)


# ---- runs ------------------------------------------------------------------------------------------------


def test_runs_are_listed_chosen_and_deleted(qtbot, monkeypatch):
    controller, panel = panel_on(qtbot, "aaabdaaabac")
    assert not panel.runs.isVisible()
    first = trained_run(WORDS, 3, pattern="none")
    first.name, first.stale = "a & b", True
    controller.show_run(first)
    controller.show_run(run_on(WORDS, pattern="none"))
    assert [panel.runs.item(i).text() for i in range(2)] == ["3 ⚠ · a & b", "0 · run"]
    assert "trained on an earlier corpus" in panel.runs.item(0).toolTip()
    panel.runs.itemClicked.emit(panel.runs.item(0))
    assert controller.calls[-1] == ("select_run", 0)
    answers = iter([QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard])
    monkeypatch.setattr(QMessageBox, "exec", lambda box: next(answers))
    panel.runs.setCurrentRow(0)
    for _ in range(2):
        panel.runs.actions()[0].trigger()
    assert controller.calls.count(("delete_run", 0)) == 1


def test_everything_has_a_name_and_a_tooltip(qtbot):
    _, panel = panel_on(qtbot)
    for button in (panel.add_files, panel.add_folder, panel.paste, panel.samples, panel.remove):
        assert button.accessibleName() and button.toolTip()
    for editor in panel.form.editors.values():
        assert editor.accessibleName() and editor.toolTip()


def test_very_long_pretokens_are_told_before_the_training():
    """Case C021: 200,000 letters without a cut."""
    plan = training_plan(session_on(corpus="acgt" * 5000, pattern="none"))
    assert any("20,000 bytes" in line for line in said(plan))
    plan = training_plan(session_on(run_on([("x" * 12_000, 1)])))
    assert any("12,000 bytes" in line for line in said(plan))
    assert not any("bytes:" in line for line in said(training_plan(session_on(pattern="none"))))
