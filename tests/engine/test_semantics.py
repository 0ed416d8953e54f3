"""Each way that merges apply gives what the reference says, and what the tool gives that has it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine import kernels, reference, text_encoder
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from tests.strategies import letter_texts

BYTES = [bytes([value]) for value in range(256)]
BASE = 256


@pytest.fixture(params=["plain", "compiled"], autouse=True)
def way(request, monkeypatch):
    kernels.load()
    least = {"loaded": 0} if request.param == "compiled" else {}
    monkeypatch.setattr(text_encoder, "MIN_CHARACTERS_FOR_KERNELS", least)


def by_bytes(
    tokens: list[bytes], semantics: str, pattern: str = "gpt2", ranks: dict[int, int] | None = None
) -> Tokenizer:
    """A tokenizer all of whose tokens but the bytes are made by no merge."""
    none: list[int] = []
    return Tokenizer(
        Alphabet(), none, none, none, resolve_pattern(pattern), {"<end>": 2000}, semantics,  # type: ignore[arg-type]
        unmerged=dict(enumerate(tokens, start=BASE)), ranks=ranks or {},
    )  # fmt: skip


def token_lists(letters: str = "ab ") -> st.SearchStrategy[list[bytes]]:
    """Tokens of few letters, in any order: many that no merge reaches, many ranks below their parts'."""
    token = st.text(letters, min_size=2, max_size=6).map(str.encode)
    return st.lists(token, unique=True, max_size=25)


texts = letter_texts("ab ", 60)


@given(token_lists(), texts, st.booleans(), st.randoms(use_true_random=False))
def test_ranks_and_scores_equal_the_reference(tokens, text, whole_first, random):
    ranks = {}
    if not whole_first:
        ranks = {BASE + index: random.randint(0, 5) for index in range(len(tokens))}
    tok = by_bytes(tokens, "ranks" if whole_first else "scores", ranks=ranks)
    ids = {data: index for index, data in enumerate(BYTES + tokens)}
    order = {data: ranks.get(ids[data], ids[data]) for data in tokens}
    expected = []
    for word in tok.pattern.split(text):
        symbols = [bytes([byte]) for byte in word.encode()]
        merge = lambda: [ids[data] for data in reference.encode_word_by_ranks(symbols, order)]  # noqa: B023, E731
        expected += reference.encode_whole_first(word.encode(), ids, merge) if whole_first else merge()
    assert tok.encode(text) == expected
    assert tok.encode_to_array(text * 2).tolist() == tok.encode(text * 2)
    assert tok.decode(expected) == text


@given(token_lists(), texts)
def test_ranks_equal_tiktoken(tokens, text):
    tiktoken = pytest.importorskip("tiktoken")
    tok = by_bytes(tokens, "ranks")
    ranks = {data: rank for rank, data in enumerate(BYTES + tokens)}
    peer = tiktoken.Encoding("x", pat_str=tok.pattern.expression, mergeable_ranks=ranks, special_tokens={})
    assert tok.encode(text) == peer.encode_ordinary(text)


def splits(tokens: list[bytes], random) -> list[tuple[int, int, int]]:
    """Merges for some of the tokens, in any order: (left, right, product)."""
    ids = {data: index for index, data in enumerate(BYTES + tokens)}
    rows = [
        (ids[data[:at]], ids[data[at:]], ids[data])
        for data in tokens
        for at in range(1, len(data))
        if data[:at] in ids and data[at:] in ids and random.random() < 0.7
    ]
    random.shuffle(rows)
    return rows


def with_whole(tokens: list[bytes], rows: list[tuple[int, int, int]], semantics: str) -> Tokenizer:
    columns = np.array(rows, np.int32).reshape(-1, 3).T
    unmerged = dict(enumerate(tokens, start=BASE))
    pattern = resolve_pattern("gpt2")
    return Tokenizer(Alphabet(), *columns, pattern, semantics=semantics, unmerged=unmerged)


@given(token_lists(), texts, st.randoms(use_true_random=False))
def test_whole_pre_tokens_first_equals_the_reference(tokens, text, random):
    rows = splits(tokens, random)
    tok = with_whole(tokens, rows, "pairs-whole")
    ids = {data: index for index, data in enumerate(BYTES + tokens)}
    ranks = {(left, right): rank for rank, (left, right, _) in enumerate(rows)}
    products = {(left, right): product for left, right, product in rows}
    expected = []
    for word in tok.pattern.split(text):
        merge = lambda: reference.encode_word_one_by_one(word.encode(), ranks, products)  # noqa: B023, E731
        expected += reference.encode_whole_first(word.encode(), ids, merge)
    assert tok.encode(text) == expected


@pytest.mark.parametrize(("semantics", "whole"), [("pairs-whole", True), ("pairs-leftmost", False)])
@given(tokens=token_lists(), text=texts, random=st.randoms(use_true_random=False))
def test_leftmost_pairs_equal_hugging_face(semantics, whole, tokens, text, random):
    tokenizers = pytest.importorskip("tokenizers")
    rows = splits(tokens, random)
    tok = with_whole(tokens, rows, semantics)
    names = [data.decode("latin-1") if data != b" " else " " for data in BYTES + tokens]
    pairs = [(names[left], names[right]) for left, right, _ in rows]
    vocab = {name: index for index, name in enumerate(names)}
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, pairs, ignore_merges=whole))
    expected = [token for word in tok.pattern.split(text) for token in peer.encode(word).ids]
    assert tok.encode(text) == expected


@given(token_lists(), texts, st.randoms(use_true_random=False))
def test_under_pairs_no_text_becomes_a_token_that_no_merge_makes(tokens, text, random):
    rows = splits(tokens, random)
    tok = with_whole(tokens, rows, "pairs")
    made = {product for _, _, product in rows} | set(range(BASE))
    assert set(tok.encode(text)) <= made
    assert tok.decode(tok.encode(text)) == text


@given(token_lists(), texts)
def test_a_trace_tells_every_token(tokens, text):
    tok = by_bytes(tokens, "ranks")
    last: dict[int, tuple[int, int]] = {}
    for _, rank, start, end in sorted(tok.trace(text).tolist(), key=lambda row: row[3] - row[2]):
        assert rank == -1 or tok.tokens[rank] == text.encode()[start:end]
        last[start] = start, end
    bounds = {(start, end) for start, end in tok.offsets(text).tolist() if end - start > 1}
    assert bounds <= set(last.values())


def test_tokens_that_no_merge_makes_are_tokens():
    tok = by_bytes([b"ab", b"xyz", b"\xff\xfe"], "ranks")
    assert tok.tokens[257] == b"xyz" and tok.vocab_size == 260 and tok.n_ids == 2001
    assert tok.encode("xyz xyz") == [257, 32, *b"xyz"]
    assert tok.decode([257, 256]) == "xyzab"
    assert pickle.loads(pickle.dumps(tok)) == tok
    assert not tok.is_ordered() and "ranks" in tok.is_ordered().reason
    fingerprints = {by_bytes([b"ab", b"xyz"], name).fingerprint() for name in ("pairs", "ranks", "scores")}
    assert len(fingerprints) == 3
    assert by_bytes([b"ab"], "scores", ranks={256: 7}) != by_bytes([b"ab"], "scores")


def test_the_list_of_merges_decides_nothing_where_the_bytes_do():
    unmerged, merged = by_bytes([b"ab", b"abc"], "ranks"), with_whole([b"abc"], [(97, 98, 300)], "ranks")
    assert with_whole([b"ab", b"abc"], [(97, 98, 256)], "ranks") == with_whole([b"ab", b"abc"], [], "ranks")
    assert unmerged.encode("xab xabc") == [120, 256, 32, 120, 257]
    assert merged.encode("xab xabc") == [120, 300, 32, 120, 256], "the bytes of abc are no two tokens"


def test_the_first_merges_keep_the_tokens_below():
    tok = with_whole([b"ab", b"abc", b"zz"], [(97, 98, 256), (256, 99, 257)], "ranks")
    first = tok.first(1)
    assert max(first.tokens) == 256 and first.encode("abc") == [256, 99]


@pytest.mark.parametrize(("unmerged", "error"), [({3: b"x"}, "base token"), ({-1: b"x"}, "no valid id")])
def test_impossible_tokens_are_refused(unmerged, error):
    empty = np.empty(0, np.int32)
    tok = Tokenizer(Alphabet(), empty, empty, empty, resolve_pattern("gpt2"), unmerged=unmerged)
    with pytest.raises(BpeStudioError, match=error):
        tok.tokens  # noqa: B018


def test_characters_are_joined_by_rank_as_bytes_are():
    empty, alphabet = np.empty(0, np.int32), Alphabet("characters", characters=("a", "é"), unknown_token="?")
    tok = Tokenizer(
        alphabet, empty, empty, empty, resolve_pattern("none"), semantics="scores",
        unmerged={3: "éa".encode(), 4: b"aa", 5: "aaé".encode()}, ranks={3: 1, 4: 1, 5: 0},
    )  # fmt: skip
    assert tok.encode("aaéa") == [5, 1]
    assert tok.encode("aéaaxa") == [1, 3, 1, 0, 1]
    assert tok.encode("éaéaa") == [3, 3, 1]
