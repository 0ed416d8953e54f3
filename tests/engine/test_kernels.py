"""The compiled kernels: one version of each, kept in a cache that heals."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bpe_studio.engine import kernels
from bpe_studio.engine.compiling import prepare, warm_up
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.kernels import state
from bpe_studio.engine.replay import Replay
from bpe_studio.engine.ties import TIE_RULES
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.words import WordTable
from tests.engine.building import trained


def kernels_called_from_python():
    """The compiled functions that are kept on the disk; the others are parts of them."""
    loaded = prepare()
    for name in kernels.MODULES:
        for found in vars(getattr(loaded, name)).values():
            if hasattr(found, "signatures") and found._cache.cache_path is not None:
                yield found


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_every_kernel_is_compiled_once(alphabet):
    warm_up(prepare())
    words = WordTable.from_counts([("abababé", 3), ("cab", 2)])
    for rule in ("lexicographic", "first-seen", "lowest-ids", "shortest", "random:3"):
        log = trained(words, TrainingConfig(vocab_size=300, alphabet=alphabet, tie_rule=rule)).log
        Replay(words, log, fast=True).state_at(len(log))
        long_word = words.text(0) * 5000
        assert Tokenizer.from_log(log, words.pattern).encode(long_word)
    versions = {found.py_func.__name__: len(found.signatures) for found in kernels_called_from_python()}
    assert versions == dict.fromkeys(versions, 1) and "advance" in versions


def test_rules_have_the_numbers_that_the_kernels_know():
    names = ("LEXICOGRAPHIC", "REVERSE", "FIRST_SEEN", "LOWEST_IDS", "SHORTEST", "RANDOM")
    assert [rule.number for rule in TIE_RULES] == [getattr(state, name) for name in names]


USES_ONE_KERNEL = (
    "from bpe_studio.engine import kernels, word_counting\nprint(kernels.status())\n"
    "word_counting.warm_up(kernels.load())\nprint(kernels.status(), kernels.is_sealed())"
)


def test_damaged_cache_is_compiled_anew(tmp_path):
    folder = kernels.cache_folder()
    assert prepare() and (folder / kernels.MARKER).exists()
    damaged = tmp_path / "cache"
    target = damaged / folder.relative_to(folder.parents[2])
    target.mkdir(parents=True)
    for source in folder.rglob("*.nb*"):
        copy = target / source.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
    (target / kernels.MARKER).write_text((folder / kernels.MARKER).read_text())
    done = subprocess.run(
        [sys.executable, "-c", USES_ONE_KERNEL],
        env={**os.environ, "XDG_CACHE_HOME": str(damaged)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["cached", "loaded", "False"], done.stderr
    assert 0 < len(list(target.rglob("*.nbi"))) < len(list(folder.rglob("*.nbi")))


def test_unwritable_cache_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    done = subprocess.run(
        [sys.executable, "-c", USES_ONE_KERNEL],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "file")},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["cold", "loaded", "False"], done.stderr


def test_in_our_own_process_numba_imports_no_extensions_of_others():
    code = (
        "from numba.core import entrypoints\nentrypoints.importlib_metadata = None\n"
        "from bpe_studio.engine import kernels\nfrom bpe_studio.engine.compiling import prepare, warm_up\n"
        "kernels.is_own_process = True\nwarm_up(prepare())\nprint('done')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["done"], done.stderr
