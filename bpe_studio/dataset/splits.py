"""A split on its way: encoded into a file of ids, then read back from it and compared."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio.analysis.comparison import FigureCounter
from bpe_studio.dataset.checks import RoundTrip
from bpe_studio.dataset.id_files import IdFormat
from bpe_studio.dataset.texts import chunks_of, next_bytes
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.items import Item
from bpe_studio.engine.long_texts import encode_parts, n_specials
from bpe_studio.engine.text_encoder import AllowedSpecial
from bpe_studio.engine.tokenizer import Tokenizer


@dataclass
class Split:
    """A split on its way: encoded into a file, then read back from it."""

    tokenizer: Tokenizer
    items: Sequence[Item]
    path: Path
    record: IdFormat
    dtype: str
    allowed_special: AllowedSpecial
    end: NDArray[np.uint32]
    """The id after each document; empty if there is none."""
    parts: list[list[tuple[int, int]]] = field(default_factory=list)
    """Bytes and ids of each part of each document, the ids without the document's end."""
    n_specials: int = 0
    """Special tokens in the text that were read as plain text."""

    def __post_init__(self) -> None:
        self._counter = FigureCounter(self.tokenizer)

    def write(self, told: Callable[[int], None]) -> None:
        """Encode the documents into the file."""
        with open(self.path, "wb") as file:
            self.record.write(file, self._encoded(told), self.dtype)
            file.flush()
            os.fsync(file.fileno())

    def _encoded(self, told: Callable[[int], None]) -> Iterator[NDArray[np.uint32]]:
        for item in self.items:
            parts: list[tuple[int, int]] = []
            self.parts.append(parts)
            with naming(item.name), item.open("strict") as text:
                for utf8, ids in encode_parts(self.tokenizer, chunks_of(text), self.allowed_special):
                    self._counter.add(utf8, ids)
                    parts.append((len(utf8), len(ids)))
                    if self.allowed_special == "none":
                        self.n_specials += n_specials(self.tokenizer, utf8)
                    told(len(utf8))
                    yield ids
            self._counter.add(b"", self.end)
            yield self.end

    def checked(self, told: Callable[[int], None]) -> dict[str, Any]:
        """Read the file back, and return the split's entry in the manifest."""
        largest = 0
        with open(self.path, "rb") as file:
            ids = IdReader(self.record.read(file, self.dtype))
            for item, parts in zip(self.items, self.parts, strict=True):
                with naming(item.name):
                    trip = RoundTrip(self.tokenizer, as_encoded=True)
                    self._follow(trip, item, parts, ids, told)
                    if not np.array_equal(list(ids.take_all(len(self.end))), self.end):
                        raise FormatError("the document's end is not what was written.")
                    largest = max(largest, trip.largest_id or 0, *self.end.tolist())
            if ids.is_left():
                raise FormatError("there are more ids than were written.")
        figures = self._counter.figures()
        return {
            "file": self.path.name,
            "sha256": sha256_of(self.path),
            "n_documents": len(self.items),
            "largest_id": largest if figures.n_tokens else None,
            "n_specials_as_text": self.n_specials,
            **figures.as_json(),
        }

    def _follow(
        self,
        trip: RoundTrip,
        item: Item,
        parts: list[tuple[int, int]],
        ids: IdReader,
        told: Callable[[int], None],
    ) -> None:
        """Read a document and its ids side by side."""
        with item.open("strict") as text:
            text.check_unchanged()
            text.seek(0)
            for n_bytes, n_ids in parts:
                utf8, at = next_bytes(text, n_bytes), 0
                if self.tokenizer.normalizer:
                    utf8 = self.tokenizer.normalized(utf8, self.allowed_special).encode()
                for block in ids.take(n_ids):
                    at = trip.follow(utf8, block, at)
                trip.check_end(utf8, at)
                told(n_bytes)


class IdReader:
    """Takes ids from blocks, so many at a time."""

    def __init__(self, blocks: Iterator[NDArray[Any]]) -> None:
        self._blocks = blocks
        self._rest: NDArray[Any] = np.zeros(0, np.uint32)

    def take(self, n_ids: int) -> Iterator[NDArray[Any]]:
        """Yield the next ids in parts; raise `FormatError` if there are fewer."""
        while n_ids:
            if not len(self._rest):
                self._rest = next(self._blocks, self._rest)
                if not len(self._rest):
                    raise FormatError(f"{n_ids:,} ids that were written are not there.")
            part, self._rest = self._rest[:n_ids], self._rest[n_ids:]
            n_ids -= len(part)
            yield part

    def take_all(self, n_ids: int) -> list[int]:
        """Return the next ids as a list."""
        return [token for part in self.take(n_ids) for token in part.tolist()]

    def is_left(self) -> bool:
        """Return whether there are more."""
        return len(self._rest) > 0 or any(len(block) for block in self._blocks)


@contextlib.contextmanager
def naming(name: str) -> Iterator[None]:
    """Put the name of a split or document before an error's message."""
    try:
        yield
    except BpeStudioError as error:
        raise BpeStudioError(f"{name}: {error}") from error


def sha256_of(path: Path) -> str:
    """Return the hash of a file, in hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
