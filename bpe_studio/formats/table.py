"""FORMATS: the file formats as records; loading by content, saving with a check of what was written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.writing import write_atomic
from bpe_studio.formats import character_bpe, studio
from bpe_studio.formats.content import Content
from bpe_studio.formats.files import read_bounded
from bpe_studio.formats.pretrained import pretrained, pretrained_names
from bpe_studio.formats.training_fields import same_training


@dataclass(frozen=True)
class Format:
    """A file format, for dialogs, the command line and tests.

    Parameters
    ----------
    name : str
        What `save` takes.
    label : str
        What a dialog shows.
    suffixes : tuple of str
        File name endings, the usual one first.
    recognises : callable
        Content → whether it is of this format.
    read : callable
        Content → Tokenizer; raises `BpeStudioError`.
    write : callable
        Tokenizer → bytes.
    lost : callable
        Tokenizer → sentences on what a file does not keep.
    refusals : callable
        Tokenizer → reasons why it cannot be written; empty if it can.
    keeps_training : bool
        Whether a file keeps how the tokenizer came about.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Content], bool]
    read: Callable[[Content], Tokenizer]
    write: Callable[[Tokenizer], bytes]
    lost: Callable[[Tokenizer], tuple[str, ...]]
    refusals: Callable[[Tokenizer], tuple[str, ...]]
    keeps_training: bool = False


FORMATS: tuple[Format, ...] = (
    Format(
        "studio", "BPE Studio JSON: everything", (".json",),
        studio.recognises, studio.read, studio.write, studio.lost, studio.refusals, keeps_training=True,
    ),
    Format(
        "character_bpe", "Tutorial JSON (character_bpe): characters and merges", (".json",),
        character_bpe.recognises, character_bpe.read, character_bpe.write, character_bpe.lost,
        character_bpe.refusals,
    ),
)  # fmt: skip


def format_named(name: str) -> Format:
    """Return a format by name, or raise `FormatError` naming those that exist."""
    for record in FORMATS:
        if record.name == name:
            return record
    known = ", ".join(record.name for record in FORMATS)
    raise FormatError(f"There is no format {name!r}; there are: {known}.")


def load(path: str | Path) -> Tokenizer:
    """Return the tokenizer in a file, whatever format it has, or a pretrained one by name.

    Parameters
    ----------
    path : str or Path
        The file; its content decides, not its name. Or, as a str, the name of a pretrained vocabulary:
        "gpt2", "p50k_base", "cl100k_base", "o200k_base". These lie in the package, no network is asked.
        Where a file or folder of that name exists, it wins; a Path always means a file.

    Returns
    -------
    Tokenizer
        Checked; a pretrained one is made once in a process.

    Raises
    ------
    FormatError
        Naming the file, the place in it and what is wrong there.
    """
    if isinstance(path, str) and path in pretrained_names() and not os.path.lexists(path):
        return pretrained(path)
    path = Path(path)
    content = Content(path, read_bounded(path))
    try:
        return recognised(content).read(content)
    except BpeStudioError as error:
        raise FormatError(f"{path}: {error}") from error


def recognised(content: Content) -> Format:
    """Return the format of a file's content.

    Raises
    ------
    FormatError
        If it is none of `FORMATS`.
    """
    if content.is_blank:
        raise FormatError("the file is empty.")
    for record in FORMATS:
        if record.recognises(content):
            return record
    known = " or ".join(record.label for record in FORMATS)
    raise FormatError(f"this is not a tokenizer file that BPE Studio knows ({known}).")


def save(tokenizer: Tokenizer, path: str | Path, format: str | None = None) -> None:
    """Write a tokenizer to a file, after reading back and comparing what was written.

    Parameters
    ----------
    tokenizer : Tokenizer
        What to write.
    path : str or Path
        The file. It is replaced whole at the very end; on any failure the old one stays.
    format : str, optional
        Name of a format; default is the one whose ending the file has, and "studio" where none has it.

    Raises
    ------
    FormatError
        If the format cannot hold the tokenizer, or the file cannot be written; naming the path and the
        reason.
    """
    path = Path(path)
    record = format_named(format) if format is not None else format_for(path)
    reasons = record.refusals(tokenizer)
    if reasons:
        raise FormatError(
            f"{path}: the format {record.name} cannot hold this tokenizer: {'; '.join(reasons)}."
        )
    write_atomic(
        path, record.write(tokenizer), lambda written: _check_written(tokenizer, record, path, written)
    )


def format_for(path: Path) -> Format:
    """Return the first format with the file name's ending, or "studio"."""
    name = os.fsdecode(path.name).lower()
    return next((record for record in FORMATS if name.endswith(record.suffixes)), FORMATS[0])


def _check_written(tokenizer: Tokenizer, record: Format, path: Path, written: Path) -> None:
    content = Content(path, read_bounded(written))
    try:
        again = record.read(content)
    except BpeStudioError as error:
        raise FormatError(f"{path}: not written, because it could not be read back: {error}") from error
    same = again == tokenizer
    if not same or record.keeps_training and not same_training(tokenizer.training, again.training):
        raise FormatError(f"{path}: not written, because what was read back differs.")
