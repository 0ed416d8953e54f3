"""Base symbols: all 256 bytes, or characters.

Id order: [specials if first] [``<unk>``] [256 byte tokens] [characters by code point] [merges]
[specials if last]. ``<unk>`` and the byte tokens of a fallback are walls: no pair holds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.errors import BpeStudioError, UnknownCharacterError
from bpe_studio.engine.words import WordTable

DEFAULT_UNKNOWN = "<unk>"


def byte_sequence(byte_order: str) -> tuple[int, ...]:
    """Return the byte values in the order of their ids.

    Notes
    -----
    GPT-2's order is that of its printable stand-ins: 0x21–0x7E, 0xA1–0xAC, 0xAE–0xFF, then the other
    68 bytes ascending (Radford et al. 2019 §2.2, as published with the model).
    """
    if byte_order == "identity":
        return tuple(range(256))
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    return (*printable, *(byte for byte in range(256) if byte not in printable))


@dataclass(frozen=True)
class Alphabet:
    """The base tokens of a vocabulary, with ids from `first_id`.

    Parameters
    ----------
    kind : {"bytes", "characters"}
        What a base symbol is.
    byte_order : {"identity", "gpt2"}
        Order of the byte tokens.
    first_id : int
        Id of the first base token (the number of specials that come first).
    unknown_token : str or None
        Name of the token for characters outside the alphabet.
    byte_fallback : bool
        Such characters become byte tokens instead.
    characters : tuple of str
        The characters, by code point; empty for bytes.
    ids : tuple of int
        The ids of `tokens`, as a file may have them in any order; empty if they follow `first_id`.
    fuse_unknown : bool
        A run of such characters is one unknown token, not one for each of them.
    """

    kind: str = "bytes"
    byte_order: str = "identity"
    first_id: int = 0
    unknown_token: str | None = None
    byte_fallback: bool = False
    characters: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    fuse_unknown: bool = False

    def __post_init__(self) -> None:
        if self.ids and not len(set(self.ids)) == len(self.ids) == len(self.tokens):
            raise BpeStudioError("An alphabet's ids must be one for each base token, none of them twice.")

    @cached_property
    def tokens(self) -> tuple[bytes, ...]:
        """The bytes of the base tokens in id order; ``<unk>`` is empty."""
        unknown = (b"",) if self.unknown_token is not None else ()
        byte_tokens = (
            tuple(bytes([byte]) for byte in byte_sequence(self.byte_order)) if self._has_bytes else ()
        )
        return (*unknown, *byte_tokens, *(character.encode() for character in self.characters))

    @property
    def _has_bytes(self) -> bool:
        return self.kind == "bytes" or self.byte_fallback

    @property
    def n_tokens(self) -> int:
        """Number of base tokens."""
        return len(self.tokens)

    @property
    def token_ids(self) -> Sequence[int]:
        """The ids of `tokens`."""
        return self.ids or range(self.first_id, self.first_id + self.n_tokens)

    @property
    def next_id(self) -> int:
        """The first id after the base tokens."""
        return max(self.ids) + 1 if self.ids else self.first_id + self.n_tokens

    @property
    def unknown_id(self) -> int | None:
        """Id of ``<unk>``, if there is one."""
        return None if self.unknown_token is None else self.token_ids[0]

    @cached_property
    def byte_ids(self) -> tuple[int, ...] | None:
        """Byte value → id, or None if the alphabet has no byte tokens."""
        if not self._has_bytes:
            return None
        start = self.unknown_token is not None
        ids = [0] * 256
        for byte, token in zip(byte_sequence(self.byte_order), self.token_ids[start:], strict=False):
            ids[byte] = token
        return tuple(ids)

    @cached_property
    def character_ids(self) -> dict[str, int]:
        """Character → id."""
        ids = self.token_ids[self.n_tokens - len(self.characters) :]
        return dict(zip(self.characters, ids, strict=True))

    @property
    def first_mergeable_id(self) -> int:
        """Base tokens below this id are walls, where ids follow `first_id`."""
        return self.first_id + self._n_walls

    @property
    def _n_walls(self) -> int:
        return self.n_tokens - (256 if self.kind == "bytes" else len(self.characters))

    @cached_property
    def walls(self) -> frozenset[int]:
        """Ids of the tokens that are never part of a pair: ``<unk>``, the bytes of a fallback."""
        return frozenset(self.token_ids[: self._n_walls])

    def is_wall(self, token: int) -> bool:
        """Whether a token is one of `walls`."""
        return token in self.walls

    def symbols(self, text: str | bytes) -> list[int]:
        """Return the base symbols of a text.

        Raises
        ------
        UnknownCharacterError
            If a character is in no alphabet; it names every one.
        """
        if self.kind == "bytes":
            ids = self.byte_ids
            assert ids is not None
            return [ids[byte] for byte in (text.encode() if isinstance(text, str) else text)]
        text = text if isinstance(text, str) else text.decode()
        known = self.character_ids
        symbols: list[int] = []
        for character in text:
            token = known.get(character)
            if token is not None:
                symbols.append(token)
            elif not (self.fuse_unknown and symbols and symbols[-1] == self.unknown_id):
                symbols.extend(self._stand_ins(character, text))
        return symbols

    def _stand_ins(self, character: str, text: str) -> tuple[int, ...]:
        if self.byte_fallback:
            ids = self.byte_ids
            assert ids is not None
            return tuple(ids[byte] for byte in character.encode())
        if self.unknown_id is not None:
            return (self.unknown_id,)
        raise missing_characters(
            dict.fromkeys(c for c in text if c not in self.character_ids), text.index(character)
        )

    def word_symbols(self, words: WordTable) -> tuple[np.ndarray, np.ndarray]:
        """Return the base symbols of all words, concatenated.

        Returns
        -------
        symbols : ndarray of int32, shape (n,)
            Ids of base tokens.
        offsets : ndarray of int64, shape (n_words + 1,)
            Word w is ``symbols[offsets[w]:offsets[w + 1]]``.

        Raises
        ------
        UnknownCharacterError
            If a character is in no alphabet; it names every one.
        """
        if self.kind == "bytes":
            return np.array(self.byte_ids, np.int32).take(words.utf8), words.offsets
        leads = (words.utf8 & 0xC0) != 0x80
        code_points = np.frombuffer(words.utf8.tobytes().decode().encode("utf-32-le"), np.uint32)
        ids = self._ids_of(code_points)
        if self.byte_fallback:
            per_byte = ids[np.cumsum(leads) - 1]
            kept = leads | (per_byte < 0)
            symbols = np.where(per_byte < 0, np.array(self.byte_ids, np.int32)[words.utf8], per_byte)[kept]
        else:
            kept, symbols = leads, self._with_unknown(ids, code_points)
        counts_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept, dtype=np.int64)])
        return symbols.astype(np.int32), counts_before[words.offsets]

    def _ids_of(self, code_points: np.ndarray) -> np.ndarray:
        """Return the id of each code point, −1 for those outside the alphabet."""
        known = np.array([ord(character) for character in self.characters] or [0xFFFFFFFF], np.uint32)
        at = np.minimum(np.searchsorted(known, code_points), len(known) - 1)
        ids = np.array([*self.character_ids.values()] or [-1], np.int32)
        return np.where(known[at] == code_points, ids[at], -1).astype(np.int32)

    def _with_unknown(self, ids: np.ndarray, code_points: np.ndarray) -> np.ndarray:
        missing = ids < 0
        if self.unknown_id is not None:
            return np.where(missing, self.unknown_id, ids)
        if missing.any():
            values, firsts = np.unique(code_points[missing], return_index=True)
            order = np.argsort(firsts)
            raise missing_characters([chr(value) for value in values[order]], None)
        return ids


def missing_characters(characters: Iterable[str], position: int | None) -> UnknownCharacterError:
    """Return the error that names every character missing from an alphabet."""
    missing = tuple(characters)
    listed = ", ".join(f"{character!r} (U+{ord(character):04X})" for character in missing)
    where = "" if position is None else f"; the first is at character {position:,}"
    return UnknownCharacterError(
        f"not in the alphabet: {listed}{where}. Add them to the base characters, or allow an unknown token "
        "or byte fallback",
        characters=missing,
        position=position,
    )


def alphabet_for(words: WordTable, config: TrainingConfig) -> Alphabet:
    """Return the alphabet that a training on `words` starts from.

    Notes
    -----
    With ``character_coverage`` below 1, characters are taken by (−count, code point) until their
    cumulative share reaches it.

    Raises
    ------
    UnknownCharacterError
        If explicit base characters leave some of the corpus without a token.
    """
    first_id = len(config.special_tokens) if config.special_placement == "first" else 0
    unknown = config.unknown_token
    if unknown is None and config.character_coverage < 1 and not config.byte_fallback:
        unknown = DEFAULT_UNKNOWN
    if unknown in config.special_tokens:
        raise BpeStudioError(
            f"{unknown!r} is both the unknown token and a special token; name one differently"
        )
    characters: tuple[str, ...] = ()
    if config.alphabet == "characters":
        characters = _base_characters(words, config)
    return Alphabet(config.alphabet, config.byte_order, first_id, unknown, config.byte_fallback, characters)


def _base_characters(words: WordTable, config: TrainingConfig) -> tuple[str, ...]:
    if config.base_characters is not None:
        return tuple(sorted(set().union(*config.base_characters)))
    code_points, counts = character_counts(words)
    if config.character_coverage < 1 and len(counts):
        order = np.lexsort((code_points, -counts))
        reached = np.cumsum(counts[order], dtype=np.int64)
        needed = config.coverage * int(reached[-1])
        n_kept = int(np.searchsorted(reached, -(-needed.numerator // needed.denominator))) + 1
        code_points = np.sort(code_points[order[:n_kept]])
    return tuple(chr(code_point) for code_point in code_points)


def character_counts(words: WordTable) -> tuple[np.ndarray, np.ndarray]:
    """Return the characters of a corpus and how often each occurs.

    Returns
    -------
    code_points : ndarray of uint32
        Distinct, ascending.
    counts : ndarray of int64
        Occurrences in the corpus.
    """
    text = words.utf8.tobytes().decode()
    code_points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    leads = (words.utf8 & 0xC0) != 0x80
    weights = np.repeat(words.counts, np.diff(words.offsets))[leads]
    distinct, inverse = np.unique(code_points, return_inverse=True)
    counts = np.zeros(len(distinct), np.int64)
    np.add.at(counts, inverse, weights)
    return distinct, counts
