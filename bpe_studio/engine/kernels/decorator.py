"""The one way a kernel is compiled."""

from __future__ import annotations

from numba import njit

# nogil: a kernel that holds the lock freezes the window. cache: compiled once, then loaded.
# _nrt=False leaves out reference counting: kernels allocate nothing and only borrow the caller's arrays,
# and counting references to some 25 arrays at every inner call cost five times the work itself.
kernel = njit(cache=True, nogil=True, _nrt=False)
