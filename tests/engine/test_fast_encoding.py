"""Texts encoded by compiled kernels get the ids that plain Python gives them."""

from __future__ import annotations

import gc
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.engine import batches, fast_encoding, kernels, text_encoder
from tests.strategies import awkward_texts

PATTERNS = ["whitespace", "gpt2", "gpt4", "o200k"]
TEXT = "The cat's hat, the bat's 1234 mats…\r\n  Ünïcödé 漢字 😀 don't DON'T\n\n" * 30


@pytest.fixture(autouse=True)
def short_texts_too(monkeypatch):
    kernels.load()
    monkeypatch.setattr(text_encoder, "MIN_CHARACTERS_FOR_KERNELS", {"loaded": 0})


@pytest.fixture(scope="module", params=PATTERNS)
def tok(request):
    return bs.train(
        TEXT, vocab_size=420, pattern=request.param, special_tokens=["<|end|>"], byte_order="gpt2",
        special_placement="first",
    )  # fmt: skip


def plain(tok, text):
    """The ids by Python alone."""
    return [token for word in tok.pattern.split(text) for token in tok._encoder.words.tokens(word)]


@settings(max_examples=300)
@given(text=awkward_texts())
def test_any_text_is_encoded_as_in_python(text):
    for name in PATTERNS:
        tok = bs.train(TEXT, vocab_size=330, pattern=name)
        assert tok.encode(text, "none") == plain(tok, text)


@pytest.fixture
def short_pieces(monkeypatch):
    monkeypatch.setattr(fast_encoding, "PIECE", 50)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(awkward_texts(6) | st.sampled_from(["a b ", "the cat\n", "\nx", "漢字。\n漢", ".\n\na"]))
)
def test_a_text_encoded_piece_by_piece_is_the_same(short_pieces, parts):
    text = " a cat".join(parts) * 3
    for name in PATTERNS:
        tok = bs.train(TEXT, vocab_size=330, pattern=name)
        assert tok.encode_to_array(text, "none").tolist() == plain(tok, text)


def test_a_long_text_without_a_place_to_cut_it(short_pieces, tok):
    for text in ("漢字" * 3000, "a" * 9000, "\n" * 9000, "the cat " * 2000 + "é" * 9000 + " the cat" * 900):
        assert tok.encode_to_array(text, "none").tolist() == plain(tok, text)


def test_ids_that_are_more_than_there_was_room_for(short_pieces, tok):
    text = "the cat! " + "\x01\x02 \x03\n" * 9000
    assert tok.encode_to_array(text, "none").tolist() == plain(tok, text)


def test_specials_stand_between_the_pieces(tok):
    text = "The cat<|end|>the bat<|end|>"
    ids = tok.encode(text, "all")
    assert ids == [*plain(tok, "The cat"), 0, *plain(tok, "the bat"), 0]
    assert tok.encode_to_array(text, "all").tolist() == ids
    assert tok.decode(ids) == text


def test_more_words_than_the_table_may_hold(tok, monkeypatch):
    monkeypatch.setattr(fast_encoding, "FIRST_WORDS", 16)
    monkeypatch.setattr(fast_encoding, "MAX_WORDS", 64)
    rng = random.Random(1)
    words = ["".join(rng.choices("catshb é漢", k=rng.randint(1, 12))) for _ in range(400)]
    text = " ".join(rng.choice(words) for _ in range(3000))
    fresh = tok.first(len(tok.merges) - 1)
    for _ in range(2):
        assert fresh.encode(text) == plain(fresh, text)


def test_words_longer_than_the_table_takes(tok):
    long_word = "theцата" * 4000
    text = f"the cat {long_word} the {'1' * 700} {' ' * 900}\n{' ' * 300}\n x{'!' * 600}"
    assert tok.encode(text) == plain(tok, text)
    assert tok.encode(text + text) == plain(tok, text + text)


def test_a_batch_is_what_one_by_one_gives(tok):
    texts = ["", "the cat", "  ", "<|end|>", TEXT, "hat\n" * 50, "漢"] * 3
    assert tok.encode_batch(texts, "none") == [plain(tok, text) for text in texts]
    assert tok.encode_batch(texts, "all") == [tok.encode(text, "all") for text in texts]
    with pytest.warns(UnicodeWarning):
        assert tok.encode_batch([*texts, "the\ud83d"], "none")[:-1] == [plain(tok, text) for text in texts]
    assert tok.encode_batch(texts[:3]) == [plain(tok, text) for text in texts[:3]]
    assert tok.encode_batch(["<|en", "d|>"]) == [plain(tok, "<|en"), plain(tok, "d|>")], (
        "where two texts meet"
    )
    assert tok.encode_batch([]) == []
    assert tok.encode_batch(iter(texts), "none", n_threads=2) == [plain(tok, text) for text in texts]


def test_a_batch_of_several_groups_with_large_texts(tok, monkeypatch):
    monkeypatch.setattr(batches, "TEXTS_TOGETHER", 3)
    monkeypatch.setattr(batches, "CHARACTERS_TOGETHER", 100)
    texts = ["the cat", "hat", "", TEXT, "a", "b", "<|end|>", "c", "d", "e"]
    assert tok.encode_batch(texts, "none") == [plain(tok, text) for text in texts]
    assert tok.encode_batch([*texts, TEXT], "all") == [tok.encode(text, "all") for text in [*texts, TEXT]]
    large = [TEXT, TEXT + "<|end|>"]
    assert tok.encode_batch(large, "all") == [tok.encode(text, "all") for text in large]


@pytest.mark.parametrize("enabled", [True, False])
def test_a_batch_leaves_the_garbage_collector_as_it_was(tok, enabled):
    (gc.enable if enabled else gc.disable)()
    try:
        for frozen in (False, True):
            if frozen:
                gc.freeze()
            n_frozen = gc.get_freeze_count()
            tok.encode_batch(["the cat"] * 2000)
            assert gc.isenabled() == enabled
            assert (gc.get_freeze_count() > 0) == (n_frozen > 0) == frozen
    finally:
        gc.unfreeze()
        gc.enable()


def test_one_encoder_serves_several_threads(tok):
    texts = [TEXT * n for n in range(1, 9)]
    assert tok.encode_batch(texts, "none", n_threads=4) == [plain(tok, text) for text in texts]


@pytest.mark.parametrize("method", ["encode_batch", "encode_to_array"])
def test_what_is_interrupted_leaves_room_for_the_next_text(tok, monkeypatch, method):
    encoder = tok._encoder._fast_for(1)

    def interrupted(*numbers):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(encoder, "_encode", interrupted)
        with pytest.raises(KeyboardInterrupt):
            getattr(tok, method)(["a"] if method == "encode_batch" else "a")
    assert encoder._out is encoder._short_out
    assert tok.encode(TEXT, "none") == plain(tok, TEXT)
