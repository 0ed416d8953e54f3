"""List the tokenizers that are at hand by name.

Those of the package, and those that tiktoken and Hugging Face keep on this
computer. Every command takes the names, and no network is asked.

    bpe-studio tokenizers
    bpe-studio encode -t cl100k_base text.txt --count
"""

from __future__ import annotations

import argparse
from typing import Any

from bpe_studio.cli.streams import one_line, write_json, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write a line for each."""
    rows = at_hand()
    if arguments.json:
        write_json(rows)
    else:
        width = max(len(row["name"]) for row in rows)
        lines = (f"{row['name']:<{width}}  {row['format']:<13}  {row['path']}".rstrip() for row in rows)
        write_text("".join(one_line(line) + "\n" for line in lines))
    return 0


def at_hand() -> list[dict[str, Any]]:
    """Return name, format, file and hash of each; those of the package first."""
    from bpe_studio.formats.found import found_tokenizers
    from bpe_studio.formats.pretrained import pretrained_names

    ours = [{"name": name, "format": "pretrained", "path": "", "hash": ""} for name in pretrained_names()]
    theirs = [
        {"name": found.name, "format": found.format, "path": str(found.path), "hash": found.hash}
        for found in found_tokenizers()
    ]
    return [*ours, *theirs]
