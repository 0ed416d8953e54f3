"""The window's words for values that come from below: stop reasons, states of a training, sizes.

Nothing below `gui` is translated; values come up with numbers, and the sentences are made here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from bpe_studio.engine.config import StopReason
from bpe_studio.formats.reports import SaveReport
from bpe_studio.session import Session

CONTEXT = "wording"

STOPS: Mapping[str, str] = {
    "vocabulary_full": QT_TRANSLATE_NOOP("wording", "Vocabulary full at {vocab_size}"),
    "no_pair": QT_TRANSLATE_NOOP("wording", "No pair is left to merge"),
    "min_frequency": QT_TRANSLATE_NOOP(
        "wording", "The best count, {best_count}, is below the minimum of {min_frequency}"
    ),
    "user": QT_TRANSLATE_NOOP("wording", "Stopped at {n_merges} merges"),
    "opened": QT_TRANSLATE_NOOP("wording", "All rules of this tokenizer are in effect"),
}
SHORT_OF = QT_TRANSLATE_NOOP("wording", "{short} merges short of a vocabulary of {target}")
SHORT_BY_ONE = QT_TRANSLATE_NOOP("wording", "one merge short of a vocabulary of {target}")

STAGES: Mapping[str, str] = {
    "reading": QT_TRANSLATE_NOOP("wording", "Reading"),
    "counting": QT_TRANSLATE_NOOP("wording", "Counting words"),
    "preparing": QT_TRANSLATE_NOOP("wording", "Preparing the fast engine, once after install: about 12 s"),
    "training": QT_TRANSLATE_NOOP("wording", "Training"),
    "paused": QT_TRANSLATE_NOOP("wording", "Paused"),
}
STUTTER = QT_TRANSLATE_NOOP(
    "wording", "Preparing the fast engine here; the window may stutter for some seconds"
)
MERGES_OF = QT_TRANSLATE_NOOP("wording", "{done} of {total} merges")
PER_SECOND = QT_TRANSLATE_NOOP("wording", "{rate} a second")
SECONDS_LEFT = QT_TRANSLATE_NOOP("wording", "{seconds} s left")
SLOW_YET = QT_TRANSLATE_NOOP("wording", "preparing the fast engine")

SAVED = QT_TRANSLATE_NOOP("wording", "Saved {names}.")
RELOADED = QT_TRANSLATE_NOOP("wording", "Reloaded with {by}: {n} differences on {size}.")
NOT_RELOADED = QT_TRANSLATE_NOOP("wording", "Reloading with {by} failed: {problem}.")

NO_CORPUS = QT_TRANSLATE_NOOP("wording", "Add a document or open a sample first")
NO_PAIRS_YET = QT_TRANSLATE_NOOP("wording", "The corpus is not counted yet")
NO_COUNTS = QT_TRANSLATE_NOOP(
    "wording", "All rules of this tokenizer are in effect; open a corpus to see counts"
)


def said(text: str, **numbers: object) -> str:
    """Return a text in the user's language with its numbers put in."""
    return QCoreApplication.translate(CONTEXT, text).format(**numbers)


def stop_text(reason: StopReason) -> str:
    """Return why a training ended, with its numbers."""
    numbers = {key: f"{value:,}" for key, value in reason.numbers.items()}
    text = said(STOPS[reason.code], **numbers)
    short = reason.numbers.get("short", 0)
    if short and reason.code != "vocabulary_full":
        text += "; " + said(SHORT_BY_ONE if short == 1 else SHORT_OF, **numbers)
    return text


def blocked_text(session: Session) -> str:
    """Return why → would do nothing at the cursor; empty if it would replay or train a merge."""
    run = session.current
    if run is None:
        return said(NO_PAIRS_YET if session.corpus is not None else NO_CORPUS)
    if session.cursor < run.n_merges or run.can_grow:
        return ""
    if not run.has_words:
        return said(NO_COUNTS)
    if run.stop_reason is not None and run.stop_reason.code != "user":
        return stop_text(run.stop_reason)
    return said(STOPS["vocabulary_full"], vocab_size=f"{run.n_base + run.n_merges:,}")


def size_text(n_bytes: float) -> str:
    """Return a number of bytes as people write it.

    Examples
    --------
    >>> size_text(11), size_text(12_345), size_text(10_000_000)
    ('11 B', '12.3 kB', '10.0 MB')
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.1f} {unit}"
    return f"{n_bytes:.0f} B"


def saved_text(report: SaveReport) -> str:
    """Return what was written, and how the checks of it came out."""
    parts = [said(SAVED, names=", ".join(map(shown_name, report.files)))]
    for check in report.checks:
        if check.problem:
            parts.append(said(NOT_RELOADED, by=check.by, problem=check.problem.rstrip(".")))
        else:
            size = size_text(check.n_bytes)
            parts.append(said(RELOADED, by=check.by, n=f"{check.n_differences:,}", size=size))
    return " ".join(parts)


def shown_name(path: Path) -> str:
    """Return a file's name as it can be shown: bytes that are no text become U+FFFD."""
    return os.fsencode(path.name).decode("utf-8", "replace")


def progress_text(stage: str, done: int, total: int | None, rate: float = 0.0) -> str:
    """Return how far reading or counting is: share, bytes, bytes a second, time left."""
    parts = [said(STAGES.get(stage, STAGES["reading"]))]
    if total:
        parts.append(f"{done / total:.0%}")
    if done:
        parts.append(size_text(done))
    if rate and done:
        parts.append(said(PER_SECOND, rate=size_text(rate)))
        if total:
            parts.append(said(SECONDS_LEFT, seconds=f"{(total - done) / rate:,.0f}"))
    return " · ".join(parts)


def training_text(done: int, total: int, rate: float, seconds_left: float | None, state: str) -> str:
    """Return the progress of a training: merges, rate and time left, None while the rate is to rise."""
    parts = [said(STAGES[state]), said(MERGES_OF, done=f"{done:,}", total=f"{total:,}")]
    if state == "training" and rate:
        parts.append(said(PER_SECOND, rate=f"{rate:,.0f}"))
        is_steady = seconds_left is not None
        parts.append(said(SECONDS_LEFT, seconds=f"{seconds_left:,.0f}") if is_steady else said(SLOW_YET))
    return " · ".join(parts)
