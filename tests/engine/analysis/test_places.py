import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.places import Reading, describe_cells, place_references

GRID = st.integers(-100, 1000).map(lambda thousandth: thousandth / 1000)
"""Scores as files hold them: a few decimals, correlations below zero included."""
USUAL = Reading()
SCORES = st.lists(GRID, min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("scores", "default", "expected"),
    [
        pytest.param([0.1], 0.2, {"n": 1, "sd": None, "cv": None, "score_range": 0.0, "call": None}, id="single"),
        pytest.param([0.3] * 6, 0.3, {"sd": 0.0, "cv": 0.0, "place_midrank": 0.5, "call": "typical"}, id="all tied"),
        pytest.param([0.3] * 6, 0.4, {"place_share_le": 1.0, "n_below": 6, "call": "high"}, id="above a tie"),
        pytest.param([0.3] * 6, 0.2, {"place_midrank": 0.0, "call": "low"}, id="below a tie"),
        pytest.param([None] * 6, 0.2, {"n": 0, "n_incomplete": 6, "mean": None, "call": None}, id="all null"),
        pytest.param([0.1, None, 0.3], 0.2, {"n": 2, "n_incomplete": 1, "mean": 0.2, "call": None}, id="partial"),
        pytest.param([0.1, 0.2, 0.3, 0.4], 0.9, {"place_midrank": 1.0, "call": None}, id="fewer than five"),
        pytest.param([0.1, 0.2, 0.3, 0.4, 0.5], 0.9, {"call": "high", "gap_to_median": 0.6}, id="five are enough"),
        pytest.param([0.1, 0.2, 0.3, 0.4, 0.5], None, {"call": None, "reference_score": None}, id="no reference"),
        pytest.param([-0.3, -0.1, -0.2, -0.2, -0.2], -0.25, {"cv": None, "mean": -0.2}, id="negative mean"),
        pytest.param([-0.03, -0.01, 0.02, 0.02], 0.01, {"cv": None, "score_range": 0.05}, id="zero mean"),
        pytest.param([0.6, 0.7, 0.79, 0.71, 0.72], 0.82, {"place_share_le": 1.0, "max": 0.79}, id="outside all"),
    ],
)  # fmt: skip
def test_cell(one_cell, scores, default, expected):
    found = one_cell(scores, default)
    for key, value in expected.items():
        assert found[key] == (pytest.approx(value) if isinstance(value, float) else value), key


def test_cell_says_why_it_has_no_call(one_cell):
    assert one_cell([0.1, 0.2], 0.3)["no_call_reason"] == "fewer than 5 prompts with a score: 2"
    assert one_cell([0.1] * 6)["no_call_reason"] == "no default run in this source"
    assert one_cell([0.1] * 6, 0.2)["no_call_reason"] is None


def test_quantiles_are_numpys(one_cell):
    scores = [0.13, 0.2, 0.71, 0.44, 0.38, 0.9, 0.02]
    found = one_cell(scores, 0.5, low=0.15, high=0.85)
    assert found["q_low"] == pytest.approx(np.quantile(scores, 0.15))
    assert found["q_high"] == pytest.approx(np.quantile(scores, 0.85))
    assert found["iqr"] == pytest.approx(np.quantile(scores, 0.75) - np.quantile(scores, 0.25))
    assert found["sd"] == pytest.approx(np.std(scores, ddof=1))


@pytest.mark.parametrize(
    ("high", "call"), [(0.9, "high"), (0.99, "high"), (1.0, "typical")], ids=["usual", "strict", "above the best only"]
)
def test_thresholds_move_the_call(one_cell, high, call):
    scores = [0.1 * step for step in range(10)]
    assert one_cell(scores, 0.9, high=high)["call"] == call


def test_reference_equal_to_a_threshold_is_typical(one_cell):
    eleven = [step / 10 for step in range(11)]
    assert one_cell(eleven, 0.9)["call"] == "typical"
    assert one_cell(eleven, 0.1)["call"] == "typical"
    assert one_cell(eleven, 0.9 + 1e-6)["call"] == "high"
    assert one_cell(eleven, 0.1 - 1e-6)["call"] == "low"


def test_rounding_of_a_mean_is_no_difference(one_cell):
    third = (0.1 + 0.2 + 0.3) / 3
    assert third != 0.2
    found = one_cell([0.2] * 6, third)
    assert (found["n_equal"], found["call"]) == (6, "typical")


def placed(scores, reference, reading=USUAL):
    frame = pl.DataFrame({"score": scores}, {"score": pl.Float64}).with_columns(
        model_name=pl.lit("m"), task_name=pl.lit("T"), task_type=pl.lit("STS"), rows=1, rows_expected=1
    )
    cells = describe_cells(frame, reading).with_columns(
        reference_score=reference, reference_source=pl.lit("s"), reference_rows=1, reference_rows_expected=1
    )
    return place_references(frame, cells, reading).row(0, named=True)


@given(SCORES, GRID)
def test_place_lies_between_none_and_all(scores, reference):
    found = placed(scores, reference)
    assert 0 <= found["place_midrank"] <= found["place_share_le"] <= 1
    assert found["n_below"] + found["n_equal"] <= found["n"] == len(scores)


@given(SCORES, GRID, st.sampled_from([lambda x: x**3, np.exp, lambda x: np.log(x + 1), lambda x: 5 * x - 2]))
def test_place_does_not_change_under_increasing_transforms(scores, reference, transform):
    before, after = (
        placed(scores, reference),
        placed([float(transform(x)) for x in scores], float(transform(reference))),
    )
    assert (before["n_below"], before["n_equal"]) == (after["n_below"], after["n_equal"])
    assert before["place_midrank"] == after["place_midrank"]


@given(SCORES, GRID, st.integers(1, 9), st.integers(-5, 5))
def test_call_does_not_change_under_increasing_linear_transforms(scores, reference, factor, shift):
    before = placed(scores, reference)
    after = placed([x * factor + shift for x in scores], reference * factor + shift)
    near = min(abs(reference - before["q_low"]), abs(reference - before["q_high"]))
    assert before["call"] == after["call"] or near < 1e-9


@given(SCORES, GRID)
def test_call_does_not_change_under_increasing_transforms_unless_between_neighbours_of_a_threshold(scores, reference):
    ordered, last = sorted(scores), len(scores) - 1
    between = any(
        ordered[int(np.floor(share * last))] <= reference <= ordered[int(np.ceil(share * last))] for share in (0.1, 0.9)
    )
    before, after = placed(scores, reference), placed([x**3 for x in scores], reference**3)
    assert between or before["call"] == after["call"]


@given(st.permutations(range(7)))
@settings(max_examples=20)
def test_order_of_prompts_does_not_matter(order):
    scores = [0.11, 0.5, 0.5, 0.3, 0.72, 0.9, 0.41]
    assert placed([scores[each] for each in order], 0.5) == pytest.approx(placed(scores, 0.5), nan_ok=True)


@given(SCORES, GRID)
def test_another_prompt_never_lowers_the_best_nor_raises_the_worst(scores, another):
    before, after = placed(scores, 0.5), placed([*scores, another], 0.5)
    assert after["max"] >= before["max"] and after["min"] <= before["min"]


@given(SCORES)
def test_cv_is_scale_free(scores):
    before, after = placed(scores, 0.5), placed([3 * score for score in scores], 0.5)
    if before["cv"] is None or after["cv"] is None:
        assert before["cv"] is None and after["cv"] is None
    else:
        assert after["cv"] == pytest.approx(before["cv"])
