"""The compiled kernels: one version of each, kept in a cache that heals."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_studio.engine import kernels
from bpe_studio.engine.compiling import prepare, warm_up
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.kernels import state
from bpe_studio.engine.kernels.decorator import KERNELS
from bpe_studio.engine.replay import Replay
from bpe_studio.engine.ties import TIE_RULES
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.engine.words import WordTable, count_words
from tests.engine.building import trained

CHECK_KERNELS = """
import numpy as np
from bpe_studio.engine import kernels
from bpe_studio.engine.compiling import prepare, warm_up
def check():
    text = np.full(8, 97, np.uint8)
    return kernels.load().utf8.check(text, text.view(np.uint64), 8) == (8, 8)
"""
"""What programs for the tests begin with; `check` calls one small kernel."""


COUNT_COMPILED = """
from bpe_studio.engine.kernels.decorator import KERNELS
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in KERNELS))
"""
"""What programs end with that say how many kernels they compiled."""


def said(code, cache, **settings):
    """Return what a program prints that looks for compiled code in another cache."""
    done = subprocess.run(
        [sys.executable, "-c", CHECK_KERNELS + code],
        env={**os.environ, "XDG_CACHE_HOME": str(cache), **settings},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def copied(tmp_path):
    """A copy of the cache, in which all kernels lie compiled: the folder for `said`, and the kernels'."""
    prepare()
    folder = kernels.cache_folder()
    copy = tmp_path / "cache" / folder.relative_to(folder.parents[2])
    return tmp_path / "cache", Path(shutil.copytree(folder, copy))


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_every_kernel_is_compiled_once(alphabet):
    warm_up(prepare())
    words = WordTable.from_counts([("abababé", 3), ("cab", 2)])
    for rule in ("lexicographic", "first-seen", "lowest-ids", "shortest", "random:3"):
        log = trained(words, TrainingConfig(vocab_size=300, alphabet=alphabet, tie_rule=rule)).log
        Replay(words, log, fast=True).state_at(len(log))
        long_word = words.text(0) * 5000
        assert Tokenizer.from_log(log, words.pattern).encode(long_word)
    source = ["a b c", "é" * 100_000]
    words = count_words(source, pattern="gpt2", special_tokens=["b"], n_threads=2)
    log = trained(words, TrainingConfig(special_tokens=("b",), vocab_size=259)).log
    tokenizer = Tokenizer.from_log(log, words.pattern)
    assert tokenizer.encode_batch(source, "none") == [tokenizer.encode(text, "none") for text in source]
    assert {kernel.__name__: len(kernel.signatures) for kernel in KERNELS} == {
        kernel.__name__: 1 for kernel in KERNELS
    }


def test_rules_have_the_numbers_that_the_kernels_know():
    names = ("LEXICOGRAPHIC", "REVERSE", "FIRST_SEEN", "LOWEST_IDS", "SHORTEST", "RANDOM")
    assert [rule.number for rule in TIE_RULES] == [getattr(state, name) for name in names]


def test_a_damaged_cache_is_compiled_anew(copied):
    cache, folder = copied
    for path in folder.rglob("*.nb*"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    code = "print(kernels.status(), check(), kernels.status(), kernels.is_sealed())"
    assert said(code, cache) == ["cached", "True", "loaded", "False"]
    assert len(list(folder.rglob("*.nb*"))) == 2


def test_code_that_was_damaged_while_others_were_compiled_is_compiled_anew(copied):
    cache, folder = copied
    for path in folder.rglob("utf8.*.nb*"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    (folder / kernels.MARKER).unlink()  # the program was stopped before it could be sealed
    code = "print(kernels.status())\nprepare()\nprint(kernels.status(), kernels.is_sealed())"
    assert said(code, cache) == ["cold", "loaded", "True"]
    assert said(f"warm_up(prepare())\n{COUNT_COMPILED}", cache) == ["0"]


def test_a_full_disk_does_no_harm(copied):
    pytest.importorskip("resource")
    cache, folder = copied
    for path in (*folder.rglob("utf8.*.nb*"), folder / kernels.MARKER):
        path.unlink()
    code = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\nprepare()\n"
    assert said(code + "print(check(), kernels.status(), kernels.is_sealed())", cache) == [
        "True", "loaded", "False"
    ]  # fmt: skip
    assert not (folder / kernels.MARKER).exists()


def test_a_cache_that_is_deleted_meanwhile_does_no_harm(copied):
    code = "import shutil\nkernels.load()\nshutil.rmtree(kernels.cache_folder())\nprint(check())\n"
    assert said(code + "kernels.seal()\nprint(kernels.is_sealed())", copied[0]) == ["True", "False"]


def test_a_cache_that_can_only_be_read_is_used(copied, tmp_path):
    (tmp_path / "temporary").mkdir()
    code = (
        "from unittest import mock\n"
        "with mock.patch.object(kernels, '_is_writable', return_value=False):\n    kernels.load()\n"
        f"warm_up(prepare())\n{COUNT_COMPILED}"
    )
    assert said(code, copied[0], TMPDIR=str(tmp_path / "temporary")) == ["0"]
    assert not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize("answer", ["side_effect=RuntimeError", "return_value='~/.cache'"])
def test_without_a_home_nothing_is_kept(answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    code = (
        f"from unittest import mock\nwith mock.patch('platformdirs.user_cache_dir', {answer}):\n"
        "    print(kernels.status())\nprint(check(), kernels.status(), kernels.is_sealed())"
    )
    assert said(code, tmp_path / "cache") == ["cold", "True", "loaded", "False"]
    assert not list(tmp_path.iterdir())


def test_an_unwritable_cache_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    assert said("print(check(), kernels.status())", tmp_path / "file") == ["True", "loaded"]


def test_kernels_may_first_be_called_by_several_threads(copied):
    code = (
        "kernels.load()\nfrom numba.core.typing.typeof import typeof_impl\n"
        "known = set(typeof_impl.registry)\n"  # which nobody may read while another thread adds to it
        "warm_up(prepare())\nprint(set(typeof_impl.registry) == known)"
    )
    assert said(code, copied[0]) == ["True"]


def test_in_our_own_process_numba_imports_no_extensions_of_others():
    code = (
        "from numba.core import entrypoints\nentrypoints.importlib_metadata = None\n"
        "from bpe_studio.engine import kernels\nfrom bpe_studio.engine.compiling import prepare, warm_up\n"
        "kernels.is_own_process = True\nwarm_up(prepare())\nprint('done')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["done"], done.stderr
