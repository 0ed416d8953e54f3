"""build_dataset: every split encoded by one tokenizer, read back, and described in a manifest."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio import __version__
from bpe_studio.analysis.comparison import FigureCounter
from bpe_studio.dataset.checks import RoundTrip
from bpe_studio.dataset.id_files import ID_FORMATS, IdFormat, check_can_write, checked_dtype
from bpe_studio.dataset.manifest import FORMAT, MANIFEST, TOKENIZER, VERSION
from bpe_studio.dataset.staging import check_folder, staged
from bpe_studio.engine.corpus import Corpus, Document, Progress
from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.long_texts import encode_parts, n_specials
from bpe_studio.engine.text_encoder import AllowedSpecial
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.writing import write_atomic
from bpe_studio.formats.table import load, save

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class DatasetOptions:
    """How a data set is written.

    Parameters
    ----------
    id_format : str
        One of `ID_FORMATS`.
    dtype : str
        "auto", or one of `DTYPES`.
    allowed_special : {"none", "all", "none_raise"} or collection of str
        What special tokens in the texts are, see `Tokenizer.encode`.
    document_end : str or None
        A special token that is put after each document.
    """

    id_format: str = "npy"
    dtype: str = "auto"
    allowed_special: AllowedSpecial = "none"
    document_end: str | None = None


def output_names(splits: Mapping[str, Any], id_format: str) -> list[str]:
    """Return the names of the files of a data set."""
    return [*(split + ID_FORMATS[id_format].suffix for split in splits), TOKENIZER, MANIFEST]


def build_dataset(
    folder: Path,
    splits: Mapping[str, Corpus],
    tokenizer: Tokenizer,
    options: DatasetOptions,
    about: Mapping[str, Any],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Encode all splits, check what was written, and put it into a folder: everything, or nothing.

    Parameters
    ----------
    folder : Path
        Made if it is not there. A data set in it is replaced.
    splits : mapping of str to Corpus
        Name → documents.
    tokenizer : Tokenizer
        What encodes.
    options : DatasetOptions
        How it is written.
    about : mapping
        JSON values that the manifest takes over, as how the tokenizer was trained.
    progress : callable or None
        Called as ``progress("encoding" or "checking", bytes, total)``.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    BpeStudioError
        If a text cannot be encoded, or what was written does not give it back; naming the first place. The
        folder is then as it was.
    """
    record = ID_FORMATS[options.id_format]
    check_can_write(record)
    dtype = checked_dtype(record, tokenizer.n_ids, options.dtype)
    end = _document_end(tokenizer, options)
    check_folder(folder, output_names(splits, options.id_format))
    total = sum(corpus.n_bytes for corpus in splits.values())
    with staged(folder) as stage:
        save(tokenizer, stage / TOKENIZER, "studio")
        writers = {
            name: _Split(
                tokenizer, corpus, stage / (name + record.suffix), record, dtype, options.allowed_special, end
            )
            for name, corpus in splits.items()
        }
        told = _Told("encoding", total, progress)
        for name, split in writers.items():
            with _naming(name):
                split.write(told)
        told = _Told("checking", total, progress)
        entries = {}
        for name, split in writers.items():
            with _naming(name):
                entries[name] = split.checked(told)
        if load(stage / TOKENIZER) != tokenizer:
            raise FormatError(f"{folder}: not written, because the tokenizer that was read back differs.")
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "program": f"BPE Studio {__version__}",
            "tokenizer": _tokenizer_facts(tokenizer) | {"sha256": _sha256(stage / TOKENIZER)},
            "ids": {"format": record.name, "dtype": dtype, "byte_order": "little"},
            "document_end": options.document_end,
            **about,
            "splits": entries,
            "checked": [
                f"every byte of the {'normalized ' * bool(tokenizer.normalizer)}text comes back",
                "every id is in range",
                "the tokenizer reloads",
            ],
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
        write_atomic(stage / MANIFEST, text.encode())
    return manifest


@dataclass
class _Told:
    """Adds up the bytes of all splits for `progress`."""

    stage: str
    total: int
    progress: Progress | None
    done: int = 0

    def __call__(self, n_bytes: int) -> None:
        self.done += n_bytes
        if self.progress is not None:
            self.progress(self.stage, self.done, self.total)


@dataclass
class _Split:
    """A split on its way: encoded into a file, then read back from it."""

    tokenizer: Tokenizer
    corpus: Corpus
    path: Path
    record: IdFormat
    dtype: str
    allowed_special: AllowedSpecial
    end: NDArray[np.uint32]
    """The id after each document; empty if there is none."""
    lengths: list[int] = field(default_factory=list)
    """Ids of each document, without its end."""
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
        for document in self.corpus.documents:
            self.lengths.append(0)
            with _naming(document.name):
                for utf8, ids in encode_parts(self.tokenizer, _chunks(document), self.allowed_special):
                    self._counter.add(utf8, ids)
                    self.lengths[-1] += len(ids)
                    if self.allowed_special == "none":
                        self.n_specials += n_specials(self.tokenizer, utf8)
                    told(len(utf8))
                    yield ids
            self._counter.add(b"", self.end)
            yield self.end

    def _as_encoded(self, document: Document) -> bytes:
        if not self.tokenizer.normalizer:
            return document.utf8
        return self.tokenizer.normalized(document.utf8, self.allowed_special).encode()

    def checked(self, told: Callable[[int], None]) -> dict[str, Any]:
        """Read the file back, and return the split's entry in the manifest."""
        largest = 0
        with open(self.path, "rb") as file:
            ids = _Reader(self.record.read(file, self.dtype))
            for document, length in zip(self.corpus.documents, self.lengths, strict=True):
                with _naming(document.name):
                    trip = RoundTrip(self.tokenizer, as_encoded=True)
                    utf8, at = self._as_encoded(document), 0
                    for block in ids.take(length):
                        before, at = at, trip.follow(utf8, block, at)
                        told(at - before)
                    trip.check_end(utf8, at)
                    if not np.array_equal(list(ids.take_all(len(self.end))), self.end):
                        raise FormatError("the document's end is not what was written.")
                    largest = max(largest, trip.largest_id or 0, *self.end.tolist())
            if ids.is_left():
                raise FormatError("there are more ids than were written.")
        figures = self._counter.figures()
        return {
            "file": self.path.name,
            "sha256": _sha256(self.path),
            "n_documents": len(self.corpus.documents),
            "largest_id": largest if figures.n_tokens else None,
            "n_specials_as_text": self.n_specials,
            **figures.as_json(),
        }


class _Reader:
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
def _naming(name: str) -> Iterator[None]:
    """Put the name of a split or document before an error's message."""
    try:
        yield
    except BpeStudioError as error:
        raise BpeStudioError(f"{name}: {error}") from error


def _document_end(tokenizer: Tokenizer, options: DatasetOptions) -> NDArray[np.uint32]:
    if options.document_end is None:
        return np.zeros(0, np.uint32)
    return tokenizer.encode_to_array(options.document_end, {options.document_end})


def _tokenizer_facts(tokenizer: Tokenizer) -> dict[str, Any]:
    return {
        "file": TOKENIZER,
        "fingerprint": tokenizer.fingerprint(),
        "vocab_size": tokenizer.vocab_size,
        "n_ids": tokenizer.n_ids,
        "n_merges": tokenizer.n_merges,
        "alphabet": tokenizer.alphabet.kind,
        "pattern": tokenizer.pattern.name,
        "normalizer": [list(step) for step in tokenizer.normalizer],
        "special_tokens": dict(tokenizer.special_tokens),
    }


def _chunks(document: Document) -> Iterator[bytes]:
    utf8 = document.utf8
    return (utf8[start : start + CHUNK_BYTES] for start in range(0, len(utf8), CHUNK_BYTES))


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
