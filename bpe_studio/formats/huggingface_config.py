"""The ``tokenizer_config.json`` that transformers wants beside a tokenizer's files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.normalizing import CUT
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.content import Content

CONFIG = "tokenizer_config.json"


def beside(tokenizer: Tokenizer, path: Path) -> dict[str, bytes]:
    """Return the configuration beside a file named ``tokenizer.json``; what others wrote into it stays."""
    if path.name != "tokenizer.json":
        return {}
    return {CONFIG: config(tokenizer, Content(path, b"").sibling(CONFIG), "PreTrainedTokenizerFast")}


def config(tokenizer: Tokenizer, old: Content | None, kind: str, more: Mapping[str, Any] = {}) -> bytes:
    """Return a tokenizer_config.json.

    Parameters
    ----------
    tokenizer : Tokenizer
        What it is for.
    old : Content or None
        The one there is: keys that are not ours stay, such as a chat template.
    kind : str
        transformers' name of the class, unless the old file has one.
    more : mapping of str to object
        Further keys.
    """
    try:
        before = {} if old is None else dict(old.json_object)
    except FormatError:
        before = {}
    ours: dict[str, Any] = {
        "added_tokens_decoder": {str(token): entry for token, entry in added_tokens(tokenizer).items()},
        "clean_up_tokenization_spaces": False,
        **more,
    }
    if tokenizer.alphabet.unknown_token is not None:
        ours["unk_token"] = tokenizer.alphabet.unknown_token
    value = {"tokenizer_class": kind} | before | ours
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def added_tokens(tokenizer: Tokenizer) -> dict[int, dict[str, Any]]:
    """Return the entries of special and added tokens by id, as both files have them."""
    before = not tokenizer.normalizer or CUT in tokenizer.normalizer
    rows = [(token, text, True, False) for text, token in tokenizer.special_tokens.items()]
    rows += [(token, text, False, not before) for text, token in tokenizer.added_tokens.items()]
    return {
        token: {
            "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": late,
            "special": special,
        }
        for token, text, special, late in sorted(rows)
    }  # fmt: skip
