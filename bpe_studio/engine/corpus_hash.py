"""The fingerprint of a corpus: SHA-256 of its documents, in pieces that two threads can hash at once."""

from __future__ import annotations

import hashlib

PIECE_BYTES = 1 << 20
"""Bytes of a document that are hashed together."""


class CorpusHash:
    """Hash of a corpus that comes in order, in parts of any size.

    It is the SHA-256 of one line, "lines" or "documents", and for each document the SHA-256 of each MiB of
    its UTF-8 and then its length in bytes, in eight, the lowest first. The length, last, makes the walls
    readable from the end: ["ab"] is not ["a", "b"].

    Parameters
    ----------
    lines : bool
        Whether each line is a wall of its own.
    start : int or None
        For what `follow` will take: where in its document it begins, in bytes. None for the whole corpus.
    """

    def __init__(self, lines: bool, start: int | None = None) -> None:
        self._whole = hashlib.sha256(b"lines\n" if lines else b"documents\n")
        self._kept = None if start is None else bytearray()  # what `_whole` will be told by `follow`
        self._n_bytes = start or 0  # of the document
        self._piece = hashlib.sha256()
        self._is_head = self._n_bytes % PIECE_BYTES > 0
        self._head = bytearray()  # the rest of a piece that does not begin here

    def update(self, utf8: memoryview) -> None:
        """Take the next bytes of the document."""
        while len(utf8):
            room = PIECE_BYTES - self._n_bytes % PIECE_BYTES
            part, utf8 = utf8[:room], utf8[room:]
            if self._is_head:
                self._head += part
            else:
                self._piece.update(part)
            self._n_bytes += len(part)
            if len(part) == room:
                self._end_piece()

    def end_document(self) -> None:
        """Take it that the document ends here."""
        if self._n_bytes % PIECE_BYTES:
            self._end_piece()
        self._tell(self._n_bytes.to_bytes(8, "little"))
        self._n_bytes = 0

    def follow(self, other: CorpusHash) -> None:
        """Go on with what another has hashed, which began where this one is."""
        assert other._kept is not None
        self.update(memoryview(other._head))
        if self._n_bytes % PIECE_BYTES and other._kept:  # the head was its document's end
            self._end_piece()
        self._tell(bytes(other._kept))
        self._n_bytes, self._piece = other._n_bytes, other._piece

    def hexdigest(self) -> str:
        """Return the fingerprint of the documents that have ended."""
        return self._whole.hexdigest()

    def _end_piece(self) -> None:
        if not self._is_head:
            self._tell(self._piece.digest())
        self._is_head, self._piece = False, hashlib.sha256()

    def _tell(self, data: bytes) -> None:
        if self._kept is None:
            self._whole.update(data)
        else:
            self._kept += data
