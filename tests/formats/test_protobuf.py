"""The wire form of Protocol Buffers: what is written is read, and damage is an error of ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.errors import FormatError
from bpe_studio.formats.protobuf import (
    DELIMITED,
    FOUR_BYTES,
    MAX_FIELDS,
    VARINT,
    Message,
    bytes_field,
    fields,
    four_bytes_field,
    number_field,
)

NUMBERS = st.integers(1, 2**29 - 1)
INTEGERS = st.integers(-(2**63), 2**64 - 1)


@given(NUMBERS, INTEGERS, st.binary(max_size=300), st.binary(min_size=4, max_size=4))
def test_what_is_written_is_read(number: int, value: int, data: bytes, four: bytes) -> None:
    message = number_field(number, value) + bytes_field(number, data) + four_bytes_field(number, four)
    assert list(fields(message, "it")) == [
        (number, VARINT, value % 2**64), (number, DELIMITED, data), (number, FOUR_BYTES, four),
    ]  # fmt: skip
    for end in range(len(message)):
        try:
            assert len(list(fields(message[:end], "it"))) < 3
        except FormatError as error:
            assert str(error).startswith("it ")


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        list(fields(data, "it"))
    except FormatError:
        pass


def test_the_last_value_counts_and_a_message_may_be_in_parts() -> None:
    message = Message(
        number_field(1, 5) + bytes_field(2, b"a") + number_field(1, 7) + bytes_field(2, b"b"), "it"
    )
    assert message.integer(1, 0) == 7
    assert message.data(2) == b"b"
    assert message.joined(2) == b"ab"
    assert message.integer(9, 3) == 3
    assert message.flag(1, False) is True
    assert message.data(9) == b""
    with pytest.raises(FormatError, match="field 2 of it is of kind 2; it must be 0"):
        message.integer(2, 0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0b", "kind 3"), (b"\x0f", "kind 7"), (b"\x80" * 11, "more than 64 bits"),
        (b"\x80", "ends inside"), (b"\x09abc", "8 bytes wanted"),
        (b"\x0a" + b"\xff" * 9 + b"\x01x", "ends inside a field"),
    ],
)  # fmt: skip
def test_damage_is_named(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(fields(data, "it"))


def test_more_fields_than_any_vocabulary_has_are_refused() -> None:
    with pytest.raises(FormatError, match="more than"):
        Message(b"\x08\x00" * (MAX_FIELDS + 1), "it")
