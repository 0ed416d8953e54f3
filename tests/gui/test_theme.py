from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPalette
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QLabel, QMainWindow

from bpe_studio.gui.data_colors import DARK, LIGHT
from bpe_studio.gui.theme import apply_theme, colors, contrast, icon, mono_font, palette_for

SCHEMES = [(LIGHT, False), (DARK, True)]
# Machado, Oliveira & Fernandes 2009: full dichromacy, on linear RGB.
BLINDNESS = {
    "protan": [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
    "deutan": [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
    "tritan": [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
}


@pytest.fixture
def themed(qapp):
    yield lambda scheme: apply_theme(qapp, scheme)
    apply_theme(qapp, "light")


@pytest.mark.parametrize(("data", "is_dark"), SCHEMES)
def test_text_is_readable_on_everything_it_stands_on(data, is_dark):
    base = palette_for(is_dark).color(QPalette.ColorRole.Base)
    backgrounds = [base, *data.token_fills, data.tie_background, data.next_row, data.last_row]
    assert min(contrast(data.text, background) for background in backgrounds) >= 4.5
    assert min(contrast(data.invisible_text, fill) for fill in data.token_fills) >= 4.5
    assert contrast(data.tie_text, data.tie_background) >= 4.5
    for name in ("tie_text", "lead_bits", "continuation_bits", "ascii_bits", "link", "good", "bad", "winner"):
        assert contrast(getattr(data, name), base) >= 4.5, name
    dimmed_on = (base, data.next_row, data.tie_background)
    assert min(contrast(data.dimmed_text, background) for background in dimmed_on) >= 3
    for name in ("curve_training", "curve_held_out", "curve_third", "cursor_line", "pin", "hatch"):
        assert contrast(getattr(data, name), base) >= 3, name


@pytest.mark.parametrize("is_dark", [False, True])
def test_chrome_text_is_readable_in_every_state(is_dark):
    palette, roles = palette_for(is_dark), QPalette.ColorRole
    pairs = [(roles.WindowText, roles.Window), (roles.Text, roles.Base), (roles.Text, roles.AlternateBase),
             (roles.ButtonText, roles.Button), (roles.HighlightedText, roles.Highlight),
             (roles.ToolTipText, roles.ToolTipBase), (roles.PlaceholderText, roles.Base),
             (roles.PlaceholderText, roles.Window), (roles.Link, roles.Base)]  # fmt: skip
    for text, background in pairs:
        assert contrast(palette.color(text), palette.color(background)) >= 4.5, (text, background)
        group = QPalette.ColorGroup.Disabled
        assert contrast(palette.color(group, text), palette.color(group, background)) >= 3, (text, background)


@pytest.mark.parametrize("data", [LIGHT, DARK])
def test_neighbouring_fills_differ_for_colour_blind_eyes(data):
    fills = data.token_fills
    assert len(fills) >= 6
    for first, second in zip(fills, fills[1:] + fills[:1], strict=True):
        for matrix in (np.eye(3), *(np.reshape(values, (3, 3)) for values in BLINDNESS.values())):
            assert np.linalg.norm(lab(first, matrix) - lab(second, matrix)) > 10
    assert all(first != second for first, second in itertools.combinations(fills, 2))


def lab(color: QColor, matrix: np.ndarray) -> np.ndarray:
    rgb = np.array(color.getRgbF()[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ np.clip(matrix @ linear, 0, 1) / [0.95047, 1, 1.08883])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme_sets_palette_and_data_colours_together(themed, qtbot, scheme):
    themed(scheme)
    label = QLabel("x")
    qtbot.addWidget(label)
    assert colors(label).is_dark is colors().is_dark is (scheme == "dark")


def test_an_unknown_scheme_is_refused(themed):
    with pytest.raises(ValueError, match="system, light, dark"):
        themed("sepia")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("mode", [QIcon.Mode.Normal, QIcon.Mode.Disabled])
def test_icons_take_the_palettes_colour_at_the_screens_ratio(themed, qapp, scheme, mode):
    themed(scheme)
    image = icon("stop").pixmap(QSize(24, 24), 2.0, mode).toImage()
    assert (image.width(), image.devicePixelRatio()) == (48, 2.0)
    group = QPalette.ColorGroup.Disabled if mode == QIcon.Mode.Disabled else QPalette.ColorGroup.Active
    assert image.pixelColor(24, 24) == qapp.palette().color(group, QPalette.ColorRole.ButtonText)
    assert image.pixelColor(1, 1).alpha() == 0


def test_an_icon_follows_a_change_of_scheme(themed, qtbot):
    themed("light")
    stop = icon("stop")
    before = stop.pixmap(24, 24).toImage().pixelColor(12, 12)
    themed("dark")
    assert stop.pixmap(24, 24).toImage().pixelColor(12, 12).lightness() > 128 > before.lightness()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_buttons_of_a_panels_title_are_seen(themed, qtbot, scheme):
    themed(scheme)
    window = QMainWindow()
    qtbot.addWidget(window)
    dock = QDockWidget("Words", window)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.show()
    behind = window.palette().color(QPalette.ColorRole.Window)
    for name in ("qt_dockwidget_closebutton", "qt_dockwidget_floatbutton"):
        seen = dock.findChild(QAbstractButton, name).icon().pixmap(QSize(16, 16), 2.0).toImage()
        drawn = [seen.pixelColor(x, y) for x in range(seen.width()) for y in range(seen.height())]
        assert max(contrast(color, behind) for color in drawn if color.alpha() > 200) >= 3


def test_a_missing_icon_is_told_at_once(qapp):
    with pytest.raises(FileNotFoundError):
        icon("no-such-icon")


def test_mono_font_has_ligatures_switched_off(qapp):
    font = mono_font(11)
    assert font.pointSizeF() == 11
    assert font.featureValue(QFont.Tag("liga")) == font.featureValue(QFont.Tag("calt")) == 0
    assert font.isFeatureSet(QFont.Tag("liga"))


def test_theme_follows_the_system_only_when_asked(themed, qapp):
    themed("dark")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert colors().is_dark
    themed("system")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert colors().is_dark is (qapp.styleHints().colorScheme() == Qt.ColorScheme.Dark)
