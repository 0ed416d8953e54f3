"""Merges recovered from ranks: which two tokens each token was made of.

For each token in the order of ranks, byte pair encoding with the lower ranks alone is run over its bytes. If
two parts remain, they are the pair; if more remain, no merge makes the token.
"""

from __future__ import annotations

from collections.abc import Mapping


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
    O(n · length²); a hundred thousand tokens take about a second.

    Examples
    --------
    >>> recovered_pairs({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3, b"bba": 4})
    {2: (0, 1), 3: (2, 2)}
    """
    pairs: dict[int, tuple[int, int]] = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) < 2:
            continue
        parts = _parts(token, rank, ranks)
        if len(parts) == 2:
            pairs[rank] = ranks[parts[0]], ranks[parts[1]]
    return pairs


def _parts(token: bytes, limit: int, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return what remains of a token's bytes after all merges below a rank, lowest first, leftmost first."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        best, at = limit, -1
        for place in range(len(parts) - 1):
            rank = ranks.get(parts[place] + parts[place + 1], limit)
            if rank < best:
                best, at = rank, place
        if at < 0:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts
