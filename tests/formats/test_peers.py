"""What other programs load from our files, and we from theirs, gives the same ids."""

from __future__ import annotations

import base64
import json
import unicodedata
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bs
from bpe_studio.formats import huggingface, huggingface_writing
from bpe_studio.formats.assembling import tokenizer_of_ranks
from bpe_studio.formats.content import Content
from bpe_studio.formats.pretrained import pretrained
from bpe_studio.formats.table import format_named, load
from tests.formats.awkward import CORPUS, WORDS
from tests.strategies import awkward_texts

PUBLISHED = json.loads((Path(__file__).parents[1] / "golden" / "patterns.json").read_text("utf-8"))[
    "patterns"
]
FACTS = json.loads((Path(__file__).parents[1] / "golden" / "facts.json").read_text("utf-8"))


def known(text: str) -> str:
    """Leave out characters whose category is younger than some engine, and U+0295, whose category changed."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cn" and sign != "\u0295")


PIECES = st.sampled_from([*WORDS, "<s>", "</s>", "<unk>", "<tool>", "▁", "1234567", "  "]) | awkward_texts(4)
TEXTS = st.lists(PIECES, max_size=8).map("".join).map(known)


# ---- ours, loaded by them ----------------------------------------------------------------------------------


@cache
def ours(name: str) -> bs.Tokenizer:
    """Return one of a few tokenizers that differ in everything a file may hold."""
    if name == "ranks":
        # Pruned, so that merges do not make all of it.
        ranks = {data: token for token, data in pretrained("cl100k_base").tokens.items() if token < 3000}
        kept = [data for data, token in ranks.items() if len(data) == 1 or token % 7]
        numbered = {data: number for number, data in enumerate(kept)}
        return tokenizer_of_ranks(numbered, bs.load("cl100k_base").pattern, {"<s>": len(kept) + 9})
    settings: dict[str, dict[str, Any]] = {
        "gpt4": {"pattern": "gpt4", "special_tokens": ("<s>", "</s>")},
        "first": {
            "pattern": "o200k",
            "special_tokens": ("<s>",),
            "special_placement": "first",
            "byte_order": "gpt2",
        },
        "none": {"pattern": "none"},
        "possessive": {"pattern": PUBLISHED["cl100k_tiktoken_0.14"]},
        "characters": {
            "pattern": "whitespace",
            "alphabet": "characters",
            "byte_fallback": True,
            "character_coverage": 0.99,
        },
        "unknown": {
            "pattern": "none",
            "alphabet": "characters",
            "unknown_token": "<unk>",
            "character_coverage": 0.99,
        },
    }
    return bs.train(CORPUS, vocab_size=900, **settings[name])


NAMES = ("gpt4", "first", "none", "possessive", "characters", "unknown", "ranks")
PEERS = [
    (record, name)
    for record in map(format_named, ("huggingface", "huggingface_older", "gpt2", "tiktoken"))
    for name in NAMES
    if not record.refusals(ours(name))
]


@cache
def loaded_by_peer(format: str, name: str) -> Callable[[list[str]], list[list[int]]]:
    record, tokenizer = format_named(format), ours(name)
    path = Path("x.json")
    content = Content(path, record.write(tokenizer), dict(record.beside(tokenizer, path)))
    assert record.read(content) == record.keeps(tokenizer)
    assert record.load_with_peer is not None
    return record.load_with_peer(content, tokenizer)


@pytest.mark.parametrize(("record", "name"), PEERS, ids=lambda value: getattr(value, "name", value))
@given(texts=st.lists(TEXTS, max_size=5))
def test_what_they_load_from_our_file_has_our_ids(record: Any, name: str, texts: list[str]) -> None:
    pytest.importorskip(record.peer)
    expected = [ours(name).encode(text, "none") for text in texts]
    assert loaded_by_peer(record.name, name)(texts) == expected
    assert [record.keeps(ours(name)).encode(text, "none") for text in texts] == expected


def test_the_python_beside_a_rank_file_makes_the_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tiktoken")
    bs.save(ours("gpt4"), tmp_path / "a b's.tiktoken")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec((tmp_path / "a b's.tiktoken.py").read_text(), names)
    text = "<s>The ferry leaves</s> on the hour."
    assert names["encoding"].encode(text, allowed_special="all") == ours("gpt4").encode(text, "all")
    assert load(tmp_path / "a b's.tiktoken") == ours("gpt4")


def test_specials_have_their_ids_with_tokenizers_too() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    cl100k = pretrained("cl100k_base")
    theirs = tokenizers.Tokenizer.from_str(huggingface_writing.write(cl100k).decode())
    for text in ("<|endoftext|>hello world", "a<|fim_prefix|><|endofprompt|>"):
        assert theirs.encode(text).ids == cl100k.encode(text, "all")
    assert (
        cl100k.encode("<|endoftext|>hello world", "all")
        == FACTS["cl100k_base"]["<|endoftext|>hello world (all specials allowed)"]
    )


def test_the_published_files_are_written_letter_by_letter() -> None:
    import hashlib

    gpt2, record = pretrained("gpt2"), format_named("gpt2")
    vocabulary = record.write(gpt2)
    beside = record.beside(gpt2, Path("vocab.json"))
    digests = [hashlib.sha256(data).hexdigest() for data in (vocabulary, beside["merges.txt"])]
    assert [(digest[:6], digest[-4:]) for digest in digests] == [("196139", "6783"), ("1ce166", "adc5"[-4:])]
    read = record.read(Content(Path("encoder.json"), vocabulary, {"vocab.bpe": beside["merges.txt"]}))
    assert read == gpt2


@pytest.mark.parametrize("row", FACTS["tokens"], ids=lambda row: row["text"])
def test_facts(row: dict[str, Any]) -> None:
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        tokenizer = pretrained(name)
        tokens = [
            tokenizer.token_bytes(token).decode("utf-8", "replace") for token in tokenizer.encode(row["text"])
        ]
        assert row[name] in (tokens, len(tokens))


def test_facts_of_ids_and_sizes() -> None:
    for row in FACTS["ids"]:
        assert pretrained(row["encoding"]).token_bytes(row["id"]) == row["text"].encode()
    for name, sizes in FACTS["sizes"].items():
        tokenizer = pretrained(name)
        assert (tokenizer.n_ids, tokenizer.vocab_size) == (sizes["n_vocab"], sizes["tokens"])
    text = "hello123!!!? (안녕하세요!) 😉"
    assert pretrained("cl100k_base").encode(text) == FACTS["cl100k_base"][text]


# ---- theirs, loaded by us ----------------------------------------------------------------------------------

tokenizers = pytest.importorskip("tokenizers")
NORMAL, PRE = tokenizers.normalizers, tokenizers.pre_tokenizers


def trained(
    pre: Any, normalizer: Any = None, *, specials: tuple[str, ...] = ("<s>", "</s>"), **model: Any
) -> Any:
    """Return what their trainer makes of the sample texts, letters for bytes if `pre` has them."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE(**model))
    byte_level = pre is not None and "ByteLevel" in str(pre)
    if pre is not None:
        made.pre_tokenizer = pre
    if normalizer is not None:
        made.normalizer = normalizer
    fallback = [f"<0x{byte:02X}>" for byte in range(256)] if model.get("byte_fallback") else []
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=700 + len(fallback), special_tokens=[*specials, *fallback], show_progress=False,
        initial_alphabet=PRE.ByteLevel.alphabet() if byte_level else [],
        **({} if byte_level else {"limit_alphabet": 60}),
    )  # fmt: skip
    made.train_from_iterator(CORPUS.split("\n"), trainer)
    if not fallback:
        return made
    value = json.loads(made.to_str())
    value["added_tokens"] = [token for token in value["added_tokens"] if token["content"] not in fallback]
    return tokenizers.Tokenizer.from_str(json.dumps(value))


def edited(made: Any, **changes: Callable[[Any], Any]) -> Any:
    value = json.loads(made.to_str())
    for key, change in changes.items():
        value["model"][key] = change(value["model"].get(key))
    return tokenizers.Tokenizer.from_str(json.dumps(value))


def splits(*expressions: str) -> Any:
    parts = [PRE.Split(tokenizers.Regex(expression), "isolated") for expression in expressions]
    return PRE.Sequence([*parts, PRE.ByteLevel(add_prefix_space=False, use_regex=False)])


def byte_level(**settings: Any) -> Any:
    return PRE.ByteLevel(**{"add_prefix_space": False, **settings})


def with_added(made: Any) -> Any:
    made.add_tokens(["ab", "  ", tokenizers.AddedToken("<tool>", normalized=False)])
    return made


def backwards(merges: list[Any]) -> list[Any]:
    return merges[::-1]


def thinned(merges: list[Any]) -> list[Any]:
    return [merge for rank, merge in enumerate(merges) if rank % 5]


BLANKS = NORMAL.Sequence([NORMAL.Prepend("▁"), NORMAL.Replace(" ", "▁")])
THEIRS: dict[str, Callable[[], Any]] = {
    "byte level": lambda: trained(byte_level()),
    "prefix": lambda: trained(byte_level(add_prefix_space=True)),
    "no regex": lambda: trained(byte_level(use_regex=False)),
    "nfc, o200k": lambda: trained(splits(PUBLISHED["o200k"]), NORMAL.NFC()),
    "nfkc, braces": lambda: trained(splits(PUBLISHED["cl100k_tiktoken_0.14"]), NORMAL.NFKC()),
    "three splits": lambda: trained(splits(r"\p{N}{1,3}", "[a-c]", PUBLISHED["gpt2_original"])),
    "digits": lambda: trained(PRE.Sequence([PRE.Digits(individual_digits=True), byte_level()])),
    "added": lambda: with_added(trained(byte_level())),
    "backwards": lambda: edited(trained(byte_level()), merges=backwards),
    "whole": lambda: edited(trained(byte_level()), ignore_merges=lambda _: True),
    "whole, thinned": lambda: edited(trained(byte_level()), merges=thinned, ignore_merges=lambda _: True),
    "older": lambda: edited(
        trained(byte_level()), merges=lambda merges: [" ".join(merge) for merge in merges]
    ),
    "twice": lambda: edited(trained(byte_level()), merges=lambda merges: merges + merges[3:20]),
    "characters": lambda: trained(None, specials=("<s>", "<unk>"), unk_token="<unk>"),
    "fused": lambda: trained(None, specials=("<s>", "<unk>"), unk_token="<unk>", fuse_unk=True),
    "llama": lambda: trained(None, BLANKS, specials=("<unk>", "<s>"), byte_fallback=True, unk_token="<unk>"),
    "metaspace": lambda: trained(PRE.Metaspace(), specials=("<unk>",), unk_token="<unk>"),
    "metaspace, first": lambda: trained(
        PRE.Metaspace(prepend_scheme="first", split=False),
        specials=("<unk>",),
        byte_fallback=True,
        unk_token="<unk>",
    ),
}


@cache
def theirs(name: str) -> tuple[Any, bs.Tokenizer]:
    made = THEIRS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made, huggingface.read(Content(Path("x"), made.to_str().encode(), {}))


@pytest.mark.parametrize("name", THEIRS)
@given(texts=st.lists(TEXTS, max_size=5))
def test_what_we_load_from_their_file_has_their_ids(name: str, texts: list[str]) -> None:
    made, tokenizer = theirs(name)
    for text in texts:
        made.encode_special_tokens = True
        assert tokenizer.encode(text, "none") == made.encode(text, add_special_tokens=False).ids
        if tokenizer.alphabet.unknown_id is None:
            made.encode_special_tokens = False
            assert tokenizer.encode(text, "all") == made.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", THEIRS)
def test_what_we_loaded_is_written_and_read_as_the_same(name: str) -> None:
    made, tokenizer = theirs(name)
    assert huggingface_writing.refusals(tokenizer) == ()
    data = huggingface_writing.write(tokenizer)
    assert huggingface.read(Content(Path("x"), data, {})) == tokenizer
    again = tokenizers.Tokenizer.from_str(data.decode())
    text = "The ferry  leaves\non the hour: naïve 12345 東京 <s>"
    made.encode_special_tokens = False
    assert again.encode(text, add_special_tokens=False).ids == made.encode(text, add_special_tokens=False).ids


def part(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def split(pattern: dict[str, str], behavior: str, invert: bool = False) -> dict[str, Any]:
    return {"pre_tokenizer": part("Split", pattern=pattern, behavior=behavior, invert=invert)}


def model(vocabulary: dict[str, int], merges: list[Any], **more: Any) -> dict[str, Any]:
    return {"model": part("BPE", vocab=vocabulary, merges=merges, **more)}


NORMALIZED = part("x", id=9, content="<m>", special=True, normalized=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"normalizer": part("Lowercase")}, "the normalizer 'Lowercase'"),
        ({"normalizer": part("Replace", pattern={"Regex": "a"}, content="b")}, "regular expression"),
        ({"pre_tokenizer": part("Whitespace")}, "the pre-tokenizer 'Whitespace'"),
        (split({"String": "a"}, "Removed"), "is 'removed'"),
        (split({"Regex": "a"}, "Removed", invert=True), "drops the text"),
        (split({"Regex": r"\w+"}, "Isolated"), "read differently"),
        ({"added_tokens": [part("x", id=9, content="<m>", lstrip=True)]}, "is found in another way"),
        ({"normalizer": part("NFC"), "added_tokens": [NORMALIZED]}, "is found after the normalizer"),
        (model({"a": 0}, [], dropout=0.1), "model.dropout is set"),
        (model({"a": 0}, [], end_of_word_suffix="</w>"), "end_of_word_suffix is '</w>'"),
        (model({"a": 0}, [], unk_token="?"), "unk_token is '?'"),
        (model({"a": 0, "b": 1, "ab": 2}, ["a b", ["a", "b"]]), r"merges\[1\]"),
        ({"model": part("Unigram", vocab=[])}, "model.type is 'Unigram'"),
    ],
)  # fmt: skip
def test_what_we_do_otherwise_is_refused_by_its_name(changes: dict[str, Any], message: str) -> None:
    value = {"version": "1.0", "model": part("BPE", vocab={"a": 0, "b": 1}, merges=[]), **changes}
    with pytest.raises(bs.BpeStudioError, match=message):
        huggingface.read(Content(Path("x"), json.dumps(value).encode(), {}))


def test_what_surrounds_a_text_is_said_to_be_left_out() -> None:
    value = {
        "model": part("BPE", vocab={"a": 0}, merges=[]),
        "truncation": {},
        "post_processor": part("TemplateProcessing"),
    }
    with pytest.warns(UserWarning) as caught:
        huggingface.read(Content(Path("x"), json.dumps(value).encode(), {}))
    assert [str(warning.message).split()[0] for warning in caught] == ["truncation", "the"]


def test_an_added_token_has_the_id_that_the_file_says_and_a_warning_if_theirs_differs() -> None:
    value = {
        "model": part("BPE", vocab={"a": 0}, merges=[]),
        "added_tokens": [part("x", id=5, content="<s>", special=True)],
    }
    with pytest.warns(UserWarning, match="has the id 5; tokenizers would give it 1"):
        tokenizer = huggingface.read(Content(Path("x"), json.dumps(value).encode(), {}))
    assert tokenizer.special_tokens == {"<s>": 5}


def test_a_published_rank_file_is_known_by_its_hash() -> None:
    record = format_named("tiktoken")
    content = Content(Path("whatever"), record.write(pretrained("gpt2")), {})
    assert record.recognises(content) and record.read(content) == pretrained("gpt2")


def test_a_rank_file_with_an_empty_token_is_read_with_a_warning() -> None:
    data = format_named("tiktoken").write(ours("none")) + b"= 5000\n"
    with pytest.warns(UserWarning, match="5,000 is empty"):
        tokenizer = format_named("tiktoken").read(Content(Path("x"), data, {}))
    assert tokenizer.token_bytes(5000) == b"" and base64.b64encode(b"") == b""
