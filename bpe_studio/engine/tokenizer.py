"""Tokenizer (frozen): an alphabet, merges, a split pattern and special tokens; text to ids and back."""

from __future__ import annotations

import operator
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine import kernels
from bpe_studio.engine.alphabet import Alphabet, missing_characters
from bpe_studio.engine.batches import encode_together
from bpe_studio.engine.checking import as_index
from bpe_studio.engine.encoding import VERY_LONG_WORD, WordEncoder
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.fast_counting import KINDS
from bpe_studio.engine.fast_encoding import FastEncoder
from bpe_studio.engine.merges import MergeLog, OrderCheck
from bpe_studio.engine.patterns import SplitPattern
from bpe_studio.engine.pieces import pieces_of, text_of_bytes, valid_text
from bpe_studio.engine.positions import symbol_widths, token_bounds
from bpe_studio.engine.streaming import REPLACEMENT, StreamDecoder
from bpe_studio.engine.training_record import TrainingRecord
from bpe_studio.engine.vocabulary import (
    fingerprint_of,
    id_array,
    renumbered_specials,
    token_table,
    vocabulary_order,
)

AllowedSpecial = str | Collection[str]

#: Characters from which the compiled kernels are worth a call, or worth being loaded.
MIN_CHARACTERS_FOR_KERNELS = {"loaded": 2_000, "cached": 2_000_000}


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """Text to token ids and back. Two tokenizers are equal if they give the same ids: same fingerprint.

    Parameters
    ----------
    alphabet : Alphabet
        The base tokens.
    left, right, product : ndarray of int32, shape (n_merges,)
        Ids of the merges' parts and products, in rank order.
    pattern : SplitPattern
        Cuts text into pre-tokens.
    special_tokens : mapping of str to int
        Text and id.
    semantics : {"pairs"}
        How merges apply: by pair, lowest rank first, left to right.
    training : TrainingRecord or None
        How it came about; decides no id.

    Raises
    ------
    BpeStudioError
        If the parts contradict one another, for example two tokens of one id. Merges are checked on first
        use.
    """

    alphabet: Alphabet
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    product: NDArray[np.int32]
    pattern: SplitPattern
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    semantics: str = "pairs"
    training: TrainingRecord | None = None

    def __post_init__(self) -> None:
        for name in ("left", "right", "product"):
            object.__setattr__(self, name, id_array(name, getattr(self, name)))
        if not len(self.left) == len(self.right) == len(self.product):
            raise BpeStudioError("left, right and product must be equally long.")
        if self.semantics != "pairs":
            raise BpeStudioError(f"semantics={self.semantics!r} is not known; it is 'pairs'.")
        by_id = dict(sorted(self.special_tokens.items(), key=lambda item: item[1]))
        object.__setattr__(self, "special_tokens", MappingProxyType(by_id))

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.left, self.right, self.product)
        rest = (self.pattern, dict(self.special_tokens), self.semantics, self.training)
        return type(self), (self.alphabet, *arrays, *rest)

    @classmethod
    def from_log(
        cls,
        log: MergeLog,
        pattern: SplitPattern,
        special_tokens: Sequence[str] = (),
        *,
        training: TrainingRecord | None = None,
    ) -> Self:
        """Return the tokenizer of a merge log.

        Parameters
        ----------
        log : MergeLog
            All of its merges are taken; see `MergeLog.first`. Its config says whether specials come first or
            last.
        pattern : SplitPattern
            The pattern that cut the corpus.
        special_tokens : sequence of str
            In the order of their ids.
        training : TrainingRecord, optional
            Kept with the tokenizer.

        Returns
        -------
        Tokenizer
            With ids without holes.
        """
        start = 0 if log.config.special_placement == "first" else log.next_id
        specials = {token: start + index for index, token in enumerate(special_tokens)}
        return cls(log.alphabet, log.left, log.right, log.token, pattern, specials, training=training)

    # ---- what it is --------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self.fingerprint() == other.fingerprint() if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        return (
            f"Tokenizer({self.alphabet.kind}, {self.n_merges:,} merges, pattern {self.pattern.name!r}, "
            f"{len(self.special_tokens)} special tokens, vocab_size {self.vocab_size:,})"
        )

    @cached_property
    def tokens(self) -> Mapping[int, bytes]:
        """Id → bytes of every token, ascending; ``<unk>`` is empty, specials are their text in UTF-8."""
        return token_table(self.alphabet, self.left, self.right, self.product, self.special_tokens)

    @property
    def n_merges(self) -> int:
        """Number of merges."""
        return len(self.left)

    @property
    def vocab_size(self) -> int:
        """Number of tokens, specials and ``<unk>`` included."""
        return len(self.tokens)

    @property
    def n_ids(self) -> int:
        """Largest id + 1: rows of an embedding. More than `vocab_size` if ids have holes."""
        return max(self.tokens, default=-1) + 1

    @property
    def merges(self) -> list[tuple[bytes, bytes]] | list[tuple[str, str]]:
        """The merges in rank order, as pairs of bytes, or of str if the alphabet is characters."""
        pairs = zip(self.left.tolist(), self.right.tolist(), strict=True)
        parts = [(self.tokens[left], self.tokens[right]) for left, right in pairs]
        if self.alphabet.kind == "bytes":
            return parts
        return [(left.decode(), right.decode()) for left, right in parts]

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token.

        Raises
        ------
        BpeStudioError
            If no token has that id.
        """
        known = self.tokens.get(as_index("A token id", token))
        if known is None:
            raise BpeStudioError(
                f"No token has the id {token!r}; this tokenizer has {self.vocab_size:,} tokens, "
                f"the largest id is {self.n_ids - 1:,}."
            )
        return known

    def is_ordered(self) -> OrderCheck:
        """Return whether every prefix of the merges is a tokenizer, as cursor and curve need it."""
        return self._order

    @cached_property
    def _order(self) -> OrderCheck:
        merges = (self.left, self.right, self.product)
        return vocabulary_order(self.alphabet, merges, self.special_tokens)

    def fingerprint(self) -> str:
        """Return the sha256, in hex, of exactly what decides ids: no tie rule, no counts."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint_of(
            self.alphabet, self.tokens, (self.left, self.right, self.product), self.pattern.expression,
            self.special_tokens, self.semantics,
        )  # fmt: skip

    def first(self, n_merges: int) -> Tokenizer:
        """Return the tokenizer after its first merges.

        Parameters
        ----------
        n_merges : int
            From 0 to `n_merges`.

        Returns
        -------
        Tokenizer
            Specials that directly follow the merges are renumbered to follow the first ones; ids that were
            set explicitly or lie elsewhere stay.

        Raises
        ------
        BpeStudioError
            If there are fewer merges.
        """
        n_merges = as_index("The number of merges", n_merges)
        if not 0 <= n_merges <= self.n_merges:
            raise BpeStudioError(f"first({n_merges:,}) is not possible: there are {self.n_merges:,} merges.")
        if n_merges == self.n_merges:
            return self
        products = self.product[:n_merges]
        specials = renumbered_specials(self.alphabet, self.product, products, self.special_tokens)
        training = None if self.training is None else self.training.first(n_merges)
        return replace(
            self, left=self.left[:n_merges], right=self.right[:n_merges], product=products,
            special_tokens=specials, training=training,
        )  # fmt: skip

    # ---- text to ids -------------------------------------------------------------------------------------

    def encode(self, text: str | bytes, allowed_special: AllowedSpecial = "none_raise") -> list[int]:
        """Return the token ids of a text.

        Parameters
        ----------
        text : str or bytes
            Bytes that are not UTF-8 need an alphabet of bytes and pattern "none". Lone surrogates are read as
            U+FFFD with a warning; a high and a low one are joined.
        allowed_special : {"none_raise", "none", "all"} or collection of str
            What the texts of special tokens are when met: an error, plain text, or those tokens. Text from
            people you do not trust should never be encoded with "all": it could then forge the tokens that
            structure your data. The default makes you choose.

        Returns
        -------
        list of int
            Ids.

        Raises
        ------
        SpecialTokenError
            With "none_raise", naming the special token and where it is.
        UnknownCharacterError
            If the alphabet lacks characters; it names every one.
        """
        parts = self._id_parts(text, allowed_special)
        if len(parts) == 1 and isinstance(parts[0], list):
            return parts[0]
        return list(np.concatenate([np.array(part, np.int64) for part in parts]).tolist())

    def encode_to_array(
        self, text: str | bytes, allowed_special: AllowedSpecial = "none_raise"
    ) -> NDArray[np.uint32]:
        """Return the token ids of a text as an ndarray of uint32; see `encode`."""
        parts = self._id_parts(text, allowed_special)
        return np.concatenate([np.array(part, np.uint32) for part in parts])

    def _id_parts(
        self, text: str | bytes, allowed_special: AllowedSpecial
    ) -> list[list[int] | NDArray[np.int32]]:
        """Ids as lists, but for very long words: ten million ids would be a list of ten million objects."""
        ids: list[int] = []
        parts: list[list[int] | NDArray[np.int32]] = [ids]
        encoder = self._encoder
        longest = VERY_LONG_WORD if encoder.has_kernel else sys.maxsize
        for piece in self._pieces(self._valid(text), allowed_special):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            if self._takes_kernels(len(piece)):
                ids = []
                parts += [self._fast_encoder.encode(piece.encode()), ids]
                continue
            for word in self.pattern.split(piece):
                if len(word) < longest:
                    ids.extend(encoder.tokens(word))
                else:
                    ids = []
                    parts += [encoder.tokens_of_long(word), ids]
        return parts

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        allowed_special: AllowedSpecial = "none_raise",
        *,
        n_threads: int | None = None,
    ) -> list[list[int]]:
        """Return the token ids of several texts, in their order; see `encode`.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts.
        allowed_special : {"none_raise", "none", "all"} or collection of str
            As in `encode`.
        n_threads : int or None
            Threads; None is one.
        """
        if isinstance(texts, str | bytes):
            raise BpeStudioError("encode_batch takes several texts, as a list; encode takes one.")
        texts = list(texts)
        plain = [text for text in texts if isinstance(text, str)]
        if len(plain) == len(texts) and self._takes_kernels(sum(map(len, plain))):
            ids = encode_together(self._fast_encoder, plain, allowed_special, self.special_tokens)
            if ids is not None:
                return ids
        if n_threads is None or as_index("n_threads", n_threads) < 2:
            return [self.encode(text, allowed_special) for text in texts]
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(lambda text: self.encode(text, allowed_special), texts))

    def offsets(
        self, text: str | bytes, unit: str = "bytes", *, allowed_special: AllowedSpecial = "none_raise"
    ) -> NDArray[np.int64]:
        """Return where each token of `encode(text)` lies in the text.

        Parameters
        ----------
        text : str or bytes
            As in `encode`. Positions are those of the text that is encoded, surrogates replaced.
        unit : {"bytes", "characters"}
            Offsets into the UTF-8, or into the code points. A token that holds part of a character reaches
            over the whole of it, so neighbours may overlap in characters; in bytes they never do.
        allowed_special : {"none_raise", "none", "all"} or collection of str
            As in `encode`.

        Returns
        -------
        ndarray of int64, shape (n_tokens, 2)
            Start and end (exclusive).
        """
        if unit not in ("bytes", "characters"):
            raise BpeStudioError(f"unit={unit!r} is not known; it is 'bytes' or 'characters'.")
        ids = self.encode(text, allowed_special)
        return token_bounds(self._valid(text), ids, self.tokens, self.alphabet.unknown_id, unit)

    def trace(
        self, text: str | bytes, *, allowed_special: AllowedSpecial = "none_raise"
    ) -> NDArray[np.int64]:
        """Return every application of a merge in the encoding of a text.

        Parameters
        ----------
        text : str or bytes
            As in `encode`.
        allowed_special : {"none_raise", "none", "all"} or collection of str
            As in `encode`.

        Returns
        -------
        ndarray of int64, shape (n_applications, 4)
            Rows (pre-token, rank, byte start, byte end) by pre-token, rank, position. Pre-tokens are counted
            from 0; special tokens are none. Offsets are into the UTF-8 of the whole text.
        """
        rows: list[tuple[int, int, int, int]] = []
        at = index = 0
        for piece in self._pieces(self._valid(text), allowed_special):
            if isinstance(piece, int):
                at += len(self.tokens[piece])
                continue
            for word in self.pattern.split(piece):
                bounds = [at, *(at + np.cumsum(symbol_widths(self.alphabet, word))).tolist()]
                applied = self._encoder.applications(word)
                rows.extend((index, rank, bounds[start], bounds[end]) for rank, start, end in applied)
                at, index = bounds[-1], index + 1
        return np.array(rows, dtype=np.int64).reshape(-1, 4)

    def _valid(self, text: str | bytes) -> str:
        if isinstance(text, str):
            return valid_text(text)
        # Anything else would have bytes too: a Path those of its name, 5 five times NUL.
        if not isinstance(text, bytes | bytearray | memoryview):
            raise BpeStudioError(f"A text is a str or bytes, not {type(text).__name__}.")
        raw = self.alphabet.kind == "bytes" and self.pattern.expression is None
        return text_of_bytes(bytes(text), takes_raw_bytes=raw)

    def _pieces(self, text: str, allowed_special: AllowedSpecial) -> Iterator[str | int]:
        pieces = list(pieces_of(text, allowed_special, self.special_tokens))
        if (
            self.alphabet.kind == "characters"
            and self.alphabet.unknown_id is None
            and not self.alphabet.byte_fallback
        ):
            self._check_characters(pieces)
        return iter(pieces)

    def _check_characters(self, pieces: list[str | int]) -> None:
        """Name every missing character of the text, not only those of the first pre-token that has some."""
        known = self.alphabet.character_ids
        at, position = 0, None
        missing: dict[str, None] = {}
        for piece in pieces:
            text = self.tokens[piece].decode() if isinstance(piece, int) else piece
            if not isinstance(piece, int) and not known.keys() >= set(text):
                missing.update(dict.fromkeys(character for character in text if character not in known))
                if position is None:
                    position = at + next(i for i, character in enumerate(text) if character not in known)
            at += len(text)
        if missing:
            raise missing_characters(missing, position)

    def _takes_kernels(self, n_characters: int) -> bool:
        """Whether a text is long enough, and of the kind, for the compiled kernels."""
        if self.pattern.name not in KINDS or self.alphabet.kind != "bytes":
            return False
        return n_characters >= MIN_CHARACTERS_FOR_KERNELS.get(kernels.status(), sys.maxsize)

    @cached_property
    def _fast_encoder(self) -> FastEncoder:
        byte_ids = self.alphabet.byte_ids
        assert byte_ids is not None
        merges = (self.left, self.right, self.product)
        return FastEncoder(KINDS[self.pattern.name], byte_ids, merges, kernels.load())

    @cached_property
    def _encoder(self) -> WordEncoder:
        return WordEncoder(self.alphabet, self.left, self.right, self.product)

    # ---- ids to text -------------------------------------------------------------------------------------

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text of some tokens.

        Parameters
        ----------
        ids : iterable of int
            Token ids; an ndarray is fine.
        errors : {"replace", "strict", "ignore"}
            What happens to bytes that are no UTF-8, as when ids were cut inside a character.

        Returns
        -------
        str
            Special tokens give their text, ``<unk>`` gives U+FFFD.

        Raises
        ------
        BpeStudioError
            For an id that no token has; with "strict", for bytes that are no UTF-8.
        """
        stream = self.stream_decoder(errors)
        return stream.feed(_integers(ids)) + stream.finish()

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of some tokens; ``<unk>`` gives U+FFFD in UTF-8.

        Raises
        ------
        BpeStudioError
            For an id that no token has.
        """
        unknown = self.alphabet.unknown_id
        return b"".join(
            REPLACEMENT.encode() if id_ == unknown else self.token_bytes(id_) for id_ in _integers(ids)
        )

    def stream_decoder(self, errors: str = "replace") -> StreamDecoder:
        """Return a decoder that takes ids one by one and holds unfinished characters back."""
        return StreamDecoder(self._token_for_stream, errors)

    def _token_for_stream(self, token: int) -> bytes | str:
        if token == self.alphabet.unknown_id:
            return REPLACEMENT
        data = self.token_bytes(token)
        return data.decode() if token in self._special_ids else data

    @cached_property
    def _special_ids(self) -> frozenset[int]:
        return frozenset(self.special_tokens.values())


def _integers(ids: Iterable[int]) -> Iterator[int]:
    """Yield ids as ints; `operator.index` takes numpy's integers and refuses 1.0 and "1"."""
    try:
        yield from map(operator.index, ids)
    except TypeError as error:
        raise BpeStudioError(f"Token ids must be integers: {error}.") from error
