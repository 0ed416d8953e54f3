"""minbpe's ``.model``: the split pattern, special tokens, and a merge's two ids a line.

Bytes have the ids 0 … 255 and merges those that follow, in their order. Beside it stands a ``.vocab`` for
people, which nobody reads back: it shows bytes that are no text as U+FFFD.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import resolve_expression
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.content import Content
from bpe_studio.formats.reports import TRAINING_LOST

FIRST_LINE = "minbpe v1"
#: Where Python's `str.strip` and line reading would change a line.
LINE_ENDS = "\n\r"


def recognises(content: Content) -> bool:
    """Return whether a file begins as minbpe's do."""
    return content.data[:20].split(b"\n", 1)[0].strip() == FIRST_LINE.encode()


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        Naming the line that is wrong.
    """
    try:
        lines = content.data.decode().replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.object[error.start]:#04x} at offset {error.start:,} is not UTF-8."
        ) from error
    if not lines[-1]:
        lines.pop()
    if len(lines) < 3:
        raise FormatError("ends before the number of special tokens, its third line.")
    n_specials = _number(lines[2], 3)
    first = 3 + n_specials
    if len(lines) < first:
        raise FormatError(f"ends before the {n_specials:,} special tokens that it announces.")
    specials: dict[str, int] = {}
    for number, line in enumerate(lines[3:first], 4):
        text, _, token = line.rpartition(" ")
        if not text or text in specials:
            raise FormatError(
                f"line {number:,} must be a special token of its own and its id, not {line[:40]!r}."
            )
        specials[text] = _number(token, number)
    pairs = [_pair(line, number) for number, line in enumerate(lines[first:], first + 1)]
    products = range(256, 256 + len(pairs))
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    # The line is taken as it stands: a pattern may begin with a blank.
    return Tokenizer(Alphabet(), left, right, list(products), resolve_expression(lines[1] or None), specials)  # type: ignore[arg-type]


def _number(text: str, line: int) -> int:
    text = text.strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 10 or int(text) > MAX_ID:
        raise FormatError(f"line {line:,} must have a number from 0 to {MAX_ID:,}, not {text[:40]!r}.")
    return int(text)


def _pair(text: str, line: int) -> tuple[int, int]:
    parts = text.split()
    if len(parts) != 2:
        raise FormatError(f"line {line:,} must be the two ids of a merge, not {text[:40]!r}.")
    return _number(parts[0], line), _number(parts[1], line)


# ---- writing -----------------------------------------------------------------------------------------------


def refusals(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written in this format; empty if it can."""
    alphabet, pattern = tokenizer.alphabet, tokenizer.pattern
    expression = pattern.expression or ""
    blank = next((text for text in tokenizer.special_tokens if text.split() != [text]), None)
    found = {
        "its alphabet is characters, and the format holds bytes": alphabet.kind != "bytes",
        "it has an unknown token": alphabet.unknown_id is not None,
        "the ids of its bytes are not the bytes' values": alphabet.byte_ids != tuple(range(256)),
        "its merges' ids are not 256, 257, … in their order": (
            tokenizer.product.tolist() != list(range(256, 256 + tokenizer.n_merges))
        ),
        f"its merges go by {tokenizer.semantics!r}": tokenizer.semantics != "pairs",
        "it has tokens that no merge makes": bool(tokenizer.unmerged),
        "it has a normalizer": bool(tokenizer.normalizer),
        "it has added tokens that are found in any text": bool(tokenizer.added_tokens),
        f"the special token {blank!r} holds a blank": blank is not None,
        "its split patterns follow one another": bool(pattern.then),
        "its split pattern holds a line break": any(end in expression for end in LINE_ENDS),
        "its split pattern ends in a blank, which minbpe drops": expression != expression.rstrip(),
        "its split pattern is empty": pattern.expression == "",
        "its split pattern holds a lone surrogate": any("\ud800" <= sign <= "\udfff" for sign in expression),
    }
    return tuple(reason for reason, holds in found.items() if holds)


def lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return what a file does not keep."""
    expression = tokenizer.pattern.expression
    found = {
        TRAINING_LOST: (tokenizer.training is not None),
        "minbpe drops the blank that the split pattern begins with.": (expression or "").lstrip()
        != (expression or ""),
        "minbpe drops text that the split pattern does not match; here it is kept.": (
            not tokenizer.pattern.is_named
        ),
        "minbpe goes on splitting with GPT-4's pattern after loading, until it compiles this one.": (
            expression is not None
        ),
    }
    return tuple(sentence for sentence, holds in found.items() if holds)


def write(tokenizer: Tokenizer) -> bytes:
    """Return a file's bytes; see `refusals`."""
    specials = tokenizer.special_tokens
    lines = [FIRST_LINE, tokenizer.pattern.expression or "", str(len(specials))]
    # Of those that begin alike minbpe takes the first in the file.
    longest_first = sorted(specials.items(), key=lambda row: -len(row[0]))
    lines += [f"{text} {token}" for text, token in longest_first]
    pairs = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True)
    lines += [f"{left} {right}" for left, right in pairs]
    return "".join(f"{line}\n" for line in lines).encode()


def beside(tokenizer: Tokenizer, path: Path) -> dict[str, bytes]:
    """Return the ``.vocab`` for people, each token with the two that it was made of."""
    if path.suffix == ".vocab":
        raise FormatError("name the model's file, such as tokenizer.model; the .vocab is written beside it.")
    shown = {token: _shown(data) for token, data in tokenizer.tokens.items()}
    pairs = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True)
    made = dict(zip(tokenizer.product.tolist(), pairs, strict=True))
    lines = [
        "".join(f"[{shown[part]}]" for part in made.get(token, ()))
        + (" -> " if token in made else "")
        + f"[{text}] {token}\n"
        for token, text in shown.items()
    ]
    return {f"{path.stem}.vocab": "".join(lines).encode()}


def _shown(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return "".join(f"\\u{ord(sign):04x}" if unicodedata.category(sign)[0] == "C" else sign for sign in text)
