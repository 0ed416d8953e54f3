"""Gets the compiled kernels ready in a helper process, once after install, so that no window stutters.

Compiling inside this process would hold the interpreter's lock for seconds. A process of its own fills
the cache on disk; afterwards the training thread loads the kernels in a fraction of a second.
"""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from bpe_studio.engine import kernels
from bpe_studio.engine.replay import wants_kernels
from bpe_studio.engine.words import WordTable

SMALL_WORDS_BYTES = 200_000
"""Unique words up to this size train and replay well enough without the kernels."""


class FastEngine(QObject):
    """Starts the helper if the cache is cold; `became_ready` tells when it is done, and whether it worked."""

    became_ready = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._was_tried = False

    @property
    def is_preparing(self) -> bool:
        """True while the kernels are not compiled yet and the helper may still do it."""
        return self._process is not None or (not self._was_tried and kernels.status() == "cold")

    def must_wait_for(self, words: WordTable, n_merges: int) -> bool:
        """True while work on `words` would have to compile the kernels in this process."""
        return (
            words.utf8.size > SMALL_WORDS_BYTES
            and wants_kernels(words.utf8.size, n_merges)
            and self.is_preparing
        )

    def prepare(self) -> None:
        """Start the helper unless the kernels are there, on their way, or were tried in vain."""
        if self._was_tried or self._process is not None or kernels.status() != "cold":
            return
        process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        process.setProcessEnvironment(environment)
        process.finished.connect(self._on_ended)
        process.errorOccurred.connect(self._on_ended)
        self._process = process
        # Without -P, a start in a clone would compile the clone's own kernels instead of the installed ones.
        process.start(sys.executable, ["-P", "-m", "bpe_studio.engine.kernels"])

    def close(self) -> None:
        """End the helper if it still runs."""
        process, self._process = self._process, None
        self._was_tried = True
        if process is not None:
            process.finished.disconnect(self._on_ended)
            process.errorOccurred.disconnect(self._on_ended)
            process.kill()
            process.waitForFinished(5000)

    def _on_ended(self) -> None:
        if self._process is None:
            return  # an error and the end of the same process
        process, self._process = self._process, None
        process.deleteLater()
        self._was_tried = True
        self.became_ready.emit(kernels.status() != "cold")
