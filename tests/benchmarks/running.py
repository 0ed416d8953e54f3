"""Alternating pairs of jobs, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import corpora, encoders
from tests.benchmarks.records import MODULES, OURS, TABLE, Benchmark, Job

ROOT = Path(__file__).resolve().parents[2]
Figures = dict[str, Any]
Pair = tuple[Job, Job | None]


class JobError(RuntimeError):
    """A job that ended with an error, or cannot be started here; its text says why."""


@dataclass
class Workshop:
    """Where jobs are run: corpora by name, a folder, how often.

    Parameters
    ----------
    folder : Path
        For made corpora and tables.
    given : dict of str to Path
        Corpora of the user.
    quick : bool
        Small corpora.
    n_words : dict
        What was checked before training: words of each "corpus, pattern" in the file, in the documents, and
        in its lines.
    """

    folder: Path
    given: dict[str, Path] = field(default_factory=dict)
    quick: bool = False
    _corpora: dict[str, corpora.Corpus] = field(default_factory=dict)
    _table_problem: str | None = ""
    n_words: dict[str, dict[str, int]] = field(default_factory=dict)

    def corpus(self, name: str) -> corpora.Corpus:
        """Return a corpus, made or cut into documents the first time."""
        if name not in self._corpora:
            self._corpora[name] = corpora.prepare(name, self.given, self.folder, quick=self.quick)
        return self._corpora[name]

    @property
    def made(self) -> list[str]:
        """Names of the corpora that were used and not given."""
        return sorted(name for name, corpus in self._corpora.items() if corpus.is_made)

    def run(self, job: Job) -> Figures:
        """Run a job once and return its figures; encoding has one thread.

        Raises
        ------
        JobError
            If it fails; with the last line that it printed.
        """
        asked = asdict(job) | {"folder": str(self.folder)}
        if job.corpus:
            corpus = self.corpus(job.corpus)
            asked |= {"path": str(corpus.path), "ends": str(corpus.ends)}
        command = [sys.executable, "-m", "tests.benchmarks.child", json.dumps(asked)]
        threads = {"RAYON_NUM_THREADS": "1"} if job.kind in ("encode", "lines") else {}
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | threads, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise JobError(f"{job.tool}: {(done.stderr.strip() or 'ended without a word').splitlines()[-1]}")
        return json.loads(done.stdout.splitlines()[-1])

    def obstacle(self, job: Job) -> str | None:
        """Return why a job cannot be run here, or None."""
        if job.module is not None and find_spec(job.module) is None:
            return f"{job.module} is not installed"
        if job.pattern == TABLE:
            return self._table_obstacle()
        return self._words_obstacle(job) if job.kind == "train" else None

    def _words_obstacle(self, job: Job) -> str | None:
        """Tools that read the file and tools that get its documents must count the same words."""
        label = f"{job.corpus}, {job.pattern}"
        if label not in self.n_words:
            self.n_words[label] = self.run(Job("words", OURS, job.corpus, job.pattern))
        found = self.n_words[label]
        if found["file"] != found["documents"]:
            return f"{found['file']:,} words in the file, {found['documents']:,} in its documents"
        return None

    def _table_obstacle(self) -> str | None:
        if self._table_problem == "":
            self.folder.mkdir(parents=True, exist_ok=True)
            self._table_problem = encoders.rebuild_table(self.folder)
        return self._table_problem


@dataclass(frozen=True)
class Row:
    """What was measured of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        What it is.
    ours, theirs : tuple of float
        Seconds, or MB, in the order of the pairs.
    is_same : bool or None
        Whether both made the same tokens; None if that was not asked or cannot be.
    problem : str or None
        Why there are no figures.
    """

    benchmark: Benchmark
    ours: tuple[float, ...] = ()
    theirs: tuple[float, ...] = ()
    is_same: bool | None = None
    problem: str | None = None

    @property
    def ratios(self) -> tuple[float, ...]:
        """Ours ÷ theirs, pair by pair; what is compared with nothing is its own figure."""
        if self.benchmark.theirs is None:
            return self.ours
        return tuple(a / b for a, b in zip(self.ours, self.theirs, strict=True))

    @property
    def ratio(self) -> float | None:
        """The median that is held against the bar."""
        return median(self.ratios) if self.ratios else None

    @property
    def holds(self) -> bool | None:
        """Whether the bar holds; None without a bar or without figures."""
        if self.ratio is None or self.benchmark.at_most is None:
            return None
        return self.ratio <= self.benchmark.at_most


def measure(
    benchmarks: tuple[Benchmark, ...], workshop: Workshop, n_pairs: int, say: Callable[[str], None]
) -> list[Row]:
    """Measure benchmarks; a pair of jobs that several of them share is run once for all.

    Parameters
    ----------
    benchmarks : tuple of Benchmark
        Rows, in order.
    workshop : Workshop
        Where.
    n_pairs : int
        Runs of each job.
    say : callable
        Told what is being measured.

    Returns
    -------
    list of Row
        One for each benchmark.
    """
    known: dict[Pair, list[tuple[Figures, Figures]] | str] = {}
    rows = []
    for benchmark in benchmarks:
        pair = benchmark.ours, benchmark.theirs
        if pair not in known:
            say(benchmark.name)
            known[pair] = measured_pair(pair, workshop, n_pairs)
        rows.append(row_of(benchmark, known[pair]))
    return rows


def measured_pair(pair: Pair, workshop: Workshop, n_pairs: int) -> list[tuple[Figures, Figures]] | str:
    """Return the figures of both jobs, run in turn; or why there are none."""
    jobs = [job for job in pair if job is not None]
    try:
        if problem := next(filter(None, map(workshop.obstacle, jobs)), None):
            return problem
        return list(alternating(jobs, workshop.run, n_pairs))
    except (JobError, OSError, KeyError) as error:
        return str(error)


def alternating(
    jobs: list[Job], run: Callable[[Job], Figures], n_pairs: int
) -> Iterator[tuple[Figures, Figures]]:
    """Yield the figures of pairs of runs; who begins alternates, so that neither is always first."""
    if len(jobs) == 1:
        yield run(jobs[0]), {}
        return
    ours, theirs = jobs
    for index in range(n_pairs):
        if index % 2:
            second = run(theirs)
            yield run(ours), second
        else:
            first = run(ours)
            yield first, run(theirs)


def row_of(benchmark: Benchmark, found: list[tuple[Figures, Figures]] | str) -> Row:
    """Return the row of a benchmark, from the figures of its jobs."""
    if isinstance(found, str):
        return Row(benchmark, problem=found)
    name = benchmark.measure
    ours = tuple(figures[name] for figures, _ in found)
    theirs = tuple(figures[name] for _, figures in found if figures)
    results = [(a.get("result"), b.get("result")) for a, b in found]
    comparable = all(None not in pair for pair in results) and benchmark.against in MODULES
    is_same = all(a == b for a, b in results) if comparable else None
    return Row(benchmark, ours, theirs, is_same)
