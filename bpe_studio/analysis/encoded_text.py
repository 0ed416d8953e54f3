"""A text together with its tokens: the one value that PREVIEW, BYTES and the status bar read.

Offsets are bytes of the text's UTF-8 from 0, since only bytes can say where a token ends that holds
half a character. A text is never refused: characters that the alphabet lacks become tokens with the
id `MISSING` and are named; lone surrogates become U+FFFD and are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import regex
from numpy.typing import NDArray

from bpe_studio.analysis.text_tokens import (
    Int64Array,
    check_wanted,
    offsets_of,
    tokens_around_missing,
    tokens_of,
)
from bpe_studio.engine.errors import UnknownCharacterError

if TYPE_CHECKING:
    from bpe_studio.engine.reading import Progress
    from bpe_studio.engine.tokenizer import Tokenizer

#: Graphemes are counted up to this many code points; beyond, they cost more than they say.
MAX_COUNTED_GRAPHEMES = 200_000


@dataclass(frozen=True, eq=False)
class EncodedText:
    """A text and its tokens.

    Attributes
    ----------
    text : str
        The text as encoded, without lone surrogates.
    utf8 : bytes
        Its bytes.
    ids : ndarray of int64, shape (n,)
        Token ids; `MISSING` for a character outside the alphabet.
    starts : ndarray of int64, shape (n + 1,)
        Byte offset of each token, and the end.
    pretoken_starts : ndarray of int64
        Byte offset of each pre-token, without the end.
    character_starts : ndarray of int64, shape (n_code_points + 1,)
        Byte offset of each code point, and the end.
    unknown : tuple of str
        Characters outside the alphabet, in order of first appearance.
    n_specials_met : int
        How often a special token's text occurs; it was read as plain text.
    n_surrogates : int
        Lone surrogates replaced by U+FFFD.
    n_graphemes : int or None
        Characters as a reader counts them; None when the text is too long to count.
    is_normalized : bool
        Whether the tokenizer's normalizer changed the text, so that no offset is one of the given text.
    """

    text: str
    utf8: bytes
    ids: Int64Array
    starts: Int64Array
    pretoken_starts: Int64Array
    character_starts: Int64Array
    unknown: tuple[str, ...] = ()
    n_specials_met: int = 0
    n_surrogates: int = 0
    n_graphemes: int | None = None
    is_normalized: bool = False

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.ids)

    @property
    def n_bytes(self) -> int:
        """Length in bytes."""
        return len(self.utf8)

    @property
    def n_code_points(self) -> int:
        """Length in code points."""
        return len(self.character_starts) - 1

    @property
    def bytes_per_token(self) -> float:
        """Bytes ÷ tokens; NaN for the empty text."""
        return self.n_bytes / self.n_tokens if self.n_tokens else float("nan")

    def token_bytes(self, i: int) -> bytes:
        """Return the bytes that token number `i` covers (for `<unk>`: the characters it stands for)."""
        return self.utf8[self.starts[i] : self.starts[i + 1]]

    def token_at(self, byte: int) -> int:
        """Return the number of the token that covers byte `byte`."""
        return _last_start_at(self.starts, byte)

    def character_at(self, byte: int) -> int:
        """Return the number of the code point that covers byte `byte`."""
        return _last_start_at(self.character_starts, byte)

    def pretoken_at(self, byte: int) -> int:
        """Return the number of the pre-token that covers byte `byte`."""
        return int(np.searchsorted(self.pretoken_starts, byte, side="right")) - 1

    @cached_property
    def utf16_starts(self) -> Int64Array:
        """Offset of each code point, and the end, in UTF-16 code units: what Qt's text cursors count.

        This is the one place where the two ways of counting meet.
        """
        leads = np.frombuffer(self.utf8, np.uint8)[self.character_starts[:-1]]
        return offsets_of(1 + (leads >= 0xF0).astype(np.int64))

    @cached_property
    def is_partial(self) -> NDArray[np.bool_]:
        """Per token: whether it begins or ends inside a character. Shape (n_tokens,)."""
        inside = _continuations(self.utf8)
        cut = inside[self.starts]
        return np.asarray(cut[:-1] | cut[1:], dtype=np.bool_)

    def part_note(self, i: int) -> str:
        """Say which bytes of which character token `i` holds, e.g. ``"€ [1–2 of 3]"``; "" if only whole ones.

        A token with pieces of two characters names both.
        """
        if not self.is_partial[i]:
            return ""
        start, end = int(self.starts[i]), int(self.starts[i + 1])
        first, last = self.character_at(start), self.character_at(end - 1)
        return " ".join(note for c in sorted({first, last}) if (note := self._part(c, start, end)))

    def _part(self, character: int, start: int, end: int) -> str:
        low, high = int(self.character_starts[character]), int(self.character_starts[character + 1])
        first, last = max(start, low) - low + 1, min(end, high) - low
        if last - first + 1 == high - low:
            return ""
        which = f"{first}–{last}" if last > first else f"{first}"
        return f"{self.text[character]} [{which} of {high - low}]"


def encoded_text(
    tok: Tokenizer, text: str, *, allowed_special: str = "none", progress: Progress | None = None
) -> EncodedText:
    """Encode a text for showing. No text is refused.

    Parameters
    ----------
    tok : Tokenizer
        The tokenizer.
    text : str
        Any text, lone surrogates included.
    allowed_special : {"none", "all"}
        Whether special strings in the text are plain text or special tokens.
    progress : callable or None
        Told now and then; if it answers False, `EncodingCancelledError` ends the work.

    Returns
    -------
    EncodedText
        The tokens with their byte offsets; ``starts[0] == 0`` and ``starts[-1] == n_bytes``. Its text is what
        the tokenizer's normalizer makes of the given one.
    """
    given, n_surrogates = _without_surrogates(text)
    clean = tok.normalized(given, allowed_special)
    utf8 = clean.encode("utf-8")
    characters = np.append(np.flatnonzero(~_continuations(utf8)[:-1]), len(utf8)).astype(np.int64)
    pretokens = characters[_pretoken_starts(tok, clean, progress)]
    unknown: tuple[str, ...] = ()
    try:
        ids, starts = tokens_of(tok, given, len(utf8), allowed_special, progress)
    except UnknownCharacterError as error:
        ids, starts = tokens_around_missing(tok, clean, error.characters)
        unknown = tuple(error.characters)
    for array in (ids, starts, pretokens, characters):
        array.flags.writeable = False
    return EncodedText(
        clean,
        utf8,
        ids,
        starts,
        pretokens,
        characters,
        unknown,
        _n_specials(tok, clean),
        n_surrogates,
        _n_graphemes(clean),
        clean != given,
    )


def joined_surrogates(text: str) -> str:
    """Return `text` with a high and a low surrogate joined and lone ones replaced by U+FFFD.

    Examples
    --------
    >>> joined_surrogates("a" + chr(0xD83D) + chr(0xDE00)) == "a" + chr(0x1F600)
    True
    >>> joined_surrogates("a" + chr(0xD83D)) == "a" + chr(0xFFFD)
    True
    """
    return _without_surrogates(text)[0]


def _without_surrogates(text: str) -> tuple[str, int]:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return clean, clean.count("\ufffd") - text.count("\ufffd")
    return text, 0


def _pretoken_starts(tok: Tokenizer, text: str, progress: Progress | None = None) -> Int64Array:
    """Offsets of the pre-tokens in code points."""
    if tok.pattern.is_named:
        sizes = (len(piece) for block in _pretokens(tok, text, progress) for piece in block)
        return offsets_of(np.fromiter(sizes, dtype=np.int64))[:-1]
    return np.fromiter((start for start, _, _ in tok.pattern.spans(text)), dtype=np.int64)


def _pretokens(tok: Tokenizer, text: str, progress: Progress | None) -> Iterator[Sequence[str]]:
    done = 0
    for block, pretokens in tok.pattern.split_blocks(text):
        check_wanted(progress, done, len(text))
        done += len(block)
        yield pretokens


def _n_specials(tok: Tokenizer, text: str) -> int:
    """Count special strings, leftmost, then longest."""
    specials = sorted(filter(None, tok.special_tokens), key=len, reverse=True)
    if not any(special in text for special in specials):
        return 0
    return len(regex.findall("|".join(map(regex.escape, specials)), text))


def _n_graphemes(text: str) -> int | None:
    if text.isascii():
        return len(text) - text.count("\r\n")
    return len(regex.findall(r"\X", text)) if len(text) <= MAX_COUNTED_GRAPHEMES else None


def _continuations(utf8: bytes) -> NDArray[np.bool_]:
    """Per byte, and False for the end: whether it continues a character. Shape (n_bytes + 1,)."""
    inside = np.zeros(len(utf8) + 1, dtype=np.bool_)
    inside[:-1] = (np.frombuffer(utf8, np.uint8) & 0xC0) == 0x80
    return inside


def _last_start_at(starts: Int64Array, byte: int) -> int:
    return max(0, min(int(np.searchsorted(starts, byte, side="right")) - 1, len(starts) - 2))
