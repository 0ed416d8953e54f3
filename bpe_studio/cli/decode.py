"""Decode token ids: the text's bytes, just as they were.

From numbers as encode writes them, or from a file of ids.

    bpe-studio decode -t my.json ids.npy -o text.txt
    echo 1169 3797 | bpe-studio decode -t gpt2
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.cli.arguments import add_file, add_tokenizer, error_in, file_name, loaded
from bpe_studio.cli.id_options import add_dtype, dtype_of, id_format_of
from bpe_studio.cli.outputs import check_output
from bpe_studio.cli.progress import INTERRUPTED, Watch
from bpe_studio.cli.streams import CHUNK_BYTES, input_chunks, opened, output_is_terminal, tell, write_bytes
from bpe_studio.engine.errors import BpeStudioError

if TYPE_CHECKING:
    from bpe_studio.dataset.id_files import IdFormat
    from bpe_studio.engine.tokenizer import Tokenizer

_SEPARATORS = (b" ", b",", b"\n", b"\r", b"\t", b"\v", b"\f")
_LONGEST_END = 1 << 16
"""What is left of a chunk after its last separator is one number; nothing longer is kept for the next."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_tokenizer(parser)
    add_file(parser, "ids in a .npy, .bin or .pt file, or with blanks, commas or line ends between them, "
             "or a JSON list")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="OUT", type=file_name, help="write a file")
    add_dtype(parser)


def run(arguments: argparse.Namespace) -> int:
    """Decode, and write the bytes as they come."""
    from bpe_studio.engine.writing import atomic_file

    if arguments.output is not None:
        check_output(arguments.output, [arguments.file])
    record = id_format_of(arguments.file)
    tokenizer = loaded(arguments)
    dtype = dtype_of(arguments, record, tokenizer)
    n_written = 0
    try:
        with Watch(shown=bool(arguments.output) or not output_is_terminal(), keeps=False) as watch:
            decoded = _decoded(tokenizer, arguments.file, record, dtype, watch)
            if arguments.output is None:
                for data in decoded:
                    write_bytes(data)
                    n_written += 1
            else:
                with atomic_file(Path(arguments.output)) as file:
                    file.writelines(decoded)
    except KeyboardInterrupt:
        if not n_written:
            raise
        tell("stopped; what was decoded so far was written")
        return INTERRUPTED
    return 0


def _decoded(
    tokenizer: Tokenizer, name: str, record: IdFormat | None, dtype: str, watch: Watch
) -> Iterator[bytes]:
    stream, n_ids = tokenizer.stream_decoder(), 0
    for ids in _blocks(name, record, dtype):
        try:
            # What a normalizer put in is taken out of the text; else every byte is what it was.
            data = stream.feed(ids).encode() if tokenizer.normalizer else tokenizer.decode_bytes(ids)
        except BpeStudioError as error:
            raise error_in(name, error) from error
        n_ids += len(ids)
        watch("decoding", n_ids, None)
        yield data
    yield stream.finish().encode()


def _blocks(name: str, record: IdFormat | None, dtype: str) -> Iterator[Any]:
    """Yield a file's ids, block after block; errors name the file."""
    if record is None:
        chunks = input_chunks(name)
        try:
            yield from id_blocks(chunks)
        except BpeStudioError as error:
            raise error_in(name, error) from error
        return
    with opened(name) as file:
        try:
            for block in record.read(file, dtype):
                yield block.tolist()
        except BpeStudioError as error:
            raise error_in(name, error) from error


def token_ids(data: bytes) -> list[int]:
    r"""Return the ids of a text of numbers; see `id_blocks`.

    Examples
    --------
    >>> token_ids(b"[1, 2]\n"), token_ids(b"1 2\n3"), token_ids(b"")
    ([1, 2], [1, 2, 3], [])
    """
    return [token for block in id_blocks([data]) for token in block]


def id_blocks(chunks: Iterable[bytes]) -> Iterator[list[int]]:
    """Yield the ids of a text of numbers, block after block.

    Parameters
    ----------
    chunks : iterable of bytes
        Numbers in digits with blanks, commas or line ends between them, in brackets or not; cut anywhere.

    Raises
    ------
    BpeStudioError
        Naming the first thing that is no id, and where it is.
    """
    n_ids, is_list, held = 0, False, b""
    started = False
    for chunk in chunks:
        held += chunk
        if not started:
            held = held.removeprefix(b"\xef\xbb\xbf").lstrip()
            started, is_list = bool(held), held.startswith(b"[")
            held = held[is_list:]
        if len(held) <= CHUNK_BYTES:
            continue
        # The last number may go on in the next chunk, and what ends a list is looked at in the end.
        end = held.find(b"]") if b"]" in held else len(held)
        cut = 1 + max(held.rfind(separator, 0, end) for separator in _SEPARATORS)
        ids, held = _numbers(held[:cut], n_ids), held[cut:].rstrip()
        n_ids += len(ids)
        yield ids
        if len(held) > _LONGEST_END:
            _numbers(held, n_ids)
    rest = held.strip()
    if is_list and not rest.endswith(b"]"):
        raise BpeStudioError("the list has no ] at its end.")
    yield _numbers(rest[:-1] if is_list else rest, n_ids)


def _numbers(text: bytes, n_before: int) -> list[int]:
    words = text.replace(b",", b" ").split()
    for number, word in enumerate(words, n_before + 1):
        if not (word.isdigit() and len(word) <= 19):
            raise BpeStudioError(f"item {number:,} is no token id: {word[:40].decode('utf-8', 'replace')!r}.")
    return list(map(int, words))
