"""Classes of all code points, as the split patterns use them: a table made by the `regex` module itself.

Compiled splitting and `regex` so agree on every code point, whatever version of Unicode is installed.
"""

from __future__ import annotations

import importlib.metadata
import io
import zipfile
import zlib
from contextlib import suppress
from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

from bpe_studio.engine import kernels
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.kernels.state import LETTER, LOWER, NEWLINE, NUMBER, SPACE, UPPER
from bpe_studio.engine.writing import write_atomic

N_CODE_POINTS = 0x110000
SURROGATES = range(0xD800, 0xE000)

EXPRESSIONS = {
    LETTER: r"\p{L}+",
    NUMBER: r"\p{N}+",
    SPACE: r"\s+",
    NEWLINE: r"[\r\n]+",
    UPPER: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+",
    LOWER: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
}
"""What each bit of a class means. UPPER and LOWER are the two sets of o200k's pattern."""


@cache
def character_classes() -> NDArray[np.uint8]:
    """Return the class of every code point, a sum of bits; 0 for the rest and for surrogates.

    Returns
    -------
    ndarray of uint8, shape (0x110000,)
        Made once for each version of `regex`, in about 0.2 s, and kept beside the compiled kernels.
    """
    path = kernels.cache_folder() / f"characters-{importlib.metadata.version('regex')}.npz"
    try:
        # A damaged archive fails its checksum.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            classes: NDArray[np.uint8] = kept["classes"]
            if classes.shape == (N_CODE_POINTS,) and classes.dtype == np.uint8:
                return classes
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, zlib.error, EOFError):
        pass
    classes = _classes_of_regex()
    with suppress(OSError, BpeStudioError):
        path.parent.mkdir(parents=True, exist_ok=True)
        archive = io.BytesIO()
        np.savez_compressed(archive, classes=classes)
        write_atomic(path, archive.getbuffer())
    return classes


def _classes_of_regex() -> NDArray[np.uint8]:
    before, after = (
        map(chr, part) for part in (range(SURROGATES.start), range(SURROGATES.stop, N_CODE_POINTS))
    )
    text = "".join((*before, *after))
    classes = np.zeros(len(text), np.uint8)
    for bit, expression in EXPRESSIONS.items():
        for run in regex.finditer(expression, text):
            classes[run.start() : run.end()] |= np.uint8(bit)
    return np.insert(classes, [SURROGATES.start] * len(SURROGATES), 0)
