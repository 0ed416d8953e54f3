"""The sentence that says why: from the values of a `Why` to segments of text, token chips and links.

Pairs are always named as two tokens, never as their concatenation: ``a`` + ``bc`` and ``ab`` + ``c`` make
the same token and are not the same pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from bpe_studio.analysis.ties import Choice, PairView, Why
from bpe_studio.analysis.unicode_view import label
from bpe_studio.engine.merges import UNKNOWN
from bpe_studio.gui.wording import stop_text

CANDIDATES, EXTEND, CORPUS = "candidates", "extend", "corpus"
MAX_PAIRS_SHOWN = 2
MOST_TELLING = ("first-seen", "lowest-ids", "shortest", "lexicographic", "reverse-lexicographic")

NEXT = QT_TRANSLATE_NOOP("why", "Next, merge {k}:")
ROW = QT_TRANSLATE_NOOP("why", "Merge {k}:")
ONCE = QT_TRANSLATE_NOOP("why", "once")
TIMES = QT_TRANSLATE_NOOP("why", "{count} times")
MORE_THAN = QT_TRANSLATE_NOOP("why", ", {margin} more than ")
FEWER_THAN = QT_TRANSLATE_NOOP("why", ", {margin} fewer than ")
AHEAD = QT_TRANSLATE_NOOP("why", ", {margin} more than any other")
ONLY = QT_TRANSLATE_NOOP("why", ", the only pair there is")
TIE = QT_TRANSLATE_NOOP("why", "{n_tied} pairs tie")
TAKES = QT_TRANSLATE_NOOP("why", " takes it because ")
WOULD = QT_TRANSLATE_NOOP("why", " would take ")
AND_MORE = QT_TRANSLATE_NOOP("why", "; and {n} more")
UNKNOWN_COUNT = QT_TRANSLATE_NOOP("why", "its count is in no file")
OPEN_CORPUS = QT_TRANSLATE_NOOP("why", "open a corpus to see counts")
EXTEND_IT = QT_TRANSLATE_NOOP("why", "extend")
COMPARISONS = {
    "lexicographic": QT_TRANSLATE_NOOP("why", "{winner} < {rival}"),
    "reverse-lexicographic": QT_TRANSLATE_NOOP("why", "{winner} > {rival}"),
    "first-seen": QT_TRANSLATE_NOOP("why", "it is met first, at {winner} and not {rival}"),
    "lowest-ids": QT_TRANSLATE_NOOP("why", "the ids {winner} < {rival}"),
    "shortest": QT_TRANSLATE_NOOP("why", "length and bytes {winner} < {rival}"),
    "random": QT_TRANSLATE_NOOP("why", "its draw {winner} < {rival}"),
}


@dataclass(frozen=True)
class Segment:
    """A piece of the sentence.

    Parameters
    ----------
    kind : {"text", "strong", "rule", "chip", "link"}
        How it is drawn.
    text : str
        What it says; for a chip its label.
    data : bytes
        The token of a chip.
    target : str
        What a link leads to.
    """

    kind: str
    text: str
    data: bytes = b""
    target: str = ""


def plain_text(segments: Iterable[Segment]) -> str:
    """Return the sentence for screen readers, tooltips and the clipboard."""
    return "".join(f"‘{one.text}’" if one.kind == "chip" else one.text for one in segments).strip()


def why_segments(why: Why | None, *, is_row: bool) -> tuple[Segment, ...]:
    """Return the sentence of a `Why`.

    Parameters
    ----------
    why : Why or None
        The reasons; None says nothing.
    is_row : bool
        Whether a selected row is explained, not the next merge.
    """
    if why is None:
        return ()
    if why.stop is not None or why.winner is None:
        return tuple(_stopped(why))
    head = [Segment("strong", _tr(ROW if is_row else NEXT, k=f"{why.rank:,}")), Segment("text", " ")]
    arrow = [Segment("text", " → "), _chip(why.winner.token)]
    gap = Segment("text", ": " if why.winner.count == UNKNOWN else "  ")
    return (*head, *_pair(why.winner), *arrow, gap, *_reasons(why), Segment("text", "."))


def _reasons(why: Why) -> list[Segment]:
    count = why.winner.count
    if count == UNKNOWN:
        return [Segment("text", _tr(UNKNOWN_COUNT) + "; "), Segment("link", _tr(OPEN_CORPUS), target=CORPUS)]
    times = Segment("text", _tr(ONCE) if count == 1 else _tr(TIMES, count=f"{count:,}"))
    return [times, *(_tie(why) if why.is_tie else _margin(why))]


def _margin(why: Why) -> list[Segment]:
    if why.margin == UNKNOWN or (why.rival is None and not why.choices):
        ahead = 0 < why.margin < why.winner.count
        return [Segment("text", _tr(AHEAD, margin=f"{why.margin:,}"))] if ahead else []
    if why.rival is None:
        return [Segment("text", _tr(ONLY))]
    text = MORE_THAN if why.margin >= 0 else FEWER_THAN
    return [Segment("text", _tr(text, margin=f"{abs(why.margin):,}")), *_pair(why.rival)]


def _tie(why: Why) -> list[Segment]:
    segments = [Segment("text", ". "), Segment("link", _tr(TIE, n_tied=f"{why.n_tied:,}"), target=CANDIDATES)]
    if why.compared:
        winner, rival = why.compared
        because = _tr(COMPARISONS[why.rule.partition(":")[0]], winner=winner, rival=rival)
        segments += [Segment("text", "; "), Segment("rule", why.rule), Segment("text", _tr(TAKES) + because)]
    return [*segments, *_dissent(why)]


def _dissent(why: Why) -> list[Segment]:
    """Name other pairs that a rule would take, each by one rule; the rules left over are counted."""
    rules = sorted(why.dissent, key=lambda choice: _interest(choice.rule))
    shown: dict[tuple[int, int], Choice] = {}
    for choice in rules:
        if len(shown) < MAX_PAIRS_SHOWN:
            shown.setdefault(choice.pair.ids, choice)
    segments: list[Segment] = []
    for choice in shown.values():
        segments += [Segment("text", "; "), Segment("rule", choice.rule), Segment("text", _tr(WOULD))]
        segments += _pair(choice.pair)
    n_more = len(rules) - len(shown)
    return [*segments, Segment("text", _tr(AND_MORE, n=n_more))] if n_more else segments


def _interest(rule: str) -> int:
    """Place of a rule in the sentence: first those that other tools use."""
    name = rule.partition(":")[0]
    return MOST_TELLING.index(name) if name in MOST_TELLING else len(MOST_TELLING)


def _stopped(why: Why) -> list[Segment]:
    if why.stop is None:
        return []
    segments = [Segment("strong", stop_text(why.stop))]
    if why.stop.code == "vocabulary_full":
        segments += [Segment("text", ": "), Segment("link", _tr(EXTEND_IT), target=EXTEND)]
    elif why.stop.code == "opened":
        segments += [Segment("text", "; "), Segment("link", _tr(OPEN_CORPUS), target=CORPUS)]
    return segments


def _pair(pair: PairView) -> list[Segment]:
    return [_chip(pair.left), Segment("text", " + "), _chip(pair.right)]


def _chip(data: bytes) -> Segment:
    return Segment("chip", label(data), data)


def _tr(text: str, **numbers: object) -> str:
    return QCoreApplication.translate("why", text).format(**numbers)
