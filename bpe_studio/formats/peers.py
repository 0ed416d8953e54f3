"""Other programs that load what we write, for checking it: imported only where they are installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.content import Content
from bpe_studio.formats.expressions import to_oniguruma
from bpe_studio.formats.gpt2 import merges_of, vocabulary_of
from bpe_studio.formats.tiktoken import WHOLE_TEXT, ranks_of

Encode = Callable[[list[str]], list[list[int]]]


def load_with_tokenizers(content: Content, tokenizer: Tokenizer) -> Encode:
    """Return the encoder that Hugging Face's library makes of a tokenizer.json."""
    loaded = import_module("tokenizers").Tokenizer.from_str(content.data.decode())
    loaded.encode_special_tokens = True
    return lambda texts: [e.ids for e in loaded.encode_batch(texts, add_special_tokens=False)]


def load_pair_with_tokenizers(content: Content, tokenizer: Tokenizer) -> Encode:
    """Return the encoder that Hugging Face's library makes of a vocab.json and its merges.txt."""
    library = import_module("tokenizers")
    loaded = library.Tokenizer(library.models.BPE(dict(vocabulary_of(content)), merges_of(content)))
    before = library.pre_tokenizers
    expressions = [] if tokenizer.pattern.expression is None else [tokenizer.pattern.expression]
    steps = [
        before.Split(library.Regex(to_oniguruma(expression)), "isolated")
        for expression in (*expressions, *tokenizer.pattern.then)
    ]
    if tokenizer.alphabet.kind == "bytes":
        steps.append(before.ByteLevel(add_prefix_space=False, use_regex=False))
    loaded.pre_tokenizer = before.Sequence(steps)
    return lambda texts: [e.ids for e in loaded.encode_batch(texts, add_special_tokens=False)]


def load_with_tiktoken(content: Content, tokenizer: Tokenizer) -> Encode:
    """Return the encoder that tiktoken makes of a rank file."""
    encoding = import_module("tiktoken").Encoding(
        "check",
        pat_str=tokenizer.pattern.expression or WHOLE_TEXT,
        mergeable_ranks=ranks_of(content),
        special_tokens=dict(tokenizer.special_tokens),
    )
    return lambda texts: [encoding.encode_ordinary(text) for text in texts]


def load_with_sentencepiece(content: Content, tokenizer: Tokenizer) -> Encode:
    """Return the encoder that SentencePiece makes of a model."""
    processor = import_module("sentencepiece").SentencePieceProcessor(model_proto=content.data)
    return lambda texts: [processor.encode(text) for text in texts]
