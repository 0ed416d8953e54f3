"""Axes with our own tick texts: thousands separators, whole numbers, powers of ten."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import PySide6.QtCore  # noqa: F401  # before pyqtgraph, so that it binds to it


class ValueAxis(pg.AxisItem):
    """Numbers with thousands separators, and only powers of ten on a long logarithmic axis."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self.logMode:
            return [self._log_text(value) for value in values]
        n_digits = max(0, int(np.ceil(-np.log10(spacing) - 1e-9)))
        return [f"{value * scale:,.{n_digits}f}" for value in values]

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
