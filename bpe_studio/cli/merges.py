"""List a tokenizer's merges, with counts and ties if known.

The count is that of the pair when it was merged; tied are the pairs that had
the same count, itself included. Files of other programs do not tell them.

    bpe-studio merges -t my.json -n 20
    bpe-studio merges -t gpt2 --csv | head
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bpe_studio.cli.arguments import add_tokenizer, loaded, whole_number
from bpe_studio.cli.merges_csv import csv_lines, merge_rows
from bpe_studio.cli.streams import write_lines

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    parser.add_argument(
        "-n", "--number", metavar="N", type=whole_number(0), help="only the first N merges (default all)"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--csv", action="store_true", help="as CSV, with bytes in hexadecimal")
    shape.add_argument("--json", action="store_true", help="as JSON, one merge a line")


def run(arguments: argparse.Namespace) -> int:
    """Write the merges."""
    tokenizer = loaded(arguments)
    lines = csv_lines if arguments.csv else _json_lines if arguments.json else _table
    write_lines(lines(tokenizer, arguments.number))
    return 0


def _json_lines(tokenizer: Tokenizer, n_merges: int | None) -> Iterator[str]:
    before = "[\n"
    for row in merge_rows(tokenizer, n_merges):
        yield before + json.dumps(row)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _table(tokenizer: Tokenizer, n_merges: int | None) -> Iterator[str]:
    from bpe_studio.analysis.unicode_view import label

    yield f"{'rank':>9}  {'token':>9}  {'count':>13}  {'tied':>6}  merge\n"
    for row in merge_rows(tokenizer, n_merges):
        count, tied = ("" if row[name] is None else f"{row[name]:,}" for name in ("count", "n_tied"))
        left, right = (label(tokenizer.token_bytes(row[name])) for name in ("left", "right"))
        yield f"{row['rank']:>9,}  {row['token']:>9}  {count:>13}  {tied:>6}  {left} + {right}\n"
