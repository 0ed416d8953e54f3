"""Vocabularies of pieces with scores, as SentencePiece and llama.cpp hold them, and the tokenizers they are.

A text is characters, and pieces that a user defined, which are found first and never joined. Of all
neighbours whose texts together are a piece, those of the highest score are joined, the leftmost first, until
there are none. A character that is no piece becomes its bytes, if there are pieces for bytes, else the
unknown piece.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.sentencepiece_normalizer import SentencePieceNormalizer
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.assembling import character_alphabet
from bpe_studio.formats.byte_letters import BYTE_NAMES
from bpe_studio.formats.recovery import joined

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
KINDS = {
    NORMAL: "normal", UNKNOWN: "unknown", CONTROL: "control", USER_DEFINED: "user-defined", UNUSED: "unused",
    BYTE: "byte",
}  # fmt: skip
#: SentencePiece loads no longer pieces.
MAX_PIECE_BYTES = 8_000

#: Characters of all longer pieces, squared and added up, above which their merges are not looked for. The
#: largest vocabularies that people use have some ten million.
MAX_WORK = 1 << 26


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece; its id is its place in the list.

    Parameters
    ----------
    text : str
        What it stands for; of a byte, ``<0x41>``.
    score : float
        Higher scores are joined first.
    kind : int
        One of `KINDS`.
    """

    text: str
    score: float = 0.0
    kind: int = NORMAL


def tokenizer_of_pieces(pieces: Sequence[Piece], normalizer: SentencePieceNormalizer) -> Tokenizer:
    """Return the tokenizer that gives the ids of a vocabulary of pieces.

    Parameters
    ----------
    pieces : sequence of Piece
        In the order of their ids.
    normalizer : SentencePieceNormalizer
        What is done to a text first.

    Returns
    -------
    Tokenizer
        By pair if each piece comes about by joining the same two pieces wherever it comes about, as it does
        after a training; else by scores. Control pieces are its special tokens.

    Raises
    ------
    FormatError
        Naming the piece, if the vocabulary contradicts itself, or if it asks for what is not done here.
    """
    _check(pieces)
    ids: dict[int, list[int]] = {kind: [] for kind in KINDS}
    for token, piece in enumerate(pieces):
        ids[piece.kind].append(token)
    letters = [token for token in (*ids[NORMAL], *ids[UNUSED]) if len(pieces[token].text) == 1]
    longer = [token for token in ids[NORMAL] if len(pieces[token].text) > 1]
    longer.sort(key=lambda token: -pieces[token].score)
    spelled = sorted(ids[BYTE], key=lambda token: pieces[token].text)
    unknown = pieces[ids[UNKNOWN][0]].text, ids[UNKNOWN][0]
    alphabet = character_alphabet({pieces[token].text: token for token in letters}, spelled, unknown)
    alphabet = replace(alphabet, fuse_unknown=not spelled)
    _check_letters(alphabet, [pieces[token].text for token in longer])
    unused = {token: pieces[token].text for token in ids[UNUSED] if len(pieces[token].text) > 1}
    known = {pieces[token].text for token in (*letters, *longer, *unused)}
    _check_unused(list(unused.values()), known)
    ranks = _ranks([pieces[token].score for token in longer])
    pairs = _pairs(pieces, letters, longer, ranks)
    by_pair = len(pairs) == len(longer) == len(set(ranks))
    left, right = np.array([*pairs.values()], np.int32).reshape(-1, 2).T
    return Tokenizer(
        alphabet, left, right, np.array([*pairs], np.int32), resolve_pattern("none"),
        special_tokens={pieces[token].text: token for token in ids[CONTROL]},
        added_tokens={pieces[token].text: token for token in ids[USER_DEFINED]},
        normalizer=normalizer.steps,
        semantics="pairs" if by_pair else "scores",
        unmerged={token: pieces[token].text.encode() for token in (*longer, *unused) if token not in pairs},
        ranks={} if by_pair else dict(zip(longer, ranks, strict=True)),
    )  # fmt: skip


def _ranks(scores: Sequence[float]) -> list[int]:
    """Return a rank for each score, which are in descending order; equal scores share one."""
    ranks: list[int] = []
    for index, score in enumerate(scores):
        ranks.append(ranks[-1] if index and score == scores[index - 1] else index)
    return ranks


def _pairs(
    pieces: Sequence[Piece], letters: Sequence[int], longer: Sequence[int], ranks: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Return the two ids that make each longer piece, in the order of ranks, where two known ones make it.

    Notes
    -----
    What lies between two borders that are never crossed is joined as if it stood alone. So a piece comes
    about only by those two parts into which the pieces of better scores cut its text; if they cut every
    piece's text into two, and no two scores are equal, joining by pairs is the same as joining by texts.
    """
    pairs: dict[int, tuple[int, int]] = {}
    if sum(len(pieces[token].text) ** 2 for token in longer) > MAX_WORK:
        return pairs
    ids = {pieces[token].text: token for token in letters}
    known = dict.fromkeys(ids, -1)
    for token, rank in zip(longer, ranks, strict=True):
        text = pieces[token].text
        parts = joined(text, known, rank + 1)  # equal scores too, as the ones before are known
        if len(parts) == 2:
            pairs[token] = ids[parts[0]], ids[parts[1]]
        ids[text], known[text] = token, rank
    return pairs


def _check(pieces: Sequence[Piece]) -> None:
    for token, piece in enumerate(pieces):
        place = f"piece {token:,} ({piece.text[:40]!r})"
        if not piece.text or "\0" in piece.text or len(piece.text.encode()) >= MAX_PIECE_BYTES:
            raise FormatError(f"{place} is empty, or holds a zero character, or is too long.")
        if piece.kind not in KINDS:
            raise FormatError(f"{place} is of kind {piece.kind}, which is not known.")
        if math.isnan(piece.score):
            raise FormatError(f"{place} has a score that is no number.")
        if piece.kind in (UNKNOWN, CONTROL) and len(piece.text) == 1:
            raise FormatError(
                f"{place} is {KINDS[piece.kind]} and one character, which would be it in every text."
            )
    twice = next((text for text, n in Counter(piece.text for piece in pieces).items() if n > 1), None)
    if twice is not None:
        raise FormatError(f"the piece {twice[:40]!r} is there twice.")
    n_unknown = sum(piece.kind == UNKNOWN for piece in pieces)
    if n_unknown != 1:
        raise FormatError(f"there must be one unknown piece; there are {n_unknown:,}.")
    bytes_ = {piece.text for piece in pieces if piece.kind == BYTE}
    if bytes_ and bytes_ != set(BYTE_NAMES):
        raise FormatError("there must be a byte piece for each of the 256 bytes, <0x00> to <0xFF>, or none.")


def _check_unused(texts: Sequence[str], known: Set[str]) -> None:
    """Raise `FormatError` if an unused piece could come about: it would have to be taken apart again."""
    for text in texts:
        for at in range(1, len(text)):
            if text[:at] in known and text[at:] in known:
                raise FormatError(
                    f"the piece {text[:40]!r} is unused, and {text[:at][:40]!r} and {text[at:][:40]!r} would "
                    "be joined to it; taking it apart again is not done here."
                )


def _check_letters(alphabet: Alphabet, texts: Iterable[str]) -> None:
    known = set(alphabet.characters)
    for text in texts:
        if not known.issuperset(text):
            missing = next(character for character in text if character not in known)
            raise FormatError(f"the piece {text[:40]!r} holds {missing!r}, which is no piece itself.")
