"""Small inputs whose values were worked out by hand, or by several other tools that agreed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bpe_studio as bs
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import PatternError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from tests.engine.building import trained

GARDEN = json.loads((Path(__file__).parent / "garden.json").read_text("utf-8"))
GARDEN_TEXT = (
    "The gardener waters the garden at dawn, and the garden thanks the gardener.\n"
    "She isn't late; she's never late.\n"
    "    for i in range(10):\n        total += i * 12\n"
    "Grüße aus Köln, naïve café. 東京で雨。 12345 67890\n"
) * 3
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)


def pair_table(words: bs.WordTable, trainer: bs.Trainer, k: int = 0) -> dict[str, int]:
    pairs, text = bs.state_at(words, trainer.log, k).pairs, trainer.log.token_bytes
    rows = zip(pairs.left.tolist(), pairs.right.tolist(), pairs.count.tolist(), strict=True)
    return {(text(left) + text(right)).decode(): count for left, right, count in rows}


@pytest.mark.parametrize(
    ("tie_rule", "merges"),
    [
        ("first-seen", [(97, 97, 4), (256, 97, 2), (257, 98, 2)]),
        ("lowest-ids", [(97, 97, 4), (97, 98, 2), (256, 257, 2)]),
        ("lexicographic", [(97, 97, 4), (97, 98, 2), (256, 257, 2)]),
        ("reverse-lexicographic", [(97, 97, 4), (256, 97, 2), (257, 98, 2)]),
    ],
)
@pytest.mark.parametrize("engine", ["kernels", "reference"])
def test_each_rule_takes_its_own_of_the_tied_pairs(
    tie_rule: str, merges: list[tuple[int, int, int]], engine: str
) -> None:
    words = bs.WordTable.from_counts([("aaabdaaabac", 1)])
    log = trained(words, bs.TrainingConfig(vocab_size=259, tie_rule=tie_rule), engine).log
    assert list(zip(log.left.tolist(), log.right.tolist(), log.count.tolist(), strict=True)) == merges
    assert log.token.tolist() == [256, 257, 258]


def test_overlapping_pairs_of_a_run_are_all_counted() -> None:
    words = bs.WordTable.from_counts([("aaaaabcbcbc", 1)])
    trainer = trained(words, bs.TrainingConfig(vocab_size=257))
    assert pair_table(words, trainer) == {"aa": 4, "ab": 1, "bc": 3, "cb": 2}
    assert trainer.tokenizer().merges == [(b"a", b"a")]


def test_a_word_seen_once_is_learned_whole_if_once_is_enough() -> None:
    settings = {"vocab_size": 1000, "pattern": GPT2, "tie_rule": "lowest-ids"}
    tokenizer = bs.train("hello", min_frequency=1, **settings)  # type: ignore[arg-type]
    assert [tokenizer.token_bytes(token) for token in range(256, 260)] == [b"el", b"hel", b"lo", b"hello"]
    assert tokenizer.vocab_size == 260
    assert bs.train("hello", min_frequency=2, **settings).vocab_size == 256  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", [CL100K, "gpt4"])
def test_blank_lines_of_a_file_are_learned(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\n\nb\n\nc\n\nd")
    tokenizer = bs.train(tmp_path / "a.txt", vocab_size=257, pattern=pattern)
    assert tokenizer.merges == [(b"\n", b"\n")]
    assert tokenizer.training is not None and tokenizer.training.log.count.tolist() == [3]


def test_lines_as_documents_learn_nothing_across_their_ends() -> None:
    text, settings = "a\n\n\n  b", {"vocab_size": 300, "min_frequency": 1}
    assert bs.train(text, **settings).merges == [(b"\n", b"\n"), (b"\n\n", b"\n"), (b" ", b"b")]  # type: ignore[arg-type]
    assert bs.train(text, lines=True, **settings).merges == [(b" ", b"b")]  # type: ignore[arg-type]


def test_nul_is_learned_saved_and_encoded(tmp_path: Path) -> None:
    words = bs.WordTable.from_counts([("a\0", 4), ("b\0", 2)])
    bs.save(bs.train(words, vocab_size=258), tmp_path / "nul.json")
    tokenizer = bs.load(tmp_path / "nul.json")
    assert tokenizer.merges == [(b"a", b"\0"), (b"b", b"\0")]
    assert tokenizer.encode("a\0b\0") == [256, 257]
    assert tokenizer.decode_bytes([256, 257]) == b"a\0b\0"
    characters = bs.train(words, vocab_size=5, alphabet="characters")
    bs.save(characters, tmp_path / "characters.json", "character_bpe")
    again = bs.load(tmp_path / "characters.json")
    assert again.decode(again.encode("a\0b\0")) == "a\0b\0" and again == characters


def test_pairs_of_very_long_lines_are_all_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"ab" * 5000 + b"\n" + b"cd" * 35_000 + b"\nef\n")
    words = bs.count_words(tmp_path / "a.txt", pattern=r"[^\n]+|\n")
    trainer = trained(words, bs.TrainingConfig(vocab_size=257))
    assert pair_table(words, trainer) == {"cd": 35_000, "dc": 34_999, "ab": 5000, "ba": 4999, "ef": 1}
    assert trainer.tokenizer().merges == [(b"c", b"d")] and words.facts.n_bytes == 80_005


@pytest.mark.parametrize("pattern", [CL100K, "gpt4"])
def test_the_garden_model_is_what_its_text_teaches(pattern: str) -> None:
    tokenizer = bs.train(GARDEN_TEXT, vocab_size=336, pattern=pattern, tie_rule="lowest-ids", min_frequency=1)
    rows = zip(tokenizer.left.tolist(), tokenizer.right.tolist(), strict=True)
    assert [list(pair) for pair in rows] == [list(pair) for pair in GARDEN["merges"]]
    assert {text: tokenizer.encode(text) for text in GARDEN["ids"]} == GARDEN["ids"]


def test_gpt2_order_gives_gpt2_ids() -> None:
    tokenizer = Tokenizer(Alphabet(byte_order="gpt2"), [], [], [], resolve_pattern("gpt2"))  # type: ignore[arg-type]
    assert tokenizer.encode("Hi there\n") == [39, 72, 220, 83, 71, 68, 81, 68, 198]


def test_a_file_changed_on_the_disk_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for text, ids in {"ab": [256, 99, 100], "cd": [97, 98, 256]}.items():
        bs.save(bs.train(text * 2, vocab_size=257, pattern="none"), path)
        assert bs.load(path).encode("abcd") == ids


SPACES = {
    "  leading": [" ", " leading"], "a   b": ["a", "  ", " b"], "   ": ["   "], "\n\n\n": ["\n\n\n"],
    "hello  world": ["hello", " ", " world"], "trailing  ": ["trailing", "  "],
    "x\n \n y": ["x", "\n \n", " y"],
}  # fmt: skip


@pytest.mark.parametrize("pattern", [GPT2, "gpt2", CL100K, "gpt4"])
def test_the_last_blank_of_a_run_goes_with_the_next_word(pattern: str) -> None:
    assert {text: resolve_pattern(pattern).split(text) for text in SPACES} == SPACES


REFUSED = ["[", "(", "*", "a{2,1}", r"\p{Foo}", "\\", "a**", "(?i", r"(?<n>a)\k<n>"]
TAKEN = [
    "(?P<n>a)(?P<n>b)", "(?<=a+)b", "", "^", "a*", "(?=x)", r"[^\r\n\p{L}\p{N}]?+\p{L}+", r"\p{N}{1,3}+",
    "(?i:'s)", r"\s+(?!\S)", r"\p{Script=Greek}+", "[[:alpha:]]+", r"\X", "(?u)a",
]  # fmt: skip


@pytest.mark.parametrize("expression", [*REFUSED, *TAKEN])
def test_a_pattern_is_taken_if_the_regex_module_takes_it_and_then_loses_nothing(expression: str) -> None:
    if expression in REFUSED:
        with pytest.raises(PatternError):
            resolve_pattern(expression)
        return
    tokenizer = Tokenizer(Alphabet(), [], [], [], resolve_pattern(expression))  # type: ignore[arg-type]
    for text in ("zzz", "aaa b'S12 \u03b1e\u0301\n", ""):
        assert tokenizer.decode(tokenizer.encode(text)) == text
