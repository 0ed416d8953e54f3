"""The why-sentence in words: every rule's reason, every stop, pairs always as two tokens."""

from __future__ import annotations

import pytest

from bpe_studio.analysis.ties import Why, explain, explain_row
from bpe_studio.engine.config import StopReason, TrainingConfig
from bpe_studio.engine.replay import state_at
from bpe_studio.engine.trainer import Trainer
from bpe_studio.engine.words import count_words
from bpe_studio.gui.why_text import CANDIDATES, CORPUS, EXTEND, plain_text, why_segments


def why_at(text: str, k: int, **settings) -> Why:
    config = TrainingConfig(**({"vocab_size": 300, "pattern": "none"} | settings))
    words = count_words(text, pattern=config.pattern)
    trainer = Trainer(words, config)
    trainer.advance(max_merges=k)
    return explain(state_at(words, trainer.log, k), trainer.log)


def sentence(why: Why | None, *, is_row: bool = False) -> str:
    return plain_text(why_segments(why, is_row=is_row))


def test_no_reason_is_no_sentence():
    assert sentence(None) == ""


def test_a_clear_winner_names_its_runner_up():
    assert (
        sentence(why_at("aaabdaaabac", 0))
        == "Next, merge 0: ‘a’ + ‘a’ → ‘aa’  4 times, 2 more than ‘a’ + ‘b’."
    )


def test_a_selected_row_is_not_called_next():
    assert sentence(why_at("aaabdaaabac", 0), is_row=True).startswith("Merge 0: ")


def test_the_only_pair_says_so():
    assert (
        sentence(why_at("aa", 0, min_frequency=1))
        == "Next, merge 0: ‘a’ + ‘a’ → ‘aa’  once, the only pair there is."
    )


REASONS = {
    "lexicographic": "lexicographic takes it because 61 + 62 < 61 61 + 61",
    "reverse-lexicographic": "takes it because 61 61 + 61 > 61 + 62",
    "first-seen": "first-seen takes it because it is met first, at 0 and not 2",
    "lowest-ids": "lowest-ids takes it because the ids (97, 98) < (256, 97)",
    "shortest": "shortest takes it because length and bytes 2: 61 62 < 3: 61 61 61",
    "random:7": "random:7 takes it because its draw 0x",
}


@pytest.mark.parametrize(("rule", "reason"), REASONS.items(), ids=REASONS)
def test_a_tie_gives_the_reason_of_the_rule(rule, reason):
    text = sentence(why_at("aaabdaaabac", 1, tie_rule=rule))
    assert "2 times. 2 pairs tie; " in text and reason in text
    assert " would take " in text


def test_rules_that_take_the_same_other_pair_are_counted():
    assert sentence(why_at("aaabdaaabac", 1)).endswith("; first-seen would take ‘aa’ + ‘a’; and 2 more.")


def test_pairs_that_make_the_same_token_stay_two_pairs():
    segments = why_segments(why_at("aaabdaaabac", 1), is_row=False)
    chips = [segment.data for segment in segments if segment.kind == "chip"]
    assert chips == [b"a", b"b", b"ab", b"aa", b"a"]


def test_blanks_and_half_characters_are_visible():
    why = why_at("é é é é", 0)
    text = sentence(why)
    assert "\ufffd" not in text and "C3" in text


def test_markup_in_tokens_stays_text():
    assert "‘<’ + ‘b’" in sentence(why_at("<b<b<b", 0))


def test_a_loaded_merge_without_counts_sends_to_the_corpus():
    from bpe_studio.session import loaded_merges, opened_run

    words = count_words("aaabdaaabac", pattern="none")
    trainer = Trainer(words, TrainingConfig(vocab_size=259, pattern="none"))
    trainer.advance()
    from dataclasses import replace

    run = opened_run("file", replace(trainer.tokenizer(), training=None), None)
    assert len(loaded_merges(run.tokenizer)) == 3
    segments = why_segments(explain_row(run.log, 1), is_row=True)
    text = plain_text(segments)
    assert text == "Merge 1: ‘a’ + ‘b’ → ‘ab’: its count is in no file; open a corpus to see counts."
    assert [one.target for one in segments if one.kind == "link"] == [CORPUS]


STOPS = {
    "vocabulary_full": (
        {"vocab_size": 512, "target": 512, "n_merges": 256, "short": 0},
        "Vocabulary full at 512: extend",
    ),
    "no_pair": (
        {"vocab_size": 260, "target": 4096, "n_merges": 4, "short": 3836},
        "No pair is left to merge; 3,836 merges short of a vocabulary of 4,096",
    ),
    "min_frequency": (
        {"best_count": 1, "min_frequency": 2, "target": 4096, "n_merges": 3882, "short": 214},
        "The best count, 1, is below the minimum of 2; 214 merges short of a vocabulary of 4,096",
    ),
    "user": (
        {"n_merges": 1234, "target": 4096, "short": 1},
        "Stopped at 1,234 merges; one merge short of a vocabulary of 4,096",
    ),
}


@pytest.mark.parametrize(("code", "case"), STOPS.items(), ids=STOPS)
def test_every_stop_is_said_with_its_numbers(code, case):
    numbers, text = case
    segments = why_segments(Why("stopped", 5, "lexicographic", stop=StopReason(code, numbers)), is_row=False)
    assert plain_text(segments) == text
    assert [one.target for one in segments if one.kind == "link"] == (
        [EXTEND] if code == "vocabulary_full" else []
    )


def test_the_tie_links_to_the_candidates():
    segments = why_segments(why_at("aaabdaaabac", 1), is_row=False)
    assert [one.target for one in segments if one.kind == "link"] == [CANDIDATES]
