"""Merges recovered from ranks: which two tokens each token was made of.

For each token in the order of ranks, byte pair encoding with the lower ranks alone is run over its bytes. If
two parts remain, they are the pair; if more remain, no merge makes the token.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import AnyStr

from bpe_studio.engine.tokenizer import Tokenizer

#: Comparisons of two neighbours after which no more merges are looked for; GPT-4o's vocabulary takes 2^24.
MAX_STEPS = 1 << 28


def recovered_pairs(ranks: Mapping[bytes, int]) -> dict[int, tuple[int, int]]:
    """Return the pair that makes each token, for those that one makes.

    Parameters
    ----------
    ranks : mapping of bytes to int
        Token and rank, single bytes among them; no rank twice.

    Returns
    -------
    dict of int to (int, int)
        Rank → ranks of the two parts, by ascending rank.

    Notes
    -----
    O(n · length²); a hundred thousand tokens take about a second. Beyond `MAX_STEPS`, which only a file made
    for it reaches, tokens count as not made by a merge.

    Examples
    --------
    >>> recovered_pairs({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3, b"bba": 4})
    {2: (0, 1), 3: (2, 2)}
    """
    pairs: dict[int, tuple[int, int]] = {}
    n_steps = 0
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        n_steps += len(token) ** 2
        if len(token) < 2 or n_steps > MAX_STEPS:
            continue
        parts = joined(token, ranks, rank)
        if len(parts) == 2:
            pairs[rank] = ranks[parts[0]], ranks[parts[1]]
    return pairs


def joined(token: AnyStr, ranks: Mapping[AnyStr, int], limit: int) -> list[AnyStr]:
    """Return what a token is after joining its bytes or characters, lowest rank first, leftmost first.

    Parameters
    ----------
    token : bytes or str
        The token.
    ranks : mapping of bytes or str to int
        What may be joined.
    limit : int
        Only what has a lower rank is.

    Returns
    -------
    list of bytes or str
        The parts; two are never joined to the token itself.
    """
    get = ranks.get
    parts = [token[at : at + 1] for at in range(len(token))]
    of_two = [get(token[at : at + 2], limit) for at in range(len(token) - 1)]
    while len(of_two) > 1 and (rank := min(of_two)) < limit:
        at = of_two.index(rank)
        parts[at] = both = parts[at] + parts.pop(at + 1)
        del of_two[at]
        if at:
            of_two[at - 1] = get(parts[at - 1] + both, limit)
        if at < len(of_two):
            of_two[at] = get(both + parts[at + 1], limit)
    return parts


def pairs_of_ranks(tokenizer: Tokenizer) -> list[tuple[int, int, int]]:
    """Return the merges by which a list of pairs does what ranks do: left, right and product ids, in order.

    Parameters
    ----------
    tokenizer : Tokenizer
        By ranks, its alphabet bytes.

    Notes
    -----
    The recovered pair of each token; and for a token that no merge of lower ranks makes all its splits into
    two tokens. In the order of the products' ranks, then of the parts'.

    Splits of one token have ranks of their own here, which changes nothing, not even where a token overlaps
    itself: a stretch of text that becomes a token was never crossed before, so its bytes were joined as if it
    stood alone, which ends with one and the same pair. Other splits never are neighbours.
    """
    ids = {
        data: token for token, data in tokenizer.tokens.items() if data and token not in _not_plain(tokenizer)
    }
    ranks = {data: tokenizer.ranks.get(token, token) for data, token in ids.items()}
    recovered = recovered_pairs(ranks)
    of_rank = {rank: ids[data] for data, rank in ranks.items()}
    rows: list[tuple[int, int, int]] = []
    for data, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if rank in recovered:
            splits = [recovered[rank]]
        else:
            cuts = ((data[:at], data[at:]) for at in range(1, len(data)))
            splits = sorted(
                (ranks[left], ranks[right]) for left, right in cuts if left in ranks and right in ranks
            )
        rows += [(of_rank[left], of_rank[right], ids[data]) for left, right in splits]
    return rows


def _not_plain(tokenizer: Tokenizer) -> set[int]:
    return {*tokenizer.special_tokens.values(), *tokenizer.added_tokens.values()}
