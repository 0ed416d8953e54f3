"""What a screen reader says of custom-painted views: role, name, and a value that the view words itself."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleValueChangeEvent
from PySide6.QtWidgets import QAccessibleWidget, QWidget

#: Qt deletes an interface with its widget; the Python side of it must live until then, and may outlive it.
_kept: list[QAccessibleWidget] = []


class Spoken(Protocol):
    """A widget that can say what it shows."""

    def spoken_value(self) -> str:
        """Return what is looked at, in words."""
        ...


class SpokenInterface(QAccessibleWidget):
    """Tells the value of a `Spoken` widget."""

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Value:
            widget: Any = self.object()
            return str(widget.spoken_value()) if widget is not None else ""
        return super().text(kind)


def _interface(class_name: str, thing: QObject) -> QAccessibleWidget | None:
    if not isinstance(thing, QWidget) or not hasattr(thing, "spoken_value"):
        return None
    _kept.append(SpokenInterface(thing, QAccessible.Role.List))
    return _kept[-1]


@cache
def let_views_speak() -> None:
    """Install the factory, once; each `Spoken` widget calls this when it is made."""
    QAccessible.installFactory(_interface)


def value_changed(widget: QWidget) -> None:
    """Tell a screen reader, if there is one, that something else is looked at."""
    if QAccessible.isActive():
        value: Any = widget
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, value.spoken_value()))
