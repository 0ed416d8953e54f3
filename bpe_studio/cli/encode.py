"""Encode a text: its token ids, its tokens, or their number."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bpe_studio.cli.arguments import add_file, add_tokenizer, loaded, named, text
from bpe_studio.cli.streams import UsageError, input_bytes, tell, write_text
from bpe_studio.engine.errors import BpeStudioError, SpecialTokenError

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    add_file(parser, "the text, in UTF-8")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--ids", action="store_const", dest="shape", const="ids", help="ids on one line (default)"
    )
    shape.add_argument(
        "--tokens", action="store_const", dest="shape", const="tokens", help="one token a line: id, tab, text"
    )
    shape.add_argument(
        "--count", action="store_const", dest="shape", const="count", help="the number of tokens"
    )
    parser.set_defaults(shape="ids")
    add_allowed_special(parser)


def add_allowed_special(parser: argparse.ArgumentParser) -> None:
    """Add ``--allowed-special``."""
    parser.add_argument(
        "--allowed-special", metavar="WHICH", type=text, default="none",
        help="what special tokens in the text are: none = plain text (default), all = tokens, "
        "none_raise = an error, or a list with commas of those that are tokens",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Encode, and write what was asked for."""
    tokenizer = loaded(arguments)
    allowed = allowed_special(arguments.allowed_special, tokenizer)
    data = input_bytes(arguments.file)
    try:
        ids = tokenizer.encode(data, allowed)
    except BpeStudioError as error:
        raise BpeStudioError(named(arguments.file, error)) from error
    if allowed == "none":
        tell_specials_met(tokenizer, data)
    write_text(SHAPES[arguments.shape](tokenizer, ids))
    return 0


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


def tell_specials_met(tokenizer: Tokenizer, data: bytes) -> None:
    """Say how many special tokens were read as plain text."""
    from bpe_studio.engine.special_strings import cut_specials

    specials = tuple(tokenizer.special_tokens)
    n_met = (
        sum(special for _, _, special in cut_specials(data.decode("utf-8", "replace"), specials))
        if specials
        else 0
    )
    if n_met:
        are = "special token in the text was" if n_met == 1 else "special tokens in the text were"
        tell(f"note: {n_met:,} {are} read as plain text (--allowed-special all reads them as tokens)")


def _ids(tokenizer: Tokenizer, ids: list[int]) -> str:
    return " ".join(map(str, ids)) + "\n"


def _tokens(tokenizer: Tokenizer, ids: list[int]) -> str:
    rows = {token: f"{token}\t{shown_token(tokenizer, token)}\n" for token in set(ids)}
    return "".join(map(rows.__getitem__, ids))


def shown_token(tokenizer: Tokenizer, token: int) -> str:
    """Return a token on one line, everything invisible escaped."""
    from bpe_studio.analysis.unicode_view import escape_for_copy

    if token == tokenizer.alphabet.unknown_id:
        return tokenizer.alphabet.unknown_token or ""
    return escape_for_copy(tokenizer.token_bytes(token))


def _count(tokenizer: Tokenizer, ids: list[int]) -> str:
    return f"{len(ids)}\n"


SHAPES = {"ids": _ids, "tokens": _tokens, "count": _count}
