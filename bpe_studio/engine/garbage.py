"""Python's search for garbage, left out where there is none to be found."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Make many objects that all stay without looking for garbage among them, then or soon after.

    Looking through 90,000 lists takes as long as making them, and it would be done again and again; it is a
    tenth of the time of compiling.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # Both together put all there is among the old objects, where the lists would end anyhow.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
