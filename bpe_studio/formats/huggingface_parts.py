"""The parts of a tokenizer.json around its model: normalizer, pre-tokenizer, added tokens.

Each part is read into what we do exactly alike, or refused by its name.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.named_patterns import BY_NAME
from bpe_studio.engine.normalizing import CUT, Step, normalized
from bpe_studio.engine.patterns import SplitPattern, chained, resolve_expression
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.expressions import from_oniguruma
from bpe_studio.formats.fields import Fields

BLANK = "▁"
#: Pieces that begin at each ▁: how Metaspace splits.
BEFORE_BLANKS = f"{BLANK}[^{BLANK}]*|[^{BLANK}]+"


@dataclass(frozen=True)
class PreTokenizer:
    """What a pre-tokenizer does.

    Parameters
    ----------
    byte_level : bool
        Whether tokens are made of letters that stand for bytes.
    expressions : tuple of str
        What cuts the text, one after the other.
    steps : tuple of Step
        What happens to the text before.
    """

    byte_level: bool = False
    expressions: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def pattern(self) -> SplitPattern:
        """The split pattern."""
        return chained(self.expressions or [None])


# ---- normalizer --------------------------------------------------------------------------------------------


def normalizer_steps(fields: Fields, key: str = "normalizer") -> tuple[Step, ...]:
    """Return the steps of a normalizer, in the order in which they are made."""
    if key not in fields or fields.any(key) is None:
        return ()
    return _spaces_first(_steps(fields.fields(key)))


def _steps(normalizer: Fields) -> tuple[Step, ...]:
    kind = normalizer.text("type")
    if kind == "Sequence":
        return tuple(step for part in normalizer.objects("normalizers") for step in _steps(part))
    if kind in ("NFC", "NFD", "NFKC", "NFKD"):
        return ((kind,),)
    if kind == "Prepend":
        text = normalizer.text("prepend")
        return (("prepend", text),) if text else ()
    if kind == "Replace":
        return _replacement(normalizer)
    raise FormatError(f"the normalizer {kind[:40]!r} is not one that this program has.")


def _replacement(normalizer: Fields) -> tuple[Step, ...]:
    pattern = normalizer.fields("pattern")
    if "String" not in pattern:
        raise FormatError(
            "a normalizer of kind 'Replace' goes by a regular expression, which is not supported."
        )
    text = pattern.text("String")
    return (("replace", text, normalizer.text("content")),) if text else ()


def _spaces_first(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the same steps, but " " prepended where "▁" is and blanks become "▁": it can be undone."""
    for at in range(len(steps) - 1):
        if steps[at : at + 2] == (("prepend", BLANK), ("replace", " ", BLANK)):
            return (*steps[:at], ("prepend", " "), *steps[at + 1 :])
    return steps


# ---- pre-tokenizer -----------------------------------------------------------------------------------------


def pre_tokenizer_of(fields: Fields) -> PreTokenizer:
    """Return what the pre-tokenizer of a file does.

    Raises
    ------
    FormatError
        Naming the part that is not supported.
    """
    if "pre_tokenizer" not in fields or fields.any("pre_tokenizer") is None:
        return PreTokenizer()
    parts = _flat(fields.fields("pre_tokenizer"))
    found = PreTokenizer()
    for number, part in enumerate(parts):
        kind = part.text("type")
        if found.byte_level or found.steps:
            raise FormatError(f"the pre-tokenizer {kind[:40]!r} follows one that changes the text.")
        reader = PRE_TOKENIZERS.get(kind)
        if reader is None:
            raise FormatError(f"the pre-tokenizer {kind[:40]!r} is not one that this program has.")
        made = reader(part)
        if made.steps and number:
            raise FormatError(f"the pre-tokenizer {kind!r} puts blanks before each piece of a text.")
        found = PreTokenizer(made.byte_level, (*found.expressions, *made.expressions), made.steps)
    return found


def _flat(part: Fields) -> list[Fields]:
    if part.text("type") != "Sequence":
        return [part]
    return [inner for each in part.objects("pretokenizers") for inner in _flat(each)]


def _byte_level(part: Fields) -> PreTokenizer:
    uses_regex = "use_regex" not in part or part.flag("use_regex")
    steps = (("kept-prefix", " "),) if part.flag("add_prefix_space") else ()
    expression = BY_NAME["gpt2"].expression
    return PreTokenizer(True, (str(expression),) if uses_regex else (), steps)


def _split(part: Fields) -> PreTokenizer:
    pattern = part.fields("pattern")
    literal = "String" in pattern
    expression = _escaped(pattern.text("String")) if literal else from_oniguruma(pattern.text("Regex"))
    behavior = part.text("behavior").lower()
    inverted = part.flag("invert")
    covers = not literal and resolve_expression(expression).is_named
    # Where a pattern matches all of any text, "take the matches, drop the rest" drops nothing.
    if behavior == "isolated" or (behavior == "removed" and inverted and covers):
        return PreTokenizer(expressions=(expression,))
    what = "drops the text between matches" if behavior == "removed" and inverted else f"is {behavior[:40]!r}"
    raise FormatError(f"a pre-tokenizer of kind 'Split' {what}, which is not supported.")


def _escaped(text: str) -> str:
    if not text:
        raise FormatError("a pre-tokenizer of kind 'Split' has an empty pattern.")
    return "".join(letter if letter.isalnum() or letter in " _" else f"\\{letter}" for letter in text)


def _digits(part: Fields) -> PreTokenizer:
    return PreTokenizer(expressions=(r"\p{N}" if part.flag("individual_digits") else r"\p{N}+",))


def _metaspace(part: Fields) -> PreTokenizer:
    if part.text("replacement") != BLANK:
        raise FormatError(f"pre_tokenizer.replacement must be {BLANK!r}.")
    scheme = "always"
    if "prepend_scheme" in part:
        scheme = part.choice("prepend_scheme", ("always", "first", "never"))
    elif "add_prefix_space" in part and not part.flag("add_prefix_space"):
        scheme = "never"
    prefix = {"always": (("prefix", BLANK),), "first": (("first-prefix", BLANK),), "never": ()}[scheme]
    splits = "split" not in part or part.flag("split")
    return PreTokenizer(False, (BEFORE_BLANKS,) if splits else (), (("replace", " ", BLANK), *prefix))


PRE_TOKENIZERS: dict[str, Callable[[Fields], PreTokenizer]] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Digits": _digits,
    "Metaspace": _metaspace,
}


# ---- added tokens ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AddedTokens:
    """The tokens that are found in text as they stand.

    Parameters
    ----------
    special, plain : mapping of str to int
        Those that mark the structure of data, and those that any text may hold.
    plain_first : bool
        Whether plain ones are found before the text is normalized.
    """

    special: Mapping[str, int]
    plain: Mapping[str, int]
    plain_first: bool = False

    @property
    def ids(self) -> dict[str, int]:
        """All of them."""
        return {**self.special, **self.plain}

    def steps(self, normalizer: tuple[Step, ...]) -> tuple[Step, ...]:
        """Return the normalizer's steps with the place where plain tokens are found."""
        return (CUT, *normalizer) if normalizer and self.plain and self.plain_first else normalizer


def added_tokens_of(fields: Fields, vocabulary: Mapping[str, int], steps: tuple[Step, ...]) -> AddedTokens:
    """Return the added tokens of a file.

    Parameters
    ----------
    fields : Fields
        The file.
    vocabulary : mapping of str to int
        The model's: it has the last word on ids.
    steps : tuple of Step
        The normalizer's.

    Raises
    ------
    FormatError
        If a token takes blanks around it, is a word alone, or is found in text that the normalizer changed.

    Warns
    -----
    UserWarning
        If Hugging Face's library would give a token another id than the file says.
    """
    special: dict[str, int] = {}
    plain: dict[str, int] = {}
    after: set[bool] = set()
    free = len(vocabulary)
    for item in fields.objects("added_tokens") if "added_tokens" in fields else ():
        text = item.text("content")
        for flag in ("lstrip", "rstrip", "single_word"):
            if flag in item and item.flag(flag):
                raise FormatError(
                    f"{item.place(flag)}: the added token {text[:40]!r} is found in another way than here."
                )
        said = item.integer("id", most=MAX_ID)
        token = vocabulary.get(text, said)
        if text not in vocabulary:
            if said != free:
                warnings.warn(
                    f"the added token {text[:40]!r} has the id {said:,}; tokenizers would give it {free:,}",
                    stacklevel=5,
                )
            free = max(free, free if said != free else said) + 1
        is_special = "special" in item and item.flag("special")
        is_normalized = item.flag("normalized") if "normalized" in item else not is_special
        if is_normalized and (is_special and steps or normalized(text, steps) != text):
            raise FormatError(
                f"{item.place('normalized')}: {text[:40]!r} is found after the normalizer, not before."
            )
        if not text:
            continue
        if special.get(text, plain.get(text, token)) != token:
            raise FormatError(f"{item.place('content')}: the added token {text[:40]!r} has two ids.")
        (special if is_special else plain)[text] = token
        if not is_special:
            after.add(is_normalized)
    if steps and len(after) > 1:
        raise FormatError("added_tokens: some plain ones are found before the normalizer and some after it.")
    check_apart(special, plain)
    return AddedTokens(special, plain, plain_first=after == {False})


def check_apart(special: Mapping[str, int], plain: Mapping[str, int]) -> None:
    """Raise `FormatError` if a special and a plain added token may overlap in a text.

    Parameters
    ----------
    special, plain : mapping of str to int
        Text and id.
    """
    for one in plain:
        for other in special:
            shorter = min(len(one), len(other))
            meets = any(one.endswith(other[:n]) or other.endswith(one[:n]) for n in range(1, shorter))
            if meets or one in other or other in one:
                raise FormatError(
                    f"the added token {one[:40]!r} may overlap the special one {other[:40]!r} in a text."
                )
