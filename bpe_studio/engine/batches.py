"""Many texts encoded in one call of the compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bpe_studio.engine.fast_counting import PADDING
from bpe_studio.engine.fast_encoding import FastEncoder
from bpe_studio.engine.garbage import no_garbage_collection
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
