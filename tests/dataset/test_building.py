from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.dataset import building, splits, staging
from bpe_studio.dataset.building import DatasetOptions, build_dataset
from bpe_studio.dataset.splits import Split
from bpe_studio.dataset.texts import beginning, sound_items
from bpe_studio.dataset.training import train_for
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import BpeStudioError, CorpusError, FormatError
from bpe_studio.engine.items import Item, items_of
from bpe_studio.engine.long_texts import encode_parts
from bpe_studio.engine.reading import ReadingMeter
from tests.strategies import awkward_texts, corpora


def listed(source: Any) -> list[Item]:
    return list(items_of(source))


TEXT = "the cat sat on the mat, the cats sat on <e>\n"
TOK = bs.train(TEXT * 3, vocab_size=280, special_tokens=["<e>"])
SPLITS = {name: listed(texts) for name, texts in (("train", [TEXT, "é 😀"]), ("val", ["the cat"]))}


def build(folder: Path, splits: Any = SPLITS, tokenizer: Any = TOK, **options: Any) -> dict[str, Any]:
    return build_dataset(folder, splits, tokenizer, DatasetOptions(**options), {"sources": None})


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names(folder)}


def test_ids_tokenizer_and_manifest_fit_together(tmp_path: Path) -> None:
    manifest = build(tmp_path / "set")
    assert names(tmp_path) == ["set"]
    assert names(tmp_path / "set") == ["manifest.json", "tokenizer.json", "train.npy", "val.npy"]
    assert manifest == json.loads((tmp_path / "set" / "manifest.json").read_text(encoding="utf-8"))
    again = bs.load(tmp_path / "set" / "tokenizer.json")
    assert again == TOK and manifest["tokenizer"]["fingerprint"] == TOK.fingerprint()
    texts = {"train": [TEXT, "é 😀"], "val": ["the cat"]}
    for name, whole in texts.items():
        ids = np.load(tmp_path / "set" / f"{name}.npy", mmap_mode="r")
        assert ids.dtype == np.uint16
        assert again.decode_bytes(ids) == "".join(whole).encode()
        entry = manifest["splits"][name]
        assert (entry["n_tokens"], entry["n_bytes"]) == (len(ids), len("".join(whole).encode()))
        assert entry["largest_id"] == ids.max() < manifest["tokenizer"]["n_ids"]
        data = (tmp_path / "set" / entry["file"]).read_bytes()
        assert entry["sha256"] == hashlib.sha256(data).hexdigest()
    assert manifest["splits"]["train"]["n_specials_as_text"] == 1
    assert manifest["splits"]["train"]["n_documents"] == 2


def test_documents_are_walls_and_may_have_an_end(tmp_path: Path) -> None:
    some = {"train": listed(["the", " cat", "", "sat"])}
    manifest = build(tmp_path / "set", some, id_format="bin", document_end="<e>")
    ids = np.fromfile(tmp_path / "set" / "train.bin", "<u2").tolist()
    end = TOK.special_tokens["<e>"]
    parts = [TOK.encode(text) for text in ("the", " cat", "", "sat")]
    assert ids == [token for part in parts for token in (*part, end)]
    assert manifest["splits"]["train"]["n_tokens"] == len(ids) and manifest["document_end"] == "<e>"


@given(texts=corpora(awkward_texts()), id_format=st.sampled_from(["npy", "bin"]), ends=st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_texts_come_back(
    texts: list[str], id_format: str, ends: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any") / "set"
    some = {"train": listed(texts)}
    build(folder, some, id_format=id_format, dtype="uint32", document_end="<e>" if ends else None)
    file = folder / f"train.{id_format}"
    ids = np.load(file) if id_format == "npy" else np.fromfile(file, "<u4")
    assert TOK.decode_bytes(ids) == "".join(text + "<e>" * ends for text in texts).encode()


def test_a_new_set_replaces_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    build(tmp_path / "set")
    (tmp_path / "set" / "notes.txt").write_text("mine")
    build(tmp_path / "set", {"train": SPLITS["val"]}, id_format="bin")
    assert names(tmp_path / "set") == ["manifest.json", "notes.txt", "tokenizer.json", "train.bin"]
    assert names(tmp_path) == ["set"]


def fail(*arguments: Any, **named: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("module", "name"),
    [(building, "save"), (splits, "encode_parts"), (building, "load"), (building, "write_atomic")],
)
def test_a_run_that_ends_early_leaves_the_old_set(
    module: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "set")
    before = contents(tmp_path / "set")
    with monkeypatch.context() as patch:
        patch.setattr(module, name, fail)
        with pytest.raises(KeyboardInterrupt):
            build(tmp_path / "set", id_format="bin")
        with pytest.raises(KeyboardInterrupt):
            build(tmp_path / "new")
    assert contents(tmp_path / "set") == before
    assert names(tmp_path) == ["set"]


def dies_at(function: str, call: int, folder: Path, tmp_path: Path) -> None:
    """Build a set of .bin files in a process that is gone, as if killed, at a call of a function."""
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "import bpe_studio as bs\n"
        "from bpe_studio.dataset import building, splits, staging\n"
        "from bpe_studio.engine.items import items_of\n"
        f"real, calls = {function}, []\n"
        "def dying(*arguments, **named):\n"
        "    calls.append(1)\n"
        f"    if len(calls) == {call}: os._exit(9)\n"
        "    return real(*arguments, **named)\n"
        f"{function} = dying\n"
        "splits = {'train': items_of('other text'), 'val': items_of('and more')}\n"
        "options = building.DatasetOptions('bin')\n"
        "building.build_dataset(Path(sys.argv[1]), splits, bs.load(sys.argv[2]), options, {})\n"
    )
    bs.save(TOK, tmp_path / "tok.json")
    environment = {**os.environ, "PYTHONPATH": str(Path(bs.__file__).parents[1])}
    command = [sys.executable, "-c", program, str(folder), str(tmp_path / "tok.json")]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert done.returncode == 9, done.stderr
    os.unlink(tmp_path / "tok.json")


@pytest.mark.parametrize(
    ("function", "call", "is_old_kept"),
    [("splits.encode_parts", 2, True), ("staging.os.replace", 3, False)],
    ids=["encoding", "moving in"],
)
def test_what_a_killed_run_left_is_removed_by_the_next(
    function: str, call: int, is_old_kept: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "set"
    build(folder)
    before = contents(folder)
    dies_at(function, call, folder, tmp_path)
    assert len(names(tmp_path)) == 2
    if is_old_kept:
        assert contents(folder) == before
    else:
        with pytest.raises(FormatError, match="no manifest.json, so this is no complete data set"):
            bs.check_fingerprint(folder, TOK)
    build(folder)
    assert names(tmp_path) == ["set"]
    assert {name: data for name, data in contents(folder).items() if name in before} == before


def test_files_that_are_no_data_sets_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "train.npy").write_bytes(b"mine")
    with pytest.raises(FormatError, match=r"train\.npy is there and no manifest\.json"):
        build(tmp_path)
    (tmp_path / "train.npy").unlink()
    (tmp_path / "manifest.json").write_text('{"name": "app"}')
    with pytest.raises(FormatError, match="no manifest of a data set"):
        build(tmp_path)
    assert names(tmp_path) == ["manifest.json"]


def test_a_folder_that_cannot_be_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder, why in ((tmp_path / "file", "not a folder"), (tmp_path / "a" / "b", "does not exist")):
        with pytest.raises(FormatError, match=why):
            build(folder)
    if os.name == "posix" and os.geteuid():
        (tmp_path / "locked").mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
        with pytest.raises(FormatError, match="read-only"):
            build(tmp_path / "locked" / "set")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda ids: ids ^ 1, "comes back as|No token has the id"),
        (lambda ids: ids[:-1], "ids that were written are not there|ids end"),
        (lambda ids: np.append(ids, ids[-1:]), "comes back as|more ids than were written"),
    ],
)
def test_a_file_that_does_not_give_the_text_back_is_not_kept(
    spoil: Callable[[Any], Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Split.write

    def spoiled(split: Any, told: Any) -> None:
        write(split, told)
        ids = np.load(split.path)
        np.save(split.path, spoil(ids))

    monkeypatch.setattr(Split, "write", spoiled)
    with pytest.raises(BpeStudioError, match=said) as error:
        build(tmp_path / "set", {"val": SPLITS["val"]})
    assert str(error.value).startswith("val: ")
    assert names(tmp_path) == []


def test_a_character_that_the_alphabet_lacks_is_named_with_its_document(tmp_path: Path) -> None:
    tok = bs.train("the cat", vocab_size=9, alphabet="characters")
    some = {"train": listed("the cat"), "val": listed(["the", "cat é"])}
    with pytest.raises(BpeStudioError, match=r"val: text 2: not in the alphabet: 'é'"):
        build(tmp_path / "set", some, tok)
    assert names(tmp_path) == []


def test_the_alphabet_has_the_characters_of_all_splits_and_the_merges_are_of_the_training_text() -> None:
    train, val = listed("abab"), listed("cdcdcdcd é")
    config = TrainingConfig(vocab_size=9, alphabet="characters", pattern="none")
    tok = train_for(train, [*train, *val], config)
    assert tok.alphabet.characters == (" ", "a", "b", "c", "d", "é")
    assert tok.merges == [("a", "b")]
    assert tok.decode(tok.encode("cdcd é")) == "cdcd é"
    in_bytes = train_for(train, [*train, *val], TrainingConfig(vocab_size=300, pattern="none"))
    assert in_bytes == bs.train("abab", vocab_size=300, pattern="none")


@given(texts=corpora(awkward_texts()), n_bytes=st.integers(0, 60))
def test_the_beginning_of_a_corpus_is_whole_characters(texts: list[str], n_bytes: int) -> None:
    parts = [item.read("strict", ReadingMeter()) for item in beginning(listed(texts), n_bytes)]
    whole = "".join(texts).encode()
    kept = b"".join(part.utf8 for part in parts if part is not None)
    assert whole.startswith(kept) and len(kept) <= n_bytes
    assert kept == whole or n_bytes - len(kept) < len(whole[len(kept) :].decode()[0].encode())
    for part, text in zip(parts, texts, strict=False):
        assert part is not None and text.startswith(part.text) and part.n_characters == len(part.text)


def test_a_training_script_refuses_another_tokenizer(tmp_path: Path) -> None:
    manifest = build(tmp_path / "set")
    for source in (tmp_path / "set", str(tmp_path / "set" / "manifest.json"), manifest):
        bs.check_fingerprint(source, TOK)
        bs.check_fingerprint(source, bs.load(tmp_path / "set" / "tokenizer.json"))
        with pytest.raises(FormatError, match=f"with the fingerprint {TOK.fingerprint()}, and this one has"):
            bs.check_fingerprint(source, TOK.first(3))


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"format": 1}', b"\xff", b"[" * 5000, b'{"format": "bpe-studio dataset"}']
)
def test_what_is_no_manifest_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(FormatError, match="manifest"):
        bs.check_fingerprint(tmp_path, TOK)
    for value in ({}, {"tokenizer": 1}, {"tokenizer": {}}, {"tokenizer": []}):
        with pytest.raises(FormatError, match="does not name the tokenizer's fingerprint"):
            bs.check_fingerprint(value, TOK)


def test_a_manifest_cannot_have_files_elsewhere_removed(tmp_path: Path) -> None:
    build(tmp_path / "set")
    (tmp_path / "mine.npy").touch()
    path = tmp_path / "set" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for name in ("../mine.npy", str(tmp_path / "mine.npy"), "", 7):
        manifest["splits"]["val"]["file"] = name
        path.write_text(json.dumps(manifest), encoding="utf-8")
        build(tmp_path / "set", {"train": SPLITS["val"]})
        assert (tmp_path / "mine.npy").exists()
    assert staging._leftovers(tmp_path / "set") == []


def test_a_normalized_text_comes_back_as_it_was_encoded(tmp_path: Path) -> None:
    tok = replace(TOK, normalizer=(("NFC",),))
    manifest = build(tmp_path / "set", {"train": listed("the e\u0301 cat")}, tok)
    assert manifest["checked"][0] == "every byte of the normalized text comes back"
    assert manifest["tokenizer"]["normalizer"] == [["NFC"]]
    assert tok.decode(np.load(tmp_path / "set" / "train.npy")) == "the é cat"


def test_a_document_is_encoded_and_read_back_part_after_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.txt").write_bytes(TEXT.encode() * 50)
    parts: list[int] = []

    def small(tokenizer: Any, chunks: Any, allowed: Any) -> Iterator[Any]:
        for utf8, ids in encode_parts(tokenizer, chunks, allowed, 20):
            parts.append(len(utf8))
            yield utf8, ids

    monkeypatch.setattr(splits, "encode_parts", small)
    build(tmp_path / "set", {"train": listed([tmp_path / "t.txt", "the", tmp_path / "t.txt"])})
    assert len(parts) > 100
    whole = TOK.encode_batch([TEXT * 50, "the", TEXT * 50], "none")
    assert np.load(tmp_path / "set" / "train.npy").tolist() == sum(whole, [])


def test_a_text_that_changes_meanwhile_is_no_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.txt").write_bytes(b"the cat sat")
    write = Split.write

    def changing(split: Any, told: Any) -> None:
        write(split, told)
        (tmp_path / "t.txt").write_bytes(b"the cat ran away")

    monkeypatch.setattr(Split, "write", changing)
    with pytest.raises(BpeStudioError, match=r"t\.txt was changed while it was read"):
        build(tmp_path / "set", {"train": listed(tmp_path / "t.txt")})
    assert names(tmp_path) == ["t.txt"]


def test_what_is_no_text_is_found_before_the_work(tmp_path: Path) -> None:
    contents = {
        "a.txt": b"the cat",
        "b.txt": b"the \xff cat",
        "c.txt": b"\xef\xbb\xbfmat",
        "d.txt": "é".encode("utf-16"),
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(CorpusError, match=r"b\.txt, line 1, byte offset 4"):
        sound_items(listed(tmp_path), "strict")
    found, notes = sound_items(listed(tmp_path), "skip")
    assert [item.name for item in found] == ["a.txt", "c.txt", "d.txt"]
    assert notes[0].startswith("left out: b.txt") and "byte order mark" in notes[1]
    found, notes = sound_items(listed(tmp_path), "replace")
    build(tmp_path / "set", {"train": found})
    ids = np.load(tmp_path / "set" / "train.npy")
    assert TOK.decode(ids) == "the catthe \ufffd catmaté"
    assert any(note.startswith("b.txt: 1 × U+FFFD") for note in notes)
