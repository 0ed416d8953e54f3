"""The window's words for values: sizes, progress, reasons."""

from __future__ import annotations

import pytest

from bpe_studio.gui.intentions.stepping import bytes_meant
from bpe_studio.gui.wording import progress_text, size_text, training_text


@pytest.mark.parametrize(
    ("n", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1.2e6, "1.2 MB"), (3e9, "3.0 GB")]
)
def test_sizes_are_written_as_people_do(n, text):
    assert size_text(n) == text


def test_progress_tells_what_is_known_and_nothing_else():
    assert progress_text("reading", 0, None) == "Reading"
    assert progress_text("counting", 5_000_000, 10_000_000) == "Counting words · 50% · 5.0 MB"
    full = "Counting words · 50% · 5.0 MB · 2.5 MB a second · 2 s left"
    assert progress_text("counting", 5_000_000, 10_000_000, 2.5e6) == full


def test_training_tells_merges_rate_and_time_left():
    text = training_text(1000, 4000, 500.0, 6.0, "training")
    assert text == "Training · 1,000 of 4,000 merges · 500 a second · 6 s left"
    assert training_text(3, 4000, 1.0, None, "training").endswith(" · 1 a second · preparing the fast engine")
    assert training_text(1000, 4000, 0.0, None, "paused") == "Paused · 1,000 of 4,000 merges"


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("0x61 62", b"ab"),
        ("0XFF", b"\xff"),
        ("0x6", None),
        ("'12'", b"12"),
        ('"a b"', b"a b"),
        ("·the", b" the"),
        ("é", b"\xc3\xa9"),
    ],
)
def test_the_box_reads_bytes_quotes_and_text(text, data):
    assert bytes_meant(text) == data
