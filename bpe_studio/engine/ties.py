"""Tie-break rules: which of the pairs that share the best count is merged.

Each rule is one function that gives a sortable key; the smallest key wins. The keys here are the
specification: the compiled trainer packs them into 64 bits and falls back to comparing letters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bpe_studio.engine.errors import TrainingError

MASK = 2**64 - 1
BLANK, LOWER_ONE_EIGHTH_BLOCK = " ", "\u2581"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the tied pairs, with all that a rule may look at.

    Parameters
    ----------
    left, right : bytes
        The two tokens.
    left_id, right_id : int
        Their ids.
    first : int
        Position of the pair's first occurrence in the concatenated base symbols of the words.
    characters : bool
        Whether the base symbols are characters.
    """

    left: bytes
    right: bytes
    left_id: int
    right_id: int
    first: int
    characters: bool


def lexicographic(pair: Candidate, seed: int) -> tuple[Any, ...]:
    """Smallest (left bytes, right bytes)."""
    return (pair.left, pair.right)


def reverse_lexicographic(pair: Candidate, seed: int) -> tuple[Any, ...]:
    """Largest (left bytes, right bytes)."""
    return (_reversed(pair.left), _reversed(pair.right))


def first_seen(pair: Candidate, seed: int) -> tuple[Any, ...]:
    """The pair whose first occurrence comes first, after all merges so far."""
    return (pair.first,)


def lowest_ids(pair: Candidate, seed: int) -> tuple[Any, ...]:
    """Smallest (left id, right id)."""
    return (pair.left_id, pair.right_id)


def shortest(pair: Candidate, seed: int) -> tuple[Any, ...]:
    """Fewest letters in the merged text, then its smallest bytes.

    With characters a blank is read as U+2581, as SentencePiece stores it. Two pairs that make the
    same text are told apart by their left part, and last by ids (a blank against a real U+2581).
    """
    left, right = pair.left, pair.right
    if not pair.characters:
        return (len(left + right), left + right, left)
    left_text, right_text = (part.decode().replace(BLANK, LOWER_ONE_EIGHTH_BLOCK) for part in (left, right))
    return (len(left_text + right_text), left_text + right_text, left_text, pair.left_id, pair.right_id)


def random_order(pair: Candidate, seed: int) -> tuple[Any, ...]:
    """A fixed pseudo-random order of pairs, told by their bytes and the seed alone."""
    return (random_key(pair.left, pair.right, seed), pair.left, pair.right)


def random_key(left: bytes, right: bytes, seed: int) -> int:
    """Return the 64-bit key of a pair under ``random:seed``.

    Examples
    --------
    >>> hex(random_key(b"t", b"h", 0))
    '0xddcddb2cc17dc3a4'
    """
    seeded = mix((seed + 0x9E3779B97F4A7C15) & MASK)
    return mix((mix(seeded ^ fnv1a(left)) + fnv1a(right)) & MASK)


def fnv1a(data: bytes) -> int:
    """Return the 64-bit FNV-1a hash of some bytes."""
    state = 0xCBF29CE484222325
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def mix(value: int) -> int:
    """Return splitmix64's finalizer of a 64-bit value."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def _reversed(data: bytes) -> tuple[int, ...]:
    # The end sorts after every letter, so that of two texts the longer one comes first.
    return (*(-byte for byte in data), 1)


@dataclass(frozen=True, slots=True)
class TieRule:
    """A rule as shown and chosen.

    Parameters
    ----------
    name : str
        The name in settings, files and commands.
    number : int
        Its number in the compiled trainer.
    key : callable
        ``key(candidate, seed)``; the smallest wins.
    takes : str
        What it takes, in words.
    matches : str
        The tools that break ties the same way.
    """

    name: str
    number: int
    key: Callable[[Candidate, int], tuple[Any, ...]]
    takes: str
    matches: str


TIE_RULES = (
    TieRule("lexicographic", 0, lexicographic, "the smallest bytes", ""),
    TieRule("reverse-lexicographic", 1, reverse_lexicographic, "the largest bytes", ""),
    TieRule(
        "first-seen",
        2,
        first_seen,
        "the pair met first in the corpus",
        "minbpe, tiktoken's educational trainer",
    ),
    TieRule(
        "lowest-ids",
        3,
        lowest_ids,
        "the smallest ids",
        "rustbpe; Hugging Face tokenizers with GPT-2 byte order",
    ),
    TieRule("shortest", 4, shortest, "the shortest token, then the smallest bytes", "SentencePiece"),
    TieRule("random", 5, random_order, "a pair drawn by a seed", ""),
)


@dataclass(frozen=True, slots=True)
class ParsedRule:
    """A rule with its seed (0 for all but ``random``)."""

    rule: TieRule
    seed: int = 0

    def key(self, pair: Candidate) -> tuple[Any, ...]:
        """Return the sort key of a candidate; the smallest wins."""
        return self.rule.key(pair, self.seed)

    @property
    def text(self) -> str:
        """The rule as written in settings: ``first-seen``, ``random:7``."""
        return f"random:{self.seed}" if self.rule.name == "random" else self.rule.name


def parse_rule(text: str) -> ParsedRule:
    """Return the rule that a setting names.

    Raises
    ------
    TrainingError
        If there is no such rule, or ``random`` lacks a seed from 0 to 2^64 − 1.
    """
    name, _, seed = text.partition(":") if isinstance(text, str) else ("", "", "")
    for rule in TIE_RULES:
        if rule.name == name and name != "random" and text == name:
            return ParsedRule(rule)
        if rule.name == name == "random" and seed.isascii() and seed.isdigit() and int(seed) <= MASK:
            return ParsedRule(rule, int(seed))
    names = ", ".join(rule.name for rule in TIE_RULES if rule.name != "random")
    raise TrainingError(
        f"tie_rule is {text!r}; it must be {names} or random:SEED (a seed from 0 to 2^64 - 1)"
    )
