from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks import corpora, plot, report, running
from tests.benchmarks.__main__ import main
from tests.benchmarks.child import KINDS, digest
from tests.benchmarks.records import BENCHMARKS, MODULES, OURS, SAME_RULE, Benchmark, Job, training
from tests.benchmarks.trainers import TRAINERS, Text

TEXT = "The ferry leaves on the hour. A bell, a whistle, and the town is small again.\n" * 40


@pytest.fixture
def text(tmp_path: Path) -> Text:
    corpus = corpora.prepare("en_1mb", {"en_1mb": given_text(tmp_path)}, tmp_path)
    return Text(corpus.path, corpus.ends)


def given_text(folder: Path) -> Path:
    path = folder / "given.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_documents_are_the_file_and_are_cut_before_blanks():
    ends = corpora.document_ends(TEXT.encode(), 100)
    parts = [TEXT.encode()[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    assert b"".join(parts) == TEXT.encode()
    assert len(parts) > 10 and all(part.startswith(b" ") for part in parts[1:])


def test_a_text_without_a_safe_place_is_one_document():
    assert corpora.document_ends(b"a" * 1_000, 100) == [1_000]


@pytest.mark.parametrize("recipe", corpora.RECIPES)
def test_every_recipe_makes_text_of_the_size_asked_for(recipe):
    text = corpora.make_text(f"{recipe}_1mb", 50_000)
    assert 49_990 < len(text) <= 50_000
    text.decode()


def test_distinct_words_are_distinct():
    words = corpora.make_text("distinct_words_1mb", 300_000).split()
    assert len(set(words)) == len(words) == 50_000


@pytest.mark.parametrize("peer", [peer for peer in TRAINERS if peer not in (OURS, "sentencepiece")])
def test_a_peer_that_follows_the_same_rule_learns_the_same_tokens(peer, text):
    pytest.importorskip(MODULES[peer])
    lines = {"lines": True} if peer == "gigabpe" else {}
    ours = TRAINERS[OURS](text, "gpt2", 300, dict(SAME_RULE[peer]) | lines)
    theirs = TRAINERS[peer](text, "gpt2", 300, {})
    assert theirs.tokens(theirs.run()) == ours.tokens(ours.run())


def test_every_job_that_is_asked_for_is_known():
    jobs = [job for b in BENCHMARKS for job in (b.ours, b.theirs) if job is not None]
    assert {job.kind for job in jobs} <= set(KINDS)
    assert all(job.tool in TRAINERS for job in jobs if job.kind == "train")
    assert all(corpora.n_bytes_of(job.corpus) for job in jobs if job.corpus)


def test_who_begins_alternates():
    order = []

    def run(job):
        order.append(job.tool)
        return {"seconds": 1.0}

    list(running.alternating([Job("train", "a"), Job("train", "b")], run, 3))
    assert order == ["a", "b", "b", "a", "a", "b"]


def test_the_ratio_is_the_median_of_the_pairs():
    bench = training("en_1mb", "gpt2", 300, "rustbpe", 0.5)
    found = [
        ({"seconds": a, "result": "x"}, {"seconds": b, "result": "x"}) for a, b in ((1, 4), (2, 2), (1, 8))
    ]
    row = running.row_of(bench, found)
    assert row.ratio == 0.25 and row.holds and row.is_same
    assert not running.Row(bench, (3.0,), (4.0,)).holds


def test_a_peer_that_is_missing_is_left_out_and_said(tmp_path, monkeypatch):
    monkeypatch.setitem(MODULES, "rustbpe", "no_such_module")
    bench = training("en_1mb", "gpt2", 300, "rustbpe", 0.5)
    rows = running.measure((bench,), running.Workshop(tmp_path), 1, lambda text: None)
    assert report.missing(rows)[0].endswith("against rustbpe: no_such_module is not installed")


def test_a_job_that_fails_says_why(tmp_path):
    with pytest.raises(running.JobError, match="No module named 'no_such_module'"):
        running.Workshop(tmp_path).run(Job("import", "no_such_module"))


def test_the_command_measures_in_processes_of_their_own_and_writes_json(tmp_path, capsys):
    out = tmp_path / "figures.json"
    options = ["--only", "import against numpy", "--quick", "--folder", str(tmp_path), "--json", str(out)]
    assert main(options) == 0
    assert "numpy" in capsys.readouterr().out
    row = json.loads(out.read_text("utf-8"))["rows"][0]
    assert row["against"] == "numpy" and row["ratio"] > 0 and row["problem"] is None


@pytest.mark.skipif(find_spec("rustbpe") is None, reason="rustbpe is not installed")
def test_a_training_is_measured_with_its_memory_and_its_words(tmp_path):
    workshop = running.Workshop(tmp_path, {"en_1mb": given_text(tmp_path)})
    row = running.measure((training("en_1mb", "gpt2", 300, "rustbpe"),), workshop, 1, lambda text: None)[0]
    assert row.problem is None and row.is_same and row.ratio > 0
    words = workshop.n_words["en_1mb, gpt2"]
    assert words["file"] == words["documents"] > 0


def test_a_bar_without_a_peer_is_held_against_the_figure_itself():
    row = running.Row(Benchmark("compile", Job("compile", OURS), None, 15, 10), (12.0,))
    assert row.ratio == 12 and row.holds


def test_the_table_of_the_readme_has_the_medians():
    bench = training("en_1mb", "gpt2", 300, "rustbpe", 0.5)
    rows = [running.Row(bench, (1.0, 3.0, 2.0), (4.0, 4.0, 8.0)), running.Row(bench, problem="not installed")]
    last = report.markdown(rows).splitlines()[2:]
    assert last == ["| train, en_1mb, gpt2, 300 | rustbpe | 2 s | 4 s | 0.25 |"]


def test_the_plot_draws_every_tool_in_four_charts():
    places = [(1, 0.1), (10, 0.5), (100, 3.0)]
    points = [
        plot.Point(tool, against, x, seconds, 100 * seconds)
        for tool in plot.TOOLS for against in ("corpus", "vocabulary") for x, seconds in places
    ]  # fmt: skip
    picture = plot.drawn(points)
    lines = {group.get("id") for group in ElementTree.fromstring(picture).iterfind(".//{*}g[@id]")}
    assert lines >= {f"{tool} {against} {field}" for tool in plot.TOOLS for against, field in plot.CHARTS}
    assert plot.drawn(points) == picture


def test_hashes_tell_where_one_token_ends():
    assert digest(b"ab", b"c") != digest(b"a", b"bc")
