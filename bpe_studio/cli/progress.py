"""A progress bar for long work, and Ctrl+C that keeps what there is."""

from __future__ import annotations

import signal
import sys
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from bpe_studio.cli.streams import PROGRAM, one_line, tell

if TYPE_CHECKING:
    from rich.progress import Progress, Task, TaskID

INTERRUPTED = 130
"""Exit code after Ctrl+C."""

PREPARING = "preparing the fast engine, once after install: about 12 s"

#: What each stage is called, and what it counts.
STAGES = {
    "reading": ("Reading", "bytes"),
    "counting": ("Counting words", "bytes"),
    "preparing": ("Preparing (once)", "steps"),
    "training": ("Training", "merges"),
    "encoding": ("Encoding", "bytes"),
    "decoding": ("Decoding", "ids"),
    "checking": ("Checking", "bytes"),
}


class Watch:
    """What long work reports to: draws a bar on a terminal, and asks it to stop after Ctrl+C.

    The first Ctrl+C ends the work at the next report, so that what was made so far is kept; the second ends
    it at once.

    Parameters
    ----------
    shown : bool
        Whether to draw, if standard error is a terminal.
    keeps : bool
        Whether the first Ctrl+C waits for the next report. Without, it raises `KeyboardInterrupt` as ever,
        also while a pipe is waited for.
    """

    def __init__(self, shown: bool, keeps: bool = True) -> None:
        self.interrupted = False
        self._keeps = keeps
        self._bar: Progress | None = None
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self._tasks: dict[str, TaskID] = {}
        self._old_handler: Any = None

    def __enter__(self) -> Self:
        if self._keeps:
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
        if self._keeps:
            signal.signal(signal.SIGINT, self._old_handler)

    def __call__(self, stage: str, done: int, total: int | None) -> bool:
        """Show how far a stage is; False asks to stop."""
        if self._bar is not None:
            if stage not in self._tasks:
                name, unit = STAGES.get(stage, (stage, "steps"))
                self._tasks[stage] = self._bar.add_task(name, total=total, unit=unit)
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
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Done(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(done_text(task.fields["unit"], task.completed, task.total, task.speed))

    columns = TextColumn("{task.description}"), BarColumn(), Done(), TimeRemainingColumn()
    return Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    )


def done_text(unit: str, done: float, total: float | None, speed: float | None) -> str:
    """Return how far a stage is, and how fast.

    Examples
    --------
    >>> done_text("merges", 1200, 4096, 300.0)
    '1,200/4,096 merges, 300/s'
    >>> done_text("bytes", 1_500_000, None, None)
    '1.5 MB'
    """
    in_bytes = unit == "bytes"

    def number(value: float) -> str:
        return f"{value / 1e6:,.1f}" if in_bytes else f"{value:,.0f}"

    of = "" if total is None else f"/{number(total)}"
    rate = "" if speed is None else f", {number(speed)}{' MB' * in_bytes}/s"
    return f"{number(done)}{of} {'MB' if in_bytes else unit}{rate}"
