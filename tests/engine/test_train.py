"""train(): sources, arithmetic of sizes, progress, and equality with tools that are installed."""

from __future__ import annotations

import random

import pytest

import bpe_studio as bs
from tests.engine.building import rows_of


def test_three_merges_of_the_textbook():
    tok = bs.train("aaabdaaabac", vocab_size=259, pattern="none", min_frequency=1)
    assert tok.merges == [(b"a", b"a"), (b"a", b"b"), (b"aa", b"ab")]
    assert tok.encode("aaabdaaabac") == [258, 100, 258, 97, 99]
    log = tok.training.log
    assert (log.count.tolist(), log.n_tied.tolist(), log.margin.tolist()) == ([4, 2, 2], [1, 2, 1], [2, 0, 1])
    assert tok.training.stop_reason.text == "the vocabulary is full at 259"


@pytest.mark.parametrize("placement", ["first", "last"])
def test_vocabulary_size_counts_specials_and_leaves_no_hole(placement):
    text = " ".join(f"word{i} other{i}" for i in range(100))
    tok = bs.train(
        text, vocab_size=300, special_tokens=["<|endoftext|>", "<|pad|>"], special_placement=placement
    )
    assert (len(tok.merges), tok.vocab_size, tok.n_ids) == (42, 300, 300)
    assert sorted(tok.tokens) == list(range(300))
    assert tok.special_tokens["<|endoftext|>"] == (0 if placement == "first" else 298)


def test_specials_in_the_text_are_walls_and_no_words():
    tok = bs.train("ab<|s|>ab<|s|>a", vocab_size=400, pattern="none", special_tokens=["<|s|>"])
    assert tok.merges == [(b"a", b"b")]


def test_a_str_is_one_document_and_an_iterable_is_many():
    whole = bs.train("abab", vocab_size=300, pattern="none", min_frequency=1)
    parts = bs.train((part for part in ("ab", b"ab")), vocab_size=300, pattern="none", min_frequency=1)
    assert [left + right for left, right in whole.merges] == [b"ab", b"abab"]
    assert [left + right for left, right in parts.merges] == [b"ab"]


def test_words_may_be_counted_first(tmp_path):
    words = bs.count_words("the cat the hat", pattern="gpt2")
    assert bs.train(words, vocab_size=270) == bs.train("the cat the hat", vocab_size=270, pattern="gpt2")
    with pytest.raises(bs.TrainingError, match="pattern is 'o200k'"):
        bs.train(words, vocab_size=270, pattern="o200k")
    with pytest.raises(bs.TrainingError, match="special_tokens"):
        bs.train(words, vocab_size=270, special_tokens=["<s>"])


@pytest.mark.parametrize("stage", ["counting", "training"])
def test_cancel_keeps_what_exists(stage, tmp_path):
    (tmp_path / "a.txt").write_text("the cat sat on the mat " * 2000)
    (tmp_path / "b.txt").write_text("the dog sat on the log " * 2000)
    tok = bs.train(tmp_path, vocab_size=400, progress=lambda name, done, total: name != stage)
    assert (tok.training.stop_reason.code, tok.merges) == ("user", [])
    assert tok.decode(tok.encode("the cat")) == "the cat"


def test_progress_tells_stage_done_and_total(tmp_path):
    seen = []
    path = tmp_path / "a.txt"
    path.write_text("the cat sat on the mat " * 2000)
    bs.train(path, vocab_size=280, progress=lambda *report: seen.append(report))
    assert {stage for stage, _, _ in seen} == {"counting", "training"}
    assert all(total is None or done <= total for _, done, total in seen)


def test_a_record_goes_with_the_tokenizer():
    tok = bs.train("aaabdaaabac", vocab_size=258, pattern="none")
    record = tok.training
    assert (record.config.vocab_size, record.config.pattern, record.facts.n_bytes) == (258, "none", 11)
    assert rows_of(record.log) == [(97, 97, 256, 4, 1, 2, 9), (97, 98, 257, 2, 2, 0, 7)]


def generated_documents(seed, n):
    rng = random.Random(seed)
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"] + ["ß", "é", "ы", "漢"]
    for _ in range(n):
        words = ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(rng.randint(3, 30))]
        yield " ".join(words).capitalize() + rng.choice([".\n", "!\n", "?\r\n", "...  \n"])


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
def test_equals_rustbpe_run_here(pattern):
    rustbpe = pytest.importorskip("rustbpe")
    documents = list(generated_documents(1, 400))
    tok = bs.train(documents, vocab_size=700, pattern=pattern, tie_rule="lowest-ids", min_frequency=1)
    peer = rustbpe.Tokenizer()
    peer.train_from_iterator(iter(documents), 700, pattern=tok.pattern.expression)
    theirs = [bytes(token) for token, _ in sorted(peer.get_mergeable_ranks(), key=lambda item: item[1])]
    assert theirs[256:] == [left + right for left, right in tok.merges]


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", "o200k"])
def test_equals_hugging_face_run_here(pattern):
    tokenizers = pytest.importorskip("tokenizers")
    documents = list(generated_documents(2, 400))
    tok = bs.train(
        documents, vocab_size=700, pattern=pattern, tie_rule="lowest-ids", byte_order="gpt2", min_frequency=2
    )
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(tok.pattern.expression), "isolated")
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    peer = tokenizers.Tokenizer(tokenizers.models.BPE())
    peer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, byte_level])
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=700, min_frequency=2, show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    peer.train_from_iterator(documents, trainer)
    for document in documents:
        assert peer.encode(document).ids == tok.encode(document)
    assert peer.get_vocab_size() == tok.vocab_size
