"""Words and settings for tests of the trainer, drawn by Hypothesis, and what the reference makes of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bpe_studio.engine.alphabet import alphabet_for
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.merges import MergeLog
from bpe_studio.engine.reference import ReferenceTrainer
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import WordTable
from tests.strategies import tie_rules, word_counts

LETTERS = ("ab", "abc", " ab\u2581é", "ab\x00 c", "aé漢😀 ")
"""Few letters tie often; U+0020 and U+2581 are one letter to the rule "shortest"."""


@st.composite
def trainings(draw: st.DrawFn) -> tuple[WordTable, TrainingConfig]:
    """Return words and settings of every kind: rules, alphabets, specials, limits."""
    letters = draw(st.sampled_from(LETTERS))
    words = WordTable.from_counts(
        draw(word_counts(letters)), special_tokens=draw(st.sampled_from([(), ("<s>", "</s>")]))
    )
    settings: dict[str, Any] = {
        "tie_rule": draw(tie_rules()),
        "min_frequency": draw(st.sampled_from([1, 1, 2, 3, 11])),
        "max_token_length": draw(st.sampled_from([None, None, 1, 2, 3, 5])),
        "special_placement": draw(st.sampled_from(["first", "last"])),
        "special_tokens": words.special_tokens,
        "vocab_size": 10_000,
    }
    if draw(st.booleans()):
        settings["alphabet"] = "characters"
        settings["character_coverage"] = draw(st.sampled_from([1.0, 0.9, 0.6]))
        settings["byte_fallback"] = draw(st.booleans())
    else:
        settings["byte_order"] = draw(st.sampled_from(["identity", "gpt2"]))
    return words, TrainingConfig(**settings)


def reference_of(words: WordTable, config: TrainingConfig) -> ReferenceTrainer:
    """Return a reference trainer at its start."""
    alphabet = alphabet_for(words, config)
    symbols = [alphabet.symbols(words.word(index)) for index in range(len(words))]
    return ReferenceTrainer(symbols, words.counts.tolist(), alphabet, config)


def reference_rows(words: WordTable, config: TrainingConfig) -> list[tuple[int, ...]]:
    """Return every merge the reference makes: left, right, token, count, n_tied, margin, corpus_tokens."""
    trainer = reference_of(words, config)
    rows = []
    while (merge := trainer.step()) is not None:
        rows.append(
            (
                merge.left,
                merge.right,
                merge.token,
                merge.count,
                merge.n_tied,
                merge.margin,
                merge.corpus_tokens,
            )
        )
    return rows


def rows_of(log: MergeLog) -> list[tuple[int, ...]]:
    """Return the rows of a log in the same order."""
    columns = (log.left, log.right, log.token, log.count, log.n_tied, log.margin, log.corpus_tokens)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def trained(words: WordTable, config: TrainingConfig, engine: str = "kernels") -> Trainer:
    """Return a trainer that has made every merge."""
    trainer = Trainer(words, config, engine=engine)
    trainer.advance()
    return trainer
