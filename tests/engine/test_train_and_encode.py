from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.train import train
from tests.strategies import awkward_texts, corpora

RULES = ("lexicographic", "reverse-lexicographic", "first-seen", "lowest-ids", "shortest", "random:7")


@pytest.mark.parametrize("rule", RULES)
@given(
    documents=corpora(),
    more=awkward_texts(),
    alphabet=st.sampled_from(["bytes", "characters"]),
    placed=st.booleans(),
)
@settings(max_examples=25)
def test_encoding_the_corpus_gives_the_tokens_that_training_counted(
    rule: str, documents: list[str], more: str, alphabet: str, placed: bool
) -> None:
    tokenizer = train(
        Corpus.from_source(documents), vocab_size=2000, pattern="gpt4", alphabet=alphabet, tie_rule=rule,
        special_tokens=["<|end|>", "e"], special_placement="first" if placed else "last",
        unknown_token="<unk>",
    )  # fmt: skip
    record = tokenizer.training
    assert record is not None and tokenizer.is_ordered()
    for k in (0, len(record.log) // 2, len(record.log)):
        ids = [tokenizer.first(k).encode(text, allowed_special="all") for text in documents]
        specials = set(tokenizer.first(k).special_tokens.values())
        counted = sum(token not in specials for document in ids for token in document)
        expected = record.log.corpus_tokens[k - 1] if k else record.log.corpus_tokens_before
        assert counted == expected
        assert [tokenizer.first(k).decode(document) for document in ids] == documents
    if alphabet == "bytes":
        assert tokenizer.decode(tokenizer.encode(more, allowed_special="none")) == more
        assert tokenizer.decode(tokenizer.encode(more, allowed_special="all")) == more
