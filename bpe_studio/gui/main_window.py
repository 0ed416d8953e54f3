"""The main window: puts the parts together. What a part does is in its own file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QMimeData, QPoint, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QVBoxLayout, QWidget

from bpe_studio.formats.reports import SaveReport
from bpe_studio.gui.actions import make_actions
from bpe_studio.gui.closing import Closing
from bpe_studio.gui.controller import Controller
from bpe_studio.gui.dialogs.files import FileDialogs
from bpe_studio.gui.dropping import FileDropFilter
from bpe_studio.gui.layout import (
    arrange,
    bring_onto_a_screen,
    make_docks,
    resize_docks,
    restore_layout,
    saved_layout,
)
from bpe_studio.gui.menus import Menus
from bpe_studio.gui.panels.bar import PlayerBar
from bpe_studio.gui.panels.merges_panel import MergesPanel
from bpe_studio.gui.panels.sentence import Sentence
from bpe_studio.gui.preferences import Preferences
from bpe_studio.gui.status_line import StatusLine
from bpe_studio.gui.tables.find_bar import FindBar
from bpe_studio.gui.theme import apply_theme, set_text_size
from bpe_studio.gui.why_text import EXTEND

USUAL_SIZE = (1280, 640)


class MainWindow(QMainWindow):
    """Bar, sentence and MERGES in the middle, the other panels as docks around them."""

    def __init__(self, controller: Controller, preferences: Preferences) -> None:
        super().__init__()
        self.controller = controller
        self.preferences = preferences
        self._usual_font_size = QApplication.font().pointSizeF()
        self.setObjectName("main-window")
        self.setAcceptDrops(True)
        self.actions_by_name = make_actions(self)
        self.files = FileDialogs(controller, self)
        self.closing = Closing(controller, self.files, self)
        self.bar = PlayerBar(controller, self.actions_by_name, self)
        self.sentence = Sentence(controller, self)
        self.merges = MergesPanel(controller, self)
        self.setCentralWidget(self._middle())
        self.docks = make_docks(self, controller)
        self.setStatusBar(StatusLine(controller, self))
        self.menus = Menus(self, self.actions_by_name, self.docks, controller, preferences)
        self._drop_filter = FileDropFilter(self)
        self._drop_filter.watch(self)
        self._connect()
        controller.set_speed(preferences["play_speed"])
        self._restore()
        self._show_title()

    def _middle(self) -> QWidget:
        middle = QWidget(self)
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(self.sentence)
        layout.addWidget(self.merges, 1)
        return middle

    def _connect(self) -> None:
        controller = self.controller
        for fact in (controller.runs_changed, controller.merges_appended, controller.settings_changed):
            fact.connect(self._show_title)
        controller.file_opened.connect(self._on_file_opened)
        controller.saved.connect(self._on_saved)
        self.closing.allowed.connect(self.close)
        self.sentence.link_followed.connect(self.follow)
        controller.speed_changed.connect(self._on_speed)
        controller.cursor_moved.connect(self._tell_hidden_row)
        self.merges.filter.textChanged.connect(self._tell_hidden_row)
        panels = (self.docks[name].widget() for name in ("candidates", "words", "bytes"))
        for shown in (self.sentence, self.merges, *panels):
            self.docks["preview"].widget().mode_changed.connect(shown.set_label_mode)

    # --- title, menus

    @Slot()
    def _show_title(self) -> None:
        run = self.controller.session.current
        # "[*]" marks the place of the star; one that is part of a name is written twice.
        shown = (
            "" if run is None else f"{run.name} · {run.config.tie_rule}".replace("[*]", "[*][*]") + "[*] — "
        )
        self.setWindowTitle(f"{shown}BPE Studio" if shown else "BPE Studio[*]")
        self.setWindowModified(self.controller.session.has_unsaved_merges)

    @Slot()
    def _tell_hidden_row(self) -> None:
        k, n = self.controller.session.cursor, self.controller.session.n_merges
        row = k if k < n else k - 1
        self.bar.show_hidden(0 <= row < n and not self.merges.shows_row(row))

    @Slot(object)
    def _on_file_opened(self, path: Path) -> None:
        self.preferences.add_recent_file(path)

    @Slot(object)
    def _on_saved(self, report: SaveReport) -> None:
        self.preferences.add_recent_file(report.path)

    @Slot(float)
    def _on_speed(self, speed: float) -> None:
        self.preferences["play_speed"] = speed

    # --- actions of the window itself

    @Slot(str)
    def follow(self, target: str) -> None:
        """Go where a link of the sentence leads: to a panel, or to the dialog for a larger vocabulary."""
        if target == EXTEND:
            self.files.ask_extend()
        else:
            self.docks[target].show()
            self.docks[target].raise_()

    def find(self) -> None:
        """Open the find line of the panel that has the keyboard, or that of MERGES."""
        self._find_bar().open_bar()

    def find_again(self, direction: int) -> None:
        """Go to the next or previous match of that panel, or without one sought, merge of what is pinned."""
        bar = self._find_bar()
        if bar.is_seeking:
            bar.find_again(direction)
        else:
            self.controller.select_touching(direction)

    def _find_bar(self) -> FindBar:
        widget = QApplication.focusWidget()
        while widget is not None and widget not in (self, self.centralWidget()):
            bar = widget.findChild(FindBar)
            if bar is not None:
                return bar
            widget = widget.parentWidget()
        return self.merges.findChild(FindBar)

    def escape(self) -> None:
        """Close find, else free the selection and the pin, else pause; never stop a run."""
        controller = self.controller
        if any([bar.close_bar() for bar in self.findChildren(FindBar)]):
            return
        if controller.selected_row is not None or controller.session.pin is not None:
            controller.select_row(None)
            controller.pin(None)
        else:
            controller.pause()

    def zoom(self, direction: int) -> None:
        """Make all text larger or smaller; 0 goes back to the usual size."""
        scale = self.preferences["text_scale"] + direction if direction else 0
        self.preferences["text_scale"] = min(max(-4, scale), 12)
        self._apply_text_scale()

    def _apply_text_scale(self) -> None:
        points = max(6.0, self._usual_font_size + self.preferences["text_scale"])
        set_text_size(QApplication.instance(), points)

    def choose_scheme(self, scheme: str) -> None:
        """Switch between light, dark and the system's colours."""
        self.preferences["scheme"] = scheme
        apply_theme(QApplication.instance(), scheme)

    def reset_layout(self) -> None:
        """Put every panel back in its usual place."""
        arrange(self, self.docks)

    # --- coming and going

    def _restore(self) -> None:
        if self.preferences["text_scale"]:
            self._apply_text_scale()
        self.resize(*USUAL_SIZE)
        arrange(self, self.docks)
        geometry = self.preferences["geometry"]
        if geometry:
            self.restoreGeometry(QByteArray(geometry))
        self._has_layout = restore_layout(self, self.preferences["layout"])
        bring_onto_a_screen(self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._has_layout:
            # Docks take their shares only once the window has its size.
            self._has_layout = True
            resize_docks(self, self.docks)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.closing.may_close():
            event.ignore()
            return
        self.preferences["geometry"] = bytes(self.saveGeometry().data())
        self.preferences["layout"] = saved_layout(self)
        self.preferences.save()
        self.hide()  # a thread may need a second to hear that it is to end
        self.controller.shutdown()
        event.accept()

    # --- dropping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.take_drop(event.mimeData(), self.is_over_corpus(event.position().toPoint()))
        event.acceptProposedAction()

    def is_over_corpus(self, place: QPoint) -> bool:
        """True if a place in the window belongs to CORPUS."""
        corpus = self.docks["corpus"]
        return corpus.isVisible() and not corpus.isFloating() and corpus.geometry().contains(place)

    def take_drop(self, data: QMimeData, on_corpus: bool) -> None:
        """Take what was dropped: a document on CORPUS, elsewhere a tokenizer if its content is one."""
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if paths and on_corpus:
            self.controller.add_paths(paths)
        elif paths:
            for path in paths:
                self.controller.open_path(path)
        elif data.hasText():
            self.controller.add_text(self.tr("dropped text"), data.text())
