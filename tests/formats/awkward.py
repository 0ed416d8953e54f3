"""Many awkward texts from a seed: what two programs are compared on."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence

from bpe_studio.assets import sample_list
from tests.strategies import CLUSTERS, PIECES, SEAMS

CORPUS = "\n".join(
    path.read_text("utf-8")
    for sample in sample_list()
    for path in (sorted(sample.path.glob("*.txt")) if sample.path.is_dir() else [sample.path])
)
"""All sample texts, to train small vocabularies on."""

WORDS = sorted(set(CORPUS.split()))
"""Words of which long tokens are made."""

TROUBLE = (
    " ", "  ", "   ", "\u2581", "\u2581\u2581\u2581", "<s>", "</s>", "<unk>", "<0x41>", "<sep>", "<se",
    "½", "㍿", "ﷺ", "\u0344", "\u1e9b\u0323", "\x01", "aaaa", "bbbbb", "\ufffd", "1/2", "a b",
)  # fmt: skip
"""Blanks and what stands for them, names of special tokens, what normalizing changes, runs."""

PLANES = (range(0x80), range(0x80), range(0x3000), range(0xD800), range(0xE000, 0x110000))


def random_texts(n: int, seed: int, words: Sequence[str] = WORDS) -> list[str]:
    """Return texts of words, of awkward pieces and of any assigned characters.

    Parameters
    ----------
    n : int
        How many.
    seed : int
        The same seed gives the same texts.
    words : sequence of str
        Words that a vocabulary was made from, so that long tokens occur.
    """
    source = random.Random(seed)
    awkward = (*SEAMS, *CLUSTERS, *PIECES, *TROUBLE)

    def piece() -> str:
        kind = source.random()
        if kind < 0.45:
            return source.choice(words) + source.choice((" ", " ", "", "  "))
        return source.choice(awkward) if kind < 0.85 else _assigned(source)

    return ["".join(piece() for _ in range(source.randrange(12))) for _ in range(n)]


def _assigned(source: random.Random) -> str:
    """Return a character that has been in Unicode for long: programs differ on the newest ones."""
    while True:
        character = chr(source.choice(source.choice(PLANES)))
        if unicodedata.category(character) not in ("Cn", "Cs"):
            return character
