"""Tokenizers in the caches of other programs: found by name, checked by hash, never touched."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_studio import load, save, train
from bpe_studio.engine.errors import FormatError
from bpe_studio.formats.found import (
    TIKTOKEN_FILES,
    Found,
    check_hash,
    found_tokenizers,
    hub_cache,
    tiktoken_cache,
)
from bpe_studio.formats.pretrained import pretrained_list

CL100K = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"


def everything(folder: Path) -> Iterator[tuple[str, float, int]]:
    """Yield name, time and kind of whatever lies in a folder."""
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        yield str(path), status.st_mtime, stat.S_IFMT(status.st_mode)


def hub_file(hub: Path, model: str, name: str, data: bytes, *, git: bool = False, link: bool = True) -> Path:
    """Put a file into a hub's cache as the hub does it."""
    folder = hub / f"models--{model.replace('/', '--')}"
    head = b"blob %d\0" % len(data)
    blob = folder / "blobs" / (hashlib.sha1(head + data) if git else hashlib.sha256(data)).hexdigest()
    path = folder / "snapshots" / "abc123" / name
    for parent in (blob.parent, path.parent):
        parent.mkdir(parents=True, exist_ok=True)
    if link:
        blob.write_bytes(data)
        path.symlink_to(os.path.relpath(blob, path.parent))
    else:
        path.write_bytes(data)
    return path


@pytest.fixture
def caches(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a cache of each kind, a few files in them."""
    tiktoken, hub = tmp_path / "tiktoken", tmp_path / "hub"
    tiktoken.mkdir()
    (tiktoken / CL100K).write_bytes(b"not the file\n")
    (tiktoken / "something else").write_bytes(b"")
    hub_file(hub, "mistralai/Mistral-7B", "tokenizer.model", b"m")
    hub_file(hub, "mistralai/Mistral-7B", "tokenizer.json", b"{}", git=True)
    hub_file(hub, "mistralai/Mistral-7B", "config.json", b"{}", git=True)
    hub_file(hub, "mistralai/Mistral-7B", "model.safetensors", b"x")
    hub_file(hub, "gpt2", "merges.txt", b"#version: 0.2\n", link=False)
    hub_file(hub, "some/quantized", "some.Q4_K_M.gguf", b"GGUF")
    hub_file(hub, "Qwen/Qwen-7B", "qwen.tiktoken", b"IQ== 0\n", git=True)
    (hub / "models--broken" / "snapshots" / "x").mkdir(parents=True)
    (hub / "models--broken" / "snapshots" / "x" / "tokenizer.json").symlink_to("../nowhere")
    (hub / "datasets--a--b").mkdir()
    return {"TIKTOKEN_CACHE_DIR": str(tiktoken), "HF_HUB_CACHE": str(hub)}


def test_what_is_there_is_listed_by_name_and_format(caches: dict[str, str]) -> None:
    found = found_tokenizers(caches)
    assert [(item.name, item.path.name, item.format) for item in found] == [
        ("cl100k_base", CL100K, "tiktoken"),
        ("gpt2", "merges.txt", "gpt2"),
        ("mistralai/Mistral-7B", "tokenizer.json", "huggingface"),
        ("mistralai/Mistral-7B", "tokenizer.model", "sentencepiece"),
        ("Qwen/Qwen-7B", "qwen.tiktoken", "tiktoken"),
        ("some/quantized", "some.Q4_K_M.gguf", "gguf"),
    ]


def test_hashes_are_checked_where_they_are_known(caches: dict[str, str]) -> None:
    by_format = {item.format: item for item in found_tokenizers(caches) if item.name != "cl100k_base"}
    assert {format_: len(item.hash) for format_, item in by_format.items()} == {
        "gpt2": 0, "huggingface": 40, "sentencepiece": 64, "tiktoken": 40, "gguf": 64,
    }  # fmt: skip
    for item in by_format.values():
        check_hash(item)
    changed = by_format["sentencepiece"]
    changed.path.resolve().write_bytes(b"changed")
    with pytest.raises(FormatError, match="not what it was"):
        check_hash(changed)
    with pytest.raises(FormatError, match="not what it was"):
        check_hash(next(item for item in found_tokenizers(caches) if item.name == "cl100k_base"))
    with pytest.raises(FormatError, match="cannot be read"):
        check_hash(Found("x", Path(caches["HF_HUB_CACHE"], "nowhere"), "tiktoken", "0" * 64))


def test_a_name_opens_what_was_found(
    caches: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in caches.items():
        monkeypatch.setenv(variable, value)
    written = tmp_path / "tokenizer.json"
    trained = train("abab abab", vocab_size=258)
    save(trained, written, "huggingface")
    hub = hub_cache(caches)
    hub_file(hub, "somebody/small", "tokenizer.json", written.read_bytes())
    assert load("somebody/small").encode("abab") == trained.encode("abab")
    damaged = hub_file(hub, "somebody/other", "tokenizer.json", written.read_bytes())
    damaged.resolve().write_bytes(written.read_bytes() + b" ")
    with pytest.raises(FormatError, match="not what it was"):
        load("somebody/other")
    with pytest.raises(FormatError, match="nobody"):
        load("nobody/small")


def test_nothing_is_changed(caches: dict[str, str], tmp_path: Path) -> None:
    before = list(everything(tmp_path))
    for item in found_tokenizers(caches):
        item.path.exists()
    assert list(everything(tmp_path)) == before


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    for place in (tmp_path / "nowhere", file, Path("a\0b")):
        assert found_tokenizers({"TIKTOKEN_CACHE_DIR": str(place), "HF_HUB_CACHE": str(place)}) == []
    assert found_tokenizers({"TIKTOKEN_CACHE_DIR": "", "HF_HOME": str(tmp_path)}) == []


def test_the_folders_are_those_of_the_programs(tmp_path: Path) -> None:
    assert tiktoken_cache({"TIKTOKEN_CACHE_DIR": "a", "DATA_GYM_CACHE_DIR": "b"}) == Path("a")
    assert tiktoken_cache({"DATA_GYM_CACHE_DIR": "b"}) == Path("b")
    assert tiktoken_cache({"TIKTOKEN_CACHE_DIR": ""}) is None
    assert str(tiktoken_cache({})).endswith("data-gym-cache")
    assert hub_cache({"HF_HUB_CACHE": "a", "HF_HOME": "b"}) == Path("a")
    assert hub_cache({"HF_HOME": "b", "XDG_CACHE_HOME": "c"}) == Path("b", "hub")
    assert hub_cache({"XDG_CACHE_HOME": "c"}) == Path("c", "huggingface", "hub")
    assert hub_cache({}) == Path.home() / ".cache" / "huggingface" / "hub"


def test_known_hashes_are_those_of_the_packed_vocabularies() -> None:
    packed = {name: record.rank_file_sha256 for record in pretrained_list()
              for name in (record.name, *record.other_names)}  # fmt: skip
    for name, _, sha256 in TIKTOKEN_FILES.values():
        assert packed[name] == sha256


def test_file_names_are_those_that_tiktoken_looks_for() -> None:
    pytest.importorskip("tiktoken")
    public = pytest.importorskip("tiktoken_ext.openai_public")
    source = Path(public.__file__).read_text("utf-8")
    addresses = [part for part in source.split('"') if part.startswith("https://") and "tiktoken" in part]
    names = {hashlib.sha1(address.encode()).hexdigest(): address for address in addresses}
    for file, (name, _, sha256) in TIKTOKEN_FILES.items():
        assert names[file].endswith(f"/{name}.tiktoken")
        assert sha256 in source


def test_no_other_program_is_imported() -> None:
    code = (
        "import sys; from bpe_studio.formats.found import found_tokenizers; found_tokenizers(); "
        "names = ('tiktoken', 'huggingface_hub', 'tokenizers', 'transformers', 'sentencepiece', 'numba'); "
        "sys.exit(', '.join(name for name in names if name in sys.modules) or None)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
