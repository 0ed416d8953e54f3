"""The vocabulary behind a tokenizer: id → bytes, its checks, its fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import BpeStudioError, SpecialTokenError
from bpe_studio.engine.merges import OrderCheck, order_check
from bpe_studio.engine.normalizing import Step
from bpe_studio.engine.semantics import SEMANTICS

MAX_ID = 2**31 - 1
#: Bytes that all tokens may hold together. Forty merges, each doubling the one before, would ask for a
#: terabyte.
MAX_TABLE_BYTES = 1 << 28


def id_array(name: str, values: Sequence[int] | NDArray[Any]) -> NDArray[np.int32]:
    """Return ids as a read-only int32 array; raise `BpeStudioError` if they are none."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise BpeStudioError(f"{name} must be a one-dimensional array of integers.")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) <= MAX_ID:
        raise BpeStudioError(f"{name} holds an id that is not between 0 and {MAX_ID:,}.")
    if array.dtype == np.int32 and not array.flags.writeable:
        return array
    ids = array.astype(np.int32)
    ids.flags.writeable = False
    return ids


def token_table(
    alphabet: Alphabet,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    product: NDArray[np.int32],
    special_tokens: Mapping[str, int],
    unmerged: Mapping[int, bytes] = MappingProxyType({}),
    added_tokens: Mapping[str, int] = MappingProxyType({}),
) -> dict[int, bytes]:
    """Return the bytes of every token by ascending id, after checking that they fit together.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens.
    left, right, product : ndarray of int32, shape (n_merges,)
        The merges.
    special_tokens : mapping of str to int
        Text and id.
    unmerged : mapping of int to bytes
        Tokens that no merge makes; merges may use them.
    added_tokens : mapping of str to int
        Text and id.

    Returns
    -------
    dict of int to bytes
        ``<unk>`` is empty.

    Raises
    ------
    BpeStudioError
        If a merge uses a token that nothing before it makes, or if one id stands for two different tokens.
    """
    table = dict(zip(alphabet.token_ids, alphabet.tokens, strict=True))
    for token, data in unmerged.items():
        # One may be empty, as one of Whisper's is: no text becomes it.
        if not 0 <= token <= MAX_ID:
            raise BpeStudioError(f"Token {token!r}, which no merge makes, has no valid id.")
        if token in table:
            raise BpeStudioError(f"Token {token:,}, which no merge makes, has the id of a base token.")
        table[token] = data
    n_bytes = sum(map(len, table.values()))
    walls = alphabet.walls
    rows = zip(left.tolist(), right.tolist(), product.tolist(), strict=True)
    for rank, (left_id, right_id, token) in enumerate(rows):
        for part in (left_id, right_id):
            if part not in table:
                raise BpeStudioError(
                    f"Merge {rank:,} uses token {part:,}, which is no base token and no earlier product."
                )
            if part in walls:
                raise BpeStudioError(
                    f"Merge {rank:,} uses token {part:,}, which stands for unknown characters."
                )
        n_bytes += len(table[left_id]) + len(table[right_id])
        if n_bytes > MAX_TABLE_BYTES:
            raise BpeStudioError(f"The tokens up to merge {rank:,} hold more than {MAX_TABLE_BYTES:,} bytes.")
        data = table[left_id] + table[right_id]
        if table.setdefault(token, data) != data:
            raise BpeStudioError(f"Merge {rank:,} makes token {token:,}, an id that another token has.")
    for text, token in (*special_tokens.items(), *added_tokens.items()):
        if table.setdefault(token, _special_bytes(text, token)) != text.encode():
            raise SpecialTokenError(
                f"Special token {text!r} has the id {token:,}, which another token has.", token=text
            )
    return dict(sorted(table.items()))


def _special_bytes(text: str, token: int) -> bytes:
    if not text:
        raise SpecialTokenError("A special token is empty.", token=text)
    if isinstance(token, bool) or not 0 <= token <= MAX_ID:
        raise SpecialTokenError(
            f"Special token {text!r} has the id {token!r}, which is no token id.", token=text
        )
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise SpecialTokenError(f"Special token {text!r} holds a lone surrogate.", token=text) from None


def fingerprint_of(
    alphabet: Alphabet,
    tokens: Mapping[int, bytes],
    merges: Sequence[NDArray[np.int32]],
    pattern: str | list[str] | None,
    special_tokens: Mapping[str, int],
    semantics: str,
    ranks: Mapping[int, int],
    added_tokens: Mapping[str, int],
    normalizer: Sequence[Step],
) -> str:
    """Return the sha256 of what decides ids, as compact UTF-8 JSON.

    Parameters
    ----------
    alphabet : Alphabet
        Its kind, the id of ``<unk>`` and the byte fallback count; names do not.
    tokens : mapping of int to bytes
        Every token by ascending id.
    merges : three ndarrays of int32
        Left, right, product in rank order.
    pattern : str, list of str or None
        The split pattern's expression, or several of them, not its name.
    special_tokens : mapping of str to int
        Text and id.
    semantics : str
        How merges apply. Where they go by the bytes, the list of merges decides nothing and is left out.
    ranks : mapping of int to int
        Ranks that are not ids.
    added_tokens : mapping of str to int
        Text and id.
    normalizer : sequence of Step
        What happens to plain text first.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    content = {
        "alphabet": [alphabet.kind, alphabet.unknown_id, alphabet.byte_fallback],
        "merges": [] if SEMANTICS[semantics].by_bytes else np.stack(merges, axis=1).tolist(),
        "normalizer": normalizer or None,
        "pattern": pattern,
        "semantics": semantics,
        "special_tokens": sorted(special_tokens.items(), key=lambda item: (item[1], item[0])),
        "tokens": [[token, data.hex()] for token, data in tokens.items()],
    }
    if ranks:
        content["ranks"] = sorted(ranks.items())
    if added_tokens:
        content["added_tokens"] = sorted(added_tokens.items(), key=lambda item: (item[1], item[0]))
    if alphabet.fuse_unknown and alphabet.unknown_id is not None:
        content["fuse_unknown"] = True
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def vocabulary_order(
    alphabet: Alphabet, merges: Sequence[NDArray[np.int32]], special_tokens: Mapping[str, int]
) -> OrderCheck:
    """Return whether every prefix of a merge list is a tokenizer, its base tokens and specials considered.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens.
    merges : three ndarrays of int32
        Left, right, product in rank order.
    special_tokens : mapping of str to int
        Text and id.
    """
    if alphabet.ids:
        return OrderCheck(False, -1, "the ids of its base tokens do not follow one another")
    for token in alphabet.characters:
        if len(token) > 1:
            return OrderCheck(False, -1, f"base token {token!r} holds several characters")
    check, product = order_check(alphabet, *merges), merges[2]
    shared = set(product.tolist()) & set(special_tokens.values())
    if check and shared:
        rank = int(np.isin(product, list(shared)).argmax())
        return OrderCheck(False, rank, f"merge {rank:,} makes a special token")
    return check


def renumbered_specials(
    alphabet: Alphabet,
    products: NDArray[np.int32],
    kept: NDArray[np.int32],
    special_tokens: Mapping[str, int],
) -> dict[str, int]:
    """Return the specials of a shorter merge list: those that directly follow the merges move down with them.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens.
    products : ndarray of int32
        Products of all merges.
    kept : ndarray of int32
        Products of the merges that stay.
    special_tokens : mapping of str to int
        By ascending id.

    Returns
    -------
    dict of str to int
        Specials before or far after the merges keep their ids.
    """
    following = max(alphabet.next_id - 1, int(products.max(initial=-1))) + 1
    moving: list[str] = []
    for text, token in special_tokens.items():
        if token == following:
            moving.append(text)
            following += 1
    specials = {text: token for text, token in special_tokens.items() if text not in moving}
    free = max(alphabet.next_id - 1, int(kept.max(initial=-1))) + 1
    taken = set(specials.values())
    for text in moving:
        while free in taken:
            free += 1
        specials[text] = free
        free += 1
    return specials
