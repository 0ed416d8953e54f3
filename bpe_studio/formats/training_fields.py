"""The ``training`` field of BPE Studio's own JSON: settings, stop reason, corpus. It decides no id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import Any

from bpe_studio.engine.config import STOP_TEXTS, StopReason, TrainingConfig
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.training_record import TrainingRecord
from bpe_studio.engine.words import CorpusFacts
from bpe_studio.formats.fields import Fields, integer, shown

#: How a computer shared its work is no fact of the result, and would make equal trainings differ.
NOT_KEPT = frozenset({"n_threads"})

Training = tuple[TrainingConfig, int, StopReason | None, CorpusFacts, str]


def training_value(record: TrainingRecord) -> dict[str, Any]:
    """Return a record as JSON values, its log's columns aside."""
    config = {key: value for key, value in asdict(record.config).items() if key not in NOT_KEPT}
    stop = record.stop_reason
    numbers = None if stop is None else {key: int(value) for key, value in sorted(stop.numbers.items())}
    return {
        "version": record.version,
        "config": config,
        "stop_reason": None if stop is None else {"code": stop.code, "text": stop.text, "numbers": numbers},
        "corpus": asdict(record.facts),
        "corpus_tokens_before": record.log.corpus_tokens_before,
    }


def training_of(value: Fields) -> Training:
    """Return settings, tokens before the first merge, stop reason, corpus facts and version."""
    before = value.integer("corpus_tokens_before", -1)
    return _config(value.fields("config")), before, _stop_reason(value), _facts(value), value.text("version")


def same_training(one: TrainingRecord | None, other: TrainingRecord | None) -> bool:
    """Return whether two records say the same, as far as a file keeps it."""
    if one is None or other is None:
        return one is other
    config = replace(one.config, n_threads=other.config.n_threads)
    same = config == other.config and one.stop_reason == other.stop_reason and one.facts == other.facts
    first, second = one.log.batch(0, len(one.log)).columns, other.log.batch(0, len(other.log)).columns
    tokens = one.log.corpus_tokens_before == other.log.corpus_tokens_before
    columns = all(first[name].tolist() == second[name].tolist() for name in first)
    return same and tokens and columns and one.version == other.version


def _optional_integer(value: Fields, key: str) -> int | None:
    return None if value.any(key) is None else value.integer(key)


def _share(value: Fields, key: str) -> float:
    found = value.any(key)
    if type(found) not in (int, float):
        raise FormatError(f"{value.place(key)} must be a number, not {shown(found)}.")
    return float(found)


def _optional_texts(value: Fields, key: str) -> tuple[str, ...] | None:
    return None if value.any(key) is None else value.texts(key)


READERS: dict[str, Callable[[Fields, str], Any]] = {
    "int": Fields.integer,
    "str": Fields.text,
    "bool": Fields.flag,
    "float": _share,
    "int | None": _optional_integer,
    "str | None": Fields.text_or_none,
    "tuple[str, ...]": Fields.texts,
    "tuple[str, ...] | None": _optional_texts,
}


def _config(value: Fields) -> TrainingConfig:
    """Return the settings; a setting that the file does not have, because it is newer, has its default."""
    kept = (field for field in fields(TrainingConfig) if field.name not in NOT_KEPT and field.name in value)
    return TrainingConfig(**{field.name: READERS[str(field.type)](value, field.name) for field in kept})


def _stop_reason(value: Fields) -> StopReason | None:
    if value.any("stop_reason") is None:
        return None
    found = value.fields("stop_reason")
    place = found.place("numbers")
    given = Fields(found.any("numbers"), place)
    numbers = {key: integer(given.any(key), f"{place}.{key[:40]}", -1) for key in found.any("numbers")}
    reason = StopReason(found.choice("code", tuple(STOP_TEXTS)), numbers)
    try:
        reason.text  # noqa: B018 - a number that the sentence needs may be missing
    except KeyError as error:
        raise FormatError(f"{place}.{error.args[0]} is missing.") from error
    return reason


def _facts(value: Fields) -> CorpusFacts:
    found = value.fields("corpus")
    texts = {"fingerprint": found.text("fingerprint")}
    names = [field.name for field in fields(CorpusFacts) if field.name not in texts]
    return CorpusFacts(**{name: found.integer(name) for name in names}, **texts)  # type: ignore[arg-type]
