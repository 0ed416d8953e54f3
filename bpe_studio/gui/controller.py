"""The only writer of the session: panels call its verbs and listen to its facts.

The verbs are grouped by subject in `intentions`; here they are gathered, with the signals that tell what
has become of them. Nothing here computes: counting, training and encoding happen in threads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Slot

from bpe_studio.gui.fast_engine import FastEngine
from bpe_studio.gui.inspection import Focus, Inspection
from bpe_studio.gui.intentions.documents import COUNT, READ, DocumentIntentions
from bpe_studio.gui.intentions.files import CHECK, OPEN, SAVE, FileIntentions
from bpe_studio.gui.intentions.preview import CURVE, PREVIEW, VOCABULARY, PreviewIntentions
from bpe_studio.gui.intentions.stepping import SteppingIntentions
from bpe_studio.gui.intentions.training import TrainingIntentions, TrainingStatus
from bpe_studio.gui.intentions.views import ROW, SNAPSHOT, ViewIntentions
from bpe_studio.gui.jobs import JobResult, Jobs
from bpe_studio.gui.reads import Reads
from bpe_studio.gui.training_thread import TrainingThread
from bpe_studio.session import Session

__all__ = ["Controller", "Focus", "TrainingStatus"]


class Controller(Reads):
    """Owns session, training thread and jobs; its signals are in `Facts`, what can be read in `Reads`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = Session()
        self.jobs = Jobs(self)
        self.training_thread = TrainingThread(self)
        self.engine = FastEngine(self)
        self.inspection = Inspection(self)
        self.training_now = TrainingIntentions(self)
        self.stepping = SteppingIntentions(self)
        self.views = ViewIntentions(self)
        self.preview = PreviewIntentions(self)
        self.documents = DocumentIntentions(self)
        self.files = FileIntentions(self)
        self._takers = {
            READ: self.documents.on_read, COUNT: self.documents.on_counted,
            SNAPSHOT: self.views.on_snapshot, ROW: self.views.on_row,
            PREVIEW: self.preview.on_encoded, CURVE: self.preview.on_curve,
            VOCABULARY: self.preview.on_pretrained,
            OPEN: self.files.on_opened, SAVE: self.files.on_saved, CHECK: self.files.on_previewed,
        }  # fmt: skip
        self.jobs.finished.connect(self._on_job_finished)
        self.jobs.progressed.connect(self._on_job_progressed)
        self.training_thread.advanced.connect(self._on_advanced)
        self.training_thread.failed.connect(self._on_training_failed)
        self.engine.became_ready.connect(self._on_engine_ready)
        self.inspection.focus_changed.connect(self.focus_changed)

    def prepare(self) -> None:
        """Get the compiled kernels ready, after the first paint: compile them once, or load them."""
        self.engine.prepare()
        if not self.engine.is_preparing:
            self.training_thread.warm_up()

    def shutdown(self) -> None:
        """End threads, jobs and the helper, and wait for them; the session stays as it is."""
        self.stepping.halt()
        self.engine.close()
        self.jobs.shutdown()
        self.training_thread.close()

    # --- corpus, settings, runs

    def add_paths(self, paths: list[Path], errors: str = "strict") -> None:
        """Read files and folders and add them as documents."""
        self.documents.add_paths([Path(path) for path in paths], errors)

    def read_again(self, bad: Any, errors: str) -> None:
        """Answer `bad_bytes_met`: read on with "replace" or "skip"."""
        self.documents.read_again(bad, errors)

    def add_text(self, name: str, text: str) -> None:
        """Add a text as a document."""
        self.documents.add_text(name, text)

    def remove_documents(self, places: list[int]) -> None:
        """Take documents out of the corpus by their place in the list."""
        self.documents.remove(places)

    def clear_corpus(self) -> None:
        """Take all documents out."""
        self.documents.clear()

    def open_sample(self, name: str) -> None:
        """Put a sample with its settings in the place of the corpus."""
        self.documents.open_sample(name)

    def change_settings(self, **fields: Any) -> str:
        """Change settings of the next training; returns what is wrong with them, and then changes nothing."""
        return self.documents.change_settings(fields)

    def start_new_run(self) -> None:
        """Train a new run on the corpus under the settings as they are."""
        self.documents.start_new_run()

    def select_run(self, place: int) -> None:
        """Make another run of the list the current one."""
        self.stepping.halt()
        self.training_now.tell_rows()
        self.session.select(self.session.runs[place])
        self.current_run_changed()

    def delete_run(self, place: int) -> None:
        """Take a run out of the list."""
        run = self.session.runs[place]
        self.training_now.release(run)
        was_current = run is self.session.current
        self.session.delete(run)
        self.tokenizer_changed.emit()
        if was_current:
            self.current_run_changed()
        else:
            self.runs_changed.emit()

    def current_run_changed(self) -> None:
        """Tell everybody that another run is current (called by the intentions)."""
        self.runs_changed.emit()
        self.cursor_moved.emit(self.session.cursor)
        self.views.run_changed()
        self.preview.source_changed()

    # --- the cursor

    def step(self, n: int = 1) -> None:
        """Move on by `n` merges, training those that are not made yet."""
        self.stepping.step(n)

    def step_back(self, n: int = 1) -> None:
        """Move back by `n` merges; nothing is lost."""
        self.stepping.go_to(self.session.cursor - n)

    def go_to(self, k: int) -> None:
        """Put `k` merges in effect, as far as they are made."""
        self.stepping.go_to(k)

    def go_to_text(self, text: str) -> str:
        """Go where a text says: digits, ``0x…`` or a token; returns what is wrong with it."""
        return self.stepping.go_to_text(text)

    def go_to_start(self) -> None:
        """Put no merge in effect."""
        self.stepping.go_to(0)

    def go_to_end(self) -> None:
        """Put all merges made in effect, and follow the ones to come; trains nothing."""
        self.stepping.go_to(self.session.n_merges)

    def next_tie(self) -> None:
        """Go to the next merge that a tie decided."""
        self.stepping.go_to_tie(1)

    def previous_tie(self) -> None:
        """Go to the last merge before this that a tie decided."""
        self.stepping.go_to_tie(-1)

    def select_row(self, row: int | None) -> None:
        """Explain a row instead of the next merge; the cursor stays."""
        self.views.select_row(row)

    def select_touching(self, direction: int) -> None:
        """Select the next merge (or the one before) that makes or uses what is pinned."""
        self.views.select_touching(direction)

    # --- playing and training

    def play(self) -> None:
        """Repeat → at the chosen speed."""
        self.stepping.play()

    def pause(self) -> None:
        """Stop playing, or rest the training; every merge stays."""
        if self.is_playing:
            self.stepping.halt()
        else:
            self.training_now.pause()

    def toggle_play(self) -> None:
        """Play, or pause what plays or trains, or resume what was paused."""
        if self.is_playing or self.training_now.is_training:
            self.pause()
        elif self.training_now.mode == "paused":
            self.resume()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Set the merges a second of play."""
        self.stepping.set_speed(speed)
        self.speed_changed.emit(speed)

    def train_to_target(self) -> None:
        """Train the current run from its last merge to its target."""
        self.stepping.halt()
        self.training_now.train()

    def stop(self) -> None:
        """End reading, counting or training; what was made stays."""
        self.stepping.halt()
        self.documents.cancel()
        self.training_now.stop()

    def resume(self) -> None:
        """Go on after a pause."""
        self.training_now.train()

    def extend(self, vocab_size: int) -> None:
        """Let the current run grow to a larger vocabulary and go on."""
        self.training_now.extend(vocab_size)

    # --- preview and focus

    def set_preview_text(self, text: str) -> None:
        """Look at a text of the user's."""
        self.documents.is_preview_ours = False
        self.preview.set_text(text)

    def set_preview_source(self, name: str) -> None:
        """Look through the current training, an opened tokenizer or a pretrained one."""
        self.preview.set_source(name)

    def hover(self, focus: Focus | None) -> None:
        """Look at something for as long as the pointer is there."""
        self.inspection.hover(focus)

    def pin(self, focus: Focus | None) -> None:
        """Keep something in view; None frees it."""
        self.session.pin = focus
        self.inspection.pin(focus)

    # --- files

    def open_path(self, path: Path) -> None:
        """Open a tokenizer if the file's content is one, else add it as a document."""
        self.files.open_path(Path(path))

    def save(self, path: Path) -> None:
        """Write the current run as the studio's own JSON."""
        self.files.save(Path(path), "studio")

    def export(self, path: Path, format: str) -> None:
        """Write the current run in another format."""
        self.files.save(Path(path), format)

    # --- what the threads say (slots of this object, so that they run in the GUI thread)

    @Slot(object)
    def _on_job_finished(self, result: JobResult) -> None:
        self._takers[result.kind](result)

    @Slot(str, str, object, object)
    def _on_job_progressed(self, kind: str, stage: str, done: int, total: int | None) -> None:
        if kind in (READ, COUNT):  # the others are too short to be told of
            self.documents.on_progress(stage, done, total)

    @Slot(object)
    def _on_advanced(self, advance: Any) -> None:
        self.training_now.on_advanced(advance)

    @Slot(object)
    def _on_training_failed(self, failure: Any) -> None:
        self.training_now.on_failed(failure)

    @Slot(bool)
    def _on_engine_ready(self, ok: bool) -> None:
        self.training_now.on_engine_ready(ok)
