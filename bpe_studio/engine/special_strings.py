"""Special strings: what may be one, and where they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache

from bpe_studio.engine.errors import SpecialTokenError


def checked_special_tokens(special_tokens: Iterable[str]) -> tuple[str, ...]:
    """Special strings that can be told apart from one another and from nothing.

    Parameters
    ----------
    special_tokens : iterable of str
        The special strings, in the order of their ids.

    Returns
    -------
    tuple of str
        The same.

    Raises
    ------
    SpecialTokenError
        If one is empty, there twice, or not text; or if there is one str where a list of them should be.
    """
    # A set's order, and with it the ids, would change from run to run; a mapping's ids would be lost.
    unordered = isinstance(special_tokens, str | bytes | Set | Mapping)
    if unordered or not isinstance(special_tokens, Iterable):
        kind = type(special_tokens).__name__
        raise SpecialTokenError(f"special_tokens is a list of strings, not a {kind}.")
    specials = tuple(special_tokens)
    seen: set[str] = set()
    for number, token in enumerate(specials):
        if not isinstance(token, str) or not token:
            what = "empty" if isinstance(token, str) else f"{type(token).__name__}, not a str"
            raise SpecialTokenError(f"Special token {number + 1} is {what}.")
        if token in seen:
            raise SpecialTokenError(f"The special token {token!r} is there twice.", token=token)
        seen.add(token)
        try:
            token.encode()
        except UnicodeEncodeError:
            message = f"The special token {token!r} has a lone surrogate."
            raise SpecialTokenError(message, token=token) from None
    return specials


def cut_specials(text: str, special_tokens: tuple[str, ...]) -> Iterator[tuple[int, int, bool]]:
    """Where special strings stand in a text, and what lies between.

    Parameters
    ----------
    text : str
        The text.
    special_tokens : tuple of str
        The special strings.

    Yields
    ------
    start, end : int
        Offsets in code points. The parts follow one another, and none is empty.
    special : bool
        Whether the part is a special string. Leftmost first, then longest.

    Examples
    --------
    >>> list(cut_specials("a<s>b", ("<s>",)))
    [(0, 1, False), (1, 4, True), (4, 5, False)]
    """
    start = 0
    if special_tokens:
        for match in _expression(special_tokens).finditer(text):
            if match.start() > start:
                yield start, match.start(), False
            yield match.start(), match.end(), True
            start = match.end()
    if start < len(text):
        yield start, len(text), False


def holds_special(text: str | bytes, special_tokens: tuple[str, ...]) -> bool:
    """Return whether one of the special strings, of which there are some, stands in a text or its UTF-8."""
    if isinstance(text, str):
        return _expression(special_tokens).search(text) is not None
    return _expression_of_bytes(special_tokens).search(text) is not None


@lru_cache(maxsize=32)
def _expression(special_tokens: tuple[str, ...]) -> re.Pattern[str]:
    """What finds them. Kept: with thousands of them, making it takes longer than most texts."""
    # The alternatives are tried in turn, so the longest has to come first.
    longest_first = sorted(special_tokens, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


@lru_cache(maxsize=32)
def _expression_of_bytes(special_tokens: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(_expression(special_tokens).pattern.encode())
