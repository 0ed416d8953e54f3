"""What saving found out: a report of the files, of what they do not keep, and of the checks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TRAINING_LOST = (
    "The counts, ties and margins of the merges, the settings and the corpus's facts are not kept."
)
"""What every format but our own does not keep of a tokenizer that was trained here."""


@dataclass(frozen=True)
class Check:
    """A written file, loaded by some program, encodes texts as the tokenizer does; or how far not.

    Parameters
    ----------
    by : str
        The program.
    n_bytes : int
        UTF-8 of the texts.
    n_differences : int
        Places where the ids differ.
    problem : str
        Why the program could not load or encode; empty if it could.
    """

    by: str
    n_bytes: int = 0
    n_differences: int = 0
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return not self.problem and not self.n_differences

    def __str__(self) -> str:
        if self.problem:
            return f"reloading with {self.by} failed: {self.problem}"
        differences = "1 difference" if self.n_differences == 1 else f"{self.n_differences:,} differences"
        return f"reloaded with {self.by}: {differences} on {_size(self.n_bytes)}"


@dataclass(frozen=True)
class SaveReport:
    """What was written.

    Parameters
    ----------
    path : Path
        The file.
    format : str
        Name of its format.
    files : tuple of Path
        All files that were written, `path` among them.
    lost : tuple of str
        Sentences on what they do not keep.
    checks : tuple of Check
        By BPE Studio itself, and by the program whose format it is if that is installed.
    """

    path: Path
    format: str
    files: tuple[Path, ...]
    lost: tuple[str, ...]
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check found nothing that differs."""
        return all(check.ok for check in self.checks)


def _size(n_bytes: int) -> str:
    for unit, size in (("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes} bytes"
