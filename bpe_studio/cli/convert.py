"""Write a tokenizer in another format, and say what is lost.

The new file is read back and compared before it takes its place.

    bpe-studio convert my.json -o tokenizer.json --format huggingface
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bpe_studio.cli.arguments import file_name, loaded_from
from bpe_studio.cli.outputs import check_output
from bpe_studio.cli.streams import UsageError, tell, write_json
from bpe_studio.engine.errors import BpeStudioError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "input", metavar="IN", type=file_name,
        help="a tokenizer file of any format, or one of gpt2, p50k_base, cl100k_base, o200k_base",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=file_name, required=True, help="the tokenizer file to write"
    )
    parser.add_argument(
        "--format", metavar="F", help="the format to write; by default the one that OUT's name ends with"
    )
    parser.add_argument("--json", action="store_true", help="what was done as JSON on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Read, write, and say what was lost and checked."""
    from bpe_studio.formats.table import format_for, format_named, save

    output = Path(arguments.output)
    check_output(arguments.output, ())
    try:
        named = format_named(arguments.format) if arguments.format else None
    except BpeStudioError as error:
        raise UsageError(f"argument --format: {error}") from error
    tokenizer = loaded_from(arguments.input)
    record = named or format_for(output, tokenizer)
    report = save(tokenizer, output, record.name)
    lost = report.lost
    for sentence in lost:
        tell(f"note: not kept: {sentence}")
    for check in report.checks[1:]:
        tell(f"note: {check}")
    if arguments.json:
        checked = {"lost": list(lost), "n_bytes": output.stat().st_size}
        write_json({"output": arguments.output, "format": record.name, "fingerprint": tokenizer.fingerprint(),
                    "vocab_size": tokenizer.vocab_size, "n_ids": tokenizer.n_ids} | checked)  # fmt: skip
    else:
        tell(f"{arguments.output}: {record.label}; {tokenizer.vocab_size:,} tokens; read back, and the same")
    return 0
