"""The main job, clicked: three merges on ``aaabdaaabac``, seen in every panel, and taken away as JSON."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bpe_studio.engine.reference import decode, encode_word
from bpe_studio.formats.table import load

TEXT = "aaabdaaabac"
STEPS = (
    # left, right, token, count, tied, margin, tokens after, bytes per token
    ("a", "a", "aa", 4, 1, 2, 9, 11 / 9),
    ("a", "b", "ab", 2, 2, 0, 7, 11 / 7),
    ("aa", "ab", "aaab", 2, 1, 1, 5, 11 / 5),
)
SENTENCES = (
    "Next, merge 0: ‘a’ + ‘a’ → ‘aa’  4 times, 2 more than ‘a’ + ‘b’.",
    "Next, merge 1: ‘a’ + ‘b’ → ‘ab’  2 times. 2 pairs tie; "
    "lexicographic takes it because 61 + 62 < 61 61 + 61; first-seen would take ‘aa’ + ‘a’; and 2 more.",
    "Next, merge 2: ‘aa’ + ‘ab’ → ‘aaab’  2 times, 1 more than ‘a’ + ‘c’.",
    "Vocabulary full at 259: extend",
)


def test_three_presses_of_the_arrow_make_the_three_merges(window, qtbot, tmp_path):
    controller = window.controller
    qtbot.waitUntil(lambda: window.sentence.text == SENTENCES[0])
    qtbot.waitUntil(lambda: controller.encoded is not None and controller.encoded.n_tokens == 11)
    assert window.bar.box.text() == "0 / 0 · target 3"
    for k, step in enumerate(STEPS, start=1):
        QTest.keyClick(window.merges.view, Qt.Key.Key_Right)
        qtbot.waitUntil(lambda k=k: window.sentence.text == SENTENCES[k])
        qtbot.waitUntil(lambda step=step: controller.encoded.n_tokens == step[6])
        qtbot.waitUntil(lambda k=k: controller.snapshot is not None and controller.snapshot.k == k)
        check_row(window, k - 1, step)
        check_preview(controller, k, step)
        check_curve(window, qtbot, k, step)
        assert window.bar.box.text() == f"{k} / {k} · target 3"
    QTest.keyClick(window.merges.view, Qt.Key.Key_Right)
    assert controller.session.n_merges == 3
    assert window.statusBar().currentMessage() == "Vocabulary full at 259"
    check_export(window, qtbot, tmp_path / "tokenizer.json")


def check_row(window, rank, step):
    log = window.controller.session.current.log
    left, right, token, count, n_tied, margin, tokens_after, _ = step
    parts = (log.left[rank], log.right[rank], log.token[rank])
    assert [log.token_bytes(int(part)).decode() for part in parts] == [left, right, token]
    numbers = (log.count[rank], log.n_tied[rank], log.margin[rank], log.corpus_tokens[rank])
    assert [int(number) for number in numbers] == [count, n_tied, margin, tokens_after]
    model = window.merges.view.model()
    assert model.rowCount() == rank + 1
    shown = [model.index(rank, column).data() for column in range(model.columnCount())]
    assert str(count) in shown and (f"={n_tied}" in shown) == (n_tied > 1)


def check_preview(controller, k, step):
    encoded = controller.encoded
    assert encoded.utf8 == TEXT.encode()
    tokens = [encoded.token_bytes(i) for i in range(encoded.n_tokens)]
    log = controller.session.current.log
    rules = {
        (int(a), int(b)): rank for rank, (a, b) in enumerate(zip(log.left[:k], log.right[:k], strict=True))
    }
    products = {pair: int(log.token[rank]) for pair, rank in rules.items()}
    expected = encode_word(list(TEXT.encode()), rules, products)
    assert encoded.ids.tolist() == expected
    assert b"".join(tokens).decode() == TEXT
    assert encoded.bytes_per_token == pytest.approx(step[7])


def check_curve(window, qtbot, k, step):
    controller = window.controller
    qtbot.waitUntil(
        lambda: controller.preview_curve is not None and len(controller.preview_curve.n_tokens) == k + 1
    )
    assert int(controller.preview_curve.vocab_size[k]) == 256 + k
    assert int(controller.preview_curve.n_tokens[k]) == step[6]
    assert float(controller.preview_curve.bytes_per_token[k]) == pytest.approx(step[7])


def check_export(window, qtbot, path):
    with qtbot.waitSignal(window.controller.saved) as saved:
        window.controller.save(path)
    assert saved.args[0].ok and saved.args[0].checks[0].n_bytes > 11
    assert not window.isWindowModified()
    json.loads(path.read_text(encoding="utf-8"))
    tokenizer = load(path)
    assert tokenizer.merges == [(b"a", b"a"), (b"a", b"b"), (b"aa", b"ab")]
    assert tokenizer.training.log.count.tolist() == [4, 2, 2]
    assert tokenizer.training.log.n_tied.tolist() == [1, 2, 1]
    assert tokenizer.decode(tokenizer.encode(TEXT)) == TEXT
    products = {int(i): tokenizer.token_bytes(int(i)) for i in tokenizer.tokens}
    assert decode(tokenizer.encode(TEXT), products) == TEXT.encode()
