"""train(): from a corpus to a tokenizer in one call."""

from __future__ import annotations

from collections.abc import Iterable

from bpe_studio.engine.checking import as_texts
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.corpus import CorpusSource, Progress
from bpe_studio.engine.errors import TrainingError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.reading import Watched
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import WordTable, count_words

SLICE_SECONDS = 0.1
DEFAULT_PATTERN = TrainingConfig().pattern


def train(
    source: CorpusSource | WordTable,
    *,
    vocab_size: int = 4096,
    pattern: str = "gpt4",
    alphabet: str = "bytes",
    tie_rule: str = "lexicographic",
    min_frequency: int = 2,
    special_tokens: str | Iterable[str] = (),
    special_placement: str = "last",
    max_token_length: int | None = None,
    byte_order: str = "identity",
    character_coverage: float = 1.0,
    byte_fallback: bool = False,
    base_characters: str | Iterable[str] | None = None,
    unknown_token: str | None = None,
    errors: str = "strict",
    lines: bool = False,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a byte-pair-encoding tokenizer.

    Parameters
    ----------
    source : str, bytes, Path, Corpus, WordTable, or an iterable of str, bytes and Path
        A str or bytes is one document, never a path. A Path is a file, or a folder of files. An iterable
        holds one document each.
    vocab_size : int
        Number of tokens to end with, specials and ``<unk>`` included. Fewer if no pair is frequent enough.
    pattern : str
        "none", "whitespace", "gpt2", "gpt4", "cl100k", "o200k", or a regular expression.
    alphabet : {"bytes", "characters"}
        What the base symbols are.
    tie_rule : str
        "lexicographic", "reverse-lexicographic", "first-seen", "lowest-ids", "shortest" or "random:SEED":
        which of the pairs with the best count wins.
    min_frequency : int
        A pair is merged if its count is at least this.
    special_tokens : iterable of str
        Texts with an id of their own; no merge makes or crosses them.
    special_placement : {"last", "first"}
        Their ids follow the merges, or begin at 0.
    max_token_length : int or None
        Longest token, in base symbols.
    byte_order : {"identity", "gpt2"}
        Order of the ids of the 256 bytes.
    character_coverage : float
        Share of the characters that get a token; the rest become ``<unk>`` or bytes.
    byte_fallback : bool
        Characters without a token become byte tokens.
    base_characters : iterable of str or None
        The alphabet's characters are those of these texts, not of the corpus.
    unknown_token : str or None
        Name of the token for characters outside the alphabet.
    errors : {"strict", "replace", "skip"}
        What to do with documents that are not text.
    lines : bool
        Every line is a document; lines keep their ends.
    n_threads : int or None
        Threads for counting; None is one a core.
    progress : callable or None
        ``progress(stage, done, total)``; returning False cancels, and what exists is returned.

    Returns
    -------
    Tokenizer
        With its training record in `training`.

    Raises
    ------
    BpeStudioError
        If the source cannot be read, or the settings contradict one another.

    Examples
    --------
    >>> tok = train("aaabdaaabac", vocab_size=259, pattern="none")
    >>> tok.merges
    [(b'a', b'a'), (b'a', b'b'), (b'aa', b'ab')]
    """
    specials = as_texts("special_tokens", special_tokens)
    base = None if base_characters is None else as_texts("base_characters", base_characters, ordered=False)
    config = TrainingConfig(
        vocab_size=vocab_size, pattern=pattern, alphabet=alphabet, tie_rule=tie_rule,
        min_frequency=min_frequency, special_tokens=specials, special_placement=special_placement,
        max_token_length=max_token_length,
        byte_order=byte_order, character_coverage=character_coverage, byte_fallback=byte_fallback,
        base_characters=base, unknown_token=unknown_token, errors=errors,
        lines=lines, n_threads=n_threads,
    )  # fmt: skip
    return train_with(source, config, progress)


def train_with(
    source: CorpusSource | WordTable, config: TrainingConfig, progress: Progress | None = None
) -> Tokenizer:
    """Train with settings in one value; see `train`."""
    watch = Watched(progress)
    if isinstance(source, WordTable):
        check_table(source, config)
        words = source
    else:
        words = count_words(
            source, pattern=config.pattern, special_tokens=config.special_tokens, errors=config.errors,
            lines=config.lines, n_threads=config.n_threads, progress=watch,
        )  # fmt: skip
    trainer = Trainer(words, config)
    going_on = not watch.cancelled and watch("training", 0, trainer.n_target)
    while going_on and trainer.stop_reason is None:
        trainer.advance(max_seconds=SLICE_SECONDS)
        going_on = watch("training", len(trainer.log), trainer.n_target)
    if trainer.stop_reason is None:
        trainer.stop_reason = trainer.reason("user")
    return trainer.tokenizer()


def check_table(words: WordTable, config: TrainingConfig) -> None:
    """Raise `TrainingError` if settings contradict those that a table of words was counted with."""
    asked = resolve_pattern(config.pattern)
    if config.pattern != DEFAULT_PATTERN and asked.expression != words.pattern.expression:
        raise TrainingError(
            f"pattern is {config.pattern!r}, but the words were cut with {words.pattern.name!r}; leave it out"
        )
    if config.special_tokens and config.special_tokens != words.special_tokens:
        raise TrainingError("special_tokens differ from those the words were cut with; leave them out")
