"""The errors a caller may catch. Each message says what is wrong, where, and what would be right.

Everything raised on purpose derives from `BpeStudioError`, itself a `ValueError`, so that a program
can show ``str(error)`` to its user and go on.
"""

from __future__ import annotations

from pathlib import Path


class BpeStudioError(ValueError):
    """Any error that the user of the program can act on."""


class CorpusError(BpeStudioError):
    """A document that cannot be read as text.

    Parameters
    ----------
    message : str
        What is wrong, where, and what to do.
    path : Path or None
        The file, if the text came from one.
    line : int or None
        Line of the first bad byte, from 1.
    byte_offset : int or None
        Offset of the first bad byte from the start of the file, from 0.
    what : str
        The message without what to do; the message if there is no such part.
    """

    def __init__(
        self,
        message: str,
        *,
        path: Path | None = None,
        line: int | None = None,
        byte_offset: int | None = None,
        what: str = "",
    ) -> None:
        super().__init__(message)
        self.what = what or message
        self.path = path
        self.line = line
        self.byte_offset = byte_offset


class PatternError(BpeStudioError):
    """A split pattern that does not compile, or that ran past its time limit.

    Parameters
    ----------
    message : str
        What is wrong and where.
    position : int or None
        Offset into the pattern, in code points from 0, where the fault was noticed.
    """

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class SpecialTokenError(BpeStudioError):
    """A special token where it must not be.

    Parameters
    ----------
    message : str
        What is wrong and how to allow it.
    token : str
        The special token.
    position : int or None
        Offset into the text, in code points from 0.
    """

    def __init__(self, message: str, *, token: str = "", position: int | None = None) -> None:
        super().__init__(message)
        self.token = token
        self.position = position


class UnknownCharacterError(BpeStudioError):
    """Characters that the alphabet does not have.

    Parameters
    ----------
    message : str
        The message; it names every missing character.
    characters : tuple of str
        Every missing character, in order of first appearance.
    position : int or None
        Offset of the first of them, in code points from 0.
    """

    def __init__(
        self, message: str, *, characters: tuple[str, ...] = (), position: int | None = None
    ) -> None:
        super().__init__(message)
        self.characters = characters
        self.position = position


class FormatError(BpeStudioError):
    """A file that is not what it should be, or a tokenizer that a format cannot hold."""


class TrainingError(BpeStudioError):
    """Settings under which no training is possible."""
