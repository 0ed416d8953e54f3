"""The tokenizer of a data set: trained on the training text alone, or on its beginning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.corpus import Corpus, Document, Progress
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.train import train_with


def train_for(
    training: Corpus, others: Iterable[Corpus], config: TrainingConfig, progress: Progress | None = None
) -> Tokenizer:
    """Train a tokenizer that can encode every split.

    Parameters
    ----------
    training : Corpus
        What is learned from; see `beginning`.
    others : iterable of Corpus
        All splits, whole. Nothing is learned from them; only if the alphabet is characters, all of them, it
        is made of theirs as well.
    config : TrainingConfig
        The settings.
    progress : callable or None
        As for `bpe_studio.train`.
    """
    if config.alphabet == "characters" and config.character_coverage == 1:
        found: set[str] = set()
        for corpus in (training, *others):
            for document in corpus.documents:
                found.update(document.text)
        config = replace(config, base_characters=tuple(sorted(found)))
    return train_with(training, config, progress)


def beginning(corpus: Corpus, n_bytes: int) -> Corpus:
    """Return the beginning of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The documents in their order.
    n_bytes : int
        How much, in bytes of UTF-8; up to three fewer where that would cut a character.
    """
    documents: list[Document] = []
    for document in corpus.documents:
        if document.n_bytes <= n_bytes:
            documents.append(document)
            n_bytes -= document.n_bytes
            continue
        text = document.utf8[:n_bytes].decode("utf-8", "ignore")
        if text:
            documents.append(replace(document, utf8=text.encode(), n_characters=len(text)))
        break
    return replace(corpus, documents=tuple(documents))
