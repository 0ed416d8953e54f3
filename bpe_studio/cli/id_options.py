"""Options of the commands that read and write files of token ids."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bpe_studio.cli.streams import UsageError
from bpe_studio.engine.errors import BpeStudioError

if TYPE_CHECKING:
    from bpe_studio.dataset.id_files import IdFormat
    from bpe_studio.engine.tokenizer import Tokenizer

DTYPES = ("auto", "uint16", "uint32", "int32", "int64")
"""As `bpe_studio.dataset.id_files` has them; help must not wait for numpy."""


def add_dtype(parser: argparse.ArgumentParser) -> None:
    """Add ``--dtype``."""
    parser.add_argument(
        "--dtype", choices=DTYPES, default="auto",
        help="numbers in the file: auto (default) is uint16 for up to 65,536 ids, else uint32; int64 in .pt",
    )  # fmt: skip


def id_format_of(name: str | None) -> IdFormat | None:
    """Return the format of ids that a file's name ends with, or None."""
    from bpe_studio.dataset.id_files import id_format_for

    return None if name is None else id_format_for(name)


def dtype_of(arguments: argparse.Namespace, record: IdFormat | None, tokenizer: Tokenizer) -> str:
    """Return the dtype of a file's numbers, after checking that the ids fit and the format can be had."""
    from bpe_studio.dataset.id_files import check_can_write, checked_dtype

    if record is None:
        if arguments.dtype != "auto":
            raise UsageError("argument --dtype: is for files that end in .npy, .bin or .pt")
        return "auto"
    check_can_write(record)
    try:
        return checked_dtype(record, tokenizer.n_ids, arguments.dtype)
    except BpeStudioError as error:
        raise UsageError(f"argument --dtype: {error}") from error
