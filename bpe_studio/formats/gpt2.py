"""GPT-2's pair of files: ``vocab.json`` (token → id) and ``merges.txt`` (two parts a line).

The two hold neither the split pattern nor which tokens are special. A ``tokenizer_config.json`` beside them,
as transformers has it, tells the special tokens; we write the pattern into it too. Without it the pattern is
GPT-2's, and tokens such as ``<|endoftext|>`` that no merge makes are special.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.named_patterns import BY_NAME
from bpe_studio.engine.patterns import SplitPattern, chained, resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.assembling import byte_alphabet, character_alphabet, tokenizer_of_pairs
from bpe_studio.formats.byte_letters import LETTERS, bytes_of
from bpe_studio.formats.content import Content
from bpe_studio.formats.fields import Fields
from bpe_studio.formats.huggingface import bytes_in, vocabulary_ids
from bpe_studio.formats.huggingface_config import CONFIG, config
from bpe_studio.formats.huggingface_parts import AddedTokens, added_tokens_of
from bpe_studio.formats.huggingface_writing import check_order, names_of
from bpe_studio.formats.reports import TRAINING_LOST

HEADER = "#version"
FIRST_LINE = b"#version: 0.2\n"
#: Names under which the pair is found, vocabulary and merges.
NAMES = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
PATTERN_KEY = "split_pattern"
LOOKS_SPECIAL = re.compile(r"<[^<>\s]+>|\[[A-Z_]+\]")
#: Python's own idea of lines ends them at U+0085 and U+2028 too, which may be part of a token.
MERGE = re.compile(r"([^ ]+) ([^ ]+)")


def recognises(content: Content) -> bool:
    """Return whether a file is one of the two."""
    if content.looks_like_json:
        value = content.json_object
        is_named = content.path.name.endswith(tuple(vocabulary for vocabulary, _ in NAMES))
        # Texts that list numbers are JSON objects of this kind too.
        ids = bool(value) and all(type(token) is int for token in value.values())
        return ids and (is_named or _partner(content) is not None)
    start = content.data[:200]
    return start.startswith(HEADER.encode()) or (
        content.path.name.endswith(tuple(merges for _, merges in NAMES)) and _partner(content) is not None
    )


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of the pair that a file is part of.

    Raises
    ------
    FormatError
        Naming the file and the line or token that is wrong.
    """
    vocabulary = vocabulary_of(content)
    merges = merges_of(content)
    is_bytes = vocabulary.keys() >= set(LETTERS.values())
    given = _config(content)
    added = _added(given, vocabulary)
    specials = dict(added.special)
    if is_bytes:
        alphabet = byte_alphabet(bytes_in(vocabulary))
    else:
        alphabet = character_alphabet({name: token for name, token in vocabulary.items() if len(name) == 1})
    tokenizer = tokenizer_of_pairs(
        alphabet, vocabulary, merges, bytes_of if is_bytes else str.encode, not_tokens=added.ids
    )
    if given is None:
        made = {*tokenizer.product.tolist(), *alphabet.token_ids}
        specials = {
            name: token
            for name, token in vocabulary.items()
            if token not in made and LOOKS_SPECIAL.fullmatch(name)
        }
        unmerged = {
            token: data for token, data in tokenizer.unmerged.items() if token not in specials.values()
        }
        tokenizer = replace(tokenizer, unmerged=unmerged)
    pattern = _pattern(given) or resolve_pattern("gpt2" if is_bytes else "none")
    return replace(tokenizer, pattern=pattern, special_tokens=specials, added_tokens=added.plain)


def vocabulary_of(content: Content) -> Mapping[str, int]:
    """Return the vocabulary of the pair that a file is part of."""
    value = _pair(content)[0].json
    return vocabulary_ids(Fields({"vocab": value}).fields("vocab"), value)


def merges_of(content: Content) -> list[tuple[str, str]]:
    """Return the merges of the pair that a file is part of.

    Raises
    ------
    FormatError
        Naming the line.
    """
    file = _pair(content)[1]
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{file.path.name}: byte {error.object[error.start]:#04x} at offset {error.start:,} is not UTF-8."
        ) from error
    return list(_merges(text, file.path.name))


def _merges(text: str, name: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if line.startswith(HEADER):
            continue
        found = MERGE.fullmatch(line)
        if found is None:
            raise FormatError(
                f"{name}, line {number:,}: must be two tokens with one blank between, not {line[:40]!r}."
            )
        yield found[1], found[2]


def _pair(content: Content) -> tuple[Content, Content]:
    partner = _partner(content)
    if partner is None:
        other = "merges.txt" if content.looks_like_json else "vocab.json"
        raise FormatError(f"half of GPT-2's pair of files: the {other} that belongs to it is not beside it.")
    return (content, partner) if content.looks_like_json else (partner, content)


def _partner(content: Content) -> Content | None:
    mine = 0 if content.looks_like_json else 1
    names = [
        content.path.name.removesuffix(pair[mine]) + pair[1 - mine]
        for pair in NAMES
        if content.path.name.endswith(pair[mine])
    ]
    if not mine:
        names.append(f"{content.path.stem}-merges.txt")
    return next((found for name in names if (found := content.sibling(name)) is not None), None)


def _config(content: Content) -> Fields | None:
    name = _pair(content)[0].path.name
    stem = name.removesuffix("vocab.json") if name.endswith("vocab.json") else f"{Path(name).stem}-"
    file = content.sibling(stem + CONFIG)
    return None if file is None or "added_tokens_decoder" not in file.json_object else Fields(file.json)


def _added(given: Fields | None, vocabulary: Mapping[str, int]) -> AddedTokens:
    """Return the added tokens that the configuration tells."""
    rows: list[dict[str, Any]] = []
    ids: dict[str, int] = {}
    entries = Fields({}) if given is None else given.fields("added_tokens_decoder")
    for key in () if given is None else given.any("added_tokens_decoder"):
        text = entries.fields(key).text("content")
        if not key.isascii() or not key.isdecimal() or len(key) > 10 or int(key) > MAX_ID:
            raise FormatError(
                f"{CONFIG}: added_tokens_decoder has the key {key[:40]!r}, which is no token id."
            )
        ids[text] = int(key)
        if vocabulary.get(text, int(key)) != int(key):
            raise FormatError(
                f"{CONFIG}: {text[:40]!r} has the id {key}, but {vocabulary[text]:,} in the vocabulary."
            )
        rows.append({**entries.any(key), "id": int(key)})
    return added_tokens_of(Fields({"added_tokens": rows}), ids, ())


def _pattern(given: Fields | None) -> SplitPattern | None:
    if given is None or PATTERN_KEY not in given:
        return None
    value = given.any(PATTERN_KEY)
    return chained([None] if value is None else given.texts(PATTERN_KEY))


# ---- writing -----------------------------------------------------------------------------------------------


def refusals(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written in this format; empty if it can."""
    alphabet = tokenizer.alphabet
    found = {
        f"its merges go by {tokenizer.semantics!r}, not by pair": tokenizer.semantics
        not in ("pairs", "pairs-leftmost"),
        "it has a normalizer": bool(tokenizer.normalizer),
        "it has added tokens that are found in any text": bool(tokenizer.added_tokens),
        "it has an unknown token": alphabet.unknown_id is not None,
        "it falls back to bytes": alphabet.byte_fallback,
        "it has an empty token": b"" in tokenizer.unmerged.values(),
    }
    reasons = [reason for reason, holds in found.items() if holds]
    pairs = set(zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True))
    if len(pairs) < tokenizer.n_merges:
        reasons.append("it lists a pair twice")
    try:
        names = names_of(tokenizer)
        check_order(tokenizer)
    except FormatError as error:
        return (*reasons, str(error).rstrip("."))
    for left, right in pairs:
        line = f"{names[left]} {names[right]}"
        if MERGE.fullmatch(line) is None or line.startswith(HEADER) or "\n" in line or line.endswith("\r"):
            reasons.append(f"the merge {line[:40]!r} holds a blank or a line break, which a line cannot")
            break
    return tuple(reasons)


def lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return what the files do not keep."""
    usual = "gpt2" if tokenizer.alphabet.kind == "bytes" else "none"
    found = {
        TRAINING_LOST: (tokenizer.training is not None),
        "Other programs take GPT-2's split pattern, not this one, and find other tokens.": (
            tokenizer.pattern.value != BY_NAME[usual].expression
        ),
        f"Which tokens are special is in {CONFIG} alone, not in the two files.": bool(
            tokenizer.special_tokens
        ),
    }
    return tuple(sentence for sentence, holds in found.items() if holds)


def write(tokenizer: Tokenizer) -> bytes:
    """Return the bytes of vocab.json; see `refusals`."""
    names = names_of(tokenizer)
    # As OpenAI's own file is made, so that writing GPT-2 gives that file.
    return json.dumps({name: token for token, name in names.items()}).encode()


def beside(tokenizer: Tokenizer, path: Path) -> dict[str, bytes]:
    """Return the files beside vocab.json by name."""
    if path.name.endswith(".txt"):
        raise FormatError("name the vocabulary's file, such as vocab.json; merges.txt is written beside it.")
    stem = path.name.removesuffix("vocab.json") if path.name.endswith("vocab.json") else f"{path.stem}-"
    names = names_of(tokenizer)
    pairs = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True)
    lines = [f"{names[left]} {names[right]}\n".encode() for left, right in pairs]
    old = Content(path, b"").sibling(stem + CONFIG)
    pattern = tokenizer.pattern
    value = None if pattern.expression is None else [pattern.expression, *pattern.then]
    return {
        f"{stem}merges.txt": FIRST_LINE + b"".join(lines),
        stem + CONFIG: config(tokenizer, old, "GPT2Tokenizer", {PATTERN_KEY: value}),
    }
