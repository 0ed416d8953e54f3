"""Regular expressions at work: compiled under guard, matched block by block or under a time limit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from bpe_studio.engine.errors import PatternError
from bpe_studio.engine.pattern_parts import required_length

MATCH_SECONDS = 10.0
"""Seconds of computing that one match of a user's own expression may take."""

CHARACTERS_PER_SECOND = 5_000_000
"""An honest search that finds nothing runs over the text faster than this, so long documents get longer."""

MAX_REQUIRED_LENGTH = 100_000
"""Most characters a match may be required to have: `regex` takes about 0.3 KB for each, while compiling."""

BLOCK_CHARACTERS = 1 << 16
"""Code points a block of a named pattern has at least: findall then holds the interpreter for some 4 ms."""

# A place between a letter or digit and white space is safe to cut in every named pattern:
# - No match crosses it. A match that holds the letter (digit) is one of `'s` …, a run of letters (and marks)
#   with at most one other character before it and, in o200k, `'s` … behind it, a run of digits, or `\S+`.
#   None has white space after the letter (digit): white space can only be a match's first character.
# - The left part alone is cut alike. What is tried at the cut is, after a letter or digit, only: one more of
#   the same class, `'`, or the next letter of a contraction. White space fails there as the text's end does.
#   The one assertion, `(?!\S)`, stands after white space and so is never tried at the cut.
# - The right part alone is cut alike, because no named pattern looks behind.
# The classes are those of `regex` itself, whatever its version of Unicode.
_SAFE_CUT = regex.compile(r"[\p{L}\p{N}](?=\s)")


@lru_cache(maxsize=128)
def compile_expression(expression: str) -> Any:
    """A compiled regular expression.

    Parameters
    ----------
    expression : str
        An expression of the `regex` module, version 0.

    Returns
    -------
    regex.Pattern
        The compiled expression.

    Raises
    ------
    PatternError
        If it does not compile, asks for too much memory, or searches backwards.
    """
    if required_length(expression) > MAX_REQUIRED_LENGTH:
        raise PatternError(
            f"The split pattern asks for more than {MAX_REQUIRED_LENGTH:,} characters in one match: "
            "make its repeat counts smaller."
        )
    try:
        compiled = regex.compile(expression)
    except regex.error as error:
        raise _syntax_error(expression, error.msg, error.pos) from None
    except (RecursionError, MemoryError):
        raise PatternError("The split pattern is too large or too deeply nested to compile.") from None
    except Exception as error:  # the compiler of `regex` lets a few others through, as IndexError
        raise PatternError(f"The split pattern does not compile: {error}.") from None
    if compiled.flags & regex.REVERSE:
        raise PatternError("The split pattern searches backwards, (?r); a text is cut from its start.")
    return compiled


def blocks(text: str, n_characters: int = BLOCK_CHARACTERS) -> Iterator[str]:
    """Parts of a text, each cut where no match of a named pattern can cross.

    Parameters
    ----------
    text : str
        A document, or a part between two walls.
    n_characters : int
        Least length of a part.

    Yields
    ------
    str
        Parts of `n_characters` or more; where there is no safe place to cut, longer.

    Notes
    -----
    Linear: the search for a cut goes on where the last block ended.
    """
    start = 0
    while len(text) - start > n_characters:
        cut = _SAFE_CUT.search(text, start + n_characters)
        if cut is None:
            break
        yield text[start : cut.end()]
        start = cut.end()
    if start < len(text):
        yield text[start:]


def matches(expression: str, text: str, timeout: float) -> Iterator[tuple[int, int]]:
    """Matches of an expression that are not empty.

    Parameters
    ----------
    expression : str
        The expression.
    text : str
        The document, whole: what lies before a match may be looked at.
    timeout : float
        Seconds of computing for one match; long texts get more.

    Yields
    ------
    start, end : int
        Offsets in code points.

    Raises
    ------
    PatternError
        If a match takes longer, or more memory than there is.

    Notes
    -----
    `regex` counts its timeout over a whole iteration. So that it limits one match, not an honest long text,
    the search starts afresh where the last match ended each time that it strikes: the same matches follow.
    """
    compiled = compile_expression(expression)
    limit = timeout + len(text) / CHARACTERS_PER_SECOND
    position, tried_from = 0, -1
    while tried_from < position:
        tried_from = position
        try:
            for match in compiled.finditer(text, position, timeout=limit):
                start, position = match.span()
                if start < position:
                    yield start, position
            return
        except TimeoutError:
            continue
        except (MemoryError, RecursionError):
            raise PatternError(f"The split pattern ran out of memory at character {position:,}.") from None
    raise PatternError(
        f"The split pattern was stopped: after {limit:.3g} s it had no match from character {position:,} on. "
        "Nested repeats as in (a+)+ do this."
    )


def _syntax_error(expression: str, reason: str, position: int | None) -> PatternError:
    """The error that shows the place with a caret, under the line of the expression where it is."""
    if position is None:
        return PatternError(f"The split pattern does not compile: {reason}.")
    line_start = expression.rfind("\n", 0, position) + 1
    line = expression[line_start:].split("\n", 1)[0]
    caret = " " * (position - line_start) + "^"
    return PatternError(
        f"The split pattern does not compile: {reason} at column {position + 1}.\n    {line}\n    {caret}",
        position=position,
    )
