"""Checks of written files: texts of every kind, encoded by the tokenizer and by whoever reads the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bpe_studio.engine.errors import BpeStudioError, FormatError, UnknownCharacterError
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats.content import Content
from bpe_studio.formats.reports import Check

#: A file's content → what encodes many texts, their special strings taken for plain text.
PeerLoader = Callable[[Content, Tokenizer], Callable[[list[str]], list[list[int]]]]

#: What splits, merges and encodings stumble over; nothing that only the newest Unicode knows.
AWKWARD = (
    "Hello! It's 1234567 o'clock; they'LL say they've \"ended\".\n\n\n  indented\tby  tabs  \r\n",
    "naïve café, Straße, ÆØÅ, İstanbul, ǆ, Ⅷ ² ¾ ١٢٣, 東京で雨。한국어 नमस्ते ไทย עברית العربية ελληνικά слово",
    "e\u0301 \u1100\u1161\u11a8 \ufb01 \u212b 👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 🇪🇸 👍🏽",
    "\U0010ffff 𝕬 𐍈",
    "\ufeff\x00\x01\x1b[0m\x7f\x85\xa0\u1680\u2007\u2028\u2029\u3000\u200b\u202e\ufffd\ufffe end ",
    "def f(x):\n    return {'a': [x**2, -1e-9], \"b\": f\"{x!r}\"}  # ▁ Ġ <0x41> <unk> <|endoftext|> </s>\n",
    "a" * 70 + " " * 70 + "\n" * 9 + "ab" * 40 + "-=" * 40 + "?!" * 9,
    " ", "  ", "\n", "a", " a", "a ", "\t\t", "'s", "''", "1", "12345678901",
)  # fmt: skip

#: Texts made of tokens: so many tokens a text, and so many bytes in all.
TOKENS_A_TEXT, MAX_TOKEN_BYTES = 50, 250_000


def sample_texts(tokenizer: Tokenizer, more: str = "") -> list[str]:
    """Return texts for a check: awkward ones, the tokens themselves, and the caller's.

    Parameters
    ----------
    tokenizer : Tokenizer
        Its tokens are put together, next to one another and with blanks between; of an alphabet of
        characters, only what it knows is kept.
    more : str
        A text of the caller's, such as a piece of the corpus.
    """
    texts = [*AWKWARD, *_token_texts(tokenizer), *([more] if more else [])]
    alphabet = tokenizer.alphabet
    if alphabet.kind == "bytes" or alphabet.byte_fallback or alphabet.unknown_id is not None:
        return texts
    letters = set("".join(alphabet.characters))
    known = ("".join(filter(letters.__contains__, text)) for text in texts)
    return [text for text in known if _is_encodable(tokenizer, text)]


def _is_encodable(tokenizer: Tokenizer, text: str) -> bool:
    """Return whether a text of known characters is still one after the normalizer."""
    try:
        tokenizer.encode(text, "none")
    except UnknownCharacterError:
        return False
    return True


def _token_texts(tokenizer: Tokenizer) -> Iterator[str]:
    special = {*tokenizer.special_tokens.values(), *tokenizer.added_tokens.values()}
    tokens = [data for token, data in tokenizer.tokens.items() if token not in special]
    done = 0
    for at in range(0, len(tokens), TOKENS_A_TEXT):
        joint = (b"" if at // TOKENS_A_TEXT % 2 else b" ").join(tokens[at : at + TOKENS_A_TEXT])
        done += len(joint)
        if done > MAX_TOKEN_BYTES:
            return
        yield joint.decode("utf-8", "ignore")


def n_differences(ours: Sequence[Sequence[int]], theirs: Sequence[Sequence[int]]) -> int:
    """Return in how many places ids differ, a missing one too."""
    return sum(
        sum(one != other for one, other in zip(mine, other_ids, strict=False))
        + abs(len(mine) - len(other_ids))
        for mine, other_ids in zip(ours, theirs, strict=True)
    )


def check_by(
    by: str, load: PeerLoader, content: Content, tokenizer: Tokenizer, texts: list[str], ids: list[list[int]]
) -> Check | None:
    """Return how a program that is installed encodes texts with a file; None if it is not installed.

    Parameters
    ----------
    by : str
        The program.
    load : callable
        Loads the file with it; raises `ImportError` if it is not there.
    content : Content
        The file.
    tokenizer : Tokenizer
        What it was made of.
    texts : list of str
        What to encode.
    ids : list of list of int
        How the tokenizer does.
    """
    n_bytes = sum(len(text.encode()) for text in texts)
    try:
        return Check(by, n_bytes, n_differences(ids, load(content, tokenizer)(texts)))
    except ImportError:
        return None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of a peer written in Rust is no Exception
        if isinstance(error, BpeStudioError) and not isinstance(error, FormatError):
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Check(by, n_bytes, problem=reason[:200])
