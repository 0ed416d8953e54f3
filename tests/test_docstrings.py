"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import bpe_studio

WITHOUT_QT = [
    found.name
    for found in pkgutil.walk_packages(bpe_studio.__path__, "bpe_studio.", onerror=lambda name: None)
    if not found.name.startswith("bpe_studio.gui") and not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", WITHOUT_QT)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
