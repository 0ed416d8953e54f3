"""Pretrained vocabularies give the ids that tiktoken gave, and the published rank files."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import given, settings

import bpe_studio as bs
from bpe_studio.engine import kernels, text_encoder
from bpe_studio.engine.errors import FormatError, SpecialTokenError
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from bpe_studio.formats import pretrained as module
from bpe_studio.formats.pretrained import Pretrained, pretrained, pretrained_list, pretrained_names
from tests.strategies import awkward_texts

ROOT = Path(__file__).resolve().parent.parent.parent
GOLDEN = json.loads((ROOT / "tests" / "golden" / "encodings.json").read_text(encoding="utf-8"))
NAMES = ["gpt2", "p50k_base", "cl100k_base", "o200k_base"]
EVERY = pytest.mark.parametrize("name", NAMES)
# Letters of Unicode 17, which tiktoken 0.14 does not know as such.
KNOWS_UNICODE_17 = regex.fullmatch(r"\p{L}", "\u088f") is not None


def ranks_of(tokenizer: Tokenizer) -> dict[bytes, int]:
    specials = set(tokenizer.special_tokens.values())
    return {token: rank for rank, token in tokenizer.tokens.items() if rank not in specials}


def record_of(name: str) -> Pretrained:
    return next(record for record in pretrained_list() if record.name == name)


@EVERY
def test_the_published_rank_file_can_be_rebuilt(name: str) -> None:
    ranks = ranks_of(pretrained(name))
    lines = [base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items()]
    published = GOLDEN["encodings"][name]["ranks_sha256_of_sorted_tiktoken_file"]
    assert hashlib.sha256(b"".join(lines)).hexdigest() == published == record_of(name).rank_file_sha256


@pytest.mark.parametrize(
    ("name", "vocab_size", "n_ids", "n_merges"),
    [
        ("gpt2", 50_257, 50_257, 50_000),
        ("p50k_base", 50_281, 50_281, 50_024),
        ("cl100k_base", 100_261, 100_277, 100_000),
        ("o200k_base", 200_000, 200_019, 199_742),
    ],
)
def test_the_sizes_are_the_published_ones(name: str, vocab_size: int, n_ids: int, n_merges: int) -> None:
    tokenizer = pretrained(name)
    assert (tokenizer.vocab_size, tokenizer.n_ids, tokenizer.n_merges) == (vocab_size, n_ids, n_merges)
    assert record_of(name).n_ids == n_ids


@EVERY
def test_specials_keep_their_ids_and_the_pattern_is_the_published_one(name: str) -> None:
    tokenizer, golden = pretrained(name), GOLDEN["encodings"][name]
    assert dict(tokenizer.special_tokens) == golden["special_tokens"]
    assert tokenizer.pattern.is_named and tokenizer.pattern.expression == golden["pat_str_canonical"]
    assert all(resolve_pattern(each) == tokenizer.pattern for each in (name, *record_of(name).other_names))
    assert (tokenizer.semantics, tokenizer.training) == ("pairs", None)


def test_ids_in_a_hole_are_no_tokens() -> None:
    for name, hole in (("cl100k_base", 100_256), ("cl100k_base", 100_261), ("o200k_base", 199_998)):
        with pytest.raises(bs.BpeStudioError, match="No token has the id"):
            pretrained(name).token_bytes(hole)


def test_the_24_merges_of_p50k_make_runs_of_2_to_25_blanks() -> None:
    p50k = pretrained("p50k_base")
    assert [p50k.token_bytes(50_255 + n) for n in range(2, 26)] == [b" " * n for n in range(2, 26)]
    assert p50k.first(50_000).merges == pretrained("gpt2").merges


@EVERY
@pytest.mark.parametrize("compiled", [False, True])
def test_the_golden_texts_have_the_ids_of_tiktoken(
    name: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        kernels.load()
    monkeypatch.setattr(text_encoder, "MIN_CHARACTERS_FOR_KERNELS", {"loaded": 0} if compiled else {})
    tokenizer = pretrained(name)
    for row in GOLDEN["strings"]:
        text, golden = row["text"], row["encodings"][name]
        ids = golden.get("ids_from_regex_pieces") if KNOWS_UNICODE_17 else None
        ids = ids or golden["ids"]
        assert tokenizer.encode(text, "none") == ids, row["name"]
        assert tokenizer.decode(ids) == text
        allowed = golden.get("ids_allowed_special_all", ids)
        assert tokenizer.encode(text, "all") == allowed, row["name"]
        assert tokenizer.decode(allowed) == text
        if allowed != ids:
            with pytest.raises(SpecialTokenError):
                tokenizer.encode(text)


@EVERY
@pytest.mark.filterwarnings("ignore:.*surrogate")
def test_surrogates_have_the_ids_of_tiktoken(name: str) -> None:
    for row in GOLDEN["surrogates"]:
        text, golden = "".join(map(chr, row["codepoints"])), row["encodings"][name]
        assert pretrained(name).encode(text) == golden["tiktoken_ids"]
        assert pretrained(name).decode(golden["tiktoken_ids"]) == golden["tiktoken_decoded"]


@EVERY
def test_any_pre_token_has_the_ids_of_tiktoken_itself(name: str) -> None:
    """It merges by concatenated bytes and looks the whole up first: here that comes to the same."""
    tiktoken = pytest.importorskip("tiktoken")
    tokenizer = pretrained(name)
    peer = tiktoken.Encoding(name, pat_str=r"(?s).+", mergeable_ranks=ranks_of(tokenizer), special_tokens={})

    @settings(max_examples=300, deadline=None)
    @given(text=awkward_texts())
    def same(text: str) -> None:
        for word in tokenizer.pattern.split(text):
            assert tokenizer.encode(word, "none") == peer.encode_ordinary(word)

    same()


@EVERY
def test_merges_are_ordered_so_any_prefix_is_a_tokenizer_and_there_is_a_curve(name: str) -> None:
    tokenizer, text = pretrained(name), "Hello world, the tokenizer's 1,234 tokens      "
    assert tokenizer.is_ordered()
    curve = bs.compression_curve(tokenizer, text)
    assert len(curve) == tokenizer.n_merges + 1 and curve.vocab_size[-1] == tokenizer.vocab_size
    for k in (0, 1, 1_000, tokenizer.n_merges - 1, tokenizer.n_merges):
        assert curve.n_tokens[k] == len(tokenizer.first(k).encode(text))
    assert tokenizer.first(0).encode("!a \n") == [0, 64, 220, 198]


def test_a_special_that_follows_the_merges_follows_the_first_ones_too() -> None:
    assert dict(pretrained("gpt2").first(10).special_tokens) == {"<|endoftext|>": 266}
    assert dict(pretrained("p50k_base").first(10).special_tokens) == {"<|endoftext|>": 50_256}
    assert pretrained("cl100k_base").first(10).special_tokens["<|endofprompt|>"] == 100_276


def test_load_takes_a_name_and_makes_the_tokenizer_once() -> None:
    assert bs.load("cl100k_base") is bs.load("cl100k_base") is pretrained("cl100k_base")
    assert bs.load("gpt2") is bs.load("r50k_base")
    assert set(pretrained_names()) == {*NAMES, "r50k_base"}


def test_a_file_of_that_name_wins_and_a_path_is_always_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormatError, match="cannot be read"):
        bs.load(Path("gpt2"))
    with pytest.raises(FormatError, match="gpt3: cannot be read"):
        bs.load("gpt3")
    own = bs.train("abab", vocab_size=257, pattern="none")
    bs.save(own, tmp_path / "gpt2")
    assert bs.load("gpt2") == own


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(FormatError, match="'gpt5'; there are: gpt2, r50k_base, p50k_base, cl100k_base"):
        pretrained("gpt5")


@pytest.mark.parametrize("damage", [b"", b"no table", None])
def test_a_damaged_or_missing_table_is_told(
    damage: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = record_of("gpt2")
    path = tmp_path / "table.xz"
    if damage is not None:
        path.write_bytes(damage)
    monkeypatch.setattr(module, "resource", lambda name: path)
    with pytest.raises(FormatError, match="The vocabulary gpt2 cannot be unpacked"):
        module._table(record)


def test_arrays_are_read_only_and_ids_are_small() -> None:
    tokenizer = pretrained("o200k_base")
    for array in (tokenizer.left, tokenizer.right, tokenizer.product):
        assert array.dtype == np.int32 and not array.flags.writeable


def test_the_largest_one_is_there_in_half_a_second() -> None:
    module._tokenizer.cache_clear()
    start = time.perf_counter()
    pretrained("o200k_base")
    assert time.perf_counter() - start < 0.5


def test_what_the_studio_writes_of_it_gives_the_same_ids(tmp_path: Path) -> None:
    for name in ("p50k_base", "cl100k_base"):
        bs.save(pretrained(name), tmp_path / "t.json")
        assert bs.load(tmp_path / "t.json") == pretrained(name)


def test_the_terminal_takes_a_name(tmp_path: Path) -> None:
    def output(command: str, data: bytes = b"") -> bytes:
        words = [sys.executable, "-m", "bpe_studio", *command.split()]
        return subprocess.run(words, input=data, capture_output=True, check=True, cwd=ROOT).stdout

    assert output("encode -t gpt2", b"Hello world") == b"15496 995\n"
    assert output("decode -t gpt2", b"15496 995") == b"Hello world"
    facts = json.loads(output("inspect -t cl100k_base --json"))
    assert (facts["vocab_size"], facts["n_ids"], facts["training"]) == (100_261, 100_277, None)


def test_every_table_has_its_origin_told() -> None:
    notice = (ROOT / "resources" / "pretrained" / "NOTICE").read_text(encoding="utf-8")
    tables = {path.name for path in (ROOT / "resources" / "pretrained").glob("*.xz")}
    assert tables == {f"{record.table}.pairs.xz" for record in pretrained_list()}
    assert all(name in notice for name in tables)
    assert "resources/pretrained/NOTICE" in (ROOT / "NOTICE").read_text(encoding="utf-8")
