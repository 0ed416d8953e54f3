"""Many texts encoded in one call of the compiled kernels."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from bpe_studio.engine.fast_counting import PADDING
from bpe_studio.engine.fast_encoding import FastEncoder
from bpe_studio.engine.special_strings import holds_special

#: Texts encoded in one call, if they have no more characters than this: they, and their ids, then stay in the
#: processor's cache.
TEXTS_TOGETHER, CHARACTERS_TOGETHER = 1024, 1 << 20


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
    lists: list[list[int]] = []
    with no_garbage_collection():
        for first in range(0, len(texts), TEXTS_TOGETHER):
            group = texts[first : first + TEXTS_TOGETHER]
            if sum(map(len, group)) > CHARACTERS_TOGETHER:
                if special_tokens and any(holds_special(text, special_tokens) for text in group):
                    return None
                lists += map(encoder.ids, group)
                continue
            parts = list(map(str.encode, group))
            utf8 = b"".join([*parts, bytes(PADDING)])
            if special_tokens and holds_special(utf8, special_tokens):
                return None
            ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
            found, id_ends = encoder.parts(utf8, ends)
            ids, stops = encoder.integers(found), id_ends.tolist()
            lists += [ids[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]
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
