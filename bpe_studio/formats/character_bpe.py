"""The tutorial's ``character_bpe`` JSON: characters, merges of texts, a fingerprint.

Ids are the base tokens in their order, then the product of each merge in order; a product that is a token
already takes no new id.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Sequence

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.content import Content
from bpe_studio.formats.fields import Fields, checked
from bpe_studio.formats.reports import TRAINING_LOST

TYPE = "character_bpe"

Merge = Sequence[str]


def recognises(content: Content) -> bool:
    """Return whether a file says that it is of this type."""
    return content.json_object.get("type") == TYPE


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        Naming the key and what is wrong with it.

    Warns
    -----
    UserWarning
        If the file has no fingerprint, as older ones have none.
    """
    fields = Fields(content.json)
    base = fields.texts("base_tokens")
    _check_base(base)
    merges = [_merge(item, f"merges[{rank}]") for rank, item in enumerate(fields.list("merges"))]
    products = _product_ids(base, merges)
    ids = {text: token for token, text in enumerate(base)} | {
        left + right: token for (left, right), token in zip(merges, products, strict=True)
    }
    n_tokens = fields.integer("vocab_size")
    if n_tokens != len(ids):
        raise FormatError(f"vocab_size is {n_tokens:,}, but base tokens and merges make {len(ids):,} tokens.")
    _check_fingerprint(fields, base, merges)
    left_ids = [ids[left] for left, _ in merges]
    right_ids = [ids[right] for _, right in merges]
    alphabet = Alphabet("characters", characters=base)
    return Tokenizer(alphabet, left_ids, right_ids, products, resolve_pattern("none"))  # type: ignore[arg-type]


def write(tokenizer: Tokenizer) -> bytes:
    """Return a file's bytes; see `refusals`."""
    base = tokenizer.alphabet.characters
    merges = [list(pair) for pair in _text_merges(tokenizer)]
    value = {
        "type": TYPE,
        "base_tokens": base,
        "merges": merges,
        "vocab_size": tokenizer.vocab_size,
        "fingerprint": fingerprint(base, merges),
    }
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return what a file does not keep."""
    if tokenizer.training is None:
        return ()
    return (TRAINING_LOST,)


def refusals(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written in this format; empty if it can."""
    alphabet = tokenizer.alphabet
    if alphabet.kind != "characters":
        return ("its alphabet is bytes, and the format holds characters",)
    found = {
        f"it has the split pattern {tokenizer.pattern.name!r}": tokenizer.pattern.expression is not None,
        "it has special tokens": bool(tokenizer.special_tokens),
        "it has an unknown token": alphabet.unknown_id is not None,
        "it falls back to bytes": alphabet.byte_fallback,
        f"its merges go by {tokenizer.semantics!r}": tokenizer.semantics != "pairs",
        "it has a normalizer": bool(tokenizer.normalizer),
        "it has added tokens that are found in any text": bool(tokenizer.added_tokens),
        "it has tokens that no merge makes": bool(tokenizer.unmerged),
    }
    reasons = tuple(reason for reason, holds in found.items() if holds)
    if not reasons and not _ids_follow(tokenizer):
        return ("its token ids are not numbered in the order of its merges",)
    return reasons


def fingerprint(base: Sequence[str], merges: Sequence[Merge]) -> str:
    """Return the sha256 that the format defines.

    Examples
    --------
    >>> fingerprint(["a", "b", "é", " "], [["a", "b"], ["ab", "é"]])[:16]
    'f0ce5b73988a1de5'
    """
    value = {"base_tokens": list(base), "merges": [list(merge) for merge in merges]}
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _text_merges(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    return [(str(left), str(right)) for left, right in tokenizer.merges]


def _ids_follow(tokenizer: Tokenizer) -> bool:
    ids = _product_ids(tokenizer.alphabet.characters, _text_merges(tokenizer))
    return tokenizer.alphabet.first_id == 0 and ids == tokenizer.product.tolist()


def _product_ids(base: Sequence[str], merges: Sequence[Merge]) -> list[int]:
    """Return the id of each merge's product, after checking that its parts are known before it."""
    ids = {text: token for token, text in enumerate(base)}
    products: list[int] = []
    for rank, (left, right) in enumerate(merges):
        for part in (left, right):
            if part not in ids:
                raise FormatError(
                    f"merges[{rank}] uses {part[:80]!r}, which is no base token and no earlier product."
                )
        products.append(ids.setdefault(left + right, len(ids)))
    return products


def _merge(item: object, place: str) -> tuple[str, str]:
    pair = checked(item, list, place)
    if len(pair) != 2:
        raise FormatError(f"{place} must be a pair of texts, not {len(pair):,} items.")
    left, right = (checked(part, str, f"{place}[{index}]") for index, part in enumerate(pair))
    return left, right


def _check_base(base: Sequence[str]) -> None:
    seen: set[str] = set()
    for index, token in enumerate(base):
        place = f"base_tokens[{index}]"
        if not token:
            raise FormatError(f"{place} is empty.")
        if token in seen:
            raise FormatError(f"{place} repeats {token[:80]!r}.")
        if any("\ud800" <= character <= "\udfff" for character in token):
            raise FormatError(f"{place} holds a lone surrogate.")
        seen.add(token)


def _check_fingerprint(fields: Fields, base: Sequence[str], merges: Sequence[Merge]) -> None:
    if "fingerprint" not in fields:
        warnings.warn("the file has no fingerprint, so it could not be checked for damage", stacklevel=5)
    elif fields.text("fingerprint") != fingerprint(base, merges):
        raise FormatError(
            "the fingerprint does not match base_tokens and merges: the file was changed or damaged."
        )
