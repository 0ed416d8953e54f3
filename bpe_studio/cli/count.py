"""Count the words of texts that a split pattern cuts.

Ctrl+C shows what was counted so far.

    bpe-studio count corpus.txt --pattern gpt2 -n 50
    bpe-studio count corpus/ -o words.npz
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import add_files, file_name, whole_number
from bpe_studio.cli.corpora import counted, listed
from bpe_studio.cli.outputs import check_output
from bpe_studio.cli.progress import INTERRUPTED, Watch
from bpe_studio.cli.streams import UsageError, error_text, tell, write_json, write_text
from bpe_studio.cli.train import OPTIONS
from bpe_studio.engine.errors import PatternError, SpecialTokenError

if TYPE_CHECKING:
    from bpe_studio.engine.words import WordTable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_files(parser, "text files or folders")
    for name in ("--pattern", "--special", "--errors", "--lines"):
        parser.add_argument(name, **OPTIONS[name])
    parser.add_argument(
        "-n", "--number", metavar="N", type=whole_number(0), default=20,
        help="show the N most frequent words (default 20)",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=file_name,
        help="also write the table of words, in .npz: train takes it in place of the texts",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Count, and write the numbers and the most frequent words."""
    from bpe_studio.engine.patterns import resolve_pattern
    from bpe_studio.engine.special_strings import checked_special_tokens

    if arguments.output is not None:
        check_output(arguments.output, arguments.files)
    try:
        pattern = resolve_pattern(arguments.pattern)
        specials = checked_special_tokens(arguments.special_tokens)
    except PatternError as error:
        raise UsageError(f"argument --pattern: {error_text(error)}") from error
    except SpecialTokenError as error:
        raise UsageError(f"argument --special: {error}") from error
    with listed(arguments.files) as items, Watch(shown=True) as watch:
        words = counted(
            items, watch, pattern=pattern, special_tokens=specials, errors=arguments.errors,
            lines=arguments.lines,
        )  # fmt: skip
    if watch.interrupted:
        tell(f"stopped; these are the words of the first {words.facts.n_bytes:,} bytes")
    if arguments.output is not None:
        words.save(arguments.output)
    value = json_value(words, arguments.number)
    if arguments.json:
        write_json(value)
    else:
        write_text(_table(value))
    return INTERRUPTED if watch.interrupted else 0


def json_value(words: WordTable, n_words: int) -> dict[str, Any]:
    """Return the numbers, and the most frequent words, as JSON values."""
    import numpy as np

    from bpe_studio.analysis.unicode_view import escape_for_copy

    counts, facts = np.asarray(words.counts), words.facts
    top = np.argsort(-counts, kind="stable")[:n_words].tolist()
    rows = [
        {"word": escape_for_copy(words.word(row)), "hex": words.word(row).hex(), "count": int(counts[row])}
        for row in top
    ]
    return {
        "n_words": int(counts.sum()),
        "n_unique": len(words),
        "n_bytes": facts.n_bytes,
        "n_characters": facts.n_characters,
        "n_documents": facts.n_documents,
        "n_specials": facts.n_specials,
        "n_uncovered": facts.n_uncovered,
        "pattern": words.pattern.expression,
        "corpus": facts.fingerprint,
        "words": rows,
    }


def _table(value: dict[str, Any]) -> str:
    from bpe_studio.analysis.unicode_view import label

    names = "n_words n_unique n_bytes n_characters n_documents n_specials n_uncovered".split()
    lines = [f"{name.removeprefix('n_'):<12}{value[name]:>15,}" for name in names]
    if value["words"]:
        lines.append(f"\n{'count':>12}  word")
        lines += [f"{row['count']:>12,}  {label(bytes.fromhex(row['hex']))}" for row in value["words"]]
    return "\n".join(lines) + "\n"
