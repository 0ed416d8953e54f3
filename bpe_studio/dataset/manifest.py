"""The manifest: what a data set holds, and which tokenizer encoded it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.formats.files import read_bounded

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer

MANIFEST = "manifest.json"
TOKENIZER = "tokenizer.json"
FORMAT = "bpe-studio dataset"
VERSION = 1


def check_fingerprint(source: str | Path | Mapping[str, Any], tokenizer: Tokenizer) -> None:
    """Refuse a data set that another tokenizer encoded; for the first lines of a training script.

    Parameters
    ----------
    source : str, Path or mapping
        The data set's folder, its manifest file, or the manifest's content.
    tokenizer : Tokenizer
        The tokenizer that is to decode the ids.

    Raises
    ------
    FormatError
        If the tokenizer has another fingerprint, or there is no sound manifest: the data set is then not
        complete.

    Examples
    --------
    >>> from bpe_studio import train
    >>> tok = train("aaab", vocab_size=257, pattern="none")
    >>> check_fingerprint({"tokenizer": {"fingerprint": tok.fingerprint()}}, tok)
    """
    name, manifest = "the data set", source
    if not isinstance(source, Mapping):
        name, manifest = str(source), read_manifest(Path(source))
    try:
        found = manifest["tokenizer"]["fingerprint"]  # type: ignore[index]
    except (KeyError, TypeError, IndexError):
        raise FormatError(f"{name}: the manifest does not name the tokenizer's fingerprint.") from None
    if found != tokenizer.fingerprint():
        raise FormatError(
            f"{name}: it was encoded by a tokenizer with the fingerprint {found}, and this one has "
            f"{tokenizer.fingerprint()}; ids mean other tokens here. Load the {TOKENIZER} of the data set."
        )


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a data set.

    Parameters
    ----------
    path : Path
        The manifest, or the folder in which it lies.

    Raises
    ------
    FormatError
        If there is none, or it is none of ours.
    """
    if path.is_dir():
        if not (path / MANIFEST).exists():
            raise FormatError(f"{path}: there is no {MANIFEST}, so this is no complete data set.")
        path = path / MANIFEST
    try:
        value = json.loads(read_bounded(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: this is no manifest: {error}.") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise FormatError(f"{path}: this is no manifest of a data set of BPE Studio.")
    if value.get("version") != VERSION:
        raise FormatError(
            f"{path}: the manifest has version {value.get('version')!r}; this program reads {VERSION}."
        )
    return value


def file_names(manifest: Mapping[str, Any]) -> set[str]:
    """Return the files that a manifest names and that lie beside it; believe nothing in it."""
    splits = manifest.get("splits")
    entries = [manifest.get("tokenizer"), *(splits.values() if isinstance(splits, Mapping) else ())]
    names = {entry.get("file") for entry in entries if isinstance(entry, Mapping)}
    return {name for name in names if isinstance(name, str) and Path(name).name == name and name}
