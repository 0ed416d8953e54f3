"""ID_FORMATS: token ids on the disk, as NumPy's ``.npy``, as bare numbers, or as a tensor of PyTorch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.errors import BpeStudioError, FormatError

Blocks = Iterable[NDArray[Any]]

DTYPES = ("uint16", "uint32", "int32", "int64")
"""What ids may be written as, little-endian."""

BLOCK_IDS = 1 << 20
"""Ids that are read, or made objects of Python, at a time."""


@dataclass(frozen=True)
class IdFormat:
    """A format of files of token ids.

    Parameters
    ----------
    name : str
        What options call it.
    suffix : str
        How its files' names end.
    dtype : callable
        Number of ids of a vocabulary → the usual one of `DTYPES`.
    write : callable
        Writes blocks of ids of a dtype to a file that is open.
    read : callable
        Yields blocks of ids from a file that is open, and whose dtype, if it does not say it, is given.
    """

    name: str
    suffix: str
    dtype: Callable[[int], str]
    write: Callable[[BinaryIO, Blocks, str], None]
    read: Callable[[BinaryIO, str], Iterator[NDArray[Any]]]


def smallest_dtype(n_ids: int) -> str:
    """Return the smaller of uint16 and uint32 that holds all ids of a vocabulary.

    Examples
    --------
    >>> smallest_dtype(65536), smallest_dtype(65537)
    ('uint16', 'uint32')
    """
    return "uint16" if n_ids <= 1 << 16 else "uint32"


def checked_dtype(record: IdFormat, n_ids: int, asked: str = "auto") -> str:
    """Return the dtype for a vocabulary's ids.

    Parameters
    ----------
    record : IdFormat
        The format.
    n_ids : int
        Largest id + 1.
    asked : str
        "auto", or one of `DTYPES`.

    Raises
    ------
    FormatError
        If the ids do not fit.
    """
    if asked == "auto":
        return record.dtype(n_ids)
    if n_ids - 1 > np.iinfo(asked).max:
        raise FormatError(f"the largest id, {n_ids - 1:,}, does not fit {asked}.")
    return asked


def id_format_for(path: Path | str) -> IdFormat | None:
    """Return the format that a file's name ends with, or None."""
    name = os.fsdecode(path).lower()
    return next((record for record in ID_FORMATS.values() if name.endswith(record.suffix)), None)


def _little(dtype: str) -> np.dtype[Any]:
    return np.dtype(dtype).newbyteorder("<")


def _write_bin(file: BinaryIO, blocks: Blocks, dtype: str) -> None:
    for block in blocks:
        file.write(block.astype(_little(dtype)).tobytes())


def _read_bin(file: BinaryIO, dtype: str) -> Iterator[NDArray[Any]]:
    size = np.dtype(dtype).itemsize
    while data := file.read(BLOCK_IDS * size):
        if len(data) % size:
            raise FormatError(f"the file ends inside a number: its ids are not {dtype}.")
        yield np.frombuffer(data, _little(dtype))


def _write_npy(file: BinaryIO, blocks: Blocks, dtype: str) -> None:
    n_ids = 0

    def counted() -> Iterator[NDArray[Any]]:
        nonlocal n_ids
        for block in blocks:
            n_ids += len(block)
            yield block

    header = {"descr": np.lib.format.dtype_to_descr(_little(dtype)), "fortran_order": False}
    # NumPy leaves room for the length to grow, so that the second header takes the place of the first.
    np.lib.format.write_array_header_1_0(file, header | {"shape": (0,)})
    start = file.tell()
    _write_bin(file, counted(), dtype)
    file.seek(0)
    np.lib.format.write_array_header_1_0(file, header | {"shape": (n_ids,)})
    assert file.tell() == start
    file.seek(0, os.SEEK_END)


_NPY_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def _read_npy(file: BinaryIO, dtype: str) -> Iterator[NDArray[Any]]:
    try:
        version = np.lib.format.read_magic(file)
        if version not in _NPY_HEADERS:
            raise ValueError(f"version {version} is not read")
        shape, _, found = _NPY_HEADERS[version](file)
    except Exception as error:  # NumPy reads the header as Python, and raises what its tokenizer does
        raise FormatError(f"this is no sound .npy file: {error}.") from error
    if len(shape) != 1 or shape[0] < 0 or found.kind not in "iu":
        raise FormatError(
            f"the array has {len(shape)} axes of {found}, and not one axis of integers as token ids have."
        )
    left = shape[0]
    while left:
        data = file.read(min(left, BLOCK_IDS) * found.itemsize)
        if not data or len(data) % found.itemsize:
            raise FormatError(f"the file is cut off: {left:,} ids of {shape[0]:,} are missing.")
        block = np.frombuffer(data, found)
        left -= len(block)
        yield block


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise BpeStudioError(
            "a .pt file needs PyTorch, which is not installed; install torch, or take .npy or .bin."
        ) from None
    return torch


def _write_pt(file: BinaryIO, blocks: Blocks, dtype: str) -> None:
    torch = _torch()
    ids = np.concatenate([np.zeros(0, dtype), *(block.astype(dtype) for block in blocks)])
    torch.save(torch.from_numpy(ids), file)


def _read_pt(file: BinaryIO, dtype: str) -> Iterator[NDArray[Any]]:
    torch = _torch()
    try:
        ids = torch.load(file, weights_only=True).numpy()
    except Exception as error:  # torch raises what its unpickler, its zip reader or a missing method do
        raise FormatError(f"this is no sound .pt file: {type(error).__name__}.") from error
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise FormatError("the tensor is not one axis of integers, as token ids are.")
    yield ids


def check_can_write(record: IdFormat) -> None:
    """Raise `BpeStudioError` if a format needs a library that is not there."""
    if record.name == "pt":
        _torch()


ID_FORMATS: dict[str, IdFormat] = {
    record.name: record
    for record in (
        IdFormat("npy", ".npy", smallest_dtype, _write_npy, _read_npy),
        IdFormat("bin", ".bin", smallest_dtype, _write_bin, _read_bin),
        # What indexes an embedding and what a loss compares with is int64 in PyTorch.
        IdFormat("pt", ".pt", lambda n_ids: "int64", _write_pt, _read_pt),
    )
}
