"""``bpe-studio`` and ``python -m bpe_studio``: the window without arguments, else the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default is the command line.

    Returns
    -------
    int
        Exit code: 0 done, 1 the work failed, 2 wrong usage.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        # Only here: the command line must work where Qt cannot even be imported.
        from bpe_studio.gui.app import main as open_window

        return open_window()
    from bpe_studio.cli import main as run_command

    return run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
