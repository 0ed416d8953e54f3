"""What can be said of one byte of a text: its place, its part in a character, its token, its merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.analysis.encoded_text import EncodedText
from bpe_studio.analysis.text_tokens import MISSING
from bpe_studio.analysis.unicode_names import character_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ByteFacts:
    """Facts about one byte, as values; `text` words them in English.

    Attributes
    ----------
    byte, n_bytes : int
        Its offset from 0, and the length of the text in bytes.
    value : int
        The byte, 0 to 255.
    place, n_places : int
        Its place in its character from 0, and the character's bytes.
    character : str
        The character.
    token : int
        Token id, or `MISSING`.
    part, n_parts : int
        Which of the tokens that hold pieces of the character this one is, from 0, and how many do.
    rank : int or None
        The merge that made the token; None for a base or special token.
    """

    byte: int
    n_bytes: int
    value: int
    place: int
    n_places: int
    character: str
    token: int
    part: int
    n_parts: int
    rank: int | None

    @property
    def role(self) -> str:
        """The byte's part in UTF-8: ``"lead of 4"``, ``"continuation 2 of 4"``, ``"ASCII"``."""
        if self.n_places == 1:
            return "ASCII"
        return (
            f"continuation {self.place + 1} of {self.n_places}" if self.place else f"lead of {self.n_places}"
        )

    @property
    def text(self) -> str:
        """One line with all of it."""
        code = f"U+{ord(self.character):04X} {character_name(self.character)}"
        place = f"byte {self.byte:,} of {self.n_bytes:,}"
        return f"{place} · 0x{self.value:02X}, {self.role} · {code} · {self.token_text}"

    @property
    def token_text(self) -> str:
        """The token, and where it comes from."""
        if self.token == MISSING:
            return "not in the alphabet"
        part = f" ({self.part + 1} of {self.n_parts})" if self.n_parts > 1 else ""
        origin = "no merge made it" if self.rank is None else f"made by merge {self.rank}"
        return f"token {self.token}{part} · {origin}"


def byte_facts(encoded: EncodedText, byte: int, product: NDArray[np.int32] | None = None) -> ByteFacts:
    """Return what is known of byte `byte` of an encoded text.

    Parameters
    ----------
    encoded : EncodedText
        The text.
    byte : int
        Offset, ``0 ≤ byte < n_bytes``.
    product : ndarray of int32, shape (n_merges,)
        Ids that the merges make, in rank order.

    Examples
    --------
    ``byte 41 of 96 · 0xF0, lead of 4 · U+1F600 GRINNING FACE · token 8123 (1 of 2) · made by merge 7867``
    """
    character, token = encoded.character_at(byte), encoded.token_at(byte)
    low, high = (int(encoded.character_starts[i]) for i in (character, character + 1))
    first, last = encoded.token_at(low), encoded.token_at(high - 1)
    id_ = int(encoded.ids[token])
    ranks = [] if product is None else (product == id_).nonzero()[0].tolist()
    return ByteFacts(
        byte,
        encoded.n_bytes,
        encoded.utf8[byte],
        byte - low,
        high - low,
        encoded.text[character],
        id_,
        token - first,
        last - first + 1,
        ranks[0] if ranks else None,
    )
