"""The tokenizer of a data set: trained on the training text alone, or on its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bpe_studio.dataset.texts import characters_of
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.items import Item
from bpe_studio.engine.reading import Progress
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.train import train_with


def train_for(
    training: Sequence[Item],
    others: Sequence[Item],
    config: TrainingConfig,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a tokenizer that can encode every split.

    Parameters
    ----------
    training : sequence of Item
        What is learned from; see `texts.beginning`.
    others : sequence of Item
        The texts of all splits. Nothing is learned from them; only if the alphabet is characters, all of
        them, it is made of theirs as well.
    config : TrainingConfig
        The settings.
    progress : callable or None
        As for `bpe_studio.train`.
    """
    if config.alphabet == "characters" and config.character_coverage == 1:
        found = characters_of([*training, *others])
        config = replace(config, base_characters=tuple(sorted(found)))
    return train_with(list(training), config, progress)
