"""Normalizers: what happens to plain text before it is split, as steps in a row.

A step is a tuple of its kind and what it takes, mostly texts; `KINDS` says what each does. None is ever
trained with; they come with files of other programs. Offsets are then into the normalized text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.sentencepiece_normalizer import check_step, of_step

#: ("replace", " ", "▁"): a kind and what it takes.
Step = tuple[Any, ...]


def _as_it_is(text: str, step: Step, at_start: bool) -> str:
    return text


def _check_texts(step: Step, n_texts: int) -> None:
    texts = step[1:]
    if len(texts) != n_texts or not all(isinstance(text, str) for text in texts):
        raise BpeStudioError(f"The normalizer {step[0]!r} takes {n_texts} texts.")
    if texts and not texts[0] or any("\ud800" <= sign <= "\udfff" for text in texts for sign in text):
        raise BpeStudioError(f"The normalizer {step[0]!r} has an empty text or a lone surrogate.")


@dataclass(frozen=True)
class NormalizerKind:
    """A kind of step.

    Parameters
    ----------
    apply : callable
        Text, step, whether it begins the whole → normalized text. The text is not empty, and lies between
        two special tokens.
    undo : callable
        Decoded text, step, whether it begins the whole → text for people. Parts come one after the other.
    n_texts : int
        Texts that a step has after its kind.
    check : callable
        Step, `n_texts`; raises `BpeStudioError` if what a step has after its kind is not right.
    """

    apply: Callable[[str, Step, bool], str]
    undo: Callable[[str, Step, bool], str] = _as_it_is
    n_texts: int = 0
    check: Callable[[Step, int], Any] = _check_texts


def _form(name: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> NormalizerKind:
    return NormalizerKind(lambda text, step, at_start: unicodedata.normalize(name, text))


def _prepended(text: str, step: Step, at_start: bool) -> str:
    return str(step[1]) + text


def _prefixed(text: str, step: Step, at_start: bool) -> str:
    return text if text.startswith(step[1]) else step[1] + text


def _prefixed_first(text: str, step: Step, at_start: bool) -> str:
    return _prefixed(text, step, at_start) if at_start else text


def _replaced_back(text: str, step: Step, at_start: bool) -> str:
    return text.replace(step[2], step[1]) if step[2] else text


def _without_prefix(text: str, step: Step, at_start: bool) -> str:
    return text.removeprefix(step[1]) if at_start else text


KINDS: dict[str, NormalizerKind] = {
    "NFC": _form("NFC"),
    "NFD": _form("NFD"),
    "NFKC": _form("NFKC"),
    "NFKD": _form("NFKD"),
    "prepend": NormalizerKind(_prepended, _without_prefix, 1),
    "prefix": NormalizerKind(_prefixed, _without_prefix, 1),
    "first-prefix": NormalizerKind(_prefixed_first, _without_prefix, 1),
    "kept-prefix": NormalizerKind(_prefixed, n_texts=1),
    "replace": NormalizerKind(lambda text, step, at_start: text.replace(step[1], step[2]), _replaced_back, 2),
    "sentencepiece": NormalizerKind(
        lambda text, step, at_start: of_step(step).apply(text),
        lambda text, step, at_start: of_step(step).undo(text, at_start),
        check=lambda step, _: check_step(step),
    ),
    "added-tokens": NormalizerKind(_as_it_is),
}
"""By name. "prefix" puts its text where there is none yet, "first-prefix" only where the text begins,
"prepend" always; decoding takes each away, but leaves a "kept-prefix". "added-tokens" is where
`Tokenizer.added_tokens` are found; that is after all steps if it is not among them."""

CUT = ("added-tokens",)


def checked_steps(steps: Sequence[Sequence[Any]]) -> tuple[Step, ...]:
    """Return steps as tuples.

    Raises
    ------
    BpeStudioError
        If one is of no known kind, or has other things after it than its kind takes.

    Examples
    --------
    >>> checked_steps([["NFC"], ["replace", " ", "▁"]])
    (('NFC',), ('replace', ' ', '▁'))
    """
    found = tuple(tuple(step) for step in steps)
    for step in found:
        kind = KINDS.get(step[0]) if step and isinstance(step[0], str) else None
        if kind is None:
            raise BpeStudioError(f"The normalizer {step!r} is of no known kind.")
        kind.check(step, kind.n_texts)
    return found


def normalized(text: str, steps: Sequence[Step], at_start: bool = True) -> str:
    """Return a text after all steps; `at_start` says whether it begins the whole.

    Examples
    --------
    >>> normalized("a b", (("prepend", " "), ("replace", " ", "▁")))
    '▁a▁b'
    """
    for step in steps:
        if text:
            text = KINDS[step[0]].apply(text, step, at_start)
    return text


def restored(text: str, steps: Sequence[Step], at_start: bool = True) -> str:
    """Return a decoded text without what the steps put in, as far as that is known.

    Examples
    --------
    >>> restored("▁a▁b", (("prepend", " "), ("replace", " ", "▁")))
    'a b'
    """
    for step in reversed(steps):
        text = KINDS[step[0]].undo(text, step, at_start)
    return text
