"""Texts to measure with: made from what any machine has, or given as paths."""

from __future__ import annotations

import ast
import json
import random
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

MB = 1_000_000
DOCUMENT_BYTES = 1 << 16
SAFE = re.compile(rb"[A-Za-z](?= [A-Za-z])")
"""A place where no pre-token of any tool's pattern crosses: before the blank between two letters."""

QUICK_BYTES = 1 * MB


@dataclass(frozen=True)
class Corpus:
    """A text file, and where it is cut into documents of about 64 KB.

    Parameters
    ----------
    name : str
        What records call it.
    path : Path
        UTF-8.
    ends : Path
        JSON list: where each document ends, in bytes.
    is_made : bool
        Made here, not given.
    """

    name: str
    path: Path
    ends: Path
    is_made: bool


def source_files(folder: str) -> list[Path]:
    """Return Python's files below one of `sysconfig`'s folders, in an order that is always the same."""
    files = sorted(Path(sysconfig.get_path(folder)).rglob("*.py"))
    return [path for path in files if folder == "purelib" or "site-packages" not in path.parts]


def read_texts(files: list[Path]) -> Iterator[str]:
    """Contents of files, line ends made ``\\n``; files that are not UTF-8 are left out."""
    for path in files:
        try:
            yield path.read_text("utf-8").replace("\0", "")
        except (UnicodeDecodeError, OSError):
            continue


def code() -> Iterator[str]:
    """Sources of the standard library, then of what is installed."""
    yield from read_texts(source_files("stdlib"))
    yield from read_texts(source_files("purelib"))


def prose() -> Iterator[str]:
    """Documentation: the topics of `help`, then docstrings; code fills up what they leave."""
    from pydoc_data.topics import topics

    yield from topics.values()
    documented = (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef, ast.Module)
    for text in read_texts([*source_files("stdlib"), *source_files("purelib")]):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        nodes = (node for node in ast.walk(tree) if isinstance(node, documented))
        yield "\n\n".join(filter(None, map(ast.get_docstring, nodes))) + "\n"
    yield from code()


SCRIPTS = ((0x430, 32), (0x3B1, 25), (0x627, 28), (0xAC00, 2_000), (0x4E00, 3_000), (0x61, 26), (0xE0, 22))
"""First letter and number of letters: Cyrillic, Greek, Arabic, Hangul, Han, Latin, accents."""


def languages() -> Iterator[str]:
    """Made-up words in many scripts, frequent ones and rare ones as in a language."""
    rng = random.Random(1)
    letters = [[chr(first + i) for i in range(n)] for first, n in SCRIPTS]
    vocabulary = [["".join(rng.choices(few, k=rng.randint(1, 9))) for _ in range(20_000)] for few in letters]
    weights = [1 / (rank + 3) for rank in range(20_000)]
    while True:
        yield " ".join(rng.choices(rng.choice(vocabulary), weights, k=rng.randint(5, 200))) + ".\n"


def one_letter() -> Iterator[str]:
    """One word without end."""
    while True:
        yield "a" * 10_000


def newlines() -> Iterator[str]:
    """One blank stretch without end."""
    while True:
        yield "\n" * 10_000


def no_blanks() -> Iterator[str]:
    """The letters of documentation, nothing between them."""
    for text in prose():
        yield re.sub(r"[^A-Za-z]+", "", text)


def distinct_words() -> Iterator[str]:
    """Words of five letters, none twice."""
    for index in count():
        number, word = index * 7_368_787 % 26**5, ""
        for _ in range(5):
            number, letter = divmod(number, 26)
            word += chr(97 + letter)
        yield word + " "


RECIPES = {
    "en": prose, "code": code, "multi": languages, "one_letter": one_letter, "newlines": newlines,
    "no_blanks": no_blanks, "distinct_words": distinct_words,
}  # fmt: skip
"""How a corpus is made; its name is a recipe and a size, as in ``en_10mb``."""


def n_bytes_of(name: str) -> int:
    """Return the size that a corpus' name says, in bytes."""
    return int(name.rsplit("_", 1)[1].removesuffix("mb")) * MB


def make_text(name: str, n_bytes: int) -> bytes:
    """Return the text of a recipe, so many bytes of it, or as many as this machine has."""
    parts, n = [], 0
    for text in RECIPES[name.rsplit("_", 1)[0]]():
        parts.append(text.encode("utf-8", "replace"))
        n += len(parts[-1])
        if n >= n_bytes:
            break
    return cut(b"".join(parts), n_bytes)


def cut(text: bytes, n_bytes: int) -> bytes:
    """Return the beginning of a text, whole characters."""
    return text[:n_bytes].decode("utf-8", "ignore").encode()


def document_ends(text: bytes, n_bytes: int = DOCUMENT_BYTES) -> list[int]:
    """Return where documents of about `n_bytes` end; a text without a safe place is one document."""
    ends = [0]
    while found := SAFE.search(text, ends[-1] + n_bytes):
        ends.append(found.end())
    return [*ends[1:], len(text)]


def prepare(name: str, given: dict[str, Path], folder: Path, *, quick: bool = False) -> Corpus:
    """Return a corpus by name: the given file, or a made one; cut into documents, and in the page cache.

    Parameters
    ----------
    name : str
        Recipe and size, such as ``en_10mb``, or a key of `given`.
    given : dict of str to Path
        The user's own.
    folder : Path
        For what is made; it is taken again next time.
    quick : bool
        Take a tenth of it, one MB at most.

    Raises
    ------
    FileNotFoundError, KeyError
        If a given file does not exist, or no recipe has that name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = given.get(name, folder / f"{name}.txt")
    if name not in given and not path.exists():
        path.write_bytes(make_text(name, n_bytes_of(name)))
    text = path.read_bytes()
    if quick:
        text = cut(text, min(len(text) // 10, QUICK_BYTES))
        path = folder / f"{name}.quick.txt"
        path.write_bytes(text)
    ends = folder / f"{name}{'.quick' * quick}.ends.json"
    ends.write_text(json.dumps(document_ends(text)), "utf-8")
    return Corpus(name, path, ends, name not in given)
