"""The rule of order with its edges, rates, pairs, shortcuts and cut-offs of triplet tests."""

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from engine.analysis.triplet_cutoffs import best_cutoffs, calibrate
from engine.analysis.triplet_outcomes import NOISE, judge, judge_all
from engine.analysis.triplet_pairs import MOST_COMPARED, RUN, compare, compared_runs, holm, items_needed, mcnemar
from engine.analysis.triplet_shortcuts import by_bm25, by_length, by_letters, by_words
from engine.analysis.triplet_tests import build_tests
from tests.ui.triplet_examples import example, example_items, example_similarities


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
        ([math.nan], [0.8], "invalid", None, 0),
        ([0.9], [0.8, math.inf], "invalid", None, 0),
    ],
)
def test_order_decides_with_ties_and_missing_cosines(right, wrong, outcome, place, n_tied):
    judged = judge(right, wrong)
    assert (judged.outcome, judged.place, judged.n_tied) == (outcome, place, n_tied)
    assert (judged.margin is None) == (outcome == "invalid")


def test_verdicts_do_not_depend_on_the_order_of_rows():
    rows, keys = example_similarities(30, 3), ("item_id", *RUN)
    assert judge_all(rows, keys).equals(judge_all(rows.sample(fraction=1, shuffle=True, seed=3), keys))


EDGES = [None, math.nan, math.inf, 0.5, 0.5 + NOISE, 0.5 + NOISE / 2, 0.5 + 2 * NOISE, 0.25, 1.0, -1.0]


@pytest.mark.parametrize("noise", [None, 1e-7, 0.25])
def test_all_at_once_says_what_the_rule_says_of_each(noise):
    rng = np.random.default_rng(7)
    values = [*EDGES, *rng.choice([0.5, 0.7, 0.9], 3).tolist(), *rng.normal(0.6, 0.1, 8).tolist()]
    drawn = [
        [[values[place] for place in rng.integers(len(values), size=rng.integers(4))] for _ in range(2)]
        for _ in range(600)
    ]
    drawn += [[[first], [second]] for first in EDGES for second in EDGES]
    rows = [
        (number, role, value, noise, 0.1, None)
        for number, sides in enumerate(drawn)
        for role, side in zip(("positive", "negative"), sides, strict=True)
        for value in side
    ]
    columns = {"item": pl.Int64, "role": pl.String, "similarity": pl.Float64, "noise": pl.Float64,
               "spread": pl.Float64, "reason": pl.String}  # fmt: skip
    found = judge_all(pl.DataFrame(rows, schema=columns, orient="row"), ["item"])
    told = [each for each in drawn if each[0] or each[1]]
    expected = [judge(*each) if noise is None else judge(*each, noise) for each in told]
    assert found.select("outcome", "margin", "place", "n_tied").rows() == [
        (each.outcome, each.margin, each.place, each.n_tied) for each in expected
    ]
    assert set(found["outcome"]) == {"right", "tie", "wrong", "invalid"}


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
        assert mcnemar(*counts((only_a, only_b)))[0] == pytest.approx(expected)


def counts(*pairs):
    """Columns of the pairs, as the analysis holds counts."""
    return np.array(pairs, dtype=np.int64).T


def test_holm_steps_down_and_never_falls():
    assert holm(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm(np.array([])).tolist() == []


def test_items_needed_is_none_where_nobody_leads_and_enough_where_somebody_does():
    nobody, nothing, more = items_needed(*counts((50, 4, 4), (0, 0, 0), (50, 4, 1)))
    assert nobody is None and nothing is None and more is not None
    factor = (50 + more) / 50
    assert mcnemar(*counts((round(4 * factor), round(1 * factor))))[0] < 0.05


def test_pairs_are_compared_on_items_valid_for_both():
    pairs = compare(example(40, 3).outcomes)
    assert pairs.height == 3 and (pairs["n"] <= 40).all() and (pairs["p_holm"] >= pairs["p"]).all()


def test_counts_of_a_pair_are_those_of_its_items_one_by_one():
    outcomes = example(40, 4).outcomes
    by_run = {
        key: dict(zip(some["item_id"], some["outcome"], strict=True))
        for key, some in outcomes.filter(pl.col("outcome") != "invalid").group_by(*RUN)
    }
    for pair in compare(outcomes).iter_rows(named=True):
        left, right = (by_run[tuple(pair[f"{name}_{end}"] for name in RUN)] for end in "ab")
        both = left.keys() & right.keys()
        assert pair["n"] == len(both)
        assert pair["n_only_a"] == sum(left[item] == "right" != right[item] for item in both)
        assert pair["n_only_b"] == sum(right[item] == "right" != left[item] for item in both)
        assert pair["n_ties"] == sum("tie" in (left[item], right[item]) for item in both)


def test_many_runs_are_compared_one_a_model_without_prompts_where_there_is_that():
    outcomes = example(6, MOST_COMPARED + 1).outcomes
    compared = compared_runs(outcomes).select(RUN).unique()
    assert compared.height == compared["model_name"].n_unique() == outcomes["model_name"].n_unique()
    assert compared["base_prompt"].null_count() == compared.height
    assert compared_runs(example(6, MOST_COMPARED).outcomes).select(RUN).n_unique() == MOST_COMPARED
    assert any("one a model" in note for note in example(6, MOST_COMPARED + 1).notes)


def test_set_without_results_has_empty_frames():
    items, candidates = example_items(3)
    empty = judge_all(example_similarities(3, 1).clear(), ("item_id", *RUN))
    tests = build_tests(items, candidates, empty, example(3, 1).baselines, {})
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
    cutoffs, errors = best_cutoffs(values, labels, np.array([[1.0, 1, 1, 1], [1, 1, 3, 1]]))
    assert cutoffs.tolist() == [0.9, 0.7] and errors.tolist() == [0.25, 0.25]


def test_calibrated_cutoff_lies_in_its_interval_and_needs_twenty_pairs():
    tests = example(40, 1)
    found = calibrate(example_similarities(40, 1), tests.items)
    assert found.height == 3 and (found["ci_low"] <= found["ci_high"]).all()
    few = example(3, 1)
    assert calibrate(example_similarities(3, 1), few.items).height == 0


def test_most_telling_item_is_the_one_models_disagree_on_most():
    tests = example(20, 4)
    shares = dict(tests.items.select("item_id", "difficulty").iter_rows())
    assert abs(shares[tests.most_telling] - 0.5) == min(abs(each - 0.5) for each in shares.values())
    assert 0 < shares[tests.most_telling] < 1
    empty = judge_all(example_similarities(3, 1).clear(), ("item_id", *RUN))
    unasked = build_tests(*example_items(3), empty, example(3, 1).baselines, {})
    assert unasked.most_telling == unasked.items["item_id"][0]
