"""What comes before merging: text made valid, and special tokens found in it.

A text becomes a list of pieces: a `str` is plain text for the split pattern, an `int` is the id of a special
token that was met.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping

from bpe_studio.engine.errors import BpeStudioError, SpecialTokenError
from bpe_studio.engine.special_strings import cut_specials

#: How lone bytes of invalid UTF-8 travel through a `str`: byte b is U+DC00 + b.
RAW_BYTES = "surrogateescape"


def valid_text(text: str) -> str:
    r"""Return `text` without surrogates: a high and a low one are joined, lone ones become U+FFFD.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The same text if it was valid.

    Warns
    -----
    UnicodeWarning
        If a lone surrogate was replaced, because the tokens then decode to another text.

    Examples
    --------
    >>> valid_text("a\ud83d\ude42") == "a\U0001f642"
    True
    """
    try:
        text.encode()
        return text
    except UnicodeEncodeError as error:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if joined.count("\ufffd") > text.count("\ufffd"):
            warnings.warn(
                f"the text holds lone surrogates, the first at character {error.start:,}; "
                "they are read as U+FFFD",
                UnicodeWarning,
                stacklevel=4,
            )
        return joined


def text_of_bytes(data: bytes, *, takes_raw_bytes: bool) -> str:
    """Return UTF-8 as text; bytes that are none travel as `RAW_BYTES` where the tokenizer can take them.

    Parameters
    ----------
    data : bytes
        UTF-8, or anything.
    takes_raw_bytes : bool
        Whether bytes outside UTF-8 can be encoded (alphabet of bytes, no split pattern).

    Raises
    ------
    BpeStudioError
        If the bytes are not UTF-8 and `takes_raw_bytes` is false.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if takes_raw_bytes:
            return data.decode("utf-8", RAW_BYTES)
        raise not_utf8(error) from error


def not_utf8(error: UnicodeDecodeError, n_before: int = 0) -> BpeStudioError:
    """Return the error for bytes that are not UTF-8.

    Parameters
    ----------
    error : UnicodeDecodeError
        What Python says.
    n_before : int
        Bytes of the text before those that Python looked at.
    """
    return BpeStudioError(
        f"The bytes are not UTF-8: {error.reason}, byte {error.object[error.start]:#04x} "
        f"at offset {n_before + error.start:,}. Only a tokenizer with an alphabet of bytes and pattern "
        "'none' can encode such bytes."
    )


def allowed_tokens(
    allowed_special: str | Collection[str], special_tokens: Mapping[str, int]
) -> frozenset[str]:
    """Return the special tokens that are read as such, after checking the request.

    Parameters
    ----------
    allowed_special : {"none_raise", "none", "all"} or collection of str
        The caller's choice.
    special_tokens : mapping of str to int
        The tokenizer's special tokens.

    Raises
    ------
    SpecialTokenError
        If a name is not one of the tokenizer's special tokens.
    BpeStudioError
        If the choice itself is not known.
    """
    if isinstance(allowed_special, str) and allowed_special == "all":
        return frozenset(special_tokens)
    if isinstance(allowed_special, str) and allowed_special in ("none", "none_raise"):
        return frozenset()
    if isinstance(allowed_special, str) or not isinstance(allowed_special, Iterable):
        raise BpeStudioError(
            f"allowed_special={allowed_special!r} is not known; it is 'none_raise', 'none', 'all', "
            "or a set of special tokens."
        )
    allowed = frozenset(allowed_special)  # at once: an iterator gives its names only one time
    for token in allowed:
        if token not in special_tokens:
            known = ", ".join(map(repr, special_tokens)) or "none"
            raise SpecialTokenError(
                f"{token!r} is not a special token of this tokenizer; it has: {known}.", token=token
            )
    return allowed


def pieces_of(
    text: str, allowed_special: str | Collection[str], special_tokens: Mapping[str, int]
) -> Iterator[str | int]:
    """Yield plain text and ids of special tokens, in order.

    Parameters
    ----------
    text : str
        Valid text, see `valid_text`.
    allowed_special : {"none_raise", "none", "all"} or collection of str
        What special strings in the text are.
    special_tokens : mapping of str to int
        Text and id of the special tokens.

    Raises
    ------
    SpecialTokenError
        With "none_raise", if the text holds a special token.
    """
    allowed = allowed_tokens(allowed_special, special_tokens)
    if isinstance(allowed_special, str) and allowed_special == "none_raise" and special_tokens:
        _refuse_specials(text, special_tokens)
    # All of them in the order of their ids, as above: the same tuple finds the search that was built for it.
    names = tuple(special_tokens) if len(allowed) == len(special_tokens) else tuple(sorted(allowed))
    for start, end, special in cut_specials(text, names):
        yield special_tokens[text[start:end]] if special else text[start:end]


def _refuse_specials(text: str, special_tokens: Mapping[str, int]) -> None:
    for start, end, special in cut_specials(text, tuple(special_tokens)):
        if special:
            token = text[start:end]
            raise SpecialTokenError(
                f"The text holds the special token {token!r} at character {start:,}. "
                "Pass allowed_special='all' (or a set) to encode it as that token, "
                "or 'none' to encode it as plain text.",
                token=token,
                position=start,
            )
