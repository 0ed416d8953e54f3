"""Long texts, encoded part after part: the same ids as at once, with the memory that one part takes."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.alphabet import missing_characters
from bpe_studio.engine.errors import SpecialTokenError, UnknownCharacterError
from bpe_studio.engine.pattern_matching import blocks
from bpe_studio.engine.pieces import not_utf8
from bpe_studio.engine.special_strings import cut_specials
from bpe_studio.engine.text_encoder import AllowedSpecial
from bpe_studio.engine.tokenizer import Tokenizer

PART_CHARACTERS = 1 << 22
"""Least length of a part: enough for a fresh process to load the compiled kernels."""


def can_be_cut(tokenizer: Tokenizer) -> bool:
    """Say whether places are known where a tokenizer's text can be cut without changing its ids.

    Parameters
    ----------
    tokenizer : Tokenizer
        No place is known under pattern "none" or a user's own expression, with a normalizer, and where a
        special or added token holds such a place itself.
    """
    expression = tokenizer.pattern.expression
    if expression is None or not tokenizer.pattern.is_named or tokenizer.normalizer:
        return False
    found_whole = (*tokenizer.special_tokens, *tokenizer.added_tokens)
    return all(len(list(blocks(token, 0))) == 1 for token in found_whole)


def encode_parts(
    tokenizer: Tokenizer,
    chunks: Iterable[bytes],
    allowed_special: AllowedSpecial = "none",
    n_characters: int = PART_CHARACTERS,
) -> Iterator[tuple[bytes, NDArray[np.uint32]]]:
    """Encode a text that comes in chunks of bytes.

    Parameters
    ----------
    tokenizer : Tokenizer
        If its text cannot be cut, there is one part.
    chunks : iterable of bytes
        The text in UTF-8, cut anywhere.
    allowed_special : {"none", "all", "none_raise"} or collection of str
        As in `Tokenizer.encode`.
    n_characters : int
        Least length of a part.

    Yields
    ------
    utf8 : bytes
        The next part of the text.
    ids : ndarray of uint32
        Its token ids.

    Raises
    ------
    BpeStudioError
        As `Tokenizer.encode` does, with places counted from the start of the text.
    UnknownCharacterError
        Naming every character of the text that the alphabet lacks.
    """
    parts = _parts(tokenizer, chunks, n_characters)
    done = 0
    for part in parts:
        try:
            ids = tokenizer.encode_to_array(part, allowed_special)
        except UnknownCharacterError as error:
            position = None if error.position is None else done + error.position
            missing = dict.fromkeys([*error.characters, *_missing(tokenizer, parts, allowed_special)])
            raise missing_characters(missing, position) from error
        except SpecialTokenError as error:
            if not done or error.position is None:
                raise
            message = f"In the part that starts at character {done:,}: {error}"
            raise SpecialTokenError(message, token=error.token, position=done + error.position) from error
        yield (part.encode() if isinstance(part, str) else part), ids
        done += len(part)


def n_specials(tokenizer: Tokenizer, utf8: bytes) -> int:
    """Return how many special tokens stand in a text."""
    specials = tuple(tokenizer.special_tokens)
    if not specials:
        return 0
    return sum(special for _, _, special in cut_specials(utf8.decode("utf-8", "replace"), specials))


def _missing(
    tokenizer: Tokenizer, parts: Iterator[str | bytes], allowed_special: AllowedSpecial
) -> Iterator[str]:
    for part in parts:
        try:
            tokenizer.encode_to_array(part, allowed_special)
        except UnknownCharacterError as error:
            yield from error.characters


def _parts(tokenizer: Tokenizer, chunks: Iterable[bytes], n_characters: int) -> Iterator[str | bytes]:
    """Yield a text cut where no pre-token and no special token crosses; whole if no place is known."""
    if not can_be_cut(tokenizer):
        yield b"".join(chunks)
        return
    held: list[str] = []
    n_held, wanted = 0, n_characters
    for text in _decoded(chunks):
        held.append(text)
        n_held += len(text)
        if n_held > wanted:
            *whole, rest = blocks("".join(held), n_characters)
            yield from whole
            # Where there is no place to cut, the next look is at twice as much: linear in the end.
            held, n_held, wanted = [rest], len(rest), max(n_characters, 2 * len(rest))
    yield from blocks("".join(held), n_characters)


def _decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    n_decoded = 0
    for chunk, final in _with_end(chunks):
        n_before = n_decoded - len(decoder.getstate()[0])
        try:
            yield decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise not_utf8(error, n_before) from error
        n_decoded += len(chunk)


def _with_end(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    for chunk in chunks:
        yield chunk, False
    yield b"", True
