"""What converters, readers and users of tokenizer files are known to get wrong: here it is right or said."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bs
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.formats.assembling import tokenizer_of_ranks
from bpe_studio.formats.pretrained import pretrained, published_as
from bpe_studio.formats.table import format_named, load, save
from tests.formats.awkward import CORPUS
from tests.formats.building import FALLBACK, NUL, built

OF_BYTES = ("studio", "huggingface", "huggingface_older", "gpt2", "tiktoken", "minbpe")


# ---- sizes and bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", OF_BYTES)
@pytest.mark.parametrize(("vocab_size", "found"), [(300, 300), (100_000, None)])
def test_every_format_holds_exactly_the_tokens_there_are(
    format: str, vocab_size: int, found: int | None, tmp_path: Path
) -> None:
    """Also where fewer merges could be made than were asked for."""
    specials = ("<|endoftext|>", "<|pad|>")
    tokenizer = bs.train(CORPUS[:3000], vocab_size=vocab_size, special_tokens=specials)
    assert tokenizer.vocab_size == 256 + tokenizer.n_merges + 2 == (found or tokenizer.vocab_size)
    path = save(tokenizer, tmp_path / "x", format).path
    again = load(path)
    assert sorted(again.tokens) == list(range(tokenizer.vocab_size))
    assert dict(again.special_tokens) == dict(tokenizer.special_tokens) and again.merges == tokenizer.merges
    if format == "huggingface":
        value = json.loads(path.read_bytes())
        sizes = len(value["model"]["vocab"]), len(value["model"]["merges"]), len(value["added_tokens"])
        assert sizes == (tokenizer.vocab_size, tokenizer.n_merges, 2)
    if format == "tiktoken":
        assert path.read_bytes().count(b"\n") == tokenizer.vocab_size - 2


@pytest.mark.parametrize("format", OF_BYTES)
def test_nul_is_a_byte_like_any_other(format: str, tmp_path: Path) -> None:
    path = save(NUL, tmp_path / "x", format).path
    tokenizer = load(path)
    assert tokenizer.encode("a\0b\0") == [256, 257] and tokenizer.decode_bytes([256, 257]) == b"a\0b\0"
    if format == "tiktoken":
        assert path.read_bytes().splitlines()[-2:] == [b"YQA= 256", b"YgA= 257"]
    if format in ("huggingface", "gpt2"):
        assert json.dumps("a\u0100")[1:-1] in json.dumps(json.loads(path.read_bytes()))


def test_a_byte_and_the_character_of_it_are_two_tokens() -> None:
    letter, byte = FALLBACK.encode("a")[0], FALLBACK.alphabet.byte_ids[ord("a")]
    assert letter != byte and FALLBACK.decode([letter]) == FALLBACK.decode([byte]) == "a"
    tokens = json.loads(format_named("huggingface").write(FALLBACK))["model"]["vocab"]
    assert (tokens["a"], tokens["<0x61>"]) == (letter, byte)


def test_a_token_made_in_two_ways_has_the_parts_of_lower_rank() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"ab": 257, b"abc": 258}
    tokenizer = tokenizer_of_ranks(ranks, resolve_pattern("none"), {})
    theirs = tiktoken.Encoding("x", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})
    assert tokenizer.merges == [(b"b", b"c"), (b"a", b"b"), (b"a", b"bc")]
    for text in ("abc", "abcab", "aabc", "abbc"):
        assert tokenizer.encode(text) == theirs.encode(text)


# ---- split patterns ----------------------------------------------------------------------------------------


def test_a_known_vocabulary_with_another_pattern_is_warned_about(tmp_path: Path) -> None:
    """Files of a well-known model were published with the pattern of another one."""
    gpt2, path = pretrained("gpt2"), tmp_path / "tokenizer.json"
    wrong = replace(gpt2, pattern=resolve_pattern("gpt4"))
    path.write_bytes(format_named("huggingface").write(wrong))
    with pytest.warns(UserWarning, match="published with the split pattern of gpt2; the file has another"):
        assert load(path).pattern == wrong.pattern
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for record, tokenizer in ((format_named("huggingface"), gpt2), (format_named("studio"), wrong)):
            path.write_bytes(record.write(tokenizer))
            assert load(path).pattern == tokenizer.pattern


def test_a_vocabulary_is_known_by_its_bytes_and_merges() -> None:
    gpt2 = pretrained("gpt2")
    assert published_as(replace(gpt2, special_tokens={})) is gpt2
    assert published_as(pretrained("p50k_base")) is pretrained("p50k_base")
    assert published_as(pretrained("p50k_base").first(50_000)) == gpt2
    left, right = gpt2.left.copy(), gpt2.right.copy()
    left[-1], right[-1] = right[-1], left[-1]
    assert published_as(replace(gpt2, left=left, right=right)) is None
    assert published_as(NUL) is None


def test_published_ranks_keep_the_pattern_and_specials_that_they_are_saved_with(tmp_path: Path) -> None:
    mine = replace(pretrained("gpt2"), pattern=resolve_pattern("gpt4"), special_tokens={"<s>": 60_000})
    save(mine, tmp_path / "x.tiktoken")
    with pytest.warns(UserWarning, match="the file has another"):
        assert load(tmp_path / "x.tiktoken") == mine
    (tmp_path / "x.tiktoken.py").unlink()
    assert load(tmp_path / "x.tiktoken") == pretrained("gpt2")


def test_text_that_a_pattern_does_not_match_is_kept_and_it_is_said_where_it_is_not(tmp_path: Path) -> None:
    tokenizer = built(Alphabet(), [], "[a-z]+")
    for format in OF_BYTES:
        save(tokenizer, tmp_path / format, format)
        assert load(tmp_path / format).encode("ab12cd!") == [97, 98, 49, 50, 99, 100, 33]
        drops = any(
            "drops text that the split pattern" in loss for loss in format_named(format).lost(tokenizer)
        )
        assert drops == (format in ("tiktoken", "minbpe"))
        assert not any("drops text" in loss for loss in format_named(format).lost(NUL))


# ---- special tokens ----------------------------------------------------------------------------------------


def test_of_special_tokens_that_begin_alike_the_longest_is_meant(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = built(Alphabet(), [], "gpt4", {"<a>": 256, "<a><b>": 257})
    assert tokenizer.encode("<a><b><a>", "all") == [257, 256]
    theirs = tokenizers.Tokenizer.from_str(format_named("huggingface").write(tokenizer).decode())
    assert theirs.encode("<a><b><a>").ids == [257, 256]
    assert format_named("minbpe").write(tokenizer).decode().splitlines()[3:5] == ["<a><b> 257", "<a> 256"]
    said = "begin alike tiktoken may take the shorter one"
    apart = built(Alphabet(), [], "gpt4", {"<a>": 256, "<b>": 257})
    assert [said in " ".join(format_named("tiktoken").lost(each)) for each in (tokenizer, apart)] == [
        True,
        False,
    ]


def test_a_special_token_spelled_as_a_merged_one_is_another_token(tmp_path: Path) -> None:
    words = bs.WordTable.from_counts([("ab", 5)], special_tokens=("ab",))
    tokenizer = bs.train(words, vocab_size=258)
    assert tokenizer.merges == [(b"a", b"b")] and dict(tokenizer.special_tokens) == {"ab": 257}
    for format in ("studio", "tiktoken", "minbpe"):
        again = load(save(tokenizer, tmp_path / format, format).path)
        assert (again.encode("ab", "none"), again.encode("ab", "all")) == ([256], [257])
    for format in ("huggingface", "gpt2"):
        with pytest.raises(bs.FormatError, match="256 and 257 would both be named 'ab'"):
            save(tokenizer, tmp_path / format, format)


def test_the_pair_of_files_says_where_its_specials_are_and_has_them_again(tmp_path: Path) -> None:
    tokenizer = bs.train("abab", vocab_size=258, pattern="gpt2", special_tokens=["<SEP>"])
    report = save(tokenizer, tmp_path / "vocab.json", "gpt2")
    assert any("Which tokens are special" in sentence for sentence in report.lost)
    assert load(tmp_path / "vocab.json").encode("ab<SEP>", "all") == [256, 257]


@pytest.mark.parametrize("text", ["a\nb", "a b"])
def test_a_blank_or_line_end_in_a_merge_is_no_line_of_merges_txt(text: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"vocab_size": 5, "pattern": "none", "alphabet": "characters"}
    tokenizer = bs.train(text * 3, **settings)
    with pytest.raises(bs.FormatError, match="holds a blank or a line break, which a line cannot"):
        save(tokenizer, tmp_path / "vocab.json", "gpt2")
    assert load(save(tokenizer, tmp_path / "tokenizer.json", "huggingface").path).merges == tokenizer.merges
