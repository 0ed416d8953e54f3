"""TrainingConfig (frozen): what a training is asked for. StopReason (frozen): why it ended, with numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from bpe_studio.engine.checking import as_int, as_share, as_texts, chosen, has_surrogate
from bpe_studio.engine.errors import SpecialTokenError, TrainingError
from bpe_studio.engine.ties import parse_rule

MAX_VOCAB_SIZE = 2**31 - 1
"""Token ids are 32-bit."""


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """The settings of one training: the keywords of `train` without source and progress.

    Parameters
    ----------
    vocab_size : int
        Number of tokens to end with, specials and ``<unk>`` included.
    pattern : str
        Name of a split pattern, or a regular expression.
    alphabet : {"bytes", "characters"}
        What the base symbols are.
    tie_rule : str
        Which of the most frequent pairs wins; see `bpe_studio.engine.ties`.
    min_frequency : int
        A pair is merged if its count is at least this; ≥ 1.
    special_tokens : tuple of str
        Texts with an id of their own that no merge makes or crosses.
    special_placement : {"last", "first"}
        Ids after the merges, or ids from 0.
    max_token_length : int or None
        Longest token allowed, in base symbols (at most, not below).
    byte_order : {"identity", "gpt2"}
        Order of the ids of the 256 byte tokens.
    character_coverage : float
        Share of the corpus's characters that get a token of their own; 0 < x ≤ 1.
    byte_fallback : bool
        Characters without a token become byte tokens instead of ``<unk>``.
    base_characters : tuple of str or None
        The characters of the alphabet, taken from these texts instead of the corpus.
    unknown_token : str or None
        Name of the token for characters outside the alphabet.
    errors : {"strict", "replace", "skip"}
        What to do with bytes that are not text.
    lines : bool
        Every line is a document.
    n_threads : int or None
        Threads for counting; None is one a core.

    Raises
    ------
    TrainingError
        If a value is not one of those above.
    SpecialTokenError
        If a special token is empty or given twice.
    """

    vocab_size: int = 4096
    pattern: str = "gpt4"
    alphabet: str = "bytes"
    tie_rule: str = "lexicographic"
    min_frequency: int = 2
    special_tokens: tuple[str, ...] = ()
    special_placement: str = "last"
    max_token_length: int | None = None
    byte_order: str = "identity"
    character_coverage: float = 1.0
    byte_fallback: bool = False
    base_characters: tuple[str, ...] | None = None
    unknown_token: str | None = None
    errors: str = "strict"
    lines: bool = False
    n_threads: int | None = None

    def __post_init__(self) -> None:
        # Stored as Python's own types, so that equal settings are written alike: np.int64(300), 1 for True.
        self._store("special_tokens", as_texts("special_tokens", self.special_tokens))
        if self.base_characters is not None:
            self._store("base_characters", as_texts("base_characters", self.base_characters, ordered=False))
        for name, allowed in CHOICES.items():
            self._store(name, chosen(name, getattr(self, name), allowed))
        for name, least in LEAST.items():
            if getattr(self, name) is not None or name not in OPTIONAL:
                self._store(name, as_int(name, getattr(self, name), least, MAX_VOCAB_SIZE))
        self._store("character_coverage", as_share("character_coverage", self.character_coverage))
        if not isinstance(self.pattern, str):
            raise TrainingError(
                f"pattern is {self.pattern!r}; it must be a name or a regular expression as text"
            )
        parse_rule(self.tie_rule)
        for name in ("pattern", "tie_rule"):
            self._store(name, str.__str__(getattr(self, name)))
        check_special_tokens(self.special_tokens)
        self._check_alphabet()

    def _store(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_alphabet(self) -> None:
        if self.alphabet == "characters":
            if self.byte_order != "identity":
                raise TrainingError(
                    "byte_order is for the alphabet 'bytes'; with 'characters' leave it at 'identity'"
                )
        elif self.byte_fallback or self.character_coverage != 1 or self.base_characters is not None:
            raise TrainingError(
                "byte_fallback, character_coverage and base_characters are for alphabet='characters'; "
                "the alphabet 'bytes' always holds all 256 bytes"
            )
        for text in (*(self.base_characters or ()), self.unknown_token):
            if isinstance(text, str) and has_surrogate(text):
                raise TrainingError(f"{text[:40]!r} has a lone surrogate, which is no character")
        if self.unknown_token is not None:
            if not isinstance(self.unknown_token, str) or not self.unknown_token:
                raise TrainingError(
                    f"unknown_token is {self.unknown_token!r}; it must be a text such as '<unk>'"
                )
            self._store("unknown_token", str.__str__(self.unknown_token))
            if self.unknown_token in self.special_tokens:
                raise SpecialTokenError(
                    f"{self.unknown_token!r} is both the unknown token and a special token; keep one",
                    token=self.unknown_token,
                )

    @property
    def coverage(self) -> Fraction:
        """Character coverage as the decimal that was written (0.9995, not its binary neighbour)."""
        return Fraction(str(self.character_coverage))


CHOICES: Mapping[str, tuple[Any, ...]] = {
    "alphabet": ("bytes", "characters"),
    "special_placement": ("last", "first"),
    "byte_order": ("identity", "gpt2"),
    "errors": ("strict", "replace", "skip"),
    "byte_fallback": (True, False),
    "lines": (True, False),
}
LEAST: Mapping[str, int] = {"vocab_size": 0, "min_frequency": 1, "max_token_length": 1, "n_threads": 1}
OPTIONAL = frozenset({"max_token_length", "n_threads"})


def check_special_tokens(special_tokens: tuple[str, ...]) -> None:
    """Raise `SpecialTokenError` for an empty or repeated special token."""
    for index, token in enumerate(special_tokens):
        if not token:
            raise SpecialTokenError(
                "a special token is empty; give it a text such as '<|endoftext|>'", token=token
            )
        if token in special_tokens[:index]:
            raise SpecialTokenError(f"special token {token!r} is given twice", token=token)


@dataclass(frozen=True, slots=True)
class StopReason:
    """Why a training ended.

    Parameters
    ----------
    code : {"vocabulary_full", "no_pair", "min_frequency", "user"}
        The kind of end.
    numbers : mapping of str to int
        ``vocab_size`` (reached), ``target`` (asked for), ``n_merges``, ``short`` (merges short of the
        target) and, for ``min_frequency``, ``best_count`` and ``min_frequency``.
    """

    code: str
    numbers: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The reason as an English sentence with its numbers."""
        numbers = {key: f"{value:,}" for key, value in self.numbers.items()}
        short = self.numbers.get("short", 0)
        merges = "1 merge" if short == 1 else f"{short:,} merges"
        numbers["tail"] = f"; {merges} short of {numbers.get('target', '')}" if short else ""
        return STOP_TEXTS[self.code].format(**numbers)


STOP_TEXTS: Mapping[str, str] = {
    "vocabulary_full": "the vocabulary is full at {vocab_size}",
    "no_pair": "no pair is left to merge{tail}",
    "min_frequency": "best count {best_count} is below {min_frequency}{tail}",
    "user": "stopped by the user{tail}",
}
