"""Whatever a file holds, a reader gives a tokenizer that works or one of our errors, in bounded time."""

from __future__ import annotations

import base64
import copy
import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tests.formats.building as building
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.formats.content import Content
from bpe_studio.formats.table import FORMATS, Format, load

WRITTEN = [record for record in FORMATS if record.is_written]
EACH = pytest.mark.parametrize("record", WRITTEN, ids=lambda record: record.name)
JUNK: list[Any] = [
    None, True, -1, 0, 255, 2**31, 2**63, 10**30, 0.5, 1e300, "", "a", "a b", "\ud800", "Ġ", [], [[]], ["a"],
    [["a", "b", "c"]], {}, {"": 0}, {"a": 2**40}, {"type": "BPE"}, {"Regex": "(a+)+$"},
]  # fmt: skip


def samples(record: Format) -> Iterator[Content]:
    """Yield a file for each tokenizer that the format can hold, with what belongs beside it."""
    for tokenizer in building.ALL.values():
        if not record.refusals(tokenizer):
            path = Path(f"x{record.suffixes[0]}")
            yield Content(path, record.write(tokenizer), dict(record.beside(tokenizer, path)))


def check(record: Format, content: Content) -> None:
    """Read a file that may be damaged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tokenizer = record.read(content)
            assert tokenizer.decode(tokenizer.encode("the ab\n<s>", "none")) is not None
            assert tokenizer.n_ids <= 2**31
        except BpeStudioError as error:
            assert 0 < len(str(error)) < 700


@EACH
def test_cut_and_changed_bytes(record: Format) -> None:
    chance = random.Random(record.name)
    for content in samples(record):
        for _ in range(60):
            data = content.data
            at, other = sorted((chance.randrange(len(data)), chance.randrange(len(data))))
            middle = chance.choice(
                [b"", bytes([chance.randrange(256)]), data[at:other] * 2, data[other:][:99]]
            )
            check(record, Content(content.path, data[:at] + middle + data[other:], content.beside))
            check(record, Content(content.path, data[:at], content.beside))


@EACH
def test_lines_in_another_order_twice_or_missing(record: Format) -> None:
    chance = random.Random(record.name)
    for content in samples(record):
        lines = content.data.splitlines(keepends=True)
        for _ in range(20):
            some = (
                chance.choices(lines, k=len(lines))
                if chance.random() < 0.5
                else chance.sample(lines, len(lines))
            )
            check(record, Content(content.path, b"".join(some), content.beside))


@EACH
def test_damaged_or_missing_files_beside(record: Format) -> None:
    chance = random.Random(record.name)
    for content in samples(record):
        for name, data in (content.beside or {}).items():
            check(record, Content(content.path, content.data, {}))
            for _ in range(30):
                at, other = sorted((chance.randrange(len(data)), chance.randrange(len(data))))
                damaged = data[:at] + bytes([chance.randrange(256)]) + data[other:]
                check(record, Content(content.path, content.data, {**(content.beside or {}), name: damaged}))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(leaf for key, item in items for leaf in leaves(item, (*path, key)))]


@EACH
def test_fields_of_other_types_and_sizes(record: Format) -> None:
    chance = random.Random(record.name)
    for content in samples(record):
        if not content.looks_like_json:
            continue
        value = json.loads(content.data)
        places = leaves(value)[1:]
        # All but the long lists, of which a few items will do.
        places = [place for place in places if not (isinstance(place[-1], int) and place[-1] > 3)]
        for place in chance.sample(places, min(len(places), 60)):
            for junk in chance.sample(JUNK, 6):
                changed = copy.deepcopy(value)
                target = changed
                for key in place[:-1]:
                    target = target[key]
                target[place[-1]] = junk
                check(record, Content(content.path, json.dumps(changed).encode(), content.beside))


@EACH
@pytest.mark.parametrize(
    "data", [b"", b"\n" * 1000, b"[" * 200_000, b'{"a":' * 200_000, b"9" * 5000, b"\xff" * 99]
)
def test_what_is_no_such_file_at_all(record: Format, data: bytes) -> None:
    start = next(samples(record)).data[:40]
    for content in (Content(Path("x"), data, {}), Content(Path("x"), start + data, {})):
        try:
            record.recognises(content)
        except BpeStudioError:
            continue
        check(record, content)
    with pytest.raises(BpeStudioError):
        record.read(Content(Path("x"), b"?" + data, {}))


BLANKS = b" " * 100_000_000


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"x"),
        (b"", b'{"model": 1}'),
        (b"minbpe v1\n", b""),
        (b"YQ== 0\n", b"x"),
        (b"#version: 0.2\n", b""),
    ],
)
def test_a_hundred_megabytes_of_blanks(before: bytes, after: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(before + BLANKS + after)
    with pytest.raises(BpeStudioError):
        load(tmp_path / "x")


def test_one_very_long_token_is_no_matter() -> None:
    record = next(record for record in FORMATS if record.name == "tiktoken")
    content = next(samples(record))
    long = base64.b64encode(b"a" * 1_000_000) + b" 1000\n"
    check(record, Content(content.path, content.data + long, {}))


def test_merges_that_double_their_product_do_not_fill_the_memory() -> None:
    for record in FORMATS:
        if record.name != "minbpe":
            continue
        merges = "97 97\n" + "".join(f"{token} {token}\n" for token in range(256, 300))
        with pytest.raises(BpeStudioError, match="hold more than"):
            assert record.read(Content(Path("x"), f"minbpe v1\n\n0\n{merges}".encode())).tokens
