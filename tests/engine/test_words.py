"""Words: counted in order of first appearance, whatever the blocks; kept on the disk without trust."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine import corpus_counting, kernels, pattern_matching, word_counting
from bpe_studio.engine import words as words_module
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.errors import CorpusError, FormatError, PatternError, SpecialTokenError
from bpe_studio.engine.patterns import chained, resolve_pattern
from bpe_studio.engine.words import CorpusFacts, WordTable, count_words
from tests.strategies import awkward_texts, corpora, word_counts

PATTERNS = st.sampled_from(["none", "whitespace", "gpt2", "gpt4", "o200k", "[a-z]+", r"(?<=a)b|\s"])
SPECIALS = st.lists(st.sampled_from(["a", "ab", "<|end", "<|endoftext|>", " ", "."]), unique=True, max_size=3)


def counted(table: WordTable) -> list[tuple[str, int]]:
    return [(word.decode(), count) for word, count in table.items()]


def plainly_cut(text: str, specials: list[str]) -> list[str | None]:
    """The text between special strings, and None for each of these; by looking at every place in turn."""
    parts: list[str | None] = []
    plain = ""
    at = 0
    while at < len(text):
        here = max((token for token in specials if text.startswith(token, at)), key=len, default=None)
        if here is None:
            plain += text[at]
            at += 1
            continue
        parts += [plain, None]
        plain = ""
        at += len(here)
    return [*parts, plain]


def recounted(corpus: Corpus, pattern: str, specials: list[str]) -> tuple[list[tuple[str, int]], CorpusFacts]:
    """The words of a corpus in memory, by `spans` of each text between walls."""
    expected: Counter[str] = Counter()
    n_specials = n_uncovered = 0
    for text in corpus.texts():
        for part in plainly_cut(text, specials):
            if part is None:
                n_specials += 1
                continue
            for start, end, covered in resolve_pattern(pattern).spans(part):
                expected[part[start:end]] += 1
                n_uncovered += not covered
    sizes = len(corpus.documents), corpus.n_bytes, corpus.n_characters, corpus.fingerprint()
    return list(expected.items()), CorpusFacts(*sizes, n_uncovered, n_specials)


@given(documents=corpora(awkward_texts(10)), pattern=PATTERNS, specials=SPECIALS, lines=st.booleans())
def test_counts_are_those_of_a_plain_recount(
    documents: list[str], pattern: str, specials: list[str], lines: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_matching.blocks, "__defaults__", (3,))
        patch.setattr(word_counting, "_SPANS", 2)
        table = count_words(documents, pattern=pattern, special_tokens=specials, lines=lines)
    corpus = Corpus.from_source(documents, lines=lines)
    assert (counted(table), table.facts) == recounted(corpus, pattern, specials)
    assert (table.facts.n_documents, table.facts.fingerprint) == (len(documents), corpus.fingerprint())


def test_blank_lines_of_a_file_are_words(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\n\nb\n\nc\n\nd")
    assert counted(count_words(tmp_path / "a.txt")) == [("a", 1), ("\n\n", 3), ("b", 1), ("c", 1), ("d", 1)]


def test_long_lines_are_counted_and_not_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ab" * 5000 + "\n" + "cd" * 35_000 + "\nef\n", newline="")
    table = count_words(tmp_path / "a.txt", pattern=r"[^\n]+|\n")
    assert counted(table) == [("ab" * 5000, 1), ("\n", 3), ("cd" * 35_000, 1), ("ef", 1)]
    assert table.facts.n_bytes == 80_005


def test_what_the_pattern_does_not_cover_is_counted_as_words() -> None:
    table = count_words("ab12cd!", pattern="[a-z]+")
    assert counted(table) == [("ab", 1), ("12", 1), ("cd", 1), ("!", 1)]
    assert table.facts.n_uncovered == 2


def test_special_strings_are_cut_leftmost_then_longest_and_are_walls() -> None:
    table = count_words("xabcx", pattern="none", special_tokens=["b", "bc", "ab"])
    assert counted(table) == [("x", 1), ("cx", 1)]
    table = count_words("a<s><s>b<s>", special_tokens=["<s>"])
    assert counted(table) == [("a", 1), ("b", 1)]
    assert (table.facts.n_specials, table.n_bytes, table.facts.n_bytes) == (3, 2, 11)


@pytest.mark.parametrize("specials", [[""], ["a", "a"], "ab", [b"a"], ["\ud800"]])
def test_special_tokens_that_cannot_be_told_apart_are_refused(specials: list[str]) -> None:
    for make in (
        lambda: count_words("a", special_tokens=specials),
        lambda: WordTable.from_counts([], "none", specials),
    ):
        with pytest.raises(SpecialTokenError):
            make()


def test_counts_may_exceed_32_bits_but_not_63() -> None:
    table = WordTable.from_counts(
        [("ab", 3_000_000_000), (b"cd", 5_000_000_000), ("efg", 1), ("", 5), ("ab", 1)]
    )
    assert counted(table) == [("ab", 3_000_000_001), ("cd", 5_000_000_000), ("efg", 1)]
    assert table.counts.dtype == np.int64
    assert (table.n_bytes, table.n_pre_tokens) == (16_000_000_005, 8_000_000_002)
    assert len(WordTable.from_counts([("ab", 2**62 - 1)])) == 1
    with pytest.raises(CorpusError, match="9,223,372,036,854,775,808 bytes"):
        WordTable.from_counts([("ab", 2**62)])


@pytest.mark.parametrize(
    "pair", [("a", 0), ("a", -1), ("a", 1.0), ("a", True), (b"\xff", 1), ("\ud800", 1), (3, 1)]
)
def test_a_bad_word_or_count_is_refused_with_its_row(pair: tuple[str, int]) -> None:
    with pytest.raises(CorpusError, match=r"[Ww]ord 2"):
        WordTable.from_counts([("ok", 1), pair])


@given(pairs=word_counts())
def test_a_table_is_its_words_and_counts(pairs: list[tuple[str, int]]) -> None:
    table = WordTable.from_counts(pairs)
    assert counted(table) == pairs
    assert [table.text(row) for row in range(len(table))] == [word for word, _ in pairs]
    assert [table.word(row) for row in range(len(table))] == [word.encode() for word, _ in pairs]
    for array in (table.utf8, table.offsets, table.counts):
        assert not array.flags.writeable
    assert (table.utf8.dtype, table.offsets.dtype, len(table.offsets)) == (np.uint8, np.int64, len(pairs) + 1)


@given(documents=corpora(), pattern=PATTERNS, cut=st.integers(0, 5))
def test_merged_tables_are_the_table_of_all_documents(documents: list[str], pattern: str, cut: int) -> None:
    whole = count_words(documents, pattern=pattern)
    parts = [count_words(part, pattern=pattern) for part in (documents[:cut], documents[cut:])]
    merged = WordTable.merge(parts)
    assert counted(merged) == counted(whole)
    for name in ("n_documents", "n_bytes", "n_characters", "n_uncovered", "n_specials"):
        assert getattr(merged.facts, name) == getattr(whole.facts, name)


def test_tables_that_were_cut_differently_are_not_merged() -> None:
    table = count_words("a", pattern="gpt2")
    with pytest.raises(PatternError):
        WordTable.merge([table, count_words("a", pattern="gpt4")])
    with pytest.raises(SpecialTokenError):
        WordTable.merge([table, count_words("a", pattern="gpt2", special_tokens=["x"])])
    with pytest.raises(CorpusError):
        WordTable.merge([])
    assert WordTable.merge([table]) is table


@settings(max_examples=40)
@given(documents=corpora(awkward_texts(8)), pattern=PATTERNS, specials=SPECIALS)
def test_a_saved_table_is_read_back_equal(
    tmp_path_factory: pytest.TempPathFactory, documents: list[str], pattern: str, specials: list[str]
) -> None:
    table = count_words(documents, pattern=pattern, special_tokens=specials)
    path = tmp_path_factory.mktemp("words") / "table.npz"
    table.save(path)
    again = WordTable.load(path)
    assert counted(again) == counted(table)
    assert (again.pattern, again.special_tokens, again.facts) == (
        table.pattern,
        table.special_tokens,
        table.facts,
    )


def test_a_saved_table_keeps_every_pattern_of_a_chain(tmp_path: Path) -> None:
    table = count_words("a1 22b", pattern=chained([r"\p{N}", r"\s+", "gpt2"]))
    table.save(tmp_path / "table")
    again = WordTable.load(tmp_path / "table")
    assert again.pattern == table.pattern and len(again.pattern.then) == 2
    assert counted(again) == counted(table)


def test_saving_replaces_the_file_in_one_step_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path, link = tmp_path / "table", tmp_path / "link"
    count_words("old").save(path)
    link.symlink_to(path)
    before = path.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(FormatError, match="No space left"):
            count_words("new").save(link)
    assert path.read_bytes() == before
    count_words("new").save(link)
    assert counted(WordTable.load(str(path))) == [("new", 1)]
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "table"]
    with pytest.raises(FormatError, match="cannot be written"):
        count_words("a").save(tmp_path / "no folder" / "table")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "table.npz"
    count_words("low lower lowest").save(path)
    return path.read_bytes()


@settings(max_examples=150)
@given(data=st.data())
def test_a_damaged_file_is_one_clear_error_or_an_honest_table(
    saved: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(saved[: data.draw(st.integers(0, len(saved)))])
    for _ in range(data.draw(st.integers(0, 3))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    path.write_bytes(damaged)
    try:
        table = WordTable.load(path)
    except FormatError as error:
        assert "damaged.npz" in str(error)
    else:
        assert len(counted(table)) == len(table)


def repacked(saved: bytes, path: Path, **arrays: np.ndarray) -> Path:  # type: ignore[type-arg]
    path.write_bytes(saved)
    with np.load(path) as archive:
        kept = dict(archive)
    np.savez(path, allow_pickle=False, **{**kept, **arrays})
    return path


HOSTILE = {
    "offsets": [
        [0, 3, 9, 16, 99], [0, 9, 3, 16], [1, 3, 9, 16], [0, 3, 9], [-(2**63), 2**63 - 1, 9, 16],
        [0, 3, 3, 16],
    ],
    "counts": [[1, 1, 0], [1, 1, -1], [1, 1], [2**62, 2**62, 2**62]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "values"), [(name, values) for name, many in HOSTILE.items() for values in many]
)
def test_hostile_arrays_are_refused(saved: bytes, tmp_path: Path, name: str, values: list[int]) -> None:
    path = repacked(saved, tmp_path / "t.npz", **{name: np.array(values, np.int64)})
    with pytest.raises(FormatError):
        WordTable.load(path)


def test_other_files_are_refused(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    with pytest.raises(FormatError, match="no such file"):
        WordTable.load(path)
    with pytest.raises(FormatError, match="no such file"):
        WordTable.load(tmp_path)
    for meta in (b"{}", b"[" * 100_000, b'{"format": "bpe-studio words", "version": 2}', b"\xff", b"null"):
        with pytest.raises(FormatError):
            WordTable.load(repacked(saved, path, meta=np.frombuffer(meta, np.uint8)))
    with pytest.raises(FormatError):
        WordTable.load(repacked(saved, path, counts=np.ones(3)))
    np.save(tmp_path / "one.npy", np.ones(3))
    with pytest.raises(FormatError):
        WordTable.load(tmp_path / "one.npy")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("utf8.npy", b"\0" * 1_000_000)
    with pytest.raises(FormatError):
        WordTable.load(path)


def test_a_table_passes_through() -> None:
    table = WordTable.from_counts([("a", 2)])
    assert count_words(table) is table


def test_cancelling_keeps_what_was_counted_and_its_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_matching.blocks, "__defaults__", (4,))
    monkeypatch.setattr(corpus_counting, "REPORT_BYTES", 1)
    monkeypatch.setattr(kernels, "status", lambda: "cold")
    documents = ["one two", "three four five", "six"]

    def progress(stage: str, done: int, total: int | None) -> bool:
        return stage == "reading" or done < 16

    table = count_words(documents, pattern="gpt2", progress=progress)
    assert counted(table) == [("one", 1), (" two", 1), ("three", 1), (" four", 1)]
    assert table.facts == count_words(["one two", "three four"], pattern="gpt2").facts
    nothing = count_words(documents, progress=lambda *_: False)
    assert (len(nothing), nothing.facts.n_documents) == (0, 0)


def test_progress_names_the_stages_in_order_and_ends_at_the_total() -> None:
    calls: list[tuple[str, int, int | None]] = []
    count_words(["é" * 300_000, "b c " * 300_000], progress=lambda *call: calls.append(call))
    stages = [stage for stage, *_ in calls]
    assert stages == sorted(stages, reverse=True)
    counting = [done for stage, done, _ in calls if stage == "counting"]
    assert counting == sorted(counting)
    assert calls[-1] == ("counting", 1_800_000, 1_800_000)
    assert 5 < len(counting) < 20


def test_a_runaway_pattern_says_in_which_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_matching, "CHARACTERS_PER_SECOND", 10**12)
    monkeypatch.setattr("bpe_studio.engine.patterns.SplitPattern.spans.__defaults__", (0.2,))
    with pytest.raises(PatternError, match="In text 2, .*from character 0 on"):
        count_words(["ok", "a" * 20_000 + "b"], pattern="(a+)+$")


def test_the_order_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from bpe_studio.engine.words import count_words\n"
        "text = 'the cat sat on the mat. <s>The end'\n"
        "print(list(count_words(text, special_tokens=['<s>', 'T', '<']).items()))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(words_module.__file__).parents[2],
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(outputs) == 1
