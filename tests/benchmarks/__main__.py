"""``python -m tests.benchmarks``: measure, and print a table; or draw with ``--plot``."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tests.benchmarks import plot, report, running
from tests.benchmarks.records import BENCHMARKS

FOLDER = Path(tempfile.gettempdir()) / "bpe-studio-benchmarks"
PAPER_WIDTH = 160
"""Columns of a table that goes to a file."""


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    found = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measure BPE Studio and every peer that is installed, in alternating pairs.",
        epilog="Corpora: en_1mb, en_10mb, en_100mb, code_10mb, multi_10mb; what is not given is made from "
        "sources and documentation of this Python.",
    )
    found.add_argument("--corpus", action="append", default=[], type=named_path, metavar="NAME=PATH")
    found.add_argument("--only", action="append", default=[], metavar="TEXT", help="rows with this in them")
    found.add_argument("--pairs", type=int, metavar="N", help="runs of each (default 5; with --quick 1)")
    found.add_argument("--quick", action="store_true", help="a tenth of each corpus: no bar is judged")
    found.add_argument("--json", type=Path, metavar="FILE", help="write every figure")
    found.add_argument("--markdown", type=Path, metavar="FILE", help="write the table as a README has it")
    found.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw instead how cost grows")
    found.add_argument("--folder", type=Path, default=FOLDER, help="for made corpora (default %(default)s)")
    return found


def named_path(text: str) -> tuple[str, Path]:
    """Return name and path of ``NAME=PATH``."""
    name, equals, path = text.partition("=")
    if not equals or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PATH of a file")
    return name, Path(path).resolve()


def main(arguments: list[str] | None = None) -> int:
    """Measure what the command line asks for; 1 if a bar does not hold."""
    asked = parser().parse_args(arguments)
    console, aside = Console(highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PAPER_WIDTH
    workshop = running.Workshop(asked.folder, dict(asked.corpus), asked.quick)
    n_pairs = asked.pairs or (1 if asked.quick else 5)
    if asked.plot is not None:
        points = plot.measure(workshop, min(n_pairs, 3), aside.print)
        asked.plot.write_text(plot.drawn(points), "utf-8")
        if asked.json is not None:
            asked.json.write_text(json.dumps([vars(point) for point in points], indent=1), "utf-8")
        return 0
    wanted = tuple(b for b in BENCHMARKS if all(text in b.name for text in asked.only))
    if asked.quick:
        wanted = tuple(replace(benchmark, at_most=None, aim=None) for benchmark in wanted)
    rows = running.measure(wanted, workshop, n_pairs, aside.print)
    console.print(report.table_of(rows))
    for line in report.missing(rows):
        console.print(line)
    if any(row.benchmark.against == "gigabpe" for row in rows):
        console.print(report.NOTE)
    if asked.quick:
        console.print("each corpus is a tenth of what its name says")
    console.print(f"corpora made here, not given: {', '.join(workshop.made) or 'none'}")
    if asked.markdown is not None:
        asked.markdown.write_text(report.markdown(rows), "utf-8")
    if asked.json is not None:
        facts = {"n_pairs": n_pairs, "quick": asked.quick, "made": workshop.made, "n_words": workshop.n_words}
        asked.json.write_text(json.dumps(report.as_json(rows, facts), indent=1), "utf-8")
    return int(any(row.holds is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
