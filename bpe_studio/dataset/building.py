"""build_dataset: every split encoded by one tokenizer, read back, and described in a manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio import __version__
from bpe_studio.dataset.id_files import ID_FORMATS, check_can_write, checked_dtype
from bpe_studio.dataset.manifest import FORMAT, MANIFEST, TOKENIZER, VERSION
from bpe_studio.dataset.splits import Split, naming, sha256_of
from bpe_studio.dataset.staging import check_folder, staged
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.items import Item
from bpe_studio.engine.reading import Progress
from bpe_studio.engine.text_encoder import AllowedSpecial
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.writing import write_atomic
from bpe_studio.formats.table import load, save


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
    splits: Mapping[str, Sequence[Item]],
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
    splits : mapping of str to sequence of Item
        Name → documents, as `texts.sound_items` returns them.
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
    total = sum(item.n_bytes for items in splits.values() for item in items)
    with staged(folder) as stage:
        save(tokenizer, stage / TOKENIZER, "studio")
        writers = {
            name: Split(
                tokenizer, items, stage / (name + record.suffix), record, dtype, options.allowed_special, end
            )
            for name, items in splits.items()
        }
        told = _Told("encoding", total, progress)
        for name, split in writers.items():
            with naming(name):
                split.write(told)
        told = _Told("checking", total, progress)
        entries = {}
        for name, split in writers.items():
            with naming(name):
                entries[name] = split.checked(told)
        if load(stage / TOKENIZER) != tokenizer:
            raise FormatError(f"{folder}: not written, because the tokenizer that was read back differs.")
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "program": f"BPE Studio {__version__}",
            "tokenizer": _tokenizer_facts(tokenizer) | {"sha256": sha256_of(stage / TOKENIZER)},
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
