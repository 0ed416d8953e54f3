"""An expression that we give to another engine cuts there as it does here, or is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import NAMED_PATTERNS, resolve_expression
from bpe_studio.formats.expressions import check_travels, from_oniguruma, to_oniguruma
from tests.strategies import awkward_texts

PUBLISHED = json.loads((Path(__file__).parents[1] / "golden" / "patterns.json").read_text("utf-8"))[
    "patterns"
]
NAMED = [named.expression for named in NAMED_PATTERNS if named.expression is not None]
OF_DEEPSEEK = [
    r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
]  # fmt: skip
POSSESSIVE = [r"\p{N}{1,3}+", r"(?:ab){2}+|[a-z]+", r"(?i:'s)|[^\s]{2,4}+(?=\s)|\S"]
ALL = [*PUBLISHED.values(), *NAMED, *OF_DEEPSEEK, *POSSESSIVE, "a|ab", ".+", r"(?<=a)b|\u0041"]


@pytest.mark.parametrize("expression", ALL)
def test_published_patterns_travel(expression: str) -> None:
    assert regex.compile(to_oniguruma(expression)) and from_oniguruma(expression)
    check_travels(expression)
    if expression not in (*POSSESSIVE, PUBLISHED["cl100k_tiktoken_0.14"]):
        assert to_oniguruma(expression) == from_oniguruma(expression) == expression


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (r"\w+|[\s\S]", r"'\\\\w\+\|"),
        (r"[\p{L}&&[a-z]]+|[\s\S]", r"\\\\p\{L\}&&\["),
        (r"[a--b]", "--"),
        (r"\h+|[\s\S]", r"\\\\h"),
        (r"a|\bx", r"\\\\bx' at column 3"),
        (r"(?i)straße|[\s\S]", r"'\(\?i\)stra"),
        (r"(?i:strasse)|a", "ignores case in"),
        (r"(?i:é)|a", "ignores case in 'é'"),
        (r"(?i:\p{Lu})", "ignores case in"),
        ("a*", "match nothing at all"),
        ("(a|b*)c?", "match nothing at all"),
        ("(?=a)", "match nothing at all"),
        ("a{0,3}", "match nothing at all"),
        ("a|", "match nothing at all"),
        ("a{2}?", "reads as optional"),
        ("^a", "column 1"),
        ("a$", "column 2"),
        ("[]a]", "column 1"),
        (r"\x41", "column 1"),
        ("(?<n>a)", "column 1"),
    ],
)
def test_what_engines_read_differently_is_refused_and_named(expression: str, message: str) -> None:
    for translate in (to_oniguruma, from_oniguruma, check_travels):
        with pytest.raises(FormatError, match=message):
            translate(expression)


def test_braces_with_a_plus_keep_their_meaning() -> None:
    assert to_oniguruma(r"(?:a|b{2})c{1,3}+|x{2}+") == r"(?:a|b{2})(?>c{1,3})|(?>x{2})"
    assert to_oniguruma(r"a(?:b|c)[d]{1,3}+") == r"a(?:b|c)(?>[d]{1,3})"
    assert to_oniguruma(r"a(?:b|(?=c))d(?:ef){1,}+") == r"a(?:b|(?=c))d(?>(?:ef){1,})"
    assert resolve_expression(from_oniguruma(r"\p{N}{1,3}+")).split("1234567") == ["1234567"]


def known(text: str) -> str:
    """Leave out characters whose category is younger than some engine, and U+0295, whose category changed."""
    import unicodedata

    return "".join(sign for sign in text if unicodedata.category(sign) != "Cn" and sign != "\u0295")


@given(st.sampled_from(ALL), awkward_texts(12).map(known))
def test_the_library_of_hugging_face_cuts_as_we_do(expression: str, text: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(to_oniguruma(expression)), "isolated")
    assert [piece for piece, _ in split.pre_tokenize_str(text)] == resolve_expression(expression).split(text)
    theirs = tokenizers.pre_tokenizers.Split(tokenizers.Regex(expression), "isolated")
    ours = resolve_expression(from_oniguruma(expression)).split(text)
    assert [piece for piece, _ in theirs.pre_tokenize_str(text)] == ours


@given(st.sampled_from(ALL), awkward_texts(12).map(known))
def test_tiktoken_cuts_as_we_do(expression: str, text: str) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    covered = [text[start:end] for start, end, sure in resolve_expression(expression).spans(text) if sure]
    # Every pre-token as a token of its own shows the cuts.
    for piece in covered:
        ranks.setdefault(piece.encode(), len(ranks))
    encoding = tiktoken.Encoding("cuts", pat_str=expression, mergeable_ranks=ranks, special_tokens={})
    assert encoding.decode_tokens_bytes(encoding.encode_ordinary(text)) == [p.encode() for p in covered]
