"""The window's looks: Fusion with a palette of our own, tinted icons, fonts.

`apply_theme` is called once at the start and again when the user picks another scheme. It sets a complete
palette, because ``QStyleHints.setColorScheme`` changes nothing where the platform has no theme, as offscreen.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.assets import resource
from bpe_studio.gui.data_colors import DARK, LIGHT, DataColors, contrast

__all__ = [
    "SCHEMES",
    "DataColors",
    "apply_theme",
    "colors",
    "contrast",
    "icon",
    "mono_font",
    "palette_for",
    "set_text_size",
]

SCHEMES = ("system", "light", "dark")

_ROLES = QPalette.ColorRole
#: Palette role → (light, dark, light when disabled, dark when disabled); the last two only where they differ.
PALETTE: dict[QPalette.ColorRole, tuple[str, ...]] = {
    _ROLES.Window: ("#f3f4f6", "#1f222a"),
    _ROLES.WindowText: ("#1f2328", "#e6e9ef", "#82888f", "#7d8591"),
    _ROLES.Base: ("#ffffff", "#16181d", "#f7f8f9", "#1b1e25"),
    _ROLES.AlternateBase: ("#f8f9fb", "#1b1e25"),
    _ROLES.Text: ("#1f2328", "#e6e9ef", "#82888f", "#7d8591"),
    _ROLES.PlaceholderText: ("#666d77", "#969eab"),
    _ROLES.Button: ("#fbfbfc", "#2a2e38", "#f3f4f6", "#23262f"),
    _ROLES.ButtonText: ("#1f2328", "#e6e9ef", "#82888f", "#7d8591"),
    _ROLES.BrightText: ("#b3261e", "#ff8d85"),
    _ROLES.Highlight: ("#cfe2fd", "#28476f", "#e3e6ea", "#30353f"),
    _ROLES.HighlightedText: ("#10233f", "#f2f6ff", "#6a717b", "#969eab"),
    _ROLES.Accent: ("#1f6feb", "#6ea8fe"),
    _ROLES.Link: ("#0b57d0", "#8ab8ff"),
    _ROLES.LinkVisited: ("#6b46c1", "#b79bff"),
    _ROLES.ToolTipBase: ("#ffffff", "#2a2e38"),
    _ROLES.ToolTipText: ("#1f2328", "#e6e9ef"),
    _ROLES.Light: ("#ffffff", "#3a3f4b"),
    _ROLES.Midlight: ("#eceef1", "#2f343e"),
    _ROLES.Mid: ("#c6cbd2", "#3a3f4b"),
    _ROLES.Dark: ("#a4abb5", "#121419"),
    _ROLES.Shadow: ("#767d88", "#0c0e11"),
}

OUTLINED = (
    "QCheckBox", "QRadioButton", "QComboBox", "QLineEdit", "QAbstractSpinBox", "QPlainTextEdit", "QListView",
)  # fmt: skip
"""Widgets whose outline tells where they are. Fusion draws it 1.4 times darker than their window colour."""
OUTLINE_SOURCE = ("#c0c5cd", "#98a2b3")

STYLE_SHEET = """
QToolTip { color: palette(tool-tip-text); background: palette(tool-tip-base); border: 1px solid palette(mid);
  padding: 3px; }
QPushButton[primary="true"] { background: palette(accent); color: %s; border: none; border-radius: 4px;
  padding: 5px 12px; font-weight: bold; }
QPushButton[primary="true"]:hover { background: palette(link); }
QPushButton[primary="true"]:focus { border: 2px solid palette(window-text); }
QPushButton[primary="true"]:disabled { background: palette(midlight); color: palette(placeholder-text); }
QLabel#heading { font-weight: bold; }
QHeaderView::section { background: palette(window); color: palette(placeholder-text); border: none;
  border-bottom: 1px solid palette(mid); padding: 3px 4px; }
QDockWidget { titlebar-close-icon: url("%s"); titlebar-normal-icon: url("%s"); }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
"""
"""Fusion's own icons are dark pictures, which are hardly seen on a dark window."""


def set_text_size(app: QApplication, points: float) -> None:
    """Set the size of all text, in points.

    ``QApplication.setFont`` alone does not reach widgets under a style sheet; setting the sheet anew does.
    """
    font = app.font()
    font.setPointSizeF(points)
    app.setFont(font)
    sheet = app.styleSheet()
    app.setStyleSheet("")
    app.setStyleSheet(sheet)


class _SystemScheme(QObject):
    """Repaints the application when the desktop changes between light and dark, while we follow it."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.setObjectName("system_scheme")
        self.follows = True
        app.styleHints().colorSchemeChanged.connect(self.scheme_changed)

    def scheme_changed(self) -> None:
        """Apply the desktop's new scheme unless the user has chosen one."""
        if self.follows:
            _apply(self.parent(), _system_is_dark())


def apply_theme(app: QApplication, scheme: str = "system") -> None:
    """Give the application its style, palette and style sheet.

    Parameters
    ----------
    app : QApplication
        The application.
    scheme : {"system", "light", "dark"}
        "system" follows the desktop, also when it changes later.
    """
    if scheme not in SCHEMES:
        raise ValueError(f"scheme is {scheme!r}; it must be one of {', '.join(SCHEMES)}")
    follower = app.findChild(_SystemScheme, "system_scheme") or _SystemScheme(app)
    follower.follows = scheme == "system"
    _apply(app, _system_is_dark() if follower.follows else scheme == "dark")


def palette_for(is_dark: bool) -> QPalette:
    """Return our complete palette for one scheme, all three colour groups set."""
    palette = QPalette()
    for role, values in PALETTE.items():
        palette.setColor(role, QColor(values[is_dark]))
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(values[-2:][is_dark]))
    return palette


def outlined_palette(is_dark: bool) -> QPalette:
    """Return the palette of the widgets in `OUTLINED`: their outlines are seen on either scheme."""
    palette = palette_for(is_dark)
    palette.setColor(_ROLES.Window, QColor(OUTLINE_SOURCE[is_dark]))
    return palette


def colors(source: QWidget | QPalette | None = None) -> DataColors:
    """Return the data colours that fit a widget's or palette's scheme (the application's when None)."""
    palette = source.palette() if isinstance(source, QWidget) else source or QGuiApplication.palette()
    return DARK if palette.color(QPalette.ColorRole.Base).lightness() < 128 else LIGHT


def mono_font(size: float | None = None) -> QFont:
    """Return the font of tokens and bytes: monospaced, with ligatures off.

    With ligatures ``<|`` and ``->`` would become other signs, and the reader would not see the characters.

    Parameters
    ----------
    size : float or None
        Points; the application's own size when None.
    """
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    own = QGuiApplication.font()
    font.setPointSizeF(size if size is not None else max(own.pointSizeF(), 1.0))
    font.setStyleHint(QFont.StyleHint.Monospace)
    for feature in ("liga", "calt"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


def icon(name: str) -> QIcon:
    """Return an icon of ``resources/icons``, drawn in the palette's text colour in every mode and scheme.

    Parameters
    ----------
    name : str
        File name without ".svg", for instance "play".
    """
    return QIcon(_TintedSvg(name))


class _TintedSvg(QIconEngine):
    """Draws an SVG whose ``currentColor`` is the palette's; QIcon's own engine would paint it black."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        resource(f"icons/{name}.svg")  # a missing icon is told where it is asked for, not while painting

    def clone(self) -> QIconEngine:
        """Return a copy, as `QIcon` asks before it detaches."""
        return _TintedSvg(self._name)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw the icon centred in ``rect``, square."""
        side = min(rect.width(), rect.height())
        square = QRectF(0, 0, side, side)
        square.moveCenter(QRectF(rect).center())
        _renderer(self._name, _icon_color(mode).name()).render(painter, square)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Draw the icon into a pixmap of ``size`` device pixels."""
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return pixmap

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        """Draw the icon for a screen with ``scale`` device pixels to each of the ``size``."""
        pixmap = self.pixmap(size * scale, mode, state)
        pixmap.setDevicePixelRatio(scale)
        return pixmap


def _icon_color(mode: QIcon.Mode) -> QColor:
    group = QPalette.ColorGroup.Disabled if mode == QIcon.Mode.Disabled else QPalette.ColorGroup.Active
    return QGuiApplication.palette().color(group, QPalette.ColorRole.ButtonText)


@lru_cache(maxsize=256)
def _renderer(name: str, color: str) -> QSvgRenderer:
    svg = resource(f"icons/{name}.svg").read_text(encoding="utf-8").replace("currentColor", color)
    return QSvgRenderer(QByteArray(svg.encode()))


def _system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def _apply(app: QApplication, is_dark: bool) -> None:
    app.setStyle("Fusion")
    app.setPalette(palette_for(is_dark))
    for name in OUTLINED:
        app.setPalette(outlined_palette(is_dark), name)
    icons = [resource(f"icons/dock-{name}.svg").as_posix() for name in ("close", "float")]
    app.setStyleSheet(STYLE_SHEET % ("#0f1a2b" if is_dark else "#ffffff", *icons))
