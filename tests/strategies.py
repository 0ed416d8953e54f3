"""Hypothesis strategies: texts that break tokenizers, corpora in which pairs tie, words with counts."""

from __future__ import annotations

from hypothesis import strategies as st

SEAMS = (
    "\n", "\r", "\r\n", "\t", " ", "  ", "\x00", "\x1f", "\x7f", "\x85", "\u2028", "\u2029",
    "\u00a0", "\u3000", "\u200b", "\u200d", "\u200e", "\u202e", "\ufeff", "\ufffd", "\ufffe", "\uffff",
)  # fmt: skip
"""Blanks, line ends, and characters that nobody sees."""

CLUSTERS = (
    "e\u0301", "\u0301", "\ufb01", "ß", "\u0130", "\u01c6", "\u212b", "\uac01", "\u1100\u1161\u11a8",
    "नि", "กำ", "\u05e9\u05c1\u05b8", "لا",
    "😀", "👍🏽", "👨\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "🇪🇸", "❤\ufe0f",
    "𝕬", "𐍈", "\U0010ffff",
)  # fmt: skip
"""Sequences that a reader takes for one sign, and signs of every length in UTF-8."""

PIECES = (
    "the", "The", " the", "it's", "IT'S", "don't", "1", "12", "1234567", "3.14", "--", "...", "<|endoftext|>",
    "<|end", "|>", "(", "_", "a_b", "http://", "ñ", "ж", "слово", "слова", "日本", "،", "١٢", "Ⅷ", "²",
)  # fmt: skip
"""What split patterns cut, or must not."""


def letter_texts(letters: str = "abc", max_size: int = 40) -> st.SearchStrategy[str]:
    """Texts over few letters: nearly every step has a tie, and runs of one letter overlap.

    Parameters
    ----------
    letters : str
        The letters to draw from.
    max_size : int
        Longest text, in code points.

    Returns
    -------
    SearchStrategy of str
        The texts.
    """
    return st.text(alphabet=letters, max_size=max_size)


def awkward_texts(max_pieces: int = 20) -> st.SearchStrategy[str]:
    """Any text that UTF-8 can hold, with the awkward ones far more often than by chance.

    Parameters
    ----------
    max_pieces : int
        Most pieces that are put together.

    Returns
    -------
    SearchStrategy of str
        The texts, without lone surrogates.
    """
    anything = st.text(alphabet=st.characters(codec="utf-8"), max_size=6)
    pieces = st.sampled_from(SEAMS + CLUSTERS + PIECES) | anything | letter_texts("ab ", 8)
    return st.lists(pieces, max_size=max_pieces).map("".join)


def corpora(
    texts: st.SearchStrategy[str] | None = None, max_documents: int = 5
) -> st.SearchStrategy[list[str]]:
    """Lists of documents; some are empty, some equal.

    Parameters
    ----------
    texts : SearchStrategy of str, optional
        What a document is drawn from; by default few-letter texts and awkward ones.
    max_documents : int
        Most documents.

    Returns
    -------
    SearchStrategy of list of str
        The corpora.
    """
    documents = letter_texts("abc ") | awkward_texts(8) if texts is None else texts
    return st.lists(documents, max_size=max_documents)


def word_counts(
    letters: str = "abc", max_words: int = 8, max_count: int = 6
) -> st.SearchStrategy[list[tuple[str, int]]]:
    """Unique words with counts, as `WordTable.from_counts` takes them. Small counts tie often.

    Parameters
    ----------
    letters : str
        The letters of the words.
    max_words : int
        Most words.
    max_count : int
        Largest small count; some words have a count beyond 32 bits, or beyond what a float holds.

    Returns
    -------
    SearchStrategy of list of (str, int)
        Words in order of first appearance.
    """
    words = st.text(alphabet=letters, min_size=1, max_size=12)
    counts = st.integers(1, max_count) | st.sampled_from([2**30 - 1, 2**30, 2**31, 2**40 - 1, 2**53 + 1])
    return st.lists(st.tuples(words, counts), max_size=max_words, unique_by=lambda pair: pair[0])


def byte_strings(max_size: int = 40) -> st.SearchStrategy[bytes]:
    """Bytes that need not be UTF-8.

    Parameters
    ----------
    max_size : int
        Longest, in bytes.

    Returns
    -------
    SearchStrategy of bytes
        The byte strings.
    """
    halves = awkward_texts(6).flatmap(lambda text: st.integers(0, 3).map(lambda cut: text.encode()[cut:]))
    return st.binary(max_size=max_size) | halves.map(lambda data: data[:max_size])


def tie_rules() -> st.SearchStrategy[str]:
    """Every tie rule by its name, `random` with any seed that there is.

    Returns
    -------
    SearchStrategy of str
        Names as `train` takes them.
    """
    named = ["lexicographic", "reverse-lexicographic", "first-seen", "lowest-ids", "shortest"]
    return st.sampled_from(named) | st.integers(0, 2**64 - 1).map(lambda seed: f"random:{seed}")


def named_patterns() -> st.SearchStrategy[str]:
    """Every split pattern that has a name.

    Returns
    -------
    SearchStrategy of str
        Names as `train` takes them.
    """
    return st.sampled_from(["none", "whitespace", "gpt2", "gpt4", "o200k"])
