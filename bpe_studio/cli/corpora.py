"""Corpora of the commands that count and encode whole documents: files, folders, standard input."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.cli.progress import Watch
from bpe_studio.cli.streams import STANDARD_INPUT, input_bytes

if TYPE_CHECKING:
    from bpe_studio.engine.corpus import Corpus


def read_corpus(names: Sequence[str], errors: str, lines: bool, watch: Watch) -> Corpus:
    """Return the documents in files and folders, and say what was left out or changed.

    Parameters
    ----------
    names : sequence of str
        Files and folders; "-" is standard input.
    errors : str
        What to do about bytes that are not text, see `Corpus.from_source`.
    lines : bool
        Whether every line is a document.
    watch : Watch
        Told of the bytes that are read.
    """
    from bpe_studio.engine.corpus import Corpus

    sources = [input_bytes(name) if name == STANDARD_INPUT else Path(name) for name in names]
    corpus = Corpus.from_source(sources, errors=errors, lines=lines, progress=watch)
    for sentence in corpus.skipped:
        watch.tell(f"note: left out: {sentence}")
    for document in corpus.documents:
        for sentence in document.problems:
            watch.tell(f"note: {document.name}: {sentence}")
    return corpus
