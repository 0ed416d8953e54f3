"""The merges of a training as CSV, one row a merge."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer

TEXTS = ("left_text", "right_text", "text", "hex")
FACTS = ("count", "n_tied", "margin", "corpus_tokens")


def write_merges_csv(tokenizer: Tokenizer, path: Path) -> None:
    """Write rank, ids, texts (escaped where invisible), bytes in hex, and the facts of each merge.

    Parameters
    ----------
    tokenizer : Tokenizer
        Trained here, so that the facts are known.
    path : Path
        The file, in UTF-8; written whole or not at all.
    """
    from bpe_studio.engine.writing import write_atomic

    write_atomic(path, merges_csv(tokenizer).encode())


def merges_csv(tokenizer: Tokenizer) -> str:
    """Return the rows as CSV with a header."""
    from bpe_studio.analysis.unicode_view import escape_for_copy

    assert tokenizer.training is not None
    log = tokenizer.training.log
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["rank", "left", "right", "token", *TEXTS, *FACTS])
    ids = zip(log.left.tolist(), log.right.tolist(), log.token.tolist(), strict=True)
    facts = zip(*(getattr(log, name).tolist() for name in FACTS), strict=True)
    for rank, (row, known) in enumerate(zip(ids, facts, strict=True)):
        data = [tokenizer.token_bytes(token) for token in row]
        writer.writerow([rank, *row, *map(escape_for_copy, data), data[2].hex(), *known])
    return stream.getvalue()
