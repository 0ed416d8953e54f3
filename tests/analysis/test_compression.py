from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.analysis.compression import (
    applications_per_rank,
    compression_curve,
    corpus_curve,
    curve_of_ids,
)
from bpe_studio.analysis.text_tokens import MISSING
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.merges import MergeBatch, MergeLog
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.words import CorpusFacts
from tests.strategies import awkward_texts, letter_texts

Pairs = list[tuple[int, int]]


def byte_tokenizer(pairs: Pairs, pattern: str = "none", specials: dict[str, int] | None = None) -> Tokenizer:
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    products = [256 + rank for rank in range(len(pairs))]
    arrays = (np.array(column, np.int32) for column in (left, right, products))
    return Tokenizer(Alphabet(), *arrays, resolve_pattern(pattern), specials or {})


@st.composite
def ordered_merges(draw: st.DrawFn, max_merges: int = 12) -> Pairs:
    """Merges whose parts are letters of "abc " or products of lower ranks; no pair twice."""
    pairs: Pairs = []
    for rank in range(draw(st.integers(0, max_merges))):
        known = st.sampled_from([97, 98, 99, 32, *range(256, 256 + rank)])
        pair = draw(st.tuples(known, known).filter(lambda pair: pair not in pairs))
        pairs.append(pair)
    return pairs


@given(
    ordered_merges(),
    letter_texts("abc ", 40) | awkward_texts(6),
    st.sampled_from(["none", "gpt4", "whitespace"]),
)
@settings(max_examples=150)
def test_the_curve_is_what_encoding_with_the_first_k_merges_gives(
    pairs: Pairs, text: str, pattern: str
) -> None:
    tok = byte_tokenizer(pairs, pattern)
    curve = compression_curve(tok, text)
    assert curve.n_tokens.tolist() == [len(tok.first(k).encode(text)) for k in range(len(pairs) + 1)]
    assert curve.vocab_size.tolist() == [tok.first(k).vocab_size for k in range(len(pairs) + 1)]


@given(ordered_merges(), letter_texts("abc ", 30))
def test_applications_are_those_of_the_trace(pairs: Pairs, text: str) -> None:
    tok = byte_tokenizer(pairs)
    applied = applications_per_rank(tok, Counter(tok.encode(text)))
    assert applied.tolist() == np.bincount(tok.trace(text)[:, 1], minlength=len(pairs)).tolist()


def test_characters_and_unknown_ones_have_a_curve_too() -> None:
    alphabet = Alphabet("characters", unknown_token="<unk>", characters=("a", "b", "é"))
    tok = Tokenizer(alphabet, *(np.array([i], np.int32) for i in (1, 2, 4)), resolve_pattern("none"))
    curve = compression_curve(tok, "ababé東")
    assert curve.n_tokens.tolist() == [6, 4]
    assert curve.bytes_per_token.tolist() == [9 / 6, 9 / 4]


def test_specials_count_in_the_vocabulary_and_are_plain_text_in_the_text() -> None:
    tok = byte_tokenizer([(97, 97)], specials={"<s>": 257})
    curve = compression_curve(tok, "<s>aa")
    assert curve.vocab_size.tolist() == [257, 258]
    assert curve.n_tokens.tolist() == [5, 4]


def test_the_empty_text_has_no_bytes_per_token() -> None:
    curve = compression_curve(byte_tokenizer([(97, 97)]), "")
    assert curve.n_tokens.tolist() == [0, 0]
    assert np.isnan(curve.bytes_per_token).all()


def test_without_merges_there_is_one_point() -> None:
    curve = compression_curve(byte_tokenizer([]), "abc")
    assert (len(curve), curve.bytes_per_token.tolist()) == (1, [1.0])


def test_bytes_and_lone_surrogates_are_counted_as_they_are_encoded() -> None:
    tok = byte_tokenizer([])
    assert compression_curve(tok, b"\xff\xfe").n_tokens.tolist() == [2]
    assert compression_curve(tok, "\ud800").bytes_per_token.tolist() == [1.0]


@pytest.mark.parametrize(
    "pairs",
    [[(97, 257), (97, 97)], [(97, 97), (97, 97)]],
    ids=["a part that only a higher rank makes", "a pair that occurs twice"],
)
def test_merges_out_of_order_have_no_curve_and_the_reason_is_said(pairs: Pairs) -> None:
    with pytest.raises(BpeStudioError, match=r"no compression curve.*merge \d"):
        compression_curve(byte_tokenizer(pairs), "aaa")


def test_characters_outside_the_alphabet_count_as_one_token_each() -> None:
    tok = byte_tokenizer([(97, 97)])
    assert curve_of_ids(tok, np.array([256, MISSING]), 4).n_tokens.tolist() == [3, 2]


def corpus_log(rows: list[int], before: int) -> MergeLog:
    log = MergeLog(Alphabet(), TrainingConfig(special_tokens=("<s>",)), before)
    log.extend(MergeBatch.from_rows(0, [(97, 97, 256 + i, 2, 1, 0, n, 0) for i, n in enumerate(rows)]))
    return log


FACTS = CorpusFacts(1, 60, 60, "")


def test_the_corpus_curve_is_read_from_the_log() -> None:
    curve = corpus_curve(corpus_log([40, 30], 60), FACTS)
    assert curve.vocab_size.tolist() == [257, 258, 259]
    assert curve.n_tokens.tolist() == [60, 40, 30]
    assert curve.bytes_per_token.tolist() == [1.0, 1.5, 2.0]


@pytest.mark.parametrize(("first", "last"), [(0, 1), (0, 2), (1, 3), (2, 3), (3, 3)])
def test_a_part_of_the_corpus_curve_is_that_part_of_the_whole(first: int, last: int) -> None:
    log = corpus_log([40, 30], 60)
    part, whole = corpus_curve(log, FACTS, first=first, last=last), corpus_curve(log, FACTS)
    assert part.n_tokens.tolist() == whole.n_tokens[first:last].tolist()
    assert part.vocab_size.tolist() == whole.vocab_size[first:last].tolist()


def test_unknown_counts_of_a_loaded_file_are_no_points() -> None:
    assert np.isnan(corpus_curve(corpus_log([-1, -1], -1), FACTS).bytes_per_token).all()


def test_a_curve_is_three_arrays():
    tok = bs.train("aaabdaaabac", vocab_size=258, pattern="none")
    vocab_size, n_tokens, bytes_per_token = bs.compression_curve(tok, "aaab")
    assert (vocab_size.tolist(), n_tokens.tolist()) == ([256, 257, 258], [4, 3, 2])
    assert bytes_per_token.tolist() == [1, 4 / 3, 2]
