"""Say what a tokenizer is, and how it cuts a text.

With TEXT also its tokens, and where each of them lies.

    bpe-studio inspect -t cl100k_base "the cats' mat"
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import add_allowed_special, add_tokenizer, allowed_special, loaded, text
from bpe_studio.cli.encode import shown_token
from bpe_studio.cli.streams import one_line, write_json, write_text
from bpe_studio.cli.texts import tell_specials

if TYPE_CHECKING:
    from bpe_studio.engine.tokenizer import Tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    parser.add_argument("text", metavar="TEXT", nargs="?", type=text, help="a text to cut into tokens")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    add_allowed_special(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the facts, then the text's tokens."""
    from bpe_studio.engine.long_texts import n_specials

    tokenizer = loaded(arguments)
    tokens = None
    if arguments.text is not None:
        allowed = allowed_special(arguments.allowed_special, tokenizer)
        tokens = token_rows(tokenizer, arguments.text, allowed)
        if allowed == "none":
            tell_specials(n_specials(tokenizer, arguments.text.encode()))
    if arguments.json:
        write_json(json_value(tokenizer) | ({} if tokens is None else {"tokens": tokens}))
    else:
        lines = [f"{name:<15}{one_line(value)}" for name, value in facts(tokenizer)]
        write_text("\n".join([*lines, *_token_lines(tokens)]) + "\n")
    return 0


def token_rows(tokenizer: Tokenizer, text: str, allowed: str | frozenset[str]) -> list[dict[str, Any]]:
    """Return a text's tokens with their bytes and byte offsets."""
    ids = tokenizer.encode(text, allowed)
    bounds = tokenizer.offsets(text, allowed_special=allowed).tolist()
    utf8 = text.encode()
    return [
        {
            "id": token,
            "text": shown_token(tokenizer, token),
            "hex": utf8[start:end].hex(),
            "start": start,
            "end": end,
        }
        for token, (start, end) in zip(ids, bounds, strict=True)
    ]


def _token_lines(tokens: list[dict[str, Any]] | None) -> list[str]:
    if tokens is None:
        return []
    from bpe_studio.analysis.unicode_view import label

    header = f"\n{'id':>10}  {'bytes':>11}  token"
    rows = [
        f"{row['id']:>10}  {row['start']:>5}–{row['end']:<5}  {label(bytes.fromhex(row['hex']))}"
        for row in tokens
    ]
    return [header, *rows, f"{len(tokens):,} tokens"]


def facts(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """Return what a tokenizer is, as names and sentences."""
    alphabet, pattern, training = tokenizer.alphabet, tokenizer.pattern, tokenizer.training
    rows = [
        ("vocabulary", f"{tokenizer.vocab_size:,} tokens, largest id {tokenizer.n_ids - 1:,}"),
        ("alphabet", f"{alphabet.kind}, {alphabet.n_tokens:,} base tokens"),
        ("merges", f"{tokenizer.n_merges:,}"),
        ("pattern", pattern.name if pattern.expression is None else f"{pattern.name}: {pattern.expression}"),
    ]
    rows += [("special token", f"{name}  {token}") for name, token in tokenizer.special_tokens.items()]
    if training is not None:
        corpus = training.facts
        stop = "" if training.stop_reason is None else training.stop_reason.text
        rows += [
            ("tie rule", training.config.tie_rule),
            ("stopped", stop or "not known: these are the first merges of a longer training"),
            (
                "corpus",
                f"{corpus.n_documents:,} document{'s' * (corpus.n_documents != 1)}, "
                f"{corpus.n_bytes:,} bytes, sha256 {corpus.fingerprint}",
            ),
            ("trained with", f"BPE Studio {training.version}"),
        ]
    return [*rows, ("fingerprint", tokenizer.fingerprint())]


def json_value(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return what a tokenizer is, as JSON values."""
    from dataclasses import asdict

    from bpe_studio.formats.training_fields import training_value

    alphabet, training = tokenizer.alphabet, tokenizer.training
    return {
        "fingerprint": tokenizer.fingerprint(),
        "vocab_size": tokenizer.vocab_size,
        "n_ids": tokenizer.n_ids,
        "n_merges": tokenizer.n_merges,
        "alphabet": {
            "kind": alphabet.kind,
            "n_tokens": alphabet.n_tokens,
            "unknown_token": alphabet.unknown_token,
        },
        "pattern": asdict(tokenizer.pattern),
        "special_tokens": dict(tokenizer.special_tokens),
        "training": None if training is None else training_value(training),
    }
