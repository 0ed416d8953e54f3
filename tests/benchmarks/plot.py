"""Time and memory against corpus size and vocabulary size, as SVG on logarithmic axes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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

CHARTS = {
    ("corpus", "seconds"): ("MB of text", "seconds"),
    ("vocabulary", "seconds"): ("tokens in the vocabulary", "seconds"),
    ("corpus", "growth_mb"): ("MB of text", "MB of memory gained"),
    ("vocabulary", "growth_mb"): ("tokens in the vocabulary", "MB of memory gained"),
}
"""What is varied and what is measured: the labels of both axes."""


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
    """Return an SVG with a chart for each of `CHARTS`; the same points give the same text."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    axes = figure.subplots(2, 2)
    for chart, (subject, labels) in zip(axes.flat, CHARTS.items(), strict=True):
        against, field = subject
        for tool in TOOLS:
            line = [(p.x, getattr(p, field)) for p in points if (p.tool, p.against) == (tool, against)]
            if line:
                chart.plot(
                    *zip(*line, strict=True), "o-", color=COLOURS[tool], label=tool, markersize=3,
                    gid=f"{tool} {against} {field}",
                )  # fmt: skip
        chart.set(xlabel=labels[0], ylabel=labels[1], xscale="log", yscale="log")
        for axis in (chart.xaxis, chart.yaxis):
            axis.set_major_formatter("{x:,g}")
        chart.grid(color="#ddd")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(TOOLS))
    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "bpe-studio", "svg.fonttype": "none"}):
        FigureCanvasSVG(figure).print_svg(stream, metadata={"Date": None})
    return stream.getvalue()
