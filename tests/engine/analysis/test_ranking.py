import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import friedmanchisquare

from engine.analysis.ranking import (
    Aggregate,
    Missing,
    build_score_matrix,
    compare_missing_rules,
    compute_aggregate,
    compute_task_points,
    rank_models,
    rank_values,
)
from tests.engine.analysis.cubes import NONE, by_model, matrix_of

COLUMNS = {"model_name": pl.String, "task_name": pl.String, "task_type": pl.String, "score": pl.Float64}
ONE_MISSING = pl.DataFrame(
    [
        *(("A", "t1", "STS", 0.90), ("B", "t1", "STS", 0.70), ("C", "t1", "STS", 0.95)),
        *(("A", "t2", "STS", 0.80), ("B", "t2", "STS", 0.90), ("C", "t2", "STS", None)),
    ],
    schema=COLUMNS,
    orient="row",
)
scores = st.integers(0, 6).map(lambda level: level / 8)
boards = arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=scores)
gappy = arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.one_of(scores, st.just(NONE)))


@pytest.mark.parametrize(
    ("missing", "points", "ranks"),
    [
        (Missing.ZERO, {"A": 2, "B": 2, "C": 2}, {"A": 1, "B": 1, "C": 1}),
        (Missing.PRESENT, {"A": 1, "B": 1, "C": 2}, {"A": 2, "B": 2, "C": 1}),
        (Missing.COMPLETE, {"A": 1, "B": 1, "C": None}, {"A": 1, "B": 1, "C": None}),
    ],
)
def test_borda_with_a_missing_task_under_each_rule(missing, points, ranks):
    ranked = rank_models(build_score_matrix(ONE_MISSING), missing=missing)
    assert by_model(ranked, "borda_points") == points
    assert by_model(ranked, "rank_borda") == ranks == by_model(ranked, "rank")


def test_rules_that_disagree_are_counted_among_models_that_both_rank():
    compared = compare_missing_rules(build_score_matrix(ONE_MISSING))
    assert by_model(compared, "differs_present") == {"A": True, "B": True, "C": False}
    assert by_model(compared, "differs_complete") == {"A": False, "B": False, "C": None}


@pytest.mark.parametrize(
    ("values", "points"),
    [
        ([[0.5], [0.5], [0.1]], [1.5, 1.5, 0]),
        ([[0.5], [0.5], [0.5]], [1, 1, 1]),
        ([[0.7]], [0]),
        ([[-0.2], [-0.1]], [0, 1]),
        ([[NONE], [0.1]], [0, 1]),
        ([[NONE], [NONE]], [0, 0]),
    ],
    ids=["two tied", "all tied", "single", "negative", "one missing", "all missing"],
)
def test_points_of_one_task(values, points):
    assert compute_task_points(np.array(values))[:, 0].tolist() == points


def test_ties_share_the_better_rank():
    assert rank_values(np.array([3.0, 5.0, 5.0, 1.0])).tolist() == [3, 1, 1, 4]
    assert np.isnan(rank_values(np.array([3.0, NONE]))[1])


def test_partial_task_counts_under_mtebs_rule_and_only_there():
    partial = [[False, True], [False, False], [False, False]]
    matrix = matrix_of([[0.9, 0.9], [0.5, 0.5], [0.1, 0.1]], is_partial=partial)
    zero, complete = (rank_models(matrix, missing=rule) for rule in (Missing.ZERO, Missing.COMPLETE))
    assert by_model(zero, "borda_points")["m0"] == 4 and by_model(zero, "n_partial")["m0"] == 1
    assert by_model(zero, "mean_task")["m0"] is None
    assert by_model(complete, "rank") == {"m0": None, "m1": 1, "m2": 2}


def test_model_without_any_whole_task_is_ranked_but_not_counted():
    matrix = matrix_of([[0.9], [0.5]], is_partial=[[True], [False]])
    assert by_model(rank_models(matrix), "borda_points") == {"m0": 0, "m1": -1}


def test_task_that_no_model_has_whole_is_asked_of_nobody():
    partial = [[False, True], [False, True]]
    matrix = matrix_of([[0.9, 0.2], [0.5, 0.7]], is_partial=partial)
    ranked = rank_models(matrix, Aggregate.MEAN_TASK)
    assert matrix.is_complete.all() and matrix.complete_part().task_names == ("t0",)
    assert by_model(ranked, "mean_task") == {"m0": 0.9, "m1": 0.5}


def test_mean_over_types_weighs_types_alike():
    matrix = matrix_of([[0.2, 0.4, 0.9], [0.4, 0.4, 0.4], [0.9, NONE, 0.9]], ["STS", "STS", "Clustering"])
    by_type, by_task = (rank_models(matrix, kind) for kind in (Aggregate.MEAN_TASK_TYPE, Aggregate.MEAN_TASK))
    assert by_model(by_type, "mean_task_type") == {"m0": pytest.approx(0.6), "m1": pytest.approx(0.4), "m2": None}
    assert by_model(by_task, "mean_task") == {"m0": pytest.approx(0.5), "m1": pytest.approx(0.4), "m2": None}
    assert by_model(by_type, "rank") == {"m0": 1, "m1": 2, "m2": None}


def test_model_without_a_score_is_not_on_the_board():
    frame = pl.DataFrame([("A", "t1", "STS", 0.9), ("B", "t1", "STS", None)], schema=COLUMNS, orient="row")
    assert build_score_matrix(frame).model_names == ("A",)


def test_empty_frame_gives_an_empty_leaderboard():
    empty = build_score_matrix(pl.DataFrame(schema=COLUMNS))
    assert rank_models(empty).is_empty() and compare_missing_rules(empty).is_empty()


@given(boards)
def test_points_of_a_whole_board_add_up(values):
    n, tasks = values.shape
    assert compute_task_points(values).sum() == tasks * n * (n - 1) / 2


@given(gappy, st.randoms(use_true_random=False), st.sampled_from(list(Missing)))
def test_rank_does_not_depend_on_the_order_of_models_or_tasks(values, shuffler, missing):
    rows, columns = list(range(values.shape[0])), list(range(values.shape[1]))
    shuffler.shuffle(rows)
    shuffler.shuffle(columns)
    types = ("STS",) * len(columns)
    here = rank_values(compute_aggregate(values, types, missing=missing))
    there = rank_values(compute_aggregate(values[rows][:, columns], types, missing=missing))
    np.testing.assert_array_equal(here[rows], there)


@given(gappy, st.sampled_from(list(Missing)))
def test_increasing_transform_of_a_tasks_scores_changes_no_rank(values, missing):
    types, curved = ("STS",) * values.shape[1], values.copy()
    curved[:, 0] = np.exp(3 * curved[:, 0])
    np.testing.assert_array_equal(
        compute_aggregate(values, types, missing=missing), compute_aggregate(curved, types, missing=missing)
    )


def test_points_are_the_rank_sums_of_friedmans_test():
    values = np.random.default_rng(0).random((5, 12))
    n, tasks = values.shape
    rank_sums = tasks * n - compute_task_points(values).sum(axis=1)
    statistic = 12 / (tasks * n * (n + 1)) * (rank_sums**2).sum() - 3 * tasks * (n + 1)
    assert statistic == pytest.approx(friedmanchisquare(*values).statistic)
