"""Write tokens and bytes per token at every vocabulary size.

Each file is encoded once; the sizes before follow from the list of merges.

    bpe-studio curve -t my.json val.txt --csv > curve.csv
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import add_allowed_special, add_files, add_tokenizer, allowed_special, loaded
from bpe_studio.cli.progress import INTERRUPTED, Watch
from bpe_studio.cli.streams import input_name, one_line, tell, write_json, write_lines
from bpe_studio.cli.texts import FileEncoder

if TYPE_CHECKING:
    from bpe_studio.analysis.compression import CompressionCurve

Curves = list[tuple[str, "CompressionCurve"]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    add_files(parser, "texts in UTF-8")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--csv", action="store_true", help="every vocabulary size as CSV")
    shape.add_argument("--json", action="store_true", help="every vocabulary size as JSON, one list a column")
    add_allowed_special(parser)


def run(arguments: argparse.Namespace) -> int:
    """Encode each file once, and write its curve."""
    from bpe_studio.analysis.comparison import figures_of
    from bpe_studio.analysis.compression import check_ordered, curve_of_counts

    tokenizer = loaded(arguments)
    check_ordered(tokenizer)
    allowed = allowed_special(arguments.allowed_special, tokenizer)
    curves: Curves = []
    stopped = False
    try:
        with Watch(shown=True, keeps=False) as watch:
            encoder = FileEncoder(tokenizer, allowed, watch)
            for file in arguments.files:
                figures = figures_of(tokenizer, encoder.parts(file))
                curves.append((file, curve_of_counts(tokenizer, figures.counts, figures.n_bytes)))
    except KeyboardInterrupt:
        stopped = True
        tell("stopped; the curves of the files encoded so far follow")
    encoder.tell_specials()
    if arguments.json:
        write_json([_json_value(file, curve) for file, curve in curves])
    else:
        write_lines((_csv_lines if arguments.csv else _tables)(curves))
    return INTERRUPTED if stopped else 0


def _json_value(file: str, curve: CompressionCurve) -> dict[str, Any]:
    per_token = [None if math.isnan(value) else value for value in curve.bytes_per_token.tolist()]
    columns = {"vocab_size": curve.vocab_size.tolist(), "n_tokens": curve.n_tokens.tolist()}
    return {"file": file, **columns, "bytes_per_token": per_token}


def _csv_lines(curves: Curves) -> Iterator[str]:
    import csv
    import io

    yield "file,vocab_size,n_tokens,bytes_per_token\n"
    for file, curve in curves:
        stream = io.StringIO()
        csv.writer(stream, lineterminator="").writerow([file])
        columns = (column.tolist() for column in curve)
        for vocab_size, n_tokens, per_token in zip(*columns, strict=True):
            ratio = "" if math.isnan(per_token) else per_token
            yield f"{stream.getvalue()},{vocab_size},{n_tokens},{ratio}\n"


def _tables(curves: Curves) -> Iterator[str]:
    """Yield a table for each file: no merges, all of them, and numbers between that double."""
    for file, curve in curves:
        last = len(curve) - 1
        rows = sorted({0, last, *(1 << n for n in range(last.bit_length()))})
        yield f"{one_line(input_name(file))}\n{'vocabulary':>12}{'tokens':>15}{'bytes/token':>14}\n"
        for row in rows:
            per_token = f"{curve.bytes_per_token[row]:.3f}"
            yield f"{curve.vocab_size[row]:>12,}{curve.n_tokens[row]:>15,}{per_token:>14}\n"
