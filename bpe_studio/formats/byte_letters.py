"""What stands for a byte: printable letters in vocab.json, merges.txt and tokenizer.json, or a token's name.

References
----------
Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", §2.2, as published with the model:
printable bytes stand for themselves, the other 68 are U+0100 … U+0143.
"""

from __future__ import annotations

from bpe_studio.engine.alphabet import byte_sequence

N_PRINTABLE = 188

#: Byte value → letter.
LETTERS = {
    byte: chr(byte if place < N_PRINTABLE else 0x100 + place - N_PRINTABLE)
    for place, byte in enumerate(byte_sequence("gpt2"))
}
BYTES = {letter: byte for byte, letter in LETTERS.items()}

#: Names of the tokens for bytes in vocabularies of characters, by byte value.
BYTE_NAMES = tuple(f"<0x{byte:02X}>" for byte in range(256))


def letters_of(data: bytes) -> str:
    r"""Return the letters of some bytes.

    Examples
    --------
    >>> letters_of(b" the\n")
    'ĠtheĊ'
    """
    return data.decode("latin-1").translate(LETTERS)


def bytes_of(text: str) -> bytes:
    r"""Return the bytes that some letters stand for; a text with any other letter is its UTF-8.

    Examples
    --------
    >>> bytes_of("Ġthe"), bytes_of("日")
    (b' the', b'\xe6\x97\xa5')
    """
    try:
        return bytes([BYTES[letter] for letter in text])
    except KeyError:
        return text.encode("utf-8", "surrogatepass")
