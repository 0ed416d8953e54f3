from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QGuiApplication, QPalette

from bpe_studio.analysis.compression import CompressionCurve
from bpe_studio.gui.chart_axes import ValueAxis, WholeNumberAxis
from bpe_studio.gui.chart_view import ChartView
from bpe_studio.gui.charts import (
    CHARTS,
    COMPRESSION,
    COUNTS,
    MAX_DRAWN,
    ChartData,
    Series,
    compression_chart,
    count_chart,
    csv_of,
    drawn_points,
    logarithmic,
    readout,
)
from bpe_studio.gui.panels.chart_panel import ChartPanel
from bpe_studio.gui.theme import colors, palette_for
from bpe_studio.session import opened_run
from tests.gui.fakes import long_run, merge_rows, run_on, trained_run
from tests.gui.preview_fakes import PreviewController, byte_tokenizer

WORDS = [("aaabdaaabac", 1)]


def curve(n_tokens, n_bytes, first=256):
    n_tokens = np.array(n_tokens, np.int64)
    return CompressionCurve(first + np.arange(len(n_tokens)), n_tokens, n_bytes / n_tokens)


def panel_on(qtbot, run=None):
    controller = PreviewController()
    if run is not None:
        controller.show_run(run)
    panel = ChartPanel(controller)
    qtbot.addWidget(panel)
    panel.resize(300, 600)
    panel.show()
    qtbot.waitExposed(panel)
    return controller, panel


# ---- points ----------------------------------------------------------------------------------------------


def test_the_curve_of_the_textbook_example():
    run = trained_run(WORDS, 3, pattern="none")
    _, data = run, compression_chart(None, curve([11, 9, 7, 5], 11))
    assert data.series[0].x.tolist() == [256, 257, 258, 259]
    assert data.series[0].y.tolist() == [1, 11 / 9, 11 / 7, 11 / 5]


def test_unknown_points_are_left_out():
    unknown = CompressionCurve(np.arange(3), np.full(3, -1), np.full(3, np.nan))
    assert compression_chart(unknown, None).n_points == 0


def test_ties_are_dots_on_the_winning_counts():
    data = count_chart(trained_run(WORDS, 3, pattern="none").log)
    assert (data.series[0].y.tolist(), data.series[1].x.tolist()) == ([4, 2, 2], [1])


def test_zeros_have_no_logarithm_and_that_is_said():
    x = np.arange(4.0)
    data = ChartData((Series("count", "count", "line", x, np.array([5.0, 2, 0, 0])),))
    shown = logarithmic(data)
    assert shown.series[0].y.tolist() == [5, 2]
    assert shown.note == "2 counts of 0 are left out: a logarithm has none"


def test_few_points_are_drawn_of_many_and_the_ends_always():
    series = Series("s", "corpus", "line", np.arange(30_000.0), np.arange(30_000.0))
    x, _ = drawn_points(series, -1, 1e9)
    assert (len(x), x[0], x[-1]) == (MAX_DRAWN, 0, 29_999)
    x, _ = drawn_points(series, 100, 110)
    assert x.tolist() == list(range(99, 112))


def test_csv_has_a_header_and_a_line_for_every_point():
    data = compression_chart(curve([4, 2], 4), curve([9, 3], 9))
    lines = csv_of(COMPRESSION, data).splitlines()
    assert lines == [
        "series,vocabulary size,bytes per token",
        "corpus,256,1",
        "corpus,257,2",
        "this text,256,1",
        "this text,257,3",
    ]
    for record in CHARTS:
        assert len(csv_of(record, ChartData()).splitlines()) == 1


def test_the_readout_names_two_curves_and_one_needs_no_name():
    both = compression_chart(curve([10, 5], 15), curve([10, 8], 12))
    assert readout(both, 257) == "at 257: 3.00 (corpus) · 1.50 (this text)"
    assert readout(compression_chart(curve([10, 5], 15), None), 257) == "at 257: 3.00"
    assert readout(both, 300) == ""
    assert readout(count_chart(trained_run(WORDS, 3, pattern="none").log), 0) == "at 0: 4"


def test_axes_write_plain_numbers(qapp):
    axis = ValueAxis("left")
    assert axis.tickStrings([1000, 2000], 1, 1000) == ["1,000", "2,000"]
    axis.tickValues(1, 4, 300)
    assert axis.tickStrings([1, 2], 1, 1) == ["1.0", "2.0"]  # like the labels between them
    assert all(spacing >= 1 for spacing, _ in WholeNumberAxis("bottom").tickSpacing(0, 1, 300))


# ---- the view --------------------------------------------------------------------------------------------


def view_of(qtbot, record, data, k=0):
    view = ChartView(record)
    qtbot.addWidget(view)
    view.resize(320, 260)
    view.set_data(data)
    view.set_cursor(k)
    view.show()
    qtbot.waitExposed(view)
    return view


@pytest.mark.parametrize("record", CHARTS, ids=lambda record: record.name)
@pytest.mark.parametrize("is_logarithmic", [False, True])
@pytest.mark.parametrize(
    "y", [[], [5.0], [3.0, 3.0, 3.0], [4.0, 0.0]], ids=["none", "one", "equal", "a zero"]
)
def test_a_chart_shows_whatever_there_is(qtbot, record, is_logarithmic, y):
    y = np.array(y)
    role = "count" if record is COUNTS else "corpus"
    view = view_of(qtbot, record, ChartData((Series("s", role, "line", np.arange(float(len(y))), y),)))
    view.set_logarithmic(is_logarithmic and record.counts)
    view.show_all()
    QGuiApplication.processEvents()
    assert view.is_empty == (not len(y))
    assert not view.grab().isNull() and view.svg_bytes().startswith(b"<?xml")
    assert len(view.csv_text().splitlines()) == 1 + view.shown_data().n_points


def test_one_point_is_visible(qtbot):
    view = view_of(qtbot, COMPRESSION, compression_chart(curve([5], 5), None), k=0)
    image = view.plot.grab().toImage()
    wanted = colors(view).curve_training.rgb()
    found = [image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())]
    assert sum(found) >= 8


def test_a_click_goes_to_the_step_under_it(qtbot):
    view = view_of(qtbot, COMPRESSION, compression_chart(curve(range(100, 50, -1), 100), None))
    chosen = []
    view.step_chosen.connect(chosen.append)
    for record, steps in ((COMPRESSION, 23), (COUNTS, 24)):
        view.record = record
        click_at(qtbot, view, 256 + 23)
        assert chosen[-1] == steps


def click_at(qtbot, view, x):
    for _ in range(2):  # the axes take their width while they are painted
        view.grab()
        QGuiApplication.processEvents()
    box = view.plot.getViewBox()
    scene = box.mapViewToScene(QPointF(x, box.viewRange()[1][0] * 0.5 + box.viewRange()[1][1] * 0.5))
    point = view.plot.mapFromScene(scene)
    qtbot.mouseMove(view.plot.viewport(), point)
    qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=point)


def test_colours_follow_the_palette(qtbot):
    view = view_of(qtbot, COMPRESSION, compression_chart(curve([5, 4], 5), None))
    for is_dark in (True, False):
        view.setPalette(palette_for(is_dark))
        base = palette_for(is_dark).color(QPalette.ColorRole.Base)
        assert view.plot.backgroundBrush().color() == base


def test_the_menu_takes_the_chart_away(qtbot):
    view = view_of(qtbot, COUNTS, count_chart(trained_run(WORDS, 3, pattern="none").log))
    actions = {action.text(): action for action in view.make_menu().actions() if action.text()}
    assert list(actions) == [
        "Copy image",
        "Copy CSV of what is shown",
        "Save SVG…",
        "Save CSV…",
        "Show everything",
        "Logarithmic counts",
    ]
    actions["Copy CSV of what is shown"].trigger()
    assert QGuiApplication.clipboard().text().startswith("series,rank,winning count\n")
    actions["Copy image"].trigger()
    assert not QGuiApplication.clipboard().image().isNull()
    actions["Logarithmic counts"].trigger()
    assert view.is_logarithmic


# ---- the panel -------------------------------------------------------------------------------------------


def test_without_a_run_there_are_sentences_instead_of_axes(qtbot):
    _, panel = panel_on(qtbot)
    assert panel.compression.is_empty and "Open a corpus" in panel.compression.empty.text()
    assert panel.counts.is_empty and "after the first merge" in panel.counts.empty.text()


def test_a_loaded_tokenizer_says_that_a_corpus_is_missing(qtbot):
    _, panel = panel_on(qtbot, opened_run("opened", byte_tokenizer([(97, 97)]), None))
    assert panel.counts.empty.text() == panel.compression.empty.text() == "Open a corpus to see counts."


def test_merges_out_of_order_say_why_there_is_no_curve(qtbot):
    _, panel = panel_on(qtbot, opened_run("opened", byte_tokenizer([(97, 97), (97, 97)]), None))
    assert "merge 1 repeats the pair" in panel.compression.empty.text()


def test_the_crosshair_stands_at_the_cursor_and_reads_the_values(qtbot):
    controller, panel = panel_on(qtbot, trained_run(WORDS, 3, pattern="none"))
    controller.move(2)
    assert panel.compression.crosshair.value() == 258
    assert panel.compression.reading.text() == "at 258: 1.57"
    assert panel.counts.crosshair.value() == 1
    controller.preview_curve_changed.emit(curve([5, 4, 4, 2], 8))
    assert panel.compression.reading.text() == "at 258: 1.57 (corpus) · 2.00 (this text)"
    controller.preview_curve_changed.emit(None)
    assert panel.compression.reading.text() == "at 258: 1.57"


def test_a_text_without_a_curve_says_why(qtbot):
    controller, panel = panel_on(qtbot, trained_run(WORDS, 3, pattern="none"))
    controller.preview = SimpleNamespace(curve_problem="not in the alphabet: 'é' (U+00E9)")
    controller.preview_curve_changed.emit(None)
    assert panel.compression.note.text() == "This text: not in the alphabet: 'é' (U+00E9)"


def test_a_click_asks_the_controller_to_go_there(qtbot):
    controller, panel = panel_on(qtbot, trained_run(WORDS, 3, pattern="none"))
    panel.compression.step_chosen.emit(2)
    assert controller.calls[-1] == ("go_to", 2)


def test_the_charts_grow_while_a_run_does(qtbot):
    run = run_on(WORDS, pattern="none")
    controller, panel = panel_on(qtbot, run)
    assert panel.compression.shown_data().n_points == 1
    for row in merge_rows(run, 3):
        controller.append(run, [row])
    drawn = lambda: [series.y.tolist() for series in panel.counts.shown_data().series][:1]  # noqa: E731
    qtbot.waitUntil(lambda: drawn() == [[4, 2, 2]], timeout=2000)
    assert panel.compression.shown_data().n_points == 4


def test_thirty_thousand_merges_are_drawn_at_once(qtbot):
    run = long_run(30_000)
    controller, panel = panel_on(qtbot, run)
    start = time.perf_counter()
    panel.refresh()
    panel.grab()
    took = time.perf_counter() - start
    print(f"30,000 points in {took * 1000:.0f} ms")
    assert took < 1.0
    assert all(len(item.xData) <= MAX_DRAWN for item in panel.compression._items + panel.counts._items)


@pytest.mark.parametrize("width", [90, 120, 200, 600])
def test_labels_of_a_narrow_axis_keep_apart(qtbot, width):
    axis = WholeNumberAxis("bottom")
    spacing = axis.tickSpacing(256, 20_000, width)[0][0]
    label = QFontMetricsF(QFont()).horizontalAdvance("20,000")
    assert spacing / (20_000 - 256) * width > label
