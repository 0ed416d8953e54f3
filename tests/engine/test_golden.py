"""What books print and what other trainers learn, merge for merge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.words import WordTable, count_words
from tests.engine.building import trained

GOLDEN = Path(__file__).parent.parent / "golden"
TEXTBOOK = json.loads((GOLDEN / "textbook.json").read_text())["runs"]
EXPERIMENTS = json.loads((GOLDEN / "tiebreak_experiments.json").read_text())
FREE = json.loads((GOLDEN / "peer_merges_free_corpus.json").read_text())

RULE_OF = {
    "minbpe.BasicTokenizer": {"tie_rule": "first-seen"},
    "minbpe.RegexTokenizer": {"tie_rule": "first-seen"},
    "tiktoken._educational": {"tie_rule": "first-seen"},
    "rustbpe": {"tie_rule": "lowest-ids"},
    "hf BpeTrainer": {"tie_rule": "lowest-ids", "byte_order": "gpt2"},
    "sentencepiece bpe": {"tie_rule": "shortest", "alphabet": "characters"},
}
ENGINES = ["kernels", "reference"]

# SentencePiece trains on lines. A piece stays within one script, kana counting as Han and marks as any;
# digits, punctuation and CR are one script, "Common"; a blank only begins a piece.
SENTENCEPIECE_LIKE = " ?(?:{})|[\\s\\S]".format(
    "|".join(
        (
            r"[\p{Latin}\p{Inherited}]+",
            r"[\p{Cyrillic}\p{Inherited}]+",
            r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Inherited}]+",
            r"(?:(?! |ー)[\p{Common}\p{Inherited}])+",
            r"\p{Arabic}+|\p{Hebrew}+|\p{Devanagari}+|\p{Hangul}+",
        )
    )
)


def learned(words, engine, **settings):
    trainer = trained(
        words, TrainingConfig(vocab_size=settings.pop("vocab_size", 10_000), **settings), engine
    )
    log = trainer.log
    return log, [
        (log.token_bytes(left), log.token_bytes(right))
        for left, right in zip(log.left, log.right, strict=True)
    ]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("run", TEXTBOOK, ids=lambda run: f"{run['name'][:12]}-{run['rule']}")
def test_textbook_runs(run, engine):
    words = WordTable.from_counts([(document["text"], document["count"]) for document in run["documents"]])
    log, pairs = learned(
        words, engine, alphabet=run["alphabet"], tie_rule=run["rule"], min_frequency=run["min_frequency"]
    )
    read = bytes.fromhex if run["alphabet"] == "bytes" else str.encode
    n = len(run["merges"])
    assert pairs[:n] == [(read(merge["left"]), read(merge["right"])) for merge in run["merges"]]
    assert log.count[:n].tolist() == [merge["count"] for merge in run["merges"]]
    assert log.n_tied[:n].tolist() == [merge["n_tied"] for merge in run["merges"]]
    assert log.corpus_tokens[n - 1] == run["n_tokens_after"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("peer", list(RULE_OF))
@pytest.mark.parametrize(
    "experiment", EXPERIMENTS["experiments"], ids=lambda experiment: experiment["name"][:12]
)
def test_tie_break_experiments(experiment, peer, engine):
    expected = experiment["results"][peer]
    pattern = "none" if peer == "minbpe.BasicTokenizer" else EXPERIMENTS["line_pattern"]
    words = count_words(experiment["text"], pattern=pattern)
    _, pairs = learned(words, engine, min_frequency=1, **RULE_OF[peer])
    if isinstance(
        expected, dict
    ):  # the peer raises when it runs out of pairs: there are fewer than asked for
        assert len(pairs) < experiment["merges_asked"]
    elif peer == "sentencepiece bpe":  # goes on with pieces that no longer occur, which no rule here makes
        tokens = [(left + right).decode() for left, right in pairs]
        assert tokens[: len(expected)] == expected[: len(tokens)]
    else:
        n = min(len(expected), experiment["merges_asked"])
        assert [[left.hex(), right.hex()] for left, right in pairs[:n]] == expected[:n]


BYTE_RUNS = [run for run in FREE["runs"] if "merges" in run]


def rule_of(trainer):
    return next(settings for peer, settings in RULE_OF.items() if trainer.startswith(peer))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("run", BYTE_RUNS, ids=lambda run: f"{run['trainer'][:20]}-{run['pattern_name']}")
def test_free_corpus_learns_what_the_peer_learned(run, engine):
    words = count_words(FREE["corpus"], pattern=run["pattern"] or "none")
    _, pairs = learned(
        words, engine, vocab_size=run["vocab_size"], min_frequency=1, **rule_of(run["trainer"])
    )
    assert [[left.hex(), right.hex()] for left, right in pairs] == run["merges"]


def test_free_corpus_characters_as_hugging_face():
    run = next(run for run in FREE["runs"] if "merges_text" in run)
    words = count_words(FREE["corpus"], pattern="gpt2")
    vocab_size = len(run["alphabet"]) + len(run["merges_text"])
    log, pairs = learned(
        words, "kernels", alphabet="characters", tie_rule="lowest-ids", min_frequency=1, vocab_size=vocab_size
    )
    assert list(log.alphabet.characters) == run["alphabet"]
    assert [[left.decode(), right.decode()] for left, right in pairs] == run["merges_text"]


def test_free_corpus_as_sentencepiece():
    run = next(run for run in FREE["runs"] if run["trainer"] == "sentencepiece bpe")
    merged = [
        piece.replace("\u2581", " ") for piece, score, kind in run["pieces"] if kind == 1 and len(piece) > 1
    ]
    words = count_words(FREE["corpus"].split("\n"), pattern=SENTENCEPIECE_LIKE)
    _, pairs = learned(words, "kernels", alphabet="characters", tie_rule="shortest", min_frequency=1)
    tokens = [(left + right).decode() for left, right in pairs]
    assert len(tokens) == 339  # from there on SentencePiece adds pieces that no longer occur
    assert tokens == merged[: len(tokens)]


PATTERNS = json.loads((GOLDEN / "patterns.json").read_text())["patterns"]
PIECES = json.loads((GOLDEN / "pieces.json").read_text())
TEXT_OF = {row["name"]: row["text"] for row in json.loads((GOLDEN / "encodings.json").read_text())["strings"]}


@pytest.mark.parametrize("pattern", PIECES)
def test_golden_texts_are_cut_as_published(pattern):
    split = resolve_pattern(PATTERNS[pattern]).split
    found = {name: [len(piece) for piece in split(TEXT_OF[name])] for name in PIECES[pattern]}
    assert found == PIECES[pattern]
