"""Files of other families through `load` and `save`: told by their content, whatever they are called."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import bpe_studio as bs
from bpe_studio.formats.content import Content
from bpe_studio.formats.table import FORMATS, format_named, recognised
from tests.formats.awkward import CORPUS, random_texts
from tests.formats.test_gguf import TRAINED, file_of_merges
from tests.formats.test_gguf import gguf as gguf_file
from tests.formats.test_pickled_encoding import RANKS as NANOCHAT_RANKS
from tests.formats.test_pickled_encoding import pickled, state_of
from tests.formats.test_sentencepiece import SMALL
from tests.formats.test_tekken import RANKS, tekken

FILES = {
    "sentencepiece": SMALL,
    "tekken": tekken(RANKS),
    "nanochat": pickled(state_of(NANOCHAT_RANKS)),
    "gguf": gguf_file(file_of_merges(TRAINED["gpt2"], "gpt-2")),
}
READ_ONLY = ("tekken", "nanochat", "gguf")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("suffix", [".model", ".json", ".tiktoken", ".bin", ""])
def test_a_file_is_told_by_its_content(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(FILES[name])
    assert recognised(Content(path, FILES[name])).name == name
    others = [record.name for record in FORMATS if record.recognises(Content(path, FILES[name]))]
    assert others == [name] or suffix == ".tiktoken"
    assert bs.load(path) == format_named(name).read(Content(path, FILES[name]))


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_an_error_that_names_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(FILES[name][: len(FILES[name]) // 2])
    with pytest.raises(bs.FormatError, match="file: "):
        bs.load(path)


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_is_only_read_is_not_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(bs.FormatError, match="only read"):
        bs.save(TRAINED["gpt2"], path, format=name)
    assert not path.exists()


def test_a_saved_model_is_checked_by_sentencepiece(tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    tokenizer = bs.train(CORPUS[:30_000], vocab_size=400, pattern="none", alphabet="characters", lines=True)
    path = tmp_path / "ours.model"
    report = bs.save(tokenizer, path, sample=CORPUS[:5_000])
    assert report.format == "sentencepiece"
    assert [(check.by, check.ok) for check in report.checks] == [
        ("BPE Studio", True),
        ("sentencepiece", True),
    ]
    again, other = bs.load(path), sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in random_texts(500, seed=12):
        assert again.encode(text, "none") == other.encode(text)
    with pytest.raises(bs.FormatError, match="ours.model: the format sentencepiece cannot hold.*is bytes"):
        bs.save(TRAINED["gpt2"], path, format="sentencepiece")
    assert bs.load(path) == again


def test_what_was_read_can_be_saved_as_our_own(tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
        tokenizer = bs.load(tmp_path / name)
        bs.save(tokenizer, tmp_path / f"{name}.json", format="studio")
        assert bs.load(tmp_path / f"{name}.json") == tokenizer


def test_reading_warns_of_nothing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, data in FILES.items():
            (tmp_path / name).write_bytes(data)
            bs.load(tmp_path / name)


def test_a_pickle_of_something_else_is_named_and_not_taken_for_text(tmp_path: Path) -> None:
    path = tmp_path / "weights.pkl"
    path.write_bytes(b"\x80\x04cos\nsystem\n(X\x04\0\0\0truetR.")
    with pytest.raises(bs.FormatError, match="weights.pkl: the pickle asks for 'os system'"):
        bs.load(path)
    path.write_bytes(json.dumps({"config": {}, "vocab": []}).encode())
    with pytest.raises(bs.FormatError, match="not a tokenizer file"):
        bs.load(path)
