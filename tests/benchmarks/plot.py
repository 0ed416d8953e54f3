"""Time and memory against corpus size and vocabulary size, as SVG on logarithmic axes.

Drawn by hand in a few lines: a picture of four charts needs no library and no screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from statistics import median

from tests.benchmarks.corpora import MB
from tests.benchmarks.records import OURS, SAME_RULE, Job
from tests.benchmarks.running import JobError, Workshop

TOOLS = (OURS, "gigabpe", "rustbpe", "Hugging Face", "gigatoken")
COLOURS = dict(zip(TOOLS, ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b"), strict=True))
PATTERN = "gpt2"
"""The one that all of them have."""

SIZES_MB, VOCAB_SIZES = (1, 2, 5, 10, 20, 50, 100), (512, 1_024, 4_096, 16_384, 32_768, 100_000)
QUICK_SIZES_MB, QUICK_VOCAB_SIZES = (0.02, 0.05), (512, 4_096)
MIDDLE_SIZE_MB, MIDDLE_VOCAB_SIZE = 10, 32_768
PATIENCE = 30
"""Seconds: a tool that took longer is not asked for the next larger point."""

WIDTH, HEIGHT, MARGIN = 440, 300, 60


@dataclass(frozen=True)
class Point:
    """What one training took.

    Parameters
    ----------
    tool : str
        Who.
    against : str
        What is varied: "corpus" or "vocabulary".
    x : float
        MB of 10**6 bytes, or tokens.
    seconds, growth_mb : float
        Medians.
    """

    tool: str
    against: str
    x: float
    seconds: float
    growth_mb: float


def measure(workshop: Workshop, n_runs: int, say: Callable[[str], None]) -> list[Point]:
    """Measure every tool that is installed at every size; corpora are beginnings of the largest one."""
    vocab_sizes = QUICK_VOCAB_SIZES if workshop.quick else VOCAB_SIZES
    paths = beginnings(workshop)
    names = {size: path.stem for size, path in paths.items()}
    workshop = Workshop(workshop.folder, {path.stem: path for path in paths.values()})
    middle = names.get(MIDDLE_SIZE_MB) or names[max(names)]
    series = {
        "corpus": [(size, name, MIDDLE_VOCAB_SIZE) for size, name in names.items()],
        "vocabulary": [(size, middle, size) for size in vocab_sizes],
    }
    tools = [tool for tool in TOOLS if workshop.obstacle(Job("import", tool)) is None]
    points = []
    for against, places in series.items():
        for tool in tools:
            say(f"{tool} against {against} size")
            points += measured_series(tool, against, places, workshop, n_runs)
    return points


def beginnings(workshop: Workshop) -> dict[float, Path]:
    """Return files by their size in MB: the beginnings of one text, as far as it goes."""
    source = workshop.corpus("en_1mb" if workshop.quick else "en_100mb").path.read_bytes()
    sizes = [round(size * MB) for size in (QUICK_SIZES_MB if workshop.quick else SIZES_MB)]
    paths = {}
    for n_bytes in (size for size in sizes if size <= len(source)):
        path = workshop.folder / f"first_{n_bytes}.txt"
        path.write_bytes(source[: source.rfind(b" ", 0, n_bytes)])
        paths[n_bytes / MB] = path
    return paths


def measured_series(
    tool: str, against: str, places: list[tuple[float, str, int]], workshop: Workshop, n_runs: int
) -> Iterator[Point]:
    """Yield one tool's points from small to large, until it takes too long."""
    for x, corpus, vocab_size in places:
        options = SAME_RULE["gigabpe"] if tool == OURS else ()
        job = Job("train", tool, corpus, PATTERN, vocab_size, options)
        try:
            runs = [workshop.run(job) for _ in range(n_runs)]
        except JobError:
            return
        seconds, growth = (median(run[name] for run in runs) for name in ("seconds", "growth_mb"))
        yield Point(tool, against, x, seconds, growth)
        if seconds > PATIENCE:
            return


def drawn(points: list[Point]) -> str:
    """Return an SVG with four charts: seconds and MB, against corpus and vocabulary."""
    charts = [("seconds", "seconds"), ("growth_mb", "MB gained")]
    subjects = [("corpus", "MB of text"), ("vocabulary", "vocabulary size")]
    parts = []
    for row, (field, y_label) in enumerate(charts):
        for column, (against, x_label) in enumerate(subjects):
            lines = series_of(points, against, field)
            place = f'<g transform="translate({column * WIDTH},{row * HEIGHT})">'
            parts += [place, *chart(lines, x_label, y_label), "</g>"]
    size = f'width="{2 * WIDTH}" height="{2 * HEIGHT + 30}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">'
    head += f'<rect {size} fill="white"/>'
    return "\n".join([head, *parts, *legend(sorted({p.tool for p in points}, key=TOOLS.index)), "</svg>\n"])


def series_of(points: list[Point], against: str, field: str) -> dict[str, list[tuple[float, float]]]:
    """Return each tool's places in one chart; a growth of nothing has no logarithm: at least 0.001."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        if point.against == against:
            lines.setdefault(point.tool, []).append((point.x, max(getattr(point, field), 1e-3)))
    return lines


def chart(lines: dict[str, list[tuple[float, float]]], x_label: str, y_label: str) -> Iterator[str]:
    """Yield the elements of one chart."""
    places = [place for line in lines.values() for place in line]
    if not places:
        return
    to_x = Axis([x for x, _ in places], MARGIN, WIDTH - 20)
    to_y = Axis([y for _, y in places], HEIGHT - MARGIN, 20)
    for value in to_x.ticks():
        at = to_x(value)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="20" y2="{HEIGHT - MARGIN}" stroke="#ddd"/>'
        yield f'<text x="{at:.1f}" y="{HEIGHT - MARGIN + 15}" text-anchor="middle">{value:,g}</text>'
    for value in to_y.ticks():
        at = to_y(value)
        yield f'<line x1="{MARGIN}" x2="{WIDTH - 20}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
        yield f'<text x="{MARGIN - 5}" y="{at + 4:.1f}" text-anchor="end">{value:,g}</text>'
    yield f'<text x="{WIDTH / 2}" y="{HEIGHT - MARGIN + 32}" text-anchor="middle">{escape(x_label)}</text>'
    yield f'<text x="{MARGIN}" y="14">{escape(y_label)}</text>'
    for tool, line in lines.items():
        path = " ".join(f"{to_x(x):.1f},{to_y(y):.1f}" for x, y in line)
        yield f'<polyline points="{path}" fill="none" stroke="{COLOURS[tool]}" stroke-width="2"/>'
        for x, y in line:
            yield f'<circle cx="{to_x(x):.1f}" cy="{to_y(y):.1f}" r="3" fill="{COLOURS[tool]}"/>'


def legend(tools: list[str]) -> Iterator[str]:
    """Yield the names of the tools in their colours."""
    for index, tool in enumerate(tools):
        x, y = MARGIN + index * 130, 2 * HEIGHT + 12
        yield f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLOURS[tool]}"/>'
        yield f'<text x="{x + 15}" y="{y}">{escape(tool)}</text>'


class Axis:
    """A logarithmic axis of whole decades.

    Parameters
    ----------
    values : list of float
        What must fit, all above 0.
    start, end : float
        Its ends in the picture.
    """

    def __init__(self, values: list[float], start: float, end: float) -> None:
        self._first, self._last = floor(log10(min(values))), ceil(log10(max(values)))
        if self._last == self._first:
            self._last += 1
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        """Return where a value lies."""
        share = (log10(value) - self._first) / (self._last - self._first)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[float]:
        """Return the powers of ten."""
        return [10.0**power for power in range(self._first, self._last + 1)]
