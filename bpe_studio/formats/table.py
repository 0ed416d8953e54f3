"""FORMATS: the file formats as records; loading by content, saving with checks of what was written."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bpe_studio.engine.errors import BpeStudioError, FormatError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.writing import reason, write_together
from bpe_studio.formats import (
    character_bpe,
    gguf,
    gpt2,
    huggingface,
    huggingface_config,
    huggingface_writing,
    minbpe,
    peers,
    pickled_encoding,
    sentencepiece,
    studio,
    tekken,
    tiktoken,
)
from bpe_studio.formats.checking import PeerLoader, check_by, n_differences, sample_texts
from bpe_studio.formats.content import Content
from bpe_studio.formats.files import read_bounded
from bpe_studio.formats.found import check_hash, found_tokenizers
from bpe_studio.formats.pretrained import pretrained, pretrained_names, published_as
from bpe_studio.formats.reports import Check, SaveReport
from bpe_studio.formats.training_fields import same_training


def _nothing(tokenizer: Tokenizer, path: Path) -> Mapping[str, bytes]:
    return {}


def _all_of_it(tokenizer: Tokenizer) -> Tokenizer:
    return tokenizer


def _not_written(tokenizer: Tokenizer) -> bytes:
    raise FormatError("the format is only read.")


def _nothing_lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    return ()


def only_read(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why no tokenizer is written in a format that is only read."""
    return ("it is only read",)


@dataclass(frozen=True)
class Format:
    """A file format, for dialogs, the command line and tests.

    Parameters
    ----------
    name : str
        What `save` takes.
    label : str
        What a dialog shows.
    suffixes : tuple of str
        File name endings, the usual one first.
    recognises : callable
        Content → whether it is of this format.
    read : callable
        Content → Tokenizer; raises `BpeStudioError`.
    write : callable
        Tokenizer → bytes.
    lost : callable
        Tokenizer → sentences on what a file does not keep.
    refusals : callable
        Tokenizer → reasons why it cannot be written; empty if it can, never empty for `only_read`.
    keeps_training : bool
        Whether a file keeps how the tokenizer came about.
    beside : callable
        Tokenizer, path → bytes of further files by name, written into the same folder.
    keeps : callable
        Tokenizer → the tokenizer that is read back.
    file_names : tuple of str
        Names under which a folder has such files.
    peer : str
        The program whose format it is; empty if none checks it.
    load_with_peer : callable, optional
        Makes the peer's encoder of a file.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Content], bool]
    read: Callable[[Content], Tokenizer]
    write: Callable[[Tokenizer], bytes] = _not_written
    lost: Callable[[Tokenizer], tuple[str, ...]] = _nothing_lost
    refusals: Callable[[Tokenizer], tuple[str, ...]] = only_read
    keeps_training: bool = False
    beside: Callable[[Tokenizer, Path], Mapping[str, bytes]] = _nothing
    keeps: Callable[[Tokenizer], Tokenizer] = _all_of_it
    file_names: tuple[str, ...] = ()
    peer: str = ""
    load_with_peer: PeerLoader | None = None

    @property
    def is_written(self) -> bool:
        """Whether files of this format are written at all."""
        return self.refusals is not only_read

    @property
    def usual_name(self) -> str:
        """A name for a new file."""
        return self.file_names[0] if self.file_names else f"tokenizer{self.suffixes[0]}"


FORMATS: tuple[Format, ...] = (
    Format(
        "studio", "BPE Studio JSON: everything", (".json",),
        studio.recognises, studio.read, studio.write, studio.lost, studio.refusals, keeps_training=True,
    ),
    Format(
        "character_bpe", "Tutorial JSON (character_bpe): characters and merges", (".json",),
        character_bpe.recognises, character_bpe.read, character_bpe.write, character_bpe.lost,
        character_bpe.refusals,
    ),
    Format(
        "huggingface", "Hugging Face tokenizer.json", (".json",),
        huggingface.recognises, huggingface.read, huggingface_writing.write, huggingface_writing.lost,
        huggingface_writing.refusals, beside=huggingface_config.beside, keeps=huggingface_writing.kept,
        file_names=("tokenizer.json",), peer="tokenizers", load_with_peer=peers.load_with_tokenizers,
    ),
    Format(
        "huggingface_older", "Hugging Face tokenizer.json for tokenizers before 0.20", (".json",),
        huggingface.recognises, huggingface.read, huggingface_writing.write_with_texts,
        huggingface_writing.lost, huggingface_writing.refusals_of_texts, beside=huggingface_config.beside,
        keeps=huggingface_writing.kept, peer="tokenizers", load_with_peer=peers.load_with_tokenizers,
    ),
    Format(
        "gpt2", "GPT-2 vocab.json and merges.txt", (".json",),
        gpt2.recognises, gpt2.read, gpt2.write, gpt2.lost, gpt2.refusals, beside=gpt2.beside,
        keeps=huggingface_writing.by_pairs, file_names=("vocab.json", "encoder.json"), peer="tokenizers",
        load_with_peer=peers.load_pair_with_tokenizers,
    ),
    Format(
        "minbpe", "minbpe model", (".model",),
        minbpe.recognises, minbpe.read, minbpe.write, minbpe.lost, minbpe.refusals, beside=minbpe.beside,
    ),
    Format(
        "sentencepiece", "SentencePiece model", (".model",),
        sentencepiece.recognises, sentencepiece.read, sentencepiece.write, sentencepiece.lost,
        sentencepiece.refusals, keeps=sentencepiece.keeps, file_names=("tokenizer.model",),
        peer="sentencepiece", load_with_peer=peers.load_with_sentencepiece,
    ),
    Format(
        "tekken", "Mistral tekken.json", (".json",), tekken.recognises, tekken.read,
        file_names=("tekken.json",),
    ),
    Format(
        "nanochat", "nanochat's pickled encoding", (".pkl",), pickled_encoding.recognises,
        pickled_encoding.read, file_names=("tokenizer.pkl",),
    ),
    Format("gguf", "GGUF model", (".gguf",), gguf.recognises, gguf.read),
    # Last: it takes any file whose name ends as its own do, and says what is wrong there.
    Format(
        "tiktoken", "tiktoken ranks", (".tiktoken",),
        tiktoken.recognises, tiktoken.read, tiktoken.write, tiktoken.lost, tiktoken.refusals,
        beside=tiktoken.beside, keeps=tiktoken.keeps, peer="tiktoken",
        load_with_peer=peers.load_with_tiktoken,
    ),
)  # fmt: skip


def format_named(name: str) -> Format:
    """Return a format by name, or raise `FormatError` naming those that exist."""
    for record in FORMATS:
        if record.name == name:
            return record
    known = ", ".join(record.name for record in FORMATS)
    raise FormatError(f"There is no format {name!r}; there are: {known}.")


def format_for(path: Path, tokenizer: Tokenizer | None = None) -> Format:
    """Return the first format with the file name's ending that can hold a tokenizer, or else the first.

    Parameters
    ----------
    path : Path
        The file to be; "studio" is for any other ending.
    tokenizer : Tokenizer, optional
        What it is to hold.
    """
    fitting = _formats_for(path)
    if tokenizer is None or len(fitting) < 2:
        return fitting[0]
    return next((record for record in fitting if not record.refusals(tokenizer)), fitting[0])


def _formats_for(path: Path) -> list[Format]:
    name = os.fsdecode(path.name).lower()
    written = [record for record in FORMATS if record.is_written and name.endswith(record.suffixes)]
    return written or [FORMATS[0]]


# ---- reading -----------------------------------------------------------------------------------------------


def load(path: str | Path, *, pattern: str | None = None) -> Tokenizer:
    """Return the tokenizer in a file or folder, whatever format it has, or a pretrained one by name.

    Parameters
    ----------
    path : str or Path
        The file; its content decides, not its name. A folder that has one under a usual name, such as
        tokenizer.json, is fine. Or, as a str, the name of a pretrained vocabulary: "gpt2", "p50k_base",
        "cl100k_base", "o200k_base", which lie in the package; or a name that `found_tokenizers` lists. No
        network is asked. Where a file or folder of that name exists, it wins; a Path always means a file.
    pattern : str, optional
        The split pattern, in place of the file's: some formats hold none.

    Returns
    -------
    Tokenizer
        Checked; a pretrained one is made once in a process.

    Raises
    ------
    FormatError
        Naming the file, the place in it and what is wrong there.

    Warns
    -----
    UserWarning
        About what is read but not done here, and if a published vocabulary has another split pattern than it
        was published with.
    """
    is_name = isinstance(path, str) and not os.path.lexists(path)
    if is_name and path in pretrained_names():
        tokenizer = pretrained(str(path))
    else:
        tokenizer = _loaded(file_in(_found(str(path)) if is_name else Path(path)))
    return tokenizer if pattern is None else replace(tokenizer, pattern=resolve_pattern(pattern))


def _found(name: str) -> Path:
    """Return the file of a name in another program's cache, its hash checked; or the name as a path."""
    order = [record.name for record in FORMATS]
    named = [found for found in found_tokenizers() if found.name == name]
    if not named:
        return Path(name)
    best = min(named, key=lambda found: order.index(found.format))
    check_hash(best)
    return best.path


def _loaded(path: Path) -> Tokenizer:
    content = Content(path, read_bounded(path))
    try:
        record = recognised(content)
        tokenizer = _read(record, content)
    except BpeStudioError as error:
        raise FormatError(f"{path}: {error}") from error
    if not record.keeps_training:
        _warn_of_another_pattern(tokenizer)
    return tokenizer


def _warn_of_another_pattern(tokenizer: Tokenizer) -> None:
    """Warn if a known vocabulary has another pattern: some converters put the wrong one in."""
    published = published_as(tokenizer)
    if published is not None and tokenizer.pattern != published.pattern:
        warnings.warn(
            f"the merges are those of a vocabulary that is published with the split pattern of "
            f"{published.pattern.name}; the file has another, so some texts may have other tokens",
            stacklevel=4,
        )


def _read(record: Format, content: Content) -> Tokenizer:
    """Return the tokenizer of a file, its merges checked now and not on first use."""
    tokenizer = record.read(content)
    if not tokenizer.tokens:
        raise FormatError("it holds no token.")
    return tokenizer


def file_in(path: Path) -> Path:
    """Return the tokenizer file in a folder; any other path is returned as it is.

    It is the first under a name that `FORMATS` knows, or else the only one with an ending that tokenizers
    alone have.

    Raises
    ------
    FormatError
        If a folder has no such file, or several.
    """
    if not path.is_dir():
        return path
    names = [name for record in FORMATS for name in record.file_names]
    for name in names:
        if (path / name).is_file():
            return path / name
    endings = {ending for record in FORMATS for ending in record.suffixes} - {".json", ".txt"}
    try:
        found = [file for file in path.iterdir() if file.suffix in endings and file.is_file()]
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {reason(error)}.") from error
    if len(found) == 1:
        return found[0]
    if found:
        raise FormatError(f"{path}: the folder has several tokenizer files; name the one that is meant.")
    raise FormatError(f"{path}: the folder has no tokenizer file of a known name ({', '.join(names)}).")


def recognised(content: Content) -> Format:
    """Return the format of a file's content.

    Raises
    ------
    FormatError
        If it is none of `FORMATS`.
    """
    if content.is_blank:
        raise FormatError("the file is empty.")
    for record in FORMATS:
        if record.recognises(content):
            return record
    known = " or ".join(record.label for record in FORMATS)
    raise FormatError(f"this is not a tokenizer file that BPE Studio knows ({known}).")


# ---- writing -----------------------------------------------------------------------------------------------


def save(
    tokenizer: Tokenizer, path: str | Path, format: str | None = None, *, sample: str = ""
) -> SaveReport:
    """Write a tokenizer to a file, after reading back and comparing what was written.

    Parameters
    ----------
    tokenizer : Tokenizer
        What to write.
    path : str or Path
        The file. It is replaced whole at the very end, with those that belong beside it; on any failure the
        old ones stay.
    format : str, optional
        Name of a format; default is the first with the file's ending that can hold the tokenizer, and
        "studio" where none has it.
    sample : str
        A text on which the file is checked, beside texts made for that.

    Returns
    -------
    SaveReport
        What was written, what the format does not keep, and whether the program whose format it is, if that
        is installed, finds the same ids.

    Raises
    ------
    FormatError
        If the format cannot hold the tokenizer, or the file cannot be written; naming the path and the
        reason.
    """
    path = Path(path)
    record = format_named(format) if format is not None else format_for(path, tokenizer)
    reasons = record.refusals(tokenizer)
    if reasons:
        raise FormatError(
            f"{path}: the format {record.name} cannot hold this tokenizer: {'; '.join(reasons)}."
        )
    try:
        more = record.beside(tokenizer, path)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error
    files = {path: record.write(tokenizer)} | {path.with_name(name): data for name, data in more.items()}
    checks: list[Check] = []

    def check(written: Mapping[Path, Path]) -> None:
        beside = {name: read_bounded(written[path.with_name(name)]) for name in more}
        checks.extend(_checks(tokenizer, record, Content(path, read_bounded(written[path]), beside), sample))

    write_together(files, check)
    return SaveReport(path, record.name, tuple(files), record.lost(tokenizer), tuple(checks))


def _checks(tokenizer: Tokenizer, record: Format, content: Content, sample: str) -> list[Check]:
    again = _read_back(tokenizer, record, content)
    texts = sample_texts(tokenizer, sample)
    same = again == tokenizer
    # The same fingerprint gives the same ids, which need not be found then.
    ids = [] if same and record.load_with_peer is None else tokenizer.encode_batch(texts, "none")
    differing = 0 if same else n_differences(ids, again.encode_batch(texts, "none"))
    checks = [Check("BPE Studio", sum(len(text.encode()) for text in texts), differing)]
    if record.load_with_peer is not None:
        found = check_by(record.peer, record.load_with_peer, content, tokenizer, texts, ids)
        checks += [] if found is None else [found]
    return checks


def _read_back(tokenizer: Tokenizer, record: Format, content: Content) -> Tokenizer:
    """Return the tokenizer of a written file, or raise `FormatError` if it is another one."""
    path = content.path
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = _read(record, content)
    except BpeStudioError as error:
        raise FormatError(f"{path}: not written, because it could not be read back: {error}") from error
    same = again == record.keeps(tokenizer)
    if not same or record.keeps_training and not same_training(tokenizer.training, again.training):
        raise FormatError(f"{path}: not written, because what was read back differs.")
    return again
