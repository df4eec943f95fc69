"""The rule of order with its edges, rates, pairs, shortcuts and cut-offs of triplet tests."""

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from engine.analysis.triplet_cutoffs import best_cutoff, calibrate
from engine.analysis.triplet_outcomes import NOISE, judge
from engine.analysis.triplet_shortcuts import by_bm25, by_length, by_letters, by_words
from engine.analysis.triplet_tests import build_tests, compare, holm, items_needed, judge_all, mcnemar
from tests.ui.triplet_examples import example, example_items


@pytest.mark.parametrize(
    ("right", "wrong", "outcome", "place", "n_tied"),
    [
        ([0.9], [0.8, 0.7], "right", 1, 0),
        ([0.8], [0.9, 0.7], "wrong", 2, 0),
        ([0.9], [0.9, 0.7], "tie", 1, 1),
        ([0.9], [0.9 + NOISE / 2], "tie", 1, 1),
        ([0.9], [0.9 + NOISE * 2], "wrong", 2, 0),
        ([0.9021], [0.9021, 0.9021, 0.9021, 1.0], "wrong", 2, 3),
        ([0.9, 0.7], [0.8], "wrong", 2, 0),
        ([None], [0.8], "invalid", None, 0),
        ([0.9], [None, 0.8], "invalid", None, 0),
        ([], [0.8], "invalid", None, 0),
        ([0.9], [], "invalid", None, 0),
    ],
)
def test_order_decides_with_ties_and_missing_cosines(right, wrong, outcome, place, n_tied):
    judged = judge(right, wrong)
    assert (judged.outcome, judged.place, judged.n_tied) == (outcome, place, n_tied)
    assert (judged.margin is None) == (outcome == "invalid")


def test_verdicts_do_not_depend_on_the_order_of_rows():
    tests = example(30, 3)
    rows = tests.similarities.with_columns(spread=pl.lit(0.05), reason=pl.lit(None, dtype=pl.String))
    first, again = judge_all(rows), judge_all(rows.sample(fraction=1, shuffle=True, seed=3))
    assert first.equals(again)


def test_rates_count_ties_as_not_right_and_leave_invalid_out():
    tests = example(60, 4)
    for rate in tests.rates.filter(pl.col("by") == "model").iter_rows(named=True):
        mine = tests.outcomes.filter(
            pl.col("model_name") == rate["model_name"], pl.col("base_prompt").eq_missing(pl.lit(rate["base_prompt"]))
        )["outcome"]
        assert rate["n"] == (mine != "invalid").sum() and rate["n_right"] == (mine == "right").sum()
        assert rate["pass_rate"] == pytest.approx(rate["n_right"] / rate["n"])
        assert rate["ci_low"] < rate["pass_rate"] < rate["ci_high"]


def test_groups_below_five_items_have_counts_and_no_rate():
    rates = example(7, 1).rates.filter(pl.col("by") == "language")
    assert rates["n"].max() < 5 and rates["pass_rate"].is_null().all() and rates["n_right"].null_count() == 0


def test_mcnemar_equals_the_exact_binomial_test():
    for only_a, only_b in ((0, 0), (1, 0), (3, 1), (8, 8), (20, 4)):
        expected = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
        assert mcnemar(only_a, only_b) == pytest.approx(expected)


def test_holm_steps_down_and_never_falls():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_items_needed_is_none_where_nobody_leads_and_enough_where_somebody_does():
    assert items_needed(50, 4, 4) is None and items_needed(0, 0, 0) is None
    more = items_needed(50, 4, 1)
    factor = (50 + more) / 50
    assert mcnemar(round(4 * factor), round(1 * factor)) < 0.05


def test_pairs_are_compared_on_items_valid_for_both():
    pairs = compare(example(40, 3).outcomes)
    assert pairs.height == 3 and (pairs["n"] <= 40).all() and (pairs["p_holm"] >= pairs["p"]).all()


def test_set_without_results_has_empty_frames():
    items, candidates = example_items(3)
    none = example(3, 1).similarities.clear()
    empty = none.with_columns(spread=pl.lit(None, dtype=pl.Float64), reason=pl.lit(None, dtype=pl.String))
    tests = build_tests(items, candidates, empty, {})
    assert tests.outcomes.height == tests.comparisons.height == 0 and tests.items["difficulty"].is_null().all()
    assert tests.saturated.height == tests.prompts_disagree.height == 0


def test_shortcuts_score_form_alone():
    texts = ["the cat sat on a mat", "dogs"]
    for score in (by_length, by_words, by_letters, by_bm25):
        values = score("the cat sat on the mat", texts)
        assert values[0] > values[1] and all(math.isfinite(value) for value in values)
    assert by_words("", [""]) == [0.0]


def test_best_cutoff_errs_least():
    values, labels = np.array([0.9, 0.8, 0.7, 0.6]), np.array([True, False, True, False])
    assert best_cutoff(values, labels, np.ones(4)) == (0.9, 0.25)


def test_calibrated_cutoff_lies_in_its_interval_and_needs_twenty_pairs():
    tests = example(40, 1)
    found = calibrate(tests.similarities, tests.items)
    assert found.height == 3 and (found["ci_low"] <= found["ci_high"]).all()
    few = example(3, 1)
    assert calibrate(few.similarities, few.items).height == 0
