"""How each tool trains: one function a tool, which returns the work and how to read its merges.

A tool that reads files gets the file; the others get its documents as a list of str that is ready before the
clock starts. All make `vocab_size` − 256 merges. Modules are imported inside the functions: a process loads
the one tool that it measures.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.records import OURS


@dataclass(frozen=True)
class Text:
    """A corpus as a process sees it."""

    path: Path
    ends: Path

    def documents(self) -> list[str]:
        """The documents of about 64 KB."""
        text, ends = self.path.read_bytes(), json.loads(self.ends.read_text("utf-8"))
        return [text[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)]


@dataclass(frozen=True)
class Training:
    """What is timed, and what makes the bytes of the learned tokens, in rank order, of its result."""

    run: Callable[[], Any]
    tokens: Callable[[Any], list[bytes]]


def load_kernels() -> None:
    """Compile what is not compiled, and have every kernel in memory."""
    from bpe_studio.engine import compiling

    compiling.warm_up(compiling.prepare())


def train_ours(text: Text, pattern: str, vocab_size: int, options: Mapping[str, Any]) -> Training:
    import bpe_studio as bs

    load_kernels()
    return Training(
        lambda: bs.train(text.path, vocab_size=vocab_size, pattern=pattern, **options),
        lambda tok: [tok.token_bytes(token) for token in tok.product.tolist()],
    )


def train_gigabpe(text: Text, pattern: str, vocab_size: int, options: Mapping[str, Any]) -> Training:
    import gigabpe

    check_pattern(pattern, "gpt2")
    # Its vocabulary begins with the bytes that occur, not with all 256.
    n_tokens = vocab_size - 256 + len(set(text.path.read_bytes()))
    return Training(
        lambda: gigabpe.train_bpe([str(text.path)], n_tokens, pretokenizer="bytelevel", min_frequency=2),
        lambda result: [bytes_of(left + right) for left, right in result[1]],
    )


def train_gigatoken(text: Text, pattern: str, vocab_size: int, options: Mapping[str, Any]) -> Training:
    import gigatoken

    check_pattern(pattern, "gpt2")
    return Training(
        lambda: gigatoken.train_bpe(text.path, vocab_size, []),
        lambda result: [left + right for left, right in result[1]],
    )


def train_rustbpe(text: Text, pattern: str, vocab_size: int, options: Mapping[str, Any]) -> Training:
    import rustbpe

    tok, documents, regex = rustbpe.Tokenizer(), text.documents(), expression_of(pattern)

    def tokens(_: Any) -> list[bytes]:
        by_rank = sorted(tok.get_mergeable_ranks(), key=lambda item: item[1])
        return [bytes(token) for token, _ in by_rank][256:]

    return Training(lambda: tok.train_from_iterator(documents, vocab_size, pattern=regex), tokens)


def train_hugging_face(text: Text, pattern: str, vocab_size: int, options: Mapping[str, Any]) -> Training:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tok, documents = Tokenizer(models.BPE()), text.documents()
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre_tokenizers.Split(Regex(expression_of(pattern)), "isolated")
    tok.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=2, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    return Training(
        lambda: tok.train_from_iterator(documents, trainer),
        lambda _: [bytes_of("".join(pair)) for pair in json.loads(tok.to_str())["model"]["merges"]],
    )


def train_sentencepiece(text: Text, pattern: str, vocab_size: int, options: Mapping[str, Any]) -> Training:
    from sentencepiece import SentencePieceTrainer

    check_pattern(pattern, "whitespace")
    settings = {
        "input": str(text.path), "model_type": "bpe", "vocab_size": vocab_size, "hard_vocab_limit": False,
        "max_sentence_length": 1 << 30, "minloglevel": 2,
    }  # fmt: skip
    # Its model is made of characters and marked blanks: nothing to compare token by token.
    return Training(lambda: SentencePieceTrainer.train(model_writer=io.BytesIO(), **settings), lambda _: [])


TRAINERS: dict[str, Callable[[Text, str, int, Mapping[str, Any]], Training]] = {
    OURS: train_ours,
    "gigabpe": train_gigabpe,
    "gigatoken": train_gigatoken,
    "rustbpe": train_rustbpe,
    "Hugging Face": train_hugging_face,
    "sentencepiece": train_sentencepiece,
}


def check_pattern(pattern: str, only: str) -> None:
    """Raise `ValueError` if a tool that has one pattern is asked for another."""
    if pattern != only:
        raise ValueError(f"this tool has the pattern {only} only, not {pattern}")


def expression_of(pattern: str) -> str:
    """Return the regular expression of a named split pattern."""
    from bpe_studio.engine.named_patterns import BY_NAME

    expression = BY_NAME[pattern].expression
    if expression is None:
        raise ValueError(f"the pattern {pattern} has no expression")
    return expression


def bytes_of(stand_ins: str) -> bytes:
    """Return the bytes that GPT-2's printable characters stand for."""
    from bpe_studio.engine.alphabet import byte_sequence

    first_hidden = 188
    sequence = byte_sequence("gpt2")
    return bytes(ord(c) if ord(c) < 256 else sequence[first_hidden + ord(c) - 256] for c in stand_ins)
