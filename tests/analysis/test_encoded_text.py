from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from bpe_studio.analysis.byte_facts import byte_facts
from bpe_studio.analysis.encoded_text import EncodedText, encoded_text, joined_surrogates
from bpe_studio.analysis.text_tokens import MISSING, EncodingCancelledError
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from tests.strategies import awkward_texts


def tokenizer(alphabet: Alphabet, pairs: list[tuple[int, int]] = (), pattern: str = "none",  # type: ignore[assignment]
              specials: dict[str, int] | None = None) -> Tokenizer:  # fmt: skip
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    products = [alphabet.next_id + rank for rank in range(len(pairs))]
    arrays = (np.array(column, np.int32) for column in (left, right, products))
    return Tokenizer(alphabet, *arrays, resolve_pattern(pattern), specials or {})


BYTES = tokenizer(Alphabet())
EURO = tokenizer(Alphabet(), [(0xE2, 0x82), (0xF0, 0x9F)])
LETTERS = Alphabet("characters", characters=(" ", "a", "b", "é"))


@given(awkward_texts())
def test_tokens_and_characters_cover_the_text_without_gap(text: str) -> None:
    for pattern in ("none", "gpt4", "[a-z]+"):
        encoded = encoded_text(tokenizer(Alphabet(), [(97, 98)], pattern), text)
        assert encoded.ids.tolist() == tokenizer(Alphabet(), [(97, 98)], pattern).encode(text, "none")
        assert b"".join(encoded.token_bytes(i) for i in range(encoded.n_tokens)) == text.encode()
        assert encoded.n_code_points == len(text)
        pieces = resolve_pattern(pattern).split(text)
        assert encoded.pretoken_starts.tolist() == [
            len("".join(pieces[:i]).encode()) for i in range(len(pieces))
        ]


@given(awkward_texts())
def test_utf16_offsets_are_those_of_qt(text: str) -> None:
    starts = encoded_text(BYTES, text).utf16_starts.tolist()
    assert starts == [len(text[:i].encode("utf-16-le")) // 2 for i in range(len(text) + 1)]


def test_a_token_that_holds_part_of_a_character_says_which() -> None:
    encoded = encoded_text(EURO, "x€")
    assert [encoded.part_note(i) for i in range(3)] == ["", "€ [1–2 of 3]", "€ [3 of 3]"]
    assert encoded.is_partial.tolist() == [False, True, True]


def test_a_token_with_pieces_of_two_characters_names_both() -> None:
    encoded = encoded_text(tokenizer(Alphabet(), [(0xA9, 0xC3)]), "éé")
    assert encoded.part_note(1) == "é [2 of 2] é [1 of 2]"


def test_characters_outside_the_alphabet_are_named_and_the_rest_is_encoded() -> None:
    tok = tokenizer(LETTERS, [(1, 2)], r"\S+|\s+")
    encoded = encoded_text(tok, "ab東ab aé🙂東")
    assert encoded.unknown == ("東", "🙂")
    assert encoded.ids.tolist() == [4, MISSING, 4, 0, 1, 3, MISSING, MISSING]
    assert b"".join(encoded.token_bytes(i) for i in range(8)).decode() == encoded.text


def test_an_unknown_token_covers_the_character_it_stands_for() -> None:
    tok = tokenizer(Alphabet("characters", unknown_token="<unk>", characters=("a",)))
    encoded = encoded_text(tok, "a東a")
    assert [encoded.token_bytes(i).decode() for i in range(3)] == ["a", "東", "a"]
    assert encoded.unknown == ()


def test_lone_surrogates_are_replaced_and_counted() -> None:
    encoded = encoded_text(BYTES, "a\ud800b\udc00\ufffd")
    assert (encoded.text, encoded.n_surrogates) == ("a\ufffdb\ufffd\ufffd", 2)


def test_a_high_and_a_low_surrogate_join() -> None:
    assert joined_surrogates("\ud83d\ude00") == "😀"
    assert encoded_text(BYTES, "\ud83d\ude00").n_surrogates == 0


def test_special_strings_are_plain_text_and_counted() -> None:
    tok = tokenizer(Alphabet(), specials={"<a>": 256, "<a><b>": 257})
    encoded = encoded_text(tok, "<a><b>x<a>")
    assert (encoded.n_specials_met, encoded.n_tokens) == (2, 10)


def test_invisible_letters_survive_to_the_byte() -> None:
    text = "\ufeffa\x00b\x1b[0m\r\n\u200b\u202ec\u00ad\t "
    for pattern in ("gpt2", "gpt4"):
        encoded = encoded_text(tokenizer(Alphabet(), pattern=pattern), text)
        assert encoded.ids.tolist() == list(bytes.fromhex("efbbbf6100621b5b306d0d0ae2808be280ae63c2ad0920"))
        assert (encoded.n_code_points, encoded.utf8.decode()) == (16, text)


def test_no_text_is_normalized() -> None:
    for text in ("é", "e\u0301", "\ufb01", "\u212b", "\ufe30"):
        assert encoded_text(BYTES, text).utf8 == text.encode()


def test_graphemes_are_what_a_reader_counts() -> None:
    assert encoded_text(BYTES, "e\u0301👨\u200d👩\u200d👧x\r\n").n_graphemes == 4
    assert encoded_text(BYTES, "ab\r\nc").n_graphemes == 4
    assert encoded_text(BYTES, "東" * 200_001).n_graphemes is None


def test_the_empty_text_has_no_tokens_and_no_ratio() -> None:
    encoded = encoded_text(BYTES, "")
    assert (encoded.n_tokens, encoded.n_bytes, encoded.starts.tolist()) == (0, 0, [0])
    assert np.isnan(encoded.bytes_per_token)


def test_arrays_cannot_be_changed() -> None:
    with pytest.raises(ValueError):
        encoded_text(BYTES, "a").ids[0] = 1


@given(awkward_texts())
def test_every_byte_knows_its_token_and_character(text: str) -> None:
    encoded: EncodedText = encoded_text(EURO, text)
    for byte in range(encoded.n_bytes):
        i, character = encoded.token_at(byte), encoded.character_at(byte)
        assert encoded.starts[i] <= byte < encoded.starts[i + 1]
        assert encoded.character_starts[character] <= byte < encoded.character_starts[character + 1]
        facts = byte_facts(encoded, byte, EURO.product)
        assert text[character] == facts.character and facts.value == encoded.utf8[byte]


def test_the_facts_of_a_byte_in_one_line() -> None:
    encoded = encoded_text(EURO, "x😀")
    assert byte_facts(encoded, 1, EURO.product).text == (
        "byte 1 of 5 · 0xF0, lead of 4 · U+1F600 GRINNING FACE · token 257 (1 of 3) · made by merge 1"
    )
    assert byte_facts(encoded, 0, EURO.product).text == (
        "byte 0 of 5 · 0x78, ASCII · U+0078 LATIN SMALL LETTER X · token 120 · no merge made it"
    )


def test_encoding_ends_when_nobody_wants_it_any_more():
    told = []

    def progress(stage, done, total):
        told.append((stage, done, total))
        return len(told) < 3

    with pytest.raises(EncodingCancelledError):
        encoded_text(tokenizer(Alphabet(), pattern="gpt4"), "lorem ipsum " * 100_000, progress=progress)
    assert len(told) == 3 and told[0] == ("encoding", 0, 1_200_000) and told[2][1] < 200_000
