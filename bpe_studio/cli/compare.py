"""Compare tokenizers on texts: tokens, bytes per token.

A table for each file: tokens, bytes and characters per token, the compression
factor (base symbols per token), the reduction in percent, how many different
tokens occur, and the longest of them.

    bpe-studio compare -t my.json -t gpt2 -t cl100k_base text.txt
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import (
    add_allowed_special,
    add_files,
    add_tokenizer,
    allowed_special,
    loaded_from,
)
from bpe_studio.cli.progress import INTERRUPTED, Watch
from bpe_studio.cli.streams import UsageError, input_name, one_line, tell, write_json, write_text
from bpe_studio.cli.texts import FileEncoder, tell_specials
from bpe_studio.engine.errors import BpeStudioError

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer

N_LONGEST = 5
COLUMNS = (
    ("tokens", "n_tokens", ",d"),
    ("bytes/token", "bytes_per_token", ".3f"),
    ("chars/token", "characters_per_token", ".3f"),
    ("factor", "compression_factor", ".3f"),
    ("reduction %", "reduction_percent", ".1f"),
    ("used", "n_used", ",d"),
)
"""Header, name in `Figures` and format of each column."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser, several=True)
    add_files(parser, "texts in UTF-8")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    add_allowed_special(parser)


def run(arguments: argparse.Namespace) -> int:
    """Encode every file with every tokenizer, and write a table for each file."""
    if arguments.files.count("-") * len(arguments.tokenizer) > 1:
        raise UsageError("argument FILE: standard input can be read once, and by one tokenizer")
    tokenizers = [(name, loaded_from(name)) for name in arguments.tokenizer]
    allowed = [allowed_special(arguments.allowed_special, tokenizer) for _, tokenizer in tokenizers]
    results: list[dict[str, Any]] = []
    stopped = False
    n_specials = 0
    try:
        with Watch(shown=True, keeps=False) as watch:
            for file in arguments.files:
                for (name, tokenizer), specials in zip(tokenizers, allowed, strict=True):
                    encoder = FileEncoder(tokenizer, specials, watch)
                    results.append({"file": file, "tokenizer": name, **_figures(encoder, file)})
                    n_specials = max(n_specials, encoder.n_specials)
    except KeyboardInterrupt:
        stopped = True
        tell("stopped; what was compared so far follows")
    tell_specials(n_specials)
    for row in results:
        if "error" in row:
            tell(f"{row['tokenizer']}: {row['error']}")
    if arguments.json:
        write_json({"tokenizers": [_facts(*named) for named in tokenizers], "results": results})
    else:
        write_text("\n".join(_table(file, results) for file in dict.fromkeys(row["file"] for row in results)))
    if stopped:
        return INTERRUPTED
    return 1 if any("error" in row for row in results) else 0


def _facts(name: str, tokenizer: Tokenizer) -> dict[str, Any]:
    sizes = {"vocab_size": tokenizer.vocab_size, "n_ids": tokenizer.n_ids}
    return {"tokenizer": name, "fingerprint": tokenizer.fingerprint(), **sizes}


def _figures(encoder: FileEncoder, file: str) -> dict[str, Any]:
    from bpe_studio.analysis.comparison import figures_of

    try:
        return figures_of(encoder.tokenizer, encoder.parts(file)).as_json()
    except BpeStudioError as error:
        return {"error": str(error)}


def _table(file: str, results: list[dict[str, Any]]) -> str:
    """Return the rows of one file, then each tokenizer's longest tokens in it."""
    from bpe_studio.analysis.unicode_view import label

    rows = [row for row in results if row["file"] == file]
    done = [row for row in rows if "error" not in row]
    width = max(len(one_line(row["tokenizer"])) for row in rows)
    size = f": {done[0]['n_bytes']:,} bytes, {done[0]['n_characters']:,} characters" if done else ""
    header = "".join(f"{title:>14}" for title, _, _ in COLUMNS)
    lines = [f"{one_line(input_name(file))}{size}", f"{'tokenizer':<{max(width, 9)}}{header}"]
    for row in rows:
        cells = "".join(f"{_cell(row.get(key), form):>14}" for _, key, form in COLUMNS)
        lines.append(f"{one_line(row['tokenizer']):<{max(width, 9)}}{cells}")
    for row in done:
        longest = [label(bytes.fromhex(token["hex"])) for token in row["longest_tokens"][:N_LONGEST]]
        lines.append(f"longest in {one_line(row['tokenizer'])}: {'  '.join(longest)}")
    return "\n".join(lines) + "\n"


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
