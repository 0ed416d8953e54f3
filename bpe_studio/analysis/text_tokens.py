"""A text's token ids and where they start, whatever the text, without holding the interpreter for long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import regex
from numpy.typing import NDArray

from bpe_studio.engine.errors import UnknownCharacterError
from bpe_studio.engine.pattern_matching import blocks
from bpe_studio.engine.patterns import resolve_pattern

if TYPE_CHECKING:
    from bpe_studio.engine.reading import Progress
    from bpe_studio.engine.tokenizer import Tokenizer

Int64Array = NDArray[np.int64]

#: The "id" of a character that the alphabet lacks.
MISSING = -1


class EncodingCancelledError(Exception):
    """Nobody wants the tokens any more: the caller's `progress` has said so."""


def check_wanted(progress: Progress | None, done: int, total: int) -> None:
    """Tell how many characters are encoded; raise `EncodingCancelledError` if the answer is False."""
    if progress is not None and progress("encoding", done, total) is False:
        raise EncodingCancelledError


def tokens_of(
    tok: Tokenizer, text: str, n_bytes: int, allowed_special: str, progress: Progress | None = None
) -> tuple[Int64Array, Int64Array]:
    """Return the ids of a text and where its tokens start, in bytes, with the end."""
    ids = token_ids(tok, text, allowed_special, progress)
    if tok.alphabet.unknown_id is not None and (ids == tok.alphabet.unknown_id).any():
        # <unk> has no bytes of its own, so only the tokenizer knows what it stands for.
        spans = tok.offsets(text, unit="bytes", allowed_special=allowed_special)
        return ids, np.append(spans[:, 0], n_bytes).astype(np.int64)
    return ids, offsets_of(_sizes_by_id(tok)[ids])


def token_ids(
    tok: Tokenizer, text: str, allowed_special: str = "none", progress: Progress | None = None
) -> Int64Array:
    """Return the token ids of a text, encoded block by block.

    The same ids as at once: blocks end where no match of the pattern can cross. But no single step holds
    the interpreter for long, so a window stays alive while ten megabytes are encoded in a thread of its own.

    Parameters
    ----------
    tok : Tokenizer
        The tokenizer.
    text : str
        Any text without lone surrogates.
    allowed_special : {"none", "all"}
        With "all" the text is encoded at once, since a special token may lie across a block's end.
    progress : callable or None
        Told before each block; see `check_wanted`.

    Returns
    -------
    ndarray of int64, shape (n,)
        The ids.

    Raises
    ------
    UnknownCharacterError
        If the alphabet lacks characters; it names every one.
    EncodingCancelledError
        If `progress` answers False.
    """
    cuttable = tok.pattern.is_named and tok.pattern.expression is not None
    in_blocks = allowed_special == "none" and cuttable and not tok.added_tokens and not tok.normalizer
    parts: list[Int64Array] = []
    done = 0
    try:
        for block in blocks(text) if in_blocks else (text,):
            check_wanted(progress, done, len(text))
            done += len(block)
            parts.append(tok.encode_to_array(block, allowed_special).astype(np.int64))
    except UnknownCharacterError:
        tok.encode_to_array(text, allowed_special)  # names those of the later blocks too
        raise
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _sizes_by_id(tok: Tokenizer) -> Int64Array:
    """Length in bytes of every token, by id; 0 for the holes. Shape (n_ids,)."""
    sizes = np.zeros(tok.n_ids, dtype=np.int64)
    sizes[list(tok.tokens)] = [len(token) for token in tok.tokens.values()]
    return sizes


def tokens_around_missing(tok: Tokenizer, text: str, missing: Iterable[str]) -> tuple[Int64Array, Int64Array]:
    """Encode what lies between the missing characters, which are walls, and put them back as `MISSING`."""
    plain = replace(tok, pattern=resolve_pattern("none"), normalizer=())
    cut = regex.compile(r"(\L<missing>)", missing=list(missing))
    size = _sizes_by_id(tok)
    ids: list[int] = []
    sizes: list[int] = []
    for start, end, _ in tok.pattern.spans(text):
        for number, piece in enumerate(cut.split(text[start:end])):
            more = [MISSING] if number % 2 else plain.encode(piece, allowed_special="none")
            ids += more
            sizes += [len(piece.encode())] if number % 2 else size[more].tolist()
    return np.array(ids, dtype=np.int64), offsets_of(np.array(sizes, dtype=np.int64))


def offsets_of(sizes: Int64Array) -> Int64Array:
    """Return where pieces of these sizes start, and the end of the last. Shape (n + 1,)."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))
