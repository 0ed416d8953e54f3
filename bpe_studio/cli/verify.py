"""Check that a tokenizer gives every byte of texts back.

Also that every id is one of its tokens, and that the tokenizer, written and
read again, is the same. The exit code is 1 if anything differs, and the first
place is named.

    bpe-studio verify -t my.json corpus.txt
"""

from __future__ import annotations

import argparse
from typing import Any

from bpe_studio.cli.arguments import (
    add_allowed_special,
    add_files,
    add_tokenizer,
    allowed_special,
    error_in,
    loaded,
)
from bpe_studio.cli.progress import INTERRUPTED, Watch
from bpe_studio.cli.streams import input_name, one_line, tell, write_json, write_text
from bpe_studio.cli.texts import FileEncoder
from bpe_studio.engine.errors import BpeStudioError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    add_files(parser, "texts in UTF-8")
    parser.add_argument("--fingerprint", metavar="HEX", help="the fingerprint that the tokenizer must have")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    add_allowed_special(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the tokenizer, then each file; 1 if anything differs."""
    from bpe_studio.dataset.checks import check_reload

    tokenizer = loaded(arguments)
    allowed = allowed_special(arguments.allowed_special, tokenizer)
    found = tokenizer.fingerprint()
    faults: list[str] = []
    if arguments.fingerprint not in (None, found):
        faults.append(f"the fingerprint is {found}, not {arguments.fingerprint}")
    try:
        check_reload(tokenizer)
    except BpeStudioError as error:
        faults.append(str(error))
    files: list[dict[str, Any]] = []
    stopped = False
    try:
        with Watch(shown=True, keeps=False) as watch:
            encoder = FileEncoder(tokenizer, allowed, watch)
            for file in arguments.files:
                files.append({"file": file, **_checked(encoder, file)})
    except KeyboardInterrupt:
        stopped = True
        tell("stopped; what was checked so far follows")
    encoder.tell_specials()
    faults += [row["fault"] for row in files if row["fault"]]
    for fault in faults:
        tell(fault)
    sizes = {"vocab_size": tokenizer.vocab_size, "n_ids": tokenizer.n_ids}
    value = {"ok": not faults, "fingerprint": found, **sizes, "files": files, "faults": faults}
    if arguments.json:
        write_json(value)
    else:
        write_text("".join(_line(row) for row in files) + f"fingerprint {found}\n")
    return INTERRUPTED if stopped else 1 if faults else 0


def _checked(encoder: FileEncoder, file: str) -> dict[str, Any]:
    """Return what the round trip of a file showed; `fault` is None if nothing."""
    from bpe_studio.dataset.checks import RoundTrip

    trip = RoundTrip(encoder.tokenizer)
    fault = None
    try:
        for utf8, ids in encoder.parts(file):
            trip.check_end(utf8, trip.follow(utf8, ids))
    except BpeStudioError as error:
        fault = str(error_in(file, error))
    numbers = {"n_bytes": trip.n_bytes, "n_tokens": trip.n_tokens, "largest_id": trip.largest_id}
    return {**numbers, "fault": fault}


def _line(row: dict[str, Any]) -> str:
    name = one_line(input_name(row["file"]))
    if row["fault"]:
        return f"{name}: differs\n"
    ids = "" if row["largest_id"] is None else f", largest id {row['largest_id']:,}"
    return f"{name}: {row['n_bytes']:,} bytes, {row['n_tokens']:,} tokens{ids}: the same bytes came back\n"
