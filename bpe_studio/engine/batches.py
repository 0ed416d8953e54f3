"""Many short texts encoded in one call of the compiled kernels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from bpe_studio.engine.errors import SpecialTokenError
from bpe_studio.engine.fast_counting import padded
from bpe_studio.engine.fast_encoding import FastEncoder
from bpe_studio.engine.pieces import pieces_of


def encode_together(
    encoder: FastEncoder,
    texts: Sequence[str],
    allowed_special: str | Collection[str],
    special_tokens: Mapping[str, int],
) -> list[list[int]] | None:
    """Return the ids of several texts, or None if they must be looked at one by one.

    Parameters
    ----------
    encoder : FastEncoder
        The tokenizer's.
    texts : sequence of str
        The texts.
    allowed_special : {"none_raise", "none", "all"} or collection of str
        As in `Tokenizer.encode`.
    special_tokens : mapping of str to int
        The tokenizer's.

    Returns
    -------
    list of list of int, or None
        None if a text has surrogates, or if a special token may stand in one of them: also one that only
        arises where two texts meet, which looking at each alone will tell.
    """
    joined = "".join(texts)
    try:
        utf8 = joined.encode()
        if any(isinstance(piece, int) for piece in pieces_of(joined, allowed_special, special_tokens)):
            return None
    except (UnicodeEncodeError, SpecialTokenError):
        return None
    sizes = map(len, texts) if len(utf8) == len(joined) else (len(text.encode()) for text in texts)
    ends = np.cumsum(np.fromiter(sizes, np.int64, len(texts)))
    found, ends_of_ids = encoder.encode_parts(padded(utf8), np.stack([np.append(0, ends[:-1]), ends], axis=1))
    ids, stops = found.tolist(), ends_of_ids.tolist()
    return [ids[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]
