"""The settings of the next training as records: one table makes the form, its tooltips and its tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP

from bpe_studio.engine.named_patterns import NAMED_PATTERNS
from bpe_studio.engine.ties import TIE_RULES

CONTEXT = "Settings"
CUSTOM = "custom"
MAX_NUMBER = 2**31 - 1


@dataclass(frozen=True)
class Field:
    """One row of the form.

    Attributes
    ----------
    name : str
        Keyword of `TrainingConfig`; "expression" and "seed" are parts of one.
    title, tip : str
        Words to be translated.
    kind : {"choice", "number", "share", "switch", "line", "lines"}
        Which widget edits it.
    choices : tuple of (value, words)
        For a choice.
    least : int
        For a number; 0 stands for None where `none_words` is set.
    none_words : str
        What a number of 0 says instead.
    shown_for : tuple of (name, value) or None
        The field shows only while another has this value.
    is_usual : bool
        Whether it stands in the first part of the form, not under *More settings*.
    """

    name: str
    title: str
    tip: str
    kind: Literal["choice", "number", "share", "switch", "line", "lines"]
    choices: tuple[tuple[str, str], ...] = ()
    least: int = 0
    none_words: str = ""
    shown_for: tuple[str, str] | None = None
    is_usual: bool = True


ALPHABET_CHOICES = (
    ("bytes", QT_TRANSLATE_NOOP("Settings", "256 bytes")),
    ("characters", QT_TRANSLATE_NOOP("Settings", "Characters")),
)
PLACEMENT_CHOICES = (
    ("last", QT_TRANSLATE_NOOP("Settings", "After merges")),
    ("first", QT_TRANSLATE_NOOP("Settings", "First, from 0")),
)
ORDER_CHOICES = (
    ("identity", QT_TRANSLATE_NOOP("Settings", "By value")),
    ("gpt2", QT_TRANSLATE_NOOP("Settings", "As in GPT-2")),
)
PATTERN_CHOICES = (
    ("none", QT_TRANSLATE_NOOP("Settings", "None")),
    ("whitespace", QT_TRANSLATE_NOOP("Settings", "Whitespace")),
    ("gpt2", QT_TRANSLATE_NOOP("Settings", "GPT-2")),
    ("gpt4", QT_TRANSLATE_NOOP("Settings", "GPT-4 (cl100k)")),
    ("o200k", QT_TRANSLATE_NOOP("Settings", "GPT-4o (o200k)")),
    (CUSTOM, QT_TRANSLATE_NOOP("Settings", "Custom")),
)
TIE_CHOICES = (
    ("lexicographic", QT_TRANSLATE_NOOP("Settings", "Lexicographic")),
    ("reverse-lexicographic", QT_TRANSLATE_NOOP("Settings", "Reverse lexicographic")),
    ("first-seen", QT_TRANSLATE_NOOP("Settings", "First seen")),
    ("lowest-ids", QT_TRANSLATE_NOOP("Settings", "Lowest ids")),
    ("shortest", QT_TRANSLATE_NOOP("Settings", "Shortest")),
    ("random", QT_TRANSLATE_NOOP("Settings", "Random")),
)
FIELDS: tuple[Field, ...] = (
    Field(
        "alphabet",
        QT_TRANSLATE_NOOP("Settings", "Alphabet"),
        QT_TRANSLATE_NOOP("Settings", "What the base symbols are"),
        "choice",
        (
            ("bytes", QT_TRANSLATE_NOOP("Settings", "256 bytes")),
            ("characters", QT_TRANSLATE_NOOP("Settings", "Characters")),
        ),
    ),
    Field(
        "character_coverage",
        QT_TRANSLATE_NOOP("Settings", "Coverage"),
        QT_TRANSLATE_NOOP("Settings", "Share of the corpus's characters that get a token of their own"),
        "share",
        shown_for=("alphabet", "characters"),
    ),
    Field(
        "byte_fallback",
        QT_TRANSLATE_NOOP("Settings", "Byte fallback"),
        QT_TRANSLATE_NOOP("Settings", "Characters without a token become bytes instead of <unk>"),
        "switch",
        shown_for=("alphabet", "characters"),
    ),
    Field(
        "pattern",
        QT_TRANSLATE_NOOP("Settings", "Split pattern"),
        QT_TRANSLATE_NOOP("Settings", "Cuts documents into pre-tokens"),
        "choice",
        PATTERN_CHOICES,
    ),
    Field(
        "expression",
        QT_TRANSLATE_NOOP("Settings", "Expression"),
        QT_TRANSLATE_NOOP("Settings", "A regular expression of the regex module"),
        "line",
        shown_for=("pattern", CUSTOM),
    ),
    Field(
        "tie_rule",
        QT_TRANSLATE_NOOP("Settings", "Ties"),
        QT_TRANSLATE_NOOP("Settings", "Which of the most frequent pairs is merged"),
        "choice",
        TIE_CHOICES,
    ),
    Field(
        "seed",
        QT_TRANSLATE_NOOP("Settings", "Seed"),
        QT_TRANSLATE_NOOP("Settings", "A number from 0 to 2^64 − 1 that fixes the order of pairs"),
        "line",
        shown_for=("tie_rule", "random"),
    ),
    Field(
        "vocab_size",
        QT_TRANSLATE_NOOP("Settings", "Vocabulary"),
        QT_TRANSLATE_NOOP("Settings", "Tokens to end with, special tokens counted"),
        "number",
    ),
    Field(
        "min_frequency",
        QT_TRANSLATE_NOOP("Settings", "Min. count"),
        QT_TRANSLATE_NOOP("Settings", "A pair is merged if it occurs at least this often"),
        "number",
        least=1,
    ),
    Field(
        "special_tokens",
        QT_TRANSLATE_NOOP("Settings", "Special tokens, one a line"),
        QT_TRANSLATE_NOOP("Settings", "No merge makes or crosses them"),
        "lines",
    ),
    Field(
        "special_placement",
        QT_TRANSLATE_NOOP("Settings", "Special ids"),
        QT_TRANSLATE_NOOP("Settings", "Where the ids of special tokens stand"),
        "choice",
        (
            ("last", QT_TRANSLATE_NOOP("Settings", "After merges")),
            ("first", QT_TRANSLATE_NOOP("Settings", "First, from 0")),
        ),
        is_usual=False,
    ),
    Field(
        "max_token_length",
        QT_TRANSLATE_NOOP("Settings", "Longest token"),
        QT_TRANSLATE_NOOP("Settings", "In base symbols, at most"),
        "number",
        none_words=QT_TRANSLATE_NOOP("Settings", "any"),
        is_usual=False,
    ),
    Field(
        "byte_order",
        QT_TRANSLATE_NOOP("Settings", "Byte ids"),
        QT_TRANSLATE_NOOP("Settings", "The order of the 256 byte tokens' ids"),
        "choice",
        (
            ("identity", QT_TRANSLATE_NOOP("Settings", "By value")),
            ("gpt2", QT_TRANSLATE_NOOP("Settings", "As in GPT-2")),
        ),
        shown_for=("alphabet", "bytes"),
        is_usual=False,
    ),
    Field(
        "lines",
        QT_TRANSLATE_NOOP("Settings", "Documents"),
        QT_TRANSLATE_NOOP("Settings", "Read every line as a document of its own"),
        "switch",
        is_usual=False,
    ),
)
SWITCH_WORDS = {
    "byte_fallback": QT_TRANSLATE_NOOP("Settings", "Byte fallback"),
    "lines": QT_TRANSLATE_NOOP("Settings", "One a line"),
}

assert {name for name, _ in PATTERN_CHOICES} == {CUSTOM, *(pattern.name for pattern in NAMED_PATTERNS)}
assert [name for name, _ in TIE_CHOICES] == [rule.name for rule in TIE_RULES]
TIE_TIPS = {rule.name: (rule.takes, rule.matches) for rule in TIE_RULES}
