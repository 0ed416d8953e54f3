"""The parser with all commands, and what becomes of errors: one line and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from bpe_studio import __version__
from bpe_studio.cli import (
    compare,
    convert,
    count,
    curve,
    dataset,
    decode,
    encode,
    inspect,
    merges,
    tokenizers,
    train,
    verify,
)
from bpe_studio.cli.progress import INTERRUPTED
from bpe_studio.cli.streams import OutputError, UsageError, drop_output, error_text, one_line, tell
from bpe_studio.engine.errors import BpeStudioError

DONE, FAILED, WRONG_USAGE, READER_GONE = 0, 1, 2, 141
COMMANDS = {
    "train": train,
    "encode": encode,
    "decode": decode,
    "inspect": inspect,
    "convert": convert,
    "compare": compare,
    "curve": curve,
    "merges": merges,
    "count": count,
    "verify": verify,
    "dataset": dataset,
    "tokenizers": tokenizers,
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with code 2, naming the argument."""
        tell(f"{one_line(message)} (see: {self.prog} --help)")
        sys.exit(WRONG_USAGE)


def parser() -> Parser:
    """Return the parser of the whole command line."""
    top = Parser(
        prog="bpe-studio",
        description="Train byte-pair-encoding tokenizers and use them. "
        "Without a command a window opens, with the files that are named.",
        allow_abbrev=False,
    )
    # With its short form it is the longest line, and makes the column wide enough for every command.
    top.add_argument("-V", "--version", action="version", version=f"BPE Studio {__version__}")
    commands = top.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        said = module.__doc__ or ""
        command = commands.add_parser(
            name, help=said.partition("\n")[0], description=said, allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default is the process's own.

    Returns
    -------
    int
        Exit code.
    """
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *rest, **named: tell(f"note: {message}")
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("always", UnicodeWarning)
        try:
            return _exit_code(arguments)
        except BrokenPipeError:
            drop_output()
            return READER_GONE
        except OutputError as error:
            tell(f"standard output: {error}")
            drop_output()
            return FAILED


def _check_command(arguments: Sequence[str]) -> None:
    if arguments and arguments[0] not in COMMANDS and not arguments[0].startswith("-"):
        # Files alone open the window: what is not there was a file as likely as a command.
        missing = next((name for name in arguments if not os.path.exists(name)), arguments[0])
        raise UsageError(f"{missing}: neither a command nor a file (see: bpe-studio --help)")


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        _check_command(sys.argv[1:] if arguments is None else arguments)
        chosen = parser().parse_args(arguments)
        code: int = chosen.run(chosen)
        return code
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else DONE
    except UsageError as error:
        tell(error_text(error))
        return WRONG_USAGE
    except BpeStudioError as error:
        tell(error_text(error))
    except KeyboardInterrupt:
        tell("stopped; nothing was written")
        return INTERRUPTED
    except MemoryError:
        tell("there is not enough memory")
    except (BrokenPipeError, OutputError):
        raise
    except Exception as error:
        if os.environ.get("BPE_STUDIO_TRACEBACK"):
            raise
        tell(
            f"a fault of the program, {type(error).__name__}: {error} "
            "(set BPE_STUDIO_TRACEBACK=1 to see where, and report it)"
        )
    return FAILED
