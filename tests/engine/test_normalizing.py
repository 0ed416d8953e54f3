from __future__ import annotations

import json
import pickle
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.analysis.encoded_text import encoded_text
from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.errors import BpeStudioError
from bpe_studio.engine.normalizing import _NEWER, normalized, restored
from bpe_studio.engine.patterns import resolve_pattern
from bpe_studio.engine.tokenizer import Tokenizer
from tests.strategies import awkward_texts

LLAMA = (("prepend", " "), ("replace", " ", "▁"))
PLAIN = Tokenizer(Alphabet(), [97, 256], [98, 99], [256, 257], resolve_pattern("gpt4"), {"<s>": 300})  # type: ignore[arg-type]
NFC = replace(PLAIN, normalizer=(("NFC",),))


OLD = awkward_texts().filter(lambda text: not _NEWER.search(text))


@given(OLD)
def test_a_form_of_unicode_is_what_unicode_says(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        tokenizer = replace(PLAIN, normalizer=((form,),))
        assert tokenizer.encode(text, "none") == PLAIN.encode(unicodedata.normalize(form, text), "none")


FORMS = json.loads((Path(__file__).parents[1] / "golden" / "normal_forms.json").read_text("utf-8"))


@pytest.mark.parametrize("text", FORMS, ids=ascii)
def test_known_texts_have_known_bytes_in_every_form(text: str) -> None:
    for form, expected in FORMS[text].items():
        tokenizer = replace(PLAIN, normalizer=((form,),))
        assert tokenizer.decode_bytes(tokenizer.encode(text)).hex() == expected
        assert encoded_text(tokenizer, text).is_normalized == (expected != text.encode().hex())
    assert PLAIN.decode(PLAIN.encode(text)) == text


SINCE_UNICODE_9 = st.sampled_from("㋿\ua7f2\U00010781\u0d3b\u1df6\u08ca") | st.sampled_from(
    "e\u0301\u0327\ufb01\u0345"
)


@given(st.lists(SINCE_UNICODE_9).map("".join))
def test_the_forms_are_those_of_hugging_face(text: str) -> None:
    normalizers = pytest.importorskip("tokenizers").normalizers
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert normalized(text, ((form,),)) == getattr(normalizers, form)().normalize_str(text)
    assert normalized("㋿", (("NFKC",),)) == "㋿" != unicodedata.normalize("NFKC", "㋿")


@given(st.text("ab ▁", max_size=8))
def test_what_is_put_in_is_taken_out(text: str) -> None:
    expected = text.replace("▁", " ")
    assert restored(normalized(text, LLAMA), LLAMA) == expected
    assert normalized(text, (("prefix", " "),)) == (
        text if text.startswith((" ",)) or not text else " " + text
    )
    assert restored(normalized(text, (("kept-prefix", " "),)), (("kept-prefix", " "),)).lstrip(
        " "
    ) == text.lstrip(" ")


def test_each_piece_between_special_tokens_is_normalized_alone() -> None:
    tokenizer = replace(PLAIN, normalizer=LLAMA)
    assert tokenizer.normalized("ab<s>c <s>", "all") == "▁ab<s>▁c▁<s>"
    assert tokenizer.normalized("ab<s>c", "none") == "▁ab<s>c"
    assert tokenizer.normalized("", "all") == ""
    ids = tokenizer.encode("<s>abc", "all")
    assert ids == [300, *"▁".encode(), 257]
    assert tokenizer.decode(ids) == "<s> abc"
    assert tokenizer.decode(tokenizer.encode("a b")) == "a b"
    stream = tokenizer.stream_decoder()
    assert [stream.feed(token) for token in [*"▁".encode(), 257]] == ["", "", "", "abc"]


@given(awkward_texts())
def test_offsets_cover_the_normalized_text(text: str) -> None:
    tokenizer = replace(PLAIN, normalizer=(("NFKC",), *LLAMA))
    whole = tokenizer.normalized(text, "none").encode()
    bounds = tokenizer.offsets(text, allowed_special="none").tolist()
    tokens = [tokenizer.token_bytes(token) for token in tokenizer.encode(text, "none")]
    assert [whole[start:end] for start, end in bounds] == tokens and b"".join(tokens) == whole
    assert encoded_text(tokenizer, text).utf8 == whole
    assert encoded_text(tokenizer, text).ids.tolist() == tokenizer.encode(text, "none")


def test_added_tokens_are_found_where_the_steps_say() -> None:
    added = replace(PLAIN, added_tokens={"<t>": 400})
    text = "<t>\u0338"
    after, before = (
        replace(added, normalizer=(("NFC",),)),
        replace(added, normalizer=(("added-tokens",), ("NFC",))),
    )
    assert after.encode(text) == PLAIN.encode("<t≯")
    assert before.encode(text) == [400, *PLAIN.encode("\u0338")]
    assert before.normalized("e\u0301<t>e\u0301") == "é<t>é"


def test_a_prefix_may_be_for_the_beginning_alone() -> None:
    first = replace(PLAIN, normalizer=(("first-prefix", " "),), added_tokens={"<t>": 400})
    assert first.normalized("a<s>b<t>c", "all") == " a<s>b<t>c"
    assert first.normalized("<s>a", "all") == "<s>a"
    always = replace(first, normalizer=(("added-tokens",), ("prefix", " ")))
    assert always.normalized("a<s>b<t>c", "all") == " a<s> b<t> c"
    assert always.decode(always.encode("a<s>b", "all")) == "a<s> b"


def test_a_batch_and_a_copy_are_normalized_too() -> None:
    texts = ["e\u0301"] * 3000
    assert NFC.encode_batch(texts) == [PLAIN.encode("é")] * 3000
    assert pickle.loads(pickle.dumps(NFC)).encode("e\u0301") == PLAIN.encode("é")
    assert NFC != PLAIN and NFC.first(1).normalizer == NFC.normalizer


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([("ROT13",)], "no known kind"),
        ([()], "no known kind"),
        ([(["NFC"],)], "no known kind"),
        ([("NFC", "a")], "takes 0 texts"),
        ([("replace", "a", 1)], "takes 2 texts"),
        ([("replace", "", "b")], "an empty text"),
        ([("prepend", "\ud800")], "lone surrogate"),
    ],
)
def test_impossible_steps_are_refused(steps: list, message: str) -> None:
    with pytest.raises(BpeStudioError, match=message):
        replace(PLAIN, normalizer=tuple(steps))
