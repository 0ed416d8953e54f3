"""The command line: ``bpe-studio train``, ``encode``, ``decode``, ``inspect``.

Data goes to standard output, everything else to standard error, one line each. Exit codes: 0 done, 1 the work
failed, 2 wrong usage, 130 stopped with Ctrl+C. Each command is a module with ``add_arguments(parser)`` and
``run(arguments)``.
"""

from bpe_studio.cli.program import main

__all__ = ["main"]
