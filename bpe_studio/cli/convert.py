"""Write a tokenizer in another format, and say what is lost.

The new file is read back before it takes its place; where the program whose
format it is, is installed, that one reads it too. The exit code is 1 if its ids
differ. Some formats hold no split pattern; --pattern says the one of IN.

    bpe-studio convert my.json -o tokenizer.json --format huggingface
    bpe-studio convert ranks.tiktoken --pattern cl100k -o my.json
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import FORMAT_NAMES, file_name, loaded_from, pattern
from bpe_studio.cli.outputs import check_output, tell_report
from bpe_studio.cli.streams import UsageError, error_text, input_bytes, tell, write_json
from bpe_studio.engine.errors import BpeStudioError, PatternError

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer
    from bpe_studio.formats.reports import SaveReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "input", metavar="IN", type=file_name,
        help="a tokenizer file of any format, a folder that holds one, or a name that tokenizers lists",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=file_name, required=True, help="the tokenizer file to write"
    )
    parser.add_argument(
        "--format", metavar="F",
        help=f"{', '.join(FORMAT_NAMES)}; by default the first that has OUT's ending and holds the tokenizer",
    )  # fmt: skip
    parser.add_argument(
        "--pattern", metavar="P", type=pattern, help="the split pattern, in place of IN's, as in train"
    )
    parser.add_argument(
        "--sample",
        metavar="FILE",
        type=file_name,
        help="a text in UTF-8 on which the new file is checked too",
    )
    parser.add_argument("--json", action="store_true", help="what was done as JSON on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Read, write, and say what was lost and checked."""
    from bpe_studio.formats.table import format_named, save

    sample = arguments.sample
    check_output(arguments.output, [sample] if sample else [])
    try:
        if arguments.format is not None:
            format_named(arguments.format)
    except BpeStudioError as error:
        raise UsageError(f"argument --format: {error}") from error
    checked_on = "" if sample is None else input_bytes(sample).decode("utf-8", "replace")
    try:
        tokenizer = loaded_from(arguments.input, arguments.pattern)
    except PatternError as error:
        raise UsageError(f"argument --pattern: {error_text(error)}") from error
    report = save(tokenizer, arguments.output, arguments.format, sample=checked_on)
    tell_report(report)
    written = format_named(report.format).keeps(tokenizer)
    if arguments.json:
        write_json(_json_value(written, report))
    else:
        files = ", ".join(path.name for path in report.files)
        tell(f"{arguments.output}: {report.format}, {written.vocab_size:,} tokens; wrote {files}")
    return 0 if report.ok else 1


def _json_value(tokenizer: Tokenizer, report: SaveReport) -> dict[str, Any]:
    return {
        "format": report.format,
        "files": [str(path) for path in report.files],
        "fingerprint": tokenizer.fingerprint(),
        "vocab_size": tokenizer.vocab_size,
        "n_ids": tokenizer.n_ids,
        "lost": list(report.lost),
        "checks": [asdict(check) | {"ok": check.ok} for check in report.checks],
        "ok": report.ok,
    }
