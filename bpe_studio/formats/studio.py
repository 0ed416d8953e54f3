"""BPE Studio's own JSON: a tokenizer with everything that is known of its training.

One line a field and one line a merge, so that people and ``diff`` can read it. The same tokenizer always
gives the same bytes: there is no time in it. A merge's ``text`` is for people; the reader goes by the ids.
Keys that the reader does not know are skipped: what decides ids is held by the fingerprint, and a change of
meaning raises `VERSION`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from json.encoder import encode_basestring as quoted
from typing import Any

import numpy as np

from bpe_studio import __version__
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.merges import COLUMNS, LOADED, MergeBatch, MergeLog
from bpe_studio.engine.normalizing import Step, checked_steps
from bpe_studio.engine.patterns import SplitPattern, chained
from bpe_studio.engine.semantics import SEMANTICS
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.training_record import TrainingRecord
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.content import Content
from bpe_studio.formats.fields import MAX_INT64, Fields, checked, integer, shown
from bpe_studio.formats.training_fields import training_of, training_value

FORMAT, VERSION = "bpe-studio", 1
IDS = ("left", "right", "token")
FACTS = tuple(name for name in COLUMNS if name not in IDS)

#: Fields of an alphabet that a file may do without.
RARE = ("ids", "fuse_unknown")

#: Longest text shown for a token, in characters.
SHOWN = 60
SURROGATE = re.compile("[\ud800-\udfff]")


def recognises(content: Content) -> bool:
    """Return whether a file says that it is ours."""
    return content.json_object.get("format") == FORMAT


def lost(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return what a file does not keep: nothing."""
    return ()


def refusals(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return why a tokenizer cannot be written in this format: it always can."""
    return ()


# ---- writing -----------------------------------------------------------------------------------------------


def write(tokenizer: Tokenizer) -> bytes:
    """Return a file's bytes."""
    pattern, training = tokenizer.pattern, tokenizer.training
    head = {
        "format": FORMAT,
        "version": VERSION,
        "program": __version__,
        "fingerprint": tokenizer.fingerprint(),
        "vocab_size": tokenizer.vocab_size,
        "alphabet": _alphabet_value(tokenizer.alphabet),
        "pattern": {"name": pattern.name, "expression": pattern.expression} | _then(pattern),
        "normalizer": tokenizer.normalizer or None,
        "semantics": tokenizer.semantics,
        "special_tokens": _texts_and_ids(tokenizer.special_tokens),
        **_rare(tokenizer),
        "training": None if training is None else training_value(training),
    }
    lines = [f" {_json(key)}: {_json(value)},\n" for key, value in head.items()]
    columns = [*IDS, "text", *(FACTS if training is not None else ())]
    rows = ",\n".join(_rows(tokenizer))
    merges = f' "merges": {{\n  "columns": {_json(columns)},\n  "rows": [\n{rows}\n  ]\n }}\n'
    text = "".join(["{\n", *lines, merges, "}\n"])
    # A lone surrogate, possible in a pattern, has no UTF-8; escaped it is the same JSON.
    return SURROGATE.sub(lambda met: f"\\u{ord(met[0]):04x}", text).encode()


def _texts_and_ids(tokens: Mapping[str, int]) -> list[dict[str, str | int]]:
    return [{"text": text, "id": token} for text, token in tokens.items()]


def _alphabet_value(alphabet: Alphabet) -> dict[str, Any]:
    """Return the fields; of what few alphabets have, nothing is said where they have it not."""
    return {name: value for name, value in asdict(alphabet).items() if value or name not in RARE}


def _then(pattern: SplitPattern) -> dict[str, Any]:
    return {"then": pattern.then} if pattern.then else {}


def _rare(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the fields that most files do not have."""
    fields = {
        "added_tokens": _texts_and_ids(tokenizer.added_tokens),
        "unmerged": [[token, data.hex()] for token, data in tokenizer.unmerged.items()],
        "ranks": [list(item) for item in tokenizer.ranks.items()],
    }
    return {name: value for name, value in fields.items() if value}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _rows(tokenizer: Tokenizer) -> Iterator[str]:
    """Yield a merge's line of JSON; put together here, because json takes several times as long a row."""
    training, tokens = tokenizer.training, tokenizer.tokens
    product = tokenizer.product.tolist()
    shown = [quoted(_shown(tokens[token])) for token in product]
    facts = [] if training is None else [getattr(training.log, name).tolist() for name in FACTS]
    for row in zip(tokenizer.left.tolist(), tokenizer.right.tolist(), product, shown, *facts, strict=True):
        yield f"   [{', '.join(map(str, row))}]"


def _shown(data: bytes) -> str:
    r"""Return a token for people: its text, bytes that are none as ``\xf0``, long ones cut."""
    text = data[: 4 * SHOWN + 4].decode("utf-8", "backslashreplace")
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


# ---- reading -----------------------------------------------------------------------------------------------


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        Naming the key and what is wrong with it.
    BpeStudioError
        If the parts contradict one another.
    """
    fields = Fields(content.json)
    version = fields.integer("version", 1)
    if version > VERSION:
        raise FormatError(
            f"it was written by a newer BPE Studio (version {version:,} of the format); "
            f"this program, {__version__}, reads up to version {VERSION}."
        )
    rows = _columns(fields.fields("merges"))
    left, right, product = (rows[name].astype(np.int32) for name in IDS)
    tokenizer = Tokenizer(
        _alphabet(fields.fields("alphabet")),
        left,
        right,
        product,
        _pattern(fields.fields("pattern")),
        _text_ids(fields, "special_tokens"),
        fields.choice("semantics", tuple(SEMANTICS)),
        unmerged={token: _bytes(data, place) for token, data, place in _by_id(fields, "unmerged", str)},
        ranks={
            token: integer(rank, place, most=MAX_ID) for token, rank, place in _by_id(fields, "ranks", int)
        },
        added_tokens=_text_ids(fields, "added_tokens") if "added_tokens" in fields else {},
        normalizer=_steps(fields),
    )
    if tokenizer.fingerprint() != fields.text("fingerprint"):
        raise FormatError("the fingerprint does not match the content: the file was changed or damaged.")
    if fields.integer("vocab_size") != tokenizer.vocab_size:
        raise FormatError(f"vocab_size must be {tokenizer.vocab_size:,}, the number of tokens in the file.")
    return _with_training(tokenizer, fields, rows)


def _alphabet(fields: Fields) -> Alphabet:
    alphabet = Alphabet(
        kind=fields.choice("kind", ("bytes", "characters")),
        byte_order=fields.choice("byte_order", ("identity", "gpt2")),
        first_id=fields.integer("first_id", most=MAX_ID),
        unknown_token=fields.text_or_none("unknown_token"),
        byte_fallback=fields.flag("byte_fallback"),
        characters=fields.texts("characters"),
        ids=fields.integers("ids", MAX_ID) if "ids" in fields else (),
        fuse_unknown="fuse_unknown" in fields and fields.flag("fuse_unknown"),
    )
    if alphabet.kind == "bytes" and (alphabet.characters or alphabet.byte_fallback):
        raise FormatError("alphabet: an alphabet of bytes has no characters and no byte fallback.")
    if "" in alphabet.characters or len(set(alphabet.characters)) < len(alphabet.characters):
        raise FormatError("alphabet.characters holds an empty text, or one text twice.")
    if SURROGATE.search("".join(alphabet.characters)):
        raise FormatError("alphabet.characters holds a lone surrogate.")
    return alphabet


def _pattern(fields: Fields) -> SplitPattern:
    expression = fields.text_or_none("expression")
    fields.text("name")
    # The expression decides: the name may mean another one in another version.
    return chained([expression, *(fields.texts("then") if "then" in fields else ())])


def _steps(fields: Fields) -> tuple[Step, ...]:
    if fields.any("normalizer") is None:
        return ()
    steps = fields.list("normalizer")
    return checked_steps([checked(step, list, f"normalizer[{i}]") for i, step in enumerate(steps)])


def _by_id(fields: Fields, key: str, kind: type) -> Iterator[tuple[int, Any, str]]:
    """Yield id, value and place of a list of pairs that may be missing."""
    seen: set[int] = set()
    for index, item in enumerate(fields.list(key) if key in fields else ()):
        place = f"{fields.place(key)}[{index}]"
        pair = checked(item, list, place)
        if len(pair) != 2 or type(pair[1]) is not kind:
            raise FormatError(f"{place} must be an id and {'a text' if kind is str else 'a number'}.")
        token = integer(pair[0], f"{place}[0]", most=MAX_ID)
        if token in seen:
            raise FormatError(f"{place} repeats the id {token:,}.")
        seen.add(token)
        yield token, pair[1], f"{place}[1]"


def _bytes(text: str, place: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise FormatError(f"{place} must be bytes in hex, not {shown(text)}.") from error


def _text_ids(fields: Fields, key: str) -> dict[str, int]:
    ids: dict[str, int] = {}
    for item in fields.objects(key):
        text = item.text("text")
        if text in ids:
            raise FormatError(f"{item.place('text')} repeats {text[:80]!r}.")
        ids[text] = item.integer("id", most=MAX_ID)
    return ids


def _columns(fields: Fields) -> dict[str, np.ndarray]:
    """Return the integer columns of the merges, in int64."""
    names = fields.texts("columns")
    if len(set(names)) < len(names) or not set(IDS) <= set(names):
        raise FormatError(f"merges.columns must name each column once, {', '.join(IDS)} among them.")
    rows = fields.list("rows")
    for rank, row in enumerate(rows):
        if len(checked(row, list, f"merges.rows[{rank}]")) != len(names):
            raise FormatError(f"merges.rows[{rank}] has {len(row):,} items; there are {len(names)} columns.")
    wanted = [name for name in COLUMNS if name in names]
    return {name: _column(rows, names.index(name), name) for name in wanted}


def _column(rows: Sequence[Sequence[Any]], index: int, name: str) -> np.ndarray:
    least, most = (0, MAX_ID) if name in IDS else (-1, LOADED if name == "origin" else MAX_INT64)
    least = -MAX_INT64 if name == "margin" else least
    values = [row[index] for row in rows]
    for rank, value in enumerate(values):
        integer(value, f"merges.rows[{rank}][{index}] ({name})", least, most)
    return np.array(values, np.int64)


def _with_training(tokenizer: Tokenizer, fields: Fields, rows: dict[str, np.ndarray]) -> Tokenizer:
    if fields.any("training") is None:
        return tokenizer
    missing = [name for name in FACTS if name not in rows]
    if missing:
        raise FormatError(f"merges.columns lacks {', '.join(missing)}, though there is a training.")
    config, before, stop_reason, facts, version = training_of(fields.fields("training"))
    log = MergeLog(tokenizer.alphabet, config, before)
    log.extend(MergeBatch(0, **{name: rows[name].astype(dtype) for name, dtype in COLUMNS.items()}))
    return tokenizer.with_training(TrainingRecord(config, log, stop_reason, facts, version))
