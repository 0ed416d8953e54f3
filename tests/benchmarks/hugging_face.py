"""A whole program that trains with Hugging Face tokenizers: PATH ENDS PATTERN VOCAB_SIZE OUTPUT."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from bpe_studio.engine.named_patterns import BY_NAME


def main(path: str, ends: str, pattern: str, vocab_size: str, output: str) -> None:
    text, places = Path(path).read_bytes(), json.loads(Path(ends).read_text("utf-8"))
    documents = (text[a:b].decode() for a, b in zip([0, *places], places, strict=False))
    tok = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(BY_NAME[pattern].expression), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tok.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    trainer = trainers.BpeTrainer(
        vocab_size=int(vocab_size), min_frequency=2, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tok.train_from_iterator(documents, trainer)
    tok.save(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
