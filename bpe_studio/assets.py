"""Finds `resources/` and `samples/`, in a checkout and in an installed wheel; the only user of ``__file__``.

In a checkout both folders stand beside the package; in a wheel they lie inside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

_PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Sample:
    """A small corpus of our own writing.

    Attributes
    ----------
    key : str
        Name of the file or folder without number and suffix: what a program calls it by.
    title : str
        What the menu says.
    shows : str
        One line: what there is to see in it.
    path : Path
        A file, or a folder of files.
    settings : mapping of str to object
        Keywords of `TrainingConfig` under which the sample shows it.
    """

    key: str
    title: str
    shows: str
    path: Path
    settings: Mapping[str, object]

    @property
    def documents(self) -> tuple[Path, ...]:
        """The sample's files, in the order of their names."""
        return tuple(sorted(self.path.iterdir())) if self.path.is_dir() else (self.path,)


def _folder(name: str) -> Path:
    inside, beside = _PACKAGE / name, _PACKAGE.parent / name
    return inside if inside.is_dir() else beside


def resource(name: str) -> Path:
    """Return the path of a file of the program's own, such as an icon.

    Parameters
    ----------
    name : str
        Path inside ``resources/`` with forward slashes, for instance ``"icons/play.svg"``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    FileNotFoundError
        If the program was installed without it.
    """
    path = _folder("resources") / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: BPE Studio is not completely installed")
    return path


@cache
def sample_list() -> tuple[Sample, ...]:
    """Return the samples in the order in which a first visit meets them.

    Returns
    -------
    tuple of Sample
        The rows of ``samples/samples.json``.

    Examples
    --------
    >>> sample_list()[0].path.read_text(encoding="ascii")
    'aaabdaaabac'
    """
    folder = _folder("samples")
    rows = json.loads((folder / "samples.json").read_text(encoding="utf-8"))
    return tuple(
        Sample(
            key=row["key"],
            title=row["title"],
            shows=row["shows"],
            path=folder / row["path"],
            settings=MappingProxyType(row["settings"]),
        )
        for row in rows
    )


def sample(key: str) -> Sample:
    """Return one sample by its key.

    Parameters
    ----------
    key : str
        For instance ``"aaabdaaabac"``.

    Returns
    -------
    Sample
        The sample.

    Raises
    ------
    KeyError
        If no sample has that key.
    """
    for found in sample_list():
        if found.key == key:
            return found
    raise KeyError(f"no sample {key!r}; there are {', '.join(s.key for s in sample_list())}")
