"""Starts the window, or says in one line why there can be none.

Qt aborts the process when it finds no display or lacks a library. So both are looked for before any
part of Qt is created, and the answer names what to install and the command that works without a window.
"""

from __future__ import annotations

import sys

from bpe_studio.gui.display import missing_for_a_window

EXIT_NO_WINDOW = 1


def main(paths: list[str] | None = None) -> int:
    """Open the window.

    Parameters
    ----------
    paths : list of str, optional
        Files to open: tokenizers or texts.

    Returns
    -------
    int
        Exit code: 0 when the window was closed, 1 if there can be no window.
    """
    problem = missing_for_a_window()
    if problem:
        print(problem, file=sys.stderr)
        return EXIT_NO_WINDOW
    from bpe_studio.gui.start import run_window

    return run_window(paths or [])
