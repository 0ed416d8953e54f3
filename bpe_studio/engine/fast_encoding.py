"""Encoding with the compiled kernels: named patterns over bytes, with a table of words met before."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.arrays import enlarged
from bpe_studio.engine.encoding import merged_array, merges_table
from bpe_studio.engine.fast_counting import Parts, empty_slots, padded
from bpe_studio.engine.kernels.state import GPT2, N_NEEDED, Known, Seen
from bpe_studio.engine.unicode_classes import character_classes

Ids = NDArray[np.int32]

MAX_WORDS = 1 << 19
"""Words remembered at most, in some 60 MB; then the table is emptied."""

FIRST_WORDS = 1 << 13

MAX_WORD_BYTES = 256
"""Longer words are merged each time that they are met."""


class FastEncoder:
    """Encodes texts in the alphabet of bytes under a named split pattern. Safe from several threads.

    Parameters
    ----------
    kind : int
        One of `fast_counting.KINDS`.
    byte_ids : sequence of int
        Id of each of the 256 bytes.
    merges : three ndarrays of int32
        left, right, product in rank order.
    kernels : namespace
        What `bpe_studio.engine.kernels.load` returns.
    """

    def __init__(
        self, kind: int, byte_ids: tuple[int, ...], merges: tuple[Ids, Ids, Ids], kernels: SimpleNamespace
    ) -> None:
        self._kind = kind
        self._kernels = kernels
        self._byte_ids = np.array(byte_ids, np.int32)
        self._merges = merges_table(*merges, kernels)
        self._classes = character_classes()
        self._scratch = np.empty((4, MAX_WORD_BYTES), np.int32), np.empty(3 * MAX_WORD_BYTES, np.int64)
        self._lock = threading.Lock()
        self._forget(FIRST_WORDS)

    def _forget(self, n_words: int) -> None:
        """Begin again with an empty table for so many words."""
        slots, arena = empty_slots(2 * n_words), np.zeros(16 * n_words, np.uint8)
        self._seen = Seen(slots, arena, np.zeros(n_words + 1, np.int64), np.zeros(3, np.int64))
        self._known = Known(np.zeros(n_words + 2, np.int64), np.empty(8 * n_words, np.int32))

    def _enlarge(self) -> None:
        """Give every table twice the room, and keep what is known."""
        slots, arena, start, numbers = self._seen
        more = empty_slots(2 * len(slots) // 4)
        n_words = len(start) - 1
        self._seen = Seen(more, enlarged(arena, 2 * len(arena)), enlarged(start, 2 * n_words + 1), numbers)
        self._kernels.counting.move_slots(slots, self._seen)
        known = enlarged(self._known.start, 2 * n_words + 2), enlarged(self._known.tokens, 16 * n_words)
        self._known = Known(*known)

    def encode(self, utf8: bytes) -> Ids:
        """Return the token ids of a text."""
        return self.encode_parts(padded(utf8), np.array([[0, len(utf8)]], np.int64))[0]

    def encode_parts(self, text: NDArray[np.uint8], parts: Parts) -> tuple[Ids, NDArray[np.int64]]:
        """Return the ids of all parts of a padded text, one after the other, and where each part's end.

        Parameters
        ----------
        text : ndarray of uint8
            As `fast_counting.padded` returns it.
        parts : ndarray of int64, shape (n, 2)
            Starts and ends, in order.
        """
        out, out_ends = np.empty(len(text), np.int32), np.zeros(len(parts), np.int64)
        text64 = text.view(np.uint64)
        part, at, n_out = 0, 0, 0
        with self._lock:
            while part < len(parts):
                part, at, n_out = self._kernels.texts.encode_parts(
                    self._kind, text, text64, parts, part, at, self._classes, self._byte_ids, self._merges,
                    self._seen, self._known, *self._scratch, out, out_ends, n_out,
                )  # fmt: skip
                if part < len(parts):
                    at, n_out = self._make_room(text, at, out, n_out)
        return out[:n_out].copy(), out_ends

    def _make_room(self, text: NDArray[np.uint8], at: int, out: Ids, n_out: int) -> tuple[int, int]:
        """Encode a word that is too long for the table; or enlarge the table, or empty it if it is full."""
        n = int(self._seen.numbers[N_NEEDED])
        if not n:
            if len(self._seen.start) <= MAX_WORDS:
                self._enlarge()
            else:
                self._forget(MAX_WORDS)
            return at, n_out
        ids = merged_array(self._byte_ids[text[at : at + n]], self._merges, self._kernels)
        out[n_out : n_out + len(ids)] = ids
        return at + n, n_out + len(ids)


def warm_up(kernels: SimpleNamespace) -> None:
    """Compile or load the kernel by encoding two letters."""
    pair = np.array([97], np.int32)
    FastEncoder(GPT2, tuple(range(256)), (pair, pair, pair + 159), kernels).encode(b"aa b")
