"""Normalizers: what happens to plain text before it is split, as steps in a row.

A step is a tuple of its kind and what it takes, mostly texts; `KINDS` says what each does. None is ever
trained with; they come with files of other programs. Offsets are then into the normalized text.
"""

from __future__ import annotations

import re
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


#: Signs that Unicode has normalized since its version 9, which Hugging Face's library knows.
_NEWER = re.compile(
    "(["
    "\u0558\u058b-\u058c\u05c8-\u05c9\u07fd\u0897-\u089f\u08ca-\u08d3\u09fe\u0c3c\u0d3b-\u0d3c\u0eba"
    "\u1715\u1abf-\u1af0\u1df6-\u1dfa\u209d-\u209f\u32ff\ua7f1-\ua7f4\ua82c\uab69\U000105c9\U000105e4"
    "\U00010781-\U00010785\U00010787-\U000107b0\U000107b2-\U000107bf\U00010d24-\U00010d27"
    "\U00010d69-\U00010d6d\U00010eab-\U00010eac\U00010ecb-\U00010ecf\U00010ef0-\U00010efb"
    "\U00010efd-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011070\U0001133b\U00011383"
    "\U00011385\U0001138e\U00011391\U000113c5\U000113c7-\U000113c8\U000113ce-\U000113d0\U0001145e"
    "\U00011839-\U0001183a\U00011938\U0001193d-\U0001193e\U00011943\U000119e0\U00011a34\U00011a47"
    "\U00011a99\U00011d42\U00011d44-\U00011d45\U00011d97\U00011f41-\U00011f42\U00016121-\U00016128"
    "\U0001612f\U00016d68-\U00016d6a\U00016ff0-\U00016ff1\U0001b123-\U0001b126\U0001ccd6-\U0001ccf9"
    "\U0001d127-\U0001d128\U0001d250-\U0001d252\U0001d25b-\U0001d25c\U0001d25f\U0001d280-\U0001d281"
    "\U0001d6a6\U0001df95\U0001dfcd-\U0001dfff\U0001e030-\U0001e06d\U0001e08f\U0001e130-\U0001e136"
    "\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6"
    "\U0001e6ee-\U0001e6ef\U0001e6f5\U0001f16c\U0001fbf0-\U0001fbf9"
    "])"
)


def _form(name: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> NormalizerKind:
    def apply(text: str, step: Step, at_start: bool) -> str:
        # What is newer stays as it is, and nothing moves or joins over it.
        parts = _NEWER.split(text)
        parts[::2] = [unicodedata.normalize(name, part) for part in parts[::2]]
        return "".join(parts)

    return NormalizerKind(apply)


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
