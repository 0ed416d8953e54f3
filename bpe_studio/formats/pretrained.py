"""Pretrained vocabularies by name, unpacked from tables inside the package: no network is ever asked.

A table is an xz file of six planes of one byte a merge: the three low bytes of the left ids, lowest first,
then those of the right ids. Which ids the products have follows from `Pretrained`. Where the vocabularies
come from says ``resources/pretrained/NOTICE``.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from bpe_studio.assets import resource
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer


@dataclass(frozen=True)
class Pretrained:
    """What is known about a pretrained vocabulary.

    Parameters
    ----------
    name : str
        What `pretrained` takes, as tiktoken calls it.
    other_names : list of str
        Names that mean the same vocabulary.
    table : str
        The packed table that holds its merges.
    n_table_merges : int
        How many there are.
    more_merges : list of [int, int]
        Merges (left id, right id) after those of the table.
    ids_skip : list of int
        Ids from 256 on that no merge makes; all others follow one another in rank order.
    special_tokens : mapping of str to int
        Text and id. Ids may have holes.
    n_ids : int
        Largest id + 1.
    pattern : str
        Name of the split pattern.
    rank_file_sha256 : str
        Of the published file (base64 of a token, a blank, its id, in the order of ids), in hex.
    """

    name: str
    other_names: list[str]
    table: str
    n_table_merges: int
    more_merges: list[list[int]]
    ids_skip: list[int]
    special_tokens: Mapping[str, int]
    n_ids: int
    pattern: str
    rank_file_sha256: str


@cache
def pretrained_list() -> tuple[Pretrained, ...]:
    """Return the vocabularies there are, the oldest first: the rows of ``pretrained/manifest.json``."""
    rows = json.loads(resource("pretrained/manifest.json").read_text(encoding="utf-8"))
    return tuple(Pretrained(**row) for row in rows)


def pretrained_names() -> tuple[str, ...]:
    """Return every name that `pretrained` takes."""
    return tuple(name for record in pretrained_list() for name in (record.name, *record.other_names))


def pretrained(name: str) -> Tokenizer:
    """Return a pretrained tokenizer; a second call gives the same one.

    Parameters
    ----------
    name : str
        "gpt2" (or "r50k_base"), "p50k_base", "cl100k_base" or "o200k_base".

    Returns
    -------
    Tokenizer
        It gives the ids that tiktoken gives. tiktoken merges by the concatenated bytes and looks a whole
        pre-token up first; in these vocabularies, each made by one training, that is the same as merging by
        pair.

    Raises
    ------
    FormatError
        If there is no such vocabulary, or if its table is missing or damaged.

    Examples
    --------
    >>> pretrained("gpt2").encode("tokenization")
    [30001, 1634]
    """
    for record in pretrained_list():
        if name in (record.name, *record.other_names):
            return _tokenizer(record.name)
    raise FormatError(
        f"There is no pretrained vocabulary {name!r}; there are: {', '.join(pretrained_names())}."
    )


def published_as(tokenizer: Tokenizer) -> Tokenizer | None:
    """Return the pretrained tokenizer that has the bytes and merges of another one, or None."""
    for record in pretrained_list():
        if tokenizer.n_merges == record.n_table_merges + len(record.more_merges):
            twin = pretrained(record.name)
            parts = ((tokenizer.left, twin.left), (tokenizer.right, twin.right))
            if tokenizer.alphabet == twin.alphabet and all(starmap(np.array_equal, parts)):
                return twin
    return None


@cache
def _tokenizer(name: str) -> Tokenizer:
    record = next(record for record in pretrained_list() if record.name == name)
    pairs = _table(record)
    if record.more_merges:
        pairs = np.concatenate([pairs, np.array(record.more_merges, np.int32).T], axis=1)
    n_merges = pairs.shape[1]
    ids = np.arange(256, 256 + n_merges + len(record.ids_skip), dtype=np.int32)
    products = ids[~np.isin(ids, record.ids_skip)][:n_merges]
    return Tokenizer(
        Alphabet(byte_order="gpt2"), pairs[0], pairs[1], products, resolve_pattern(record.pattern),
        record.special_tokens,
    )  # fmt: skip


def _table(record: Pretrained) -> NDArray[np.int32]:
    """Return left and right ids, shape (2, n_table_merges)."""
    try:
        packed = resource(f"pretrained/{record.table}.pairs.xz").read_bytes()
        planes = np.frombuffer(lzma.decompress(packed), np.uint8).reshape(2, 3, record.n_table_merges)
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise FormatError(f"The vocabulary {record.name} cannot be unpacked: {error}.") from error
    low, middle, high = planes.astype(np.int32).transpose(1, 0, 2)
    return low | middle << 8 | high << 16
