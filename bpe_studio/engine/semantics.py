"""How tokens come about in a pre-token: the ways that tokenizers differ in, as a table of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.alphabet import Alphabet

Pair = tuple[int, int]


@dataclass(frozen=True)
class Semantics:
    """How merges apply to a pre-token. `reference.encode_word` and those beside it say each in a few lines.

    Parameters
    ----------
    by_bytes : bool
        Two neighbours are joined if their bytes, concatenated, are a token; its rank decides when. Otherwise
        the list of merges says which pairs are joined, and its order when.
    whole_first : bool
        A pre-token that is a token as a whole is that token, whatever merging would make of it.
    one_by_one : bool
        The leftmost pair of the lowest rank is joined, and then all pairs are looked at anew. Otherwise the
        pair of the lowest rank is joined everywhere at once. The two differ only if a token's rank is lower
        than that of one of its parts.
    """

    by_bytes: bool
    whole_first: bool
    one_by_one: bool


SEMANTICS: dict[str, Semantics] = {
    "pairs": Semantics(by_bytes=False, whole_first=False, one_by_one=False),
    "pairs-leftmost": Semantics(by_bytes=False, whole_first=False, one_by_one=True),
    "pairs-whole": Semantics(by_bytes=False, whole_first=True, one_by_one=True),
    "ranks": Semantics(by_bytes=True, whole_first=True, one_by_one=True),
    "scores": Semantics(by_bytes=True, whole_first=False, one_by_one=True),
}
"""By name: what we train (as minbpe), Hugging Face, that with ``ignore_merges``, tiktoken, SentencePiece."""


@dataclass(frozen=True, eq=False)
class MergeModel:
    """All that decides what a pre-token becomes.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens.
    left, right, product : ndarray of int32, shape (n_merges,)
        The merges in rank order.
    semantics : Semantics
        How merges apply.
    ranks : mapping of int to int
        Ranks of tokens where those are not their ids; asked only if merging goes by the bytes.
    special_tokens, added_tokens : mapping of str to int
        What no pre-token becomes: they are cut out before.
    all_tokens : callable
        Returns id → bytes of every token by ascending id. Only some semantics ask: it takes a while.
    """

    alphabet: Alphabet
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    product: NDArray[np.int32]
    semantics: Semantics
    ranks: Mapping[int, int]
    special_tokens: Mapping[str, int]
    added_tokens: Mapping[str, int]
    all_tokens: Callable[[], Mapping[int, bytes]]

    @cached_property
    def whole(self) -> Mapping[bytes, int]:
        """The tokens that plain text may become, by their bytes; of two alike the one of the lower id."""
        left_out = {*self.special_tokens.values(), *self.added_tokens.values(), *self.alphabet.walls}
        found: dict[bytes, int] = {}
        for token, data in self.all_tokens().items():
            if token not in left_out:
                found.setdefault(data, token)
        return found

    @cached_property
    def pair_ranks(self) -> PairRanks:
        """Rank and product of every pair that is joined."""
        if self.semantics.by_bytes:
            return ConcatenatedRanks(self.whole, self.ranks)
        ranks: dict[Pair, tuple[int, int]] = {}
        rows = zip(self.left.tolist(), self.right.tolist(), self.product.tolist(), strict=True)
        for rank, (left, right, product) in enumerate(rows):
            # A list from a file may repeat a pair: the first occurrence is the one that ever applies.
            ranks.setdefault((left, right), (rank, product))
        return ranks


class PairRanks(Protocol):
    """A mapping (left id, right id) → (rank, product id), as far as merging needs one."""

    def get(self, pair: Pair, /) -> tuple[int, int] | None:
        """Return rank and product of a pair, or None if nothing joins it."""


class ConcatenatedRanks:
    """Rank and product of a pair under semantics that go by the concatenated bytes.

    Parameters
    ----------
    whole : mapping of bytes to int
        As in `MergeModel`.
    ranks : mapping of int to int
        Ranks of tokens where those are not their ids.
    """

    def __init__(self, whole: Mapping[bytes, int], ranks: Mapping[int, int]) -> None:
        self._whole = whole
        self._ranks = ranks
        self._bytes = {token: data for data, token in whole.items()}

    def get(self, pair: Pair, /) -> tuple[int, int] | None:
        """Return rank and product of a pair, or None if its bytes are no token."""
        left, right = self._bytes.get(pair[0]), self._bytes.get(pair[1])
        if left is None or right is None:
            return None
        product = self._whole.get(left + right)
        return None if product is None else (self._ranks.get(product, product), product)
