"""Tokenizers that other programs keep on this computer: found where they lie, and never changed.

tiktoken keeps files under the sha1 of the address that they came from; Hugging Face's hub keeps them by model
and revision, each a link to a file that is named by its hash. No network is asked and none of these programs
is imported.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.writing import reason


@dataclass(frozen=True, slots=True)
class Found:
    """A file that holds a tokenizer.

    Parameters
    ----------
    name : str
        What people call it, such as "cl100k_base" or "mistralai/Mistral-7B-v0.1".
    path : Path
        The file; `bpe_studio.load` takes it.
    format : str
        Name of its format, as its own name tells it.
    hash : str
        What its content must have, in hex: a sha256 (64 digits), or the sha1 that git gives to it (40
        digits); empty if that is not known.
    """

    name: str
    path: Path
    format: str
    hash: str = ""


#: Files of tiktoken's cache: name in the cache → (name, format, sha256).
TIKTOKEN_FILES = {
    "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4": (
        "r50k_base", "tiktoken", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    ),
    "ec7223a39ce59f226a68acc30dc1af2788490e15": (
        "p50k_base", "tiktoken", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    ),
    "9b5ad71b2ce5302211f9c61530b329a4922fc6a4": (
        "cl100k_base", "tiktoken", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "fb374d419588a4632f3f557e76b4b70aebbca790": (
        "o200k_base", "tiktoken", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}  # fmt: skip

#: Files in a model's folder, the one that says most first, and their formats.
HUB_FILES = (
    (re.compile(r"tokenizer\.json"), "huggingface"),
    (re.compile(r"tekken\.json"), "tekken"),
    (re.compile(r"tokenizer\.model(?:\.v\d+)?|(?:spm|spiece|sentencepiece\.bpe)\.model"), "sentencepiece"),
    (re.compile(r"tokenizer\.pkl"), "nanochat"),
    (re.compile(r"[^/]+\.tiktoken"), "tiktoken"),
    (re.compile(r"merges\.txt"), "gpt2"),
    (re.compile(r"[^/]+\.gguf"), "gguf"),
)

#: A cache is somebody else's: of a folder with more entries than this, only so many are looked at.
MAX_ENTRIES = 10_000

MODEL_FOLDER = re.compile(r"models--(.+)")
HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def found_tokenizers(environment: Mapping[str, str] | None = None) -> list[Found]:
    """Return the tokenizers in the caches of tiktoken and of Hugging Face's hub, by name.

    Parameters
    ----------
    environment : mapping of str to str, optional
        What says where the caches are; default is that of the process.

    Returns
    -------
    list of Found
        Their content is not read: `check_hash` and `bpe_studio.load` do that.
    """
    environment = os.environ if environment is None else environment
    both = [*_in_tiktoken_cache(environment), *_in_hub_cache(environment)]
    return sorted(both, key=lambda found: (found.name.lower(), found.format, str(found.path)))


def check_hash(found: Found) -> None:
    """Read a file and compare its hash, if that is known.

    Raises
    ------
    FormatError
        If the file cannot be read, or is not what it was.
    """
    if not found.hash:
        return
    is_git = len(found.hash) == 40
    digest = hashlib.sha1(usedforsecurity=False) if is_git else hashlib.sha256()
    try:
        with open(found.path, "rb") as file:
            if is_git:
                digest.update(b"blob %d\0" % os.fstat(file.fileno()).st_size)
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise FormatError(f"{found.path}: cannot be read: {reason(error)}.") from error
    if digest.hexdigest() != found.hash:
        raise FormatError(f"{found.path}: it is not what it was: its hash should be {found.hash}.")


def tiktoken_cache(environment: Mapping[str, str]) -> Path | None:
    """Return the folder that tiktoken keeps its files in; None if it is told to keep none."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in environment:
            return Path(environment[variable]) if environment[variable] else None
    return Path(tempfile.gettempdir(), "data-gym-cache")


def hub_cache(environment: Mapping[str, str]) -> Path:
    """Return the folder that Hugging Face's hub keeps its files in."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if environment.get(variable):
            return Path(environment[variable]).expanduser()
    home = environment.get("HF_HOME") or Path(environment.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(home, "hub").expanduser()


def _in_tiktoken_cache(environment: Mapping[str, str]) -> Iterator[Found]:
    folder = tiktoken_cache(environment)
    for file, (name, format_, sha256) in TIKTOKEN_FILES.items():
        if folder is not None and _is_file(path := folder / file):
            yield Found(name, path, format_, sha256)


def _in_hub_cache(environment: Mapping[str, str]) -> Iterator[Found]:
    for folder in _entries(hub_cache(environment)):
        if model := MODEL_FOLDER.fullmatch(folder.name):
            name = model[1].replace("--", "/")
            for revision in _entries(folder / "snapshots"):
                yield from _in_revision(name, revision)


def _in_revision(name: str, folder: Path) -> Iterator[Found]:
    """Yield the files of one revision of a model."""
    for path in _entries(folder):
        for pattern, format_ in HUB_FILES:
            if pattern.fullmatch(path.name) and _is_file(path):
                # A copy instead of a link, as some systems have them, has no hash in its name.
                blob = path.resolve().name
                yield Found(name, path, format_, blob if HASH.fullmatch(blob) else "")
                break


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted; nothing if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry) for entry, _ in zip(entries, range(MAX_ENTRIES), strict=False))
    except (OSError, ValueError):
        return []


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
