"""The vocabulary in a GGUF file, as llama.cpp keeps models: pieces with scores, or merges of bytes.

A file of the second kind names its split pattern and does not hold it; only names whose pattern is published
are read. Where llama.cpp differs from the library that the vocabulary comes from, that library is followed.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.normalizing import Step
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.sentencepiece_normalizer import SentencePieceNormalizer
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.assembling import byte_alphabet, tokenizer_of_pairs
from bpe_studio.formats.byte_letters import bytes_of
from bpe_studio.formats.content import Content
from bpe_studio.formats.fields import Fields
from bpe_studio.formats.gguf_header import MAGIC, key_values
from bpe_studio.formats.piece_vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
    tokenizer_of_pieces,
)

PREFIX = "tokenizer.ggml."


@dataclass(frozen=True)
class SplitName:
    """What a name of a split pattern stands for.

    Parameters
    ----------
    names : tuple of str
        As the key ``tokenizer.ggml.pre`` has them.
    pattern : str
        A name or an expression, see `resolve_pattern`.
    whole_first : bool
        Whether a pre-token that is a token is taken whole.
    normalizer : tuple of Step
        What the library that the vocabulary comes from does to a text first.
    """

    names: tuple[str, ...]
    pattern: str
    whole_first: bool = False
    normalizer: tuple[Step, ...] = ()


_WORD = r"[^\r\n\p{L}\p{N}]?"
_CAPITALS, _SMALL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

SPLIT_NAMES = (
    SplitName(("gpt-2",), "gpt2"),
    SplitName(("llama-bpe", "llama-v3", "llama3"), "gpt4", whole_first=True),
    SplitName(("dbrx",), "gpt4"),
    SplitName(("gpt-4o",), "o200k"),
    SplitName(
        ("qwen2",),
        rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|{_WORD}\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        normalizer=(("NFC",),),
    ),
    SplitName(
        ("tekken",),
        rf"{_WORD}{_CAPITALS}*{_SMALL}+|{_WORD}{_CAPITALS}+{_SMALL}*|\p{{N}}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        whole_first=True,
    ),
)


def recognises(content: Content) -> bool:
    """Return whether a file begins as all GGUF files do."""
    return content.data.startswith(MAGIC)


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file; its tensors are not looked at.

    Raises
    ------
    FormatError
        Naming the key and what is wrong with it, or what is not done here.
    """
    values = Fields(key_values(content.data))
    readers = {"llama": _of_pieces, "gpt2": _of_merges}
    if f"{PREFIX}model" not in values:
        raise FormatError(f"the file holds no vocabulary: it has no {PREFIX}model.")
    tokenizer = readers[values.choice(f"{PREFIX}model", tuple(readers))](values)
    tokenizer.tokens  # noqa: B018 - made and checked on first use, which is now
    return tokenizer


def _pieces(values: Fields) -> list[Piece]:
    texts = values.texts(f"{PREFIX}tokens")
    kinds = _numbers(values, "token_type", int, len(texts), NORMAL)
    scores = _numbers(values, "scores", float, len(texts), 0.0)
    return [Piece(text, score, kind) for text, score, kind in zip(texts, scores, kinds, strict=True)]


def _numbers(values: Fields, name: str, kind: type, n: int, default: Any) -> list[Any]:
    key = PREFIX + name
    found: list[Any] = values.list(key) if key in values else [default] * n
    if len(found) != n or any(type(value) is not kind for value in found):
        raise FormatError(f"{key} must have {n:,} numbers, one for each token.")
    return found


def _flag(values: Fields, name: str, default: bool) -> bool:
    return values.flag(PREFIX + name) if PREFIX + name in values else default


# ---- pieces with scores ------------------------------------------------------------------------------------


def _of_pieces(values: Fields) -> Tokenizer:
    pieces = _pieces(values)
    if f"{PREFIX}scores" not in values:
        raise FormatError(f"{PREFIX}scores is missing.")
    if not any(piece.kind == BYTE for piece in pieces):
        raise FormatError("there are no byte pieces; what becomes of unknown characters is not known then.")
    charsmap = _charsmap(values)
    user_defined = tuple(piece.text for piece in pieces if piece.kind == USER_DEFINED)
    normalizer = SentencePieceNormalizer(
        add_dummy_prefix=_flag(values, "add_space_prefix", True),
        remove_extra_whitespaces=_flag(values, "remove_extra_whitespaces", False),
        charsmap=charsmap,
        kept=user_defined if charsmap or any(" " in text for text in user_defined) else (),
    )
    return tokenizer_of_pieces(pieces, normalizer)


def _charsmap(values: Fields) -> str:
    key = f"{PREFIX}precompiled_charsmap"
    if key not in values:
        return ""
    try:
        return base64.b64encode(bytes(values.list(key))).decode()
    except (TypeError, ValueError) as error:
        raise FormatError(f"{key} must be an array of bytes.") from error


# ---- merges of bytes ---------------------------------------------------------------------------------------


def _of_merges(values: Fields) -> Tokenizer:
    split = _split_name(values)
    texts: dict[int, dict[str, int]] = {kind: {} for kind in (NORMAL, UNUSED, CONTROL, USER_DEFINED)}
    for token, piece in enumerate(_pieces(values)):
        kind = CONTROL if piece.kind == UNKNOWN else piece.kind
        if kind not in texts or not piece.text:
            raise FormatError(f"token {token:,} ({piece.text[:40]!r}) is empty or of kind {kind}.")
        if texts[kind].setdefault(piece.text, token) != token:
            raise FormatError(f"the token {piece.text[:40]!r} is there twice.")
    plain = texts[NORMAL] | texts[UNUSED]
    ids = {bytes_of(text): token for text, token in plain.items()}
    if len(ids) < len(texts[NORMAL]) + len(texts[UNUSED]):
        raise FormatError("two of its tokens are the same bytes.")
    tokenizer = tokenizer_of_pairs(
        byte_alphabet(ids), plain, _merges(values), bytes_of, whole_first=split.whole_first
    )
    return replace(
        tokenizer, pattern=resolve_pattern(split.pattern), special_tokens=texts[CONTROL],
        added_tokens=texts[USER_DEFINED], normalizer=split.normalizer,
    )  # fmt: skip


def _split_name(values: Fields) -> SplitName:
    key = f"{PREFIX}pre"
    name = values.text(key) if key in values else "default"
    for split in SPLIT_NAMES:
        if name in split.names:
            return split
    known = ", ".join(name for split in SPLIT_NAMES for name in split.names)
    raise FormatError(f"{key} is {name[:40]!r}; the split patterns of these names are known: {known}.")


def _merges(values: Fields) -> list[tuple[str, str]]:
    """Return the two parts of each merge; of a merge that is there twice, programs take either place."""
    merges: dict[tuple[str, str], None] = {}
    for rank, text in enumerate(values.texts(f"{PREFIX}merges")):
        left, _, right = text.partition(" ")
        if not left or not right or " " in right or (left, right) in merges:
            raise FormatError(
                f"{PREFIX}merges[{rank}] must be two tokens and a blank, and not be there before; it is "
                f"{text[:40]!r}."
            )
        merges[left, right] = None
    return list(merges)
