"""Tokenizers for the tests of files, with and without a training."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_studio.engine.alphabet import Alphabet, alphabet_for
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.merges import MergeBatch, MergeLog
from bpe_studio.engine.patterns import chained, resolve_pattern
from bpe_studio.engine.reference import ReferenceTrainer
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.training_record import TrainingRecord
from bpe_studio.engine.words import WordTable


def built(
    alphabet: Alphabet,
    merges: Sequence[tuple[int, int]],
    pattern: str = "none",
    specials: dict[str, int] | None = None,
) -> Tokenizer:
    """Return a tokenizer whose products follow the base tokens."""
    left, right = [pair[0] for pair in merges], [pair[1] for pair in merges]
    products = [alphabet.next_id + rank for rank in range(len(merges))]
    return Tokenizer(alphabet, left, right, products, resolve_pattern(pattern), specials or {})  # type: ignore[arg-type]


def trained(pairs: Sequence[tuple[str, int]], pattern: str = "none", **settings: object) -> Tokenizer:
    """Return what the reference trains on words with counts, its record complete."""
    config = TrainingConfig(pattern=pattern, **settings)  # type: ignore[arg-type]
    words = WordTable.from_counts(pairs, pattern, config.special_tokens)
    alphabet = alphabet_for(words, config)
    symbols = [alphabet.symbols(words.text(index)) for index in range(len(words))]
    trainer = ReferenceTrainer(symbols, words.counts.tolist(), alphabet, config)
    log = MergeLog(alphabet, config, trainer.corpus_tokens())
    n_merges = config.vocab_size - alphabet.n_tokens - len(config.special_tokens)
    for rank in range(n_merges):
        merge = trainer.step()
        if merge is None:
            break
        row = (
            merge.left,
            merge.right,
            merge.token,
            merge.count,
            merge.n_tied,
            merge.margin,
            merge.corpus_tokens,
            0,
        )
        log.extend(MergeBatch.from_rows(rank, [row]))
    numbers = {"vocab_size": config.vocab_size, "target": config.vocab_size, "n_merges": len(log), "short": 0}
    record = TrainingRecord(config, log, StopReason("vocabulary_full", numbers), words.facts, "0.1.0")
    return Tokenizer.from_log(log, words.pattern, config.special_tokens, training=record)


BYTES = trained(
    [("the garden", 9), (" garden\n", 4), ("é🙂\x00\u2028", 3), ("ab", 2)],
    "gpt4", vocab_size=268, special_tokens=("<|end of text|>", "\n\t"), byte_order="gpt2",
)  # fmt: skip
CHARACTERS = trained([("aaabdaaabac", 1)], alphabet="characters", vocab_size=7)
FIRST = trained([("abab", 4)], vocab_size=258, special_tokens=("<s>",), special_placement="first")
UNKNOWN = trained(
    [("aab", 90), ("z", 1)], alphabet="characters", vocab_size=5, character_coverage=0.99, min_frequency=1
)
FALLBACK = trained(
    [("aabé", 9)], alphabet="characters", vocab_size=261, byte_fallback=True, base_characters=("ab",)
)
HOLES = built(Alphabet(), [(97, 98)], specials={"<s>": 300, "<e>": 1000})
# Ids as a file may have them: bytes in an order of its own, a merge below them, holes.
ANY_ORDER = Tokenizer(
    Alphabet(ids=tuple(range(600, 88, -2))), [406, 11], [404, 402], [11, 10],  # type: ignore[arg-type]
    resolve_pattern("gpt2"), {"<s>": 7},
)  # fmt: skip
# Token 259 is made by no merge, though whole; 257 of lower rank than its part 258.
RANKS = Tokenizer(
    Alphabet(), [97], [98], [256], chained(["[0-9]", "[a-z]+"]), semantics="ranks",  # type: ignore[arg-type]
    unmerged={257: b"xyz", 258: b"yz", 259: b"q\xff-", 260: b""}, ranks={256: 300},
)  # fmt: skip
LLAMA = Tokenizer(
    Alphabet("characters", byte_fallback=True, characters=("a", "b", "\u2581"), first_id=3),
    [261], [259], [262], resolve_pattern("none"), {"<s>": 1},  # type: ignore[arg-type]
    normalizer=(("NFC",), ("prepend", " "), ("replace", " ", "\u2581")),
)  # fmt: skip
NUL = built(Alphabet(), [(97, 0), (98, 0)])
ALL = {
    "bytes": BYTES, "characters": CHARACTERS, "first": FIRST, "unknown": UNKNOWN, "fallback": FALLBACK,
    "holes": HOLES, "nul": NUL, "any order": ANY_ORDER, "ranks": RANKS, "llama": LLAMA,
}  # fmt: skip
