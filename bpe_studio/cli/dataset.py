"""Encode the splits of a data set, check and write them.

Trains on the training text, or takes the tokenizer of -t. Every split is
encoded with the one tokenizer and read back: every byte must come back. The
folder then holds the ids, tokenizer.json and manifest.json: everything, or
nothing if a run is stopped. bpe_studio.check_fingerprint(FOLDER, tokenizer)
refuses another tokenizer in a training script.

    bpe-studio dataset --train train.txt --val val.txt -o data --vocab-size 4096
    bpe-studio dataset --train train.txt --val val.txt -o data -t gpt2 --format bin
"""

from __future__ import annotations

import argparse
import os
import re
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import (
    add_allowed_special,
    add_tokenizer,
    allowed_special,
    file_name,
    loaded,
    text,
)
from bpe_studio.cli.corpora import listed
from bpe_studio.cli.id_options import DTYPES
from bpe_studio.cli.outputs import same_file
from bpe_studio.cli.progress import Watch
from bpe_studio.cli.streams import STANDARD_INPUT, UsageError, tell, write_json
from bpe_studio.cli.texts import prepare_for, tell_specials
from bpe_studio.cli.train import OPTIONS, config_of, empty_of, tell_preparing
from bpe_studio.engine.errors import BpeStudioError, SpecialTokenError, TrainingError

if TYPE_CHECKING:
    from bpe_studio.dataset.building import DatasetOptions
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.items import Item
    from bpe_studio.engine.tokenizer import Tokenizer

SPLITS = ("train", "val", "test")
READING = ("--errors", "--lines")
OF_TRAIN_ALONE = ("--vocab-size", "--format", "--merges-csv")
UNITS = {"": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    for name in SPLITS:
        parser.add_argument(
            f"--{name}", metavar="FILE", nargs="+", type=file_name, default=[],
            help=f"text files or folders of the split {name}; each file is a document",
        )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=file_name, required=True, help="the folder to write"
    )
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--vocab-size", **OPTIONS["--vocab-size"] | {"required": False})
    add_tokenizer(how, required=False)
    parser.add_argument(
        "--train-prefix", metavar="SIZE", type=prefix_size,
        help="train on the beginning of the training text only: 5000000, 5MB or 10%%",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=("npy", "bin", "pt"), default="npy",
        help="files of ids: NumPy's .npy (default), bare numbers, or a PyTorch tensor",
    )  # fmt: skip
    parser.add_argument(
        "--dtype", choices=DTYPES, default="auto",
        help="numbers in the files: auto (default) is uint16 for up to 65,536 ids, else uint32; int64 in .pt",
    )  # fmt: skip
    parser.add_argument(
        "--document-end", metavar="T", type=text, help="a special token to put after each document"
    )
    add_allowed_special(parser)
    parser.add_argument("--json", action="store_true", help="the manifest on standard output")
    training = parser.add_argument_group("training, as in train")
    for name, settings in OPTIONS.items():
        if name not in OF_TRAIN_ALONE:
            group = parser if name in READING else training
            # Left out they are not there: so it is known which of them were given.
            group.add_argument(name, **settings | ({} if name in READING else {"default": argparse.SUPPRESS}))


def prefix_size(argument: str) -> tuple[int, bool]:
    """Argument type: a number of bytes, or of percent.

    Returns
    -------
    tuple of int and bool
        The number, in bytes or in thousandths of a percent; whether it is a share.

    Examples
    --------
    >>> prefix_size("5MB"), prefix_size("2.5%")
    ((5000000, False), (2500, True))
    """
    found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,3})?)(%|kB|MB|GB|)", argument)
    if found is not None:
        number, unit = found.groups()
        thousandths = int(float(number) * 1000 + 0.5)
        if unit == "%" and 0 < thousandths <= 100_000:
            return thousandths, True
        if unit != "%" and thousandths * UNITS[unit] >= 1000:
            return thousandths * UNITS[unit] // 1000, False
    raise argparse.ArgumentTypeError(
        f"must be bytes as 5000000 or 5MB, or a share as 10%, not {argument[:40]!r}"
    )


def run(arguments: argparse.Namespace) -> int:
    """Train or load, encode, check, write."""
    from bpe_studio.dataset.building import build_dataset, output_names
    from bpe_studio.dataset.staging import check_folder

    files = {name: getattr(arguments, name) for name in SPLITS if getattr(arguments, name)}
    _check_usage(arguments, files)
    folder = Path(arguments.output)
    names = output_names(files, arguments.format)
    _check_inputs(folder, names, [name for some in files.values() for name in some])
    check_folder(folder, names)
    source = loaded(arguments) if arguments.tokenizer else config_of(arguments)
    options = _options(arguments, source)
    with ExitStack() as stack:
        lists = {name: stack.enter_context(listed(some)) for name, some in files.items()}
        watch = stack.enter_context(Watch(shown=True, keeps=False))
        splits = {name: _sound(items, arguments.errors, watch) for name, items in lists.items()}
        tokenizer, training = _tokenizer(source, splits, arguments.train_prefix, watch)
        prepare_for(tokenizer, sum(map(_n_bytes, splits.values())), watch)
        about = {"sources": files, "training": training}
        manifest = build_dataset(folder, splits, tokenizer, options, about, watch)
    _tell_equal_splits(manifest["splits"])
    if arguments.json:
        write_json(manifest)
    else:
        _tell_summary(folder, manifest)
    return 0


def _check_usage(arguments: argparse.Namespace, files: dict[str, list[str]]) -> None:
    if not files:
        raise UsageError("argument --train: give the texts of at least one split")
    if sum(some.count(STANDARD_INPUT) for some in files.values()) > 1:
        raise UsageError("standard input can be read once only")
    if not arguments.tokenizer:
        if "train" not in files:
            raise UsageError("argument --train: is needed to train; or give a tokenizer with -t")
        return
    for name in ("--train-prefix", *OPTIONS):
        dest = OPTIONS.get(name, {}).get("dest", name[2:].replace("-", "_"))
        if name not in (*READING, *OF_TRAIN_ALONE) and getattr(arguments, dest, None) is not None:
            raise UsageError(
                f"argument {name}: is for training, and -t/--tokenizer gives a trained tokenizer"
            )


def _check_inputs(folder: Path, names: list[str], sources: list[str]) -> None:
    """Refuse to write over what is read, or into a folder whose files are read."""
    real = Path(os.path.realpath(folder))
    for source in sources:
        if source == STANDARD_INPUT:
            continue
        if os.path.isdir(source) and real.is_relative_to(os.path.realpath(source)):
            raise UsageError(f"{folder}: lies in a folder that is read; choose another output")
        if any(same_file(os.path.join(folder, name), source) for name in names):
            raise UsageError(f"{source}: is to be read and to be overwritten; choose another output")


def _options(arguments: argparse.Namespace, source: Tokenizer | TrainingConfig) -> DatasetOptions:
    """Return how the data set is written, after finding out before the work whether it can be."""
    from bpe_studio.dataset.building import DatasetOptions
    from bpe_studio.dataset.id_files import ID_FORMATS, check_can_write, checked_dtype
    from bpe_studio.engine.config import TrainingConfig

    if isinstance(source, TrainingConfig):
        tokenizer, n_ids = empty_of(source), source.vocab_size
    else:
        tokenizer, n_ids = source, source.n_ids
    record = ID_FORMATS[arguments.format]
    check_can_write(record)
    try:
        checked_dtype(record, n_ids, arguments.dtype)
    except BpeStudioError as error:
        raise UsageError(f"argument --dtype: {error}") from error
    end = arguments.document_end
    if end is not None and end not in tokenizer.special_tokens:
        raise UsageError(f"argument --document-end: {end!r} is no special token of the tokenizer")
    allowed = allowed_special(arguments.allowed_special, tokenizer)
    return DatasetOptions(arguments.format, arguments.dtype, allowed, end)


def _tokenizer(
    source: Tokenizer | TrainingConfig,
    splits: dict[str, list[Item]],
    prefix: tuple[int, bool] | None,
    watch: Watch,
) -> tuple[Tokenizer, dict[str, Any] | None]:
    """Return the tokenizer, and what the manifest says about its training if it was trained now."""
    from bpe_studio.dataset.texts import beginning
    from bpe_studio.dataset.training import train_for
    from bpe_studio.engine.config import TrainingConfig

    if not isinstance(source, TrainingConfig):
        return source, None
    items, of_bytes = splits["train"], _n_bytes(splits["train"])
    if prefix is not None:
        size, is_share = prefix
        items = beginning(items, of_bytes * size // 100_000 if is_share else size)
    if not _n_bytes(items):
        raise BpeStudioError("there is no text to train on")
    tell_preparing(_n_bytes(items), watch)
    try:
        tokenizer = train_for(items, [item for some in splits.values() for item in some], source, watch)
    except (TrainingError, SpecialTokenError) as error:
        raise UsageError(str(error)) from error
    assert tokenizer.training is not None
    facts = tokenizer.training.facts
    return tokenizer, {"n_bytes": facts.n_bytes, "of_bytes": of_bytes, "corpus": facts.fingerprint}


def _sound(items: list[Item], errors: str, watch: Watch) -> list[Item]:
    from bpe_studio.dataset.texts import sound_items

    found, notes = sound_items(items, errors, watch)
    for note in notes:
        watch.tell(f"note: {note}")
    return found


def _n_bytes(items: list[Item]) -> int:
    return sum(item.n_bytes for item in items)


def _tell_equal_splits(splits: dict[str, Any]) -> None:
    """Say so if a split is another one again: what a model learned by heart would count as understood."""
    for one, other in combinations(splits, 2):
        if splits[one]["n_tokens"] and splits[one]["sha256"] == splits[other]["sha256"]:
            tell(f"note: {one} and {other} hold the same text")


def _tell_summary(folder: Path, manifest: dict[str, Any]) -> None:
    for name, split in manifest["splits"].items():
        factor, less = split["compression_factor"], split["reduction_percent"]
        figures = "" if factor is None else f", factor {factor:.3f}, {less:.1f} % fewer"
        tell(f"{name}: {split['n_bytes']:,} bytes -> {split['n_tokens']:,} tokens{figures}; {split['file']}")
    tokenizer = manifest["tokenizer"]
    tell_specials(sum(split["n_specials_as_text"] for split in manifest["splits"].values()))
    tell(
        f"{folder}: {tokenizer['vocab_size']:,} tokens, ids as {manifest['ids']['dtype']}; "
        f"every byte came back; fingerprint {tokenizer['fingerprint']}"
    )
