"""Many texts encoded in one call of the compiled kernels."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from bpe_studio.engine.fast_counting import PADDING
from bpe_studio.engine.fast_encoding import FastEncoder


def encode_together(encoder: FastEncoder, texts: Sequence[str]) -> list[list[int]]:
    """Return the ids of several texts in which no special token stands.

    Parameters
    ----------
    encoder : FastEncoder
        The tokenizer's.
    texts : sequence of str
        The texts.

    Raises
    ------
    UnicodeEncodeError
        If a text has surrogates.
    """
    parts = list(map(str.encode, texts))
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    found, ends_of_ids = encoder.parts(b"".join([*parts, bytes(PADDING)]), ends)
    stops = ends_of_ids.tolist()
    with no_garbage_collection():
        ids = encoder.integers(found)
        return [ids[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Make many lists that all stay: looking for garbage among 90,000 of them takes ten times as long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
