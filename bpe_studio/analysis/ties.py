"""Why a merge was made: who competed, who tied, what the rule compared, and what other rules would take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bpe_studio.engine.config import StopReason
from bpe_studio.engine.merges import UNKNOWN, MergeLog
from bpe_studio.engine.replay import Snapshot
from bpe_studio.engine.ties import TIE_RULES, parse_rule, random_key
from bpe_studio.engine.token_order import TokenOrder
from bpe_studio.engine.trainer import stop_reason


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair as it is shown.

    Parameters
    ----------
    left_id, right_id : int
        Ids of the two tokens.
    left, right : bytes
        Their bytes.
    count : int
        Pair count; −1 if unknown.
    first : int
        Position of the first occurrence in the base symbols of the words; −1 if unknown.
    """

    left_id: int
    right_id: int
    left: bytes
    right: bytes
    count: int = UNKNOWN
    first: int = UNKNOWN

    @property
    def ids(self) -> tuple[int, int]:
        """Both ids."""
        return self.left_id, self.right_id

    @property
    def token(self) -> bytes:
        """The bytes of the product."""
        return self.left + self.right


@dataclass(frozen=True, slots=True)
class Choice:
    """The pair that a rule would take from the tie group."""

    rule: str
    pair: PairView


@dataclass(frozen=True, slots=True)
class Why:
    """Everything that the why-sentence says, as values.

    Parameters
    ----------
    kind : {"next", "merge", "stopped", "unknown"}
        The next merge at the cursor, a merge that was made, no further merge, or a merge whose counts no
        file tells.
    rank : int
        Rank of the merge.
    rule : str
        The run's tie rule.
    winner : PairView or None
        The pair merged.
    n_tied : int
        Eligible pairs with the winner's count; 1 is no tie, −1 unknown.
    margin : int
        Lead over the runner-up; −1 unknown.
    rival : PairView or None
        Without a tie the runner-up; in a tie the pair that the rule puts second.
    compared : tuple of str
        What the rule compared, for winner and rival: bytes in hex, ids, positions, lengths or keys.
        Empty without a tie.
    choices : tuple of Choice
        What every rule would take, in the order of `ties.TIE_RULES`.
    stop : StopReason or None
        Why there is no next merge.
    """

    kind: str
    rank: int
    rule: str
    winner: PairView | None = None
    n_tied: int = UNKNOWN
    margin: int = UNKNOWN
    rival: PairView | None = None
    compared: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    stop: StopReason | None = None

    @property
    def is_tie(self) -> bool:
        """Whether several pairs shared the best count."""
        return self.n_tied > 1

    @property
    def dissent(self) -> tuple[Choice, ...]:
        """The rules that would take another pair."""
        return tuple(choice for choice in self.choices if self.winner and choice.pair.ids != self.winner.ids)


def explain(snapshot: Snapshot, log: MergeLog, *, order: TokenOrder | None = None) -> Why:
    """Return why merge number ``snapshot.k`` is made, or was made, or is not.

    Parameters
    ----------
    snapshot : Snapshot
        The state before the merge.
    log : MergeLog
        The run. If it has a row ``snapshot.k``, that row is explained; else the next merge.
    order : TokenOrder or None
        Of this log, if the caller keeps one (`Replay.order`).

    Returns
    -------
    Why
        With kind "merge", "next" or "stopped".
    """
    config, rank, pairs = log.config, snapshot.k, snapshot.pairs
    order = order or TokenOrder(log)
    made = rank < len(log)
    if pairs.winner < 0 or (not made and pairs.count[pairs.winner] < config.min_frequency):
        best = int(pairs.count[pairs.winner]) if pairs.winner >= 0 else 0
        code = "min_frequency" if best else "no_pair"
        stop = stop_reason(code, config, log.alphabet, rank, best_count=best)
        return Why("stopped", rank, config.tie_rule, stop=stop)
    tied = pairs.tied
    n_tied = len(tied)
    rival_row = int(tied[1]) if n_tied > 1 else pairs.runner_up
    why = Why(
        "merge" if made else "next",
        rank,
        config.tie_rule,
        _view(snapshot, log, pairs.winner),
        n_tied,
        int(pairs.count[pairs.winner]) - (int(pairs.count[rival_row]) if rival_row >= 0 else 0),
        _view(snapshot, log, rival_row) if rival_row >= 0 else None,
        choices=tuple(
            Choice(rule, _view(snapshot, log, row)) for rule, row in _choices(snapshot, log, order)
        ),
    )
    return replace(why, compared=_compared(why, log)) if n_tied > 1 else why


def explain_row(log: MergeLog, rank: int) -> Why:
    """Return what the log alone says of a merge: for tokenizers opened without their corpus."""
    left, right = int(log.left[rank]), int(log.right[rank])
    winner = PairView(left, right, log.token_bytes(left), log.token_bytes(right), int(log.count[rank]))
    kind = "unknown" if winner.count == UNKNOWN else "merge"
    return Why(kind, rank, log.config.tie_rule, winner, int(log.n_tied[rank]), int(log.margin[rank]))


def rules_shown(tie_rule: str) -> tuple[str, ...]:
    """Return the rules to compare, by name; ``random`` with the run's seed, or 0."""
    own = parse_rule(tie_rule)
    seed = own.seed if own.rule.name == "random" else 0
    return tuple(f"random:{seed}" if rule.name == "random" else rule.name for rule in TIE_RULES)


def _choices(snapshot: Snapshot, log: MergeLog, order: TokenOrder) -> list[tuple[str, int]]:
    pairs, tied = snapshot.pairs, snapshot.pairs.tied
    columns = pairs.left[tied], pairs.right[tied], pairs.first[tied]
    return [(rule, int(tied[order.first_row(rule, *columns)])) for rule in rules_shown(log.config.tie_rule)]


def _view(snapshot: Snapshot, log: MergeLog, row: int) -> PairView:
    pairs = snapshot.pairs
    left, right = int(pairs.left[row]), int(pairs.right[row])
    count, first = int(pairs.count[row]), int(pairs.first[row])
    return PairView(left, right, log.token_bytes(left), log.token_bytes(right), count, first)


def _compared(why: Why, log: MergeLog) -> tuple[str, ...]:
    """Return what the rule compared, for winner and rival."""
    rule = parse_rule(why.rule)
    characters = log.alphabet.kind == "characters"
    show: dict[str, Callable[[PairView], str]] = {
        "lexicographic": _hex_of_pair,
        "reverse-lexicographic": _hex_of_pair,
        "first-seen": lambda pair: f"{pair.first:,}",
        "lowest-ids": lambda pair: f"({pair.left_id:,}, {pair.right_id:,})",
        "shortest": lambda pair: _length_and_hex(pair, characters),
        "random": lambda pair: f"0x{random_key(pair.left, pair.right, rule.seed):016x}",
    }
    assert why.winner is not None and why.rival is not None
    words = show[rule.rule.name]
    return words(why.winner), words(why.rival)


def _hex_of_pair(pair: PairView) -> str:
    return f"{pair.left.hex(' ').upper()} + {pair.right.hex(' ').upper()}"


def _length_and_hex(pair: PairView, characters: bool) -> str:
    length = len(pair.token.decode()) if characters else len(pair.token)
    return f"{length:,}: {pair.token.hex(' ').upper()}"
