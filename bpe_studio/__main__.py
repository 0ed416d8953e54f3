"""``bpe-studio`` and ``python -m bpe_studio``: the window, alone or with files; a command: the terminal."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

STOPPED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default is the command line.

    Returns
    -------
    int
        Exit code: 0 done, 1 the work failed, 2 wrong usage, 130 stopped.
    """
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        # Window and commands have their own ways to stop; this is before they are there.
        return STOPPED


def _run(arguments: Sequence[str]) -> int:
    if not arguments or are_files(arguments):
        # Only here: the command line must work where Qt cannot even be imported.
        from bpe_studio.gui.app import main as open_window

        return open_window(list(arguments))
    from bpe_studio.cli import main as run_command
    from bpe_studio.engine import kernels

    kernels.is_own_process = True
    # What a command makes it keeps to its end. Looking through all of it for garbage, again and again while
    # it grows, took a sixth of the time of training and writing.
    gc.set_threshold(100_000)
    return run_command(arguments)


def are_files(arguments: Sequence[str]) -> bool:
    """Say whether these are files or folders to open, as a file manager gives them, and no command."""
    from bpe_studio.cli.program import COMMANDS

    return arguments[0] not in COMMANDS and all(Path(argument).exists() for argument in arguments)


if __name__ == "__main__":
    sys.exit(main())
