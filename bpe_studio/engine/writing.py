"""Files written whole or not at all: a tokenizer, a table of words."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from bpe_studio.engine.errors import BpeStudioError, FormatError


def check_target(path: Path) -> None:
    """Find out whether a file can be written, before the work is done whose result it is to hold.

    Parameters
    ----------
    path : Path
        The file to be.

    Raises
    ------
    FormatError
        If its folder is missing or closed to us, or if it is a folder or a read-only file itself.
    """
    try:
        found = _stat(path)
        if found is not None and stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(0, "it is a folder")
        if found is not None and not os.access(path, os.W_OK):
            raise PermissionError(0, "it is read-only")
        if found is None or stat.S_ISREG(found.st_mode):
            _check_folder(_real(path).parent)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error


def write_atomic(path: Path, data: bytes | memoryview, check: Callable[[Path], None] | None = None) -> None:
    """Write a file whole or not at all: until the last moment the old one stays as it was.

    Parameters
    ----------
    path : Path
        The file. A symbolic link is followed; an existing file's mode is kept.
    data : bytes or memoryview
        Its content.
    check : callable, optional
        Gets the path of the temporary file before it takes the target's place; what it raises stops the
        writing.

    Raises
    ------
    FormatError
        Naming the path and the system's reason. The temporary file is gone then.
    """
    with atomic_file(path, check) as file:
        file.write(data)


def write_together(
    files: Mapping[Path, bytes | memoryview],
    check: Callable[[Mapping[Path, Path]], None] | None = None,
) -> None:
    """Write files that belong together: none takes its place before all are written and checked.

    Parameters
    ----------
    files : mapping of Path to bytes or memoryview
        The files and their content, as `write_atomic` takes them; the first takes its place last.
    check : callable, optional
        Gets the path of the temporary file for each file; what it raises stops the writing.

    Raises
    ------
    FormatError
        As `write_atomic` does.
    """

    def write_rest(rest: list[Path], written: dict[Path, Path]) -> None:
        if rest:
            path = rest[0]
            # The others are written while this one waits to take its place.
            write_atomic(
                path, files[path], lambda temporary: write_rest(rest[1:], {**written, path: temporary})
            )
        elif check is not None:
            check(written)

    write_rest(list(files), {})


@contextlib.contextmanager
def atomic_file(path: Path, check: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """Open a file that takes its place at the end of the ``with``, whole, or not at all if that raises.

    Parameters
    ----------
    path : Path
        As for `write_atomic`.
    check : callable, optional
        As for `write_atomic`.

    Yields
    ------
    binary file
        To write to.

    Raises
    ------
    FormatError
        As `write_atomic` does.
    """
    check_target(path)
    try:
        found = _stat(path)
        if found is not None and not stat.S_ISREG(found.st_mode):
            # A pipe or a device has no content to keep, and must not be replaced by a file.
            with open(path, "wb") as file:
                yield file
            return
        with _replacing(_real(path), None if found is None else stat.S_IMODE(found.st_mode), check) as file:
            yield file
    except (OSError, ValueError) as error:
        if isinstance(error, BpeStudioError):
            raise
        raise _unwritable(path, error) from error


@contextlib.contextmanager
def _replacing(target: Path, mode: int | None, check: Callable[[Path], None] | None) -> Iterator[BinaryIO]:
    # The name is short and our own: the target's may be as long as the system allows.
    temporary = target.with_name(f".bpe-studio-{secrets.token_hex(6)}.tmp")
    try:
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        with open(os.open(temporary, flags, 0o666), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check(temporary)
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut; where folders cannot be synced, nothing is lost by that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _check_folder(folder: Path) -> None:
    if not os.path.isdir(folder):
        raise FileNotFoundError(0, f"the folder {folder} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(0, f"the folder {folder} is read-only")


def reason(error: OSError | ValueError) -> str:
    """What the system said, without a full stop.

    Parameters
    ----------
    error : OSError or ValueError
        The error; a path with a NUL in it is a ValueError.

    Returns
    -------
    str
        The reason.
    """
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error)).rstrip(".")


def _unwritable(path: Path, error: OSError | ValueError) -> FormatError:
    return FormatError(f"{path}: cannot be written: {reason(error)}.")
