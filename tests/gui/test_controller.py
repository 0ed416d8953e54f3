"""The controller: what → does in every state, following, playing, pausing, stopping, runs, rows, files."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from bpe_studio.engine.trainer import Trainer
from bpe_studio.gui.controller import Controller
from bpe_studio.gui.inspection import Focus

PROSE = " ".join(f"the cat {n} sat on mat {n * n}; a dog in {n % 7} fogs met hats." for n in range(2000))


class Notes(QObject):
    """Notes facts of a controller in their order."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.appended: list = []
        self.cursors: list = []
        self.messages: list = []
        self.failures: list = []
        self.states: list = []
        self.snapshots: list = []
        self.bad: list = []
        self.threads: set = set()
        controller.merges_appended.connect(self.on_appended)
        controller.cursor_moved.connect(self.on_cursor)
        controller.message.connect(self.messages.append)
        controller.failed.connect(self.on_failed)
        controller.training_changed.connect(self.on_training)
        controller.snapshot_ready.connect(self.on_snapshot)
        controller.bad_bytes_met.connect(self.bad.append)

    @Slot(int, int)
    def on_appended(self, first, end):
        self.appended.append((first, end))
        self.threads.add(QThread.currentThread())

    @Slot(int)
    def on_cursor(self, k):
        self.cursors.append(k)

    @Slot(str, str)
    def on_failed(self, title, text):
        self.failures.append((title, text))

    @Slot(object)
    def on_training(self, status):
        self.states.append(status.state)

    @Slot(object)
    def on_snapshot(self, snapshot):
        self.snapshots.append(None if snapshot is None else snapshot.k)


@pytest.fixture
def controller(real_controller):
    return real_controller


@pytest.fixture
def notes(controller):
    return Notes(controller)


@pytest.fixture
def sample(controller, notes, qtbot):
    """The first sample, ready for its first step."""
    controller.open_sample("aaabdaaabac")
    qtbot.waitUntil(lambda: controller.why is not None and controller.why.kind == "next")
    return controller


@pytest.fixture
def prose(controller, notes, qtbot):
    """Some text with thousands of possible merges."""
    controller.change_settings(vocab_size=1500)
    controller.add_text("prose", PROSE)
    qtbot.waitUntil(lambda: controller.session.current is not None)
    return controller


def made(controller, n):
    return lambda: controller.session.n_merges == n


# --- what → does


def test_without_a_corpus_a_step_is_refused_with_its_reason(controller, notes):
    assert not controller.can_step
    controller.step()
    assert notes.messages == [controller.blocked_reason] != [""]


def test_at_the_end_a_step_trains_exactly_one_merge(sample, notes, qtbot):
    sample.step()
    qtbot.waitUntil(made(sample, 1))
    assert notes.appended == [(0, 1)] and sample.session.cursor == 1
    qtbot.waitUntil(lambda: sample.training_now.mode == "idle")
    assert sample.session.n_merges == 1
    assert notes.threads == {QThread.currentThread()}


def test_before_the_end_a_step_moves_and_trains_nothing(sample, notes, qtbot):
    sample.step(2)
    qtbot.waitUntil(made(sample, 2))
    sample.step_back(2)
    sample.step()
    assert sample.session.cursor == 1
    qtbot.waitUntil(lambda: sample.snapshot.k == 1)
    assert sample.session.n_merges == 2


def test_ten_steps_from_inside_the_log_train_what_is_beyond_it(prose, qtbot):
    prose.step(5)
    qtbot.waitUntil(made(prose, 5))
    prose.go_to(3)
    prose.step(10)
    qtbot.waitUntil(lambda: prose.session.cursor == 13 == prose.session.n_merges)


def test_three_quick_presses_make_three_merges(sample, qtbot):
    for _ in range(3):
        sample.step()
    qtbot.waitUntil(made(sample, 3))


def test_a_full_vocabulary_refuses_with_its_size(sample, notes, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    assert not sample.can_step and "259" in sample.blocked_reason
    sample.step()
    assert notes.messages[-1] == sample.blocked_reason
    assert sample.why.stop.code == "vocabulary_full"


def test_no_pair_left_is_said_with_its_numbers(controller, notes, qtbot):
    controller.change_settings(vocab_size=300, min_frequency=1, pattern="none")
    controller.add_text("short", "ab")
    qtbot.waitUntil(lambda: controller.why is not None)
    controller.step(5)
    qtbot.waitUntil(lambda: controller.why is not None and controller.why.kind == "stopped")
    assert controller.session.n_merges == 1 and controller.why.stop.code == "no_pair"
    assert controller.why.stop.numbers["short"] == 43
    assert not controller.can_step


def test_one_symbol_has_no_pair_to_merge(controller, notes, qtbot):
    controller.change_settings(pattern="none")
    controller.add_text("one", "a")
    qtbot.waitUntil(lambda: controller.why is not None and controller.why.kind == "stopped")
    assert controller.why.stop.code == "no_pair"


def test_a_count_below_the_minimum_is_said(controller, notes, qtbot):
    controller.change_settings(min_frequency=10, pattern="none")
    controller.add_text("few", "ababab")
    qtbot.waitUntil(lambda: controller.why is not None and controller.why.kind == "stopped")
    assert controller.why.stop.numbers["best_count"] == 3


# --- the cursor


def test_the_end_never_trains(sample, qtbot):
    sample.step(2)
    qtbot.waitUntil(made(sample, 2))
    sample.go_to_start()
    sample.go_to_end()
    assert sample.session.cursor == 2 and sample.session.following
    qtbot.waitUntil(lambda: sample.snapshot.k == 2)
    assert sample.session.n_merges == 2


def test_snapshots_are_those_of_the_cursor(sample, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    for k in (0, 2, 1, 3, 0):
        sample.go_to(k)
        qtbot.waitUntil(lambda k=k: sample.snapshot is not None and sample.snapshot.k == k)
        assert sample.snapshot.n_tokens == [11, 9, 7, 5][k]


def test_the_sentence_changes_at_once_and_is_completed_by_the_snapshot(sample, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    qtbot.waitUntil(lambda: sample.snapshot.k == 3)
    sample.go_to(1)
    assert sample.why.rank == 1 and sample.why.n_tied == 2
    qtbot.waitUntil(lambda: bool(sample.why.choices))
    assert {choice.rule for choice in sample.why.dissent} >= {"first-seen"}


def test_ties_are_found_forwards_and_backwards(sample, notes, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    sample.previous_tie()
    assert sample.session.cursor == 1
    sample.next_tie()
    assert sample.session.cursor == 1 and notes.messages[-1]
    sample.go_to_start()
    sample.next_tie()
    assert sample.session.cursor == 1


@pytest.mark.parametrize(
    ("text", "k"),
    [("2", 2), ("0", 0), ("aa", 1), ("0x6161", 1), ("0x61 61 61 62", 3), ("'ab'", 2), ('"aaab"', 3)],
)
def test_the_box_goes_to_a_number_bytes_or_a_token(sample, qtbot, text, k):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    sample.go_to(0 if k else 1)
    assert sample.go_to_text(text) == ""
    assert sample.session.cursor == k


@pytest.mark.parametrize("text", ["0x6", "zz", "99"])
def test_the_box_says_what_is_wrong(sample, text):
    assert sample.go_to_text(text)


def test_selecting_a_row_explains_it_and_leaves_the_cursor(sample, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    sample.select_row(0)
    assert sample.session.cursor == 3 and sample.why.rank == 0
    qtbot.waitUntil(lambda: sample.why.rival is not None)
    assert sample.why.margin == 2
    sample.select_row(None)
    assert sample.why.kind == "stopped"


# --- training


def test_training_to_the_target_equals_the_bare_engine(prose, notes, qtbot):
    prose.train_to_target()
    qtbot.waitUntil(lambda: prose.training.state == "idle" and prose.session.n_merges > 0, timeout=60000)
    run = prose.session.current
    bare = Trainer(run.words, run.config)
    bare.advance()
    assert run.log.left.tolist() == bare.log.left.tolist()
    assert run.stop_reason == bare.stop_reason
    assert prose.session.cursor == run.n_merges
    ends = [end for _, end in notes.appended]
    assert [first for first, _ in notes.appended] == [0, *ends[:-1]]
    assert "training" in notes.states


def test_training_starts_from_the_last_merge_not_from_the_cursor(prose, qtbot):
    prose.step(3)
    qtbot.waitUntil(made(prose, 3))
    prose.go_to(1)
    prose.train_to_target()
    qtbot.waitUntil(lambda: prose.training.state == "idle" and prose.session.n_merges > 3, timeout=60000)
    assert prose.session.cursor == 1 and not prose.session.following


def test_a_pause_keeps_every_merge_and_resuming_goes_on(prose, qtbot):
    prose.train_to_target()
    qtbot.waitUntil(lambda: prose.session.n_merges > 0, timeout=60000)
    prose.pause()
    if prose.training.state == "paused":
        prose.step_back()
        prose.resume()
    qtbot.waitUntil(lambda: prose.training.state == "idle", timeout=60000)
    assert prose.session.current.stop_reason is not None


def test_a_stop_keeps_every_merge_and_says_who_stopped(prose, notes, qtbot):
    prose.train_to_target()
    qtbot.waitUntil(lambda: prose.session.n_merges > 0, timeout=60000)
    prose.stop()
    run = prose.session.current
    assert run.n_merges > 0 and prose.training.state == "idle"
    assert run.stop_reason.code in ("user", "vocabulary_full", "min_frequency")
    prose.train_to_target()
    qtbot.waitUntil(lambda: prose.training.state == "idle" and run.stop_reason is not None, timeout=60000)
    bare = Trainer(run.words, run.config)
    bare.advance()
    assert run.log.left.tolist() == bare.log.left.tolist()


def test_while_training_a_step_at_the_end_does_nothing(prose, qtbot):
    prose.train_to_target()
    target = prose.training_now._target
    prose.step()
    assert prose.training_now._target == target
    prose.stop()


def test_extending_goes_on_in_the_same_run(sample, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    run = sample.session.current
    sample.change_settings(min_frequency=1)
    sample.change_settings(min_frequency=2)
    sample.extend(262)
    qtbot.waitUntil(lambda: run.stop_reason is not None and run.stop_reason.code == "min_frequency")
    assert (
        sample.session.current is run and run.config.vocab_size == 262 == sample.session.settings.vocab_size
    )


# --- playing


def test_play_replays_then_trains_and_ends_at_the_target(sample, notes, qtbot):
    sample.step()
    qtbot.waitUntil(made(sample, 1))
    sample.go_to_start()
    sample.set_speed(1000)
    with qtbot.waitSignal(sample.play_changed):
        sample.play()
    assert sample.is_playing
    qtbot.waitUntil(lambda: not sample.is_playing)
    assert sample.session.cursor == 3 == sample.session.n_merges


def test_space_pauses_what_plays(sample):
    sample.toggle_play()
    assert sample.is_playing
    sample.toggle_play()
    assert not sample.is_playing


# --- runs and settings


def test_settings_touch_nothing_until_training(sample, qtbot):
    sample.step()
    qtbot.waitUntil(made(sample, 1))
    run = sample.session.current
    assert sample.change_settings(tie_rule="first-seen") == ""
    assert sample.session.settings_differ and sample.session.current is run
    sample.step()
    qtbot.waitUntil(made(sample, 2))
    assert run.config.tie_rule == "lexicographic"


def test_a_new_run_leaves_the_old_one_in_the_list(sample, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    old = sample.session.current
    sample.change_settings(tie_rule="first-seen")
    sample.start_new_run()
    qtbot.waitUntil(lambda: sample.session.current is not old and sample.session.n_merges == 3)
    assert sample.session.runs[0] is old and old.n_merges == 3
    assert not sample.session.settings_differ
    sample.select_run(0)
    assert sample.session.current is old and sample.session.cursor == 3
    sample.delete_run(1)
    assert sample.session.runs == [old]


def test_a_run_without_merges_follows_the_settings(sample, qtbot):
    sample.change_settings(tie_rule="first-seen")
    qtbot.waitUntil(lambda: sample.session.current.config.tie_rule == "first-seen")
    assert len(sample.session.runs) == 1


def test_bad_settings_are_refused_in_words(sample):
    before = sample.session.settings
    assert "tie_rule" in sample.change_settings(tie_rule="nonsense")
    assert sample.session.settings == before


def test_another_document_marks_the_run_as_trained_earlier(prose, qtbot):
    prose.step()
    qtbot.waitUntil(made(prose, 1))
    run = prose.session.current
    prose.add_text("more", "more text")
    assert run.stale and prose.session.current is run
    assert [one.name for one in prose.session.corpus.documents] == ["prose", "more"]
    prose.remove_documents([0])
    assert [one.name for one in prose.session.corpus.documents] == ["more"]
    prose.step()
    qtbot.waitUntil(made(prose, 2))


def test_clearing_the_corpus_keeps_runs_with_merges_only(sample, qtbot):
    sample.clear_corpus()
    assert sample.session.runs == [] and sample.session.current is None
    assert not sample.can_step


# --- files


def test_files_read_at_once_are_all_added(controller, notes, qtbot, tmp_path):
    paths = []
    for name in ("über 文件.txt", "a b%20c.txt", "a#b?c.txt"):
        path = tmp_path / name
        path.write_text(name, encoding="utf-8")
        paths.append(path)
    for path in paths:
        controller.add_paths([path])
    qtbot.waitUntil(lambda: controller.session.corpus is not None)
    qtbot.waitUntil(lambda: len(controller.session.corpus.documents) == 3)
    assert {one.text for one in controller.session.corpus.documents} == {path.name for path in paths}


@pytest.mark.parametrize(("choice", "n_documents"), [("replace", 2), ("skip", 1)])
def test_bad_bytes_leave_the_choice_to_the_user(controller, notes, qtbot, tmp_path, choice, n_documents):
    (tmp_path / "bad.txt").write_bytes(b"ok\nno \xff here")
    (tmp_path / "good.txt").write_text("good", encoding="utf-8")
    controller.add_paths([tmp_path / "bad.txt", tmp_path / "good.txt"])
    qtbot.waitUntil(lambda: bool(notes.bad))
    assert "bad.txt" in notes.bad[0].text and controller.session.corpus is None
    controller.read_again(notes.bad[0], choice)
    qtbot.waitUntil(lambda: controller.session.corpus is not None)
    assert len(controller.session.corpus.documents) == n_documents


def test_a_missing_file_is_an_error_that_names_it(controller, notes, qtbot, tmp_path):
    controller.add_paths([tmp_path / "gone.txt"])
    qtbot.waitUntil(lambda: bool(notes.failures))
    assert "gone.txt" in notes.failures[0][1]


def test_a_saved_tokenizer_opens_again_beside_the_run(sample, qtbot, tmp_path):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    path = tmp_path / "über 文件 1.json"
    with qtbot.waitSignal(sample.saved):
        sample.save(path)
    run = sample.session.current
    assert run.saved
    with qtbot.waitSignal(sample.file_opened):
        sample.open_path(path)
    assert sample.session.current is run and len(sample.session.runs) == 2
    assert sample.session.preview_source == path.name == sample.session.opened[0].name
    qtbot.waitUntil(lambda: sample.encoded is not None and sample.encoded.n_tokens == 5)


def test_a_loaded_tokenizer_without_a_corpus_replays_and_stops(sample, qtbot, tmp_path):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    path = tmp_path / "t.json"
    with qtbot.waitSignal(sample.saved):
        sample.save(path)
    other = Controller()
    try:
        other.open_path(path)
        qtbot.waitUntil(lambda: other.session.current is not None)
        assert other.session.cursor == 3 and not other.can_step
        other.go_to_start()
        other.set_preview_text("aaab")
        qtbot.waitUntil(lambda: other.encoded is not None and other.encoded.n_tokens == 4)
        for k in range(1, 4):
            other.step()
            assert other.session.cursor == k
        other.step()
        assert other.session.n_merges == 3
        qtbot.waitUntil(lambda: other.encoded.n_tokens == 1)
    finally:
        other.shutdown()


def test_a_text_that_is_no_tokenizer_becomes_a_document(controller, notes, qtbot, tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"just": "some json"}', encoding="utf-8")
    controller.open_path(path)
    qtbot.waitUntil(lambda: controller.session.corpus is not None)
    assert controller.session.corpus.documents[0].name == "a.json"


def test_a_failed_save_keeps_the_file_and_the_star(sample, qtbot, tmp_path):
    sample.step()
    qtbot.waitUntil(made(sample, 1))
    with qtbot.waitSignal(sample.save_failed) as failed:
        sample.save(tmp_path)
    assert str(tmp_path) in failed.args[1] and not sample.session.current.saved
    assert list(Path(tmp_path).glob("*.tmp")) == []


# --- preview, focus, ends


def test_preview_follows_the_cursor_and_the_text(sample, qtbot):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    sample.set_preview_text("aaab aaab")
    qtbot.waitUntil(lambda: sample.encoded is not None and sample.encoded.n_tokens == 3)
    sample.go_to(0)
    qtbot.waitUntil(lambda: sample.encoded.n_tokens == 9)
    qtbot.waitUntil(lambda: sample.preview_curve is not None and len(sample.preview_curve.n_tokens) == 4)


def test_a_pin_holds_and_hovering_does_not_move_it(controller, qtbot):
    controller.hover(Focus.of_bytes(0, 1))
    assert controller.focus == Focus.of_bytes(0, 1)
    controller.pin(Focus.of_token(97))
    controller.hover(Focus.of_bytes(2, 3))
    assert controller.focus == Focus.of_token(97) == controller.session.pin
    controller.pin(None)
    assert controller.focus is None


def test_shutting_down_in_the_middle_of_everything_leaves_no_thread(qtbot):
    before = threading.active_count()
    for _ in range(5):
        controller = Controller()
        controller.add_text("prose", PROSE)
        controller.set_preview_text(PROSE[:5000])
        qtbot.waitUntil(lambda controller=controller: controller.session.current is not None)
        controller.train_to_target()
        controller.shutdown()
    assert threading.active_count() == before


def test_a_held_key_raises_one_target_and_queues_nothing(prose, notes, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(prose.training_thread, "request", asked.append)
    for _ in range(200):
        prose.step()
    assert max(request.target for request in asked) <= 4
    assert prose.session.n_merges == 0


def test_start_cancel_start_again_fifty_times_shows_only_the_last(controller, notes, qtbot):
    for number in range(50):
        controller.clear_corpus()
        controller.add_text(f"text {number}", f"{number} " * 50)
        controller.step()
        controller.stop()
    assert controller.session.current is None
    controller.step()  # counting was stopped: a step takes it up again
    qtbot.waitUntil(lambda: controller.session.current is not None)
    assert controller.session.current.name == "text 49" and len(controller.session.runs) == 1
    assert notes.failures == [] and controller.training.state == "idle"
    controller.step()
    qtbot.waitUntil(made(controller, 1))


def test_reading_and_counting_tell_rate_and_time_left(controller, notes, qtbot, tmp_path):
    path = tmp_path / "large.txt"
    path.write_text("the cat sat on the mat. " * 200_000, encoding="utf-8")
    told = []
    controller.training_changed.connect(told.append)
    controller.add_paths([path])
    qtbot.waitUntil(lambda: controller.session.current is not None, timeout=30000)
    assert {"reading", "counting"} <= {status.state for status in told}
    assert any(status.total == path.stat().st_size for status in told)
    assert told[-1].state == "idle"


def test_a_step_inside_a_pause_leaves_the_pause(prose, qtbot):
    prose.train_to_target()
    prose.pause()
    assert prose.training.state == "paused"
    prose.go_to_end()
    n = prose.session.n_merges
    prose.step()
    qtbot.waitUntil(lambda: prose.session.n_merges > n and prose.training_now.mode != "step")
    if prose.session.current.can_grow:
        assert prose.training.state == "paused"
    prose.resume()
    qtbot.waitUntil(lambda: prose.training.state == "idle", timeout=60000)


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_an_empty_corpus_has_no_pair_and_its_base_vocabulary(controller, notes, qtbot, alphabet):
    controller.change_settings(alphabet=alphabet)
    controller.add_text("empty", "")
    qtbot.waitUntil(lambda: controller.why is not None)
    assert controller.why.stop.code == "no_pair"
    assert controller.session.current.n_base == (256 if alphabet == "bytes" else 0)
    controller.step()
    qtbot.waitUntil(lambda: not controller.can_step)
    assert notes.failures == []


def test_when_every_document_is_skipped_nothing_changes(controller, notes, qtbot, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"\xff")
    controller.add_paths([path], "skip")
    qtbot.waitUntil(lambda: bool(notes.messages))
    assert "bad.txt" in notes.messages[0] and controller.session.corpus is None


def test_a_corpus_added_beside_an_opened_tokenizer_gets_a_run(sample, notes, qtbot, tmp_path):
    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    with qtbot.waitSignal(sample.saved):
        sample.save(tmp_path / "t.json")
    other = Controller()
    try:
        other.open_path(tmp_path / "t.json")
        qtbot.waitUntil(lambda: other.session.current is not None)
        other.add_text("text", "some text")
        qtbot.waitUntil(lambda: other.session.current.has_words)
        assert [run.has_words for run in other.session.runs] == [False, True]
        other.clear_corpus()
        assert [run.has_words for run in other.session.runs] == [False]
    finally:
        other.shutdown()


def test_space_resumes_a_paused_training(prose, qtbot):
    prose.train_to_target()
    prose.toggle_play()
    assert prose.training.state == "paused"
    prose.toggle_play()
    assert prose.training.state == "training"
    qtbot.waitUntil(lambda: prose.training.state == "idle", timeout=60000)


def test_a_list_that_cannot_be_stepped_through_is_opened_for_preview_only(
    sample, notes, qtbot, monkeypatch, tmp_path
):
    from bpe_studio.engine.merges import OrderCheck
    from bpe_studio.engine.tokenizer import Tokenizer

    sample.step(3)
    qtbot.waitUntil(made(sample, 3))
    with qtbot.waitSignal(sample.saved):
        sample.save(tmp_path / "t.json")
    monkeypatch.setattr(Tokenizer, "is_ordered", lambda self: OrderCheck(False, 1, "merge 1 repeats a pair"))
    with qtbot.waitSignal(sample.file_opened):
        sample.open_path(tmp_path / "t.json")
    assert len(sample.session.runs) == 1 and sample.session.preview_source == "t.json"
    assert "merge 1 repeats a pair" in notes.messages[-1]


def test_a_new_run_takes_the_thread_and_the_old_one_keeps_its_merges(prose, notes, qtbot):
    prose.train_to_target()
    old = prose.session.current
    prose.change_settings(tie_rule="first-seen")
    prose.start_new_run()
    qtbot.waitUntil(lambda: prose.session.current is not old, timeout=60000)
    qtbot.waitUntil(lambda: prose.training.state == "idle" and prose.session.n_merges > 0, timeout=60000)
    assert prose.session.current.stop_reason is not None
    for run in (old, prose.session.current):
        bare = Trainer(run.words, run.config)
        bare.advance()
        assert run.log.left.tolist() == bare.log.left.tolist()[: run.n_merges]
    assert notes.failures == []


def test_adding_documents_does_not_hide_a_training(prose, notes, qtbot):
    # So many merges that no single slice makes them all before the pause is heard.
    prose.change_settings(vocab_size=60_000, min_frequency=1)
    qtbot.waitUntil(lambda: prose.session.current.config.vocab_size == 60_000)
    prose.train_to_target()
    prose.pause()
    prose.add_text("more", "more text")
    assert prose.training.state == "paused"
    qtbot.waitUntil(lambda: not prose.jobs.is_busy("count"))
    assert prose.training.state == "paused"
    prose.stop()


def noting(where: set, work):
    """Wrap a job so that it notes its thread."""

    def noted(request, progress):
        where.add(threading.get_ident())
        return work(request, progress)

    return noted


def test_no_work_is_done_in_the_gui_thread(controller, notes, qtbot, tmp_path, monkeypatch):
    from bpe_studio.gui.intentions import documents, files, preview, views

    jobs = {
        "read_documents": documents, "run_over": documents, "view_at": views, "encoded_preview": preview,
        "preview_curve": preview, "saved_file": files, "opened_tokenizer": files,
        "pretrained_tokenizer": preview,
    }  # fmt: skip
    where: dict[str, set] = {name: set() for name in jobs}
    for name, module in jobs.items():
        monkeypatch.setattr(module, name, noting(where[name], getattr(module, name)))
    path = tmp_path / "text.txt"
    path.write_text(PROSE, encoding="utf-8")
    controller.add_paths([path])
    controller.set_preview_text("some text")
    qtbot.waitUntil(lambda: controller.snapshot is not None, timeout=20000)
    controller.step()
    qtbot.waitUntil(made(controller, 1))
    with qtbot.waitSignal(controller.saved):
        controller.save(tmp_path / "t.json")
    with qtbot.waitSignal(controller.file_opened):
        controller.open_path(tmp_path / "t.json")
    controller.set_preview_source("GPT-2")
    qtbot.waitUntil(lambda: all(where.values()))
    assert not any(threading.get_ident() in threads for threads in where.values())
