"""Sorting many pairs by a tie rule at once: what `ties` says of two pairs, for a hundred thousand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.merges import MergeLog
from bpe_studio.engine.ties import MASK, Candidate, fnv1a, parse_rule


class TokenOrder:
    """What sorting pairs needs to know of a run's tokens: lengths, places in the order of bytes, hashes.

    Parameters
    ----------
    log : MergeLog
        The run. It may grow; see `update`.
    """

    def __init__(self, log: MergeLog) -> None:
        self.log = log
        self.lengths: NDArray[np.int64] = np.zeros(0, np.int64)
        self._tokens: list[bytes] = []
        self._places = np.zeros(0, np.int64)
        self._hashes: NDArray[np.uint64] | None = None
        self.update()

    def update(self) -> None:
        """Take in tokens made since the last call; O(tokens log tokens) if there are any."""
        alphabet = self.log.alphabet
        n_tokens = alphabet.n_tokens + len(self.log)
        if n_tokens == len(self._tokens):
            return
        known = len(self._tokens)
        self._tokens += [
            self.log.token_bytes(alphabet.first_id + number) for number in range(known, n_tokens)
        ]
        self.lengths = self.log.token_lengths()[:n_tokens]
        self._places = np.empty(n_tokens, np.int64)
        self._places[sorted(range(n_tokens), key=self._tokens.__getitem__)] = np.arange(n_tokens)
        self._hashes = None

    def sorted_rows(
        self, tie_rule: str, left: np.ndarray, right: np.ndarray, first: np.ndarray, before: np.ndarray
    ) -> NDArray[np.int64]:
        """Return the rows of some pairs sorted by (`before`, tie rule).

        Parameters
        ----------
        tie_rule : str
            As in `ties.parse_rule`.
        left, right : ndarray of int32
            Ids.
        first : ndarray of int64
            First positions.
        before : ndarray of int64
            What sorts before the rule does: −count.
        """
        rule = parse_rule(tie_rule)
        numbers = left - self.log.alphabet.first_id, right - self.log.alphabet.first_id
        by_bytes = [self._places[number] for number in numbers]
        lengths = self.lengths[numbers[0]] + self.lengths[numbers[1]]
        keys: dict[str, Callable[[], list[np.ndarray]]] = {
            "lexicographic": lambda: by_bytes,
            "reverse-lexicographic": lambda: [-places for places in by_bytes],
            "first-seen": lambda: [first],
            "lowest-ids": lambda: list(numbers),
            "shortest": lambda: [lengths],
            "random": lambda: [self._random_keys(*numbers, rule.seed), *by_bytes],
        }
        rows = np.lexsort((*reversed(keys[rule.rule.name]()), before))
        if rule.rule.name != "shortest":
            return rows
        # Equal lengths are sorted by the merged text, which no array holds.
        groups = groupby(rows.tolist(), key=lambda row: (before[row], lengths[row]))
        key = self.key_of_row(tie_rule, left, right, first)
        return np.array([row for _, group in groups for row in sorted(group, key=key)], np.int64)

    def first_row(self, tie_rule: str, left: np.ndarray, right: np.ndarray, first: np.ndarray) -> int:
        """Return the row of the pair that a rule takes from some pairs; the columns are as above."""
        if parse_rule(tie_rule).rule.name != "shortest":
            return int(self.sorted_rows(tie_rule, left, right, first, np.zeros(len(left), np.int64))[0])
        # Only among the shortest must the merged texts be made and compared.
        first_id = self.log.alphabet.first_id
        lengths = self.lengths[left - first_id] + self.lengths[right - first_id]
        shortest = np.flatnonzero(lengths == lengths.min()).tolist()
        return int(min(shortest, key=self.key_of_row(tie_rule, left, right, first)))

    def key_of_row(
        self, tie_rule: str, left: np.ndarray, right: np.ndarray, first: np.ndarray
    ) -> Callable[[int], tuple[Any, ...]]:
        """Return a function from a row to the rule's key as `ties` defines it."""
        rule = parse_rule(tie_rule)
        characters = self.log.alphabet.kind == "characters"

        def key(row: int) -> tuple[Any, ...]:
            ids = int(left[row]), int(right[row])
            tokens = self.log.token_bytes(ids[0]), self.log.token_bytes(ids[1])
            return rule.key(Candidate(*tokens, *ids, int(first[row]), characters))

        return key

    def _random_keys(self, left: np.ndarray, right: np.ndarray, seed: int) -> NDArray[np.uint64]:
        if self._hashes is None:
            self._hashes = np.array([fnv1a(token) for token in self._tokens], np.uint64)
        return random_keys(self._hashes[left], self._hashes[right], seed)


def random_keys(left: NDArray[np.uint64], right: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Return the keys of `ties.random_key` for arrays of token hashes (uint64)."""

    def mix(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return value ^ (value >> np.uint64(31))

    seeded = mix(np.full(1, (seed + 0x9E3779B97F4A7C15) & MASK, np.uint64))
    return mix(mix(seeded ^ left) + right)
