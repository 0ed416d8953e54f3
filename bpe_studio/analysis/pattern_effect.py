"""What a split pattern does to a piece of text: the cuts, which alternative matched, what none covers.

Made for a window that asks at every keystroke, so it takes a budget of time and says when it ran out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from bpe_studio.engine.errors import PatternError
from bpe_studio.engine.pattern_matching import compile_expression
from bpe_studio.engine.patterns import SplitPattern, alternatives, notes


@dataclass(frozen=True)
class Cut:
    """A pre-token: its text, the alternative that matched (None: unknown), and whether any did."""

    text: str
    alternative: int | None
    is_covered: bool


@dataclass(frozen=True)
class PatternEffect:
    """A pattern at work on a piece of text.

    Attributes
    ----------
    cuts : tuple of Cut
        The pre-tokens in order.
    alternatives : tuple of str
        The pattern's top-level alternatives.
    notes : tuple of str
        What is odd about the pattern, in words.
    problem : str
        Why the rest of the piece is not cut; empty if all of it is.
    """

    cuts: tuple[Cut, ...] = ()
    alternatives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def n_uncovered(self) -> int:
        """Number of pre-tokens that no match covers."""
        return sum(not cut.is_covered for cut in self.cuts)


def pattern_effect(pattern: SplitPattern, text: str, seconds: float = 0.02) -> PatternEffect:
    """Return what a pattern does to a short text, within a budget of time.

    Parameters
    ----------
    pattern : SplitPattern
        The pattern.
    text : str
        A few hundred characters.
    seconds : float
        Time for finding the matches; the same again goes at most into naming their alternatives.
    """
    spans, problem = _spans(pattern, text, seconds)
    named = alternatives(pattern) if pattern.expression is not None else ()
    numbers = _numbers(named, text, spans, seconds)
    cuts = (Cut(text[a:b], number, covered) for (a, b, covered), number in zip(spans, numbers, strict=True))
    # A pattern that ran away here is not tried on yet another text.
    return PatternEffect(tuple(cuts), named, () if problem else notes(pattern), problem)


def _spans(pattern: SplitPattern, text: str, seconds: float) -> tuple[list[tuple[int, int, bool]], str]:
    end, found = time.monotonic() + seconds, []
    try:
        for span in pattern.spans(text, seconds):
            found.append(span)
            if time.monotonic() > end:
                return found, f"The pattern is slow: it was stopped after {seconds * 1000:.0f} ms."
    except PatternError as error:
        return found, str(error)
    return found, ""


def _numbers(
    named: tuple[str, ...], text: str, spans: list[tuple[int, int, bool]], seconds: float
) -> list[int | None]:
    # Time of this thread: others that keep the machine busy must not cost the numbers.
    end = time.thread_time() + seconds
    numbers: list[int | None] = []
    for start, stop, covered in spans:
        left = end - time.thread_time()
        numbers.append(_matched(named, text, start, stop, left) if covered and left > 0 else None)
    return numbers


def _matched(named: tuple[str, ...], text: str, start: int, stop: int, seconds: float) -> int | None:
    """Return the first alternative that matches exactly there."""
    for number, alternative in enumerate(named):
        try:
            match = compile_expression(alternative).match(text, start, timeout=seconds)
        except (TimeoutError, MemoryError, RecursionError):
            return None
        if match is not None and match.end() == stop:
            return number
    return None
