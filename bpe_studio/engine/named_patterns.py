"""The split patterns known by name.

References
----------
Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", §2.2, is where cutting before byte
pair encoding comes from. The expressions are those that were published with GPT-2, GPT-4 and GPT-4o.
"""

from __future__ import annotations

from dataclasses import dataclass


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
        ("r50k_base", "p50k_base"),
    ),
    NamedPattern(
        "gpt4",
        "GPT-4 (cl100k)",
        rf"(?i:{_CONTRACTIONS})|{_PREFIX}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        ("cl100k", "cl100k_base"),
    ),
    NamedPattern(
        "o200k",
        "GPT-4o (o200k)",
        rf"{_PREFIX}{_CAPITALS}*{_SMALL}+(?i:{_CONTRACTIONS})?"
        rf"|{_PREFIX}{_CAPITALS}+{_SMALL}*(?i:{_CONTRACTIONS})?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ("o200k_base",),
    ),
)
"""The patterns known by name, in the order in which menus show them."""

BY_NAME = {name: p for p in NAMED_PATTERNS for name in (p.name, *p.other_names)}
"""Each name's pattern."""

BY_EXPRESSION = {p.expression: p for p in NAMED_PATTERNS if p.expression is not None}
"""Each known expression's pattern."""
