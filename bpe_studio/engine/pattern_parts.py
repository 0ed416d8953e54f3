"""The parts of a regular expression: what it requires, its alternatives, and what is odd about it."""

from __future__ import annotations


def required_length(expression: str) -> int:
    """Characters that a match must have at least (0 for now)."""
    return 0
