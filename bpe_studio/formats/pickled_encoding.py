"""A pickled ``tiktoken.Encoding``, as nanochat keeps its tokenizer: read without running anything of it.

A pickle is a program. This reader knows the few instructions that build texts, bytes, integers and dicts, and
one class by name, for which it puts a mark; it imports nothing, calls nothing, and refuses all else.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.patterns import resolve_expression
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.vocabulary import MAX_ID
from bpe_studio.formats.assembling import tokenizer_of_ranks
from bpe_studio.formats.content import Content
from bpe_studio.formats.expressions import check_travels
from bpe_studio.formats.fields import Fields, integer, shown
from bpe_studio.formats.pretrained import pretrained

ENCODING = "tiktoken.core Encoding"

#: A vocabulary of a million tokens has fewer; a dict is filled a thousand items at a time.
MAX_INSTRUCTIONS, MAX_STACK = 1 << 22, 1 << 13

CONSTANTS = frozenset(
    {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8",
     "BININT", "BININT1", "BININT2", "LONG1"}
)  # fmt: skip
"""Instructions that put what follows them on the stack."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """What stands for something that is never made."""

    name: str


MARK, CLASS, OBJECT = _Mark("a mark"), _Mark("a class"), _Mark("an encoding")


def recognises(content: Content) -> bool:
    """Return whether a file is a pickle of a protocol that has bytes."""
    return content.data[:1] == b"\x80" and content.data[1:2] in (b"\2", b"\3", b"\4", b"\5")


def state(pickled: bytes) -> Any:
    """Return what an encoding was pickled with: its fields, or the name that it is registered by.

    Parameters
    ----------
    pickled : bytes
        The pickle. Nothing in it is run.

    Returns
    -------
    dict or str
        Texts, bytes and integers, in dicts whose keys are texts or bytes.

    Raises
    ------
    FormatError
        If it is anything but one ``tiktoken.Encoding``, naming the instruction that was refused.
    """
    machine = _Machine()
    instructions = pickletools.genops(pickled)
    for _ in range(MAX_INSTRUCTIONS):
        try:
            instruction, argument, at = next(instructions)
        except (StopIteration, ValueError, OverflowError) as error:
            raise FormatError(f"the pickle is not whole: {str(error)[:200] or 'it ends early'}.") from error
        if instruction.name == "STOP":
            return machine.result()
        try:
            machine.run(instruction.name, argument)
        except (IndexError, KeyError, ValueError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"the pickle is damaged at byte {at:,} ({instruction.name}).") from error
    raise FormatError(f"the pickle has more than {MAX_INSTRUCTIONS:,} instructions.")


class _Machine:
    """Stack and memo of a pickle, and what becomes of them."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._state: Any = None

    def run(self, name: str, argument: Any) -> None:
        if name in CONSTANTS:
            self._push(argument)
        elif name in STEPS:
            STEPS[name](self, argument)
        else:
            raise FormatError(f"the pickle has the instruction {name}, which no tokenizer needs: refused.")

    def result(self) -> Any:
        if self._stack != [OBJECT] or self._state is None:
            raise FormatError("the pickle holds no tiktoken.Encoding.")
        return self._state

    def _push(self, value: Any) -> None:
        if len(self._stack) >= MAX_STACK:
            raise FormatError("the pickle's stack grows without end.")
        self._stack.append(value)

    def _pop(self, wanted: object) -> None:
        if self._stack.pop() != wanted:
            raise FormatError("the pickle makes something other than a tiktoken.Encoding: refused.")

    def _name(self, module_and_name: Any) -> None:
        if module_and_name != ENCODING:
            raise FormatError(f"the pickle asks for {shown(module_and_name)}, which may run code: refused.")
        self._push(CLASS)

    def _stack_name(self, _: Any) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        self._name(f"{module} {name}" if isinstance(module, str) and isinstance(name, str) else None)

    def _new(self, _: Any) -> None:
        self._pop(())
        self._pop(CLASS)
        self._push(OBJECT)

    def _build(self, _: Any) -> None:
        found = self._stack.pop()
        if self._state is not None or self._stack[-1] != OBJECT or not isinstance(found, dict | str):
            raise FormatError("the pickle builds something other than one tiktoken.Encoding: refused.")
        self._state = found

    def _set_item(self, _: Any) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self._enter([key, value])

    def _set_items(self, _: Any) -> None:
        start = len(self._stack) - 1 - self._stack[::-1].index(MARK)
        items = self._stack[start + 1 :]
        del self._stack[start:]
        self._enter(items)

    def _enter(self, items: list[Any]) -> None:
        entries = self._stack[-1]
        if not isinstance(entries, dict) or len(items) % 2:
            raise FormatError("the pickle fills something that is no dict: refused.")
        for key, value in zip(items[::2], items[1::2], strict=True):
            # A dict in a dict under another key than these could be nested without end, and so hashed.
            if not isinstance(key, str | bytes):
                raise FormatError(f"the pickle has a dict with the key {shown(key)}: refused.")
            if key in entries:
                raise FormatError(f"the pickle gives the key {shown(key)} twice.")
            entries[key] = value

    def _memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self._stack[-1]

    def _put(self, index: int) -> None:
        self._memo[index] = self._stack[-1]

    def _get(self, index: int) -> None:
        self._push(self._memo[index])

    def _ignore(self, _: Any) -> None:
        pass


STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "PROTO": _Machine._ignore,
    "FRAME": _Machine._ignore,
    "GLOBAL": _Machine._name,
    "STACK_GLOBAL": _Machine._stack_name,
    "EMPTY_TUPLE": lambda machine, _: machine._push(()),
    "EMPTY_DICT": lambda machine, _: machine._push({}),
    "MARK": lambda machine, _: machine._push(MARK),
    "NEWOBJ": _Machine._new,
    "BUILD": _Machine._build,
    "SETITEM": _Machine._set_item,
    "SETITEMS": _Machine._set_items,
    "MEMOIZE": _Machine._memoize,
    "BINPUT": _Machine._put,
    "LONG_BINPUT": _Machine._put,
    "BINGET": _Machine._get,
    "LONG_BINGET": _Machine._get,
}
"""What the other instructions that an encoding needs do; none of them calls anything."""


def read(content: Content) -> Tokenizer:
    """Return the tokenizer of a file.

    Raises
    ------
    FormatError
        If it is anything but one ``tiktoken.Encoding``, or one by a name that is not known here.
    """
    found = state(content.data)
    if isinstance(found, str):
        return pretrained(found)
    fields = Fields(found)
    ranks = _ids(fields, "mergeable_ranks", bytes)
    specials = _ids(fields, "special_tokens", str)
    expression = fields.text("pat_str")
    check_travels(expression)
    tokenizer = tokenizer_of_ranks(ranks, resolve_expression(expression), specials)
    tokenizer.tokens  # noqa: B018 - made and checked on first use, which is now
    return tokenizer


def _ids(fields: Fields, key: str, kind: type) -> dict[Any, int]:
    """Return a dict of texts or bytes to different ids."""
    found = fields.any(key)
    if type(found) is not dict:
        raise FormatError(f"{key} must be a dict, not {shown(found)}.")
    if any(type(token) is not kind for token in found):
        raise FormatError(f"{key} must have keys of type {kind.__name__} only.")
    ids = {token: integer(value, f"{key}[{shown(token)}]", most=MAX_ID) for token, value in found.items()}
    if len(set(ids.values())) < len(ids):
        raise FormatError(f"{key} gives one id to two tokens.")
    return ids
