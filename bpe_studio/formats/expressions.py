r"""Split patterns between regular expression engines: what means the same in all of them, and what does not.

Hugging Face's library matches with Oniguruma, tiktoken with fancy-regex, we with `regex`. They agree on
Unicode's categories and on white space (as far as they know the same version of Unicode), on sets, groups,
looking around and repeats. They disagree on ``\w`` (² is one in Oniguruma), on what ignoring case joins (ß
and ss), on sets in sets, on ``^`` and ``$``, and above all on ``{1,3}+``: possessive here and in tiktoken,
"once or more" in Oniguruma, where it swallows a number of any length. So an expression is taken apart, and
only what is known to travel does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bpe_studio.engine.errors import FormatError

_CLASS = (
    r"\\[pP]\{\^?(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?"
    r"|Han|Hiragana|Katakana|Hangul|Latin|Greek|Cyrillic|Arabic|Hebrew|Thai)\}|\\[sSdD]"
)
_ESCAPE = r"\\(?:[rntfv]|u[0-9A-Fa-f]{4}|[^A-Za-z0-9])"
_SET = rf"\[\^?(?:{_CLASS}|{_ESCAPE}|(?!&&|--|~~)[^\\\[\]])+\]"

#: What travels, by kind; tried in this order.
_KINDS = {
    # After all white space there is no line's end but the text's, so engines agree on this one dollar.
    "blanks": re.compile(r"\\s\+\+\$"),
    "class": re.compile(_CLASS),
    "escape": re.compile(_ESCAPE, re.DOTALL),
    "set": re.compile(_SET, re.DOTALL),
    "look": re.compile(r"\(\?<?[=!]"),
    "open": re.compile(r"\(\?(?::|>|i:)|\((?!\?)"),
    "close": re.compile(r"\)"),
    "bar": re.compile(r"\|"),
    "braces": re.compile(r"\{(\d+)(?:(,)\d*)?\}([?+]?)"),
    "repeat": re.compile(r"([*+?])[?+]?"),
    "character": re.compile(r"[^\\\[\](){}^$]", re.DOTALL),
}
_CATEGORY = re.compile(r"\\[pP]")

#: Letters that ignoring case joins to one character (ß, ﬀ, ﬁ, ﬂ, ﬆ) in Oniguruma alone.
_JOINED = re.compile("ss|ff|fi|fl|st", re.IGNORECASE)


class _Part(NamedTuple):
    kind: str
    text: str
    match: re.Match[str]


class _Group(NamedTuple):
    """An open group: where it starts in the output, whether it only looks, its least lengths so far."""

    start: int
    looks: bool
    alternatives: list[int]


def _parts(expression: str) -> Iterator[_Part]:
    at = 0
    while at < len(expression):
        tried = ((kind, known.match(expression, at)) for kind, known in _KINDS.items())
        kind, found = next(((kind, found) for kind, found in tried if found), ("", None))
        if found is None:
            raise FormatError(
                f"the split pattern holds {expression[at : at + 12]!r} at column {at + 1:,}, which other "
                "regular expression engines read differently"
            )
        if kind == "braces" and not found[2] and found[3] == "?":
            raise FormatError(f"the split pattern holds {found[0]!r}, which Oniguruma reads as optional")
        yield _Part(kind, found[0], found)
        at = found.end()


def to_oniguruma(expression: str) -> str:
    r"""Return an expression of `regex` as Hugging Face's library must be given it.

    Raises
    ------
    FormatError
        Naming what would be matched differently there.

    Examples
    --------
    >>> to_oniguruma(r"\p{N}{1,3}+|\s+")
    '(?>\\p{N}{1,3})|\\s+'
    """
    return _rewritten(expression, "(?>{0})")


def from_oniguruma(expression: str) -> str:
    r"""Return an expression of Hugging Face's library as `regex` must be given it.

    Raises
    ------
    FormatError
        Naming what would be matched differently here.

    Examples
    --------
    >>> from_oniguruma(r"\p{N}{1,3}+|\s+")
    '(?:\\p{N}{1,3})+|\\s+'
    """
    return _rewritten(expression, "(?:{0})+")


def check_travels(expression: str) -> None:
    """Raise `FormatError` if tiktoken would match an expression differently."""
    _rewritten(expression, "{0}+")


def _rewritten(expression: str, possessive: str) -> str:
    """Return an expression with its braces followed by a plus written otherwise, after checking the rest."""
    out = ""
    item = 0
    groups = [_Group(0, False, [0])]
    ignored: list[int] = []
    for part in _parts(expression):
        kind, text = part.kind, part.text
        start, lengths = len(out), groups[-1].alternatives
        if ignored:
            _check_folding(part)
        if kind in ("open", "look"):
            groups.append(_Group(start, kind == "look", [0]))
            if text == "(?i:":
                ignored.append(len(groups))
        elif kind == "close":
            if len(groups) < 2:
                raise FormatError("the split pattern closes a group that it does not open")
            if ignored and ignored[-1] == len(groups):
                inside = out[groups[-1].start :]
                if _JOINED.search(inside):
                    raise FormatError(
                        f"the split pattern ignores case in {inside[:40]!r}, where other engines find ß or ﬁ"
                    )
                ignored.pop()
            group = groups.pop()
            item, last = group.start, 0 if group.looks else min(group.alternatives)
            groups[-1].alternatives[-1] += last
        elif kind == "bar":
            lengths.append(0)
        elif kind in ("repeat", "braces"):
            least = int(part.match[1][:6]) if kind == "braces" else int(part.match[1] == "+")
            lengths[-1] += last * (min(least, 1) - 1)
            if kind == "braces" and part.match[3] == "+":
                out, text = out[:item], possessive.format(out[item:] + text[:-1])
        else:
            item, last = start, 1
            lengths[-1] += 1
        out += text
    if len(groups) > 1:
        raise FormatError("the split pattern opens a group that it does not close")
    if not min(groups[0].alternatives):
        raise FormatError("the split pattern can match nothing at all, where other engines cut and we do not")
    return out


def _check_folding(part: _Part) -> None:
    if not part.text.isascii() or part.kind == "class" or _CATEGORY.search(part.text):
        raise FormatError(f"the split pattern ignores case in {part.text!r}, where engines differ")
