"""What pressing *Train* would do, as a value: the button's words, whether it can be pressed, and why not.

A pure function of the session, so that the table of states can be tested without a window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from PySide6.QtCore import QT_TRANSLATE_NOOP

from bpe_studio.gui.wording import stop_text

CONTEXT = "TrainingPlan"
MANY_BYTES = 10_000
"""A pre-token this long is a text without cuts, not a word."""
TRAIN_TO: Any = QT_TRANSLATE_NOOP("TrainingPlan", "Train to {size}")
NEW_RUN: Any = QT_TRANSLATE_NOOP("TrainingPlan", "Train a new run")
STARTS_NEW: Any = QT_TRANSLATE_NOOP("TrainingPlan", "These settings start a new run.")
OTHER_CORPUS: Any = QT_TRANSLATE_NOOP(
    "TrainingPlan", "This run was trained on an earlier corpus: training starts a new run."
)
NO_CORPUS: Any = QT_TRANSLATE_NOOP("TrainingPlan", "Add a document first.")
TOO_SMALL: Any = QT_TRANSLATE_NOOP("TrainingPlan", "The vocabulary needs at least {least}: {base}{specials}.")
MERGES: Any = QT_TRANSLATE_NOOP("TrainingPlan", "{n} merges: {size} − {base}{specials}.")
MERGES_LATER: Any = QT_TRANSLATE_NOOP("TrainingPlan", "Merges: {size} − the corpus's characters{specials}.")
LONG_WORDS: Any = QT_TRANSLATE_NOOP(
    "TrainingPlan", "Very long pre-tokens, up to {n} bytes: steps take longer. A split pattern cuts them."
)
FULL: Any = QT_TRANSLATE_NOOP("TrainingPlan", "Vocabulary full at {size}: raise it to go on.")


@dataclass(frozen=True)
class TrainingPlan:
    """What *Train* would do.

    Attributes
    ----------
    action : {"train", "extend", "new_run", ""}
        The controller's verb; "" while nothing can be trained.
    button : (str, dict)
        Words of the button and their values.
    lines : tuple of (str, dict)
        Sentences above the button.
    """

    action: Literal["train", "extend", "new_run", ""]
    button: tuple[str, dict[str, str]]
    lines: tuple[tuple[str, dict[str, str]], ...]


def n_base_tokens(session: Any) -> int | None:
    """Return the number of base tokens under the settings; None if the corpus must be counted to know."""
    settings, run = session.settings, session.current
    if settings.alphabet == "bytes":
        return 256 + (settings.unknown_token is not None)
    same = run is not None and run.has_words and not run.stale and not session.settings_differ
    return run.log.alphabet.n_tokens if same or (run is not None and session.settings_extend) else None


def training_plan(session: Any) -> TrainingPlan:
    """Return what *Train* would do with the session as it is."""
    settings, run = session.settings, session.current
    size = f"{settings.vocab_size:,}"
    arithmetic, is_possible = _arithmetic(session)
    lines = [arithmetic]
    longest = longest_pretoken(session)
    if longest >= MANY_BYTES:
        lines.append((LONG_WORDS, {"n": f"{longest:,}"}))
    if session.corpus is None or not session.corpus.documents:
        return TrainingPlan("", (TRAIN_TO, {"size": size}), ((NO_CORPUS, {}), arithmetic))
    if (
        run is None
        or not run.has_words
        or (session.settings_differ and not session.settings_extend)
        or run.stale
    ):
        if run is not None and run.n_merges:
            lines.insert(0, (OTHER_CORPUS if run.stale and not session.settings_differ else STARTS_NEW, {}))
        button = (NEW_RUN, {}) if run is not None and run.n_merges else (TRAIN_TO, {"size": size})
        return TrainingPlan("new_run" if is_possible else "", button, tuple(lines))
    button = (TRAIN_TO, {"size": size})
    if session.settings_extend:
        return TrainingPlan("extend", button, tuple(lines))
    if run.can_grow:
        return TrainingPlan("train" if is_possible else "", button, tuple(lines))
    if run.stop_reason is not None and run.stop_reason.code not in ("vocabulary_full", "user"):
        lines.insert(0, ("{why}.", {"why": stop_text(run.stop_reason)}))
    elif is_possible:
        lines.insert(0, (FULL, {"size": f"{run.n_base + run.n_merges:,}"}))
    return TrainingPlan("", button, tuple(lines))


def longest_pretoken(session: Any) -> int:
    """Return the bytes of the longest pre-token of a run that is to come; 0 if that is not known before."""
    settings, run = session.settings, session.current
    if session.corpus is None:
        return 0
    if settings.pattern == "none" and not settings.lines:
        return max((document.n_bytes for document in session.corpus.documents), default=0)
    is_known = run is not None and run.has_words and not run.n_merges and not session.settings_differ
    return int(np.diff(run.words.offsets).max(initial=0)) if is_known else 0


def _arithmetic(session: Any) -> tuple[tuple[str, dict[str, str]], bool]:
    """Return how many merges there will be, in words, and whether the vocabulary is large enough."""
    settings, base = session.settings, n_base_tokens(session)
    values = {"size": f"{settings.vocab_size:,}"}
    if base is None:
        return (MERGES_LATER, values | {"specials": _specials(settings, "−")}), True
    least = base + len(settings.special_tokens)
    is_possible = settings.vocab_size >= least
    noun = "bytes" if settings.alphabet == "bytes" else "base tokens"
    values |= {
        "base": f"{base:,} {noun}",
        "least": f"{least:,}",
        "n": f"{settings.vocab_size - least:,}",
        "specials": _specials(settings, "−" if is_possible else "+"),
    }
    return ((MERGES if is_possible else TOO_SMALL), values), is_possible


def _specials(settings: Any, sign: str) -> str:
    n = len(settings.special_tokens)
    return f" {sign} {n:,} special {'token' if n == 1 else 'tokens'}" if n else ""
