"""Compiled loops, arrays in, arrays out. Imported only through `load`, never at import of the package.

The compiled code is kept in the user's cache folder, in a folder named by a hash of everything it
depends on, so that a change of numba, processor or kernel source never meets stale code.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import platformdirs

MODULES = (
    "state",
    "fields",
    "pairs",
    "comparing",
    "queueing",
    "merging",
    "replaying",
    "encoding",
    "intrinsics",
    "scanning",
    "blocks",
    "splitting",
    "keys",
    "counting",
    "known_words",
    "texts",
    "vocabularies",
    "utf8",
)
MARKER = "complete"

is_own_process = False
"""Whether nobody but the program uses numba in this process. Then it need not import extensions that other
packages have registered with it, which takes as long as numba itself and is of no use to the kernels."""

_lock = threading.Lock()
_loaded: SimpleNamespace | None = None
_folder: Path | None = None


@cache
def cache_folder() -> Path:
    """Return the folder of the compiled code for these sources, versions and this processor."""
    parts = [platform.python_version(), sys.implementation.cache_tag or "", platform.machine(), _processor()]
    parts += [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    parts += [f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith("NUMBA_")]
    parts.append(__path__[0])  # numba looks for compiled code under the path of its source
    parts += [source.read_text("utf-8") for source in sorted(Path(__path__[0]).glob("*.py"))]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("bpe-studio")) / "kernels" / digest


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


def status() -> str:
    """Return ``"loaded"``, ``"cached"`` (loads in a fraction of a second) or ``"cold"`` (must compile)."""
    if _loaded is not None:
        return "loaded"
    return "cached" if (cache_folder() / MARKER).exists() else "cold"


def load() -> SimpleNamespace:
    """Return the kernel modules by name; safe from any thread.

    Notes
    -----
    Each kernel is compiled, or loaded from the cache, when it is first called; `compiling.prepare` does so
    with all of them. A damaged cache is deleted; a folder that cannot be written is replaced by a temporary
    one.
    """
    global _loaded, _folder
    with _lock:
        if _loaded is None:
            folder = _writable(cache_folder())
            if (folder / MARKER).exists() and _read_seal(folder) != _seal_of(folder):
                shutil.rmtree(folder, ignore_errors=True)
                folder = _writable(folder)
            _loaded, _folder = _import_kernels(folder), folder
        return _loaded


def is_sealed() -> bool:
    """Return whether all kernels lie compiled in the folder that was loaded."""
    return _folder is not None and (_folder / MARKER).exists()


def seal() -> None:
    """Note that all kernels are compiled, with a hash that tells damage before numba meets it."""
    assert _folder is not None, "kernels are loaded before they are sealed"
    (_folder / MARKER).write_text(_seal_of(_folder), "utf-8")


def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="bpe-studio-kernels-"))


def _import_kernels(folder: Path) -> SimpleNamespace:
    from numba import config
    from numba.core import entrypoints

    if is_own_process:
        entrypoints._already_initialized = True
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)  # read when a function is decorated
    try:
        modules = {name: importlib.import_module(f"{__name__}.{name}") for name in MODULES}
    finally:
        config.CACHE_DIR = before
    return SimpleNamespace(**modules)


def _seal_of(folder: Path) -> str:
    """Return a hash of all compiled code in a folder: what is damaged has another."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.nb[ci]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _read_seal(folder: Path) -> str:
    try:
        return (folder / MARKER).read_text("utf-8")
    except (OSError, ValueError):
        return ""
