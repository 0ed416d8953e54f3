"""The merges of a tokenizer as rows: ids, texts, bytes, and what is known of each merge."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer

IDS = ("rank", "left", "right", "token")
TEXTS = ("left_text", "right_text", "text", "hex")
FACTS = ("count", "n_tied", "margin", "corpus_tokens")
COLUMNS = (*IDS, *TEXTS, *FACTS)


def write_merges_csv(tokenizer: Tokenizer, path: Path) -> None:
    """Write the rows of all merges as CSV in UTF-8; whole or not at all."""
    from bpe_studio.engine.writing import atomic_file

    with atomic_file(path) as file:
        file.writelines(text.encode() for text in csv_lines(tokenizer))


def csv_lines(tokenizer: Tokenizer, n_merges: int | None = None) -> Iterator[str]:
    """Yield a header and the rows as lines of CSV; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    rows = (tuple(row.values()) for row in merge_rows(tokenizer, n_merges))
    for values in chain([COLUMNS], rows):
        writer.writerow(values)
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()


def merge_rows(tokenizer: Tokenizer, n_merges: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the first merges as rows with the names of `COLUMNS`.

    Parameters
    ----------
    tokenizer : Tokenizer
        Of one that was not trained here the facts are not known: None.
    n_merges : int or None
        How many; None is all.
    """
    from bpe_studio.analysis.unicode_view import escape_for_copy
    from bpe_studio.engine.merges import UNKNOWN

    log = None if tokenizer.training is None else tokenizer.training.log
    ids = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), tokenizer.product.tolist(), strict=True)
    columns = [None if log is None else getattr(log, name).tolist() for name in FACTS]
    for rank, row in enumerate(islice(ids, n_merges)):
        data = [tokenizer.token_bytes(token) for token in row]
        facts = [None if column is None or column[rank] == UNKNOWN else column[rank] for column in columns]
        values = [rank, *row, *map(escape_for_copy, data), data[2].hex(), *facts]
        yield dict(zip(COLUMNS, values, strict=True))
