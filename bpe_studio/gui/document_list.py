"""The corpus's documents as a list: name on one line, sizes, encoding and problems on the next."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from bpe_studio.engine.corpus import Corpus, Document
from bpe_studio.gui.theme import colors
from bpe_studio.gui.token_painter import isolate, plain_tooltip
from bpe_studio.gui.wording import size_text

Index = QModelIndex | QPersistentModelIndex
ROWS_SHOWN = 4
PAD = 4


class DocumentModel(QAbstractListModel):
    """Documents of a corpus, in order."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.documents: tuple[Document, ...] = ()

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Show another corpus."""
        self.beginResetModel()
        self.documents = corpus.documents if corpus is not None else ()
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.documents)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        document = self.documents[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return document.name
        if role == Qt.ItemDataRole.ToolTipRole:
            place = str(document.path) if document.path is not None else document.name
            return plain_tooltip("\n".join((place, sizes_text(document), *document.problems)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join((document.name, sizes_text(document), *document.problems))
        return None


def sizes_text(document: Document) -> str:
    """Return ``1.7 kB · 1,690 characters · UTF-8``."""
    noun = "character" if document.n_characters == 1 else "characters"
    return f"{size_text(document.n_bytes)} · {document.n_characters:,} {noun} · {document.encoding}"


class DocumentDelegate(QStyledItemDelegate):
    """Two lines a document; the name is cut in its middle, where names differ least."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style() if option.widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        document = index.model().documents[index.row()]
        rect = option.rect.adjusted(PAD, 2, -PAD, -2)
        metrics = option.fontMetrics
        name = metrics.elidedText(isolate(document.name), Qt.TextElideMode.ElideMiddle, rect.width())
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.save()
        painter.setFont(option.font)
        painter.setPen(option.palette.color(role))
        painter.drawText(
            QRect(rect.left(), rect.top(), rect.width(), metrics.height()), Qt.AlignmentFlag.AlignLeft, name
        )
        self._paint_sizes(painter, option, rect, document, selected)
        painter.restore()

    def _paint_sizes(
        self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, document: Document, selected: bool
    ) -> None:
        font = small_font(option)
        metrics = QFontMetrics(font)
        line = QRect(rect.left(), rect.bottom() - metrics.height() + 1, rect.width(), metrics.height())
        text = "⚠ " + document.problems[0] if document.problems else sizes_text(document)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.PlaceholderText
        color = colors(option.palette).tie_text if document.problems else option.palette.color(role)
        painter.setFont(font)
        painter.setPen(color)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, option.fontMetrics.height() + QFontMetrics(small_font(option)).height() + 6)


def small_font(option: QStyleOptionViewItem) -> QFont:
    """Return the font of the second line."""
    font = QFont(option.font)
    font.setPointSizeF(max(font.pointSizeF() * 0.85, 5.0))
    return font


class DocumentList(QListView):
    """As tall as its documents up to a few; then it scrolls, up and down only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("documents")
        self.setAccessibleName(self.tr("Documents"))
        self.documents = DocumentModel(self)
        self.setModel(self.documents)
        self.setItemDelegate(DocumentDelegate(self))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.documents.modelReset.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        rows = min(max(self.documents.rowCount(), 2), ROWS_SHOWN)
        row = self.fontMetrics().height() * 2 + 6
        self.setFixedHeight(rows * row + 2 * self.frameWidth() + 2)

    def selected_places(self) -> list[int]:
        """Return the selected documents' places, rising."""
        return sorted(index.row() for index in self.selectedIndexes())

    def paintEvent(self, event: Any) -> None:
        super().paintEvent(event)
        if not self.documents.rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            rect = self.viewport().rect().adjusted(6, 2, -6, -2)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(rect, flags, self.tr("Drop files here, paste a text, or open a sample"))
            painter.end()
