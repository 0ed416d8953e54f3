from __future__ import annotations

import builtins
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.cli import id_options
from bpe_studio.dataset.id_files import (
    DTYPES,
    ID_FORMATS,
    check_can_write,
    checked_dtype,
    id_format_for,
    smallest_dtype,
)
from bpe_studio.engine.errors import BpeStudioError, FormatError

NPY, BIN, PT = (ID_FORMATS[name] for name in ("npy", "bin", "pt"))


def written(record: Any, blocks: list[list[int]], dtype: str) -> bytes:
    file = io.BytesIO()
    record.write(file, [np.array(block, np.uint32) for block in blocks], dtype)
    return file.getvalue()


def read(record: Any, data: bytes, dtype: str) -> list[int]:
    return [token for block in record.read(io.BytesIO(data), dtype) for token in block.tolist()]


@given(
    name=st.sampled_from(["npy", "bin"]),
    dtype=st.sampled_from(DTYPES),
    blocks=st.lists(st.lists(st.integers(0, 65535), max_size=9), max_size=5),
)
def test_ids_come_back_from_every_format_and_dtype(name: str, dtype: str, blocks: list[list[int]]) -> None:
    data = written(ID_FORMATS[name], blocks, dtype)
    assert read(ID_FORMATS[name], data, dtype) == sum(blocks, [])


def test_numpy_reads_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(written(NPY, [[1, 2], [], [65535]], "uint16"))
    array = np.load(tmp_path / "a.npy", mmap_mode="r", allow_pickle=False)
    assert array.dtype == np.dtype("<u2") and array.tolist() == [1, 2, 65535]
    (tmp_path / "a.bin").write_bytes(written(BIN, [[1, 2], [], [70000]], "uint32"))
    assert np.fromfile(tmp_path / "a.bin", "<u4").tolist() == [1, 2, 70000]


def test_what_numpy_wrote_is_read_whatever_its_integers() -> None:
    for dtype in ("uint8", ">u2", ">i8", "int32"):
        file = io.BytesIO()
        np.save(file, np.array([1, 2, 200], dtype))
        assert read(NPY, file.getvalue(), "uint16") == [1, 2, 200]
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([7], "u2"), version=(2, 0))
    assert read(NPY, file.getvalue(), "uint16") == [7]


def test_the_smallest_dtype_is_chosen_by_the_number_of_ids() -> None:
    assert (smallest_dtype(65536), smallest_dtype(65537)) == ("uint16", "uint32")
    assert checked_dtype(PT, 300) == "int64" and checked_dtype(BIN, 300, "int32") == "int32"
    with pytest.raises(FormatError, match="the largest id, 65,536, does not fit uint16"):
        checked_dtype(NPY, 65537, "uint16")


def test_a_name_tells_the_format() -> None:
    assert [id_format_for(name) for name in ("a/b.npy", "B.BIN", "x.pt")] == [NPY, BIN, PT]
    assert id_format_for("ids.txt") is None and id_format_for("npy") is None


def npy_of(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("bin", b"\1\0\2", "ends inside a number: its ids are not uint16"),
        ("npy", b"", "no sound .npy file"),
        ("npy", b"1 2 3", "no sound .npy file"),
        ("npy", b"\x93NUMPY\x09\x00", "no sound .npy file: version"),
        ("npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': __import__", "no sound .npy file"),
        ("npy", npy_of(np.zeros((2, 2), np.uint16)), "2 axes"),
        ("npy", npy_of(np.zeros(2)), "float64"),
        ("npy", npy_of(np.array(["a"])), "one axis of integers"),
        ("npy", npy_of(np.arange(9))[:-8], "cut off: 1 ids of 9"),
        ("npy", npy_of(np.arange(9))[:-3], "cut off"),
    ],
)
def test_a_file_that_is_none_is_refused(name: str, data: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(ID_FORMATS[name], data, "uint16")


@given(data=st.binary(max_size=200), cut=st.integers(0, 200))
def test_spoiled_npy_files_give_our_error_or_ids(data: bytes, cut: int) -> None:
    spoiled = bytearray(written(NPY, [[1, 2, 3]], "uint16"))
    spoiled[cut : cut + len(data)] = data
    try:
        read(NPY, bytes(spoiled), "uint16")
    except FormatError:
        pass


def test_without_pytorch_its_files_are_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def without_torch(name: str, *rest: Any, **named: Any) -> Any:
        if name == "torch":
            raise ImportError(name)
        return found(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    check_can_write(NPY)
    with pytest.raises(BpeStudioError, match="needs PyTorch, which is not installed"):
        check_can_write(PT)


class FakeTensor:
    def __init__(self, array: Any) -> None:
        self.array = array

    def numpy(self) -> Any:
        return self.array


def fake_torch() -> SimpleNamespace:
    """As much of PyTorch as ids need, so that the way to it is tested where it is not installed."""

    def load(file: Any, weights_only: bool) -> FakeTensor:
        assert weights_only  # else a file could run code
        return FakeTensor(np.load(file, allow_pickle=False))

    return SimpleNamespace(
        from_numpy=FakeTensor, save=lambda tensor, file: np.save(file, tensor.array), load=load
    )


def test_tensors_are_written_and_read_with_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", fake_torch())
    data = written(PT, [[1, 2], [], [70000]], "int64")
    assert np.load(io.BytesIO(data)).dtype == np.int64
    assert read(PT, data, "int64") == [1, 2, 70000] and read(PT, written(PT, [], "int64"), "int64") == []
    for spoiled, said in ((b"junk", "no sound .pt file"), (npy_of(np.zeros((2, 2))), "not one axis")):
        with pytest.raises(FormatError, match=said):
            read(PT, spoiled, "int64")


def test_the_command_line_offers_every_dtype() -> None:
    assert id_options.DTYPES == ("auto", *DTYPES)


def test_pytorch_reads_what_was_written() -> None:
    torch = pytest.importorskip("torch")
    data = written(PT, [[1, 2], [70000]], "int64")
    tensor = torch.load(io.BytesIO(data), weights_only=True)
    assert tensor.dtype == torch.int64 and tensor.tolist() == [1, 2, 70000]
    assert read(PT, data, "int64") == [1, 2, 70000]
