"""Texts that commands encode: read as they come, with progress, special tokens in them counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.cli.arguments import error_in
from bpe_studio.cli.progress import PREPARING, Watch
from bpe_studio.cli.streams import input_chunks, input_size, tell
from bpe_studio.engine.errors import BpeStudioError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.tokenizer import Tokenizer


MANY_BYTES = 20_000_000
"""From about this size compiling the kernels pays, where that has not been done."""


@dataclass
class FileEncoder:
    """Encodes files for a command.

    Parameters
    ----------
    tokenizer : Tokenizer
        What encodes.
    allowed : str or frozenset of str
        What special tokens in a text are, see `Tokenizer.encode`.
    watch : Watch
        Told of the bytes that are encoded.
    """

    tokenizer: Tokenizer
    allowed: str | frozenset[str]
    watch: Watch
    n_specials: int = 0
    """Special tokens met that were read as plain text."""

    def parts(self, name: str) -> Iterator[tuple[bytes, NDArray[np.uint32]]]:
        """Yield a text's parts with their ids, as `encode_parts` does; errors name the file."""
        from bpe_studio.engine.long_texts import encode_parts, n_specials

        total, done = input_size(name), 0
        prepare_for(self.tokenizer, total or 0, self.watch)
        self.watch("encoding", 0, total)
        try:
            for utf8, ids in encode_parts(self.tokenizer, input_chunks(name), self.allowed):
                done += len(utf8)
                if self.allowed == "none":
                    self.n_specials += n_specials(self.tokenizer, utf8)
                self.watch("encoding", done, total)
                yield utf8, ids
        except BpeStudioError as error:
            raise error_in(name, error) from error

    def tell_specials(self) -> None:
        """Say how many special tokens were read as plain text, if any."""
        tell_specials(self.n_specials)


def prepare_for(tokenizer: Tokenizer, n_bytes: int, watch: Watch) -> None:
    """Compile the kernels if that is still to be done, and pays for a text of so many bytes."""
    from bpe_studio.engine import kernels
    from bpe_studio.engine.compiling import prepare
    from bpe_studio.engine.fast_counting import KINDS

    has_kernels = tokenizer.alphabet.kind == "bytes" and tokenizer.pattern.name in KINDS
    if has_kernels and n_bytes >= MANY_BYTES and kernels.status() == "cold":
        watch.tell(PREPARING)
        prepare()


def tell_specials(n_met: int) -> None:
    """Say how many special tokens were read as plain text, if any."""
    if n_met:
        are = "special token in the text was" if n_met == 1 else "special tokens in the text were"
        tell(f"note: {n_met:,} {are} read as plain text (--allowed-special all reads them as tokens)")
