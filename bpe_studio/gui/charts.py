"""The charts as records: what each draws, its words, and its points as arrays. No widget is made here.

One table drives the views, the menus (image, SVG, CSV) and the tests. The points are kept whole; a
view draws at most `MAX_DRAWN` of those in sight.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from bpe_studio.analysis.compression import CompressionCurve
    from bpe_studio.engine.merges import MergeLog

Int64Array = NDArray[np.int64]
Float64Array = NDArray[np.float64]

#: Points drawn per series; more than a chart has pixels would only cost time.
MAX_DRAWN = 2000


@dataclass(frozen=True)
class ChartRecord:
    """A chart's fixed part.

    Attributes
    ----------
    name : str
        Identifier, for file names and object names.
    title, x_label, y_label : str
        Words to be translated.
    empty_text : str
        The sentence shown instead of axes when there is no point.
    counts : bool
        Whether y is a count: whole numbers, and the menu offers a logarithmic axis.
    steps_after : int
        Merges in effect at x = `first_x`, relative to the point clicked: a curve's point k is k merges,
        a rank's point r is r + 1.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    empty_text: str
    counts: bool
    steps_after: int


@dataclass(frozen=True, eq=False)
class Series:
    """Points of one kind.

    Attributes
    ----------
    name : str
        Words for the legend and the CSV column.
    role : {"corpus", "text", "count", "ties"}
        Decides colour and pen, see `theme`.
    kind : {"line", "dots"}
        How it is drawn.
    x, y : ndarray of float64, shape (n,)
        The points, x rising.
    """

    name: str
    role: Literal["corpus", "text", "count", "ties"]
    kind: Literal["line", "dots"]
    x: Float64Array
    y: Float64Array


@dataclass(frozen=True, eq=False)
class ChartData:
    """A chart's points; `first_x` is the x of cursor 0 (or of rank 0), `note` what was left out."""

    series: tuple[Series, ...] = ()
    first_x: int = 0
    note: str = ""

    @property
    def n_points(self) -> int:
        """Number of points of all series."""
        return sum(len(series.x) for series in self.series)


COMPRESSION = ChartRecord(
    "compression",
    QT_TRANSLATE_NOOP("Charts", "Compression"),
    QT_TRANSLATE_NOOP("Charts", "vocabulary size"),
    QT_TRANSLATE_NOOP("Charts", "bytes per token"),
    QT_TRANSLATE_NOOP(
        "Charts", "Open a corpus or type a text to see its bytes per token at every vocabulary size."
    ),
    False,
    0,
)
COUNTS = ChartRecord(
    "counts",
    QT_TRANSLATE_NOOP("Charts", "Winning counts"),
    QT_TRANSLATE_NOOP("Charts", "rank"),
    QT_TRANSLATE_NOOP("Charts", "winning count"),
    QT_TRANSLATE_NOOP("Charts", "The count of each merge appears here after the first merge."),
    True,
    1,
)
CHARTS = (COMPRESSION, COUNTS)


def compression_chart(
    corpus: CompressionCurve | None,
    text: CompressionCurve | None,
    names: tuple[str, str] = ("corpus", "this text"),
) -> ChartData:
    """Return bytes per token against vocabulary size, for the corpus and for PREVIEW's text.

    Parameters
    ----------
    corpus, text : CompressionCurve or None
        The curves there are; points that are unknown (NaN) are left out.
    names : tuple of str
        Words for the two curves.
    """
    series = []
    for curve, role, name in ((corpus, "corpus", names[0]), (text, "text", names[1])):
        if curve is not None and np.isfinite(curve.bytes_per_token).any():
            known = np.isfinite(curve.bytes_per_token)
            x, y = curve.vocab_size[known].astype(np.float64), curve.bytes_per_token[known]
            series.append(Series(name, role, "line", x, y))  # type: ignore[arg-type]
    first = next(
        (int(curve.vocab_size[0]) for curve in (corpus, text) if curve is not None and len(curve)), 0
    )
    return ChartData(tuple(series), first)


def count_chart(log: MergeLog | None, names: tuple[str, str] = ("count", "tie")) -> ChartData:
    """Return the winning count by rank, with a dot where pairs tied. Unknown counts (−1) are left out."""
    if log is None or not len(log):
        return ChartData()
    count, rank = np.asarray(log.count, np.float64), np.arange(len(log), dtype=np.float64)
    known = count >= 0
    tied = known & (np.asarray(log.n_tied) > 1)
    if not known.any():
        return ChartData()
    line = Series(names[0], "count", "line", rank[known], count[known])
    return ChartData((line, Series(names[1], "ties", "dots", rank[tied], count[tied])))


def logarithmic(data: ChartData) -> ChartData:
    """Return the points that a logarithmic y axis can show, and say how many it cannot."""
    positive = [series.y > 0 for series in data.series]
    n_left_out = sum(
        int((~kept).sum())
        for kept, series in zip(positive, data.series, strict=True)
        if series.kind == "line"
    )
    shown = tuple(
        replace(series, x=series.x[kept], y=series.y[kept])
        for series, kept in zip(data.series, positive, strict=True)
    )
    zeros = "1 count of 0 is" if n_left_out == 1 else f"{n_left_out:,} counts of 0 are"
    return replace(data, series=shown, note=f"{zeros} left out: a logarithm has none" if n_left_out else "")


def drawn_points(
    series: Series, low: float, high: float, limit: int = MAX_DRAWN
) -> tuple[Float64Array, Float64Array]:
    """Return at most `limit` points of a series between two x, one neighbour on each side included.

    The points are evenly spaced by number, the first and the last always among them; both drawn
    charts rise or fall steadily, so no peak is lost.
    """
    first = max(int(np.searchsorted(series.x, low, side="left")) - 1, 0)
    last = min(int(np.searchsorted(series.x, high, side="right")) + 1, len(series.x))
    if last - first <= limit:
        return series.x[first:last], series.y[first:last]
    chosen = np.linspace(first, last - 1, limit).astype(np.int64)
    return series.x[chosen], series.y[chosen]


def value_at(series: Series, x: float) -> float | None:
    """Return a series' value exactly at `x`, or None."""
    at = int(np.searchsorted(series.x, x))
    return float(series.y[at]) if at < len(series.x) and series.x[at] == x else None


def csv_of(record: ChartRecord, data: ChartData) -> str:
    """Return every point as CSV: one header, then one line a point; without points the header alone."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("series", record.x_label, record.y_label))
    for series in data.series:
        writer.writerows(
            (series.name, number_text(x), number_text(y)) for x, y in zip(series.x, series.y, strict=True)
        )
    return out.getvalue()


def number_text(value: float) -> str:
    """Return a number in its shortest exact form: ``279``, ``1.5161290322580645``."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def readout(data: ChartData, x: float, before: str = "at") -> str:
    """Return the values at `x` in words, e.g. ``at 279: 1.52 (corpus) · 1.43 (this text)``.

    Values of whole series are exact, since every x is a whole number.
    """
    lines = [series for series in data.series if series.kind == "line"]
    found = [(series, value) for series in lines if (value := value_at(series, x)) is not None]
    if not found:
        return ""
    texts = [(f"{value:,.0f}" if series.role == "count" else f"{value:.2f}") for series, value in found]
    parts = [f"{text} ({series.name})" for text, (series, _) in zip(texts, found, strict=True)]
    parts = parts if len(lines) > 1 else texts
    return f"{before} {int(x):,}: {' · '.join(parts)}"
