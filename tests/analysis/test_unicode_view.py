from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_studio.analysis.unicode_view import (
    bit_parts,
    byte_roles,
    code_points,
    escape_for_copy,
    is_plain,
    label,
    segments,
)

# Case C077: tokens that a plain rendering would show as nothing, or all alike.
INVISIBLE = ("20 2020 0a 0d 09 00 1b c2a0 e2808b efbbbf e280ae c2ad cc81 e280a8 7f f0 9f98 e282").split()


def unpaired_marks(text: str) -> list[str]:
    bases = [""] + list(text[:-1])
    return [
        char
        for base, char in zip(bases, text, strict=True)
        if unicodedata.category(char)[0] == "M" and (not base or unicodedata.category(base)[0] in "CZ")
    ]


def test_invisible_tokens_have_distinct_visible_labels():
    labels = [label(bytes.fromhex(token)) for token in INVISIBLE]
    assert len(set(labels)) == 18
    assert labels[1] == "··"
    assert labels[-3:] == ["F0", "9F 98", "E2 82"]


@given(st.one_of(st.binary(), st.text().map(str.encode)))
@example(b"")
@example("\ufffd".encode())
@example("◌\u0301".encode())
def test_a_label_is_never_blank_and_holds_nothing_invisible(data):
    text = label(data)
    assert text.strip()
    assert "\ufffd" not in text
    assert not {unicodedata.category(char) for char in text} & {"Cc", "Cf", "Cn", "Co", "Zl", "Zp"}
    assert not unpaired_marks(text)


@given(st.text(alphabet="ab ·→↵⟨⟩◌\t\n\u0301\u200bZWSP"), st.text(alphabet="ab ·→↵⟨⟩◌\t\n\u0301\u200bZWSP"))
@example("·", " ")
@example("⟨ZWSP⟩", "\u200b")
def test_different_texts_have_different_labels(first, second):
    assert (label(first.encode()) == label(second.encode())) == (first == second)


@given(st.binary(), st.binary())
def test_different_bytes_have_different_segments(first, second):
    assert (segments(first) == segments(second)) == (first == second)


def test_pieces_of_characters_stand_apart_as_hex():
    data = b"a\xf0\x9fb \xe2\x82"
    assert label(data) == "a F0 9F b· E2 82"
    assert [piece.kind for piece in segments(data)] == ["text", "hex", "text", "blank", "hex"]


def test_modes_show_the_same_token_as_hex_or_gpt2_letters():
    assert label(b" the", "bytes") == "20 74 68 65"
    assert label(b" the", "gpt2") == "Ġthe"
    assert label(b" the") == "·the"
    assert len({label(bytes([byte]), "gpt2") for byte in range(256)}) == 256


@given(st.binary())
def test_copied_form_is_one_line_and_reversible(data):
    copied = escape_for_copy(data)
    assert not {"\t", "\n", "\r", "\0"} & set(copied)
    assert unescaped(copied) == data


def unescaped(text: str) -> bytes:
    out, at = bytearray(), 0
    simple = {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\"}
    while at < len(text):
        if text[at] != "\\":
            out += text[at].encode()
            at += 1
        elif text[at + 1] in simple:
            out += simple[text[at + 1]]
            at += 2
        else:
            n_digits = {"x": 2, "u": 4, "U": 8}[text[at + 1]]
            code = int(text[at + 2 : at + 2 + n_digits], 16)
            out += bytes([code]) if n_digits == 2 else chr(code).encode()
            at += 2 + n_digits
    return bytes(out)


def test_html_like_tokens_are_shown_as_they_are():
    for token in ("<b>bold</b>", "&lt;", "<|im_start|>", "a&b"):
        assert label(token.encode()) == token
        assert is_plain(token.encode())


def test_code_points_carry_name_category_and_bytes():
    rows = code_points("a€\n\U0001f600")
    assert [row.code_point for row in rows] == ["U+0061", "U+20AC", "U+000A", "U+1F600"]
    assert [row.name for row in rows] == ["LATIN SMALL LETTER A", "EURO SIGN", "LINE FEED", "GRINNING FACE"]
    assert [row.category for row in rows] == ["Ll", "Sc", "Cc", "So"]
    assert [row.start for row in rows] == [0, 1, 4, 5]
    assert rows[3].utf8 == b"\xf0\x9f\x98\x80"


def test_byte_roles_tell_lead_continuation_and_stray_bytes():
    roles = byte_roles("a€".encode() + b"\x82\xf0\x9fz")
    assert np.array_equal(roles, [0, 1, 2, 2, 3, 3, 3, 0])


@pytest.mark.parametrize(
    ("byte", "parts"),
    [(0x41, ("0", "1000001")), (0xC3, ("110", "00011")), (0xE2, ("1110", "0010")), (0xF0, ("11110", "000")),
     (0x98, ("10", "011000"))],
)  # fmt: skip
def test_bits_are_split_into_marker_and_payload(byte, parts):
    assert bit_parts(byte) == parts
