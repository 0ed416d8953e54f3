"""What the views of PREVIEW's text share: how much of it they show, and which of it a `Focus` outlines."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.gui.inspection import Focus
from bpe_studio.gui.token_painter import fill_indices
from bpe_studio.session import PRETRAINED, THIS_TRAINING, Session

#: Code points that are laid out: beyond it Qt's editor takes too long for a keystroke.
MAX_SHOWN = 100_000


@dataclass(frozen=True, eq=False)
class ShownText:
    """The shown beginning of an encoded text: its sizes and the fill of each of its tokens.

    `encoded` ends where the shown part ends, so that no view ever computes over ten megabytes.
    """

    encoded: EncodedText
    n_characters: int
    n_bytes: int
    n_tokens: int
    fills: NDArray[np.int64]


def shown_text(encoded: EncodedText, limit: int = MAX_SHOWN) -> ShownText:
    """Return the first `limit` code points of a text, ready to be shown."""
    n_characters = min(encoded.n_code_points, limit)
    n_bytes = int(encoded.character_starts[n_characters])
    n_tokens = int(np.searchsorted(encoded.starts[:-1], n_bytes, side="left"))
    fills = fill_indices(encoded.ids[:n_tokens])
    shown = (
        encoded
        if n_characters == encoded.n_code_points
        else _beginning(encoded, n_characters, n_bytes, n_tokens)
    )
    return ShownText(shown, n_characters, n_bytes, n_tokens, fills)


def _beginning(encoded: EncodedText, n_characters: int, n_bytes: int, n_tokens: int) -> EncodedText:
    """Return the beginning of an encoded text; its last token may be cut."""
    return replace(
        encoded,
        text=encoded.text[:n_characters],
        utf8=encoded.utf8[:n_bytes],
        ids=encoded.ids[:n_tokens],
        starts=np.minimum(encoded.starts[: n_tokens + 1], n_bytes),
        pretoken_starts=encoded.pretoken_starts[encoded.pretoken_starts < n_bytes],
        character_starts=encoded.character_starts[: n_characters + 1],
    )


def outlined_tokens(encoded: EncodedText, first: int, last: int, focus: Focus | None) -> NDArray[np.bool_]:
    """Return which of the tokens ``first … last − 1`` a focus outlines.

    A byte range outlines the tokens that touch it; a token all its occurrences; a pair both parts
    wherever they stand side by side, or the token they were merged into.
    """
    none = np.zeros(max(last - first, 0), dtype=np.bool_)
    if focus is None or last <= first:
        return none
    if focus.start is not None and focus.end is not None:
        starts = encoded.starts
        return np.asarray((starts[first:last] < focus.end) & (starts[first + 1 : last + 1] > focus.start))
    mask = none if focus.token is None else np.asarray(encoded.ids[first:last] == focus.token)
    if focus.pair is not None:
        mask = mask | _in_pairs(encoded.ids, first, last, focus.pair)
    return mask


def _in_pairs(ids: NDArray[np.int64], first: int, last: int, pair: tuple[int, int]) -> NDArray[np.bool_]:
    low, high = max(first - 1, 0), min(last + 1, len(ids))
    near = ids[low:high]
    starts = np.zeros(len(near), dtype=np.bool_)
    starts[:-1] = (near[:-1] == pair[0]) & (near[1:] == pair[1])
    both = starts.copy()
    both[1:] |= starts[:-1]
    return both[first - low : first - low + last - first]


def outlined_bytes(encoded: EncodedText, first: int, last: int, focus: Focus | None) -> NDArray[np.bool_]:
    """Return which of the bytes ``first … last − 1`` a focus outlines."""
    bytes_ = np.arange(first, last, dtype=np.int64)
    if focus is not None and focus.start is not None and focus.end is not None:
        return np.asarray((bytes_ >= focus.start) & (bytes_ < focus.end))
    if focus is None or last <= first:
        return np.zeros(len(bytes_), dtype=np.bool_)
    tokens = np.searchsorted(encoded.starts, bytes_, side="right") - 1
    low, high = int(tokens[0]), int(tokens[-1]) + 1
    return outlined_tokens(encoded, low, high, focus)[tokens - low]


def focus_of_token(encoded: EncodedText, i: int) -> Focus:
    """Return the focus on token number `i` of the text."""
    return Focus.of_bytes(int(encoded.starts[i]), int(encoded.starts[i + 1]), int(encoded.ids[i]))


def focus_of_byte(encoded: EncodedText, byte: int) -> Focus:
    """Return the focus on one byte of the text and the token over it."""
    return Focus.of_bytes(byte, byte + 1, int(encoded.ids[encoded.token_at(byte)]))


def whole_characters(encoded: EncodedText, first: int, last: int) -> list[tuple[int, int]]:
    """Return, for the tokens ``first … last − 1``, the characters that are whole in each (start, end)."""
    bounds = encoded.starts[first : last + 1]
    begin = np.searchsorted(encoded.character_starts, bounds[:-1])
    end = np.searchsorted(encoded.character_starts, bounds[1:], side="right") - 1
    return list(zip(begin.tolist(), end.tolist(), strict=True))


def cut_characters(encoded: EncodedText, first: int, last: int) -> list[int]:
    """Return the characters inside which one of the tokens starts or ends, and those outside the alphabet."""
    bounds = encoded.starts[first : last + 1]
    characters = np.searchsorted(encoded.character_starts, bounds, side="right") - 1
    inside = encoded.character_starts[characters] != bounds
    missing = characters[:-1][encoded.ids[first:last] < 0]
    return [int(character) for character in np.unique(np.concatenate((characters[inside], missing)))]


def shows_current_run(session: Session) -> bool:
    """Return whether PREVIEW's tokens are those of the current run, so that ids mean the same in both."""
    if session.preview_source == THIS_TRAINING:
        return True
    run = session.current
    return run is not None and run.tokenizer is not None and run.tokenizer is _opened(session)


def preview_products(session: Session) -> NDArray[np.int32] | None:
    """Return the ids that the merges of PREVIEW's tokenizer make, in rank order."""
    tokenizer = _opened(session)
    if tokenizer is not None:
        return tokenizer.product
    return session.current.log.token if session.current is not None else None


def source_names(session: Session) -> list[str]:
    """Return the names of PREVIEW's sources: the training, opened files, pretrained vocabularies."""
    files = [one.name for one in session.opened if one.name not in PRETRAINED]
    return [THIS_TRAINING, *files, *PRETRAINED]


def loading_source(session: Session) -> str:
    """Return PREVIEW's source if it is a pretrained vocabulary that is not there yet, else ""."""
    is_missing = session.preview_source in PRETRAINED and _opened(session) is None
    return session.preview_source if is_missing else ""


def _opened(session: Session) -> Tokenizer | None:
    found = (one.tokenizer for one in session.opened if one.name == session.preview_source)
    return next(found, None)


def told_focus(session: Session, focus: Focus) -> Focus:
    """Return a focus on the text as other panels may read it: without ids of a tokenizer unlike theirs."""
    return focus if shows_current_run(session) else replace(focus, token=None)


def heard_focus(session: Session, focus: Focus | None) -> Focus | None:
    """Return what of a focus is about PREVIEW's text: a place always, ids only if they mean the same."""
    is_place = focus is not None and focus.start is not None
    return focus if is_place or shows_current_run(session) else None
