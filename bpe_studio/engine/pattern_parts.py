"""The parts of a regular expression: its top-level alternatives, and how long a match it asks for.

The expression is read, not understood: groups, sets, escapes and repeats are told apart, no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

_ESCAPE = regex.compile(r"\\(?:[pPN]\{[^}]*\}|[gL]<[^>]*>|.)", regex.DOTALL)
_FLAGS = regex.compile(r"\(\?[A-Za-z0-9]+(?:-[A-Za-z]+)?\)")
_OPEN = regex.compile(r"\((?:\?(?:P?<(?![=!])\w*>|<[=!]|\(\w+\)|[=!>|]|[\w-]*:|P?[=>&]\w*))?")
_REPEAT = regex.compile(r"(?:[*+?]|\{(\d*)(?:(,)\d*)?\})[?+]?")
_FUZZY = regex.compile(r"\{[^{}\\]*[ides][^{}\\]*\}")

# A group that one alternative refers to may stand in another, so that they mean nothing alone.
_REFERENCE = regex.compile(r"\\[1-9]|\\g<|\(\?(?:P[=>&]|[R&(]|[+-]?\d)")


class Part(NamedTuple):
    """A part of an expression: what it is, where, and for a repeat the least number of times."""

    kind: str  # "open", "close", "bar", "repeat", "atom" or "nothing" (comments, flags)
    start: int
    end: int
    least: int = 1


def parts(expression: str) -> Iterator[Part]:
    """Parts of an expression, from left to right.

    Parameters
    ----------
    expression : str
        A regular expression, valid or not.

    Yields
    ------
    Part
        The parts; together they are the expression.
    """
    nested_sets = regex.search(r"\(\?[a-zA-Z]*V1", expression) is not None
    at = 0
    while at < len(expression):
        part = _part_at(expression, at, nested_sets)
        yield part
        at = part.end


def _part_at(expression: str, at: int, nested_sets: bool) -> Part:
    sign = expression[at]
    if sign == "\\" and (found := _ESCAPE.match(expression, at)):
        return Part("atom", at, found.end())
    if sign == "[":
        return Part("atom", at, _set_end(expression, at, nested_sets))
    if sign == "(":
        return _group_start(expression, at)
    if sign in ")|":
        return Part("close" if sign == ")" else "bar", at, at + 1)
    if found := _REPEAT.match(expression, at):
        digits = found[1] if sign == "{" else "1" if sign == "+" else "0"
        return Part("repeat", at, found.end(), int(digits[:20] or 0))
    if found := _FUZZY.match(expression, at):
        return Part("nothing", at, found.end())
    return Part("atom", at, at + 1)


def _group_start(expression: str, at: int) -> Part:
    if expression.startswith("(?#", at):
        end = expression.find(")", at)
        return Part("nothing", at, len(expression) if end < 0 else end + 1)
    if found := _FLAGS.match(expression, at):
        return Part("nothing", at, found.end())
    found = _OPEN.match(expression, at)
    return Part("open", at, found.end())


def _set_end(expression: str, at: int, nested: bool) -> int:
    """Offset after a set in square brackets; a "]" that is its first member does not end it."""
    at += 2 if expression.startswith("^", at + 1) else 1
    if expression.startswith("]", at):
        at += 1
    while at < len(expression):
        sign = expression[at]
        if sign == "]":
            return at + 1
        if sign == "\\":
            at += 2
        elif expression.startswith("[:", at) and (end := expression.find(":]", at)) > 0:
            at = end + 2
        elif sign == "[" and nested:
            at = _set_end(expression, at, nested)
        else:
            at += 1
    return len(expression)


def required_length(expression: str) -> int:
    """Most characters that any one alternative of the expression asks for, repeats written out.

    Parameters
    ----------
    expression : str
        A regular expression, valid or not.

    Returns
    -------
    int
        Characters, a little too many rather than too few.

    Examples
    --------
    >>> required_length(r"(?:ab){10}|c+")
    20
    """
    # One row an open group: the longest alternative before this one, this one's length, and its last item's.
    stack = [[0, 0, 0]]
    for part in parts(expression):
        longest, length, last = stack[-1]
        if part.kind == "open":
            stack.append([0, 0, 0])
        elif part.kind == "bar":
            stack[-1] = [max(longest, length), 0, 0]
        elif part.kind == "close" and len(stack) > 1:
            stack.pop()
            item = max(longest, length)
            stack[-1][1:] = [stack[-1][1] + item, item]
        elif part.kind == "repeat":
            # An item that may be left out still has to be compiled once.
            stack[-1][1:] = [length + last * (max(part.least, 1) - 1), last * max(part.least, 1)]
        elif part.kind == "atom":
            stack[-1][1:] = [length + 1, 1]
    return max(max(longest, length) for longest, length, _ in stack)


@lru_cache(maxsize=64)
def top_level_alternatives(expression: str | None) -> tuple[str, ...]:
    r"""Top-level alternatives of an expression, each with the flags that stand at its start.

    Parameters
    ----------
    expression : str or None
        A regular expression; None has none.

    Returns
    -------
    tuple of str
        The alternatives in order. An expression whose alternatives may refer to one another, or that is
        written in verbose form, is one alternative.

    Examples
    --------
    >>> top_level_alternatives(r"'s| ?\p{L}+|[a|b]|\s+")
    ("'s", ' ?\\p{L}+', '[a|b]', '\\s+')
    """
    if expression is None:
        return ()
    if _REFERENCE.search(expression) or regex.search(r"\(\?[A-Za-z]*x", expression):
        return (expression,)
    depth, start, found = 0, 0, []
    for part in parts(expression):
        depth += (part.kind == "open") - (part.kind == "close")
        if part.kind == "bar" and depth == 0:
            found.append(expression[start : part.start])
            start = part.end
    found.append(expression[start:])
    flags = _FLAGS.match(expression)
    prefix = "" if flags is None else flags[0]
    return (found[0], *(prefix + alternative for alternative in found[1:]))
