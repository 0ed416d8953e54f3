"""BPE Studio trains byte-pair-encoding tokenizers in front of your eyes, and is a library without the window.

    import bpe_studio as bs
    tok = bs.train("aaabdaaabac", vocab_size=259, pattern="none", min_frequency=1)
    tok.encode("aaab")

A map of the package, from the bottom up; imports go downward only:

    engine/            the library, in the order of the data
        errors         the errors a caller may catch
        items          what a source lists, opened one by one as streams; corpus: all of it in memory
        patterns       split patterns, named ones and the user's own; text_cuts: where a text may be cut
        words          WordTable: unique pre-tokens with counts, taken as the text is read
        alphabet       base symbols: bytes or characters
        ties           rules for pairs with equal counts
        reference      the specification, in plain Python: read this first
        kernels/       the same, compiled; merging, fast_counting and fast_encoding hold their arrays
        merges         MergeLog: the list of merges that a run is
        trainer        Trainer: one merge, or thirty thousand
        train          train(): from a corpus to a tokenizer
        replay         state_at: the corpus after any number of merges
        semantics      how merges apply: by pair or by bytes, whole pre-tokens first or not
        normalizing    what happens to a text before it is split
        text_encoder   texts to ids; encoding: one word, batches: many texts, long_texts: part after part
        tokenizer      Tokenizer: encode, decode, offsets, trace, first(k)
    analysis/          pure questions about them: compression, ties, comparison, labels for bytes
    formats/           files: one module a format, the table of them, load and save; pretrained vocabularies
    dataset/           whole data sets: ids on the disk, checks, a manifest
    session            what a window shows, without a window
    commands           the terminal's line for what was done in the window
    cli/               the command `bpe-studio train`, `encode`, `dataset` …: one module a command
    gui/               the window; nothing else knows Qt
    __main__           `bpe-studio`: the window without arguments, else the command

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from bpe_studio.analysis.compression import compression_curve as compression_curve
    from bpe_studio.dataset.manifest import check_fingerprint as check_fingerprint
    from bpe_studio.engine.config import TrainingConfig as TrainingConfig
    from bpe_studio.engine.corpus import Corpus as Corpus
    from bpe_studio.engine.errors import BpeStudioError as BpeStudioError
    from bpe_studio.engine.errors import CorpusError as CorpusError
    from bpe_studio.engine.errors import FormatError as FormatError
    from bpe_studio.engine.errors import PatternError as PatternError
    from bpe_studio.engine.errors import SpecialTokenError as SpecialTokenError
    from bpe_studio.engine.errors import TrainingError as TrainingError
    from bpe_studio.engine.errors import UnknownCharacterError as UnknownCharacterError
    from bpe_studio.engine.replay import state_at as state_at
    from bpe_studio.engine.tokenizer import Tokenizer as Tokenizer
    from bpe_studio.engine.train import train as train
    from bpe_studio.engine.trainer import Trainer as Trainer
    from bpe_studio.engine.words import WordTable as WordTable
    from bpe_studio.engine.words import count_words as count_words
    from bpe_studio.formats.table import load as load
    from bpe_studio.formats.table import save as save

_ERRORS = (
    "BpeStudioError",
    "CorpusError",
    "FormatError",
    "PatternError",
    "SpecialTokenError",
    "TrainingError",
    "UnknownCharacterError",
)
_HOME_OF = {
    "Corpus": "engine.corpus",
    "Tokenizer": "engine.tokenizer",
    "Trainer": "engine.trainer",
    "TrainingConfig": "engine.config",
    "WordTable": "engine.words",
    "check_fingerprint": "dataset.manifest",
    "compression_curve": "analysis.compression",
    "count_words": "engine.words",
    "load": "formats.table",
    "save": "formats.table",
    "state_at": "engine.replay",
    "train": "engine.train",
    **dict.fromkeys(_ERRORS, "engine.errors"),
}
__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
