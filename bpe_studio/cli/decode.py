"""Decode token ids: the text's bytes, just as they were."""

from __future__ import annotations

import argparse
import re

from bpe_studio.cli.arguments import add_file, add_tokenizer, loaded, named
from bpe_studio.cli.streams import input_bytes, write_bytes
from bpe_studio.engine.errors import BpeStudioError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    add_file(parser, "ids with blanks, commas or line ends between them, or a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Decode, and write the bytes."""
    tokenizer = loaded(arguments)
    data = input_bytes(arguments.file)
    try:
        decoded = tokenizer.decode_bytes(token_ids(data))
    except BpeStudioError as error:
        raise BpeStudioError(named(arguments.file, error)) from error
    write_bytes(decoded)
    return 0


def token_ids(data: bytes) -> list[int]:
    r"""Return the ids of a text of numbers.

    Parameters
    ----------
    data : bytes
        Numbers in digits with blanks, commas or line ends between them, in brackets or not.

    Raises
    ------
    BpeStudioError
        Naming the first thing that is no id, and where it is.

    Examples
    --------
    >>> token_ids(b"[1, 2]\n"), token_ids(b"1 2\n3"), token_ids(b"")
    ([1, 2], [1, 2, 3], [])
    """
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    ids: list[int] = []
    for number, word in enumerate(re.split(r"[\s,]+", text.strip()) if text.strip() else [], 1):
        if not re.fullmatch(r"[0-9]{1,19}", word):
            raise BpeStudioError(f"item {number:,} is no token id: {word[:40]!r}.")
        ids.append(int(word))
    return ids
