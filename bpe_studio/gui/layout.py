"""Where the panels stand: the docks as a table, the usual arrangement, and the way back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QByteArray, QCoreApplication, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow, QScrollArea, QSizePolicy, QTabBar, QWidget

from bpe_studio.gui.panels.bytes_panel import BytesPanel
from bpe_studio.gui.panels.candidates_panel import CandidatesPanel
from bpe_studio.gui.panels.chart_panel import ChartPanel
from bpe_studio.gui.panels.corpus_panel import CorpusPanel
from bpe_studio.gui.panels.preview_panel import PreviewPanel
from bpe_studio.gui.panels.words_panel import WordsPanel

LAYOUT_VERSION = 1
CONTEXT = "layout"
CORPUS_WIDTH = 240
NARROWEST_CORPUS = 190
Area = Qt.DockWidgetArea


@dataclass(frozen=True)
class DockSpec:
    """One dock: its name, its title, its area and the panel in it."""

    name: str
    title: str
    area: Qt.DockWidgetArea
    panel: type[QWidget]
    scrolls: bool = False


DOCKS: tuple[DockSpec, ...] = (
    DockSpec(
        "corpus", QT_TRANSLATE_NOOP("layout", "Corpus"), Area.LeftDockWidgetArea, CorpusPanel, scrolls=True
    ),
    DockSpec("charts", QT_TRANSLATE_NOOP("layout", "Charts"), Area.RightDockWidgetArea, ChartPanel),
    DockSpec(
        "candidates", QT_TRANSLATE_NOOP("layout", "Candidates"), Area.BottomDockWidgetArea, CandidatesPanel
    ),
    DockSpec("words", QT_TRANSLATE_NOOP("layout", "Words"), Area.BottomDockWidgetArea, WordsPanel),
    DockSpec("preview", QT_TRANSLATE_NOOP("layout", "Preview"), Area.BottomDockWidgetArea, PreviewPanel),
    DockSpec("bytes", QT_TRANSLATE_NOOP("layout", "Bytes"), Area.BottomDockWidgetArea, BytesPanel),
)


def make_docks(window: QMainWindow, controller: Any) -> dict[str, QDockWidget]:
    """Make the docks with their panels; `arrange` puts them in their places."""
    docks: dict[str, QDockWidget] = {}
    for spec in DOCKS:
        dock = QDockWidget(QCoreApplication.translate(CONTEXT, spec.title), window)
        dock.setObjectName(f"dock-{spec.name}")
        panel = spec.panel(controller, dock)
        dock.setWidget(_scrolled(panel) if spec.scrolls else panel)
        docks[spec.name] = dock
    return docks


def _scrolled(panel: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
    area.setMinimumWidth(NARROWEST_CORPUS)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it takes the keyboard
    area.setWidget(panel)
    return area


def arrange(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """Put every dock in its usual place and show it."""
    window.setDockNestingEnabled(True)
    window.setCorner(Qt.Corner.BottomLeftCorner, Area.LeftDockWidgetArea)
    window.setCorner(Qt.Corner.BottomRightCorner, Area.RightDockWidgetArea)
    for spec in DOCKS:
        docks[spec.name].setFloating(False)
        window.addDockWidget(spec.area, docks[spec.name])
    window.splitDockWidget(docks["candidates"], docks["preview"], Qt.Orientation.Vertical)
    window.splitDockWidget(docks["candidates"], docks["words"], Qt.Orientation.Horizontal)
    window.tabifyDockWidget(docks["preview"], docks["bytes"])
    for dock in docks.values():
        dock.show()
    docks["preview"].raise_()
    name_tab_bars(window)
    resize_docks(window, docks)


def name_tab_bars(window: QMainWindow) -> None:
    """Tell screen readers what the tabs under docks are for; Qt makes the bars as they are needed."""
    for bar in window.findChildren(QTabBar):
        bar.setAccessibleName(QCoreApplication.translate("layout", "Panels in one place"))
        bar.setToolTip(bar.accessibleName())


def resize_docks(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """Give the docks their usual shares of the window."""
    horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    width, height = window.width(), window.height()
    window.resizeDocks([docks["corpus"], docks["charts"]], [CORPUS_WIDTH, max(260, width // 5)], horizontal)
    middle = width - CORPUS_WIDTH - max(260, width // 5)
    window.resizeDocks(
        [docks["candidates"], docks["words"]], [middle * 6 // 10, middle * 4 // 10], horizontal
    )
    window.resizeDocks(
        [docks["candidates"], docks["preview"]], [height * 26 // 100, height * 26 // 100], vertical
    )


def restore_layout(window: QMainWindow, layout: bytes) -> bool:
    """Put the docks where they were; False if the bytes are no layout of this version."""
    return bool(layout) and window.restoreState(QByteArray(layout), LAYOUT_VERSION)


def saved_layout(window: QMainWindow) -> bytes:
    """Return where the docks are."""
    return bytes(window.saveState(LAYOUT_VERSION).data())


def bring_onto_a_screen(window: QMainWindow) -> None:
    """Move a window that would open where no screen is (any more), and make it no larger than its screen."""
    screens = QGuiApplication.screens()
    frame = window.frameGeometry()
    reachable = QRect(frame.x(), frame.y(), frame.width(), 40)  # its title bar can be taken hold of
    home = next((one for one in screens if one.availableGeometry().intersects(reachable)), None)
    place = (home or QGuiApplication.primaryScreen()).availableGeometry()
    size = window.size().boundedTo(place.size()).expandedTo(window.minimumSizeHint().boundedTo(place.size()))
    window.resize(size)
    if home is None:
        window.move(place.center() - window.rect().center())
