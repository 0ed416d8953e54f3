"""Hugging Face's ``tokenizer.json``, read: byte-level and character-level BPE.

What decides ids is taken over exactly or refused by name. What only matters around a text (truncation,
padding, tokens that a post-processor puts at its ends) is left out, and said.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.assembling import byte_alphabet, character_alphabet, tokenizer_of_pairs
from bpe_studio.formats.byte_letters import BYTE_NAMES, BYTES, LETTERS, bytes_of
from bpe_studio.formats.content import Content
from bpe_studio.formats.fields import Fields, checked, integer, shown
from bpe_studio.formats.huggingface_parts import (
    added_tokens_of,
    normalizer_steps,
    pre_tokenizer_of,
)

VERSION = "1.0"
SURROGATE = re.compile("[\ud800-\udfff]")
#: Post-processors that add no token.
HARMLESS = ("ByteLevel",)


def recognises(content: Content) -> bool:
    """Return whether a JSON object has a model as tokenizer.json has it."""
    value = content.json_object
    model = value.get("model")
    return isinstance(model, dict) and ("vocab" in model or "added_tokens" in value)


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        Naming the part of the file that is wrong, or that this program does not do exactly alike.

    Warns
    -----
    UserWarning
        About what a file asks for around a text, which is not done here.
    """
    fields = Fields(content.json)
    if "version" in fields and fields.text("version") != VERSION:
        raise FormatError(f"version is {fields.text('version')[:40]!r}; {VERSION!r} is the one known.")
    _warn_of_surroundings(fields)
    pre_tokenizer = pre_tokenizer_of(fields)
    steps = (*normalizer_steps(fields), *pre_tokenizer.steps)
    model = _model(fields)
    vocabulary = vocabulary_ids(model.fields("vocab"), model.any("vocab"))
    added = added_tokens_of(fields, vocabulary, steps)
    merges = merge_pairs(model.list("merges"), model.place("merges"))
    if pre_tokenizer.byte_level:
        alphabet = byte_alphabet(bytes_in(vocabulary))
        specials = dict(added.special)
    else:
        alphabet, specials = _characters(model, vocabulary, added.special)
    tokenizer = tokenizer_of_pairs(
        alphabet,
        vocabulary,
        merges,
        bytes_of if pre_tokenizer.byte_level else str.encode,
        whole_first="ignore_merges" in model and model.flag("ignore_merges"),
        not_tokens=added.ids,
    )
    if pre_tokenizer.byte_level and tokenizer.semantics == "pairs-whole":
        _check_letters(vocabulary, added.ids)
    return replace(
        tokenizer,
        pattern=pre_tokenizer.pattern,
        special_tokens=specials,
        added_tokens=added.plain,
        normalizer=added.steps(steps),
    )


def bytes_in(vocabulary: Mapping[str, int]) -> dict[bytes, int]:
    """Return the single bytes of a vocabulary whose names are letters for bytes, with their ids."""
    return {bytes([byte]): vocabulary[letter] for byte, letter in LETTERS.items() if letter in vocabulary}


def _check_letters(vocabulary: Mapping[str, int], added: Mapping[str, int]) -> None:
    """Raise `FormatError` for a name that is no bytes' letters: as bytes, a pre-token might be it."""
    for name in vocabulary:
        if name not in added and not BYTES.keys() >= set(name):
            raise FormatError(f"model.vocab{name[:40]!r} is not made of the letters that stand for bytes.")


def _warn_of_surroundings(fields: Fields) -> None:
    for key in ("truncation", "padding"):
        if key in fields and fields.any(key) is not None:
            warnings.warn(f"{key} is set in the file; here texts are encoded whole", stacklevel=5)
    if "post_processor" in fields and fields.any("post_processor") is not None:
        kind = fields.fields("post_processor").text("type")
        if kind not in HARMLESS:
            warnings.warn(
                f"the post-processor ({kind[:40]}) may put special tokens around a text; here none are",
                stacklevel=5,
            )


def _model(fields: Fields) -> Fields:
    """Return the model, after checking that it is of a kind that we do alike."""
    model = fields.fields("model")
    kind = model.text("type") if "type" in model else "BPE"
    if kind != "BPE" or "merges" not in model:
        raise FormatError(f"model.type is {kind[:40]!r}; only 'BPE' is byte pair encoding.")
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        if key in model and model.any(key) not in (None, ""):
            raise FormatError(f"model.{key} is {shown(model.any(key))}, which is not supported.")
    if "dropout" in model and model.any("dropout") not in (None, 0):
        raise FormatError("model.dropout is set: the same text would have other tokens each time.")
    return model


def vocabulary_ids(fields: Fields, value: Any) -> Mapping[str, int]:
    """Return a vocabulary, text → id, after checking that ids are ids and no two tokens share one."""
    place = fields.place("")
    texts: dict[int, str] = {}
    for text, token in checked(value, dict, place).items():
        if type(token) is not int or not 0 <= token <= MAX_ID:
            integer(token, f"{place}{shown(text)}", most=MAX_ID)
        if token in texts:
            raise FormatError(f"{place}{shown(text)} has the id {token:,}, as {shown(texts[token])} has.")
        texts[token] = text
    if SURROGATE.search("".join(texts.values())):
        text = next(text for text in texts.values() if SURROGATE.search(text))
        raise FormatError(f"{place}{shown(text)} holds a lone surrogate.")
    found: Mapping[str, int] = value
    return found


def merge_pairs(rows: Sequence[Any], place: str) -> list[tuple[str, str]]:
    """Return merges given as pairs, or as texts with one blank between the parts as older files have them."""
    pairs: list[tuple[str, str]] = []
    texts = bool(rows) and isinstance(rows[0], str)
    for rank, row in enumerate(rows):
        if not isinstance(row, str if texts else list):
            raise FormatError(
                f"{place}[{rank}] must be a pair of texts, as all others, or all must be texts."
            )
        parts = row.split(" ") if isinstance(row, str) else row
        if len(parts) != 2 or not all(isinstance(part, str) for part in parts):
            what = "two texts with one blank between" if texts else "a pair of texts"
            raise FormatError(f"{place}[{rank}] must be {what}.")
        pairs.append((parts[0], parts[1]))
    return pairs


def _characters(
    model: Fields, vocabulary: Mapping[str, int], special: Mapping[str, int]
) -> tuple[Alphabet, dict[str, int]]:
    """Return an alphabet of characters, and the special tokens without the unknown one."""
    characters = {text: token for text, token in vocabulary.items() if len(text) == 1}
    byte_ids = [vocabulary[name] for name in BYTE_NAMES if name in vocabulary]
    falls_back = "byte_fallback" in model and model.flag("byte_fallback") and bool(byte_ids)
    if falls_back and len(byte_ids) < 256:
        raise FormatError(
            f"model.byte_fallback is true, but only {len(byte_ids)} of the 256 bytes have a token."
        )
    unknown = model.text_or_none("unk_token") if "unk_token" in model else None
    spelled = byte_ids if falls_back else ()
    # With bytes for all characters no text becomes the unknown token: if a special one, it is no more.
    if unknown is None or falls_back and unknown in special:
        return character_alphabet(characters, spelled), dict(special)
    if unknown not in vocabulary:
        raise FormatError(f"model.unk_token is {unknown[:40]!r}, which is not in the vocabulary.")
    rest = {text: token for text, token in special.items() if text != unknown}
    characters.pop(unknown, None)
    if len(rest) < len(special):
        warnings.warn(
            f"{unknown[:40]!r} in a text is not read as the unknown token, which it names", stacklevel=5
        )
    fuses = "fuse_unk" in model and model.flag("fuse_unk")
    if len(unknown) == 1 and (fuses or falls_back):
        raise FormatError(f"model.unk_token is {unknown!r}, one character, and so known to the library.")
    alphabet = character_alphabet(characters, spelled, (unknown, vocabulary[unknown]))
    return replace(alphabet, fuse_unknown=fuses), rest
