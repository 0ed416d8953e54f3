"""Reading: strict, exact about the place of the first bad byte, and complete."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine import documents, reading
from bpe_studio.engine.corpus import Corpus, Document, read_document
from bpe_studio.engine.errors import CorpusError
from tests.strategies import awkward_texts, byte_strings


def texts(source: object, **options: object) -> list[str]:
    return [document.text for document in Corpus.from_source(source, **options).documents]  # type: ignore[arg-type]


def write(path: Path, data: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_a_str_is_one_document_and_never_a_path(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "inside")
    assert texts(str(path)) == [str(path)]
    assert texts(path) == ["inside"]
    assert texts(b"ab\n") == ["ab\n"]


def test_an_iterable_may_be_mixed_and_is_consumed_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "file")
    parts = iter(["one", b"two", path, "", bytearray(b"x")])
    assert texts(parts) == ["one", "two", "file", "", "x"]
    assert texts([]) == []


def test_a_folder_is_read_in_sorted_order_of_relative_paths_without_hidden_files(tmp_path: Path) -> None:
    for name in ["b.txt", "a/z.txt", "a/b/c.txt", "a.txt", ".hidden", ".git/config", "a/.x", "B.txt"]:
        write(tmp_path / name, name)
    corpus = Corpus.from_source(tmp_path)
    names = ["B.txt", "a.txt", "a/b/c.txt", "a/z.txt", "b.txt"]
    assert [document.name for document in corpus.documents] == names
    assert [document.text for document in corpus.documents] == names
    assert corpus.documents[2].path == tmp_path / "a/b/c.txt"


def test_line_ends_blanks_nul_and_invisible_characters_survive(tmp_path: Path) -> None:
    text = "a\x00b\x1b[0m\r\n\u200b\u202ec\u00ad\t \r\n\n\r\x0c\u2028\x85\x1a "
    document = read_document(write(tmp_path / "a.txt", text))
    assert (document.text, document.problems) == (text, ())
    assert (document.n_bytes, document.n_characters) == (len(text.encode()), len(text))


@given(text=awkward_texts(), size=st.integers(1, 9))
def test_every_known_encoding_gives_the_same_text_at_any_block_size(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "BLOCK_BYTES", size)
        forms = {
            "UTF-8 with BOM": b"\xef\xbb\xbf" + text.encode(),
            "UTF-16 LE": b"\xff\xfe" + text.encode("utf-16-le"),
            "UTF-16 BE": b"\xfe\xff" + text.encode("utf-16-be"),
        }
        if not text.startswith("\ufeff"):
            forms["UTF-8"] = text.encode()
        for encoding, raw in forms.items():
            if encoding.startswith("UTF-16") and (not text or text.startswith("\x00")):
                continue  # no text, or the mark of UTF-32
            (document,) = Corpus.from_source(raw).documents
            assert (document.text, document.encoding, document.n_characters) == (text, encoding, len(text))
            assert len(document.problems) == (encoding != "UTF-8")


BAD = [("//4=", 0), ("gA==", 0), ("wyg=", 0), ("YWLwn5g=", 2), ("7aCA", 0), (bytes(range(256)), 128)]


@pytest.mark.parametrize(("data", "offset"), BAD)
def test_the_first_bad_byte_is_reported_with_its_offset(
    tmp_path: Path, data: str | bytes, offset: int
) -> None:
    path = write(tmp_path / "bad.txt", base64.b64decode(data) if isinstance(data, str) else data)
    with pytest.raises(CorpusError) as caught:
        Corpus.from_source(path)
    assert (caught.value.byte_offset, caught.value.path) == (offset, path)
    assert 'errors="replace"' in str(caught.value)
    assert 'errors="skip"' in str(caught.value)
    assert f"bad.txt, line {caught.value.line}, byte offset {offset}" in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "line", "offset"),
    [
        (b"ab\ncd\n\xffx", 3, 6),
        (b"\xef\xbb\xbfab\n\xff", 2, 6),
        (b"\xff\xfe" + "a\n\u0a0a".encode("utf-16-le") + b"\x00\xdc", 2, 8),
        (b"\xfe\xff" + "a\n".encode("utf-16-be") + b"x", 2, 6),
    ],
)
def test_line_and_offset_count_from_the_start_of_the_file(raw: bytes, line: int, offset: int) -> None:
    with pytest.raises(CorpusError) as caught:
        Corpus.from_source(raw)
    assert (caught.value.line, caught.value.byte_offset) == (line, offset)


@given(raw=byte_strings(), size=st.integers(1, 9))
def test_the_offset_is_that_of_pythons_decoder_at_any_block_size(raw: bytes, size: int) -> None:
    try:
        raw.decode()
        return
    except UnicodeDecodeError as error:
        offset = error.start
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or raw.startswith(b"\x00\x00\xfe\xff"):
        return
    with pytest.MonkeyPatch.context() as patch, pytest.raises(CorpusError) as caught:
        patch.setattr(documents, "BLOCK_BYTES", size)
        Corpus.from_source(raw)
    assert caught.value.byte_offset == offset


def test_replace_puts_u_fffd_and_counts_only_what_it_put() -> None:
    (document,) = Corpus.from_source(b"a\xff\xef\xbf\xbd\nb\xe2\x82\n", errors="replace").documents
    assert document.text == "a\ufffd\ufffd\nb\ufffd\n"
    assert document.problems[0].startswith("2 × U+FFFD")
    assert "line 1, byte 1" in document.problems[0]
    utf16 = b"\xff\xfe" + "\ufffd".encode("utf-16-le") + b"\x00\xd8a"
    (document,) = Corpus.from_source(utf16, errors="replace").documents
    assert document.problems[1].startswith(f"{document.text.count(chr(0xFFFD)) - 1} × U+FFFD")


def test_skip_leaves_the_document_out_and_says_which_and_why(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "good")
    write(tmp_path / "b.txt", b"\xff")
    write(tmp_path / "c.txt", b"\xff\xfe\x00\x00a\x00\x00\x00")
    os.symlink(tmp_path / "nowhere", tmp_path / "d.txt")
    os.mkfifo(tmp_path / "e.txt")
    corpus = Corpus.from_source(tmp_path, errors="skip")
    assert [document.text for document in corpus.documents] == ["good"]
    left_out = ["b.txt", "c.txt", "d.txt", "e.txt"]
    assert all(name in said for name, said in zip(left_out, corpus.skipped, strict=True))
    assert "UTF-32" in corpus.skipped[1]
    with pytest.raises(CorpusError, match="a device, pipe or socket"):
        Corpus.from_source(tmp_path / "e.txt")


def test_what_is_not_there_or_not_text_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for source, said in [
        (tmp_path / "none.txt", "No such file"), (tmp_path / "empty", "no files"),
        (Path("/dev/null"), "a device"), (tmp_path / "a\0b", "null"),
        ([3], "int"), (3, "int"), ({"a"}, "set"), ({"a": 1}, "dict"),
        (b"\x00\x00\xfe\xff", "UTF-32"),
    ]:  # fmt: skip
        with pytest.raises(CorpusError, match=said):
            Corpus.from_source(source)  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match="a folder"):
        read_document(tmp_path)
    with pytest.raises(CorpusError, match="'ignore'"):
        Corpus.from_source("a", errors="ignore")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_clear_error(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "x").chmod(0)
    with pytest.raises(CorpusError, match="Permission denied"):
        Corpus.from_source(tmp_path)


def test_surrogates_in_a_str_join_or_become_u_fffd() -> None:
    (document,) = Corpus.from_source("a\ud83d\ude00\ud800b\ufffd\udc00").documents
    assert document.text == "a\U0001f600\ufffdb\ufffd\ufffd"
    assert document.problems == ("1 pairs of surrogates joined", "2 lone surrogates replaced with U+FFFD")


def test_lines_keep_their_ends_and_end_at_line_feeds_only() -> None:
    corpus = Corpus.from_source(["a\r\nb\u2028c\x85d\re\n\nf", "", "g"], lines=True)
    assert list(corpus.texts()) == ["a\r\n", "b\u2028c\x85d\re\n", "\n", "f", "g"]
    assert list(Corpus.from_source(["a\nb", ""]).texts()) == ["a\nb", ""]


def test_the_fingerprint_is_of_text_and_walls_and_not_of_names(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"\xef\xbb\xbfab")
    same = {Corpus.from_source(source).fingerprint() for source in ("ab", b"ab", path, ["ab"])}
    assert len(same) == 1
    other_sources: list[list[str]] = [["a", "b"], ["", "ab"], ["ab", ""], ["abc"], []]
    others = [Corpus.from_source(source).fingerprint() for source in other_sources]
    assert len({*others, *same, Corpus.from_source("ab", lines=True).fingerprint()}) == 7


def test_a_corpus_passes_through_and_documents_can_be_sources() -> None:
    corpus = Corpus.from_source(["a", "b"])
    assert Corpus.from_source(corpus) is corpus
    assert Corpus.from_source(corpus, lines=True).lines
    assert Corpus.from_source(list(corpus.documents)) == corpus


def test_reading_tells_how_far_it_is_and_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 4)
    for name in "abc":
        write(tmp_path / name, name * 8)
    calls: list[tuple[str, int, int | None]] = []

    def until(limit: int) -> object:
        calls.clear()
        return lambda *call: calls.append(call) or call[1] < limit

    Corpus.from_source(tmp_path, progress=until(99))  # type: ignore[arg-type]
    assert calls == [("reading", n, 24) for n in (4, 8, 12, 16, 20, 24)]
    assert texts(tmp_path, progress=until(12)) == ["a" * 8]
    assert texts((text for text in ["one", "two", "three"]), progress=until(6)) == ["one", "two"]
    assert calls == [("reading", 3, None), ("reading", 6, None)]
    part = read_document(tmp_path / "c", progress=until(4))  # type: ignore[arg-type]
    assert (part.text, part.problems) == ("cccc", ("reading was cancelled after 4 of 8 bytes",))


def test_a_character_cut_off_by_cancelling_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 4)
    path = write(tmp_path / "a", "ab€d")
    assert read_document(path, progress=lambda *_: False).text == "ab"


def test_a_document_knows_its_sizes() -> None:
    document = Document("a", "é😀".encode(), None, "UTF-8", 2)
    assert (document.n_bytes, document.n_characters, document.text) == (6, 2, "é😀")
