"""Session: runs are append-only, the cursor stands between rows, nothing here needs a window."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import count_words
from bpe_studio.session import (
    THIS_TRAINING,
    OpenedTokenizer,
    Session,
    changed_settings,
    new_run,
    opened_run,
)

CONFIG = TrainingConfig(vocab_size=259, pattern="none")
WORDS = count_words("aaabdaaabac", pattern="none")


def trained(n_merges: int, config: TrainingConfig = CONFIG):
    run = new_run("run", WORDS, config)
    trainer = Trainer(WORDS, config)
    run.log.extend(trainer.advance(max_merges=n_merges))
    run.stop_reason = trainer.stop_reason
    return run


def test_a_new_run_knows_its_corpus_before_any_merge():
    run = new_run("run", WORDS, CONFIG)
    assert (run.n_merges, run.n_target, run.n_base, run.log.corpus_tokens_before) == (0, 3, 256, 11)
    assert run.can_grow and run.saved and run.facts.n_bytes == 11


def test_a_run_at_its_target_is_full_and_cannot_grow():
    run = trained(3)
    assert run.is_full and not run.can_grow and not run.saved
    assert run.full_reason == replace(run.full_reason, code="vocabulary_full")
    assert run.full_reason.numbers["vocab_size"] == 259


def test_a_stop_by_the_user_is_no_hindrance():
    run = trained(1)
    run.stop_reason = replace(run.full_reason, code="user")
    assert run.can_grow


def test_the_tokenizer_at_a_cursor_is_that_of_a_shorter_training():
    run = trained(3)
    for k in range(4):
        shorter = Trainer(WORDS, replace(CONFIG, vocab_size=256 + k))
        shorter.advance()
        assert run.tokenizer_at(k) == shorter.tokenizer()
    assert run.tokenizer_at(3).training.stop_reason == run.stop_reason
    assert run.tokenizer_at(2).training.stop_reason is None


def test_special_tokens_take_room_in_the_vocabulary():
    words = count_words("aaabdaaabac", pattern="none", special_tokens=("<|end|>",))
    run = new_run("run", words, replace(CONFIG, special_tokens=("<|end|>",)))
    assert (run.n_base, run.n_target) == (257, 2)


def test_the_cursor_stays_within_the_merges_and_follows_only_at_their_end():
    session = Session()
    session.add_run(trained(3))
    assert (session.cursor, session.following) == (3, True)
    assert session.move_cursor(1) and not session.following
    assert not session.move_cursor(1)
    session.move_cursor(-5)
    assert session.cursor == 0
    session.move_cursor(99)
    assert (session.cursor, session.following) == (3, True)


@pytest.mark.parametrize(
    ("fields", "differ", "extend"),
    [
        ({}, False, False),
        ({"vocab_size": 300}, True, True),
        ({"vocab_size": 258}, True, False),
        ({"vocab_size": 300, "tie_rule": "first-seen"}, True, False),
        ({"n_threads": 3}, False, False),
    ],
)
def test_settings_say_whether_they_start_a_new_run(fields, differ, extend):
    session = Session(settings=replace(CONFIG, **fields))
    session.add_run(trained(1))
    assert (session.settings_differ, session.settings_extend) == (differ, extend)


def test_changed_settings_are_named():
    assert changed_settings(CONFIG, replace(CONFIG, min_frequency=3, errors="skip")) == {"min_frequency"}


def test_an_edited_corpus_marks_runs_but_takes_nothing_from_them():
    session = Session()
    session.add_run(trained(2))
    session.mark_stale()
    assert session.current.stale and session.current.words is WORDS and session.n_merges == 2


def test_a_run_with_merges_is_never_replaced():
    session = Session()
    session.add_run(trained(1))
    with pytest.raises(AssertionError):
        session.replace_run(session.current, new_run("other", WORDS, CONFIG))


def test_deleting_the_current_run_makes_its_neighbour_current():
    session = Session()
    first, second = trained(1), trained(2)
    session.add_run(first)
    session.add_run(second)
    session.delete(second)
    assert session.current is first and session.cursor == 1
    session.delete(first)
    assert session.current is None and session.cursor == 0


def test_an_opened_tokenizer_with_its_training_shows_counts():
    run = opened_run("file", trained(3).tokenizer_at(3), None)
    assert not run.has_words and not run.can_grow and run.saved
    assert run.log.count.tolist() == [4, 2, 2] and run.n_target == 3 and run.facts.n_bytes == 11


def test_an_opened_tokenizer_without_training_shows_unknown_counts():
    tokenizer = replace(trained(3).tokenizer_at(3), training=None)
    run = opened_run("file", tokenizer, None)
    assert run.log.count.tolist() == [-1, -1, -1] and run.log.origin.tolist() == [2, 2, 2]
    assert run.tokenizer_at(2) == tokenizer.first(2)
    assert run.facts is None


def test_deleting_an_opened_tokenizer_gives_preview_back_to_the_training():
    session = Session()
    run = opened_run("file", trained(3).tokenizer_at(3), None)
    session.opened = [OpenedTokenizer("file", run.tokenizer, None)]
    session.add_run(run)
    session.preview_source = "file"
    session.delete(run)
    assert session.opened == [] and session.preview_source == THIS_TRAINING


def test_names_in_the_run_list_are_distinct():
    session = Session()
    session.add_run(trained(1))
    assert session.fresh_name("run") == "run (2)"
    assert session.fresh_name("other") == "other"
    assert session.fresh_name(THIS_TRAINING) != THIS_TRAINING


def test_the_session_loads_no_qt():
    import subprocess

    code = "import sys, bpe_studio.session; print(any(name.startswith('PySide6') for name in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
