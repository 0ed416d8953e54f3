"""Texts to token ids: made valid, special tokens cut out, split, and merged by Python or compiled kernels."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from typing import TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine import kernels
from bpe_studio.engine.alphabet import missing_characters
from bpe_studio.engine.batches import encode_together
from bpe_studio.engine.compiled_model import fits_kernels
from bpe_studio.engine.encoding import VERY_LONG_WORD, WordEncoder
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.fast_counting import KINDS
from bpe_studio.engine.fast_encoding import FastEncoder
from bpe_studio.engine.normalizing import CUT, Step, normalized
from bpe_studio.engine.patterns import SplitPattern
from bpe_studio.engine.pieces import pieces_of, text_of_bytes, valid_text
from bpe_studio.engine.positions import symbol_widths
from bpe_studio.engine.semantics import MergeModel
from bpe_studio.engine.special_strings import cut_specials, holds_special

AllowedSpecial = str | Collection[str]

#: Characters from which the compiled kernels are called, or worth being loaded.
MIN_CHARACTERS_FOR_KERNELS = {"loaded": 0, "cached": 2_000_000}


class TextEncoder:
    """Encodes texts. `Tokenizer` says what its methods return and raise.

    Parameters
    ----------
    model : MergeModel
        What decides the tokens of a pre-token.
    pattern : SplitPattern
        Cuts text into pre-tokens.
    normalizer : sequence of Step
        What happens to plain text before.
    """

    def __init__(self, model: MergeModel, pattern: SplitPattern, normalizer: Sequence[Step] = ()) -> None:
        self._model = model
        self._pattern = pattern
        self._normalizer = normalizer
        self._specials = model.special_tokens
        added = tuple(model.added_tokens)
        every = (*self._specials, *added)
        self._found_in_text = {"none": added, "none_raise": every, "all": every}
        self._may_be_fast = pattern.name in KINDS and model.alphabet.kind == "bytes"
        self._fast: FastEncoder | None = None
        self.words = WordEncoder(model)

    def ids(self, text: str | bytes, allowed_special: AllowedSpecial) -> list[int]:
        """Return the token ids of a text."""
        if self._is_plain(text, allowed_special) and (fast := self._fast_for(len(text))) is not None:
            try:
                return fast.ids(text)
            except UnicodeEncodeError:  # surrogates, which are dealt with below
                pass
        parts = self._id_parts(text, allowed_special)
        if len(parts) == 1 and isinstance(parts[0], list):
            return parts[0]
        return list(np.concatenate([np.array(part, np.int64) for part in parts]).tolist())

    def array(self, text: str | bytes, allowed_special: AllowedSpecial) -> NDArray[np.uint32]:
        """Return the token ids of a text as an array."""
        if self._is_plain(text, allowed_special) and (fast := self._fast_for(len(text))) is not None:
            with suppress(UnicodeEncodeError):
                return fast.array(text)
        parts = self._id_parts(text, allowed_special)
        return np.concatenate([np.array(part, np.uint32) for part in parts])

    def batch(
        self, texts: list[str | bytes], allowed_special: AllowedSpecial, n_threads: int
    ) -> list[list[int]]:
        """Return the token ids of several texts, in their order."""
        names = self._looked_for(allowed_special)
        if names is not None and set(map(type, texts)) <= {str}:
            plain = cast("list[str]", texts)
            fast = self._fast or self._fast_for(sum(map(len, plain)))
            with suppress(UnicodeEncodeError):
                if fast is not None and (ids := encode_together(fast, plain, names)) is not None:
                    return ids
        if n_threads < 2:
            return [self.ids(text, allowed_special) for text in texts]
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(lambda text: self.ids(text, allowed_special), texts))

    def _is_plain(self, text: str | bytes, allowed_special: AllowedSpecial) -> TypeGuard[str]:
        """Whether a text is a str in which no token is to be found or refused before it is split."""
        names = self._looked_for(allowed_special)
        return names is not None and isinstance(text, str) and not (names and holds_special(text, names))

    def _looked_for(self, allowed_special: AllowedSpecial) -> tuple[str, ...] | None:
        """Return what must not stand in a text that is split as it is; None if none is."""
        if self._normalizer or not isinstance(allowed_special, str):
            return None
        return self._found_in_text.get(allowed_special)

    def _fast_for(self, n_characters: int) -> FastEncoder | None:
        """Return the compiled encoder, if it can take this model and is worth it for so many characters."""
        if self._fast is None and self._may_be_fast:
            least = MIN_CHARACTERS_FOR_KERNELS.get(kernels.status(), sys.maxsize)
            if n_characters >= least and fits_kernels(self._model):
                self._fast = FastEncoder(KINDS[self._pattern.name], self._model, kernels.load())
        return self._fast

    def trace(self, text: str | bytes, allowed_special: AllowedSpecial) -> NDArray[np.int64]:
        """Return every application of a merge: pre-token, rank, byte start, byte end."""
        rows: list[tuple[int, int, int, int]] = []
        at = index = 0
        for piece in self._pieces(self.valid(text), allowed_special):
            if isinstance(piece, int):
                at += len(self._model.all_tokens()[piece])
                continue
            for word in self._pattern.split(piece):
                bounds = [at, *(at + np.cumsum(symbol_widths(self._model.alphabet, word))).tolist()]
                applied = self.words.applications(word)
                rows.extend((index, rank, bounds[start], bounds[end]) for rank, start, end in applied)
                at, index = bounds[-1], index + 1
        return np.array(rows, dtype=np.int64).reshape(-1, 4)

    def unknown_widths(self, text: str | bytes, allowed_special: AllowedSpecial) -> Iterator[int]:
        """Yield the bytes of the text that each ``<unk>`` covers, in order."""
        alphabet = self._model.alphabet
        for piece in self._pieces(self.valid(text), allowed_special):
            for word in self._pattern.split(piece) if isinstance(piece, str) else ():
                widths = symbol_widths(alphabet, word).tolist()
                symbols = zip(alphabet.symbols(word), widths, strict=True)
                yield from (width for symbol, width in symbols if symbol == alphabet.unknown_id)

    def valid(self, text: str | bytes) -> str:
        """Return a text without surrogates; raw bytes travel as `pieces.RAW_BYTES`."""
        if isinstance(text, str):
            return valid_text(text)
        # Anything else would have bytes too: a Path those of its name, 5 five times NUL.
        if not isinstance(text, bytes | bytearray | memoryview):
            raise BpeStudioError(f"A text is a str or bytes, not {type(text).__name__}.")
        raw = self._model.alphabet.kind == "bytes" and self._pattern.expression is None
        return text_of_bytes(bytes(text), takes_raw_bytes=raw)

    def _id_parts(
        self, text: str | bytes, allowed_special: AllowedSpecial
    ) -> list[list[int] | NDArray[np.int32] | NDArray[np.uint32]]:
        """Ids as lists, but for very long words: ten million ids would be a list of ten million objects."""
        ids: list[int] = []
        parts: list[list[int] | NDArray[np.int32] | NDArray[np.uint32]] = [ids]
        longest = VERY_LONG_WORD if self.words.has_kernel else sys.maxsize
        for piece in self._pieces(self.valid(text), allowed_special):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            if (fast := self._fast_for(len(piece))) is not None:
                ids = []
                parts += [fast.array(piece), ids]
                continue
            for word in self._pattern.split(piece):
                if len(word) < longest:
                    ids.extend(self.words.tokens(word))
                else:
                    ids = []
                    parts += [self.words.tokens_of_long(word), ids]
        return parts

    def _pieces(self, text: str, allowed_special: AllowedSpecial) -> Iterator[str | int]:
        found = pieces_of(text, allowed_special, self._specials)
        pieces = [part for number, piece in enumerate(found) for part in self._plain_parts(piece, not number)]
        alphabet = self._model.alphabet
        if alphabet.kind == "characters" and alphabet.unknown_id is None and not alphabet.byte_fallback:
            self._check_characters(pieces)
        return iter(pieces)

    def normalized(self, text: str | bytes, allowed_special: AllowedSpecial) -> str:
        """Return the text that is split."""
        found = pieces_of(self.valid(text), allowed_special, self._specials)
        parts = (part for number, piece in enumerate(found) for part in self._plain_parts(piece, not number))
        tokens = self._model.all_tokens() if self._specials or self._model.added_tokens else {}
        return "".join(tokens[part].decode() if isinstance(part, int) else part for part in parts)

    def _plain_parts(self, piece: str | int, at_start: bool) -> Iterator[str | int]:
        """Yield a piece, normalized, and cut at the tokens that are found in any text."""
        if isinstance(piece, int):
            yield piece
            return
        before, after = self._steps
        added = self._model.added_tokens
        text = normalized(piece, before, at_start)
        for start, end, is_added in cut_specials(text, tuple(added)):
            part = text[start:end]
            if is_added:
                yield added[part]
            elif part := normalized(part, after, at_start and not start):
                yield part

    @cached_property
    def _steps(self) -> tuple[Sequence[Step], Sequence[Step]]:
        """The normalizer's steps before and after added tokens are found."""
        steps = tuple(self._normalizer)
        at = steps.index(CUT) if CUT in steps else len(steps)
        return steps[:at], steps[at:]

    def _check_characters(self, pieces: list[str | int]) -> None:
        """Name every missing character of the text, not only those of the first pre-token that has some."""
        known = self._model.alphabet.character_ids
        at, position = 0, None
        missing: dict[str, None] = {}
        for piece in pieces:
            text = self._model.all_tokens()[piece].decode() if isinstance(piece, int) else piece
            if not isinstance(piece, int) and not known.keys() >= set(text):
                missing.update(dict.fromkeys(character for character in text if character not in known))
                if position is None:
                    position = at + next(i for i, character in enumerate(text) if character not in known)
            at += len(text)
        if missing:
            raise missing_characters(missing, position)
