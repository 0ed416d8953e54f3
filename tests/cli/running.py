"""The program in a process of its own, and the text that most of its tests read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import bpe_studio

TEXT = "aaabdaaabac <s> é\r\n"


def environment(env: dict[str, str] | None = None) -> dict[str, str]:
    """Return the environment in which a process finds this package, with some more of it."""
    return {**os.environ, "PYTHONPATH": str(Path(bpe_studio.__file__).parents[1]), **(env or {})}


def process(
    *arguments: str, data: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the program to its end."""
    return subprocess.run(
        [sys.executable, "-m", "bpe_studio", *arguments],
        input=data, capture_output=True, env=environment(env), timeout=120,
    )  # fmt: skip
