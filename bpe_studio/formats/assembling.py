"""Tokenizers from what files hold: tables of tokens and ids, pairs, ranks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from bpe_studio.engine.alphabet import Alphabet, byte_sequence
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import SplitPattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.recovery import recovered_pairs


def byte_alphabet(ids: Mapping[bytes, int]) -> Alphabet:
    """Return the alphabet of bytes whose ids stand in a table of tokens.

    Parameters
    ----------
    ids : mapping of bytes to int
        Token and id.

    Raises
    ------
    FormatError
        Naming the bytes that have no token: text that holds one could not be encoded.
    """
    missing = [byte for byte in range(256) if bytes([byte]) not in ids]
    if missing:
        listed = ", ".join(f"{byte:#04x}" for byte in missing[:4]) + (", …" if len(missing) > 4 else "")
        raise FormatError(f"{len(missing):,} of the 256 bytes have no token: {listed}.")
    for order in ("identity", "gpt2"):
        found = [ids[bytes([byte])] for byte in byte_sequence(order)]
        if found == list(range(found[0], found[0] + 256)):
            return Alphabet(byte_order=order, first_id=found[0])
    return Alphabet(ids=tuple(ids[bytes([byte])] for byte in range(256)))


def character_alphabet(
    characters: Mapping[str, int],
    byte_ids: Sequence[int] = (),
    unknown: tuple[str, int] | None = None,
) -> Alphabet:
    """Return an alphabet of characters.

    Parameters
    ----------
    characters : mapping of str to int
        Character and id.
    byte_ids : sequence of int
        Ids of the 256 bytes that stand for other characters; empty if none do.
    unknown : (str, int), optional
        Name and id of the token for other characters.
    """
    by_code_point = sorted(characters)
    ids = [
        *([] if unknown is None else [unknown[1]]),
        *byte_ids,
        *(characters[sign] for sign in by_code_point),
    ]
    first = ids[0] if ids else 0
    follow = ids == list(range(first, first + len(ids)))
    return Alphabet(
        "characters",
        first_id=first if follow else 0,
        unknown_token=None if unknown is None else unknown[0],
        byte_fallback=bool(byte_ids),
        characters=tuple(by_code_point),
        ids=() if follow else tuple(ids),
    )


def tokenizer_of_ranks(
    ranks: Mapping[bytes, int], pattern: SplitPattern, special_tokens: Mapping[str, int]
) -> Tokenizer:
    """Return the tokenizer that merges by the rank of the concatenated bytes.

    Parameters
    ----------
    ranks : mapping of bytes to int
        Token and rank, which is its id; all single bytes are there, no rank is there twice.
    pattern : SplitPattern
        The split pattern.
    special_tokens : mapping of str to int
        Text and id.

    Returns
    -------
    Tokenizer
        By pair, if a merge makes every token: the same ids then (a stretch of text that becomes a token by
        ranks was cut off from its surroundings all the while, so it was merged as the token alone is). If no
        merge makes some of them, by rank.

    Warns
    -----
    UserWarning
        If a token is empty, as one of Whisper's is; no text becomes it.
    """
    alphabet = byte_alphabet(ranks)
    pairs = recovered_pairs(ranks)
    rest = {rank: token for token, rank in ranks.items() if len(token) != 1 and rank not in pairs}
    if b"" in ranks:
        warnings.warn(f"the token {ranks[b'']:,} is empty; no text becomes it", stacklevel=5)
    return Tokenizer(
        alphabet,
        [left for left, _ in pairs.values()],  # type: ignore[arg-type]
        [right for _, right in pairs.values()],  # type: ignore[arg-type]
        list(pairs),  # type: ignore[arg-type]
        pattern,
        special_tokens,
        "ranks" if any(rest.values()) else "pairs",
        unmerged=rest,
    )
