"""What the controller lets be read: the latest facts, for panels that come late or paint anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.analysis.compression import CompressionCurve
from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.ties import Why
from bpe_studio.engine.replay import Snapshot
from bpe_studio.gui.facts import Facts
from bpe_studio.gui.inspection import Focus, Inspection
from bpe_studio.gui.intentions.training import TrainingStatus
from bpe_studio.gui.wording import blocked_text
from bpe_studio.session import Session

if TYPE_CHECKING:
    from bpe_studio.gui.intentions.preview import PreviewIntentions
    from bpe_studio.gui.intentions.stepping import SteppingIntentions
    from bpe_studio.gui.intentions.training import TrainingIntentions
    from bpe_studio.gui.intentions.views import View, ViewIntentions


class Reads(Facts):
    """Properties over the parts of the controller. Reading changes nothing."""

    session: Session
    inspection: Inspection
    views: ViewIntentions
    preview: PreviewIntentions
    stepping: SteppingIntentions
    training_now: TrainingIntentions

    @property
    def snapshot(self) -> Snapshot | None:
        """The last snapshot; while it is for another cursor, panels dim what they show of it."""
        return self.views.view.snapshot if self.views.view is not None else None

    @property
    def view(self) -> View | None:
        """The last snapshot with the one before it, and with what each rule would take."""
        return self.views.view

    @property
    def why(self) -> Why | None:
        """Why the selected row, or else the next merge, is what it is."""
        return self.views.why

    @property
    def selected_row(self) -> int | None:
        """Rank of the row that is explained, if one is selected."""
        return self.views.selected_row

    @property
    def encoded(self) -> EncodedText | None:
        """PREVIEW's text and its tokens."""
        return self.preview.encoded

    @property
    def preview_curve(self) -> CompressionCurve | None:
        """Bytes per token of PREVIEW's text for every vocabulary size."""
        return self.preview.curve

    @property
    def training(self) -> TrainingStatus:
        """What the long work is doing."""
        return self.training_now.status

    @property
    def is_playing(self) -> bool:
        """True while steps repeat by themselves."""
        return self.stepping.is_playing

    @property
    def play_speed(self) -> float:
        """Merges a second of play."""
        return self.stepping.speed

    @property
    def focus(self) -> Focus | None:
        """What is pinned, else hovered."""
        return self.inspection.focus

    @property
    def blocked_reason(self) -> str:
        """Why → would do nothing at the cursor, in words; empty if it would do something."""
        return blocked_text(self.session)

    @property
    def can_step(self) -> bool:
        """True if → does something at the cursor."""
        return not self.blocked_reason
