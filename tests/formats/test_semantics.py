"""Tokenizers that no training makes: what each format does with merges of every kind, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError, SpecialTokenError
from bpe_studio.engine.patterns import chained, resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats import huggingface_writing
from bpe_studio.formats.checking import check_by, sample_texts
from bpe_studio.formats.content import Content
from bpe_studio.formats.huggingface import read
from bpe_studio.formats.table import format_named, load, save
from tests.formats import building

TWO = Alphabet("characters", characters=("a", "b"))
AB = building.built(Alphabet(), [(97, 98), (256, 97)], "gpt2", {"<s>": 300})
NONE = resolve_pattern("none")


def made(alphabet: Alphabet, rows: list[tuple[int, int, int]], **more: Any) -> Tokenizer:
    left, right, product = ([row[column] for row in rows] for column in range(3))
    return Tokenizer(alphabet, left, right, product, **{"pattern": NONE} | more)  # type: ignore[arg-type]


@pytest.mark.parametrize("semantics", ["pairs-leftmost", "pairs-whole", "ranks"])
@pytest.mark.parametrize("format", ["huggingface", "huggingface_older", "gpt2", "tiktoken", "studio"])
def test_semantics_that_come_to_the_same_are_written_and_read_as_pairs(
    format: str, semantics: str, tmp_path: Path
) -> None:
    tokenizer = replace(AB, semantics=semantics)
    if format_named(format).refusals(tokenizer):
        assert format in ("gpt2", "tiktoken") and f"its merges go by {semantics!r}" in str(
            format_named(format).refusals(tokenizer)
        )
        return
    assert save(tokenizer, tmp_path / "vocab.json", format).ok
    again = load(tmp_path / "vocab.json")
    assert again.semantics == ("pairs" if format != "studio" else semantics)
    assert again.encode("ab aba abab") == tokenizer.encode("ab aba abab")


@pytest.mark.parametrize(
    ("format", "tokenizer", "reason"),
    [
        ("huggingface", made(TWO, [(5, 0, 6), (1, 1, 5)], unmerged={5: b"bb"}), "a later merge makes too"),
        ("gpt2", made(TWO, [(5, 0, 6), (1, 1, 5)], unmerged={5: b"bb"}), "a later merge makes too"),
        ("huggingface", made(TWO, [(0, 1, 2)], semantics="ranks"), "its alphabet is characters"),
        ("huggingface", made(Alphabet(), [(97, 98, 256)], semantics="pairs-whole",
                             added_tokens={"Ġa": 300}), "' a' would become"),
        ("huggingface", made(Alphabet(), [(97, 98, 256)], semantics="ranks",
                             special_tokens={"stop": 300}), "'stop' would become"),
        ("huggingface", made(Alphabet(), [], special_tokens={"b": 300}, added_tokens={"ab": 301}), "overlap"),
        ("huggingface", made(replace(TWO, unknown_token="?", fuse_unknown=True), []), "one character"),
        ("huggingface", made(replace(TWO, unknown_token="?", byte_fallback=True), []), "one character"),
        ("tiktoken", made(Alphabet(), [(97, 98, 256)], semantics="ranks", special_tokens={" ": 32}),
         "shares its id"),
        ("tiktoken", made(Alphabet(), [(97, 98, 256)], semantics="ranks", unmerged={257: b"ab"}),
         "the same bytes"),
        ("character_bpe", made(TWO, [], normalizer=(("NFC",),)), "normalizer"),
        ("character_bpe", made(TWO, [], semantics="ranks"), "'ranks'"),
        ("character_bpe", made(TWO, [], unmerged={2: b"aa"}), "no merge makes"),
        ("character_bpe", made(TWO, [], added_tokens={"aa": 2}), "added tokens"),
    ],
)  # fmt: skip
def test_what_a_format_would_change_is_refused_before_writing(
    format: str, tokenizer: Tokenizer, reason: str, tmp_path: Path
) -> None:
    assert reason in "; ".join(format_named(format).refusals(tokenizer))
    with pytest.raises(FormatError, match="cannot hold this tokenizer"):
        save(tokenizer, tmp_path / "x.json", format)


@given(
    st.lists(st.text("ab", min_size=2, max_size=5), max_size=14, unique=True),
    st.lists(st.text("ab", max_size=24), min_size=1, max_size=8),
)
def test_pairs_do_what_ranks_do_even_where_a_token_overlaps_itself(
    tokens: list[str], texts: list[str]
) -> None:
    by_ranks = Tokenizer(
        Alphabet(), [], [], [], NONE, semantics="ranks",  # type: ignore[arg-type]
        unmerged={256 + rank: text.encode() for rank, text in enumerate(tokens)},
    )  # fmt: skip
    content = Content(Path("tokenizer.json"), huggingface_writing.write(by_ranks), {})
    again = read(content)
    assert again == huggingface_writing.kept(by_ranks)
    assert again.encode_batch(texts) == by_ranks.encode_batch(texts)


def test_an_unknown_token_beside_bytes_is_kept(tmp_path: Path) -> None:
    alphabet = replace(TWO, unknown_token="<unk>", byte_fallback=True)
    tokenizer = made(alphabet, [(257, 258, 259)])
    assert save(tokenizer, tmp_path / "x.json", "huggingface").ok
    assert load(tmp_path / "x.json") == tokenizer


def test_a_check_has_texts_for_any_alphabet() -> None:
    for tokenizer in (
        made(Alphabet("characters"), []),
        made(Alphabet("characters", characters=("ab",)), []),
        made(Alphabet("characters", characters=("e", "\u0301", " ")), [], normalizer=(("NFC",),)),
    ):
        texts = sample_texts(tokenizer, "aba e\u0301")
        assert texts and all(isinstance(tokenizer.encode(text, "none"), list) for text in texts)


def test_a_pattern_that_the_peer_cannot_take_does_not_stop_the_saving(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    report = save(replace(AB, pattern=chained([r"\w+|\W"])), tmp_path / "vocab.json", "gpt2")
    assert "regular expression engines" in report.checks[1].problem and not report.ok
    assert load(tmp_path / "vocab.json").pattern.expression == r"\w+|\W"


def test_an_error_of_ours_that_is_not_about_the_file_is_not_swallowed() -> None:
    def fails(content: Content, tokenizer: Tokenizer) -> Any:
        return lambda texts: tokenizer.encode_batch(texts)

    with pytest.raises(SpecialTokenError, match="<s>"):
        check_by("x", fails, Content(Path("x"), b""), AB, ["<s>"], [[]])


@pytest.mark.parametrize("format", ["huggingface", "huggingface_older"])
def test_a_merge_is_a_line_whatever_special_tokens_say(format: str, tmp_path: Path) -> None:
    specials = {'"vocab": {}': 300, '"merges": []': 301, "\n": 302, "\u2028": 303}
    tokenizer = replace(AB, special_tokens=specials)
    assert save(tokenizer, tmp_path / "x.json", format).ok
    assert load(tmp_path / "x.json") == tokenizer
    text = (tmp_path / "x.json").read_text()
    assert ('\n      "ab a"\n' if format.endswith("older") else '\n      ["ab", "a"]\n') in text


def test_another_training_changes_nothing_but_itself() -> None:
    trained = building.BYTES
    bare = replace(trained, training=None)
    fingerprint = bare.fingerprint()
    again = bare.with_training(trained.training)  # type: ignore[arg-type]
    assert again.training is trained.training and bare.training is None
    assert again == trained and again.fingerprint() == fingerprint and again.tokens is bare.tokens
