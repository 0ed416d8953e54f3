from __future__ import annotations

import json
import pickle
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine import reference
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import BpeStudioError, SpecialTokenError, UnknownCharacterError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer

GARDEN = json.loads((Path(__file__).parent / "garden.json").read_text("utf-8"))


def tokenizer(
    merges: list[list[int]] | list[tuple[int, int]] = (),  # type: ignore[assignment]
    pattern: str = "none",
    specials: dict[str, int] | None = None,
    **alphabet: object,
) -> Tokenizer:
    base = Alphabet(**alphabet)  # type: ignore[arg-type]
    left, right = [pair[0] for pair in merges], [pair[1] for pair in merges]
    products = np.arange(len(merges)) + base.next_id
    return Tokenizer(base, left, right, products, resolve_pattern(pattern), specials or {})  # type: ignore[arg-type]


def characters(text: str, merges: list[tuple[int, int]] = (), **options: object) -> Tokenizer:  # type: ignore[assignment]
    return tokenizer(merges, kind="characters", characters=tuple(text), **options)


BASIC = tokenizer([(97, 98), (256, 99), (195, 169)])
SPECIALS = tokenizer([(97, 98)], specials={"<a>": 257, "<a><b>": 258, "<end>": 259})


# ---- encoding --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", GARDEN["ids"])
def test_the_garden_model_gives_the_ids_of_its_peers(text: str) -> None:
    tok = tokenizer(GARDEN["merges"], GARDEN["pattern"])
    assert tok.encode(text) == GARDEN["ids"][text]
    assert tok.decode(GARDEN["ids"][text]) == text


@given(
    st.text(st.sampled_from("ab cé東🙂\n"), max_size=150),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6, unique=True),
)
def test_every_word_is_encoded_as_the_reference_does(text: str, pairs: list[tuple[int, int]]) -> None:
    letters = [97, 98, 32, 195]
    merges = [(letters[left], letters[right]) for left, right in pairs]
    merges += [(256 + k, 97) for k in range(len(pairs))]
    tok = tokenizer(merges, "gpt2")
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    products = {pair: 256 + rank for pair, rank in ranks.items()}
    expected = [
        token
        for word in tok.pattern.split(text)
        for token in reference.encode_word(list(word.encode()), ranks, products)
    ]
    assert tok.encode(text) == expected
    assert tok.encode(text) == expected, "with a warm cache"
    assert tok.encode_to_array(text).tolist() == expected
    assert tok.decode(expected) == text


@given(st.text(max_size=60))
def test_decoding_undoes_encoding(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        valid = (
            text.encode("utf-8", "replace").decode() if any("\ud800" <= c <= "\udfff" for c in text) else text
        )
    for tok in (BASIC, tokenizer([(97, 98)], "gpt4"), tokenizer([(97, 98)], "[a-z]+"), SPECIALS):
        ids = tok.encode(valid, allowed_special="none")
        assert tok.decode(ids) == valid
        assert tok.decode_bytes(ids) == valid.encode()


def test_text_that_the_pattern_does_not_cover_is_kept() -> None:
    tok = tokenizer(pattern="[a-z]+")
    assert tok.encode("ab12cd!") == [97, 98, 49, 50, 99, 100, 33]
    assert tok.decode(tok.encode("ab12cd!")) == "ab12cd!"


def test_bom_nul_escape_codes_and_blanks_survive() -> None:
    text = "\ufeffa\0b\x1b[0m\r\n\u200b\u202ec\u00ad\t "
    for pattern in ("gpt2", "gpt4", "o200k", "whitespace", "none"):
        tok = tokenizer(pattern=pattern)
        assert bytes(tok.encode(text)).hex() == "efbbbf6100621b5b306d0d0ae2808be280ae63c2ad0920"
        assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize(
    "data", [b"\xff\xfe", b"\x80", b"\xc3(", b"ab\xf0\x9f\x98", b"\xed\xa0\x80", bytes(range(256))]
)
def test_bytes_that_are_not_utf8_are_encoded_without_a_pattern(data: bytes) -> None:
    tok = tokenizer()
    assert tok.encode(data) == list(data)
    assert tok.decode_bytes(tok.encode(data)) == data
    assert tok.offsets(data).tolist() == [[i, i + 1] for i in range(len(data))]


def test_bytes_that_are_not_utf8_are_refused_with_a_pattern_or_characters() -> None:
    for tok in (tokenizer(pattern="gpt4"), characters("ab")):
        with pytest.raises(BpeStudioError, match="0xff at offset 2"):
            tok.encode(b"ab\xff")


def test_valid_utf8_bytes_are_text() -> None:
    tok = tokenizer([(195, 169)], "gpt4")
    assert tok.encode("é x".encode()) == tok.encode("é x") == [256, 32, 120]


def test_lone_surrogates_become_replacement_characters_with_a_warning() -> None:
    with pytest.warns(UnicodeWarning, match="character 1"):
        assert BASIC.decode(BASIC.encode("a\ud83d")) == "a\ufffd"
    with pytest.warns(UnicodeWarning):
        assert BASIC.decode(BASIC.encode("\ude42\ud83d")) == "\ufffd\ufffd"


def test_a_high_and_a_low_surrogate_join_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert BASIC.encode("\ud83d\ude42") == BASIC.encode("🙂")


def test_a_million_spaces_and_a_long_word_are_encoded_in_seconds() -> None:
    tok = tokenizer([(32, 32), (256, 256)], "gpt4")
    started = time.perf_counter()
    assert tok.encode(" " * 1_000_000) == [257] * 250_000
    letters = "".join(chr(97 + (i * 7919) % 26) for i in range(200_000))
    assert tok.decode(tok.encode(letters)) == letters
    assert time.perf_counter() - started < 30


def test_a_batch_keeps_its_order_with_and_without_threads() -> None:
    texts = [f"ab{i}" for i in range(20)]
    expected = [BASIC.encode(text) for text in texts]
    assert BASIC.encode_batch(texts) == BASIC.encode_batch(texts, n_threads=3) == expected


def test_the_cache_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpe_studio.engine.encoding.CACHED_WORDS", 10)
    tok = tokenizer([(97, 98)], "whitespace")
    text = " ".join(f"ab{i}" for i in range(100))
    assert tok.decode(tok.encode(text)) == text
    assert len(tok._encoder.words._cache) <= 10


# ---- special tokens --------------------------------------------------------------------------------------


def test_a_special_token_in_the_text_is_an_error_that_names_it_and_its_place() -> None:
    with pytest.raises(SpecialTokenError, match=r"'<a><b>' at character 2") as caught:
        SPECIALS.encode("é <a><b>")
    assert (caught.value.token, caught.value.position) == ("<a><b>", 2)


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ("none", [*b"<a>", 256, *b"<a><b><end>"]),
        ("all", [257, 256, 258, 259]),
        ({"<a>"}, [257, 256, 257, *b"<b><end>"]),
        (("<end>", "<a><b>"), [*b"<a>", 256, 258, 259]),
        (set(), [*b"<a>", 256, *b"<a><b><end>"]),
    ],
)
def test_special_tokens_are_found_leftmost_then_longest(allowed: str | set[str], expected: list[int]) -> None:
    ids = SPECIALS.encode("<a>ab<a><b><end>", allowed_special=allowed)
    assert ids == expected
    assert SPECIALS.decode(ids) == "<a>ab<a><b><end>"


def test_a_request_for_special_tokens_that_do_not_exist_is_refused() -> None:
    with pytest.raises(SpecialTokenError, match="'<x>'"):
        SPECIALS.encode("", allowed_special={"<x>"})
    with pytest.raises(BpeStudioError, match="'some'"):
        SPECIALS.encode("", allowed_special="some")


def test_thousands_of_special_tokens_do_not_slow_short_texts_down() -> None:
    tok = tokenizer(specials={f"<{number}>": 256 + number for number in range(5000)})
    assert tok.encode("<4999><1>", allowed_special="all") == [5255, 257]
    started = time.process_time()
    for _ in range(1000):
        tok.encode("plain", allowed_special="none_raise")
    assert time.process_time() - started < 1


def test_no_merge_crosses_a_special_token() -> None:
    tok = tokenizer([(97, 98)], specials={"|": 300})
    assert tok.encode("a|bab", allowed_special="all") == [97, 300, 98, 256]


def test_a_special_token_is_text_not_byte_letters() -> None:
    tok = tokenizer(byte_order="gpt2", specials={"ilÖveyou": 256, "Ġword": 257})
    ids = tok.encode("x ilÖveyou é Ġword", allowed_special="all")
    assert {256, 257} < set(ids)
    assert tok.decode(ids) == "x ilÖveyou é Ġword"


# ---- characters ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [("axb", [1, 0, 2]), ("a🙃b", [1, 0, 2]), ("e\u0301", [0, 0]), ("🙂🙂", [4, 4]), ("xyz", [0, 0, 0])],
)
def test_an_unknown_character_is_one_unknown_token(text: str, expected: list[int]) -> None:
    tok = characters("abé🙂", unknown_token="<unk>")
    assert tok.encode(text) == expected
    assert len(tok.decode(expected)) == len(text)
    assert tok.token_bytes(0) == b""
    assert tok.decode([0]) == "\ufffd" and tok.decode_bytes([0]) == b"\xef\xbf\xbd"


def test_without_an_unknown_token_the_error_names_every_missing_character() -> None:
    tok = tokenizer(pattern="whitespace", kind="characters", characters=("a", " "), specials={"<z>": 9})
    with pytest.raises(UnknownCharacterError) as caught:
        tok.encode("a <z> ax 🙃y", allowed_special={"<z>"})
    assert caught.value.characters == ("x", "🙃", "y")
    assert caught.value.position == 7
    for name in ("'x' (U+0078)", "U+1F643", "'y'"):
        assert name in str(caught.value)


def test_byte_fallback_spells_unknown_characters() -> None:
    tok = characters("ab", [(256, 257)], byte_fallback=True)
    assert tok.encode("abé") == [258, 0xC3, 0xA9]
    assert tok.decode(tok.encode("abé🙂")) == "abé🙂"
    assert tok.merges == [("a", "b")]


def test_unknown_tokens_are_walls() -> None:
    tok = characters("ab", [(1, 2)], unknown_token="<unk>")
    assert tok.encode("axbab") == [1, 0, 2, 3]


# ---- decoding --------------------------------------------------------------------------------------------


def test_an_unknown_id_is_named() -> None:
    tok = tokenizer([(97, 98)], specials={"<s>": 300, "<e>": 1000})
    assert tok.decode([256, 300, 1000]) == "ab<s><e>"
    for ids in ([257], [-1], [10**30]):
        with pytest.raises(BpeStudioError, match=f"{ids[0]}"):
            tok.decode(ids)
        with pytest.raises(BpeStudioError, match=f"{ids[0]}"):
            tok.decode_bytes(ids)
    with pytest.raises(BpeStudioError, match="integers"):
        tok.decode([1.0])  # type: ignore[list-item]


def test_ids_may_be_an_array() -> None:
    assert BASIC.decode(np.array([256, 258], dtype=np.uint32)) == "abé"


def test_errors_decides_on_bytes_that_are_no_character() -> None:
    assert BASIC.decode([195]) == "\ufffd"
    assert BASIC.decode([195], errors="ignore") == ""
    with pytest.raises(BpeStudioError, match="UTF-8"):
        BASIC.decode([195], errors="strict")


def test_a_special_token_ends_an_unfinished_character() -> None:
    ids = [0xE2, 0x82, 257, 0xAC]
    assert SPECIALS.decode(ids) == "\ufffd<a>\ufffd"
    stream = SPECIALS.stream_decoder()
    assert [stream.feed(token) for token in ids] == ["", "", "\ufffd<a>", "\ufffd"]
    assert stream.finish() == ""


# ---- offsets and trace -----------------------------------------------------------------------------------


def test_offsets_in_bytes_and_in_characters() -> None:
    tok = tokenizer([(97, 98)], specials={"<s>": 300})
    text = "ab東<s>é"
    assert tok.offsets(text, allowed_special="all").tolist() == [
        [0, 2], [2, 3], [3, 4], [4, 5], [5, 8], [8, 9], [9, 10]
    ]  # fmt: skip
    assert tok.offsets(text, "characters", allowed_special="all").tolist() == [
        [0, 2], [2, 3], [2, 3], [2, 3], [3, 6], [6, 7], [6, 7]
    ]  # fmt: skip
    assert tok.offsets("").shape == (0, 2)
    with pytest.raises(BpeStudioError, match="'words'"):
        tok.offsets("", "words")


def test_offsets_of_unknown_characters_cover_them() -> None:
    tok = characters("ab", [(1, 2)], unknown_token="<unk>")
    assert tok.offsets("ab東ab").tolist() == [[0, 2], [2, 5], [5, 7]]
    assert tok.offsets("東🙂a").tolist() == [[0, 3], [3, 7], [7, 8]]


@given(st.text(st.sampled_from("ab é東🙂"), max_size=40))
def test_slices_at_the_offsets_are_the_tokens(text: str) -> None:
    tok = tokenizer([(97, 98), (195, 169), (32, 256)], "gpt2")
    data = text.encode()
    pieces = [data[start:end] for start, end in tok.offsets(text).tolist()]
    assert pieces == [tok.token_bytes(token) for token in tok.encode(text)]
    assert b"".join(pieces) == data


def test_the_trace_lists_every_merge_by_pre_token_rank_and_position() -> None:
    tok = tokenizer([(98, 99), (97, 98), (257, 257)], "whitespace")
    assert tok.trace("é abcabab").tolist() == [[2, 0, 4, 6], [2, 1, 6, 8], [2, 1, 8, 10], [2, 2, 6, 10]]
    assert tok.trace("").shape == (0, 4)


def test_the_trace_of_characters_is_in_bytes() -> None:
    tok = characters("aé", [(1, 2), (3, 1)], unknown_token="<unk>")
    assert tok.trace("東aéa").tolist() == [[0, 0, 3, 6], [0, 1, 3, 7]]
    fallback = characters("aé", [(256, 257)], byte_fallback=True)
    assert fallback.trace("東aéa").tolist() == [[0, 0, 3, 6]]


@given(st.text(st.sampled_from("ab "), max_size=60))
def test_the_trace_tells_how_many_tokens_every_prefix_gives(text: str) -> None:
    tok = tokenizer([(97, 98), (256, 97), (98, 98), (257, 256)], "gpt2")
    ranks = tok.trace(text)[:, 1]
    for k in range(5):
        assert len(tok.first(k).encode(text)) == len(text) - int((ranks < k).sum())


# ---- sizes, identity, prefixes ---------------------------------------------------------------------------


def test_sizes_count_tokens_and_ids() -> None:
    tok = tokenizer([(97, 98)], specials={"<s>": 300, "<e>": 1000})
    assert (tok.vocab_size, tok.n_ids, tok.n_merges) == (259, 1001, 1)
    assert dict(tok.special_tokens) == {"<s>": 300, "<e>": 1000}
    assert tok.merges == [(b"a", b"b")]


def test_the_first_merges_take_the_specials_after_them_along() -> None:
    tok = tokenizer([(97, 98), (256, 99), (257, 100)], specials={"<s>": 259, "<e>": 260, "<far>": 300})
    assert dict(tok.first(1).special_tokens) == {"<s>": 257, "<e>": 258, "<far>": 300}
    assert dict(tok.first(0).special_tokens) == {"<s>": 256, "<e>": 257, "<far>": 300}
    assert tok.first(3) is tok
    assert tok.first(1).encode("abc") == [256, 99]
    for k in (-1, 4):
        with pytest.raises(BpeStudioError, match="3 merges"):
            tok.first(k)


def test_specials_that_come_first_or_lie_between_merges_keep_their_ids() -> None:
    base = Alphabet(first_id=2)
    specials = {"<a>": 0, "<b>": 1, "<mid>": 259}
    tok = Tokenizer(base, [99, 258], [100, 101], [258, 260], resolve_pattern("none"), specials)  # type: ignore[arg-type]
    assert dict(tok.first(1).special_tokens) == specials
    assert dict(tok.first(0).special_tokens) == specials


def test_the_fingerprint_is_what_decides_ids() -> None:
    same = tokenizer([(97, 98), (256, 99), (195, 169)])
    assert same == BASIC and hash(same) == hash(BASIC) and same.fingerprint() == BASIC.fingerprint()
    others = [
        BASIC.first(2),
        tokenizer([(256, 99), (97, 98), (195, 169)][1:]),
        tokenizer([(97, 98), (256, 99), (195, 169)], "gpt4"),
        tokenizer([(97, 98), (256, 99), (195, 169)], specials={"<s>": 259}),
        tokenizer([(97, 98), (256, 99), (195, 169)], specials={"<s>": 260}),
        tokenizer([(97, 98), (256, 99), (195, 169)], byte_order="gpt2"),
    ]
    assert len({tok.fingerprint() for tok in [BASIC, *others]}) == 7
    assert BASIC != "BASIC"


def test_the_fingerprint_stays_the_same_over_versions() -> None:
    expected = "d2ca0ad3dd6cd37920925b08c34af7d21343a313bed27b87f2f40431a446f307"
    assert tokenizer([(97, 98)]).fingerprint() == expected


def test_cl100k_and_gpt4_are_one_pattern() -> None:
    assert tokenizer(pattern="cl100k") == tokenizer(pattern="gpt4")


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        BASIC.pattern = resolve_pattern("gpt4")  # type: ignore[misc]
    with pytest.raises(TypeError):
        SPECIALS.special_tokens["x"] = 1  # type: ignore[index]
    with pytest.raises(ValueError):
        BASIC.left[0] = 1


def test_it_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(SPECIALS)) == SPECIALS


# ---- what contradicts itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "product", "specials", "message"),
    [
        ([300], [97], [256], {}, "Merge 0 uses token 300"),
        ([97, 98], [98, 99], [256, 256], {}, "Merge 1 makes token 256"),
        ([97], [98], [97], {}, "Merge 0 makes token 97"),
        ([97], [98], [256], {"<s>": 256}, "'<s>' has the id 256"),
        ([97], [98], [256], {"": 300}, "empty"),
        ([97], [98], [256], {"\ud800": 300}, "lone surrogate"),
        ([97], [98], [256], {"<a>": 300, "<b>": 300}, "'<b>' has the id 300"),
    ],
)
def test_a_contradiction_is_refused_on_first_use(
    left: list[int], right: list[int], product: list[int], specials: dict[str, int], message: str
) -> None:
    tok = Tokenizer(Alphabet(), left, right, product, resolve_pattern("none"), specials)  # type: ignore[arg-type]
    with pytest.raises(BpeStudioError, match=message):
        tok.fingerprint()


def test_merges_that_double_for_ever_are_refused_before_they_fill_the_memory() -> None:
    tok = tokenizer([(97, 97), *((256 + k, 256 + k) for k in range(60))])
    with pytest.raises(BpeStudioError, match="hold more than"):
        tok.fingerprint()


def test_two_merges_may_share_the_token_they_spell_and_then_the_list_is_not_ordered() -> None:
    tok = Tokenizer(
        Alphabet("characters", characters=("a", "b", "c")),
        [0, 1, 3, 0], [1, 2, 2, 4], [3, 4, 5, 5], resolve_pattern("none"),
    )  # type: ignore[arg-type]  # fmt: skip
    assert tok.encode("abc") == [5]
    assert tok.vocab_size == 6
    check = tok.is_ordered()
    assert not check and check.rank == 3
    assert tok.first(3).is_ordered()


def test_base_tokens_of_several_characters_are_not_ordered() -> None:
    tok = tokenizer(kind="characters", characters=("a", "ab", "b"))
    assert not tok.is_ordered()
    assert tok.encode("ab") == [0, 2]
