"""The bar at the top, like a player: step, back, play, jump, slider over the margin strip, box, speed."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QToolButton,
    QToolTip,
    QWidget,
)

from bpe_studio.gui.margin_strip import DOTS_HEIGHT, MarginStrip
from bpe_studio.gui.theme import colors, icon

SPEEDS = (0.5, 1, 2, 4, 10, 30, 100, 1000)
BUTTONS = ("to-start", "back", "play", "forward", "to-end")
ACTIONS = {"to-start": "to-start", "back": "back", "play": "play", "forward": "step", "to-end": "to-end"}
STRIP_HEIGHT = 34


class MergeSlider(QSlider):
    """A slider over all merges up to the target; the part that is not made yet cannot be reached."""

    chosen = Signal(int)

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._controller = controller
        self._strip = MarginStrip()
        self.setObjectName("merge-slider")
        self.setAccessibleName(self.tr("Merges in effect"))
        self.setToolTip(self.tr("Count, margin and ties of every merge; a click goes there (← →, Home, End)"))
        self.setPageStep(100)
        self.setMinimumWidth(80)
        self.setFixedHeight(STRIP_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.valueChanged.connect(self._on_value_changed)
        self._is_ours = False

    def show_position(self, k: int, n: int) -> None:
        """Show the cursor without choosing it."""
        self._is_ours = True
        self.setRange(0, n)
        self.setValue(k)
        self._is_ours = False
        self.update()

    @Slot(int)
    def _on_value_changed(self, value: int) -> None:
        if not self._is_ours:
            self.chosen.emit(value)

    @property
    def _n_shown(self) -> int:
        run = self._controller.session.current
        return max(1, run.n_target) if run is not None else 1

    def _x(self, k: int) -> float:
        return k / self._n_shown * self.width()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _choose(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.setValue(round(event.position().x() / max(1, self.width()) * self._n_shown))

    def paintEvent(self, event: QPaintEvent) -> None:
        run = self._controller.session.current
        painter = QPainter(self)
        data = colors(self)
        ground = QRectF(0, self.height() - DOTS_HEIGHT - 1, self.width(), 1)
        painter.fillRect(ground, data.grid)
        if run is not None:
            size = QSize(self.width(), self.height())
            painter.drawPixmap(
                0, 0, self._strip.pixmap(run.log, run.n_target, size, self.devicePixelRatioF(), data)
            )
            self._paint_cursor(painter, data.crosshair)
        if self.hasFocus():
            painter.setPen(QPen(data.cursor_line, 1))
            painter.drawRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1))

    def _paint_cursor(self, painter: QPainter, color: QColor) -> None:
        x = min(max(0.0, self._x(self.value()) - 1), self.width() - 2.0)
        painter.fillRect(QRectF(x, 0, 2, self.height() - 1), color)


class PositionBox(QLineEdit):
    """Shows ``k / n · target N``; while it is edited, it takes a number, ``0x…`` bytes or a token's text."""

    wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.setObjectName("position-box")
        self.setAccessibleName(self.tr("Go to a merge or token"))
        self.setToolTip(self.tr("A number of merges, 0x… bytes, or a token's text (Ctrl+L)"))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.returnPressed.connect(self._on_return)

    def show_position(self, text: str) -> None:
        """Show where the cursor is, unless the user is typing."""
        self._shown = text
        if not self.hasFocus() or not self.isModified():
            self.setText(text)
            self.setCursorPosition(0)
        widest = max(("8,888 / 8,888 · target 8,888", text), key=len)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance(widest) + 16)
        self.setAccessibleDescription(text)

    def give_up(self) -> None:
        """Leave what was typed and show the cursor's place again."""
        self.setText(self._shown)
        self.setModified(False)
        self.clearFocus()

    def focusInEvent(self, event: Any) -> None:
        super().focusInEvent(event)
        self.selectAll()

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.setText(self._shown)

    def keyPressEvent(self, event: Any) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _on_return(self) -> None:
        text = self.text()
        if text != self._shown:
            self.wanted.emit(text)


class PlayerBar(QWidget):
    """The bar. Its buttons are the window's own actions, so that key, menu and button are one thing."""

    def __init__(self, controller: Any, actions: dict[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setObjectName("bar")
        self.setAccessibleName(self.tr("Player bar"))
        self.buttons = {name: self._make_button(name, actions[ACTIONS[name]]) for name in BUTTONS}
        self.slider = MergeSlider(controller, self)
        self.box = PositionBox(self)
        self.speed = self._make_speed()
        self.reason = QLabel(self)
        self.reason.setObjectName("bar-reason")
        self._actions = actions
        self._is_hidden = False
        self._lay_out()
        self._connect()
        self.refresh()

    def _make_button(self, name: str, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"button-{name}")
        button.setIcon(icon(name))
        button.setIconSize(QSize(20, 20))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(action.toolTip())
        button.setAccessibleName(action.text().replace("&", ""))
        button.setAutoRepeat(action.autoRepeat())
        button.clicked.connect(action.trigger)
        return button

    def _make_speed(self) -> QComboBox:
        box = QComboBox(self)
        box.setObjectName("speed")
        box.setAccessibleName(self.tr("Speed of play"))
        box.setToolTip(self.tr("Merges a second while playing (Space)"))
        for speed in SPEEDS:
            box.addItem(self.tr("{0} / s").format(f"{speed:g}"), speed)
        return box

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(4)
        for button in self.buttons.values():
            layout.addWidget(button)
        layout.addSpacing(6)
        layout.addWidget(self.slider, 1)
        layout.addSpacing(6)
        layout.addWidget(self.reason)
        layout.addWidget(self.box)
        layout.addWidget(self.speed)

    def _connect(self) -> None:
        controller = self._controller
        controller.cursor_moved.connect(self.refresh)
        controller.runs_changed.connect(self.refresh)
        controller.corpus_changed.connect(self.refresh)
        controller.merges_appended.connect(self.refresh)
        controller.play_changed.connect(self._show_play)
        controller.training_changed.connect(self._show_play)
        controller.speed_changed.connect(self._show_speed)
        self.slider.chosen.connect(controller.go_to)
        self.box.wanted.connect(self._on_wanted)
        self.speed.activated.connect(self._on_speed)
        self._show_speed(controller.play_speed)

    @Slot()
    def refresh(self) -> None:
        """Show the cursor, and what can be done from here."""
        session, run = self._controller.session, self._controller.session.current
        k, n = session.cursor, session.n_merges
        self.slider.show_position(k, n)
        shown = self.tr("{k} / {n} · target {N}")
        self.box.show_position(
            "" if run is None else shown.format(k=f"{k:,}", n=f"{n:,}", N=f"{run.n_target:,}")
        )
        blocked = self._controller.blocked_reason
        hidden = (
            self.tr("the next merge is filtered out") if k < n else self.tr("the last merge is filtered out")
        )
        self._tell(blocked if run is None else hidden if self._is_hidden else "")
        for widget in (self.slider, self.box, self.speed):
            widget.setEnabled(run is not None)
        for name in ("back", "to-start"):
            self._enable(name, run is not None and k > 0, self.tr("No merge is in effect"))
        self._enable("to-end", run is not None and k < n, self.tr("All merges made are in effect"))
        # A click that is refused says why; a button that cannot be clicked could not.
        self._enable("forward", run is not None, blocked)
        self._enable("play", run is not None, blocked)

    def show_hidden(self, is_hidden: bool) -> None:
        """Say that the row at the cursor is hidden by a filter, or no more."""
        if is_hidden != self._is_hidden:
            self._is_hidden = is_hidden
            self.refresh()

    def _tell(self, text: str) -> None:
        self.reason.setText(text)
        self.reason.setVisible(bool(text))

    def _enable(self, name: str, enabled: bool, reason: str) -> None:
        button, tip = self.buttons[name], self._actions[ACTIONS[name]].toolTip()
        button.setEnabled(enabled)
        button.setToolTip(tip if enabled else reason or tip)

    @Slot()
    def _show_play(self) -> None:
        runs = self._controller.is_playing or self._controller.training.state == "training"
        self.buttons["play"].setIcon(icon("pause" if runs else "play"))
        self.buttons["play"].setAccessibleName(self.tr("Pause") if runs else self.tr("Play"))

    @Slot(float)
    def _show_speed(self, speed: float) -> None:
        nearest = min(range(len(SPEEDS)), key=lambda place: abs(SPEEDS[place] - speed))
        self.speed.setCurrentIndex(nearest)

    @Slot(int)
    def _on_speed(self, place: int) -> None:
        self._controller.set_speed(SPEEDS[place])

    @Slot(str)
    def _on_wanted(self, text: str) -> None:
        problem = self._controller.go_to_text(text)
        if problem:
            QToolTip.showText(self.box.mapToGlobal(self.box.rect().bottomLeft()), problem, self.box)
            self._controller.message.emit(problem)
        else:
            self.box.give_up()

    def edit_position(self) -> None:
        """Put the keyboard into the box (Ctrl+L)."""
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "slider"):
            self.slider.update()
