"""The three ways a kernel is compiled."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from numba import config, njit
from numba.core.caching import FunctionCache

# nogil: a kernel that holds the lock freezes the window.
# _nrt=False leaves out reference counting: kernels allocate nothing and only borrow the caller's arrays,
# and counting references to some 25 arrays at every inner call cost five times the work itself.
compiled = partial(njit, nogil=True, _nrt=False)

KERNELS: list[Any] = []
"""All that is decorated with `kernel`."""


class KernelCache(FunctionCache):
    """Numba's file of one kernel; a full disk, a damaged or a deleted file is no reason to stop."""

    @contextmanager
    def _guard_against_spurious_io_errors(self):
        try:
            yield
        except Exception:  # unpickling what is damaged raises nearly anything
            with suppress(OSError):
                self.flush()  # else it could not be saved either


def kernel(function):
    """Compile what is called from Python. Only that is kept on the disk: the parts it calls go with it."""
    made = compiled(function)
    KERNELS.append(made)
    if config.CACHE_DIR:
        with suppress(RuntimeError):  # the folder has been deleted meanwhile
            made._cache = KernelCache(function)
    return made


# Called from kernels only, so the doors for Python and C are left out: half the time of compiling.
part = compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)

# Small parts that run once a pair or a symbol. Calling them would copy the description of every array
# they are given; inlined, the merge loop takes half the time (0.06 instead of 0.11 s on 10 MB of English).
inlined = compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
