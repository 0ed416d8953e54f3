"""Train a tokenizer on files and write it.

Ctrl+C keeps the merges made so far. The same training in Python is bpe_studio.train(...).

    bpe-studio train corpus.txt --vocab-size 4096 -o my.json
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import FORMAT_NAMES, file_name, pattern, share, text, whole_number
from bpe_studio.cli.corpora import counted, listed
from bpe_studio.cli.outputs import is_read, same_file, tell_report
from bpe_studio.cli.progress import INTERRUPTED, PREPARING, Watch
from bpe_studio.cli.streams import STANDARD_INPUT, UsageError, error_text, tell, write_json
from bpe_studio.engine.errors import BpeStudioError, PatternError, SpecialTokenError, TrainingError

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.items import Item
    from bpe_studio.engine.tokenizer import Tokenizer
    from bpe_studio.engine.words import WordTable

#: Up to about this size the plain engine is the quicker one, and nothing is compiled.
PLAIN_BYTES = 100_000


#: Options with the names of `bpe_studio.train`'s keywords, then those of the command itself.
OPTIONS: dict[str, dict[str, Any]] = {
    "--vocab-size": {"type": whole_number(1), "required": True, "metavar": "N",
                     "help": "number of tokens, special ones included"},
    "--pattern": {"type": pattern, "default": "gpt4", "metavar": "P",
                  "help": "none, whitespace, gpt2, gpt4 (default), o200k, or a regular expression"},
    "--alphabet": {"choices": ("bytes", "characters"), "default": "bytes",
                   "help": "base symbols (default bytes)"},
    "--tie-rule": {"default": "lexicographic", "metavar": "R",
                   "help": "lexicographic (default), reverse-lexicographic, first-seen, lowest-ids, "
                   "shortest, or random:SEED"},
    "--min-frequency": {"type": whole_number(1), "default": 2, "metavar": "N",
                        "help": "least count of a pair that is merged (default 2)"},
    "--max-token-length": {"type": whole_number(1), "metavar": "N", "help": "longest token, in base symbols"},
    "--special": {"action": "append", "type": text, "default": [], "dest": "special_tokens", "metavar": "T",
                  "help": "a special token; may be given several times"},
    "--special-placement": {"choices": ("last", "first"), "default": "last",
                            "help": "ids of special tokens after the merges (default) or from 0"},
    "--byte-order": {"choices": ("identity", "gpt2"), "default": "identity", "help": "ids of the 256 bytes"},
    "--character-coverage": {"type": share, "default": 1.0, "metavar": "X",
                             "help": "share of the characters that get a token (default 1)"},
    "--byte-fallback": {"action": "store_true", "help": "characters without a token become bytes"},
    "--unknown-token": {"type": text, "metavar": "T", "help": "token for characters that have none"},
    "--errors": {"choices": ("strict", "replace", "skip"), "default": "strict",
                 "help": "bytes that are not text: an error (default), U+FFFD, or leave the document out"},
    "--lines": {"action": "store_true", "help": "every line is a document"},
    "--format": {"metavar": "F", "help": f"studio (default) or {', '.join(FORMAT_NAMES[1:])}"},
    "--merges-csv": {"type": file_name, "metavar": "F",
                     "help": "also write the merges with counts, ties and margins as CSV"},
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=file_name,
        help="text files or folders, - is standard input; or tables of words that count wrote, in .npz",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=file_name, required=True, help="the tokenizer file to write"
    )
    for name, settings in OPTIONS.items():
        parser.add_argument(name, **settings)
    said = parser.add_mutually_exclusive_group()
    said.add_argument("--quiet", action="store_true", help="no progress, no summary")
    said.add_argument("--json", action="store_true", help="a summary as JSON on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Train, write, and say how it ended."""
    from bpe_studio.formats.table import save

    config = config_of(arguments)
    _check_outputs(arguments, config)
    words = _saved_words(arguments.files)
    speaks = not (arguments.quiet or arguments.json)
    with listed([] if words else arguments.files) as items, Watch(shown=speaks) as watch:
        if speaks:
            tell_preparing(words.n_bytes if words else sum(item.n_bytes for item in items), watch)
        tokenizer = _trained(words or items, config, watch)
    if watch.interrupted and not tokenizer.n_merges:
        tell("stopped before the first merge; nothing was written")
        return INTERRUPTED
    report = save(tokenizer, arguments.output, arguments.format)
    if arguments.merges_csv:
        from bpe_studio.cli.merges_csv import write_merges_csv

        write_merges_csv(tokenizer, Path(arguments.merges_csv))
    if speaks and report.format != "studio" or not report.ok:
        tell_report(report)
    if speaks or watch.interrupted:
        tell(summary(tokenizer, arguments.output))
    if arguments.json:
        write_json(_json_summary(tokenizer, arguments.output))
    return INTERRUPTED if watch.interrupted else 0 if report.ok else 1


def summary(tokenizer: Tokenizer, output: str) -> str:
    """Return how a training ended, with numbers."""
    training = tokenizer.training
    assert training is not None
    before, after = training.log.corpus_tokens_before, corpus_tokens(tokenizer)
    why = training.stop_reason.text if training.stop_reason is not None else ""
    n_bytes = training.facts.n_bytes
    return (
        f"{output}: {tokenizer.vocab_size:,} tokens, {tokenizer.n_merges:,} merges; {why}; "
        f"corpus of {n_bytes:,} bytes: {before:,} -> {after:,} tokens, "
        f"{n_bytes / max(after, 1):.2f} bytes per token"
    )


def corpus_tokens(tokenizer: Tokenizer) -> int:
    """Return the corpus's tokens after all merges."""
    assert tokenizer.training is not None
    log = tokenizer.training.log
    return int(log.corpus_tokens[-1]) if len(log) else log.corpus_tokens_before


def config_of(arguments: argparse.Namespace) -> TrainingConfig:
    """Return the settings among the options, or raise `UsageError`; options left out have their defaults."""
    from dataclasses import fields

    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.patterns import resolve_pattern

    names = {field.name for field in fields(TrainingConfig)}
    given = {name: value for name, value in vars(arguments).items() if name in names}
    try:
        resolve_pattern(given.get("pattern", TrainingConfig().pattern))
        return TrainingConfig(**given | {"special_tokens": tuple(given.get("special_tokens", ()))})
    except PatternError as error:
        raise UsageError(f"argument --pattern: {error_text(error)}") from error
    except BpeStudioError as error:
        raise UsageError(str(error)) from error


def _check_outputs(arguments: argparse.Namespace, config: TrainingConfig) -> None:
    """Find out before the work whether its result can be written."""
    from bpe_studio.engine.writing import check_target
    from bpe_studio.formats.table import format_for, format_named

    output = Path(arguments.output)
    if arguments.output == STANDARD_INPUT:
        raise UsageError("argument -o/--output: must be a file; standard output is not written to")
    try:
        empty = empty_of(config)
        record = format_named(arguments.format) if arguments.format else format_for(output, empty)
    except BpeStudioError as error:
        raise UsageError(f"argument --format: {error}") from error
    reasons = record.refusals(empty)
    if reasons:
        why = "; ".join(reasons)
        raise UsageError(f"argument --format: {record.name} cannot hold such a tokenizer: {why}")
    for name in filter(None, (arguments.output, arguments.merges_csv)):
        check_target(Path(name))
        if any(is_read(name, file) for file in arguments.files):
            raise UsageError(f"{name}: is to be read and to be overwritten; choose another output")
    if arguments.merges_csv and same_file(arguments.merges_csv, arguments.output):
        raise UsageError("argument --merges-csv: must be another file than the output")


def empty_of(config: TrainingConfig) -> Tokenizer:
    """Return a tokenizer as the training's will be, without its merges: enough to ask a format about it."""
    from bpe_studio.engine.alphabet import alphabet_for
    from bpe_studio.engine.merges import MergeLog
    from bpe_studio.engine.tokenizer import Tokenizer
    from bpe_studio.engine.words import WordTable

    words = WordTable.from_counts([], config.pattern, config.special_tokens)
    log = MergeLog(alphabet_for(words, config), config, 0)
    return Tokenizer.from_log(log, words.pattern, config.special_tokens)


def tell_preparing(n_bytes: int, watch: Watch) -> None:
    """Say that the kernels are compiled first, if they are for a text of so many bytes."""
    from bpe_studio.engine import kernels

    if n_bytes > PLAIN_BYTES and kernels.status() == "cold":
        watch.tell(PREPARING)


def _saved_words(names: list[str]) -> WordTable | None:
    """Return the words in tables that were saved; None if the files are texts."""
    from bpe_studio.engine.words import WordTable

    n_tables = sum(name.lower().endswith(".npz") for name in names)
    if n_tables not in (0, len(names)):
        raise UsageError("argument FILE: give texts or tables of words (.npz), and not both")
    tables = [WordTable.load(name) for name in names] if n_tables else []
    return WordTable.merge(tables) if len(tables) > 1 else tables[0] if tables else None


def _trained(source: WordTable | list[Item], config: TrainingConfig, watch: Watch) -> Tokenizer:
    from bpe_studio.engine.train import train_with

    try:
        if not isinstance(source, list):
            return train_with(source, config, progress=watch)
        words = counted(
            source, watch, pattern=config.pattern, special_tokens=config.special_tokens,
            errors=config.errors, lines=config.lines,
        )  # fmt: skip
        if not words.facts.n_bytes and not watch.interrupted:
            names = ", ".join(item.name for item in source)
            raise BpeStudioError(f"there is no text in {names}: nothing to train on")
        return train_with(words, config, progress=watch)
    except (TrainingError, SpecialTokenError) as error:
        raise UsageError(str(error)) from error


def _json_summary(tokenizer: Tokenizer, output: str) -> dict[str, Any]:
    from bpe_studio.cli.inspect import json_value

    return {"output": output, **json_value(tokenizer), "corpus_tokens": corpus_tokens(tokenizer)}
