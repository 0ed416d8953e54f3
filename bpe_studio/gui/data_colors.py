"""Colours that carry data (tokens, ties, bits, curves), one record for each scheme.

Chrome takes its colours from the palette; what stands for data comes from here and nowhere else. The token
fills keep apart for the common kinds of colour blindness when they lie side by side, and text keeps a
contrast of at least 4.5 on each; ``tests/gui/test_theme.py`` checks both. Colour is never the only sign.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from PySide6.QtGui import QColor


@dataclass(frozen=True)
class DataColors:
    """Colours for data in one scheme.

    Attributes
    ----------
    is_dark : bool
        Whether the scheme is dark.
    token_fills : tuple of QColor
        Cycle of chip backgrounds; text on them is ``text``.
    text, dimmed_text, invisible_text : QColor
        Text on panels and chips; rows that are not in effect; names of invisible characters inside a chip.
    tick, hatch, mark : QColor
        Boundary between tokens; lines over bytes that are no character; outline of what is marked.
    tie_background, tie_text, tie_line : QColor
        Amber band behind tied pairs, words such as "30 pairs tie" on it, bracket at its side.
    winner, next_row, last_row, cursor_line : QColor
        Star of the winner; backgrounds of the next merge and of the last one; line between them.
    hover, pin : QColor
        Outlines of linked inspection.
    lead_bits, continuation_bits, ascii_bits : QColor
        Text colours of UTF-8 markers.
    curve_training, curve_held_out, curve_third, crosshair, grid : QColor
        Charts.
    link, good, bad : QColor
        Links; success; errors.
    """

    is_dark: bool
    token_fills: tuple[QColor, ...]
    text: QColor
    dimmed_text: QColor
    invisible_text: QColor
    tick: QColor
    hatch: QColor
    mark: QColor
    tie_background: QColor
    tie_text: QColor
    tie_line: QColor
    winner: QColor
    next_row: QColor
    last_row: QColor
    cursor_line: QColor
    hover: QColor
    pin: QColor
    lead_bits: QColor
    continuation_bits: QColor
    ascii_bits: QColor
    curve_training: QColor
    curve_held_out: QColor
    curve_third: QColor
    crosshair: QColor
    grid: QColor
    link: QColor
    good: QColor
    bad: QColor

    def fill(self, index: int) -> QColor:
        """Return the chip background for a fill index, which counts around the cycle."""
        return self.token_fills[index % len(self.token_fills)]


def _record(is_dark: bool, fills: str, **names: str) -> DataColors:
    values = {field.name: QColor(names[field.name]) for field in fields(DataColors) if field.name in names}
    return DataColors(is_dark=is_dark, token_fills=tuple(map(QColor, fills.split())), **values)


LIGHT = _record(
    False,
    "#cfe3fd #fbdcc0 #e0d3f8 #cdeccf #f9d0e0 #f7ecb0",
    text="#1f2328", dimmed_text="#7d848e", invisible_text="#5a3fa0",
    tick="#8c96a3", hatch="#b3352f", mark="#1f2328",
    tie_background="#fdf0d9", tie_text="#8a4b00", tie_line="#c98a1b",
    winner="#8a4b00", next_row="#fff7e8", last_row="#e6f0fe", cursor_line="#1f6feb",
    hover="#5b8def", pin="#0b57d0",
    lead_bits="#a0420a", continuation_bits="#1a5fb4", ascii_bits="#5c6570",
    curve_training="#1f6feb", curve_held_out="#a3560a", curve_third="#6b46c1",
    crosshair="#1f2328", grid="#d5d9df",
    link="#0b57d0", good="#1a6b34", bad="#b3261e",
)  # fmt: skip

DARK = _record(
    True,
    "#1f4a78 #74421c #4b3582 #215c39 #5f5416 #772c52",
    text="#eceff4", dimmed_text="#828a96", invisible_text="#d9c8ff",
    tick="#7b8594", hatch="#ff8d85", mark="#eceff4",
    tie_background="#3a2d17", tie_text="#f3b454", tie_line="#c98a1b",
    winner="#f3b454", next_row="#2b2417", last_row="#1c2c48", cursor_line="#6ea8fe",
    hover="#6ea8fe", pin="#9cc4ff",
    lead_bits="#ffb37a", continuation_bits="#8ab8ff", ascii_bits="#a9b1bd",
    curve_training="#6ea8fe", curve_held_out="#e3a54a", curve_third="#b79bff",
    crosshair="#eceff4", grid="#363b45",
    link="#8ab8ff", good="#7fd196", bad="#ff8d85",
)  # fmt: skip


def contrast(first: QColor, second: QColor) -> float:
    """Return the contrast of two colours as WCAG 2.1 defines it: 1 (none) to 21 (black on white)."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: QColor) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (color.redF(), color.greenF(), color.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
