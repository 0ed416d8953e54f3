from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.formats.assembling import tokenizer_of_ranks
from bpe_studio.formats.pretrained import pretrained
from bpe_studio.formats.recovery import recovered_pairs
from tests.formats import building
from tests.strategies import awkward_texts, byte_strings


def ranks_of(tokenizer: bs.Tokenizer) -> dict[bytes, int]:
    specials = set(tokenizer.special_tokens.values())
    return {data: token for token, data in tokenizer.tokens.items() if token not in specials}


def test_every_merge_of_gpt2_is_recovered() -> None:
    gpt2 = pretrained("gpt2")
    pairs = recovered_pairs(ranks_of(gpt2))
    assert list(pairs) == gpt2.product.tolist()
    assert list(pairs.values()) == list(zip(gpt2.left.tolist(), gpt2.right.tolist(), strict=True))


def test_a_vocabulary_made_by_merges_is_the_same_tokenizer_again() -> None:
    tokenizer = building.BYTES
    again = tokenizer_of_ranks(ranks_of(tokenizer), tokenizer.pattern, tokenizer.special_tokens)
    assert again == tokenizer and again.semantics == "pairs"


BASE = {bytes([byte]): byte for byte in range(256)}


@given(st.lists(byte_strings(6), max_size=12, unique=True), awkward_texts(8) | st.text("abc ", max_size=30))
def test_any_ranks_encode_as_by_ranks_whatever_was_recovered(tokens: list[bytes], text: str) -> None:
    ranks = BASE | {token: 256 + n for n, token in enumerate(t for t in tokens if len(t) > 1)}
    tokenizer = tokenizer_of_ranks(ranks, resolve_pattern("gpt4"), {})
    by_ranks = bs.Tokenizer(
        tokenizer.alphabet, [], [], [], tokenizer.pattern, semantics="ranks",  # type: ignore[arg-type]
        unmerged={rank: token for token, rank in ranks.items() if len(token) > 1},
    )  # fmt: skip
    assert tokenizer.encode(text) == by_ranks.encode(text)
    assert set(tokenizer.unmerged) == {
        rank for rank in ranks.values() if rank > 255 and rank not in recovered_pairs(ranks)
    }
