"""Encode a text: its token ids, its tokens, or their number.

Ids come out while the text still comes in, byte for byte what decode takes back.

    bpe-studio encode -t gpt2 < text.txt | bpe-studio decode -t gpt2
    bpe-studio encode -t my.json text.txt -o ids.npy
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import (
    add_allowed_special,
    add_file,
    add_tokenizer,
    allowed_special,
    file_name,
    loaded,
)
from bpe_studio.cli.id_options import add_dtype, dtype_of, id_format_of
from bpe_studio.cli.outputs import check_output
from bpe_studio.cli.progress import INTERRUPTED, Watch
from bpe_studio.cli.streams import UsageError, output_is_terminal, tell, write_text
from bpe_studio.cli.texts import FileEncoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.tokenizer import Tokenizer

    Parts = Iterator[tuple[bytes, NDArray[np.uint32]]]
    Shape = Callable[[Tokenizer, Parts], Iterator[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    add_file(parser, "the text, in UTF-8")
    shape = parser.add_mutually_exclusive_group()
    for name, what in SHAPE_HELP.items():
        shape.add_argument(f"--{name}", action="store_const", dest="shape", const=name, help=what)
    parser.set_defaults(shape="ids")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=file_name,
        help="write a file; ids become numbers in .npy, .bin or .pt",
    )
    add_dtype(parser)
    add_allowed_special(parser)


def run(arguments: argparse.Namespace) -> int:
    """Encode, and write what was asked for as it comes."""
    if arguments.output is not None:
        check_output(arguments.output, [arguments.file])
    record = id_format_of(arguments.output)
    if record is not None and (arguments.json or arguments.shape != "ids"):
        raise UsageError(f"argument -o/--output: a {record.suffix} file holds ids, and nothing else")
    tokenizer = loaded(arguments)
    dtype = dtype_of(arguments, record, tokenizer)
    allowed = allowed_special(arguments.allowed_special, tokenizer)
    shape = (JSON_SHAPES if arguments.json else SHAPES)[arguments.shape]
    n_written = 0
    try:
        with Watch(shown=bool(arguments.output) or not output_is_terminal(), keeps=False) as watch:
            encoder = FileEncoder(tokenizer, allowed, watch)
            parts = encoder.parts(arguments.file)
            if arguments.output is None:
                for text in shape(tokenizer, parts):
                    write_text(text)
                    n_written += 1
            else:
                _write_file(Path(arguments.output), parts, shape, tokenizer, record, dtype)
    except KeyboardInterrupt:
        if not n_written:
            raise
        tell("stopped; what was encoded so far was written")
        return INTERRUPTED
    encoder.tell_specials()
    return 0


def _write_file(
    path: Path, parts: Parts, shape: Shape, tokenizer: Tokenizer, record: Any, dtype: str
) -> None:
    from bpe_studio.engine.writing import atomic_file

    with atomic_file(path) as file:
        if record is None:
            for text in shape(tokenizer, parts):
                file.write(text.encode())
        else:
            record.write(file, (ids for _, ids in parts), dtype)


def _ids(tokenizer: Tokenizer, parts: Parts) -> Iterator[str]:
    yield from _joined(" ", (map(str, ids) for ids in _id_lists(parts)))
    yield "\n"


def _tokens(tokenizer: Tokenizer, parts: Parts) -> Iterator[str]:
    rows = _Rows(tokenizer, lambda token, text: f"{token}\t{text}\n")
    for ids in _id_lists(parts):
        yield "".join(map(rows.__getitem__, ids))


def _count(tokenizer: Tokenizer, parts: Parts) -> Iterator[str]:
    yield f"{sum(len(ids) for _, ids in parts)}\n"


def _json_ids(tokenizer: Tokenizer, parts: Parts) -> Iterator[str]:
    yield from _bracketed(_joined(", ", (map(str, ids) for ids in _id_lists(parts))))


def _json_tokens(tokenizer: Tokenizer, parts: Parts) -> Iterator[str]:
    def row(token: int, text: str) -> str:
        return json.dumps({"id": token, "text": text, "hex": tokenizer.token_bytes(token).hex()})

    rows = _Rows(tokenizer, row)
    yield from _bracketed(_joined(",\n", (map(rows.__getitem__, ids) for ids in _id_lists(parts))))


def _json_count(tokenizer: Tokenizer, parts: Parts) -> Iterator[str]:
    n_bytes = n_tokens = 0
    for utf8, ids in parts:
        n_bytes, n_tokens = n_bytes + len(utf8), n_tokens + len(ids)
    yield json.dumps({"n_tokens": n_tokens, "n_bytes": n_bytes}) + "\n"


def _id_lists(parts: Parts) -> Iterator[list[int]]:
    """Yield ids as lists, not too many at a time: a part that cannot be cut may have any number."""
    from bpe_studio.dataset.id_files import BLOCK_IDS

    for _, ids in parts:
        yield from (ids[at : at + BLOCK_IDS].tolist() for at in range(0, len(ids), BLOCK_IDS))


def _joined(separator: str, parts: Iterator[Iterator[str]]) -> Iterator[str]:
    """Join parts, and the words in each, by a separator."""
    before = ""
    for words in parts:
        text = separator.join(words)
        if text:
            yield before + text
            before = separator


def _bracketed(texts: Iterator[str]) -> Iterator[str]:
    """Put texts in brackets; nothing comes out before the first of them."""
    before = "["
    for text in texts:
        yield before + text
        before = ""
    yield before + "]\n"


class _Rows(dict[int, str]):
    """A token's row, made when it is first met."""

    def __init__(self, tokenizer: Tokenizer, row: Callable[[int, str], str]) -> None:
        super().__init__()
        self._tokenizer, self._row = tokenizer, row

    def __missing__(self, token: int) -> str:
        self[token] = row = self._row(token, shown_token(self._tokenizer, token))
        return row


def shown_token(tokenizer: Tokenizer, token: int) -> str:
    """Return a token on one line, everything invisible escaped."""
    from bpe_studio.analysis.unicode_view import escape_for_copy

    if token == tokenizer.alphabet.unknown_id:
        return tokenizer.alphabet.unknown_token or ""
    return escape_for_copy(tokenizer.token_bytes(token))


SHAPE_HELP = {
    "ids": "ids on one line (default)",
    "tokens": "one token a line: id, tab, text",
    "count": "the number of tokens",
}
SHAPES: dict[str, Shape] = {"ids": _ids, "tokens": _tokens, "count": _count}
JSON_SHAPES: dict[str, Shape] = {"ids": _json_ids, "tokens": _json_tokens, "count": _json_count}
