"""Many texts encoded in one call of the compiled kernels."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from bpe_studio.engine.fast_counting import PADDING
from bpe_studio.engine.fast_encoding import FastEncoder
from bpe_studio.engine.special_strings import holds_special

#: Texts whose ids are made objects together: they stay in the processor's cache until all are in lists.
TEXTS_TOGETHER = 1024


def encode_together(
    encoder: FastEncoder, texts: Sequence[str], special_tokens: tuple[str, ...]
) -> list[list[int]] | None:
    """Return the ids of several texts, or None if they must be looked at one by one.

    Parameters
    ----------
    encoder : FastEncoder
        The tokenizer's.
    texts : sequence of str
        The texts.
    special_tokens : tuple of str
        What must not stand in them. If it seems to, also where two texts meet, the answer is None.

    Raises
    ------
    UnicodeEncodeError
        If a text has surrogates.
    """
    parts = list(map(str.encode, texts))
    utf8 = b"".join([*parts, bytes(PADDING)])
    if special_tokens and holds_special(utf8, special_tokens):
        return None
    found, ends = encoder.parts(utf8, np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts))))
    stops = ends.tolist()
    lists: list[list[int]] = []
    start = 0
    with no_garbage_collection():
        for first in range(0, len(stops), TEXTS_TOGETHER):
            group = stops[first : first + TEXTS_TOGETHER]
            ids = encoder.integers(found[start : group[-1]])
            lists += [ids[a - start : b - start] for a, b in zip([start, *group], group, strict=False)]
            start = group[-1]
    return lists


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Make many lists that all stay without looking for garbage among them, then or soon after.

    Looking through 90,000 lists takes as long as making them, and it would be done again and again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # Both together put all there is among the old objects, where the lists would end anyhow.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
