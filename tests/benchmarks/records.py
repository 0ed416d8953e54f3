"""What is measured: one record a benchmark. A job names its work completely, so equal jobs are run once."""

from __future__ import annotations

from dataclasses import dataclass

OURS = "bpe_studio"
MODULES = {
    "Hugging Face": "tokenizers",
    "tiktoken": "tiktoken",
    "rustbpe": "rustbpe",
    "gigabpe": "gigabpe",
    "gigatoken": "gigatoken",
    "sentencepiece": "sentencepiece",
}
"""Each peer and the module that is imported for it."""

TABLE = "cl100k_base"
"""The pretrained vocabulary that is encoded with."""


@dataclass(frozen=True)
class Job:
    """One piece of work for one tool.

    Parameters
    ----------
    kind : str
        One of `child.KINDS`: words, train, encode, lines, process, import, compile.
    tool : str
        `OURS` or a key of `MODULES`; for an import the module.
    corpus : str
        Name of a corpus; empty if there is none.
    pattern : str
        Name of the split pattern.
    vocab_size : int
        Tokens to train to, 256 bytes included.
    options : tuple of (str, value)
        What else the tool is told.
    """

    kind: str
    tool: str
    corpus: str = ""
    pattern: str = ""
    vocab_size: int = 0
    options: tuple[tuple[str, str | int | bool], ...] = ()

    @property
    def module(self) -> str | None:
        """The peer's module that must be installed."""
        return MODULES.get(self.tool)


@dataclass(frozen=True)
class Benchmark:
    """Two jobs that are compared, and the ratio that is asked for.

    Parameters
    ----------
    work : str
        What is done, in a few words.
    ours, theirs : Job or None
        What is divided by what; None on the right is a figure that is only shown.
    at_most, aim : float or None
        Bar of ours ÷ theirs, or of the seconds where nothing is compared.
    measure : str
        Which figure of the jobs: seconds, growth_mb (of the peak), first, second (call).
    """

    work: str
    ours: Job
    theirs: Job | None
    at_most: float | None = None
    aim: float | None = None
    measure: str = "seconds"

    @property
    def label(self) -> str:
        """Work, corpus and what else tells this row from its neighbours."""
        job = self.ours
        parts = [self.work, job.corpus, job.pattern, f"{job.vocab_size:,}" if job.vocab_size else ""]
        return ", ".join(part for part in parts if part)

    @property
    def name(self) -> str:
        """The whole comparison in a line; `--only` looks in it."""
        return f"{self.label} against {self.against}"

    @property
    def against(self) -> str:
        """Whom we are compared with."""
        if self.theirs is None:
            return "–"
        return f"itself, {self.theirs.corpus}" if self.theirs.tool == OURS else self.theirs.tool


SAME_RULE: dict[str, tuple[tuple[str, str | int | bool], ...]] = {
    "gigabpe": (("tie_rule", "lowest-ids"), ("byte_order", "gpt2")),
    "gigatoken": (("tie_rule", "lowest-ids"), ("byte_order", "gpt2"), ("min_frequency", 1)),
    "Hugging Face": (("tie_rule", "lowest-ids"), ("byte_order", "gpt2")),
    "rustbpe": (("tie_rule", "lowest-ids"), ("min_frequency", 1)),
    "sentencepiece": (("tie_rule", "shortest"), ("alphabet", "characters")),
}
"""Our settings under which the peer's merges are ours, but for how the text is cut."""


def training(
    corpus: str, pattern: str, vocab_size: int, peer: str, at_most: float | None = None,
    aim: float | None = None, *, measure: str = "seconds", lines: bool = False,
) -> Benchmark:  # fmt: skip
    """Return a comparison of training runs; `lines` makes every line a document, as gigabpe always does."""
    options = SAME_RULE[peer] + ((("lines", True),) if lines else ())
    work = "memory gained by training" if measure == "growth_mb" else "train"
    ours = Job("train", OURS, corpus, pattern, vocab_size, options)
    theirs = Job("train", peer, corpus, pattern, vocab_size)
    return Benchmark(work + " by lines" * lines, ours, theirs, at_most, aim, measure)


def encoding(
    corpus: str, peer: str, call: str, at_most: float | None = None, aim: float | None = None
) -> Benchmark:
    """Return a comparison of calls that encode one document, the first or the second."""
    ours, theirs = (Job("encode", tool, corpus, TABLE) for tool in (OURS, peer))
    return Benchmark(f"encode one document, {call} call", ours, theirs, at_most, aim, call)


def lines(how: str, work: str, at_most: float, aim: float) -> Benchmark:
    """Return a comparison of encoding many short texts; tiktoken is fastest in a loop."""
    ours = Job("lines", OURS, "en_10mb", TABLE, options=(("how", how),))
    theirs = Job("lines", "tiktoken", "en_10mb", TABLE, options=(("how", "loop"),))
    return Benchmark(work, ours, theirs, at_most, aim, "second")


def growth(kind: str, text: str) -> Benchmark:
    """Return how the time grows when the corpus doubles."""
    pattern, vocab_size = ("gpt4", 4096) if kind == "train" else (TABLE, 0)
    double, single = (Job(kind, OURS, f"{text}_{n}mb", pattern, vocab_size) for n in (2, 1))
    measure = "seconds" if kind == "train" else "first"
    return Benchmark(f"{kind}: growth", double, single, 2.5, 2.1, measure)


def process(corpus: str, peer: str, at_most: float, aim: float) -> Benchmark:
    """Return a comparison of whole processes that train and write a file."""
    ours, theirs = (Job("process", tool, corpus, "gpt4", 32_768) for tool in (OURS, peer))
    return Benchmark("whole process of a training", ours, theirs, at_most, aim)


BENCHMARKS: tuple[Benchmark, ...] = (
    training("en_100mb", "gpt2", 32_768, "gigabpe", 0.33, 0.20),
    training("en_10mb", "gpt2", 32_768, "gigabpe", 0.45, 0.33),
    training("en_1mb", "gpt2", 4_096, "gigabpe", 0.80, 0.50),
    training("en_100mb", "gpt4", 32_768, "rustbpe", 0.12, 0.06),
    training("en_10mb", "gpt4", 32_768, "rustbpe", 0.16, 0.11),
    training("code_10mb", "gpt4", 32_768, "rustbpe", 0.16, 0.11),
    training("multi_10mb", "gpt4", 32_768, "rustbpe", 0.16, 0.11),
    training("en_100mb", "gpt4", 32_768, "Hugging Face", 0.05, 0.03),
    training("en_100mb", "gpt2", 32_768, "gigabpe", 1.25, 0.8, measure="growth_mb"),
    # gigabpe takes every line as a document: only so are our merges its merges.
    training("en_10mb", "gpt2", 32_768, "gigabpe", lines=True),
    training("en_1mb", "gpt2", 4_096, "rustbpe"),
    training("en_1mb", "gpt2", 4_096, "Hugging Face"),
    training("en_1mb", "gpt2", 4_096, "gigatoken"),
    training("en_1mb", "whitespace", 4_096, "sentencepiece"),
    encoding("en_10mb", "tiktoken", "second", 0.06, 0.035),
    encoding("code_10mb", "tiktoken", "second", 0.06, 0.035),
    encoding("en_10mb", "tiktoken", "first", 0.20, 0.12),
    encoding("code_10mb", "tiktoken", "first", 0.20, 0.12),
    encoding("en_100mb", "gigatoken", "second", 1.2, 0.8),
    encoding("multi_10mb", "gigatoken", "second", 3.5, 1.0),
    encoding("en_1mb", "Hugging Face", "second"),
    lines("batch", "encode every line, one batch call", 0.15, 0.06),
    lines("loop", "encode every line, one call each", 1.0, 0.3),
    process("en_10mb", "Hugging Face", 0.7, 0.5),
    Benchmark("import", Job("import", OURS), Job("import", "numpy"), 1.5, 1.1),
    Benchmark("import and touch train", Job("import", "bpe_studio.engine.train"), Job("import", "numpy")),
    Benchmark("first compilation of everything", Job("compile", OURS), None, 15, 10),
    *(growth("train", text) for text in ("one_letter", "no_blanks", "distinct_words", "newlines")),
    *(growth("encode", text) for text in ("one_letter", "no_blanks", "distinct_words", "newlines")),
)
"""Every row of the table, in its order."""
