"""Axes with our own tick texts: thousands separators, whole numbers, powers of ten."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF  # before pyqtgraph, so that it binds to PySide6

# isort: split
import pyqtgraph as pg

SPACE = 10
"""Pixels between two labels of a horizontal axis."""


def round_number_from(least: float) -> float:
    """Return the smallest of … 1, 2, 5, 10, 20 … that is at least `least`.

    Examples
    --------
    >>> round_number_from(0.3), round_number_from(5), round_number_from(6001)
    (0.5, 5.0, 10000.0)
    """
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9)))


class ValueAxis(pg.AxisItem):
    """Numbers with thousands separators, and only powers of ten on a long logarithmic axis."""

    _n_digits = 0

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """Keep labels of a horizontal axis apart: pyqtgraph writes those of the first level at any price."""
        levels = super().tickSpacing(minVal, maxVal, size)
        if self.orientation not in ("bottom", "top") or not levels or size <= 0:
            return levels
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        least = (metrics.horizontalAdvance(f"{maxVal:,.0f}") + SPACE) * (maxVal - minVal) / size
        return levels if levels[0][0] >= least else [(round_number_from(least), 0.0), *levels]

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        levels = super().tickValues(minVal, maxVal, size)
        # All labels of an axis have the same number of digits: those of its second level.
        spacing = min((level[0] for level in levels[:2] if level[0]), default=1.0)
        self._n_digits = max(0, int(np.ceil(-np.log10(spacing) - 1e-9)))
        return levels

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self.logMode:
            return [self._log_text(value) for value in values]
        return [f"{value * scale:,.{self._n_digits}f}" for value in values]

    def _log_text(self, value: float) -> str:
        low, high = self.range
        if high - low > 1.2 and abs(value - round(value)) > 1e-9:
            return ""
        return f"{10**value:,.0f}" if value >= -1e-9 else f"{10**value:g}"


class WholeNumberAxis(ValueAxis):
    """No ticks between whole numbers: there is no merge 0.5 and no count of 2.5."""

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        spacings = [level for level in super().tickSpacing(minVal, maxVal, size) if level[0] >= 1]
        return spacings or [(1.0, 0.0)]
