"""Where tokens and merges lie in a text: offsets in bytes and characters, widths of symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.alphabet import Alphabet


def character_widths(text: str) -> NDArray[np.int64]:
    """Return the UTF-8 length of every character, in bytes; a raw byte (see `RAW_BYTES`) is one.

    Examples
    --------
    >>> character_widths("aé東🙂").tolist()
    [1, 2, 3, 4]
    """
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    widths = 1 + (code >= 0x80).astype(np.int64) + (code >= 0x800) + (code >= 0x10000)
    widths[(code >= 0xDC80) & (code <= 0xDCFF)] = 1
    return widths


def symbol_widths(alphabet: Alphabet, word: str) -> NDArray[np.int64]:
    """Return the bytes that each base symbol of a word covers in the text's UTF-8.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens.
    word : str
        One pre-token.

    Returns
    -------
    ndarray of int64, shape (n_symbols,)
        1 for a byte; a character's UTF-8 length for a character or ``<unk>``, that of the whole run for one
        that stands for a run.
    """
    widths = character_widths(word)
    if alphabet.kind == "bytes":
        return np.ones(int(widths.sum()), np.int64)
    known = alphabet.character_ids
    spelled = np.array([character not in known for character in word], dtype=bool)
    if not alphabet.byte_fallback:
        if not (alphabet.fuse_unknown and word):
            return widths
        goes_on = spelled[1:] & spelled[:-1]
        return np.add.reduceat(widths, np.flatnonzero(np.append(True, ~goes_on)))
    repeats = np.where(spelled, widths, 1)
    return np.repeat(np.where(spelled, 1, widths), repeats)


def token_bounds(
    text: str,
    ids: Sequence[int],
    tokens: Mapping[int, bytes],
    unknown: Mapping[int, Iterator[int]],
    unit: str,
) -> NDArray[np.int64]:
    """Return where tokens lie in the text that they encode.

    Parameters
    ----------
    text : str
        The encoded text, valid.
    ids : sequence of int
        Its tokens.
    tokens : mapping of int to bytes
        The vocabulary.
    unknown : mapping of int to iterator of int
        The id of ``<unk>``, which has no bytes of its own, and how many bytes of the text each one covers.
    unit : {"bytes", "characters"}
        In characters, a token that holds part of one reaches over the whole of it.

    Returns
    -------
    ndarray of int64, shape (n_tokens, 2)
        Start and end (exclusive).
    """
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(character_widths(text))])
    bounds = np.empty((len(ids), 2), np.int64)
    at = 0
    for index, token in enumerate(ids):
        bounds[index, 0] = at
        at += next(unknown[token]) if token in unknown else len(tokens[token])
        bounds[index, 1] = at
    if unit == "characters":
        bounds[:, 0] = np.searchsorted(starts, bounds[:, 0], "right") - 1
        bounds[:, 1] = np.searchsorted(starts, bounds[:, 1], "left")
    return bounds
