"""What a tokenizer makes of a text, in figures: to compare tokenizers, and to describe a data set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio.analysis.unicode_view import escape_for_copy

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer

WINDOW_TOKENS = 128
"""Tokens in a window: a short context, as small models have."""


@dataclass(frozen=True)
class TokenUse:
    """A token that occurs in a text.

    Parameters
    ----------
    id : int
        Its id.
    utf8 : bytes
        Its bytes.
    count : int
        How often it occurs.
    """

    id: int
    utf8: bytes
    count: int

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        text = escape_for_copy(self.utf8)
        return {"id": self.id, "text": text, "hex": self.utf8.hex(), "count": self.count}


@dataclass(frozen=True)
class Figures:
    """A text in figures.

    Parameters
    ----------
    n_bytes, n_characters : int
        The text's length in UTF-8 and in code points.
    n_symbols : int
        Its length in base symbols: bytes or characters, as the alphabet is.
    n_tokens : int
        Its length in tokens.
    n_unknown : int
        Tokens that stand for characters outside the alphabet.
    longest : tuple of TokenUse
        The longest tokens that occur, special ones aside, by bytes, then by id.
    counts : mapping of int to int
        Token id → how often it occurs, without those that do not.
    window : tuple of (int, float, int), or None
        Fewest, mean and most characters in `WINDOW_TOKENS` tokens, over windows that follow one another;
        None if the text is shorter.
    """

    n_bytes: int
    n_characters: int
    n_symbols: int
    n_tokens: int
    n_unknown: int
    longest: tuple[TokenUse, ...]
    counts: dict[int, int]
    window: tuple[int, float, int] | None

    @property
    def n_used(self) -> int:
        """Different tokens that occur."""
        return len(self.counts)

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes ÷ tokens; None for an empty text."""
        return self.n_bytes / self.n_tokens if self.n_tokens else None

    @property
    def characters_per_token(self) -> float | None:
        """Code points ÷ tokens; None for an empty text."""
        return self.n_characters / self.n_tokens if self.n_tokens else None

    @property
    def compression_factor(self) -> float | None:
        """Base symbols ÷ tokens: how many times shorter the text became. None for an empty text."""
        return self.n_symbols / self.n_tokens if self.n_tokens else None

    @property
    def reduction_percent(self) -> float | None:
        """By how many percent the text became shorter than its base symbols; None for an empty text."""
        return 100 * (1 - self.n_tokens / self.n_symbols) if self.n_symbols else None

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        names = "n_bytes n_characters n_symbols n_tokens n_used n_unknown".split()
        names += "bytes_per_token characters_per_token compression_factor reduction_percent".split()
        window = None
        if self.window is not None:
            fewest, mean, most = self.window
            window = {"n_tokens": WINDOW_TOKENS, "fewest": fewest, "mean": mean, "most": most}
        longest = [token.as_json() for token in self.longest]
        values = {name: getattr(self, name) for name in names}
        return values | {"characters_in_window": window, "longest_tokens": longest}


class FigureCounter:
    """Counts a text's figures part after part.

    Parameters
    ----------
    tokenizer : Tokenizer
        What encoded the text.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._ids = np.fromiter(tokenizer.tokens, np.int64, tokenizer.vocab_size)
        self._has_holes = tokenizer.n_ids != tokenizer.vocab_size
        self._counts = np.zeros(len(self._ids), np.int64)
        self._widths = _character_widths(tokenizer)
        self._n_bytes = self._n_characters = 0
        self._windows: list[NDArray[np.int64]] = []
        self._rest = np.zeros(0, np.int64)

    def add(self, utf8: bytes, ids: NDArray[Any]) -> None:
        """Count the next part of the text.

        Parameters
        ----------
        utf8 : bytes
            The part.
        ids : ndarray of integers
            Its token ids, each of them in the vocabulary.
        """
        rows = np.searchsorted(self._ids, ids) if self._has_holes else ids.astype(np.int64)
        self._counts += np.bincount(rows, minlength=len(self._counts))
        self._n_bytes += len(utf8)
        self._n_characters += int(np.count_nonzero(np.frombuffer(utf8, np.uint8) & 0xC0 != 0x80))
        widths = np.concatenate([self._rest, self._widths[rows]])
        whole = len(widths) // WINDOW_TOKENS * WINDOW_TOKENS
        self._windows.append(widths[:whole].reshape(-1, WINDOW_TOKENS).sum(axis=1))
        self._rest = widths[whole:]

    def figures(self, n_longest: int = 10) -> Figures:
        """Return the figures of all parts.

        Parameters
        ----------
        n_longest : int
            Most tokens in `Figures.longest`.
        """
        used = np.flatnonzero(self._counts)
        counts = dict(zip(self._ids[used].tolist(), self._counts[used].tolist(), strict=True))
        tokens = self._tokenizer.tokens
        specials = set(self._tokenizer.special_tokens.values())
        learned = [token for token in counts if token not in specials]
        longest = sorted(learned, key=lambda token: (-len(tokens[token]), token))[:n_longest]
        unknown = self._tokenizer.alphabet.unknown_id
        is_bytes = self._tokenizer.alphabet.kind == "bytes"
        windows = np.concatenate([*self._windows, np.zeros(0, np.int64)])
        return Figures(
            self._n_bytes,
            self._n_characters,
            self._n_bytes if is_bytes else self._n_characters,
            sum(counts.values()),
            0 if unknown is None else counts.get(unknown, 0),
            tuple(TokenUse(token, tokens[token], counts[token]) for token in longest),
            counts,
            (int(windows.min()), float(windows.mean()), int(windows.max())) if len(windows) else None,
        )


def figures_of(tokenizer: Tokenizer, parts: Iterable[tuple[bytes, NDArray[Any]]]) -> Figures:
    """Return the figures of a text that was encoded part after part.

    Parameters
    ----------
    tokenizer : Tokenizer
        What encoded it.
    parts : iterable of (bytes, ndarray)
        Parts of the text in UTF-8 with their token ids.
    """
    counter = FigureCounter(tokenizer)
    for utf8, ids in parts:
        counter.add(utf8, ids)
    return counter.figures()


def _character_widths(tokenizer: Tokenizer) -> NDArray[np.int64]:
    """Characters that begin in each token, by ascending id; ``<unk>`` stands for one."""
    unknown = tokenizer.alphabet.unknown_id
    widths = [sum(byte & 0xC0 != 0x80 for byte in data) for data in tokenizer.tokens.values()]
    if unknown is not None:
        widths[list(tokenizer.tokens).index(unknown)] = 1
    return np.array(widths, np.int64)
