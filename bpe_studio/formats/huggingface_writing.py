"""Hugging Face's ``tokenizer.json``, written; see `huggingface_config` for the file beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from json.encoder import encode_basestring as quoted
from typing import Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.named_patterns import BY_NAME
from bpe_studio.engine.normalizing import CUT, Step, normalized
from bpe_studio.engine.patterns import chained
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.assembling import made_later, tokenizer_of_pairs
from bpe_studio.formats.byte_letters import BYTE_NAMES, bytes_of, letters_of
from bpe_studio.formats.expressions import from_oniguruma, to_oniguruma
from bpe_studio.formats.huggingface import VERSION
from bpe_studio.formats.huggingface_config import added_tokens
from bpe_studio.formats.huggingface_parts import BEFORE_BLANKS, BLANK, check_apart
from bpe_studio.formats.recovery import pairs_of_ranks
from bpe_studio.formats.reports import TRAINING_LOST

PAIRS = ("pairs", "pairs-leftmost", "pairs-whole")
#: Semantics that take a pre-token whole if it is a token.
WHOLE = ("pairs-whole", "ranks")


def kept(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer as a file holds it: its pattern as Oniguruma takes it, ranks as merges by pair."""
    pattern = tokenizer.pattern
    if pattern.expression is not None:
        written = map(to_oniguruma, (pattern.expression, *pattern.then))
        pattern = chained([from_oniguruma(each) for each in written])
    if pattern != tokenizer.pattern:
        tokenizer = replace(tokenizer, pattern=pattern)
    return by_pairs(tokenizer)


def by_pairs(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer as a list of pairs is read: what gives the same ids under "pairs" is that.

    Parameters
    ----------
    tokenizer : Tokenizer
        By pairs, or by ranks of bytes.
    """
    if tokenizer.semantics == "pairs":
        return tokenizer
    names = names_of(tokenizer)
    rows = _rows(tokenizer) if tokenizer.semantics != "ranks" else pairs_of_ranks(tokenizer)
    made = tokenizer_of_pairs(
        tokenizer.alphabet,
        {name: token for token, name in names.items()},
        [(names[left], names[right]) for left, right, _ in rows],
        bytes_of if tokenizer.alphabet.kind == "bytes" else str.encode,
        whole_first=tokenizer.semantics in WHOLE,
        not_tokens={*tokenizer.special_tokens, *tokenizer.added_tokens},
    )
    return replace(
        tokenizer, left=made.left, right=made.right, product=made.product, semantics=made.semantics,
        unmerged=made.unmerged,
    )  # fmt: skip


def refusals(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written in this format; empty if it can."""
    if tokenizer.semantics not in (*PAIRS, "ranks"):
        return (f"its merges go by {tokenizer.semantics!r}, which Hugging Face's library does not know",)
    if tokenizer.semantics == "ranks" and tokenizer.alphabet.kind != "bytes":
        return ("its merges go by ranks, and its alphabet is characters",)
    reasons: list[str] = []
    for check in (
        _pre_tokenizer,
        _normalizer,
        names_of,
        check_order,
        _check_unknown,
        _check_whole,
        _check_added,
    ):
        try:
            check(tokenizer)
        except FormatError as error:
            reasons.append(str(error).rstrip("."))
    pairs = set(zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True))
    if len(pairs) < tokenizer.n_merges:
        reasons.append(
            "it lists a pair twice, and Hugging Face's library goes by the last place, not the first"
        )
    if tokenizer.ranks:
        reasons.append("its ranks are not its ids")
    if b"" in tokenizer.unmerged.values():
        reasons.append("it has an empty token")
    return tuple(reasons)


def check_order(tokenizer: Tokenizer) -> None:
    """Raise `FormatError` if joining pairs one by one may make other tokens than joining them everywhere.

    Parameters
    ----------
    tokenizer : Tokenizer
        Of any semantics; only "pairs" joins everywhere at once.
    """
    if tokenizer.semantics == "pairs" and made_later(set(tokenizer.alphabet.token_ids), _rows(tokenizer)):
        raise FormatError("a merge uses a token that a later merge makes too, which others join sooner")


def _check_unknown(tokenizer: Tokenizer) -> None:
    alphabet = tokenizer.alphabet
    if len(alphabet.unknown_token or "") == 1 and (alphabet.fuse_unknown or alphabet.byte_fallback):
        raise FormatError(
            f"the unknown token {alphabet.unknown_token!r} is one character, which would be known there"
        )


def _check_whole(tokenizer: Tokenizer) -> None:
    """Raise `FormatError` if a pre-token would be taken whole for a special or added token."""
    if tokenizer.semantics not in WHOLE:
        return
    for name in (*tokenizer.special_tokens, *tokenizer.added_tokens):
        try:
            text = bytes_of(name).decode() if tokenizer.alphabet.kind == "bytes" else name
        except (FormatError, UnicodeDecodeError):
            continue
        if tokenizer.pattern.split(text) == [text]:
            raise FormatError(f"the text {text[:40]!r} would become the special token {name[:40]!r} there")


def _check_added(tokenizer: Tokenizer) -> None:
    check_apart(tokenizer.special_tokens, tokenizer.added_tokens)


def _rows(tokenizer: Tokenizer) -> list[tuple[int, int, int]]:
    columns = (tokenizer.left.tolist(), tokenizer.right.tolist(), tokenizer.product.tolist())
    return list(zip(*columns, strict=True))


def lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return what a file does not keep."""
    alphabet = tokenizer.alphabet
    found = {
        TRAINING_LOST: (tokenizer.training is not None),
        "Hugging Face's library finds special tokens in any text, unless told otherwise.": bool(
            tokenizer.special_tokens
        ),
        "Hugging Face's library drops characters outside the alphabet; here they are an error.": (
            alphabet.kind == "characters" and not alphabet.byte_fallback and alphabet.unknown_id is None
        ),
        "Merges go by pair there, not by the joined bytes; a token that no merge makes has all its splits.": (
            tokenizer.semantics == "ranks"
        ),
    }
    return tuple(sentence for sentence, holds in found.items() if holds)


# ---- the file ----------------------------------------------------------------------------------------------


def write(tokenizer: Tokenizer, *, merges_as_texts: bool = False) -> bytes:
    """Return a file's bytes; see `refusals`.

    Parameters
    ----------
    tokenizer : Tokenizer
        What to write.
    merges_as_texts : bool
        Whether a merge is "a b", as versions of tokenizers before 0.20 want it, rather than ["a", "b"].
    """
    tokenizer = kept(tokenizer)
    names = names_of(tokenizer)
    alphabet = tokenizer.alphabet
    model: dict[str, Any] = {
        "type": "BPE",
        "dropout": None,
        "unk_token": alphabet.unknown_token,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": alphabet.fuse_unknown,
        "byte_fallback": alphabet.byte_fallback,
        "ignore_merges": tokenizer.semantics == "pairs-whole",
        "vocab": {},
        "merges": [],
    }
    value = {
        "version": VERSION,
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": token, **entry} for token, entry in added_tokens(tokenizer).items()],
        "normalizer": _normalizer(tokenizer),
        "pre_tokenizer": _pre_tokenizer(tokenizer),
        "post_processor": _byte_level(trim_offsets=False) if alphabet.kind == "bytes" else None,
        "decoder": _decoder(tokenizer),
        "model": model,
    }
    text = json.dumps(value, ensure_ascii=False, indent=2)
    # A line each: json breaks lines everywhere or nowhere, and slowly. In a text these quotes are escaped.
    vocabulary = [f"{quoted(name)}: {token}" for token, name in names.items()]
    text = text.replace('"vocab": {}', f'"vocab": {{{_lines(vocabulary)}}}')
    return text.replace(
        '"merges": []', f'"merges": [{_lines(_merges(tokenizer, names, merges_as_texts))}]'
    ).encode()


def _merges(tokenizer: Tokenizer, names: Mapping[int, str], as_texts: bool) -> list[str]:
    pairs = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True)
    if as_texts:
        return [quoted(f"{names[left]} {names[right]}") for left, right in pairs]
    parts = {token: quoted(name) for token, name in names.items()}
    return [f"[{parts[left]}, {parts[right]}]" for left, right in pairs]


def _lines(items: list[str]) -> str:
    return "\n      " + ",\n      ".join(items) + "\n    " if items else ""


def refusals_of_texts(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written with merges as texts; empty if it can."""
    reasons = refusals(tokenizer)
    if not reasons and tokenizer.alphabet.kind == "characters":
        parts = {*tokenizer.left.tolist(), *tokenizer.right.tolist()}
        if any(b" " in tokenizer.tokens[part] for part in parts):
            return ("it has a token with a blank, which merges as texts cannot hold",)
    return reasons


def names_of(tokenizer: Tokenizer) -> dict[int, str]:
    """Return the name of each token in the vocabulary, by id.

    Raises
    ------
    FormatError
        If two tokens would have one name.
    """
    name: Callable[[bytes], str] = letters_of if tokenizer.alphabet.kind == "bytes" else bytes.decode
    alphabet = tokenizer.alphabet
    stand_ins = alphabet.byte_ids if alphabet.kind == "characters" else None
    names = dict(zip(stand_ins or (), BYTE_NAMES if stand_ins else (), strict=True))
    try:
        names = {token: names.get(token) or name(data) for token, data in tokenizer.tokens.items()}
    except UnicodeDecodeError as error:
        raise FormatError("it has a token that is not whole characters") from error
    if alphabet.unknown_token is not None:
        names[alphabet.token_ids[0]] = alphabet.unknown_token
    ordinary = {*tokenizer.product.tolist(), *alphabet.token_ids}
    for text, token in (*tokenizer.special_tokens.items(), *tokenizer.added_tokens.items()):
        if token in ordinary and names[token] != text:
            raise FormatError(f"the special token {text!r} shares its id with another token")
        names[token] = text
        if alphabet.kind == "characters" and len(text) == 1 and token not in ordinary:
            raise FormatError(
                f"the special token {text!r} is one character, and so would become a base token"
            )
    ids: dict[str, int] = {}
    for token, text in names.items():
        if ids.setdefault(text, token) != token:
            raise FormatError(f"the tokens {ids[text]:,} and {token:,} would both be named {text[:40]!r}")
    return names


def _byte_level(
    *, add_prefix_space: bool = False, trim_offsets: bool = True, use_regex: bool = False
) -> dict[str, Any]:
    return {
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": trim_offsets,
        "use_regex": use_regex,
    }


def _steps(tokenizer: Tokenizer) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Return the steps of the normalizer and those of the pre-tokenizer, without that of added tokens."""
    steps = tokenizer.normalizer
    if CUT in steps and steps[0] != CUT:
        raise FormatError("its added tokens are found in the middle of normalizing")
    steps = tuple(step for step in steps if step != CUT)
    if steps and CUT not in tokenizer.normalizer:
        changed = next((text for text in tokenizer.added_tokens if normalized(text, steps) != text), None)
        if changed is not None:
            raise FormatError(f"its normalizer changes the added token {changed[:40]!r}")
    if steps[-1:] == (("kept-prefix", " "),):
        return steps[:-1], steps[-1:]
    blanks = ("replace", " ", BLANK)
    if steps[-2:] in ((blanks, ("prefix", BLANK)), (blanks, ("first-prefix", BLANK))):
        return steps[:-2], steps[-2:]
    return steps, ()


def _normalizer(tokenizer: Tokenizer) -> dict[str, Any] | None:
    written: list[dict[str, Any]] = []
    for step in _steps(tokenizer)[0]:
        kind = step[0]
        if kind in ("NFC", "NFD", "NFKC", "NFKD"):
            written.append({"type": kind})
        elif kind == "prepend":
            written.append({"type": "Prepend", "prepend": step[1]})
        elif kind == "replace":
            written.append({"type": "Replace", "pattern": {"String": step[1]}, "content": step[2]})
        else:
            raise FormatError(f"its normalizer {kind!r} is not one that Hugging Face's library has")
    if len(written) < 2:
        return written[0] if written else None
    return {"type": "Sequence", "normalizers": written}


def _pre_tokenizer(tokenizer: Tokenizer) -> dict[str, Any] | None:
    pattern, bytes_ = tokenizer.pattern, tokenizer.alphabet.kind == "bytes"
    steps = _steps(tokenizer)[1]
    expressions = [] if pattern.expression is None else [pattern.expression, *pattern.then]
    parts: list[dict[str, Any]] = []
    if steps and steps[-1][0] == "kept-prefix":
        uses_regex = expressions == [BY_NAME["gpt2"].expression]
        if not bytes_ or (expressions and not uses_regex):
            raise FormatError("it puts a blank before a text, which only goes with GPT-2's pattern or none")
        return _byte_level(add_prefix_space=True, use_regex=uses_regex)
    if steps:
        if bytes_ or expressions not in ([], [BEFORE_BLANKS]):
            raise FormatError(f"it puts {BLANK!r} before a text, which does not go with its split pattern")
        scheme = "always" if steps[-1][0] == "prefix" else "first"
        return {
            "type": "Metaspace",
            "replacement": BLANK,
            "prepend_scheme": scheme,
            "split": bool(expressions),
        }
    for expression in expressions:
        regex = {"Regex": to_oniguruma(expression)}
        parts.append({"type": "Split", "pattern": regex, "behavior": "Isolated", "invert": False})
    if bytes_:
        parts.append(_byte_level())
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "Sequence", "pretokenizers": parts}


def _decoder(tokenizer: Tokenizer) -> dict[str, Any]:
    if tokenizer.alphabet.kind == "bytes":
        return _byte_level()
    steps = tokenizer.normalizer
    parts: list[dict[str, Any]] = [
        {"type": "Replace", "pattern": {"String": step[2]}, "content": step[1]}
        for step in reversed(steps)
        if step[0] == "replace" and step[2]
    ]
    parts += [{"type": "ByteFallback"}] if tokenizer.alphabet.byte_fallback else []
    parts.append({"type": "Fuse"})
    if any(step[0] in ("prepend", "prefix", "first-prefix") for step in steps):
        parts.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return parts[0] if len(parts) == 1 else {"type": "Sequence", "decoders": parts}


write_with_texts = partial(write, merges_as_texts=True)
