"""Tokenizers from what files hold: tables of tokens and ids, pairs, ranks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from bpe_studio.engine.alphabet import Alphabet, byte_sequence
from bpe_studio.engine.encoding import merged_symbols
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import SplitPattern, resolve_pattern
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


def tokenizer_of_pairs(
    alphabet: Alphabet,
    vocabulary: Mapping[str, int],
    merges: Iterable[tuple[str, str]],
    data_of: Callable[[str], bytes],
    *,
    whole_first: bool = False,
    not_tokens: Collection[str] = (),
) -> Tokenizer:
    """Return the tokenizer that merges by pair, as Hugging Face's library does: one by one, leftmost first.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens, whose ids are those of the vocabulary.
    vocabulary : mapping of str to int
        Every token's name and id.
    merges : iterable of (str, str)
        Names of the parts, in rank order; the product's is the two together.
    data_of : callable
        Name → bytes.
    whole_first : bool
        Whether a pre-token that is in the vocabulary is taken whole.
    not_tokens : collection of str
        Names that are no ordinary tokens.

    Returns
    -------
    Tokenizer
        Without split pattern and special tokens. Under "pairs" if that gives the same ids.

    Raises
    ------
    FormatError
        If a part or a product is not in the vocabulary; it names the rank.
    """
    rows: dict[tuple[int, int], int] = {}
    for rank, (left, right) in enumerate(merges):
        missing = next((name for name in (left, right, left + right) if name not in vocabulary), None)
        if missing is not None:
            raise FormatError(
                f"merge {rank:,} needs the token {missing[:40]!r}, which is not in the vocabulary."
            )
        pair = vocabulary[left], vocabulary[right]
        # A pair that comes again has its last rank.
        rows.pop(pair, None)
        rows[pair] = vocabulary[left + right]
    base = set(alphabet.token_ids)
    products = list(rows.values())
    made = base.union(products)
    unmerged = {
        token: data_of(name)
        for name, token in vocabulary.items()
        if token not in made and name not in not_tokens
    }
    early = made_later(base, [(*pair, product) for pair, product in rows.items()])
    names = {token: name for name, token in vocabulary.items()} if early else {}
    left_ids, right_ids = [pair[0] for pair in rows], [pair[1] for pair in rows]
    tokenizer = Tokenizer(
        alphabet, left_ids, right_ids, products, resolve_pattern("none"),  # type: ignore[arg-type]
        semantics="pairs-leftmost" if early else "pairs",
        unmerged=unmerged | {token: data_of(names[token]) for token in early},
    )  # fmt: skip
    if whole_first and (early or unmerged or not _all_made_alone(tokenizer)):
        return replace(tokenizer, semantics="pairs-whole")
    return tokenizer


def made_later(base: Collection[int], rows: Sequence[tuple[int, int, int]]) -> set[int]:
    """Return the parts of merges that a merge of a higher rank makes too, or makes alone.

    Parameters
    ----------
    base : collection of int
        Ids of the base tokens.
    rows : sequence of (int, int, int)
        Left, right and product of each merge, in rank order.
    """
    last = {product: rank for rank, (*_, product) in enumerate(rows) if product not in base}
    return {part for rank, row in enumerate(rows) for part in row[:2] if part in last and last[part] >= rank}


def _all_made_alone(tokenizer: Tokenizer) -> bool:
    """Return whether merging the bytes of each token alone makes that token."""
    rows = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), tokenizer.product.tolist(), strict=True)
    ranks = {(left, right): (rank, product) for rank, (left, right, product) in enumerate(rows)}
    symbols = tokenizer.alphabet.symbols
    return all(
        merged_symbols(symbols(tokenizer.tokens[token]), ranks) == [token]
        for token in tokenizer.product.tolist()
    )
