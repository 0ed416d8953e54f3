"""tiktoken's rank files: a token in base64 and its rank a line.

A file holds neither merges nor pattern nor special tokens. The merges are recovered from the ranks. Pattern
and special tokens stand in the Python beside it, the lines that make a `tiktoken.Encoding` of the file: we
write them, and read them back without running them. Without it, a published rank file is known by its hash.
"""

from __future__ import annotations

import ast
import base64
import binascii
import hashlib
import warnings
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import SplitPattern, resolve_expression, resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.assembling import tokenizer_of_ranks
from bpe_studio.formats.content import BOM, Content
from bpe_studio.formats.expressions import check_travels
from bpe_studio.formats.fields import Fields
from bpe_studio.formats.pretrained import pretrained_list
from bpe_studio.formats.recovery import recovered_pairs
from bpe_studio.formats.reports import TRAINING_LOST

#: What tiktoken is told where there is no pattern: all of a text is one match.
WHOLE_TEXT = r"[\s\S]+"
DEFAULT_PATTERN = "gpt4"

SCRIPT = """\
import base64, pathlib, tiktoken
lines = pathlib.Path({name!a}).read_bytes().splitlines()
ranks = {{base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}}
encoding = tiktoken.Encoding(
    {title!a},
    pat_str={pattern!a},
    mergeable_ranks=ranks,
    special_tokens={specials!a},
)
"""
#: Lines that are looked at to tell a rank file from a text.
FIRST_LINES = 16
#: Longest script that is read.
MAX_SCRIPT_BYTES = 1 << 20


def recognises(content: Content) -> bool:
    """Return whether a file begins with lines of a token in base64, a blank and a number."""
    if content.path.name.endswith(".tiktoken"):
        return not content.looks_like_json
    # A text may begin with such a line by chance ("Anna 12"), but not with so many.
    rows = [line.split() for line in content.data[:4096].removeprefix(BOM).split(b"\n")[:FIRST_LINES]]
    return len(rows) == FIRST_LINES and all(
        len(row) == 2 and row[1].isdigit() and _decoded(row[0]) is not None for row in rows
    )


def _decoded(token: bytes) -> bytes | None:
    try:
        # What an encoder never writes decodes to something too, such as "YR==" to b"a".
        data = base64.b64decode(token, validate=True)
        return data if base64.b64encode(data) == token else None
    except (binascii.Error, ValueError):
        return None


def ranks_of(content: Content) -> dict[bytes, int]:
    """Return the ranks of a file, token → rank.

    Raises
    ------
    FormatError
        Naming the line.
    """
    ranks: dict[bytes, int] = {}
    tokens: dict[int, bytes] = {}
    for number, line in enumerate(content.data.removeprefix(BOM).split(b"\n"), 1):
        if not line.strip():
            continue
        fields = line.split()
        if len(fields) != 2:
            raise FormatError(
                f"line {number:,} must be a token in base64, a blank and its rank, not {_shown(line)}."
            )
        # Whisper's file has the line "= 50256": a token without bytes.
        token = b"" if fields[0] == b"=" else _decoded(fields[0])
        if token is None:
            raise FormatError(f"line {number:,}: {_shown(fields[0])} is not base64.")
        if not fields[1].isdigit() or len(fields[1]) > 10 or int(fields[1]) > MAX_ID:
            raise FormatError(
                f"line {number:,}: the rank must be a number from 0 to {MAX_ID:,}, not {_shown(fields[1])}."
            )
        rank = int(fields[1])
        if token in ranks:
            raise FormatError(f"line {number:,} gives the token {_shown(fields[0])} twice.")
        if rank in tokens:
            raise FormatError(f"line {number:,} gives the rank {rank:,} twice.")
        ranks[token], tokens[rank] = rank, token
    return ranks


def _shown(data: bytes) -> str:
    return repr(data[:40].decode("utf-8", "replace"))


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        Naming the line that is wrong.

    Warns
    -----
    UserWarning
        If nothing tells the split pattern: then it is GPT-4's.
    """
    ranks = ranks_of(content)
    known = _script(content) or _published(content)
    if known is None:
        warnings.warn(
            "a rank file holds no split pattern; GPT-4's is taken, and no special token",
            stacklevel=5,
        )
        known = resolve_pattern(DEFAULT_PATTERN), {}
    return tokenizer_of_ranks(ranks, *known)


def _published(content: Content) -> tuple[SplitPattern, Mapping[str, int]] | None:
    digest = hashlib.sha256(content.data).hexdigest()
    for record in pretrained_list():
        if record.rank_file_sha256 == digest:
            return resolve_pattern(record.pattern), record.special_tokens
    return None


# ---- the Python beside it ----------------------------------------------------------------------------------


def _script(content: Content) -> tuple[SplitPattern, Mapping[str, int]] | None:
    """Return pattern and special tokens of the Python beside a file; it is parsed, never run."""
    file = content.sibling(content.path.name + ".py")
    if file is None:
        return None
    if len(file.data) > MAX_SCRIPT_BYTES:
        raise FormatError(f"{file.path.name}: is too long for what makes an encoding.")
    arguments = _arguments(file)
    fields = Fields(arguments, file.path.name)
    pattern = fields.text("pat_str")
    specials = fields.fields("special_tokens")
    ids = {text: specials.integer(text, most=MAX_ID) for text in fields.any("special_tokens")}
    return resolve_expression(None if pattern == WHOLE_TEXT else pattern), ids


def _arguments(file: Content) -> dict[str, Any]:
    """Return the literal arguments of the call that makes the encoding."""
    try:
        tree = ast.parse(file.data)
        for node in ast.walk(tree):
            names = {word.arg: word.value for word in node.keywords} if isinstance(node, ast.Call) else {}
            if names.keys() >= {"pat_str", "special_tokens"}:
                return {name: ast.literal_eval(names[name]) for name in ("pat_str", "special_tokens")}
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError) as error:
        raise FormatError(f"{file.path.name}: cannot be read: {str(error)[:80]}.") from error
    raise FormatError(f"{file.path.name}: has no call with pat_str and special_tokens.")


def beside(tokenizer: Tokenizer, path: Path) -> dict[str, bytes]:
    """Return the Python that makes an encoding of the file."""
    text = SCRIPT.format(
        name=path.name,
        title=path.stem,
        pattern=tokenizer.pattern.expression or WHOLE_TEXT,
        specials=dict(tokenizer.special_tokens),
    )
    return {f"{path.name}.py": text.encode()}


# ---- writing -----------------------------------------------------------------------------------------------


def refusals(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written in this format; empty if it can."""
    found = {
        "its alphabet is characters, and ranks are of bytes": tokenizer.alphabet.kind != "bytes",
        "it has an unknown token": tokenizer.alphabet.unknown_id is not None,
        "it has a normalizer": bool(tokenizer.normalizer),
        "it has added tokens that are found in any text": bool(tokenizer.added_tokens),
        "its split patterns follow one another": bool(tokenizer.pattern.then),
        f"its merges go by {tokenizer.semantics!r}": tokenizer.semantics not in ("pairs", "ranks"),
        "its ranks are not its ids": bool(tokenizer.ranks),
    }
    reasons = [reason for reason, holds in found.items() if holds]
    try:
        if tokenizer.pattern.expression is not None:
            check_travels(tokenizer.pattern.expression)
    except FormatError as error:
        reasons.append(str(error))
    return tuple(reasons) or _unlike_ranks(tokenizer)


def keeps(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer that is read back: by pair, where a merge makes every token."""
    if tokenizer.semantics != "ranks":
        return tokenizer
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tokenizer_of_ranks(_ranks(tokenizer), tokenizer.pattern, tokenizer.special_tokens)


def _unlike_ranks(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why merging by rank would not do what the merges do."""
    ranks = _ranks(tokenizer)
    specials = set(tokenizer.special_tokens.values())
    if len(ranks) < len(tokenizer.tokens) - len(specials):
        return ("two of its tokens have the same bytes",)
    if not specials.isdisjoint((*tokenizer.alphabet.token_ids, *tokenizer.product.tolist())):
        return ("a special token shares its id with another token",)
    if tokenizer.semantics == "ranks":
        return ()
    pairs = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True)
    made = list(zip(tokenizer.product.tolist(), pairs, strict=True))
    if tokenizer.unmerged or list(recovered_pairs(ranks).items()) != made:
        return ("ids would decide the order of its merges, and they follow another",)
    return ()


def _ranks(tokenizer: Tokenizer) -> dict[bytes, int]:
    specials = set(tokenizer.special_tokens.values())
    return {data: token for token, data in tokenizer.tokens.items() if token not in specials}


def lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return what the files do not keep."""
    pattern, specials = tokenizer.pattern, tokenizer.special_tokens
    alike = any(longer.startswith(start) for start, longer in pairwise(sorted(specials)))
    found = {
        TRAINING_LOST: (tokenizer.training is not None),
        "The split pattern and the special tokens are in the Python beside the file, not in it.": True,
        "tiktoken drops text that the split pattern does not match; here it is kept.": not pattern.is_named,
        "Of special tokens that begin alike tiktoken may take the shorter one; here the longest is taken.": (
            alike
        ),
    }
    return tuple(sentence for sentence, holds in found.items() if holds)


def write(tokenizer: Tokenizer) -> bytes:
    """Return a file's bytes; see `refusals`."""
    rows = sorted(_ranks(tokenizer).items(), key=lambda row: row[1])
    return b"".join((base64.b64encode(data) or b"=") + b" %d\n" % rank for data, rank in rows)
