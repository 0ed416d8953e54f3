"""SentencePiece's ``.model``, byte-pair encoding: a message of pieces with scores and of settings."""

from __future__ import annotations

import base64
import struct

from bpe_studio.engine.alphabet import DEFAULT_UNKNOWN
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.sentencepiece_normalizer import (
    VISIBLE_BLANK,
    SentencePieceNormalizer,
    of_step,
)
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats import protobuf
from bpe_studio.formats.byte_letters import BYTE_NAMES
from bpe_studio.formats.content import Content
from bpe_studio.formats.piece_vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
    tokenizer_of_pieces,
)
from bpe_studio.formats.protobuf import (
    DELIMITED,
    FOUR_BYTES,
    Message,
    bytes_field,
    four_bytes_field,
    number_field,
)
from bpe_studio.formats.reports import TRAINING_LOST

# Numbers of the fields that are read or written, by message.
PIECES, TRAINER, NORMALIZER, DENORMALIZER = 1, 2, 3, 5
TEXT, SCORE, KIND = 1, 2, 3
MODEL_TYPE, VOCAB_SIZE, BLANK_AS_SUFFIX, BYTE_FALLBACK, UNKNOWN_ID, UNKNOWN_PIECE = 3, 4, 24, 35, 40, 45
NAMED_IDS = {41: "<s>", 42: "</s>", 43: "<pad>"}
NAME, CHARSMAP, DUMMY_PREFIX, EXTRA_BLANKS, ESCAPE_BLANKS = 1, 2, 3, 4, 5

UNIGRAM, BPE = 1, 2
MODEL_TYPES = {UNIGRAM: "unigram", BPE: "byte-pair encoding", 3: "word", 4: "char"}


def recognises(content: Content) -> bool:
    """Return whether a file begins with a piece that begins with a text."""
    try:
        number, kind, piece = next(protobuf.fields(content.data[: 1 << 16], ""))
        return (number, kind) == (PIECES, DELIMITED) and next(protobuf.fields(bytes(piece), ""))[0] == TEXT
    except (FormatError, StopIteration):
        return False


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        If it is damaged, is no byte-pair encoding, or asks for what is not done here; naming what.
    """
    model = Message(content.data, "the model")
    trainer = Message(model.joined(TRAINER), "trainer_spec")
    kind = trainer.integer(MODEL_TYPE, UNIGRAM)
    if kind != BPE:
        named = MODEL_TYPES.get(kind, f"number {kind}")
        raise FormatError(f"its model type is {named}; only byte-pair encoding can be read.")
    if Message(model.joined(DENORMALIZER), "denormalizer_spec").data(CHARSMAP):
        raise FormatError("it replaces texts when decoding (denormalizer_spec), which is not done here.")
    pieces = [_piece(data, index) for index, data in enumerate(model.all(PIECES))]
    fallback, has_bytes = trainer.flag(BYTE_FALLBACK, False), any(piece.kind == BYTE for piece in pieces)
    if fallback != has_bytes:
        raise FormatError(
            f"byte_fallback is {fallback}, but there are {'' if has_bytes else 'no '}byte pieces."
        )
    return tokenizer_of_pieces(pieces, _normalizer(model, trainer, pieces))


def _piece(data: bytes, index: int) -> Piece:
    place = f"piece {index:,}"
    fields = Message(data, place)
    (score,) = struct.unpack("<f", fields.data(SCORE, FOUR_BYTES) or bytes(4))
    try:
        return Piece(fields.data(TEXT).decode(), score, fields.integer(KIND, NORMAL))
    except UnicodeDecodeError as error:
        raise FormatError(f"{place} is not UTF-8.") from error


def _normalizer(model: Message, trainer: Message, pieces: list[Piece]) -> SentencePieceNormalizer:
    settings = Message(model.joined(NORMALIZER), "normalizer_spec")
    charsmap = settings.data(CHARSMAP)
    user_defined = tuple(piece.text for piece in pieces if piece.kind == USER_DEFINED)
    # Without replacements keeping a text changes nothing, unless it has blanks of its own.
    kept = user_defined if charsmap or any(" " in text for text in user_defined) else ()
    return SentencePieceNormalizer(
        add_dummy_prefix=settings.flag(DUMMY_PREFIX, True),
        remove_extra_whitespaces=settings.flag(EXTRA_BLANKS, True),
        escape_whitespaces=settings.flag(ESCAPE_BLANKS, True),
        whitespace_as_suffix=trainer.flag(BLANK_AS_SUFFIX, False),
        charsmap=base64.b64encode(charsmap).decode(),
        kept=kept,
    )


# ---- writing -----------------------------------------------------------------------------------------------


def write(tokenizer: Tokenizer) -> bytes:
    """Return a file's bytes; see `refusals`.

    Notes
    -----
    Every setting is said, because what is left out means something else. Blanks stay blanks in pieces.
    """
    pieces = _pieces(tokenizer)
    ids = {piece.text: token for token, piece in enumerate(pieces)}
    unknown = next(token for token, piece in enumerate(pieces) if piece.kind == UNKNOWN)
    normalizer = _normalizer_of(tokenizer)
    trainer = [
        number_field(MODEL_TYPE, BPE),
        number_field(VOCAB_SIZE, len(pieces)),
        number_field(BLANK_AS_SUFFIX, normalizer.whitespace_as_suffix),
        number_field(BYTE_FALLBACK, tokenizer.alphabet.byte_fallback),
        number_field(UNKNOWN_ID, unknown),
        *(number_field(field, ids.get(text, -1)) for field, text in NAMED_IDS.items()),
        bytes_field(UNKNOWN_PIECE, pieces[unknown].text.encode()),
    ]
    settings = [
        bytes_field(NAME, b"user_defined" if normalizer.charsmap else b"identity"),
        bytes_field(CHARSMAP, base64.b64decode(normalizer.charsmap)),
        number_field(DUMMY_PREFIX, normalizer.add_dummy_prefix),
        number_field(EXTRA_BLANKS, normalizer.remove_extra_whitespaces),
        number_field(ESCAPE_BLANKS, normalizer.escape_whitespaces),
    ]
    parts = [bytes_field(PIECES, _piece_bytes(piece)) for piece in pieces]
    return b"".join(
        [*parts, bytes_field(TRAINER, b"".join(trainer)), bytes_field(NORMALIZER, b"".join(settings))]
    )


def _piece_bytes(piece: Piece) -> bytes:
    score = four_bytes_field(SCORE, struct.pack("<f", piece.score))
    return bytes_field(TEXT, piece.text.encode()) + score + number_field(KIND, piece.kind)


def keeps(tokenizer: Tokenizer) -> Tokenizer:
    """Return what a file keeps of a tokenizer."""
    return tokenizer_of_pieces(_pieces(tokenizer), _normalizer_of(tokenizer))


def lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return what a file does not keep."""
    alphabet = tokenizer.alphabet
    spells, has_unknown = alphabet.byte_fallback, alphabet.unknown_id is not None
    found = {
        TRAINING_LOST: (tokenizer.training is not None),
        "A character outside the alphabet is an error here; SentencePiece adds an id for it, <unk>.": (
            not has_unknown and not spells
        ),
        "SentencePiece must have an unknown token; one is added, an id more, which no text becomes.": (
            not has_unknown and spells
        ),
        "SentencePiece decodes U+2581 as a blank.": VISIBLE_BLANK in "".join(alphabet.characters)
        and not tokenizer.normalizer,
    }
    return tuple(sentence for sentence, holds in found.items() if holds)


def refusals(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written in this format; empty if it can."""
    alphabet = tokenizer.alphabet
    if alphabet.kind != "characters":
        partial = sum(not _is_utf8(data) for data in tokenizer.tokens.values())
        return (f"its alphabet is bytes ({partial:,} tokens hold parts of characters)",)
    found = {
        f"it has the split pattern {tokenizer.pattern.name!r}": tokenizer.pattern.expression is not None,
        f"its merges apply by {tokenizer.semantics!r}": tokenizer.semantics not in ("pairs", "scores"),
        "its ids have holes": tokenizer.n_ids > tokenizer.vocab_size,
        "a run of unknown characters is one unknown token in SentencePiece, and here one each": (
            alphabet.unknown_id is not None and not alphabet.byte_fallback and not alphabet.fuse_unknown
        ),
    }
    reasons = tuple(reason for reason, holds in found.items() if holds)
    if reasons:
        return reasons
    try:
        again = keeps(tokenizer)
    except FormatError as error:
        return (str(error).removesuffix("."),)
    if tokenizer.semantics == "pairs" and not _same_merges(tokenizer, again):
        return ("it has tokens that come about otherwise when any two neighbours that make them are joined",)
    return ()


def _same_merges(one: Tokenizer, other: Tokenizer) -> bool:
    names = ("left", "right", "product")
    return other.semantics == "pairs" and all(
        getattr(one, name).tolist() == getattr(other, name).tolist() for name in names
    )


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _pieces(tokenizer: Tokenizer) -> list[Piece]:
    """Return every token as a piece, in the order of ids, and an unknown one at the end if there is none."""
    alphabet = tokenizer.alphabet
    kinds = {token: CONTROL for token in tokenizer.special_tokens.values()}
    kinds |= {token: USER_DEFINED for token in tokenizer.added_tokens.values()}
    spelled = alphabet.byte_ids if alphabet.byte_fallback else ()
    texts = {token: BYTE_NAMES[byte] for byte, token in enumerate(spelled or ())}
    kinds |= {token: BYTE for token in texts}
    if alphabet.unknown_id is not None:
        kinds[alphabet.unknown_id] = UNKNOWN
        texts[alphabet.unknown_id] = str(alphabet.unknown_token)
    scores = _scores(tokenizer)
    pieces = []
    for token, data in tokenizer.tokens.items():
        kind = kinds.get(token, NORMAL if token in scores else UNUSED)
        score = scores.get(token, 0.0) if kind == NORMAL else 0.0
        pieces.append(Piece(texts.get(token) or data.decode(), score, kind))
    if alphabet.unknown_id is None:
        pieces.append(Piece(DEFAULT_UNKNOWN, 0.0, UNKNOWN))
    return pieces


def _scores(tokenizer: Tokenizer) -> dict[int, float]:
    """Return the scores of what is joined, 0 and below; characters come last, as in every trained model.

    Notes
    -----
    Whole numbers: a float32 holds them exactly up to 2^24, more than there are tokens.
    """
    order = tokenizer.product.tolist()
    ranks = {token: rank for rank, token in enumerate(order)}
    if tokenizer.semantics == "scores":
        # Of a list that gives ranks, those left out are unused pieces; reading checks that none comes about.
        found = tokenizer.ranks or {*order, *tokenizer.unmerged}
        ranks = {token: tokenizer.ranks.get(token, token) for token in found}
    dense = {rank: place for place, rank in enumerate(sorted(set(ranks.values())))}
    joined = {token: -float(dense[rank]) for token, rank in ranks.items()}
    letters = tokenizer.alphabet.character_ids.values()
    return joined | {token: -float(len(dense) + place) for place, token in enumerate(letters)}


def _normalizer_of(tokenizer: Tokenizer) -> SentencePieceNormalizer:
    """Return what is done to a text, as SentencePiece's settings."""
    if not tokenizer.normalizer:
        return SentencePieceNormalizer(False, False, False)
    if len(tokenizer.normalizer) > 1 or tokenizer.normalizer[0][0] != "sentencepiece":
        kinds = " and ".join(str(step[0]) for step in tokenizer.normalizer)
        raise FormatError(f"its normalizer is {kinds}, which is none of SentencePiece's.")
    return of_step(tokenizer.normalizer[0])
