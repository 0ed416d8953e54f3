"""Tokenizer (frozen): an alphabet, merges, a split pattern and special tokens; text to ids and back."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.checking import as_index
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.merges import MergeLog, OrderCheck
from bpe_studio.engine.normalizing import Step, checked_steps, restored
from bpe_studio.engine.patterns import SplitPattern
from bpe_studio.engine.positions import token_bounds
from bpe_studio.engine.semantics import SEMANTICS, MergeModel
from bpe_studio.engine.streaming import REPLACEMENT, StreamDecoder
from bpe_studio.engine.text_encoder import AllowedSpecial, TextEncoder
from bpe_studio.engine.training_record import TrainingRecord
from bpe_studio.engine.vocabulary import (
    fingerprint_of,
    id_array,
    renumbered_specials,
    token_table,
    vocabulary_order,
)

#: What is worked out on first use, and does not depend on the training.
SHARED = ("tokens", "_fingerprint")


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
    semantics : {"pairs", "pairs-leftmost", "pairs-whole", "ranks", "scores"}
        How merges apply, see `SEMANTICS`: by pair, lowest rank first, left to right; one by one; that after a
        pre-token that is a token as a whole; by the rank of the concatenated bytes, after the same; by that
        alone.
    training : TrainingRecord or None
        How it came about; decides no id.
    unmerged : mapping of int to bytes
        Tokens that no merge makes, by id. Under "pairs" no text becomes them; under the others it may.
    ranks : mapping of int to int
        Under "ranks" and "scores": the ranks of tokens for which they are not their ids. Several may share
        one: then the leftmost place decides.
    added_tokens : mapping of str to int
        Text and id of tokens that are found in any text like special ones, but are no matter of safety: no
        choice and no error. Special tokens are found before them.
    normalizer : tuple of Step
        What happens to text between special tokens before all else, see `normalizing`.

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
    unmerged: Mapping[int, bytes] = field(default_factory=dict)
    ranks: Mapping[int, int] = field(default_factory=dict)
    added_tokens: Mapping[str, int] = field(default_factory=dict)
    normalizer: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        for name in ("left", "right", "product"):
            object.__setattr__(self, name, id_array(name, getattr(self, name)))
        if not len(self.left) == len(self.right) == len(self.product):
            raise BpeStudioError("left, right and product must be equally long.")
        if self.semantics not in SEMANTICS:
            known = ", ".join(map(repr, SEMANTICS))
            raise BpeStudioError(f"semantics={self.semantics!r} is not known; it is one of {known}.")
        object.__setattr__(self, "normalizer", checked_steps(self.normalizer))
        for name in ("special_tokens", "added_tokens"):
            by_id = dict(sorted(getattr(self, name).items(), key=lambda item: item[1]))
            object.__setattr__(self, name, MappingProxyType(by_id))
        for name in ("unmerged", "ranks"):
            object.__setattr__(self, name, MappingProxyType(dict(sorted(getattr(self, name).items()))))

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.left, self.right, self.product)
        rest = (self.pattern, dict(self.special_tokens), self.semantics, self.training)
        more = dict(self.unmerged), dict(self.ranks), dict(self.added_tokens), self.normalizer
        return type(self), (self.alphabet, *arrays, *rest, *more)

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
        merges = (self.left, self.right, self.product)
        return token_table(self.alphabet, *merges, self.special_tokens, self.unmerged, self.added_tokens)

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
        if self.semantics != "pairs":
            return OrderCheck(False, -1, f"a pre-token becomes its tokens by {self.semantics!r}")
        if self.unmerged:
            return OrderCheck(False, -1, f"no merge makes token {next(iter(self.unmerged)):,}")
        merges = (self.left, self.right, self.product)
        return vocabulary_order(self.alphabet, merges, {**self.special_tokens, **self.added_tokens})

    def fingerprint(self) -> str:
        """Return the sha256, in hex, of exactly what decides ids: no tie rule, no counts."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint_of(
            self.alphabet, self.tokens, (self.left, self.right, self.product), self.pattern.value,
            self.special_tokens, self.semantics, self.ranks, self.added_tokens,
            self.normalizer,
        )  # fmt: skip

    def with_training(self, training: TrainingRecord) -> Tokenizer:
        """Return the same tokenizer with how it came about, which decides no id.

        Parameters
        ----------
        training : TrainingRecord
            Takes the place of the one it has.
        """
        same = replace(self, training=training)
        # Neither depends on it, and both take a while.
        same.__dict__.update({name: self.__dict__[name] for name in SHARED if name in self.__dict__})
        return same

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
            set explicitly or lie elsewhere stay, and all do if there are `unmerged` tokens. Of those the ones
            below the first product that is left out stay.

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
        specials: Mapping[str, int] = self.special_tokens
        if not self.unmerged:
            specials = renumbered_specials(self.alphabet, self.product, products, specials)
        unmerged = {token: data for token, data in self.unmerged.items() if token < self.product[n_merges]}
        training = None if self.training is None else self.training.first(n_merges)
        return replace(
            self, left=self.left[:n_merges], right=self.right[:n_merges], product=products,
            special_tokens=specials, training=training, unmerged=unmerged,
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
        return self._encoder.ids(text, allowed_special)

    def encode_to_array(
        self, text: str | bytes, allowed_special: AllowedSpecial = "none_raise"
    ) -> NDArray[np.uint32]:
        """Return the token ids of a text as an ndarray of uint32; see `encode`."""
        return self._encoder.array(text, allowed_special)

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
        n_threads = 1 if n_threads is None else as_index("n_threads", n_threads)
        return self._encoder.batch(list(texts), allowed_special, n_threads)

    def offsets(
        self, text: str | bytes, unit: str = "bytes", *, allowed_special: AllowedSpecial = "none_raise"
    ) -> NDArray[np.int64]:
        """Return where each token of `encode(text)` lies in the text.

        Parameters
        ----------
        text : str or bytes
            As in `encode`. Positions are those of the text that is encoded, see `normalized`.
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
        unknown, widths = self.alphabet.unknown_id, self._encoder.unknown_widths(text, allowed_special)
        covered = {} if unknown is None else {unknown: widths}
        return token_bounds(self.normalized(text, allowed_special), ids, self.tokens, covered, unit)

    def normalized(self, text: str | bytes, allowed_special: AllowedSpecial = "none_raise") -> str:
        """Return the text that is split and merged: valid, and after `normalizer`; see `encode`."""
        if not self.normalizer:
            return self._encoder.valid(text)
        return self._encoder.normalized(text, allowed_special)

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
            from 0; special tokens are none. Offsets are into the UTF-8 of the whole text. The rank is the
            merge's place in the list; under "ranks" and "scores" that of the token. It is −1 for a pre-token
            that is taken whole though merging would make something else of it.
        """
        return self._encoder.trace(text, allowed_special)

    @cached_property
    def _encoder(self) -> TextEncoder:
        model = MergeModel(
            self.alphabet, self.left, self.right, self.product, SEMANTICS[self.semantics], self.ranks,
            self.special_tokens, self.added_tokens, lambda: self.tokens,
        )  # fmt: skip
        return TextEncoder(model, self.pattern, self.normalizer)

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
        try:
            return b"".join(map(self._decoded.__getitem__, _integers(ids)))
        except KeyError as error:
            return self.token_bytes(error.args[0])  # raises, and says why

    @cached_property
    def _decoded(self) -> Mapping[int, bytes]:
        unknown = self.alphabet.unknown_id
        return self.tokens if unknown is None else {**self.tokens, unknown: REPLACEMENT.encode()}

    def stream_decoder(self, errors: str = "replace") -> StreamDecoder:
        """Return a decoder that takes ids one by one and holds unfinished characters back."""
        if not self.normalizer:
            return StreamDecoder(self._token_for_stream, errors)
        return StreamDecoder(
            self._token_for_stream, errors, lambda text, at_start: restored(text, self.normalizer, at_start)
        )

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
