"""Counting in a stream gives what counting the whole gives, and holds no more than it must."""

from __future__ import annotations

import hashlib
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine import chunks, corpus_counting, corpus_hash, kernels, words
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.errors import CorpusError
from bpe_studio.engine.words import WordTable, count_source, count_words
from tests.engine.test_words import PATTERNS, SPECIALS, counted, recounted
from tests.strategies import awkward_texts, byte_strings, corpora

TEXTS = awkward_texts(10) | st.lists(
    st.sampled_from(["a", "b ", "ab c", " ", "\n", "<|end", "of", "text|>", "é", "the cat sat"]), max_size=30
).map("".join)
MORE_SPECIALS = SPECIALS | st.lists(st.sampled_from(["a b", "b  a", "c\nb", "t ", "the cat"]), unique=True)


@contextmanager
def in_small_chunks(size: int, fast: bool) -> Iterator[None]:
    kernels.load()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "MIN_BYTES_FOR_KERNELS", {"loaded": 0} if fast else {})
        patch.setattr(corpus_counting, "MIN_BYTES_FOR_TWO", 1)
        patch.setattr(chunks, "CHUNK_BYTES", size)
        patch.setattr(corpus_hash, "PIECE_BYTES", 7)
        yield


def written(folder: Path, contents: list[bytes]) -> list[Path]:
    paths = [folder / f"{n}.txt" for n in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return paths


@settings(max_examples=300)
@given(
    documents=corpora(TEXTS),
    pattern=PATTERNS,
    specials=MORE_SPECIALS,
    lines=st.booleans(),
    size=st.integers(1, 40),
    n_threads=st.sampled_from([1, 2]),
    fast=st.booleans(),
)
def test_small_chunks_give_the_words_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory,
    documents: list[str],
    pattern: str,
    specials: list[str],
    lines: bool,
    size: int,
    n_threads: int,
    fast: bool,
) -> None:
    paths = written(tmp_path_factory.mktemp("corpus"), [text.encode() for text in documents])
    with in_small_chunks(size, fast):
        expected = recounted(Corpus.from_source(paths, lines=lines), pattern, specials)
        for source in (paths, documents, iter(documents), Corpus.from_source(documents)):
            table = count_words(
                source, pattern=pattern, special_tokens=specials, lines=lines, n_threads=n_threads
            )
            assert (counted(table), table.facts) == expected


RAW = (
    byte_strings()
    | TEXTS.map(str.encode)
    | TEXTS.map(lambda text: b"\xef\xbb\xbf" + text.encode())
    | TEXTS.map(lambda text: text.encode("utf-16"))
    | st.tuples(TEXTS, st.binary(max_size=3), TEXTS).map(lambda x: x[0].encode() + x[1] + x[2].encode())
)


@settings(max_examples=300)
@given(
    contents=st.lists(RAW, max_size=4),
    errors=st.sampled_from(["strict", "replace", "skip"]),
    size=st.integers(1, 40),
    n_threads=st.sampled_from([1, 2]),
    fast=st.booleans(),
)
def test_bad_bytes_are_met_as_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    contents: list[bytes],
    errors: str,
    size: int,
    n_threads: int,
    fast: bool,
) -> None:
    paths = written(tmp_path_factory.mktemp("corpus"), contents)
    options = {"pattern": "gpt4", "special_tokens": (), "n_threads": n_threads, "lines": False}

    def streamed() -> tuple[WordTable, list[str]]:
        return count_source(paths, errors=errors, progress=None, **options)  # type: ignore[arg-type]

    with in_small_chunks(size, fast):
        try:
            corpus = Corpus.from_source(paths, errors=errors)
        except CorpusError as error:
            with pytest.raises(CorpusError) as caught:
                streamed()
            found = caught.value
            assert (str(found), found.what, found.path) == (str(error), error.what, error.path)
            assert (found.line, found.byte_offset) == (error.line, error.byte_offset)
            return
        table, notes = streamed()
        assert (counted(table), table.facts) == recounted(corpus, "gpt4", [])
    problems = [f"{one.name}: {problem}" for one in corpus.documents for problem in one.problems]
    assert sorted(notes) == sorted([f"left out: {said}" for said in corpus.skipped] + problems)


def test_the_first_bad_byte_of_the_corpus_wins_whatever_thread_found_it(tmp_path: Path) -> None:
    (path,) = written(tmp_path, [b"ab cd\n" * 500 + b"\xff" + b" ab cd\n" * 4000 + b"\xfe ab"])
    with in_small_chunks(64, fast=True), pytest.raises(CorpusError) as caught:
        count_words(path, n_threads=2)
    assert (caught.value.line, caught.value.byte_offset) == (501, 3000)


def test_a_file_that_changes_or_goes_away_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    text = b"one two\n" * 200_000
    for change, said in (
        (lambda path: path.write_bytes(text[:100]), "changed while it was read"),
        (lambda path: path.write_bytes(text + text), "changed while it was read"),
        (lambda path: path.unlink(), "No such file"),
    ):
        paths = written(tmp_path, [text, text])

        def progress(stage: str, done: int, total: int | None, change=change, path=paths[1]) -> None:  # type: ignore[no-untyped-def]
            if path.exists() and path.stat().st_size == len(text) and done:
                change(path)

        with pytest.raises(CorpusError, match=said):
            count_words(paths, n_threads=1, progress=progress)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("fast", [False, True])
def test_a_cancelled_count_is_that_of_the_beginning(tmp_path: Path, n_threads: int, fast: bool) -> None:
    contents = ["one two three é<s>four\n" * 400, "", "five six\n" * 3000, "seven"]
    paths = written(tmp_path, [text.encode() for text in contents])
    joined = "".join(contents).encode()
    for limit in (1, 5_000, 12_000, 20_000):
        with in_small_chunks(1000, fast), pytest.MonkeyPatch.context() as patch:
            patch.setattr(corpus_counting, "REPORT_BYTES", 1)
            progress = partial(lambda most, _, done, __: done < most, limit)
            table = count_words(paths, special_tokens=["<s>"], n_threads=n_threads, progress=progress)
            n_bytes = table.facts.n_bytes
            assert n_bytes < len(joined) - 5
            assert n_threads == 2 or n_bytes >= limit
            beginning, left = [], n_bytes
            for text in contents:
                beginning.append(text.encode()[:left].decode())
                left -= len(beginning[-1].encode())
                if not left:
                    break
            assert (counted(table), table.facts) == recounted(Corpus.from_source(beginning), "gpt4", ["<s>"])


def test_a_generator_is_consumed_as_it_is_counted() -> None:
    given_out: list[int] = []

    def documents() -> Iterator[str]:
        for n in range(200):
            given_out.append(n)
            yield "word " * 20_000

    count_words(documents(), progress=lambda _, done, __: done < 1_000_000)
    assert 0 < len(given_out) < 100
    with pytest.raises(ZeroDivisionError):
        count_words(str(1 // n) for n in (1, 0))


def peak_bytes(source: Path, **options: object) -> int:
    tracemalloc.start()
    count_words(source, **options)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    ("options", "fast"),
    [({"n_threads": 2}, True), ({}, False), ({"pattern": r"\w+|\W", "lines": True}, False)],
)
def test_memory_follows_the_words_and_not_the_text(
    tmp_path: Path, options: dict[str, object], fast: bool
) -> None:
    small, large = (tmp_path / name for name in ("small", "large"))
    text = "".join(f"the {n} of us\n" for n in range(200)).encode()
    small.write_bytes(text * 10)
    large.write_bytes(text * 100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "MIN_BYTES_FOR_KERNELS", {"loaded": 0} if fast else {})
        patch.setattr(chunks, "CHUNK_BYTES", 1 << 12)
        patch.setattr(corpus_counting, "MIN_BYTES_FOR_TWO", 1)
        kernels.load()
        peak_bytes(small, **options)
        peaks = [peak_bytes(path, **options) for path in (small, large)]
    # Not quite equal: two threads may or may not enlarge their tables at the same time.
    assert peaks[1] < 2.5 * peaks[0]


def test_the_fingerprint_is_the_hash_of_pieces_and_lengths() -> None:
    documents = [b"ab" * 1_000_000, b"", b"x" * (1 << 20)]
    expected = hashlib.sha256(b"documents\n")
    for text in documents:
        for at in range(0, len(text), 1 << 20):
            expected.update(hashlib.sha256(text[at : at + (1 << 20)]).digest())
        expected.update(len(text).to_bytes(8, "little"))
    assert Corpus.from_source(documents).fingerprint() == expected.hexdigest()
