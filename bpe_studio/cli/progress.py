"""A progress bar for long work, and Ctrl+C that keeps what there is."""

from __future__ import annotations

import signal
import sys
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from bpe_studio.cli.streams import PROGRAM, one_line, tell

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

STAGES = {
    "reading": "Reading",
    "counting": "Counting words",
    "preparing": "Preparing (once)",
    "training": "Training",
}


class Watch:
    """What `train` reports to: draws a bar on a terminal, and asks it to stop after Ctrl+C.

    The first Ctrl+C ends the work at the next report, so that merges made so far are kept; the second ends it
    at once.

    Parameters
    ----------
    shown : bool
        Whether to draw, if standard error is a terminal.
    """

    def __init__(self, shown: bool) -> None:
        self.interrupted = False
        self._bar: Progress | None = None
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self._tasks: dict[str, TaskID] = {}
        self._old_handler: Any = None

    def __enter__(self) -> Self:
        self._old_handler = signal.signal(signal.SIGINT, self._interrupt)
        if self._shown:
            self._bar = _bar()
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        signal.signal(signal.SIGINT, self._old_handler)

    def __call__(self, stage: str, done: int, total: int | None) -> bool:
        """Show how far a stage is; False asks to stop."""
        if self._bar is not None:
            if stage not in self._tasks:
                self._tasks[stage] = self._bar.add_task(STAGES.get(stage, stage), total=total)
            self._bar.update(self._tasks[stage], completed=done, total=total)
        return not self.interrupted

    def tell(self, message: str) -> None:
        """Say something on standard error, above the bar if there is one."""
        if self._bar is None:
            tell(message)
        else:
            line = f"{PROGRAM}: {one_line(message)}"
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=Console(stderr=True), transient=True)
