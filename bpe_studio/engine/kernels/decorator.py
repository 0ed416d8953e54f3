"""The three ways a kernel is compiled."""

from __future__ import annotations

from functools import partial

from numba import njit

# nogil: a kernel that holds the lock freezes the window.
# _nrt=False leaves out reference counting: kernels allocate nothing and only borrow the caller's arrays,
# and counting references to some 25 arrays at every inner call cost five times the work itself.
compiled = partial(njit, nogil=True, _nrt=False)

# Called from Python. Only these are kept on the disk: the parts that they call go with them.
kernel = compiled(cache=True)

# Called from kernels only, so the doors for Python and C are left out: half the time of compiling.
part = compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)

# Small parts that run once a pair or a symbol. Calling them would copy the description of every array
# they are given; inlined, the merge loop takes half the time (0.06 instead of 0.11 s on 10 MB of English).
inlined = compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
