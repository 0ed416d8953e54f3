"""A table of words on the disk: three arrays and a few facts in one npz file, without pickle.

The arrays are stored, not compressed, so that no small file can claim to hold a large table.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import SplitPattern, chained
from bpe_studio.engine.reading import printable
from bpe_studio.engine.special_strings import checked_special_tokens
from bpe_studio.engine.word_table import CorpusFacts, WordTable, table_of
from bpe_studio.engine.writing import write_atomic

FORMAT = "bpe-studio words"
VERSION = 1

_ARRAYS = {"utf8": np.uint8, "offsets": np.int64, "counts": np.int64, "meta": np.uint8}


def save_words(words: WordTable, path: Path) -> None:
    """Write a table of words; what stood there before is replaced in one step.

    Parameters
    ----------
    words : WordTable
        The table.
    path : Path
        The file.

    Raises
    ------
    FormatError
        If it cannot be written.
    """
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "pattern": words.pattern.value,
        "special_tokens": words.special_tokens,
        "facts": asdict(words.facts),
    }
    arrays: dict[str, Any] = {
        "utf8": words.utf8,
        "offsets": words.offsets,
        "counts": words.counts,
        "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8),
    }
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    write_atomic(path, packed.getbuffer())


def load_words(path: Path) -> WordTable:
    """Read a table of words, and believe nothing in the file.

    Parameters
    ----------
    path : Path
        A file that `save_words` wrote.

    Returns
    -------
    WordTable
        The table.

    Raises
    ------
    FormatError
        If there is no such file, or anything in it is not as it should be.
    """
    try:
        if not path.is_file():
            raise FormatError("there is no such file")
        arrays = _read_arrays(path)
        meta = json.loads(arrays["meta"].tobytes().decode())
        pattern, specials, facts = _checked_meta(meta)
        return table_of(_checked_counts(arrays), pattern, specials, facts)
    except OSError as error:
        raise FormatError(f"Cannot read {printable(path)}: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError, EOFError, MemoryError, RecursionError, NotImplementedError,
            OverflowError, zipfile.BadZipFile) as error:  # fmt: skip
        reason = str(error).rstrip(".") or type(error).__name__
        raise FormatError(f"{printable(path)} is not a sound table of words: {reason}.") from None


def _read_arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    with zipfile.ZipFile(path) as archive:
        for name in _ARRAYS:
            if archive.getinfo(f"{name}.npy").compress_type != zipfile.ZIP_STORED:
                raise FormatError(f"the array {name} is compressed")
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in _ARRAYS}
    for name, kind in _ARRAYS.items():
        if arrays[name].dtype != kind or arrays[name].ndim != 1:
            raise FormatError(f"the array {name} has dtype {arrays[name].dtype} and {arrays[name].ndim} axes")
    return arrays


def _checked_counts(arrays: dict[str, np.ndarray[Any, Any]]) -> dict[bytes, int]:
    data, offsets, counts = arrays["utf8"].tobytes(), arrays["offsets"], arrays["counts"]
    if len(offsets) != len(counts) + 1 or offsets[0] != 0 or offsets[-1] != len(data):
        raise FormatError("the words' offsets do not fit the text")
    # Compared, not subtracted: a difference of hostile offsets may wrap.
    if (offsets[1:] <= offsets[:-1]).any() or (counts < 1).any():
        raise FormatError("a word is empty or has a count below 1")
    ends = offsets.tolist()
    words = [data[start:end] for start, end in zip(ends[:-1], ends[1:], strict=True)]
    for word in words:
        word.decode()
    table = dict(zip(words, counts.tolist(), strict=True))
    if len(table) != len(words):
        raise FormatError("a word is there twice")
    return table


def _checked_meta(meta: Any) -> tuple[SplitPattern, tuple[str, ...], CorpusFacts]:
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise FormatError("it does not say that it is one")
    if meta["version"] != VERSION:
        raise FormatError(f"it has version {meta['version']!r}, and this program reads version {VERSION}")
    facts = meta["facts"]
    for field in fields(CorpusFacts):
        value = facts[field.name]
        if field.name == "fingerprint":
            sound = isinstance(value, str)
        else:
            sound = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if not sound:
            raise FormatError(f"its {field.name} is {value!r}")
    if not isinstance(meta["special_tokens"], list):
        raise FormatError("its special tokens are not a list")
    value = meta["pattern"]
    expressions = value if isinstance(value, list) else [value]
    if not expressions or not (value is None or all(isinstance(each, str) for each in expressions)):
        raise FormatError("its split pattern is not text")
    known = CorpusFacts(**{field.name: facts[field.name] for field in fields(CorpusFacts)})
    return chained(expressions), checked_special_tokens(meta["special_tokens"]), known
