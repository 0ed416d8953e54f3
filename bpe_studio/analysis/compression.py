"""How many tokens a text takes at every vocabulary size: the compression curve, from one encoding.

Merges are applied in rising rank, so the tokens of a text after k merges are its tokens after all
merges with every token of rank ≥ k unfolded. Hence ``n_tokens[k] = base symbols − applications of
merges of rank < k``, and the applications per rank come from the final token counts in one pass from
the last merge down. No instrumented encoder, and no second encoding, is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bpe_studio.analysis.encoded_text import joined_surrogates
from bpe_studio.analysis.text_tokens import token_ids, tokens_around_missing
from bpe_studio.engine.errors import BpeStudioError, UnknownCharacterError

if TYPE_CHECKING:
    from bpe_studio.engine.merges import MergeLog
    from bpe_studio.engine.reading import Progress
    from bpe_studio.engine.tokenizer import Tokenizer
    from bpe_studio.engine.words import CorpusFacts

Int64Array = NDArray[np.int64]
Float64Array = NDArray[np.float64]

MAX_TALLY = 1 << 22
"""Ids up to which each has a place to be counted in: sorting them takes longer than encoding the text."""


@dataclass(frozen=True, eq=False)
class CompressionCurve:
    """A text's size in tokens after 0, 1, … merges.

    Attributes
    ----------
    vocab_size : ndarray of int64, shape (n_merges + 1,)
        Number of tokens, specials counted.
    n_tokens : ndarray of int64, shape (n_merges + 1,)
        Tokens of the text at that size; −1 where a loaded file does not say.
    bytes_per_token : ndarray of float64, shape (n_merges + 1,)
        Bytes of the text ÷ tokens; NaN where there is no token, or where it is unknown.
    """

    vocab_size: Int64Array
    n_tokens: Int64Array
    bytes_per_token: Float64Array

    def __len__(self) -> int:
        return len(self.vocab_size)

    def __iter__(self) -> Iterator[Int64Array | Float64Array]:
        """The three arrays in turn: ``vocab_size, n_tokens, bytes_per_token = curve``."""
        return iter((self.vocab_size, self.n_tokens, self.bytes_per_token))


def compression_curve(
    tok: Tokenizer, text: str | bytes, *, progress: Progress | None = None
) -> CompressionCurve:
    """Return the number of tokens of `text` at every vocabulary size of `tok`.

    Special strings in the text are read as plain text. A character that the alphabet lacks is a wall and
    counts as one token, as `encoded_text` shows it.

    Parameters
    ----------
    tok : Tokenizer
        Its merges must be ordered, see `MergeLog.is_ordered`.
    text : str or bytes
        Any text.
    progress : callable or None
        Told now and then; if it answers False, `EncodingCancelledError` ends the work.

    Returns
    -------
    CompressionCurve
        Arrays of length ``n_merges + 1``.

    Raises
    ------
    BpeStudioError
        If the merges are not ordered: then the tokens after k merges are not the unfolded final ones.
    UnknownCharacterError
        If bytes hold a character that the alphabet lacks.
    """
    check_ordered(tok)
    if isinstance(text, bytes):
        ids = tok.encode_to_array(text, "none").astype(np.int64)
        return curve_of_ids(tok, ids, len(text))
    clean = joined_surrogates(text)
    try:
        ids = token_ids(tok, clean, progress=progress)
    except UnknownCharacterError as error:
        ids, _ = tokens_around_missing(tok, tok.normalized(clean, "none"), error.characters)
    return curve_of_ids(tok, ids, len(clean.encode()))


def curve_of_ids(tok: Tokenizer, ids: Int64Array, n_bytes: int) -> CompressionCurve:
    """Return the curve of a text already encoded by `tok`, which must be ordered.

    Parameters
    ----------
    tok : Tokenizer
        The tokenizer with all its merges.
    ids : ndarray of int64, shape (n,)
        The token ids; a negative id is a character outside the alphabet and counts as one token.
    n_bytes : int
        The text's length in bytes.

    Returns
    -------
    CompressionCurve
        Arrays of length ``n_merges + 1``.

    Raises
    ------
    BpeStudioError
        If the merges are not ordered.
    """
    lowest, highest = int(ids.min(initial=0)), int(ids.max(initial=0))
    if highest - lowest < MAX_TALLY:
        tally = np.bincount(ids - lowest if lowest else ids)
        values = np.flatnonzero(tally)
        counts, values = tally[values], values + lowest
    else:
        values, counts = np.unique(ids, return_counts=True)
    return curve_of_counts(tok, dict(zip(values.tolist(), counts.tolist(), strict=True)), n_bytes)


def curve_of_counts(tok: Tokenizer, counts: Mapping[int, int], n_bytes: int) -> CompressionCurve:
    """Return the curve of a text of which only the number of each token is known.

    Parameters
    ----------
    tok : Tokenizer
        The tokenizer with all its merges.
    counts : mapping of int to int
        Token id → how often it occurs; a negative id is a character outside the alphabet.
    n_bytes : int
        The text's length in bytes.

    Returns
    -------
    CompressionCurve
        Arrays of length ``n_merges + 1``.

    Raises
    ------
    BpeStudioError
        If the merges are not ordered.
    """
    check_ordered(tok)
    applied = applications_per_rank(tok, counts)
    n_merges = len(applied)
    n_tokens = np.empty(n_merges + 1, dtype=np.int64)
    n_tokens[0] = sum(counts.values()) + applied.sum()
    n_tokens[1:] = n_tokens[0] - np.cumsum(applied)
    vocab_size = np.arange(tok.vocab_size - n_merges, tok.vocab_size + 1, dtype=np.int64)
    return _curve(vocab_size, n_tokens, n_bytes)


def applications_per_rank(tok: Tokenizer, counts: Mapping[int, int]) -> Int64Array:
    """Return how often each merge was applied to reach a text's tokens.

    Parameters
    ----------
    tok : Tokenizer
        An ordered list of merges.
    counts : mapping of int to int
        Id of each token of the text → how often it occurs there.

    Returns
    -------
    ndarray of int64, shape (n_merges,)
        Applications of the merge of each rank.

    Notes
    -----
    ``applied[r] = count[token_r]``, which is then added to the counts of both parts. Parts have lower
    ranks, so one pass downwards sees every count complete. O(n_merges).
    """
    left, right = np.asarray(tok.left).tolist(), np.asarray(tok.right).tolist()
    product = np.asarray(tok.product).tolist()
    count = dict(counts)
    applied = np.zeros(len(product), dtype=np.int64)
    for rank in range(len(product) - 1, -1, -1):
        n = count.get(product[rank], 0)
        if n:
            applied[rank] = n
            for part in (left[rank], right[rank]):
                count[part] = count.get(part, 0) + n
    return applied


def corpus_curve(
    log: MergeLog, facts: CorpusFacts, *, first: int = 0, last: int | None = None
) -> CompressionCurve:
    """Return the training corpus's own curve, read from the merge log.

    Parameters
    ----------
    log : MergeLog
        The merges, with the corpus's tokens after each.
    facts : CorpusFacts
        The corpus's size.
    first, last : int
        Cursor positions ``first ≤ k < last`` (default: all, ``0 … len(log)``), so that a growing chart
        asks only for what is new.

    Returns
    -------
    CompressionCurve
        Arrays of length ``last − first``; where the log does not know, −1 tokens and NaN.
    """
    last = len(log) + 1 if last is None else last
    after = np.asarray(log.corpus_tokens[max(first - 1, 0) : max(last - 1, 0)], dtype=np.int64)
    n_tokens = np.concatenate(([log.corpus_tokens_before], after)) if first == 0 else after
    n_tokens = n_tokens[: last - first]
    smallest = log.alphabet.n_tokens + len(log.config.special_tokens)
    return _curve(smallest + np.arange(first, last, dtype=np.int64), n_tokens.astype(np.int64), facts.n_bytes)


def _curve(vocab_size: Int64Array, n_tokens: Int64Array, n_bytes: int) -> CompressionCurve:
    known = n_tokens > 0
    bytes_per_token = np.full(len(n_tokens), np.nan)
    np.divide(n_bytes, n_tokens, out=bytes_per_token, where=known)
    for array in (vocab_size, n_tokens, bytes_per_token):
        array.flags.writeable = False
    return CompressionCurve(vocab_size, n_tokens, bytes_per_token)


def check_ordered(tok: Tokenizer) -> None:
    """Raise `BpeStudioError` if a tokenizer has no curve because its merges are not ordered."""
    check = tok.is_ordered()
    if not check:
        reason = getattr(check, "reason", "") or getattr(check, "text", "")
        raise BpeStudioError(
            "There is no compression curve for this tokenizer: its merges are not in the order in which BPE "
            f"would learn them{f' ({reason})' if reason else ''}."
        )
