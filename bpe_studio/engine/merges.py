"""MergeBatch (frozen rows) and MergeLog: the append-only list of merges that a training run is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.config import TrainingConfig

RULE, FORCED, LOADED = 0, 1, 2
"""Where a merge comes from: chosen by the rule, forced by the user, read from a file."""

UNKNOWN = -1
"""A count, tie or margin that a file does not tell."""

COLUMNS: dict[str, type[np.generic]] = {
    "left": np.int32,
    "right": np.int32,
    "token": np.int32,
    "count": np.int64,
    "n_tied": np.int64,
    "margin": np.int64,
    "corpus_tokens": np.int64,
    "origin": np.int8,
}


@dataclass(frozen=True, eq=False)
class MergeBatch:
    """Rows of a merge log, as arrays of equal length.

    Parameters
    ----------
    first_rank : int
        Rank of the first row.
    left, right, token : ndarray of int32
        Ids of the two parts and of the product.
    count : ndarray of int64
        Pair count when it was merged, overlaps included.
    n_tied : ndarray of int64
        Eligible pairs with that count, the winner included; 1 is no tie.
    margin : ndarray of int64
        Count minus the highest count of any other eligible pair; the count itself if there is none.
    corpus_tokens : ndarray of int64
        Tokens of the corpus after the merge.
    origin : ndarray of int8
        `RULE`, `FORCED` or `LOADED`.
    """

    first_rank: int
    left: np.ndarray
    right: np.ndarray
    token: np.ndarray
    count: np.ndarray
    n_tied: np.ndarray
    margin: np.ndarray
    corpus_tokens: np.ndarray
    origin: np.ndarray

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def from_rows(cls, first_rank: int, rows: Sequence[Sequence[int]]) -> Self:
        """Return a batch of rows, each in the order of the columns."""
        columns = zip(*rows, strict=True) if rows else ((),) * len(COLUMNS)
        return cls(
            first_rank,
            *(frozen(column, dtype) for column, dtype in zip(columns, COLUMNS.values(), strict=True)),
        )

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The arrays by name."""
        return {name: getattr(self, name) for name in COLUMNS}


def frozen(values: Sequence[int] | np.ndarray, dtype: type[np.generic]) -> np.ndarray:
    """Return a read-only array of its own."""
    array = np.array(values, dtype)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """Whether a merge list is ordered (DESIGN: any step at once), and if not, why.

    Parameters
    ----------
    ok : bool
        Whether every prefix of the list is a tokenizer and every token has one tree.
    rank : int
        First offending rank, or −1.
    reason : str
        What is wrong there, or empty.
    """

    ok: bool
    rank: int = -1
    reason: str = ""

    def __bool__(self) -> bool:
        return self.ok


class MergeLog:
    """The merges of one run in rank order. Rows are appended, never changed.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens; merge ids follow them.
    config : TrainingConfig
        The settings of the run.
    corpus_tokens_before : int
        Tokens of the corpus before the first merge; −1 if unknown.

    Notes
    -----
    The columns of `MergeBatch` are read-only views of arrays that double when full, so `extend` is
    O(rows) on average and a view taken earlier stays valid.
    """

    def __init__(self, alphabet: Alphabet, config: TrainingConfig, corpus_tokens_before: int) -> None:
        self.alphabet = alphabet
        self.config = config
        self.corpus_tokens_before = corpus_tokens_before
        self._length = 0
        self._columns = {name: np.empty(64, dtype) for name, dtype in COLUMNS.items()}
        self._token_bytes = dict(enumerate(alphabet.tokens, start=alphabet.first_id))
        self._lengths = frozen(np.ones(alphabet.n_tokens, np.int64), np.int64)

    def __len__(self) -> int:
        return self._length

    def _view(self, name: str) -> np.ndarray:
        view = self._columns[name][: self._length]
        view.flags.writeable = False
        return view

    left = property(lambda self: self._view("left"), doc="int32 ids of the left parts.")
    right = property(lambda self: self._view("right"), doc="int32 ids of the right parts.")
    token = property(lambda self: self._view("token"), doc="int32 ids of the products.")
    count = property(lambda self: self._view("count"), doc="int64 pair counts.")
    n_tied = property(lambda self: self._view("n_tied"), doc="int64 sizes of the tie groups.")
    margin = property(lambda self: self._view("margin"), doc="int64 leads over the runner-up.")
    corpus_tokens = property(lambda self: self._view("corpus_tokens"), doc="int64 tokens after each merge.")
    origin = property(lambda self: self._view("origin"), doc="int8 RULE, FORCED or LOADED.")

    def extend(self, batch: MergeBatch) -> None:
        """Append the rows of a batch, which must begin where the log ends."""
        assert batch.first_rank == self._length, "a batch must begin where the log ends"
        end = self._length + len(batch)
        for name in COLUMNS:
            column = self._columns[name]
            if end > len(column):
                # Filled before it is put in place: another thread may be reading the rows there are.
                longer = np.empty(max(end, 2 * len(column)), column.dtype)
                longer[: self._length] = column[: self._length]
                self._columns[name] = longer
            self._columns[name][self._length : end] = getattr(batch, name)
        self._length = end

    def batch(self, first: int, last: int) -> MergeBatch:
        """Return rows `first` to `last` (exclusive) as a frozen batch."""
        columns = (
            frozen(self._columns[name][: self._length][first:last], dtype) for name, dtype in COLUMNS.items()
        )
        return MergeBatch(first, *columns)

    def first(self, n_merges: int) -> MergeLog:
        """Return a log of the first merges."""
        log = MergeLog(self.alphabet, self.config, self.corpus_tokens_before)
        log.extend(self.batch(0, n_merges))
        return log

    @property
    def next_id(self) -> int:
        """Id that the next merge's product gets."""
        return self.alphabet.next_id + self._length

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of a base token or product; they are put together when first asked for.

        Raises
        ------
        KeyError
            If no token has that id.
        """
        known, left, right = self._token_bytes, self.left, self.right
        wanted = [token]
        while wanted:
            product = wanted[-1]
            if product not in known:
                rank = self._rank_of(product)
                parts = int(left[rank]), int(right[rank])
                missing = [part for part in parts if part not in known]
                if missing:
                    if any(self._rank_of(part) >= rank for part in missing):
                        raise KeyError(product)
                    wanted += missing
                    continue
                known[product] = known[parts[0]] + known[parts[1]]
            wanted.pop()
        return known[token]

    def _rank_of(self, token: int) -> int:
        """Return the rank of the first merge that makes a token."""
        rank = token - self.alphabet.next_id
        if 0 <= rank < self._length and self._columns["token"][rank] == token:
            return rank
        found = np.flatnonzero(self.token == token)
        if not len(found):
            raise KeyError(token)
        return int(found[0])

    def token_lengths(self) -> np.ndarray:
        """Return the length of every token in base symbols, int64, by id − first base id."""
        n_base, n_known = self.alphabet.n_tokens, len(self._lengths)
        first = self.alphabet.first_id
        if n_base + self._length > n_known:
            lengths = self._lengths.tolist()
            left, right = (self._columns[name][n_known - n_base : self._length] for name in ("left", "right"))
            for left_id, right_id in zip(left.tolist(), right.tolist(), strict=True):
                lengths.append(lengths[left_id - first] + lengths[right_id - first])
            self._lengths = frozen(lengths, np.int64)
        return self._lengths

    def is_ordered(self) -> OrderCheck:
        """Return whether cursor and curve are defined for this list; O(merges)."""
        return order_check(self.alphabet, self.left, self.right, self.token)


def order_check(alphabet: Alphabet, left: np.ndarray, right: np.ndarray, token: np.ndarray) -> OrderCheck:
    """Return whether a merge list is ordered.

    Parameters
    ----------
    alphabet : Alphabet
        Its tokens are single symbols by construction.
    left, right, token : ndarray of int32
        Ids in rank order.

    Notes
    -----
    Ordered means: both parts of every merge are base tokens or products of lower ranks, no pair occurs
    twice, and no product shares its id with a base token or another product. Then every token has one
    tree, and the state at any cursor follows from the final one.

    What a training makes is seen to be ordered by arrays alone, so that no other thread has to wait.
    """
    if _is_as_trained(alphabet, left, right, token):
        return OrderCheck(True)
    known = set(range(alphabet.first_id, alphabet.next_id))
    pairs: set[tuple[int, int]] = set()
    rows = zip(left.tolist(), right.tolist(), token.tolist(), strict=True)
    for rank, (left_id, right_id, product) in enumerate(rows):
        for part in (left_id, right_id):
            if part not in known:
                return OrderCheck(
                    False, rank, f"merge {rank:,} uses token {part:,}, which no lower rank makes"
                )
        if (left_id, right_id) in pairs:
            return OrderCheck(False, rank, f"merge {rank:,} repeats the pair ({left_id:,}, {right_id:,})")
        if product in known:
            return OrderCheck(False, rank, f"merge {rank:,} makes token {product:,}, which exists already")
        pairs.add((left_id, right_id))
        known.add(product)
    return OrderCheck(True)


def _is_as_trained(alphabet: Alphabet, left: np.ndarray, right: np.ndarray, token: np.ndarray) -> bool:
    """Return whether ids follow the base tokens without a hole, parts stand lower, and no pair is twice."""
    if not np.array_equal(token, alphabet.next_id + np.arange(len(token))):
        return False
    parts = np.stack([left, right]).astype(np.int64)
    if len(token) and (parts.min() < alphabet.first_id or (parts >= token).any()):
        return False
    return len(np.unique(parts[0] << 32 | parts[1])) == len(token)


assert tuple(COLUMNS) == tuple(field.name for field in fields(MergeBatch))[1:]
