"""One job in a process of its own: ``python -m tests.benchmarks.child '{"kind": …}'`` prints its figures.

Nothing is imported here that a job does not need: imports cost memory, and their time is measured too.
"""

from __future__ import annotations

import gc
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

Figures = dict[str, Any]

WARM_TEXT = "The ferry leaves on the hour, and the ninth of us stays. " * 5_000
"""Something to train on before: threads are started, and compiled code is in memory."""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds and result."""
    gc.collect()
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def peak_mb() -> float:
    """Return the largest resident size so far, in MB of 10**6 bytes; since `reset_peak` where that works."""
    with suppress(OSError):
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def reset_peak() -> None:
    """Let the peak begin at what is resident now (Linux): loading compiled code must hide no growth."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "utf-8")


def words(job: Figures) -> Figures:
    """Count the words of the file, of its documents and of its lines."""
    import bpe_studio as bs
    from tests.benchmarks.trainers import Text, load_kernels

    load_kernels()
    text = Text(Path(job["path"]), Path(job["ends"]))

    def n_words(source: Any, **options: bool) -> int:
        return int(bs.count_words(source, pattern=job["pattern"], **options).counts.sum())

    in_lines = n_words(text.path, lines=True)
    return {"file": n_words(text.path), "documents": n_words(text.documents()), "lines": in_lines}


def train(job: Figures) -> Figures:
    """Train once; merges come back as a hash, to be compared."""
    from tests.benchmarks.trainers import TRAINERS, Text

    make, options = TRAINERS[job["tool"]], dict(job["options"])
    with tempfile.TemporaryDirectory() as folder:
        text, ends = Path(folder, "warm.txt"), Path(folder, "ends.json")
        text.write_text(WARM_TEXT, "utf-8")
        ends.write_text(json.dumps([len(WARM_TEXT)]), "utf-8")
        make(Text(text, ends), job["pattern"], 266, options).run()
    training = make(Text(Path(job["path"]), Path(job["ends"])), job["pattern"], job["vocab_size"], options)
    gc.collect()
    reset_peak()
    before = peak_mb()
    seconds, result = timed(training.run)
    growth = peak_mb() - before
    tokens = training.tokens(result)
    found = digest(*tokens) if tokens else None
    return {"seconds": seconds, "growth_mb": growth, "result": found, "n": len(tokens)}


def encode(job: Figures) -> Figures:
    """Encode one document twice with a new tokenizer."""
    from tests.benchmarks.encoders import ENCODERS, as_words

    encoder = ENCODERS[job["tool"]](Path(job["folder"]))
    text = Path(job["path"]).read_text("utf-8")
    first, ids = timed(lambda: encoder.document(text))
    found = {"result": digest(as_words(ids)), "n": len(ids)}
    del ids
    text = Path(job["path"]).read_text("utf-8")  # a str keeps its UTF-8 once somebody has asked for it
    second, _ = timed(lambda: encoder.document(text))
    return {"first": first, "second": second, **found}


def lines(job: Figures) -> Figures:
    """Encode every line of a text, twice, in a loop or in one call."""
    from tests.benchmarks.encoders import ENCODERS, as_words

    encoder = ENCODERS[job["tool"]](Path(job["folder"]))
    how = dict(job["options"])["how"]
    calls = {"batch": encoder.batch, "loop": lambda texts: [encoder.one(text) for text in texts]}
    texts = lines_of(job["path"])
    first, ids = timed(lambda: calls[how](texts))
    found = {"result": digest(*map(as_words, ids)), "n": len(ids)}
    del ids
    texts = lines_of(job["path"])
    second, _ = timed(lambda: calls[how](texts))
    return {"first": first, "second": second, **found}


def lines_of(path: str) -> list[str]:
    """Return the lines with something in them, as new objects."""
    lines = Path(path).read_text("utf-8").splitlines(keepends=True)
    return [line for line in lines if not line.isspace()]


def process(job: Figures) -> Figures:
    """Run a whole process that trains and writes a file, with compiled kernels in the cache."""
    from bpe_studio.engine.compiling import prepare
    from tests.benchmarks.records import OURS

    if job["tool"] == OURS:
        prepare()
    with tempfile.TemporaryDirectory() as folder:
        size = str(job["vocab_size"])
        ours = ["bpe_studio", "train", job["path"], "--pattern", job["pattern"], "--vocab-size", size, "-o"]
        theirs = ["tests.benchmarks.hugging_face", job["path"], job["ends"], job["pattern"], size]
        module, *arguments = ours if job["tool"] == OURS else theirs
        command = [sys.executable, "-m", module, *arguments, str(Path(folder, "tokenizer.json"))]
        seconds, _ = timed(lambda: subprocess.run(command, check=True, capture_output=True))
        return {"seconds": seconds}


def import_module(job: Figures) -> Figures:
    """Import a module in this process, which has imported nothing like it."""
    from importlib import import_module

    seconds, _ = timed(lambda: import_module(job["tool"]))
    return {"seconds": seconds}


def compile_kernels(job: Figures) -> Figures:
    """Compile everything into an empty folder."""
    from bpe_studio.engine import compiling, kernels

    with tempfile.TemporaryDirectory() as folder:
        kernels.cache_folder = lambda: Path(folder)
        return {"seconds": timed(compiling.prepare)[0]}


def digest(*parts: bytes) -> str:
    """Return a hash of byte strings, their lengths included."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(b"%d:" % len(part))
        whole.update(part)
    return whole.hexdigest()[:16]


KINDS: dict[str, Callable[[Figures], Figures]] = {
    "words": words,
    "train": train,
    "encode": encode,
    "lines": lines,
    "process": process,
    "import": import_module,
    "compile": compile_kernels,
}

if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(KINDS[asked["kind"]](asked)))
