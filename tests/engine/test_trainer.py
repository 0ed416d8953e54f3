"""Trainer: the compiled loop and the reference are one; slices, stops and continuations."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import TrainingError, UnknownCharacterError
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import WordTable
from tests.engine.building import reference_of, reference_rows, rows_of, trained, trainings

THOROUGH = settings(max_examples=400)


@THOROUGH
@given(trainings())
def test_compiled_merges_counts_ties_and_margins_equal_the_reference(training):
    words, config = training
    trainer = trained(words, config)
    assert rows_of(trainer.log) == reference_rows(words, config)


@given(trainings())
def test_plain_engine_equals_the_compiled_one(training):
    words, config = training
    plain, compiled = trained(words, config, "reference"), trained(words, config)
    assert rows_of(plain.log) == rows_of(compiled.log)
    assert plain.stop_reason == compiled.stop_reason


@given(trainings(), st.data())
def test_slicing_changes_nothing(training, data):
    words, config = training
    whole = trained(words, config)
    sliced = Trainer(words, config, engine="kernels")
    while sliced.stop_reason is None:
        batch = sliced.advance(data.draw(st.integers(1, 4)))
        assert batch.first_rank + len(batch) == len(sliced.log)
    assert rows_of(sliced.log) == rows_of(whole.log)
    assert sliced.stop_reason == whole.stop_reason


@given(trainings(), st.data())
def test_going_on_from_a_prefix_equals_training_through(training, data):
    words, config = training
    whole = trained(words, config)
    k = data.draw(st.integers(0, len(whole.log)))
    for engine in ("kernels", "reference"):
        again = Trainer(words, config, log=whole.log.first(k), engine=engine)
        again.advance()
        assert rows_of(again.log) == rows_of(whole.log)


@given(trainings(), st.data())
def test_raising_the_vocabulary_size_extends_the_same_list(training, data):
    words, config = training
    whole = trained(words, config)
    n_base = config.vocab_size - whole.n_target
    small = trained(words, replace(config, vocab_size=n_base + data.draw(st.integers(0, len(whole.log)))))
    larger = Trainer(words, config, log=small.log)
    larger.advance()
    assert rows_of(larger.log) == rows_of(whole.log)


@given(trainings())
def test_counts_kept_up_to_date_equal_a_recount_after_every_merge(training):
    words, config = training
    reference, trainer = reference_of(words, config), Trainer(words, config, engine="kernels")
    while len(trainer.advance(1)):
        reference.apply((int(trainer.log.left[-1]), int(trainer.log.right[-1])))
        assert trainer.log.corpus_tokens[-1] == reference.corpus_tokens()
        assert trainer._running().best_count() == reference.best_count()


@pytest.mark.parametrize("engine", ["kernels", "reference"])
def test_counts_beyond_32_bits_do_not_wrap(engine):
    words = WordTable.from_counts([("ab", 3_000_000_000), ("cd", 5_000_000_000), ("efg", 1)])
    log = trained(words, TrainingConfig(vocab_size=258), engine).log
    assert [(log.token_bytes(token), count) for token, count in zip(log.token, log.count, strict=True)] == [
        (b"cd", 5_000_000_000),
        (b"ab", 3_000_000_000),
    ]


@pytest.mark.parametrize("engine", ["kernels", "reference"])
@pytest.mark.parametrize(
    ("longest", "learned"), [(1, []), (2, [b"ab", b"cd"]), (3, [b"ab", b"cd"]), (4, [b"ab", b"cd", b"abcd"])]
)
def test_longest_token_means_at_most(longest, learned, engine):
    words = WordTable.from_counts([("abcd", 5)])
    config = TrainingConfig(vocab_size=266, tie_rule="lowest-ids", max_token_length=longest)
    log = trained(words, config, engine).log
    assert [log.token_bytes(token) for token in log.token] == learned


def test_longest_token_counts_characters_in_a_character_alphabet():
    words = WordTable.from_counts([("éé", 3)])
    config = TrainingConfig(vocab_size=10, alphabet="characters", max_token_length=2)
    assert len(trained(words, config).log) == 1


@pytest.mark.parametrize("engine", ["kernels", "reference"])
@pytest.mark.parametrize(
    ("text", "changes", "said"),
    [
        (
            "hello",
            {"vocab_size": 1000, "min_frequency": 1},
            "no pair is left to merge; 740 merges short of 1,000",
        ),
        ("hello", {"vocab_size": 1000}, "best count 1 is below 2; 744 merges short of 1,000"),
        ("abab", {"vocab_size": 257}, "the vocabulary is full at 257"),
        ("abab", {"vocab_size": 256}, "the vocabulary is full at 256"),
        ("a", {"vocab_size": 257}, "no pair is left to merge; 1 merge short of 257"),
    ],
)
def test_stop_is_said_with_numbers(engine, text, changes, said):
    trainer = trained(WordTable.from_counts([(text, 1)]), TrainingConfig(**changes), engine)
    assert trainer.stop_reason.text == said


def test_no_words_stop_at_once():
    trainer = trained(WordTable.from_counts([]), TrainingConfig(vocab_size=300))
    assert trainer.stop_reason.code == "no_pair"
    assert len(trainer.advance()) == 0


def test_too_small_a_vocabulary_names_the_least():
    words = WordTable.from_counts([("ab", 1)], special_tokens=("<s>", "<e>"))
    with pytest.raises(TrainingError, match="at least 258: 256 base tokens and 2 special tokens"):
        Trainer(words, TrainingConfig(vocab_size=257))


def test_explicit_base_must_hold_every_character():
    words = WordTable.from_counts([("abxy", 1)])
    with pytest.raises(UnknownCharacterError) as caught:
        Trainer(words, TrainingConfig(alphabet="characters", base_characters=("ab",), vocab_size=10))
    assert caught.value.characters == ("x", "y")


def test_merges_of_another_corpus_are_refused():
    log = trained(WordTable.from_counts([("abab", 1)]), TrainingConfig(vocab_size=257)).log
    with pytest.raises(TrainingError, match="merge 0 does not occur"):
        Trainer(
            WordTable.from_counts([("xyxy", 1)]), TrainingConfig(vocab_size=300), log=log, engine="kernels"
        ).advance()


@pytest.mark.parametrize("tie_rule", ["lexicographic", "first-seen", "shortest", "random:1"])
def test_arrays_grow_with_the_work(tie_rule):
    rng = np.random.default_rng(5)
    texts = ["".join(map(chr, rng.integers(97, 105, rng.integers(2, 30)))) for _ in range(3000)]
    words = WordTable.from_counts([(text, 1) for text in texts])
    config = TrainingConfig(vocab_size=1500, tie_rule=tie_rule)
    trainer = trained(words, config)
    reference = reference_of(words, config)
    assert len(trainer.log) == 1244
    for rank in range(60):
        merge = reference.step()
        row = rows_of(trainer.log)[rank]
        assert row == (
            merge.left,
            merge.right,
            merge.token,
            merge.count,
            merge.n_tied,
            merge.margin,
            merge.corpus_tokens,
        )


def test_many_equal_large_counts_are_counted_as_tied():
    words = WordTable.from_counts([(chr(97 + i) + chr(97 + j), 2**40) for i in range(20) for j in range(20)])
    log = trained(words, TrainingConfig(vocab_size=300)).log
    assert log.n_tied.tolist() == list(range(400, 400 - 44, -1))
    assert set(log.margin.tolist()) == {0}


def test_a_long_word_of_few_letters_learns_the_known_merges():
    state, letters = 7, []
    for _ in range(200_000):
        state = (state * 1103515245 + 12345) % 2**31
        letters.append("acgt"[(state >> 20) % 4])
    words = WordTable.from_counts([("".join(letters), 1)])
    log = trained(words, TrainingConfig(vocab_size=306, tie_rule="lowest-ids")).log
    assert rows_of(log)[0][:2] == (103, 99)
    pairs = list(zip(log.left.tolist(), log.right.tolist(), strict=True))
    assert pairs[:5] == [(103, 99), (97, 97), (116, 99), (97, 99), (116, 116)]
    digest = hashlib.sha256(json.dumps(pairs, separators=(",", ":")).encode()).hexdigest()
    assert digest == "995de7d67ee49ddd2613db79d85327093bf62dacaf5f37cc0aa022faf457b8eb"  # of all 50
