"""Rows as a table, in Markdown, and as JSON."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from tests.benchmarks.records import MODULES
from tests.benchmarks.running import Row

NOTE = (
    "gigabpe takes every line as a document, so a few of its words and tokens differ but for the row by lines"
)
PACKAGES = ("numpy", "numba", "regex", *MODULES.values())


def table_of(rows: list[Row]) -> Table:
    """Return the rows that have figures, medians with ranges; `holds` says whether the bar does."""
    table = Table(
        title="medians of alternating pairs, in parentheses the smallest and the largest",
        box=SIMPLE,
        expand=True,
    )
    table.add_column("work", overflow="fold", ratio=1)
    table.add_column("against", overflow="fold", max_width=16)
    for name in ("ours", "peer's", "ours ÷ peer's", "at most", "aim"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("holds", "same tokens"):
        table.add_column(name, justify="center", no_wrap=True)
    for row in rows:
        if row.problem is None:
            table.add_row(*cells(row))
    return table


def cells(row: Row) -> list[str]:
    """Return a row's texts."""
    bench = row.benchmark
    unit = " MB" if bench.measure == "growth_mb" else " s"
    ratio = "–" if bench.theirs is None else with_range(row.ratios, "")
    bars = ["–" if bar is None else f"{bar:g}" for bar in (bench.at_most, bench.aim)]
    verdicts = [{True: "yes", False: "NO", None: "–"}[fact] for fact in (row.holds, row.is_same)]
    return [
        bench.label, bench.against, with_range(row.ours, unit), with_range(row.theirs, unit), ratio,
        *bars, *verdicts,
    ]  # fmt: skip


def markdown(rows: list[Row]) -> str:
    """Return the rows that are compared with something as a table for a README, medians only."""
    lines = ["| work | against | ours | peer's | ours ÷ peer's |", "|---|---|---|---|---|"]
    for row in rows:
        if row.theirs:
            unit = " MB" if row.benchmark.measure == "growth_mb" else " s"
            figures = [digits(median(side)) + unit for side in (row.ours, row.theirs)]
            figures.append(digits(median(row.ratios)))
            lines.append(f"| {' | '.join([row.benchmark.label, row.benchmark.against, *figures])} |")
    return "\n".join(lines) + "\n"


def with_range(figures: tuple[float, ...], unit: str) -> str:
    """Return a median with smallest and largest, three digits each."""
    if not figures:
        return "–"
    return f"{digits(median(figures))}{unit} ({digits(min(figures))}–{digits(max(figures))})"


def digits(figure: float) -> str:
    """Return a figure with three digits, and no exponent."""
    if abs(figure) >= 100:
        return f"{figure:.0f}"
    return f"{figure:.3g}" if abs(figure) >= 0.001 else f"{figure:.4f}"


def missing(rows: list[Row]) -> list[str]:
    """Return a line for each row without figures."""
    found = [(row.benchmark, row.problem) for row in rows if row.problem]
    return [f"left out: {bench.name}: {problem}" for bench, problem in found]


def as_json(rows: list[Row], facts: dict[str, Any]) -> dict[str, Any]:
    """Return everything measured, and on what."""
    return {"machine": machine(), **facts, "rows": [row_as_json(row) for row in rows]}


def row_as_json(row: Row) -> dict[str, Any]:
    """Return a row as plain values."""
    bench = row.benchmark
    return {
        "work": bench.label, "against": bench.against, "measure": bench.measure,
        "at_most": bench.at_most, "aim": bench.aim, "ratio": row.ratio, "ratios": row.ratios,
        "ours": row.ours, "theirs": row.theirs, "holds": row.holds, "same_tokens": row.is_same,
        "problem": row.problem,
    }  # fmt: skip


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "date": datetime.date.today().isoformat(), "system": platform.system(), "processor": processor(),
        "n_cores": os.cpu_count(), "python": platform.python_version(), "versions": versions,
    }  # fmt: skip


def processor() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
