"""Types and arguments that several commands share."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from bpe_studio.cli.streams import UsageError, input_name, tell
from bpe_studio.engine.errors import BpeStudioError, SpecialTokenError

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer

LARGEST = 2**31 - 1
FORMAT_NAMES = tuple(
    "studio character_bpe huggingface huggingface_older gpt2 minbpe sentencepiece tiktoken".split()
)
"""Formats that are written. Not asked of `bpe_studio.formats`: help must not wait for numpy."""


def whole_number(least: int, most: int = LARGEST) -> Callable[[str], int]:
    """Return an argument type: a whole number within bounds, in plain digits."""

    def number(text: str) -> int:
        value = int(text) if re.fullmatch(r"-?[0-9]{1,19}", text) else None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least:,} to {most:,}, not {text[:40]!r}"
            )
        return value

    return number


def share(text: str) -> float:
    """Argument type: a number above 0 and at most 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number above 0 and at most 1, not {text[:40]!r}")
    return value


def text(argument: str) -> str:
    """Argument type: text in UTF-8, whatever the locale says."""
    try:
        return os.fsencode(argument).decode()
    except UnicodeError:
        raise argparse.ArgumentTypeError(f"is not UTF-8: {argument[:40]!a}") from None


def pattern(argument: str) -> str:
    """Argument type: a split pattern. A word that is no name is an expression too, though hardly meant."""
    from bpe_studio.engine.named_patterns import BY_NAME

    given = text(argument)
    if given not in BY_NAME and re.fullmatch(r"[\w-]+", given):
        known = ", ".join(BY_NAME)
        tell(f"note: {given!r} is not the name of a split pattern ({known}), but read as an expression.")
    return given


def file_name(argument: str) -> str:
    """Argument type: a file's name. An empty one, as of a variable without value, would mean this folder."""
    if not argument:
        raise argparse.ArgumentTypeError("is an empty file name")
    return argument


def add_tokenizer(
    parser: argparse._ActionsContainer, *, several: bool = False, required: bool = True
) -> None:
    """Add ``-t``."""
    parser.add_argument(
        "-t", "--tokenizer", metavar="TOKENIZER", type=file_name, required=required,
        action="append" if several else "store",
        help="a tokenizer file, a folder that holds one, or a name that tokenizers lists, such as gpt2"
        + "; give it several times" * several,
    )  # fmt: skip


def add_file(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the file to read, standard input if it is left out."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", type=file_name, default="-",
        help=f"{what}; - is standard input (default)",
    )  # fmt: skip


def add_files(parser: argparse.ArgumentParser, what: str) -> None:
    """Add one or more files to read."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=file_name, help=f"{what}; - is standard input"
    )


def add_allowed_special(parser: argparse.ArgumentParser) -> None:
    """Add ``--allowed-special``."""
    parser.add_argument(
        "--allowed-special", metavar="WHICH", type=text, default="none",
        help="what special tokens in the text are: none = plain text (default), all = tokens, "
        "none_raise = an error, or a list with commas of those that are tokens",
    )  # fmt: skip


def allowed_special(choice: str, tokenizer: Tokenizer) -> str | frozenset[str]:
    """Return the value of ``--allowed-special`` for `Tokenizer.encode`, after checking its names."""
    if choice in ("all", "none", "none_raise"):
        return choice
    # A special token may itself hold a comma.
    names = frozenset([choice] if choice in tokenizer.special_tokens else choice.split(","))
    try:
        tokenizer.encode("", names)
    except SpecialTokenError as error:
        raise UsageError(f"argument --allowed-special: {error}") from error
    return names


def loaded(arguments: argparse.Namespace) -> Tokenizer:
    """Return the tokenizer of ``-t``."""
    return loaded_from(arguments.tokenizer)


def loaded_from(name: str, pattern: str | None = None) -> Tokenizer:
    """Return the tokenizer in a file or of a name, as ``-t`` takes them, perhaps with another pattern."""
    from bpe_studio.formats.table import load

    if name == "-":
        raise UsageError("argument -t/--tokenizer: a tokenizer cannot be read from standard input")
    return load(name, pattern=pattern)


def named(name: str, message: object) -> str:
    """Return a message about an input."""
    return f"{input_name(name)}: {message}"


def error_in(name: str, error: BpeStudioError) -> BpeStudioError:
    """Return an error that names its input; as it is if it does already."""
    return error if str(error).startswith(named(name, "")) else BpeStudioError(named(name, error))
