"""`bpe-studio tokenizers`: what is at hand by name."""

from __future__ import annotations

import json

from bpe_studio.cli.program import main
from bpe_studio.formats.pretrained import pretrained_names
from bpe_studio.formats.table import load


def test_the_names_of_the_package_come_first_and_can_be_loaded(capfdbinary, monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert main(["tokenizers", "--json"]) == 0
    rows = json.loads(capfdbinary.readouterr().out)
    assert [row["name"] for row in rows] == list(pretrained_names())
    assert load(rows[0]["name"]).vocab_size == 50257


def test_what_lies_in_a_cache_is_listed_with_its_file(capfdbinary, monkeypatch, tmp_path):
    file = tmp_path / "models--a--b" / "snapshots" / "1" / "tokenizer.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}", encoding="utf-8")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert main(["tokenizers"]) == 0
    last = capfdbinary.readouterr().out.decode().splitlines()[-1]
    assert last.split() == ["a/b", "huggingface", str(file)]
