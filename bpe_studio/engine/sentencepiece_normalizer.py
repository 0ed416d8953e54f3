"""What SentencePiece does to a text before it cuts it into pieces, and undoes after putting them together.

In this order: replacements (a table, the longest match first; what a user defined stays as it is); runs of
blanks become one, those at the ends go; a blank is put before the text, or behind it; a blank becomes U+2581.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import dropwhile
from typing import Any

from bpe_studio.engine.charsmap import Charsmap
from bpe_studio.engine.errors import BpeStudioError

BLANK, VISIBLE_BLANK = " ", "\u2581"
PIECE = re.compile(" |[^ ]+")
SURROGATE = re.compile("[\ud800-\udfff]")

#: Bytes of a character by the upper half of its first byte.
WIDTHS = (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4)


@dataclass(frozen=True)
class SentencePieceNormalizer:
    """The settings, all of which decide ids.

    Parameters
    ----------
    add_dummy_prefix : bool
        Put a blank before the text (if there is any), so that a word is the same piece at its start.
    remove_extra_whitespaces : bool
        Make runs of blanks one, and drop those at the ends.
    escape_whitespaces : bool
        Write a blank as U+2581.
    whitespace_as_suffix : bool
        Put the blank behind the text instead of before it.
    charsmap : str
        The table of replacements in base64; empty if nothing is replaced. See `bpe_studio.engine.charsmap`.
    kept : tuple of str
        Texts in which nothing is replaced.

    Examples
    --------
    >>> SentencePieceNormalizer().apply(" two  words ")
    '▁two▁words'
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    whitespace_as_suffix: bool = False
    charsmap: str = ""
    kept: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[tuple[Any, ...], ...]:
        """The same as steps of `normalizing`; none if nothing is done to a text."""
        values = tuple(getattr(self, field.name) for field in fields(self))
        return (("sentencepiece", *values[:-1], *self.kept),) if any(values[:-1]) else ()

    def apply(self, text: str) -> str:
        """Return the text that is cut into pieces.

        Notes
        -----
        What is dropped at the end is U+2581 too if the text itself holds it, and the dummy prefix if
        nothing follows it. Whether there is a text is asked before anything is replaced by nothing.
        """
        pieces = self._pieces(text)
        if self.remove_extra_whitespaces:
            pieces = list(dropwhile(BLANK.__eq__, pieces))
        if not pieces:
            return ""
        squeezed = "".join(_squeezed(pieces) if self.remove_extra_whitespaces else pieces)
        if self.add_dummy_prefix and not self.whitespace_as_suffix:
            squeezed = BLANK + squeezed
        blank = VISIBLE_BLANK if self.escape_whitespaces else BLANK
        normalized = squeezed.replace(BLANK, blank)
        if self.remove_extra_whitespaces:
            normalized = normalized.rstrip(blank)
        return normalized + blank if self.add_dummy_prefix and self.whitespace_as_suffix else normalized

    def undo(self, text: str, at_start: bool = True) -> str:
        """Return the text of some tokens as people write it: blanks, and none where one was put before."""
        if at_start and (self.add_dummy_prefix or self.remove_extra_whitespaces):
            text = text.removeprefix(VISIBLE_BLANK)
        return text.replace(VISIBLE_BLANK, BLANK)

    @cached_property
    def _replacements(self) -> Charsmap | None:
        return Charsmap(base64.b64decode(self.charsmap, validate=True)) if self.charsmap else None

    def _pieces(self, text: str) -> list[str]:
        """Return replacements and kept texts, and between them single blanks and runs of anything else."""
        if not self.charsmap and not self.kept:
            return PIECE.findall(text)
        pieces: list[str] = []
        utf8 = text.encode()
        at = copied = 0
        while at < len(utf8):
            found = self._special_piece(utf8, at)
            if found is None:
                at += WIDTHS[utf8[at] >> 4]
                continue
            pieces += PIECE.findall(utf8[copied:at].decode())
            at, piece = found
            copied = at
            pieces.append(piece)
        return pieces + PIECE.findall(utf8[copied:].decode())

    def _special_piece(self, utf8: bytes, at: int) -> tuple[int, str] | None:
        """Return where a kept text or a replaced one ends that starts here, and what becomes of it."""
        if self._kept is not None and (kept := self._kept.match(utf8, at)):
            return kept.end(), kept.group().decode()
        return None if self._replacements is None else self._replacements.longest(utf8, at)

    @cached_property
    def _kept(self) -> re.Pattern[bytes] | None:
        longest_first = sorted((text.encode() for text in self.kept), key=len, reverse=True)
        return re.compile(b"|".join(map(re.escape, longest_first))) if longest_first else None


@lru_cache(maxsize=16)
def of_step(step: tuple[Any, ...]) -> SentencePieceNormalizer:
    """Return the normalizer that is a step of `normalizing`; see `check_step`."""
    prefix, extra, escape, suffix, charsmap, *kept = step[1:]
    return SentencePieceNormalizer(prefix, extra, escape, suffix, charsmap, tuple(kept))


def check_step(step: tuple[Any, ...]) -> None:
    """Raise `BpeStudioError` unless a step has four truth values, a table and texts after its kind."""
    flags, texts = step[1:5], step[5:]
    are_flags = len(flags) == 4 and all(isinstance(flag, bool) for flag in flags)
    are_texts = len(texts) > 0 and all(isinstance(text, str) for text in texts)
    if not are_flags or not are_texts or not all(texts[1:]) or SURROGATE.search("".join(texts)):
        raise BpeStudioError(f"The normalizer {step[0]!r} takes four truth values, a table and texts.")
    try:
        of_step(step)._replacements  # noqa: B018 - made to see whether it can be
    except ValueError as error:
        if isinstance(error, BpeStudioError):
            raise
        raise BpeStudioError(f"The table of the normalizer {step[0]!r} is not base64.") from error


def _squeezed(pieces: list[str]) -> Iterator[str]:
    """Yield pieces without the blanks that they begin with, where blanks came before."""
    after_blank = True
    for piece in pieces:
        kept = piece.lstrip(BLANK) if after_blank else piece
        if kept:
            after_blank = kept.endswith(BLANK)
            yield kept
