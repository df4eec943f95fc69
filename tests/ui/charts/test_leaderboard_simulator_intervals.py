"""The interval plots: bars between the right ranks, pins, the window, and words for an interval."""

import polars as pl
import pytest

from ui.charts.leaderboard_simulator_intervals import interval_ribbon, interval_rows, interval_words
from ui.charts.theme import LIGHT

INTERVALS = pl.DataFrame(
    {
        "model_name": ["org/first", "org/second", "evil/<b>x<i>"],
        "rank": [1, 2, 3],
        "rank_low": [1, 1, 3],
        "rank_high": [2, 3, 3],
        "rank_low_alone": [1, 2, 3],
        "rank_high_alone": [1, 2, 3],
        "p_best": [0.9, 0.1, 0.0],
    }
)


def test_wide_and_narrow_bars_reach_from_low_to_high():
    wide, narrow, dots = interval_rows(INTERVALS.rows(named=True), {}, LIGHT).to_dict()["data"]
    assert [(start + 0.25, start + length - 0.25) for start, length in zip(wide["base"], wide["x"], strict=True)] == [
        (1, 2),
        (1, 3),
        (3, 3),
    ]
    assert wide["width"] > narrow["width"]
    assert list(dots["x"]) == [1, 2, 3]


def test_a_pinned_model_stands_out_in_both_pictures():
    pinned = {"org/second": LIGHT.models[1]}
    rows = interval_rows(INTERVALS.rows(named=True), pinned, LIGHT).to_dict()
    assert [label.startswith("<b>") for label in rows["layout"]["yaxis"]["ticktext"]] == [False, True, False]
    ribbon = interval_ribbon(INTERVALS, (0, 2), pinned, LIGHT).to_dict()
    assert len(ribbon["layout"]["annotations"]) == 1
    assert "1–3" in ribbon["layout"]["annotations"][0]["text"]


def test_a_click_on_the_ribbon_gives_the_place_of_the_model():
    ribbon = interval_ribbon(INTERVALS, (0, 1), {}, LIGHT).to_dict()
    assert list(ribbon["data"][-1]["customdata"]) == [0, 1, 2]
    window = ribbon["layout"]["shapes"][0]
    assert (window["x0"], window["x1"]) == (0.5, 2.5)


def test_names_are_escaped():
    ticks = interval_rows(INTERVALS.rows(named=True), {}, LIGHT).to_dict()["layout"]["yaxis"]["ticktext"]
    assert "&lt;b&gt;x&lt;i&gt;" in ticks[2]
    assert "<b>x" not in ticks[2]


@pytest.mark.parametrize(("low", "high", "words"), [(3, 3, "3"), (13, 33, "13–33"), (999, 1001, "999–1,001")])
def test_an_interval_of_one_rank_is_one_figure(low, high, words):
    assert interval_words({"rank_low": low, "rank_high": high}) == words
