"""Compiled counting is that of a dict, for every pattern and number of threads."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine import corpus_counting, kernels, unicode_classes, words
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.fast_counting import KINDS
from bpe_studio.engine.kernels.state import LETTER, LOWER
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.words import count_words
from tests.strategies import awkward_texts, corpora

PATTERNS = sorted(KINDS)


def table(counted):
    return counted.utf8.tobytes(), counted.offsets.tolist(), counted.counts.tolist(), counted.facts


@pytest.fixture(autouse=True)
def small_texts_too(monkeypatch):
    kernels.load()
    monkeypatch.setattr(words, "MIN_BYTES_FOR_KERNELS", {"loaded": 0})


def both_ways(monkeypatch, source, **settings):
    compiled = count_words(source, **settings)
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "status", lambda: "cold")
        return table(compiled), table(count_words(source, **settings))


@given(
    corpora(awkward_texts()),
    st.sampled_from(PATTERNS),
    st.booleans(),
    st.sampled_from([(), ("<|endoftext|>", "the")]),
)
def test_counting_is_that_of_a_dict(documents, name, lines, specials):
    with pytest.MonkeyPatch.context() as patch:
        compiled, plain = both_ways(patch, documents, pattern=name, lines=lines, special_tokens=specials)
    assert compiled == plain


def long_documents():
    rng = random.Random(4)
    vocabulary = ["".join(rng.choices("abcdefghéж漢 '\n", k=rng.randint(1, 24))) for _ in range(5000)]
    return ["".join(f"{rng.choice(vocabulary)} " for _ in range(n)) for n in (5_000, 0, 3, 7_500, 100)]


@pytest.mark.parametrize("specials", [(), ("<s>", "h a"), ("x",)])
@pytest.mark.parametrize("lines", [False, True])
def test_number_of_threads_changes_nothing(monkeypatch, lines, specials):
    monkeypatch.setattr(corpus_counting, "MIN_BYTES_FOR_TWO", 1)
    documents = long_documents()
    for name in PATTERNS:
        settings = {"pattern": name, "lines": lines, "special_tokens": specials}
        one, plain = both_ways(monkeypatch, documents, n_threads=1, **settings)
        two = table(count_words(documents, n_threads=2, **settings))
        assert one == two == plain


def test_two_threads_cut_one_long_document(monkeypatch):
    monkeypatch.setattr(corpus_counting, "MIN_BYTES_FOR_TWO", 1)
    text = long_documents()[0]
    assert table(count_words(text, n_threads=2)) == table(count_words(text, n_threads=1))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_cancelled_counting_keeps_the_beginning(n_threads):
    documents = [text * 48 for text in long_documents()]
    whole = Corpus.from_source(documents)
    cut = count_words(
        whole,
        n_threads=n_threads,
        progress=lambda stage, done, total: stage == "reading" or done < total // 5,
    )
    counted = cut.facts.n_bytes
    assert 0 < counted < whole.n_bytes
    text = "".join(documents).encode()[:counted].decode()
    n_first = len(documents[0])
    again = [text[:n_first], text[n_first:]] if len(text) > n_first else [text]
    assert dict(cut.items()) == dict(count_words(again).items())


def test_many_and_long_words_find_room():
    text = " ".join(f"w{i}" for i in range(100_000)) + " " + "x" * 3_000_000
    found = count_words(text)
    assert [word for word, _ in found.items()] == [
        word.encode() for word in dict.fromkeys(regex.findall(resolve_pattern("gpt4").expression, text))
    ]
    assert np.array_equal(np.diff(found.offsets)[-1:], [3_000_001])


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 39), st.sampled_from("\0ab")), max_size=600))
def test_words_alike_but_for_a_letter_or_the_length_are_told_apart(drawn):
    words = [("a" * place + letter + "a" * n)[:n] for n, place, letter in drawn]
    assert dict(count_words(" ".join(words), pattern="whitespace").items()) == Counter(
        regex.findall(rb"\S+|\s+", " ".join(words).encode())
    )


def test_kept_classes_are_those_of_regex_and_a_damaged_file_does_no_harm(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path / "kernels")
    made = unicode_classes.character_classes.__wrapped__()
    kept = unicode_classes.character_classes.__wrapped__()
    assert np.array_equal(made, kept)
    (path,) = (tmp_path / "kernels").iterdir()
    for damage in (path.read_bytes()[:-40], b"", b"PK\x03\x04"):
        path.write_bytes(damage)
        assert np.array_equal(unicode_classes.character_classes.__wrapped__(), made)
    assert made[ord("a")] == LETTER | LOWER
