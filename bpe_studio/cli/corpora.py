"""Corpora of the commands that count and encode documents: files, folders, standard input."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.cli.progress import Watch
from bpe_studio.cli.streams import PROGRAM, STANDARD_INPUT, input_chunks, input_name
from bpe_studio.engine.errors import BpeStudioError

if TYPE_CHECKING:
    from bpe_studio.engine.items import Item
    from bpe_studio.engine.patterns import SplitPattern
    from bpe_studio.engine.words import WordTable


@contextmanager
def listed(names: Sequence[str]) -> Iterator[list[Item]]:
    """List the documents in files and folders, to be read in a stream.

    Standard input is kept in a file meanwhile: it may be larger than memory, and is read more than once.
    """
    from bpe_studio.engine.items import items_of

    with tempfile.TemporaryDirectory(prefix=PROGRAM) as folder:
        kept = Path(folder, input_name(STANDARD_INPUT))
        if STANDARD_INPUT in names:
            try:
                with kept.open("wb") as file:
                    file.writelines(input_chunks(STANDARD_INPUT))
            except OSError as error:
                message = f"{kept.name}: cannot be kept in {folder}: {error.strerror}."
                raise BpeStudioError(message) from error
        yield list(items_of([kept if name == STANDARD_INPUT else Path(name) for name in names]))


def counted(
    items: list[Item],
    watch: Watch,
    *,
    pattern: str | SplitPattern,
    special_tokens: tuple[str, ...],
    errors: str,
    lines: bool,
) -> WordTable:
    """Count the words of documents, and say what was left out or changed."""
    from bpe_studio.engine.words import count_source

    words, notes = count_source(
        items, pattern=pattern, special_tokens=special_tokens, errors=errors, lines=lines, progress=watch
    )
    for note in notes:
        watch.tell(f"note: {note}")
    return words
