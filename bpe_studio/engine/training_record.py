"""TrainingRecord (frozen): how a tokenizer came about. It decides no id and no fingerprint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bpe_studio.engine.config import StopReason, TrainingConfig

if TYPE_CHECKING:
    from bpe_studio.engine.merges import MergeLog
    from bpe_studio.engine.words import CorpusFacts


@dataclass(frozen=True, eq=False)
class TrainingRecord:
    """What is known of a tokenizer's training.

    Parameters
    ----------
    config : TrainingConfig
        The settings.
    log : MergeLog
        The merges with counts, ties and margins.
    stop_reason : StopReason or None
        Why the training ended; None for one that did not: a tokenizer of its first merges.
    facts : CorpusFacts
        Size and fingerprint of the corpus.
    version : str
        The program's version that trained it.
    """

    config: TrainingConfig
    log: MergeLog
    stop_reason: StopReason | None
    facts: CorpusFacts
    version: str

    def first(self, n_merges: int) -> TrainingRecord:
        """Return the record of the first merges; what stopped the whole training did not stop these."""
        if n_merges == len(self.log):
            return self
        return replace(self, log=self.log.first(n_merges), stop_reason=None)
