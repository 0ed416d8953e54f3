"""Checks: what was encoded comes back byte for byte, ids are in range, a reloaded tokenizer is the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio.dataset.id_files import BLOCK_IDS
from bpe_studio.dataset.manifest import TOKENIZER
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.formats.content import Content
from bpe_studio.formats.table import format_named

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer


@dataclass
class RoundTrip:
    """Follows a text along its ids, part after part.

    Parameters
    ----------
    tokenizer : Tokenizer
        What decodes.
    as_encoded : bool
        Whether the text is the one that is split and merged, see `Tokenizer.normalized`: ``<unk>`` then
        stands for a character that the alphabet lacks. Otherwise it is what people are to get back; with a
        normalizer it must be followed in one go.
    """

    tokenizer: Tokenizer
    as_encoded: bool = False
    n_bytes: int = 0
    """Bytes that came back so far."""
    n_tokens: int = 0
    n_lines: int = 0
    largest_id: int | None = None

    def follow(self, utf8: bytes, ids: NDArray[Any], start: int = 0) -> int:
        """Check the next ids.

        Parameters
        ----------
        utf8 : bytes
            A part of the text, or all of it.
        ids : ndarray of integers
            Ids of what comes next.
        start : int
            Where in `utf8` that begins.

        Returns
        -------
        int
            Where it ends.

        Raises
        ------
        BpeStudioError
            If an id is none of the vocabulary's, or a byte does not come back; naming the first.
        """
        decoded = self._decoded(utf8, ids, start)
        if not utf8.startswith(decoded, start):
            raise self._difference(utf8[start : start + len(decoded)], decoded, ids)
        end = start + len(decoded)
        self.n_bytes += len(decoded)
        self.n_lines += decoded.count(b"\n")
        self.n_tokens += len(ids)
        if len(ids):
            self.largest_id = max(int(ids.max()), self.largest_id or 0)
        return end

    def check_end(self, utf8: bytes, end: int) -> None:
        """Raise `BpeStudioError` if a part goes on where its ids ended."""
        if end != len(utf8):
            raise BpeStudioError(
                f"at byte {self.n_bytes:,}, line {self.n_lines + 1:,}: the ids end, "
                f"and {len(utf8) - end:,} bytes of the text do not come back."
            )

    def _decoded(self, utf8: bytes, ids: NDArray[Any], start: int) -> bytes:
        unknown = self.tokenizer.alphabet.unknown_id
        if not self.as_encoded and self.tokenizer.normalizer:
            return self.tokenizer.decode(ids.tolist()).encode()
        if not self.as_encoded or unknown is None:
            return self._bytes(ids)
        parts, at = [], start
        for known in np.split(ids, np.flatnonzero(ids == unknown)):
            if len(known) and known[0] == unknown:
                parts.append(self._unknown_at(utf8, at))
                at, known = at + len(parts[-1]), known[1:]
            parts.append(self._bytes(known))
            at += len(parts[-1])
        return b"".join(parts)

    def _bytes(self, ids: NDArray[Any]) -> bytes:
        blocks = (ids[at : at + BLOCK_IDS] for at in range(0, len(ids), BLOCK_IDS))
        return b"".join(self.tokenizer.decode_bytes(block.tolist()) for block in blocks)

    def _unknown_at(self, utf8: bytes, at: int) -> bytes:
        """Characters that ``<unk>`` may stand for there: one outside the alphabet, or a run of them."""
        alphabet, end = self.tokenizer.alphabet, at
        while end < len(utf8) and (alphabet.fuse_unknown or end == at):
            after = end + 1
            while after < len(utf8) and utf8[after] & 0xC0 == 0x80:
                after += 1
            if utf8[end:after].decode("utf-8", "replace") in alphabet.character_ids:
                break
            end = after
        return utf8[at:end]

    def _difference(self, expected: bytes, decoded: bytes, ids: NDArray[Any]) -> BpeStudioError:
        at = first_difference(expected, decoded)
        while at and expected[at : at + 1] and expected[at] & 0xC0 == 0x80:
            at -= 1
        why = ""
        if self.tokenizer.alphabet.unknown_id in ids:
            why = "; characters outside the alphabet became the unknown token"
        elif self.tokenizer.normalizer:
            steps = ", ".join(step[0] for step in self.tokenizer.normalizer)
            why = f"; the tokenizer normalizes text first: {steps}"
        line = self.n_lines + expected.count(b"\n", 0, at) + 1
        return BpeStudioError(
            f"at byte {self.n_bytes + at:,}, line {line:,}: {_shown(expected, at)} comes back as "
            f"{_shown(decoded, at)}{why}."
        )


def first_difference(one: bytes, other: bytes) -> int:
    """Return the first offset at which two texts differ: the shorter one's length if it begins the other.

    Examples
    --------
    >>> first_difference(b"abc", b"abd"), first_difference(b"ab", b"abd")
    (2, 2)
    """
    n = min(len(one), len(other))
    differ = np.frombuffer(one, np.uint8, n) != np.frombuffer(other, np.uint8, n)
    return int(differ.argmax()) if n and differ.any() else n


def check_reload(tokenizer: Tokenizer) -> None:
    """Raise `BpeStudioError` if a tokenizer, written as our own JSON and read back, is another one."""
    again = written_and_read(tokenizer)
    if again != tokenizer:
        raise BpeStudioError(
            f"written and read back, the tokenizer has the fingerprint {again.fingerprint()}, "
            f"not {tokenizer.fingerprint()}."
        )


def written_and_read(tokenizer: Tokenizer) -> Tokenizer:
    """Return what is read from the file that a tokenizer is written to, without a disk."""
    record = format_named("studio")
    return record.read(Content(Path(TOKENIZER), record.write(tokenizer)))


def _shown(data: bytes, at: int) -> str:
    """Some bytes as a message shows them."""
    some = data[at : at + 8]
    return f"{some!r}{'…' * (len(data) > at + 8)}" if some else "nothing"
