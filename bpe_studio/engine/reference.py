"""The specification: byte-pair encoding in plain Python, recounting everything before each merge.

Everything fast in this package is tested equal to this file. Read it first. It follows Gage (1994) as
applied to words by Sennrich, Haddow & Birch (2016, §3.2) and to bytes by Radford et al. (2019, §2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.ties import Candidate, parse_rule

Pair = tuple[int, int]


@dataclass
class PairFacts:
    """What one count of the corpus says of a pair."""

    count: int = 0
    first: int = field(default=-1)


@dataclass(frozen=True)
class ReferenceMerge:
    """One merge with everything the log records of it."""

    left: int
    right: int
    token: int
    count: int
    n_tied: int
    margin: int
    corpus_tokens: int


def count_pairs(
    words: Sequence[Sequence[int]], counts: Sequence[int], lengths: dict[int, int]
) -> dict[Pair, PairFacts]:
    """Return every pair with its count and first position, in order of first appearance.

    Overlaps count: ``aaa`` holds the pair (a, a) twice. Positions are those of the concatenated base
    symbols of the words; `lengths` tells how many base symbols a token spans.
    """
    pairs: dict[Pair, PairFacts] = {}
    position = 0
    for word, count in zip(words, counts, strict=True):
        for left, right in zip(word, word[1:], strict=False):
            facts = pairs.setdefault((left, right), PairFacts(first=position))
            facts.count += count
            position += lengths[left]
        position += lengths[word[-1]] if word else 0
    return pairs


def merge_word(word: Sequence[int], pair: Pair, token: int) -> list[int]:
    """Return a word with a pair replaced by its product, left to right, without overlap.

    Examples
    --------
    >>> merge_word([97, 97, 97], (97, 97), 256)
    [256, 97]
    """
    merged: list[int] = []
    at = 0
    while at < len(word):
        if at + 1 < len(word) and (word[at], word[at + 1]) == pair:
            merged.append(token)
            at += 2
        else:
            merged.append(word[at])
            at += 1
    return merged


class ReferenceTrainer:
    """Trains one merge at a time, recounting all pairs before each.

    Parameters
    ----------
    words : list of list of int
        Base symbols of every unique word, in order of first appearance.
    counts : list of int
        How often each word occurs.
    alphabet : Alphabet
        The base tokens.
    config : TrainingConfig
        Tie rule, minimum count, longest token.
    """

    def __init__(
        self, words: list[list[int]], counts: Sequence[int], alphabet: Alphabet, config: TrainingConfig
    ) -> None:
        self.words = words
        self.counts = counts
        self.alphabet = alphabet
        self.config = config
        self.rule = parse_rule(config.tie_rule)
        base = range(alphabet.first_id, alphabet.next_id)
        self.token_bytes = dict(zip(base, alphabet.tokens, strict=True))
        self.lengths = dict.fromkeys(base, 1)
        self.next_id = alphabet.next_id

    def eligible_pairs(self) -> dict[Pair, PairFacts]:
        """Return the pairs that may be merged: no wall in them, product not longer than allowed."""
        longest = self.config.max_token_length
        return {
            pair: facts
            for pair, facts in count_pairs(self.words, self.counts, self.lengths).items()
            if not any(self.alphabet.is_wall(token) for token in pair)
            and (longest is None or self.lengths[pair[0]] + self.lengths[pair[1]] <= longest)
        }

    def best_count(self) -> int:
        """Return the highest count of any eligible pair, 0 if there is none."""
        return max((facts.count for facts in self.eligible_pairs().values()), default=0)

    def step(self) -> ReferenceMerge | None:
        """Make the next merge, or return None if no pair is frequent enough."""
        pairs = self.eligible_pairs()
        best = max((facts.count for facts in pairs.values()), default=0)
        if best < self.config.min_frequency or not pairs:
            return None
        tied = [pair for pair, facts in pairs.items() if facts.count == best]
        winner = min(tied, key=lambda pair: self.rule.key(self.candidate(pair, pairs[pair].first)))
        runner_up = max((facts.count for pair, facts in pairs.items() if pair != winner), default=0)
        token = self.apply(winner)
        return ReferenceMerge(*winner, token, best, len(tied), best - runner_up, self.corpus_tokens())

    def candidate(self, pair: Pair, first: int) -> Candidate:
        """Return a pair with all that a tie rule may look at."""
        left, right = pair
        characters = self.alphabet.kind == "characters"
        return Candidate(self.token_bytes[left], self.token_bytes[right], left, right, first, characters)

    def apply(self, pair: Pair) -> int:
        """Merge a pair everywhere and return the product's id."""
        left, right = pair
        token, self.next_id = self.next_id, self.next_id + 1
        self.token_bytes[token] = self.token_bytes[left] + self.token_bytes[right]
        self.lengths[token] = self.lengths[left] + self.lengths[right]
        self.words = [merge_word(word, pair, token) for word in self.words]
        return token

    def corpus_tokens(self) -> int:
        """Return the number of tokens in the corpus."""
        return sum(count * len(word) for word, count in zip(self.words, self.counts, strict=True))


def train_steps(
    words: list[list[int]], counts: Sequence[int], alphabet: Alphabet, config: TrainingConfig, n_merges: int
) -> Iterator[ReferenceMerge]:
    """Yield up to `n_merges` merges."""
    trainer = ReferenceTrainer(words, counts, alphabet, config)
    for _ in range(n_merges):
        merge = trainer.step()
        if merge is None:
            return
        yield merge


def encode_word(symbols: Sequence[int], ranks: dict[Pair, int], products: dict[Pair, int]) -> list[int]:
    """Return a word's tokens: merge the pair of lowest rank everywhere, until none is left.

    Examples
    --------
    >>> encode_word([97, 98, 99, 97, 98], {(98, 99): 0, (97, 98): 1}, {(98, 99): 256, (97, 98): 257})
    [97, 256, 257]
    """
    word = list(symbols)
    while len(word) > 1:
        pair = min(zip(word, word[1:], strict=False), key=lambda pair: ranks.get(pair, len(ranks)))
        if pair not in ranks:
            break
        word = merge_word(word, pair, products[pair])
    return word


def encode_word_one_by_one(
    symbols: Sequence[int], ranks: dict[Pair, int], products: dict[Pair, int]
) -> list[int]:
    """Return a word's tokens: merge the leftmost pair of the lowest rank, until none is left.

    Examples
    --------
    >>> ranks, products = {(98, 99): 0, (97, 98): 1}, {(98, 99): 256, (97, 98): 257}
    >>> encode_word_one_by_one([97, 98, 99, 97, 98], ranks, products)
    [97, 256, 257]
    """
    word = list(symbols)
    while True:
        pairs = list(zip(word, word[1:], strict=False))
        known = [(ranks[pair], at) for at, pair in enumerate(pairs) if pair in ranks]
        if not known:
            return word
        _, at = min(known)
        word[at : at + 2] = [products[pairs[at]]]


def encode_word_by_ranks(symbols: Sequence[bytes], ranks: dict[bytes, int]) -> list[bytes]:
    """Return a word's tokens: join the leftmost neighbours whose concatenation has the lowest rank.

    Examples
    --------
    >>> encode_word_by_ranks([b"a", b"b", b"c", b"a", b"b"], {b"bc": 0, b"ab": 1})
    [b'a', b'bc', b'ab']
    """
    word = list(symbols)
    while True:
        joined = [left + right for left, right in zip(word, word[1:], strict=False)]
        known = [(ranks[data], at) for at, data in enumerate(joined) if data in ranks]
        if not known:
            return word
        _, at = min(known)
        word[at : at + 2] = [joined[at]]


def encode_whole_first(data: bytes, whole: dict[bytes, int], tokens: Callable[[], list[int]]) -> list[int]:
    """Return the one token that a word is as a whole, if it is one, else what merging makes of it."""
    return [whole[data]] if data in whole else tokens()


def decode(ids: Sequence[int], token_bytes: dict[int, bytes]) -> bytes:
    """Return the bytes of some tokens."""
    return b"".join(token_bytes[token] for token in ids)
