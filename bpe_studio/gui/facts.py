"""What the controller tells: few facts, in the past tense."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class Facts(QObject):
    """The signals of the controller.

    `merges_appended` tells rows of the current run's log by first rank and end (exclusive). The objects are:
    `snapshot_ready` a `Snapshot` or None, `why_changed` a `Why` or None, `selection_changed` a rank or None,
    `preview_changed` an `EncodedText` or None, `preview_curve_changed` a `CompressionCurve` or None,
    `training_changed` a `TrainingStatus`, `focus_changed` a `Focus` or None, `bad_bytes_met` a `BadBytes`
    (to be answered by `read_again`), `file_opened` a path, `saved` a `SaveReport`, `save_failed` a path and
    why, and `export_previewed` an `ExportPreview`.
    """

    corpus_changed = Signal()
    settings_changed = Signal()
    runs_changed = Signal()
    merges_appended = Signal(int, int)
    cursor_moved = Signal(int)
    snapshot_ready = Signal(object)
    why_changed = Signal(object)
    selection_changed = Signal(object)
    preview_text_changed = Signal(str)
    preview_changed = Signal(object)
    preview_curve_changed = Signal(object)
    tokenizer_changed = Signal()
    training_changed = Signal(object)
    play_changed = Signal(bool)
    speed_changed = Signal(float)
    focus_changed = Signal(object)
    failed = Signal(str, str)
    message = Signal(str)
    bad_bytes_met = Signal(object)
    file_opened = Signal(object)
    saved = Signal(object)
    save_failed = Signal(object, str)
    export_previewed = Signal(object)
