"""Split patterns: the regular expression that cuts a document into pre-tokens.

Splitting never loses text: what no match covers becomes a pre-token of its own, and a match of no
characters never cuts. Named patterns are cut in blocks, because it is known where no match of theirs
can cross; a user's own expression always sees the document whole, so that lookbehind works, and under
a time limit, because it may run away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
"""Most characters a match may be required to have: `regex` needs about 0.5 KB for each, while compiling."""

BLOCK_CHARACTERS = 1 << 16
"""Code points a block of a named pattern has at least: findall then holds the interpreter for some 4 ms."""


@dataclass(frozen=True, slots=True)
class NamedPattern:
    """A split pattern known by name.

    Parameters
    ----------
    name : str
        What `resolve_pattern` takes.
    label : str
        What a menu shows.
    expression : str or None
        The regular expression; None cuts nowhere.
    other_names : tuple of str
        Names that mean the same pattern.
    """

    name: str
    label: str
    expression: str | None
    other_names: tuple[str, ...] = ()


_CONTRACTIONS = r"'s|'t|'re|'ve|'m|'ll|'d"
_CAPITALS = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_SMALL = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_PREFIX = r"[^\r\n\p{L}\p{N}]?"

NAMED_PATTERNS: tuple[NamedPattern, ...] = (
    NamedPattern("none", "None: a document is one pre-token", None),
    NamedPattern("whitespace", "Whitespace: runs of blanks, runs of anything else", r"\S+|\s+"),
    NamedPattern(
        "gpt2",
        "GPT-2",
        _CONTRACTIONS + r"| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    ),
    NamedPattern(
        "gpt4",
        "GPT-4 (cl100k)",
        rf"(?i:{_CONTRACTIONS})|{_PREFIX}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        ("cl100k",),
    ),
    NamedPattern(
        "o200k",
        "GPT-4o (o200k)",
        rf"{_PREFIX}{_CAPITALS}*{_SMALL}+(?i:{_CONTRACTIONS})?"
        rf"|{_PREFIX}{_CAPITALS}+{_SMALL}*(?i:{_CONTRACTIONS})?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
)
"""The patterns known by name, in the order in which menus show them."""

_BY_NAME = {name: p for p in NAMED_PATTERNS for name in (p.name, *p.other_names)}
_BY_EXPRESSION = {p.expression: p for p in NAMED_PATTERNS if p.expression is not None}

# A place between a letter or digit and white space is safe to cut in every named pattern:
# - No match crosses it. A match that holds the letter (digit) is one of `'s` …, a run of letters with at
#   most one other character before it and, in o200k, `'s` … behind it, a run of digits, or `\S+`. None has
#   white space after the letter (digit): white space can only be a match's first character.
# - The left part alone is cut alike. What is tried at the cut is, after a letter or digit, only: one more of
#   the same class, `'`, or the next letter of a contraction. White space fails there as the text's end does.
#   The one assertion, `(?!\S)`, stands after white space and so is never tried at the cut.
# - The right part alone is cut alike, because no named pattern looks behind.
# The classes are those of `regex` itself, whatever its version of Unicode.
_SAFE_CUT = regex.compile(r"[\p{L}\p{N}](?=\s)")


@dataclass(frozen=True, slots=True)
class SplitPattern:
    """A split pattern: its name and its expression. Made by `resolve_pattern`, which checks it.

    Parameters
    ----------
    name : str
        The name of a named pattern, or "custom".
    expression : str or None
        The regular expression in the syntax of the `regex` module, version 0; None cuts nowhere.

    Examples
    --------
    >>> resolve_pattern("gpt4").split("Hello  world!")
    ['Hello', ' ', ' world', '!']
    >>> resolve_pattern("[a-z]+").split("ab12cd!")
    ['ab', '12', 'cd', '!']
    """

    name: str
    expression: str | None

    def split(self, text: str, timeout: float = MATCH_SECONDS) -> list[str]:
        """Pre-tokens of a document; joined they are the document.

        Parameters
        ----------
        text : str
            The document, or a part between two walls.
        timeout : float
            Seconds of computing that one match of a user's own expression may take.

        Returns
        -------
        list of str
            The pre-tokens in order, none of them empty.

        Raises
        ------
        PatternError
            If a match takes longer, or more memory than there is.
        """
        if self.is_named:
            return [piece for block in self.split_blocks(text) for piece in block]
        return [text[start:end] for start, end, _ in self.spans(text, timeout)]

    def split_blocks(self, text: str) -> Iterator[list[str]]:
        """Pre-tokens of a document under a named pattern, block after block.

        Parameters
        ----------
        text : str
            The document, or a part between two walls.

        Yields
        ------
        list of str
            The pre-tokens of the next block; all blocks joined are the document.

        Notes
        -----
        Linear in the text: each block is searched once for its end and once for its pre-tokens.
        """
        assert self.is_named
        if self.expression is None:
            yield [text] if text else []
            return
        find_all = compile_expression(self.expression).findall
        for block in _blocks(text):
            yield find_all(block)

    def spans(self, text: str, timeout: float = MATCH_SECONDS) -> Iterator[tuple[int, int, bool]]:
        """Where the pre-tokens of a document start and end, and whether a match covers them.

        Parameters
        ----------
        text : str
            The document, or a part between two walls.
        timeout : float
            Seconds of computing that one match of a user's own expression may take.

        Yields
        ------
        start : int
            Offset of the pre-token's first character, in code points.
        end : int
            Offset after its last character; the next pre-token starts there.
        covered : bool
            False if no match covers it.

        Raises
        ------
        PatternError
            If a match takes longer, or more memory than there is.
        """
        if self.expression is None:
            if text:
                yield 0, len(text), True
            return
        position = 0
        for start, end in _matches(self.expression, text, timeout):
            if start > position:
                yield position, start, False
            yield start, end, True
            position = end
        if position < len(text):
            yield position, len(text), False

    @property
    def is_named(self) -> bool:
        """Whether the program knows where text may be cut under this pattern, and that it covers any text."""
        return self.expression is None or self.expression in _BY_EXPRESSION


def resolve_pattern(pattern: str | SplitPattern) -> SplitPattern:
    """The split pattern that a name or a regular expression means.

    Parameters
    ----------
    pattern : str or SplitPattern
        A name out of `NAMED_PATTERNS`, or an expression of the `regex` module. An expression that is, letter
        by letter, that of a named pattern gets its name.

    Returns
    -------
    SplitPattern
        The pattern, compiled once to prove that it can be.

    Raises
    ------
    PatternError
        If the expression does not compile; `position` is the column, from 0.
    """
    if isinstance(pattern, SplitPattern):
        if pattern.expression is None:
            return SplitPattern("none", None)
        return resolve_pattern_expression(pattern.expression)
    if not isinstance(pattern, str):
        kind = type(pattern).__name__
        raise PatternError(f"A split pattern is a name or a regular expression, not {kind}.")
    if (named := _BY_NAME.get(pattern)) is not None:
        return SplitPattern(named.name, named.expression)
    return resolve_pattern_expression(pattern)


def resolve_pattern_expression(expression: str) -> SplitPattern:
    """The split pattern of a regular expression, never taken for a name.

    Parameters
    ----------
    expression : str
        An expression of the `regex` module: "none" here is four letters.

    Returns
    -------
    SplitPattern
        The pattern, compiled once to prove that it can be.

    Raises
    ------
    PatternError
        If the expression does not compile; `position` is the column, from 0.
    """
    named = _BY_EXPRESSION.get(expression)
    compile_expression(expression)
    return SplitPattern("custom" if named is None else named.name, expression)


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
        If it does not compile, or needs more memory or depth than there is.
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


def _syntax_error(expression: str, reason: str, position: int | None) -> PatternError:
    """The error that shows the place with a caret, on the line of the expression where it is."""
    if position is None:
        return PatternError(f"The split pattern does not compile: {reason}.")
    line_start = expression.rfind("\n", 0, position) + 1
    line = expression[line_start:].split("\n", 1)[0]
    caret = " " * (position - line_start) + "^"
    return PatternError(
        f"The split pattern does not compile: {reason} at column {position + 1}.\n    {line}\n    {caret}",
        position=position,
    )


def _blocks(text: str) -> Iterator[str]:
    """Parts of a text, each cut where no match of a named pattern can cross."""
    start = 0
    while len(text) - start > BLOCK_CHARACTERS:
        # From this place on, so that a text without a safe cut is searched once only.
        cut = _SAFE_CUT.search(text, start + BLOCK_CHARACTERS)
        if cut is None:
            break
        yield text[start : cut.end()]
        start = cut.end()
    if start < len(text):
        yield text[start:] if start else text


def _matches(expression: str, text: str, timeout: float) -> Iterator[tuple[int, int]]:
    """Starts and ends of the matches that are not empty.

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
            raise PatternError(
                f"The split pattern ran out of memory at character {position:,} of the text."
            ) from None
    raise PatternError(
        f"The split pattern was stopped: after {limit:.3g} s there was no match after character "
        f"{position:,} of the text. Nested repeats as in (a+)+ do this."
    )
