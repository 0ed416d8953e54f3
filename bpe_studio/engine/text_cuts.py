"""Where a text may be cut so that its parts, counted one after the other, give what the whole gives."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bpe_studio.engine.patterns import SplitPattern

# A place where no match of a named pattern crosses, whatever comes before and after; see `pattern_matching`.
SAFE_CUT = re.compile(rb"[A-Za-z0-9](?=[ \n])")


@dataclass(frozen=True, slots=True)
class TextCuts:
    """Places to cut, as an expression finds them.

    Parameters
    ----------
    expression : re.Pattern of bytes
        What stands before such a place. It needs a blank or a line end there.
    margin : int
        Bytes, before and behind, that the expression may want to see.
    """

    expression: re.Pattern[bytes]
    margin: int = 0

    def first(self, data: bytes, start: int, *, is_end: bool) -> int:
        """Return the first place after `start`, or 0; `is_end` says that nothing comes behind the data."""
        most = len(data) if is_end else len(data) - self.margin
        found = self.expression.search(data, start)
        return found.end() if found is not None and found.end() <= most else 0

    def last(self, data: memoryview, end: int) -> int:
        """Return the last place in the first `end` bytes, with more text behind them; 0 if there is none."""
        window, most = 256, end - self.margin
        while True:
            start = max(0, end - window)
            piece = bytes(data[start:end])
            last = 0
            # Most text without a place to cut has no blank at all, and that is seen much sooner.
            if b" " in piece or b"\n" in piece:
                places = (match.end() for match in self.expression.finditer(data, start, end))
                last = max((place for place in places if place <= most), default=0)
            if last or not start:
                return last
            window *= 16


def cuts_of(pattern: SplitPattern, special_tokens: tuple[str, ...], lines: bool) -> TextCuts | None:
    """Where text may be cut.

    Parameters
    ----------
    pattern : SplitPattern
        The split pattern.
    special_tokens : tuple of str
        Special strings, which must stay whole.
    lines : bool
        Whether each line is a wall of its own: then nothing crosses a line's end, special strings neither.

    Returns
    -------
    TextCuts or None
        None if a document must be seen whole.
    """
    if not pattern.is_named or pattern.expression is None:
        return TextCuts(re.compile(rb"\n")) if lines else None
    halves = [
        (utf8[: found.end()], utf8[found.end() :])
        for utf8 in (token.encode() for token in special_tokens)
        for found in SAFE_CUT.finditer(utf8)
    ]
    if not halves:
        return TextCuts(SAFE_CUT)
    inside = b"|".join(b"(?<=%b)%b" % (re.escape(left), re.escape(right)) for left, right in halves)
    margin = max(max(len(left), len(right)) for left, right in halves)
    return TextCuts(re.compile(b"%b(?!%b)" % (SAFE_CUT.pattern, inside)), margin)
