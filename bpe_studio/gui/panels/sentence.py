"""Why this merge: one line between the bar and the tables, drawn from segments, also read out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.analysis.ties import Why
from bpe_studio.analysis.unicode_view import LabelMode
from bpe_studio.gui.theme import colors, mono_font
from bpe_studio.gui.token_painter import TokenPainter, fill_indices, plain_tooltip
from bpe_studio.gui.why_text import Segment, plain_text, why_segments

MARGIN = 10
ELLIPSIS = "…"


@dataclass(frozen=True)
class Place:
    """A segment with its place on the line, in pixels; `text` may be cut."""

    segment: Segment
    text: str
    x: float
    width: float


class Sentence(QWidget):
    """The line. Links are reached with Tab and followed with Enter or a click."""

    link_followed = Signal(str)

    def __init__(self, controller: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setObjectName("sentence")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.segments: tuple[Segment, ...] = ()
        self.text = ""
        self._is_tie = False
        self._places: list[Place] = []
        self._chosen_link = 0
        self._mode: LabelMode = "text"
        self._make_painter()
        controller.why_changed.connect(self._on_why)
        controller.selection_changed.connect(self._on_selection)
        self._on_why(controller.why)

    def _make_painter(self) -> None:
        self._chips = TokenPainter(mono_font(), colors(self), self._mode)
        self._lay_out()

    @Slot(str)
    def set_label_mode(self, mode: LabelMode) -> None:
        """Draw chips as text, as bytes or in GPT-2's letters."""
        self._mode = mode
        self._make_painter()

    def sizeHint(self) -> QSize:
        return QSize(200, int(self._chips.height + 12))

    minimumSizeHint = sizeHint

    # --- what it says

    @Slot(object)
    def _on_selection(self, _: Any) -> None:
        self._on_why(self._controller.why)

    @Slot(object)
    def _on_why(self, why: Why | None) -> None:
        self.segments = why_segments(why, is_row=self._controller.selected_row is not None)
        self._is_tie = why is not None and why.is_tie
        text = plain_text(self.segments)
        self._chosen_link = 0
        links = any(segment.kind == "link" for segment in self.segments)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if links else Qt.FocusPolicy.NoFocus)
        if text != self.text:
            self.text = text
            self.setAccessibleName(text)
            self.setToolTip(plain_tooltip(text))
            self._announce()
        self._lay_out()

    def _announce(self) -> None:
        """Read the sentence out after the user's own steps only, never while playing or training."""
        busy = self._controller.is_playing or self._controller.training.state == "training"
        if self.text and not busy and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.text))

    # --- where it stands

    def _font(self, kind: str) -> QFont:
        font = QFont(self.font())
        font.setBold(kind == "strong")
        font.setItalic(kind == "rule")
        return font

    def _lay_out(self) -> None:
        """Place the segments; what does not fit ends in an ellipsis."""
        self._places = []
        x, right = float(MARGIN), float(self.width() - MARGIN)
        for segment in self.segments:
            width = self._width(segment)
            if x + width > right:
                self._end_cut(segment, x, right)
                break
            self._places.append(Place(segment, segment.text, x, width))
            x += width
        self.update()

    def _width(self, segment: Segment) -> float:
        if segment.kind == "chip":
            return self._chips.width(segment.data)
        return QFontMetricsF(self._font(segment.kind)).horizontalAdvance(segment.text)

    def _end_cut(self, segment: Segment, x: float, right: float) -> None:
        metrics = QFontMetricsF(self._font(segment.kind))
        room = metrics.horizontalAdvance(ELLIPSIS)
        if segment.kind == "chip" or right - x < 3 * room:
            while self._places and x + room > right:
                x = self._places.pop().x
            segment, text = Segment("text", ELLIPSIS), ELLIPSIS
        else:
            text = metrics.elidedText(segment.text, Qt.TextElideMode.ElideRight, right - x)
        self._places.append(Place(segment, text, x, metrics.horizontalAdvance(text)))

    # --- how it looks

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        data = colors(self)
        if self._is_tie:
            painter.fillRect(self.rect(), data.tie_background)
        painter.fillRect(
            QRectF(0, self.height() - 1, self.width(), 1), self.palette().color(QPalette.ColorRole.Mid)
        )
        chips = [place for place in self._places if place.segment.kind == "chip"]
        fills = dict(zip(map(id, chips), fill_indices(list(range(len(chips)))).tolist(), strict=True))
        links = [place for place in self._places if place.segment.kind == "link"]
        for place in self._places:
            if place.segment.kind == "chip":
                top = QPointF(place.x, (self.height() - self._chips.height) / 2)
                self._chips.paint(painter, top, place.segment.data, fill=fills[id(place)])
            else:
                self._paint_text(painter, place)
        if self.hasFocus() and links:
            chosen = links[self._chosen_link % len(links)]
            painter.setPen(QPen(data.cursor_line, 1, Qt.PenStyle.DotLine))
            painter.drawRect(QRectF(chosen.x - 2, 4, chosen.width + 4, self.height() - 9))

    def _paint_text(self, painter: QPainter, place: Place) -> None:
        data = colors(self)
        is_link = place.segment.kind == "link"
        font = self._font(place.segment.kind)
        font.setUnderline(is_link)
        painter.setFont(font)
        painter.setPen((data.tie_text if self._is_tie else data.link) if is_link else data.text)
        rect = QRectF(place.x, 0, place.width + 2, self.height())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, place.text)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._make_painter()
            self.updateGeometry()

    # --- links

    @property
    def links(self) -> list[Place]:
        """The links that are visible."""
        return [place for place in self._places if place.segment.kind == "link"]

    def _link_at(self, x: float) -> Place | None:
        return next((place for place in self.links if place.x <= x <= place.x + place.width), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._link_at(event.position().x())
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        link = self._link_at(event.position().x())
        if link is not None and event.button() == Qt.MouseButton.LeftButton:
            self.link_followed.emit(link.segment.target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.links:
            self.link_followed.emit(self.links[self._chosen_link % len(self.links)].segment.target)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from link to link before it leaves the sentence."""
        wanted = self._chosen_link + (1 if forward else -1)
        if self.hasFocus() and 0 <= wanted < len(self.links):
            self._chosen_link = wanted
            self.update()
            return True
        return super().focusNextPrevChild(forward)
