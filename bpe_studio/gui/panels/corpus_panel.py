"""CORPUS: the documents, the settings of the next training, and what its split pattern does to them.

Everything edited here is about the *next* training: nothing touches a run until the button is pressed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QMimeData, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.assets import sample_list
from bpe_studio.engine.patterns import SplitPattern
from bpe_studio.gui.document_list import DocumentList
from bpe_studio.gui.pattern_effect_box import PatternEffectBox
from bpe_studio.gui.run_list import RunList
from bpe_studio.gui.settings_form import SettingsForm
from bpe_studio.gui.theme import icon
from bpe_studio.gui.token_painter import plain_tooltip
from bpe_studio.gui.training_plan import CONTEXT, TrainingPlan, training_plan
from bpe_studio.gui.wording import size_text


class CorpusPanel(QWidget):
    """Documents, settings, cuts and runs.

    Parameters
    ----------
    controller : Controller
        Takes the intentions and tells what has become of them.
    """

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("corpus")
        self.setAccessibleName(self.tr("Corpus"))
        self.setAcceptDrops(True)
        self._controller = controller
        self.plan: TrainingPlan | None = None
        self.documents = DocumentList(self)
        self.form = SettingsForm(self)
        self.effect = PatternEffectBox(self)
        self.runs = RunList(self)
        self._make_labels()
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._on_corpus_changed()
        self._on_settings_changed()
        self._on_runs_changed()

    # -- building ----------------------------------------------------------------------------------

    def _make_labels(self) -> None:
        self.totals = _plain(self)
        self.totals.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.plan_text = _plain(self)
        self.plan_text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.plan_text.setAccessibleName(self.tr("What training would do"))
        self.runs_title = _plain(self)
        self.runs_title.setText(self.tr("Runs"))

    def _make_buttons(self) -> None:
        self.add_files = self._tool("add", self.tr("Add files…"), self._ask_files)
        self.add_folder = self._tool("folder", self.tr("Add a folder…"), self._ask_folder)
        self.paste = self._tool("paste", self.tr("Paste the clipboard's text as a document"), self.paste_text)
        self.samples = self._tool("sample", self.tr("Open a sample"), None)
        self.samples.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.samples.setMenu(self._sample_menu())
        self.remove = self._tool(
            "remove", self.tr("Remove the selected documents (Del)"), self.remove_selected
        )
        self.train = QPushButton(self)
        self.train.setObjectName("train")
        self.train.setProperty("primary", True)
        self.train.clicked.connect(self.start_training)

    def _tool(self, icon_name: str, words: str, slot: Any) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(icon_name))
        button.setAccessibleName(words)
        button.setToolTip(plain_tooltip(words))
        button.setAutoRaise(True)
        if slot is not None:
            button.clicked.connect(slot)
        return button

    def _sample_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for sample in sample_list():
            action = menu.addAction(sample.title.replace("&", "&&"))
            action.setToolTip(plain_tooltip(sample.shows))
            action.setData(sample.key)
        menu.triggered.connect(self._on_sample_chosen)
        return menu

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(2)
        for button in (self.add_files, self.add_folder, self.paste, self.samples, self.remove):
            tools.addWidget(button)
        tools.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 6)
        layout.setSpacing(6)
        layout.addLayout(tools)
        for widget in (
            self.documents,
            self.totals,
            self.form,
            self.plan_text,
            self.train,
            self.effect,
            self.runs_title,
            self.runs,
        ):
            layout.addWidget(widget)
        layout.addStretch(1)

    def _connect(self) -> None:
        controller = self._controller
        controller.corpus_changed.connect(self._on_corpus_changed)
        controller.settings_changed.connect(self._on_settings_changed)
        controller.runs_changed.connect(self._on_runs_changed)
        controller.merges_appended.connect(self._on_merges_appended)
        controller.training_changed.connect(self._on_training_changed)
        self.form.changed.connect(self._on_form_changed)
        self.form.pattern_changed.connect(self._on_pattern_changed)
        self.runs.chosen.connect(controller.select_run)
        self.runs.removed.connect(controller.delete_run)
        self.documents.selectionModel().selectionChanged.connect(self._on_selection_changed)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.documents)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self.remove_selected)

    # -- facts -------------------------------------------------------------------------------------

    def _on_corpus_changed(self) -> None:
        corpus = self._controller.session.corpus
        self.documents.documents.set_corpus(corpus)
        self.totals.setText(totals_text(corpus))
        self.totals.setToolTip(plain_tooltip("\n".join(corpus.skipped)) if corpus is not None else "")
        self.totals.setVisible(bool(self.totals.text()))
        self._on_selection_changed()
        self.effect.set_corpus(corpus)
        self._show_plan()

    def _on_settings_changed(self) -> None:
        self.form.set_config(self._controller.session.settings)
        self._show_plan()

    def _on_runs_changed(self) -> None:
        session = self._controller.session
        self.runs.set_runs(session.runs, session.current)
        for widget in (self.runs, self.runs_title):
            widget.setVisible(bool(session.runs))
        self._show_plan()

    def _on_merges_appended(self, first: int, last: int) -> None:
        session = self._controller.session
        self.runs.set_runs(session.runs, session.current)
        if self._controller.training.state != "training":
            self._show_plan()

    def _on_training_changed(self, status: Any) -> None:
        self._show_plan()

    def _on_selection_changed(self) -> None:
        self.remove.setEnabled(bool(self.documents.selected_places()))

    def _show_plan(self) -> None:
        self.plan = training_plan(self._controller.session)
        said = [_said(line) for line in self.plan.lines]
        self.plan_text.setText("\n".join(said))
        self.train.setText(_said(self.plan.button).replace("&", "&&"))
        is_busy = self._controller.training.state in ("training", "preparing", "reading")
        self.train.setEnabled(bool(self.plan.action) and not self.form.problem and not is_busy)
        why_not = self.form.problem or (said[0] if not self.plan.action else "")
        self.train.setToolTip(plain_tooltip(why_not or self.tr("Train at full speed to the target (Ctrl+R)")))

    # -- intentions --------------------------------------------------------------------------------

    def start_training(self) -> None:
        """Do what the button says."""
        assert self.plan is not None
        if self.plan.action == "train":
            self._controller.train_to_target()
        elif self.plan.action == "extend":
            self._controller.extend(self._controller.session.settings.vocab_size)
        elif self.plan.action == "new_run":
            self._controller.start_new_run()

    def _on_form_changed(self, keywords: dict[str, Any]) -> None:
        self.form.set_problem(self._controller.change_settings(**keywords) or "")
        self._show_plan()

    def _on_pattern_changed(self, pattern: SplitPattern | None) -> None:
        self.effect.set_pattern(pattern)
        self._show_plan()

    def _on_sample_chosen(self, action: Any) -> None:
        self._controller.open_sample(action.data())

    def _ask_files(self) -> None:
        paths, _ = QFileDialog.getOpenFileNames(self, self.tr("Add files as documents"))
        self._add(paths)

    def _ask_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, self.tr("Add a folder's files as documents"))
        self._add([path] if path else [])

    def _add(self, paths: list[str]) -> None:
        if paths:
            errors = self._controller.session.settings.errors
            self._controller.add_paths([Path(path) for path in paths], errors)

    def paste_text(self) -> None:
        """Add the clipboard's files or text as documents."""
        # An empty clipboard has no data at all on some platforms.
        self.take(QGuiApplication.clipboard().mimeData() or QMimeData(), self.tr("pasted text"))

    def remove_selected(self) -> None:
        """Take the selected documents out of the corpus."""
        places = self.documents.selected_places()
        if places:
            self._controller.remove_documents(places)

    # -- dropping: here everything is a document ---------------------------------------------------

    def take(self, data: QMimeData, name: str) -> bool:
        """Add dropped or pasted files, or else a text, as documents; False if there is neither."""
        paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
        if paths:
            self._add(paths)
        elif data.hasText() and data.text():
            self._controller.add_text(name, data.text())
        else:
            self._controller.message.emit(self.tr("There is no text to add."))
            return False
        return True

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.take(event.mimeData(), self.tr("dropped text")):
            event.acceptProposedAction()


def totals_text(corpus: Any) -> str:
    """Return ``3 documents · 12.3 kB · 2 skipped``; nothing for a single whole document."""
    if corpus is None or (len(corpus.documents) < 2 and not corpus.skipped):
        return ""
    parts = [f"{len(corpus.documents):,} documents", size_text(corpus.n_bytes)]
    if corpus.skipped:
        parts.append(f"{len(corpus.skipped):,} skipped")
    return " · ".join(parts)


def _said(line: tuple[str, dict[str, str]]) -> str:
    text, values = line
    return QCoreApplication.translate(CONTEXT, text).format(**values)


def _plain(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
