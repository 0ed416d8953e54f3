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
    "pairs",
    "comparing",
    "queueing",
    "merging",
    "replaying",
    "encoding",
    "splitting",
    "counting",
    "texts",
)
MARKER = "complete"
_lock = threading.Lock()
_loaded: SimpleNamespace | None = None


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
    """Return the kernel modules by name, compiled or loaded from the cache; safe from any thread.

    Notes
    -----
    A damaged cache is deleted and compiled once more; a folder that cannot be written is replaced by
    a temporary one. What is whole is told by a hash, since numba reads it later, function by function.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            folder = _writable(cache_folder())
            try:
                _loaded = _import_kernels(folder)
            except Exception:
                shutil.rmtree(folder, ignore_errors=True)
                for name in MODULES:
                    sys.modules.pop(f"{__name__}.{name}", None)
                _loaded = _import_kernels(_writable(folder))
        return _loaded


def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="bpe-studio-kernels-"))


def _import_kernels(folder: Path) -> SimpleNamespace:
    from numba import config

    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)  # read when a function is decorated
    try:
        modules = {name: importlib.import_module(f"{__name__}.{name}") for name in MODULES}
    finally:
        config.CACHE_DIR = before
    kernels = SimpleNamespace(**modules)
    # Whole code is loaded by numba function by function, when each is first called.
    if _seal_of(folder) != _read_seal(folder):
        warm_up(kernels)
        (folder / MARKER).write_text(_seal_of(folder), "utf-8")
    return kernels


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


def warm_up(kernels: SimpleNamespace) -> None:
    """Compile or load every kernel by working on one word of two letters."""
    from bpe_studio.engine import encoding, fast_counting, fast_encoding, merging, replay

    for user in (merging, replay, encoding, fast_counting, fast_encoding):
        user.warm_up(kernels)
