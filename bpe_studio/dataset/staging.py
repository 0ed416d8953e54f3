"""A folder that is filled out of sight and appears whole; what an interrupted run left is removed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from bpe_studio.dataset.manifest import MANIFEST, file_names, read_manifest
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.writing import reason, sync_folder


def check_folder(folder: Path, names: Collection[str]) -> None:
    """Find out before the work whether a data set can be written into a folder.

    Parameters
    ----------
    folder : Path
        A folder, or what is to be one; its parent must be there.
    names : collection of str
        The files to be.

    Raises
    ------
    FormatError
        If it cannot be written to, or holds files of these names that are no data set's.
    """
    folder = _real(folder)
    if folder.exists() and not folder.is_dir():
        raise FormatError(f"{folder}: cannot be written: it is not a folder.")
    if not folder.parent.is_dir():
        raise FormatError(f"{folder}: cannot be written: the folder {folder.parent} does not exist.")
    for place in {folder.parent, folder} if folder.exists() else {folder.parent}:
        if not os.access(place, os.W_OK | os.X_OK):
            raise FormatError(f"{folder}: cannot be written: the folder {place} is read-only.")
    if (folder / MANIFEST).exists():
        read_manifest(folder)
    elif not _leftovers(folder):
        # Without a manifest, files of these names are ours only if a run ended while it moved them in.
        foreign = sorted(name for name in names if (folder / name).exists())
        if foreign:
            raise FormatError(
                f"{folder}: not written, because {foreign[0]} is there and no {MANIFEST}: it is not known "
                "what that file is. Choose another folder."
            )


@contextlib.contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """Give a hidden folder beside `folder`, whose files move there at the end, the manifest last.

    Parameters
    ----------
    folder : Path
        As for `check_folder`. A data set that is in it is replaced; other files stay.

    Yields
    ------
    Path
        The hidden folder. If the ``with`` raises it is removed, and `folder` is as it was.

    Raises
    ------
    FormatError
        If something cannot be written.
    """
    folder = _real(folder)
    left = _leftovers(folder)
    stage = folder.with_name(_prefix(folder) + secrets.token_hex(4))
    try:
        stage.mkdir()
        for old in left:
            shutil.rmtree(old, ignore_errors=True)
        try:
            yield stage
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            raise
        _publish(stage, folder)
    except OSError as error:
        raise FormatError(f"{folder}: cannot be written: {reason(error)}.") from error


def _publish(stage: Path, folder: Path) -> None:
    """Move the files in. Killed on the way, the folder has no manifest, and the next run tidies up."""
    if not folder.exists():
        os.rename(stage, folder)
        sync_folder(folder.parent)
        return
    new = {path.name for path in stage.iterdir()}
    old = set() if not (folder / MANIFEST).exists() else file_names(read_manifest(folder))
    (folder / MANIFEST).unlink(missing_ok=True)
    sync_folder(folder)
    for name in old - new:
        (folder / name).unlink(missing_ok=True)
    for name in sorted(new - {MANIFEST}):
        os.replace(stage / name, folder / name)
    sync_folder(folder)
    os.replace(stage / MANIFEST, folder / MANIFEST)
    sync_folder(folder)
    stage.rmdir()


def _leftovers(folder: Path) -> list[Path]:
    prefix = _prefix(folder)
    return [path for path in folder.parent.iterdir() if path.name.startswith(prefix)]


def _prefix(folder: Path) -> str:
    # Of fixed length: the folder's name may be as long as the system allows.
    return f".bpe-studio-dataset-{hashlib.sha256(os.fsencode(folder.name)).hexdigest()[:12]}-"


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))
