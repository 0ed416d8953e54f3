"""Decoding token by token: what may already be shown, and what waits for the rest of its character."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable

from bpe_studio.engine.errors import BpeStudioError

REPLACEMENT = "\ufffd"


class StreamDecoder:
    r"""Text from token ids as they come; half characters are held back until they are whole.

    All that `feed` and `finish` return, joined, equals decoding all ids at once. A special token is text of
    its own: bytes of an unfinished character before it are given up as U+FFFD first.

    Parameters
    ----------
    token : callable
        Gives an id's bytes, or a str for tokens that are text of their own (specials and ``<unk>``).
    errors : {"replace", "strict", "ignore"}
        What happens to bytes that are no UTF-8.
    restore : callable, optional
        Gets text that is no special token's, and whether it begins the whole; returns what people see.

    Examples
    --------
    >>> stream = StreamDecoder({0: b"a", 1: b"\xc3", 2: b"\xa9"}.__getitem__)
    >>> [stream.feed(0), stream.feed(1), stream.feed(2), stream.finish()]
    ['a', '', 'é', '']
    """

    def __init__(
        self,
        token: Callable[[int], bytes | str],
        errors: str = "replace",
        restore: Callable[[str, bool], str] | None = None,
    ) -> None:
        if errors not in ("replace", "strict", "ignore"):
            raise BpeStudioError(f"errors={errors!r} is not known; it is 'replace', 'strict' or 'ignore'.")
        self._token = token
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._restore = restore
        self._at_start = True

    def feed(self, ids: int | Iterable[int]) -> str:
        """Take the next id, or several, and return the text that is certain now.

        Parameters
        ----------
        ids : int or iterable of int
            Token ids.

        Returns
        -------
        str
            Possibly empty.

        Raises
        ------
        BpeStudioError
            For an id that the vocabulary lacks; or, with ``errors="strict"``, for bytes that are no UTF-8.
        """
        several = ids if isinstance(ids, Iterable) else (ids,)
        return "".join(self._text(self._token(id_)) for id_ in several)

    def finish(self) -> str:
        """Return what is left (U+FFFD for the beginning of a character) and start anew."""
        text = self._decoded(b"", final=True)
        self._at_start = True
        return text

    def _text(self, token: bytes | str) -> str:
        if isinstance(token, str):
            text = self._decoded(b"", final=True) + token
            self._at_start = False
            return text
        return self._decoded(token, final=False)

    def _decoded(self, data: bytes, *, final: bool) -> str:
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            self._decoder.reset()
            raise BpeStudioError(
                f"The tokens are not UTF-8: {error.reason} at byte {error.start}."
            ) from error
        if final:
            self._decoder.reset()
        if text and self._restore is not None:
            at_start, self._at_start = self._at_start, False
            return self._restore(text, at_start)
        return text
