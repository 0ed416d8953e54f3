"""Compiling all kernels at once: by one small piece of work for each of their users."""

from __future__ import annotations

from types import SimpleNamespace

from bpe_studio.engine import fast_counting, fast_encoding, kernels, merging, replay, word_counting
from bpe_studio.engine.garbage import no_garbage_collection

USERS = (merging, replay, fast_counting, word_counting, fast_encoding)


def prepare() -> SimpleNamespace:
    """Compile every kernel, unless that has been done, and return the kernel modules.

    Returns
    -------
    namespace
        What `kernels.load` returns.
    """
    loaded = kernels.load()
    if not kernels.is_sealed():
        with no_garbage_collection():
            warm_up(loaded)
        kernels.seal()
    return loaded


def warm_up(loaded: SimpleNamespace) -> None:
    """Call every kernel once: it is compiled, or taken from the disk, and then lies in memory."""
    for user in USERS:
        user.warm_up(loaded)
