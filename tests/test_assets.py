"""The samples are where the program looks for them, and show what they say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_studio import assets
from bpe_studio.engine.alphabet import alphabet_for
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.reference import ReferenceMerge, train_steps
from bpe_studio.engine.words import count_words

SAMPLES = assets.sample_list()
ROOT = Path(__file__).resolve().parent.parent


def text_of(key: str) -> str:
    return assets.sample(key).path.read_bytes().decode("utf-8")


def merges_of(key: str) -> list[ReferenceMerge]:
    """Train a sample with the reference under its own settings, to its target or its end."""
    sample = assets.sample(key)
    config = TrainingConfig(**sample.settings)  # type: ignore[arg-type]
    words = count_words(sample.path, pattern=config.pattern, lines=config.lines)
    alphabet = alphabet_for(words, config)
    symbols, offsets = alphabet.word_symbols(words)
    listed = [symbols[first:last].tolist() for first, last in zip(offsets, offsets[1:], strict=False)]
    n_merges = config.vocab_size - alphabet.next_id
    return list(train_steps(listed, words.counts.tolist(), alphabet, config, n_merges))


def test_aaabdaaabac_has_three_merges_and_a_tie_in_the_second() -> None:
    assert [(merge.count, merge.n_tied) for merge in merges_of("aaabdaaabac")] == [(4, 1), (2, 2), (2, 1)]


def test_low_lower_lowest_ends_by_itself_after_four_merges() -> None:
    assert [(merge.count, merge.n_tied) for merge in merges_of("low_lower_lowest")] == [
        (3, 2), (3, 1), (2, 2), (2, 1),
    ]  # fmt: skip


def test_every_merge_of_the_work_sample_is_a_tie() -> None:
    assert [merge.n_tied for merge in merges_of("work")] == [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]


def test_the_emoji_sample_makes_tokens_of_half_characters() -> None:
    smiles = "\U0001f600".encode()
    merges = merges_of("emoji_accents")
    pieces = {n: bytes([n]) for n in range(256)}
    for merge in merges:
        pieces[merge.token] = pieces[merge.left] + pieces[merge.right]
    assert smiles[:2] in pieces.values() or smiles[:3] in pieces.values()
    assert len(merges) == 384 - 256


def test_there_are_six_samples() -> None:
    keys = ["aaabdaaabac", "low_lower_lowest", "work", "emoji_accents", "three_languages", "prose"]
    assert [sample.key for sample in SAMPLES] == keys


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_a_sample_is_readable_text_with_one_line_that_says_what_it_shows(sample: assets.Sample) -> None:
    assert sample.documents
    for path in sample.documents:
        assert path.read_bytes().decode("utf-8").strip()
    assert sample.shows.endswith(".") and "\n" not in sample.shows


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_the_settings_of_a_sample_are_those_of_a_training(sample: assets.Sample) -> None:
    assert TrainingConfig(**sample.settings)  # type: ignore[arg-type]


def test_no_file_of_the_samples_is_forgotten() -> None:
    folder = SAMPLES[0].path.parent
    known = {path for sample in SAMPLES for path in sample.documents} | {folder / "samples.json"}
    assert {path for path in folder.rglob("*") if path.is_file()} == known


def test_the_first_two_samples_are_exact() -> None:
    assert text_of("aaabdaaabac") == "aaabdaaabac"
    assert text_of("low_lower_lowest") == "low lower lowest"


def test_the_work_sample_is_five_sentences() -> None:
    lines = text_of("work").splitlines()
    assert len(lines) == 5
    assert all("work" in line and line.endswith(".") for line in lines)


def test_the_emoji_sample_spells_an_accent_in_two_ways() -> None:
    text = text_of("emoji_accents")
    assert "caf\u00e9" in text and "cafe\u0301" in text
    assert max(len(character.encode()) for character in text) == 4


def test_the_story_is_about_as_long_in_every_language() -> None:
    sizes = [len(path.read_text(encoding="utf-8")) for path in assets.sample("three_languages").documents]
    assert len(sizes) == 4
    assert max(sizes) < 1.25 * min(sizes)


def test_the_prose_is_long_and_varied() -> None:
    text = text_of("prose")
    assert len(text.encode()) > 250_000
    paragraphs = text.split("\n\n")
    assert len(set(paragraphs)) > 0.85 * len(paragraphs)


def test_an_unknown_sample_is_named_with_those_there_are() -> None:
    with pytest.raises(KeyError, match="no sample 'poem'; there are aaabdaaabac"):
        assets.sample("poem")


def test_a_missing_resource_says_that_the_installation_is_incomplete() -> None:
    with pytest.raises(FileNotFoundError, match="not completely installed"):
        assets.resource("icons/no-such-sign.svg")


def test_resources_and_samples_are_found_inside_a_wheel(tmp_path: Path) -> None:
    """In a wheel both folders lie inside the package, and nothing lies beside it."""
    package = tmp_path / "bpe_studio"
    package.mkdir()
    shutil.copy(ROOT / "bpe_studio" / "assets.py", package)
    shutil.copytree(ROOT / "samples", package / "samples")
    shutil.copytree(ROOT / "resources", package / "resources")
    code = "import assets; print(assets.resource('bpe-studio.svg'), *(s.path for s in assets.sample_list()))"
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, cwd=package, capture_output=True, text=True, check=True)
    paths = [Path(path) for path in printed.stdout.split()]
    assert len(paths) == 1 + len(SAMPLES)
    assert all(path.is_relative_to(package.resolve()) for path in paths)
