"""Compiled loops, arrays in, arrays out. Imported only through `load`, never at import of the package.

The compiled code is kept in the user's cache folder, in a folder named by a hash of everything it
depends on, so that a change of numba, processor or kernel source never meets stale code.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
import threading
from contextlib import suppress
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
    """Return the folder of the compiled code for these sources, versions and this processor.

    Nothing can be written there if the user has no folder for such things.
    """
    parts = [platform.python_version(), sys.implementation.cache_tag or "", platform.machine(), _processor()]
    parts += [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    parts += [f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith("NUMBA_")]
    parts.append(__path__[0])  # numba looks for compiled code under the path of its source
    parts += [source.read_text("utf-8") for source in sorted(Path(__path__[0]).glob("*.py"))]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    try:
        folder = Path(platformdirs.user_cache_dir("bpe-studio"))
    except RuntimeError:
        folder = Path()
    # Somebody without a home must not find it in the folder where the program was started.
    return (folder if folder.is_absolute() else Path(os.devnull)) / "kernels" / digest


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
    return "cached" if _has_seal(cache_folder()) else "cold"


def load() -> SimpleNamespace:
    """Return the kernel modules by name; safe from any thread.

    Notes
    -----
    Each kernel is compiled, or loaded from the cache, when it is first called; `compiling.prepare` does so
    with all of them. A damaged cache is deleted; one that can only be read is copied; where nothing can be
    kept, code lives as long as the process.
    """
    global _loaded, _folder
    with _lock:
        if _loaded is None:
            folder = _usable(cache_folder())
            _loaded, _folder = _import_kernels(folder), folder
        return _loaded


def is_sealed() -> bool:
    """Return whether all kernels lie compiled in the folder that was loaded."""
    return _folder is not None and _has_seal(_folder)


def seal() -> None:
    """Note that all kernels are compiled, with a hash that tells damage before numba meets it.

    Not if some are missing: the disk is full, or somebody has deleted the folder meanwhile.
    """
    from bpe_studio.engine.kernels.decorator import KERNELS

    if _folder is None:
        return
    with suppress(OSError):
        if len(_compiled_files(_folder)) >= 2 * len(KERNELS):
            # Whoever reads it sees all of it or nothing.
            written = _folder / f"{MARKER}-{os.getpid()}"
            written.write_text(_seal_of(_folder), "utf-8")
            written.replace(_folder / MARKER)


def _usable(folder: Path) -> Path | None:
    """Return the folder where compiled code is and goes; None if there is none."""
    is_sound = _is_sound(folder)
    if _is_writable(folder):
        if is_sound or not _has_seal(folder):
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        return folder if _is_writable(folder) else None
    if not is_sound:
        return None
    with suppress(OSError):
        copy = tempfile.mkdtemp(prefix="bpe-studio-kernels-")
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        return Path(shutil.copytree(folder, copy, dirs_exist_ok=True))
    return None


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _import_kernels(folder: Path | None) -> SimpleNamespace:
    from numba import config
    from numba.core import entrypoints
    from numba.core.registry import cpu_target

    if is_own_process:
        entrypoints._already_initialized = True
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")  # read when a function is decorated
    try:
        modules = {name: importlib.import_module(f"{__name__}.{name}") for name in MODULES}
    finally:
        config.CACHE_DIR = before
    # Else numba would do it when a kernel is first called; two threads that do so disturb one another.
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    return SimpleNamespace(**modules)


def _compiled_files(folder: Path) -> list[Path]:
    """Return the files of compiled code, two for each kernel."""
    return sorted(folder.rglob("*.nb[ci]"))


def _seal_of(folder: Path) -> str:
    """Return a hash of all compiled code in a folder: what is damaged has another."""
    digest = hashlib.sha256()
    for path in _compiled_files(folder):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _has_seal(folder: Path) -> bool:
    return os.path.exists(folder / MARKER)  # which, unlike a Path, takes a forbidden folder for an empty one


def _is_sound(folder: Path) -> bool:
    """Return whether all kernels lie in a folder as they were when it was sealed."""
    try:
        return (folder / MARKER).read_text("utf-8") == _seal_of(folder)
    except (OSError, ValueError):
        return False
