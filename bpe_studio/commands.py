"""The line for a terminal that does what was done in the window."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from bpe_studio.engine.config import TrainingConfig

PROGRAM = "bpe-studio"

OPTION_OF = {"special_tokens": "--special"}
"""Options that are not named after their setting."""

WITHOUT_OPTION = ("base_characters", "n_threads")
"""Settings that the terminal does not take; the number of threads changes no result."""


def training_command(
    files: Sequence[Path], config: TrainingConfig, output: Path, format: str
) -> list[str] | None:
    """Return the arguments that train on files and write the tokenizer.

    Parameters
    ----------
    files : sequence of Path
        The documents in their order.
    config : TrainingConfig
        The settings; those that are as they are without being said are left out.
    output : Path
        The file to write.
    format : str
        Its format.

    Returns
    -------
    list of str or None
        None if a setting cannot be said on the command line.
    """
    if config.base_characters is not None:
        return None
    options = [option for setting in fields(config) for option in _options(setting.name, config)]
    paths = [os.path.abspath(path) for path in files]
    return [PROGRAM, "train", *paths, *options, "--output", os.path.abspath(output), "--format", format]


def conversion_command(source: Path, output: Path, format: str) -> list[str]:
    """Return the arguments that write a tokenizer file in another format."""
    written = ["--output", os.path.abspath(output), "--format", format]
    return [PROGRAM, "convert", os.path.abspath(source), *written]


def _options(name: str, config: TrainingConfig) -> list[str]:
    value: Any = getattr(config, name)
    if name in WITHOUT_OPTION or (name != "vocab_size" and value == getattr(TrainingConfig(), name)):
        return []
    option = OPTION_OF.get(name, "--" + name.replace("_", "-"))
    if isinstance(value, tuple):
        return [f"{option}={item}" for item in value]
    # In one word: a value may begin with a hyphen.
    return [option] if value is True else [f"{option}={value}"]


def command_line(arguments: Sequence[str]) -> str:
    """Return arguments as a line that this system's terminal reads back as the same."""
    return subprocess.list2cmdline(arguments) if os.name == "nt" else shlex.join(arguments)
