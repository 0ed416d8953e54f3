"""Split patterns: nothing is lost, blocks change nothing, and what is wrong is said."""

from __future__ import annotations

import sys
import time

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_studio.engine import pattern_matching, patterns
from bpe_studio.engine.errors import PatternError
from bpe_studio.engine.pattern_parts import parts, required_length
from bpe_studio.engine.patterns import (
    NAMED_PATTERNS,
    SplitPattern,
    alternatives,
    chained,
    notes,
    resolve_expression,
    resolve_pattern,
)
from tests.strategies import awkward_texts, letter_texts

NAMES = [pattern.name for pattern in NAMED_PATTERNS]
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
MINBPE = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
CUSTOM = [
    MINBPE, "[a-z]+", "", "^", "$", "a*", "a*?", "(?=x)", "|b", r"a\Kb", r"\G\w", r"\b", "(?<=a)b|(?<! ) +",
    "(.)(?=.)", r"(?m)$|\n", ".+", r"\X", "(?i)stra\u00dfe|[\\s\\S]", r"(a)|(b)\2*",
    "(?e)(?:the){e<=1}", "(?b)(?:ab){e}",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@given(text=awkward_texts())
def test_named_patterns_lose_nothing(name: str, text: str) -> None:
    pattern = resolve_pattern(name)
    pre_tokens = pattern.split(text)
    assert "".join(pre_tokens) == text
    assert all(pre_tokens)
    spans = list(pattern.spans(text))
    assert [text[start:end] for start, end, _ in spans] == pre_tokens
    assert all(covered for *_, covered in spans)


@pytest.mark.parametrize("expression", CUSTOM)
@given(text=awkward_texts() | letter_texts("abx \n"))
def test_custom_patterns_lose_nothing_and_make_no_empty_pre_token(expression: str, text: str) -> None:
    pattern = resolve_pattern(expression)
    spans = list(pattern.spans(text))
    assert [0, *(end for _, end, _ in spans)] == [*(start for start, _, _ in spans), len(text)]
    assert all(start < end for start, end, _ in spans)
    covered = [(start, end) for start, end, covered in spans if covered]
    assert covered == [m.span() for m in regex.finditer(expression, text) if m.start() < m.end()]
    assert pattern.split(text) == [text[start:end] for start, end, _ in spans]


@pytest.mark.parametrize("name", NAMES)
def test_named_patterns_cover_every_code_point(name: str) -> None:
    every = "".join(chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)
    assert "".join(resolve_pattern(name).split(every)) == every


def seam_texts() -> st.SearchStrategy[str]:
    """Texts full of places at which blocks may, or nearly may, be cut."""
    pieces = [
        "a", "Z", "é", "中", "1", "²", "ǅ", "ʰ", "\u0301", "'", "'s", "'S", "'ll", "'\u017f", "’", " ",
        "  ", "\n", "\r\n", "\r", "\t", "\u3000", "\u00a0", "\u2028", "\x1c", "\x85", "!", "/", "-\n", "😀",
        "\u200b", "_",
    ]  # fmt: skip
    return st.lists(st.sampled_from(pieces), max_size=40).map("".join)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "none"])
@pytest.mark.parametrize(("size", "longest"), [(0, 99), (1, 1), (3, 99)])
@settings(max_examples=300)
@given(text=seam_texts())
def test_cutting_in_blocks_changes_nothing(name: str, size: int, longest: int, text: str) -> None:
    expression = resolve_pattern(name).expression
    assert expression is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_matching.blocks, "__defaults__", (size,))
        patch.setattr(patterns, "LONG_BLOCK", longest)
        blocks = list(pattern_matching.blocks(text))
        pre_tokens = resolve_pattern(name).split(text)
    assert "".join(blocks) == text
    assert pre_tokens == regex.findall(expression, text)


@pytest.mark.parametrize("expression", CUSTOM)
@given(text=letter_texts("abx \n") | awkward_texts(8))
def test_searching_afresh_after_any_match_finds_the_same_matches(expression: str, text: str) -> None:
    # This is what happens each time that the limit of `regex` for a whole iteration strikes.
    def not_empty(position: int) -> list[tuple[int, int]]:
        found = regex.compile(expression).finditer(text, position)
        return [match.span() for match in found if match.start() < match.end()]

    whole = not_empty(0)
    for n, (_, end) in enumerate(whole[:5], 1):
        assert not_empty(end) == whole[n:]


# Three engines agreed on these: regex, fancy-regex in tiktoken, Oniguruma in tokenizers.
BLANKS = [
    ("gpt2", "hello  world", ["hello", " ", " world"]),
    ("gpt2", "trailing  ", ["trailing", "  "]),
    ("gpt2", "\tx\t\ty", ["\t", "x", "\t", "\t", "y"]),
    ("gpt2", "line1\n\n  line2\r\n\r\nend", ["line", "1", "\n\n ", " line", "2", "\r\n\r", "\n", "end"]),
    ("gpt2", "def f():\n    return  1", ["def", " f", "():", "\n   ", " return", " ", " 1"]),
    ("gpt2", "x\n \n y", ["x", "\n \n", " y"]),
    ("gpt2", "!!!\r\n\r\nx", ["!!!", "\r\n\r", "\n", "x"]),
    ("gpt4", "\tx\t\ty", ["\tx", "\t", "\ty"]),
    ("gpt4", "line1\n\n  line2\r\n\r\nend", ["line", "1", "\n\n", " ", " line", "2", "\r\n\r\n", "end"]),
    ("gpt4", "def f():\n    return  1", ["def", " f", "():\n", "   ", " return", " ", " ", "1"]),
    ("gpt4", "x\n \n y", ["x", "\n \n", " y"]),
    ("gpt4", "!!!\r\n\r\nx", ["!!!\r\n\r\n", "x"]),
    ("gpt4", "a\n\nb", ["a", "\n\n", "b"]),
    ("gpt4", "IT'S 12345", ["IT", "'S", " ", "123", "45"]),
    ("o200k", "it's HTTPServer", ["it's", " HTTPServer"]),
    ("whitespace", "a  b\n", ["a", "  ", "b", "\n"]),
    ("none", "a b", ["a b"]),
]


@pytest.mark.parametrize(("name", "text", "pre_tokens"), BLANKS)
def test_runs_of_blanks_are_cut_as_published(name: str, text: str, pre_tokens: list[str]) -> None:
    assert resolve_pattern(name).split(text) == pre_tokens


MILLIONS = [
    ("gpt2", "' '", {1_000_000: 1}), ("gpt2", "' '+x", {2: 1, 999_999: 1}), ("gpt2", "'0'", {1_000_000: 1}),
    ("gpt2", "'^'", {1_000_000: 1}), ("gpt2", "'\n'", {1_000_000: 1}), ("gpt2", "'b'", {1_000_000: 1}),
    ("gpt4", "'b'", {1_000_000: 1}),
    ("gpt4", "' '", {1_000_000: 1}), ("gpt4", "' '+x", {2: 1, 999_999: 1}), ("gpt4", "'^'", {1_000_000: 1}),
    ("gpt4", "'0'", {3: 333_333, 1: 1}), ("gpt4", "'\n'", {1_000_000: 1}), ("o200k", "'b'", {1_000_000: 1}),
    ("o200k", "'B'", {1_000_000: 1}), ("whitespace", "'b'", {1_000_000: 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "what", "lengths"), MILLIONS)
def test_a_million_of_one_character_is_cut_at_once(name: str, what: str, lengths: dict[int, int]) -> None:
    text = what[1] * 1_000_000 + what[4:]
    started = time.perf_counter()
    found = [len(pre_token) for pre_token in resolve_pattern(name).split(text)]
    assert {length: found.count(length) for length in set(found)} == lengths
    assert time.perf_counter() - started < 10


def test_gpt4_and_cl100k_and_the_expression_itself_are_one_pattern() -> None:
    assert resolve_pattern("gpt4") == resolve_pattern("cl100k") == resolve_pattern(CL100K)
    assert resolve_pattern(CL100K).name == "gpt4"
    assert resolve_pattern(MINBPE).name == "custom"


@pytest.mark.parametrize(
    ("expression", "position"),
    [("[", 1), ("(", 1), ("*", 0), ("a{2,1}", 2), (r"\p{Foo}", 7), ("\\", 1), ("a**", 2), ("(?i", 3),
     (r"(?<n>a)\k<n>", 9)],
)  # fmt: skip
def test_a_bad_pattern_says_at_which_column(expression: str, position: int) -> None:
    with pytest.raises(PatternError, match=f"column {position + 1}") as caught:
        resolve_pattern(expression)
    assert caught.value.position == position
    *_, line, caret = str(caught.value).splitlines()
    assert line.strip() == expression
    assert caret.index("^") - 4 == position


@pytest.mark.parametrize(
    "expression",
    [
        "a{1000000000}", "((a{1000}){1000}){1000}", "(" * 5000 + "a" + ")" * 5000, "(?=a{100000000})b",
        "a{9" + "9" * 5000,
    ],
)  # fmt: skip
def test_a_pattern_that_would_eat_the_memory_is_refused_at_once(expression: str) -> None:
    started = time.perf_counter()
    with pytest.raises(PatternError):
        resolve_pattern(expression)
    assert time.perf_counter() - started < 2


@given(st.text(alphabet="ab()[]{}|\\*+?,1:^$.<>=!P#ixV-\n", max_size=20))
@example("(?P<n>a)(?P<n>b)")
@example("(?<=a+)b")
def test_any_text_typed_as_a_pattern_compiles_or_is_refused_with_a_reason(expression: str) -> None:
    read = list(parts(expression))
    assert "".join(expression[part.start : part.end] for part in read) == expression
    try:
        pattern = resolve_pattern(expression)
    except PatternError as error:
        assert str(error)
        return
    assert "".join(pattern.split("ab (1) a|b\n", timeout=1)) == "ab (1) a|b\n"
    assert alternatives(pattern)
    notes(pattern)


def test_a_pattern_that_searches_backwards_is_refused() -> None:
    with pytest.raises(PatternError, match="backwards"):
        resolve_pattern("(?r)a")


def test_a_runaway_match_is_stopped_and_the_place_is_said() -> None:
    text = "ok " * 5 + "a" * 20_000 + "b"
    with pytest.raises(PatternError, match="from character 14 on"):
        resolve_pattern(r"ok|(a+)+$").split(text, timeout=0.2)


def test_the_time_limit_is_for_one_match_and_not_for_a_long_text() -> None:
    text = "ab " * 300_000
    started = time.process_time()
    assert len(resolve_pattern(r"\w+").split(text, timeout=0.02)) == 600_000
    assert time.process_time() - started > 0.2  # else the limit was not tried


def test_what_no_match_covers_is_kept_and_marked() -> None:
    pattern = resolve_pattern("[a-z]+")
    assert list(pattern.spans("ab12cd!")) == [(0, 2, True), (2, 4, False), (4, 6, True), (6, 7, False)]
    assert list(resolve_pattern("").spans("ab")) == [(0, 2, False)]
    assert list(resolve_pattern("none").spans("")) == []


def test_lookbehind_sees_the_text_before() -> None:
    assert resolve_pattern("(?<=a)b|.").split("abab") == ["a", "b", "a", "b"]
    assert resolve_pattern("(?<=ab )c+").split("ab ccc cc") == ["ab ", "ccc", " cc"]


# Expected by the regex module, whose dialect ours is.
DIALECT = [
    (r"\w+|[\s\S]", "é_²Ⅷ·", ["é_", "²", "Ⅷ", "·"]),
    (r"[\p{L}&&[a-z]]+|[\s\S]", "abÉcd&", ["a", "b", "É", "c", "d", "&"]),
    (r"\h+|[\s\S]", "ab 1f \t", ["a", "b", " ", "1", "f", " \t"]),
    (r"(?i)straße|[\s\S]", "STRASSE straße", [*"STRASSE ", "straße"]),
    (".+", "a\r\nb\u2028c", ["a\r", "\n", "b\u2028c"]),
    (r"\p{N}{1,3}+", "1234567", ["123", "456", "7"]),
]


@pytest.mark.parametrize(("expression", "text", "pre_tokens"), DIALECT)
def test_the_dialect_is_that_of_the_regex_module(expression: str, text: str, pre_tokens: list[str]) -> None:
    assert resolve_pattern(expression).split(text) == pre_tokens


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (r"a|b\|c|[|]|(?:d|e)|(?#|)f", ("a", r"b\|c", "[|]", "(?:d|e)", "(?#|)f")),
        ("(?i)a|b", ("(?i)a", "(?i)b")),
        ("[]|a]|[^]|]|[[:alpha:]|]", ("[]|a]", "[^]|]", "[[:alpha:]|]")),
        (r"(a)|\1", (r"(a)|\1",)),
        ("(?x)a # |\n|b", ("(?x)a # |\n|b",)),
        ("(?V1)[[a|b]--[|]]|c", ("(?V1)[[a|b]--[|]]", "(?V1)c")),
        ("", ("",)),
        ("a|", ("a", "")),
    ],
)
def test_alternatives_are_told_apart_at_the_top_level_only(expression: str, found: tuple[str, ...]) -> None:
    assert alternatives(expression) == found


@pytest.mark.parametrize("name", ["whitespace", "gpt2", "gpt4", "o200k", MINBPE])
@given(text=awkward_texts())
def test_every_pre_token_has_the_alternative_that_made_it(name: str, text: str) -> None:
    pattern = resolve_pattern(name)
    for start, end, covered in pattern.spans(text):
        number = pattern.matched_alternative(text, start, end)
        assert (number is not None) == covered
        for earlier in alternatives(pattern)[:number]:
            assert regex.compile(earlier).match(text, start) is None


def test_the_alternative_of_an_uncovered_place_is_none() -> None:
    pattern = resolve_pattern("[a-z]+|[0-9]+")
    assert [pattern.matched_alternative("a1!", n, n + 1) for n in range(3)] == [0, 1, None]
    assert resolve_pattern("none").matched_alternative("a", 0, 1) is None


@pytest.mark.parametrize("expression", ["", "^", "(?=x)", r"\b"])
def test_a_pattern_of_places_only_is_explained(expression: str) -> None:
    assert "cuts nowhere" in notes(expression)[0]


def test_only_odd_patterns_have_notes() -> None:
    assert "nothing at all" in notes("a*")[0]
    assert [notes(name) for name in [*NAMES, r"\p{L}+|\s+", "東+"]] == [()] * (len(NAMES) + 2)


@pytest.mark.parametrize(
    ("expression", "length"),
    [("abc", 3), ("a{5}", 5), ("(?:ab){10}|c+", 20), ("(a{3}b){4}c", 17), (r"\p{Lu}{2,9}?", 2), ("a*b?", 2),
     ("[ab]{3}", 3)],
)  # fmt: skip
def test_the_length_that_a_match_asks_for_is_known_before_compiling(expression: str, length: int) -> None:
    assert required_length(expression) == length


def test_a_pattern_passes_through_and_is_compared_by_value() -> None:
    assert resolve_pattern(SplitPattern("whatever", "[a-z]+")) == SplitPattern("custom", "[a-z]+")
    assert resolve_pattern(SplitPattern("none", None)) == resolve_pattern("none")


@given(
    st.lists(st.sampled_from(["[0-9]", "[a-z]+", r"\s+", " ?[a-z]"]), min_size=1, max_size=3), awkward_texts()
)
def test_expressions_in_a_row_cut_one_after_the_other(expressions: list[str], text: str) -> None:
    pieces = [text] if text else []
    for expression in expressions:
        pieces = [part for piece in pieces for part in resolve_expression(expression).split(piece)]
    assert chained(expressions).split(text) == pieces
    assert resolve_pattern(chained(expressions)) == chained(expressions)
