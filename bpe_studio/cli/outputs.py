"""Outputs, checked before the work is done whose results they are to hold."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.cli.streams import STANDARD_INPUT, UsageError, tell

if TYPE_CHECKING:
    from bpe_studio.formats.reports import SaveReport


def check_output(output: str, inputs: Iterable[str], option: str = "-o/--output") -> None:
    """Find out before the work whether its result can be written.

    Parameters
    ----------
    output : str
        The file to be written.
    inputs : iterable of str
        Files and folders that are read.
    option : str
        What gave the output, for the message.

    Raises
    ------
    UsageError
        If the output is standard output, or one of the inputs.
    FormatError
        If it cannot be written.
    """
    from bpe_studio.engine.writing import check_target

    if output == STANDARD_INPUT:
        raise UsageError(f"argument {option}: must be a file; leave it out for standard output")
    check_target(Path(output))
    if any(is_read(output, name) for name in inputs):
        raise UsageError(f"{output}: is to be read and to be overwritten; choose another output")


def tell_report(report: SaveReport) -> None:
    """Say what a file does not keep of a tokenizer, and who read it back."""
    for sentence in report.lost:
        tell(f"note: {sentence}")
    for check in report.checks:
        tell(f"{report.path}: {check}")


def is_read(output: str, source: str) -> bool:
    """Say whether a file to be written is a source, or lies where a folder's files are read."""
    if source == STANDARD_INPUT or not os.path.isdir(source):
        return source != STANDARD_INPUT and same_file(output, source)
    target, folder = Path(os.path.realpath(output)), Path(os.path.realpath(source))
    if not target.exists() or not target.is_relative_to(folder):
        return False
    return not any(name.startswith(".") for name in target.relative_to(folder).parts)  # these are not read


def same_file(one: str, other: str) -> bool:
    """Say whether two names mean one file."""
    if os.path.abspath(one) == os.path.abspath(other):
        return True
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)
