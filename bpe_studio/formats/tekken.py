"""Mistral's ``tekken.json``: tokens with ranks and a split pattern, as tiktoken takes them.

The file may list more tokens than are used. Ids of special tokens are their ranks; a token's id is its rank
plus the number of special tokens, which fillers bring up to what the file says.
"""

from __future__ import annotations

import base64
import binascii

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import resolve_expression
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.assembling import tokenizer_of_ranks
from bpe_studio.formats.content import Content
from bpe_studio.formats.expressions import check_travels
from bpe_studio.formats.fields import Fields

#: The special tokens of files that list none; from version 8 on each file lists its own.
UNLISTED = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]",
    "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)  # fmt: skip
OLD_VERSIONS = ("v1", "v2", "v3", "v7")

MAX_SPECIALS = 1 << 20


def recognises(content: Content) -> bool:
    """Return whether a file has the settings and the list of tokens of this format."""
    value = content.json_object
    config = value.get("config")
    return isinstance(config, dict) and "default_num_special_tokens" in config and "vocab" in value


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        Naming the field and what is wrong with it.
    """
    fields = Fields(content.json)
    config = fields.fields("config")
    n_specials = config.integer("default_num_special_tokens", most=MAX_SPECIALS)
    n_tokens = config.integer("default_vocab_size", n_specials, MAX_ID) - n_specials
    items = fields.list("vocab")
    if n_tokens > len(items):
        raise FormatError(
            f"config asks for {n_tokens:,} tokens besides special ones; vocab has {len(items):,}."
        )
    ranks: dict[bytes, int] = {}
    for rank in range(n_tokens):
        place = f"vocab[{rank}]"
        item = Fields(items[rank], place)
        if item.integer("rank") != rank:
            raise FormatError(f"{place}.rank must be {rank:,}: tokens stand in the order of their ranks.")
        token = _decoded(item.text("token_bytes"), place)
        if token in ranks:
            raise FormatError(f"{place} repeats the token of vocab[{ranks[token] - n_specials}].")
        ranks[token] = rank + n_specials
    expression = config.text("pattern")
    check_travels(expression)
    tokenizer = tokenizer_of_ranks(ranks, resolve_expression(expression), _specials(fields, n_specials))
    tokenizer.tokens  # noqa: B018 - made and checked on first use, which is now
    return tokenizer


def _decoded(text: str, place: str) -> bytes:
    try:
        token = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"{place}.token_bytes is not base64.") from error
    if not token:
        raise FormatError(f"{place}.token_bytes is empty.")
    return token


def _specials(fields: Fields, n_specials: int) -> dict[str, int]:
    if "special_tokens" in fields and fields.any("special_tokens") is not None:
        ids = {item.text("token_str"): item.integer("rank") for item in fields.objects("special_tokens")}
        n_listed = len(fields.list("special_tokens"))
    else:
        version = fields.fields("config").text("version")
        if version not in OLD_VERSIONS:
            raise FormatError(f"special_tokens is missing, which a file of version {version[:20]} must have.")
        ids, n_listed = {text: rank for rank, text in enumerate(UNLISTED)}, len(UNLISTED)
    fillers = {f"<SPECIAL_{rank}>": rank for rank in range(n_listed, n_specials)}
    both = ids | fillers
    if len(both) < n_listed + len(fillers) or sorted(both.values()) != list(range(n_specials)):
        raise FormatError(
            f"special_tokens must have each rank from 0 once, {n_specials:,} at most, and no text twice."
        )
    return both
