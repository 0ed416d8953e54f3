"""How each tool encodes with the cl100k table: one function a tool, which loads and returns its calls.

Every tool but ours loads the file of ranks that is rebuilt from our packed table, so nothing is fetched.
"""

from __future__ import annotations

import base64
import json
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.records import OURS, TABLE
from tests.benchmarks.trainers import bytes_of, expression_of, load_kernels

Texts = list[str]


@dataclass(frozen=True)
class Encoder:
    """The calls of a tool, and how to read their results.

    Parameters
    ----------
    document : callable
        One text to whatever the tool is fastest with, list or array.
    batch : callable or None
        Several texts in one call, on one thread.
    one : callable
        One short text to a list.
    """

    document: Callable[[str], Any]
    batch: Callable[[Texts], Any] | None
    one: Callable[[str], list[int]]


def load_ours(folder: Path) -> Encoder:
    import bpe_studio as bs

    load_kernels()
    tok = bs.load(TABLE)
    return Encoder(
        lambda text: tok.encode_to_array(text, "none"),
        lambda texts: tok.encode_batch(texts, "none"),
        lambda text: tok.encode(text, "none"),
    )


def load_tiktoken(folder: Path) -> Encoder:
    import tiktoken

    ranks = {token: rank for rank, token in enumerate(read_ranks(folder))}
    tok = tiktoken.Encoding(TABLE, pat_str=expression_of("gpt4"), mergeable_ranks=ranks, special_tokens={})
    batch = lambda texts: tok.encode_ordinary_batch(texts, num_threads=1)  # noqa: E731
    return Encoder(tok.encode_ordinary, batch, tok.encode_ordinary)


def load_gigatoken(folder: Path) -> Encoder:
    import gigatoken

    tok = gigatoken.Tokenizer.from_tiktoken(rank_file(folder), "gpt4", {})
    batch = lambda texts: tok.encode_batch(texts, parallel=False)  # noqa: E731
    return Encoder(tok.encode, batch, lambda text: tok.encode(text).tolist())


def load_hugging_face(folder: Path) -> Encoder:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    to_text = {bytes_of(c)[0]: c for c in pre_tokenizers.ByteLevel.alphabet()}
    names = ["".join(map(to_text.__getitem__, token)) for token in read_ranks(folder)]
    pairs = [(names[left], names[right]) for left, right in json.loads(merge_file(folder).read_text("utf-8"))]
    tok = Tokenizer(models.BPE({name: rank for rank, name in enumerate(names)}, pairs))
    split = pre_tokenizers.Split(Regex(expression_of("gpt4")), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tok.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    return Encoder(lambda text: tok.encode(text).ids, None, lambda text: tok.encode(text).ids)


ENCODERS: dict[str, Callable[[Path], Encoder]] = {
    OURS: load_ours,
    "tiktoken": load_tiktoken,
    "gigatoken": load_gigatoken,
    "Hugging Face": load_hugging_face,
}


def rank_file(folder: Path) -> Path:
    """Return where the rebuilt ranks are kept, in tiktoken's format."""
    return folder / f"{TABLE}.tiktoken"


def merge_file(folder: Path) -> Path:
    """Return where the merges are kept as pairs of ids."""
    return folder / f"{TABLE}.merges.json"


def read_ranks(folder: Path) -> list[bytes]:
    """Return the tokens by rank."""
    return [base64.b64decode(line.split()[0]) for line in rank_file(folder).read_bytes().splitlines()]


def rebuild_table(folder: Path) -> str | None:
    """Write what the other tools load, from our packed table; return why that is impossible, or None."""
    import bpe_studio as bs

    try:
        tok = bs.load(TABLE)
    except (bs.BpeStudioError, OSError) as error:
        return f"bs.load({TABLE!r}) does not work yet: {error}"
    specials = set(tok.special_tokens.values())
    tokens = [(rank, token) for rank, token in tok.tokens.items() if rank not in specials]
    rank_file(folder).write_bytes(b"".join(base64.b64encode(t) + b" %d\n" % rank for rank, t in tokens))
    pairs = list(zip(tok.left.tolist(), tok.right.tolist(), strict=True))
    merge_file(folder).write_text(json.dumps(pairs), "utf-8")
    return None


def as_words(ids: Any) -> bytes:
    """Return ids, in whatever they come, as four bytes each: what two tools are compared by."""
    return ids.astype("<u4").tobytes() if hasattr(ids, "astype") else array("I", ids).tobytes()
