"""Taking a chart away: its menu, and the files it writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

if TYPE_CHECKING:
    from bpe_studio.gui.chart_view import ChartView


def svg_of(widget: QWidget, title: str) -> bytes:
    """Return a widget as it is painted, as an SVG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(), widget.size()))
    generator.setTitle(title)
    painter = QPainter(generator)
    widget.render(painter, QPoint())
    painter.end()
    return bytes(buffer.data().data())


def chart_menu(view: ChartView) -> QMenu:
    """Return a chart's menu: copy image, save SVG and CSV of what is shown, zoom, axes."""
    menu = QMenu(view)
    menu.addAction(view.tr("Copy image"), view.copy_image)
    menu.addAction(view.tr("Copy CSV of what is shown"), view.copy_csv)
    menu.addAction(view.tr("Save SVG…"), lambda: _save(view, view.tr("SVG (*.svg)"), "svg", view.svg_bytes()))
    menu.addAction(
        view.tr("Save CSV…"), lambda: _save(view, view.tr("CSV (*.csv)"), "csv", view.csv_text().encode())
    )
    menu.addSeparator()
    menu.addAction(view.tr("Show everything"), view.show_all)
    if view.record.counts:
        action = menu.addAction(view.tr("Logarithmic counts"))
        action.setCheckable(True)
        action.setChecked(view.is_logarithmic)
        action.toggled.connect(view.set_logarithmic)
    return menu


def _save(view: ChartView, filter_text: str, suffix: str, data: bytes) -> None:
    path, _ = QFileDialog.getSaveFileName(
        view, view.tr("Save chart"), f"{view.record.name}.{suffix}", filter_text
    )
    if path:
        try:
            Path(path).write_bytes(data)
        except OSError as error:
            view.note.setText(str(error))
            view.note.show()
