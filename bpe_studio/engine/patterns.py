"""Split patterns: the regular expression that cuts a document into pre-tokens.

Splitting never loses text: what no match covers becomes a pre-token of its own, and a match of no
characters never cuts. Named patterns are cut in blocks, because it is known where no match of theirs
can cross; a user's own expression always sees the document whole, so that lookbehind works, and under
a time limit, because it may run away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from bpe_studio.engine.errors import PatternError
from bpe_studio.engine.named_patterns import BY_EXPRESSION, BY_NAME, NAMED_PATTERNS, NamedPattern
from bpe_studio.engine.pattern_matching import MATCH_SECONDS, blocks, compile_expression, matches
from bpe_studio.engine.pattern_parts import top_level_alternatives

__all__ = [
    "NAMED_PATTERNS",
    "NamedPattern",
    "SplitPattern",
    "alternatives",
    "chained",
    "notes",
    "resolve_expression",
    "resolve_pattern",
]

LONG_BLOCK = 1 << 18
"""Code points a block may have to be cut in one go, without a look at the clock."""

_TRIAL = "".join(map(chr, range(128))) + " The end, it's 12 345.\r\n\u00c9\u00df \u4e2d\u6587 \U0001f600"
"""A short text with something of everything, for `notes`."""


@dataclass(frozen=True, slots=True)
class SplitPattern:
    """A split pattern: its name and its expression. Made by `resolve_pattern`, which checks it.

    Parameters
    ----------
    name : str
        The name of a named pattern, or "custom".
    expression : str or None
        The regular expression in the syntax of the `regex` module, version 0; None cuts nowhere.
    then : tuple of str
        More expressions, each cutting the pre-tokens of the one before, which it sees alone.

    Examples
    --------
    >>> resolve_pattern("gpt4").split("Hello  world!")
    ['Hello', ' ', ' world', '!']
    >>> resolve_pattern("[a-z]+").split("ab12cd!")
    ['ab', '12', 'cd', '!']
    """

    name: str
    expression: str | None
    then: tuple[str, ...] = ()

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
            return [pre_token for _, pre_tokens in self.split_blocks(text) for pre_token in pre_tokens]
        return [text[start:end] for start, end, _ in self.spans(text, timeout)]

    def split_blocks(self, text: str) -> Iterator[tuple[str, list[str]]]:
        """Pre-tokens of a document under a named pattern, block after block.

        Parameters
        ----------
        text : str
            The document, or a part between two walls.

        Yields
        ------
        block : str
            The next part of the document, cut where no match can cross.
        pre_tokens : list of str
            The pre-tokens of the block; joined they are the block.

        Notes
        -----
        Linear in the text: each block is searched once for its end and once for its pre-tokens.
        """
        assert self.is_named
        if self.expression is None:
            if text:
                yield text, [text]
            return
        compiled = compile_expression(self.expression)
        for block in blocks(text):
            if len(block) <= LONG_BLOCK:
                yield block, compiled.findall(block)
                continue
            # As findall, with a breath now and then: a text without blanks may be one block of any length.
            found = compiled.finditer(block)
            while pre_tokens := [match.group() for match in islice(found, 1 << 14)]:
                yield "".join(pre_tokens), pre_tokens

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
        found = _spans(self.expression, text, timeout)
        if not self.then:
            yield from found
            return
        rest = SplitPattern(self.name, self.then[0], self.then[1:])
        for at, stop, _ in found:
            for start, end, covered in rest.spans(text[at:stop], timeout):
                yield at + start, at + end, covered

    @property
    def value(self) -> str | list[str] | None:
        """What decides the cuts, as JSON holds it."""
        return [self.expression, *self.then] if self.then and self.expression else self.expression

    @property
    def is_named(self) -> bool:
        """Whether the program knows where text may be cut under this pattern, and that it covers any text."""
        return self.expression is None or (self.expression in BY_EXPRESSION and not self.then)

    def matched_alternative(self, text: str, start: int, end: int) -> int | None:
        """Which alternative of the expression made the pre-token at a place.

        Parameters
        ----------
        text : str
            The document.
        start, end : int
            A pre-token's offsets in code points, as `spans` gives them.

        Returns
        -------
        int or None
            Number, from 0, of the first of `alternatives` that matches exactly there; None if none does.
        """
        if self.expression is None or self.then:
            return None
        for number, alternative in enumerate(alternatives(self)):
            try:
                match = compile_expression(alternative).match(text, start, timeout=MATCH_SECONDS)
            except (TimeoutError, MemoryError, RecursionError):
                return None
            if match is not None and match.span() == (start, end):
                return number
        return None


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
        return chained([pattern.expression, *pattern.then])
    if (named := BY_NAME.get(pattern)) is not None:
        return SplitPattern(named.name, named.expression)
    return resolve_expression(pattern)


def resolve_expression(expression: str | None) -> SplitPattern:
    """The split pattern of a regular expression, which is never taken for a name.

    Parameters
    ----------
    expression : str or None
        An expression of the `regex` module ("none" here is four letters); None cuts nowhere.

    Returns
    -------
    SplitPattern
        The pattern, compiled once to prove that it can be.

    Raises
    ------
    PatternError
        If the expression does not compile; `position` is the column, from 0.
    """
    if expression is None:
        return SplitPattern("none", None)
    compile_expression(expression)
    named = BY_EXPRESSION.get(expression)
    return SplitPattern("custom" if named is None else named.name, expression)


def chained(expressions: Sequence[str | None]) -> SplitPattern:
    """The split pattern of several expressions, each cutting the pre-tokens of the one before.

    Parameters
    ----------
    expressions : sequence of str or None
        At least one; None cuts nowhere.

    Returns
    -------
    SplitPattern
        The pattern, its expressions compiled.

    Raises
    ------
    PatternError
        If one does not compile.

    Examples
    --------
    >>> chained(["[0-9]", "[a-z]+"]).split("ab12 c")
    ['ab', '1', '2', ' ', 'c']
    """
    cutting = [expression for expression in expressions if expression is not None]
    patterns = [resolve_expression(expression) for expression in cutting]
    if len(patterns) < 2:
        return patterns[0] if patterns else resolve_expression(None)
    return SplitPattern("custom", cutting[0], tuple(cutting[1:]))


def _spans(expression: str | None, text: str, timeout: float) -> Iterator[tuple[int, int, bool]]:
    if expression is None:
        if text:
            yield 0, len(text), True
        return
    position = 0
    for start, end in matches(expression, text, timeout):
        if start > position:
            yield position, start, False
        yield start, end, True
        position = end
    if position < len(text):
        yield position, len(text), False


def alternatives(pattern: str | SplitPattern) -> tuple[str, ...]:
    r"""Top-level alternatives of a split pattern, in the order in which they are tried.

    Parameters
    ----------
    pattern : str or SplitPattern
        As for `resolve_pattern`.

    Returns
    -------
    tuple of str
        The alternatives; the whole expression alone if they mean nothing apart.

    Examples
    --------
    >>> alternatives("whitespace")
    ('\\S+', '\\s+')
    """
    resolved = resolve_pattern(pattern)
    found = top_level_alternatives(resolved.expression)
    if resolved.then:
        found = (str(resolved.expression), *resolved.then)
    try:
        for alternative in found:
            compile_expression(alternative)
    except PatternError:
        return ("|".join(found),)
    return found


def notes(pattern: str | SplitPattern) -> tuple[str, ...]:
    """What is odd about a split pattern that compiles, in plain words.

    Parameters
    ----------
    pattern : str or SplitPattern
        As for `resolve_pattern`.

    Returns
    -------
    tuple of str
        Sentences; none for most patterns. They rest on a try on a short text, not on proof.

    Examples
    --------
    >>> notes("a*")
    ('It can match nothing at all. Such matches never cut the text.',)
    """
    expression = resolve_pattern(pattern).expression
    if expression is None or expression in BY_EXPRESSION:
        return ()
    try:
        found = [m.span() for m in compile_expression(expression).finditer(_TRIAL + expression, timeout=1.0)]
    except (TimeoutError, MemoryError, RecursionError):
        return ("It takes more than a second on a short text.",)
    if found and all(start == end for start, end in found):
        return ("It matches only places without characters, so it cuts nowhere: a document stays whole.",)
    if any(start == end for start, end in found):
        return ("It can match nothing at all. Such matches never cut the text.",)
    return ()
