import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.analysis import robust_leaderboard
from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.rank_probabilities import Drawing
from engine.analysis.ranking import DECIMALS, Aggregate, compute_aggregate, rank_values
from engine.analysis.robust_leaderboard import (
    DRAWS,
    FEWEST_DRAWS,
    Supply,
    affordable_draws,
    count_prompts_needed,
    rank_robustly,
)
from tests.engine.analysis.cubes import NONE, by_model, cube_of, random_cube


def test_ranks_by_typical_prompts_stand_beside_the_default_rank():
    cube = cube_of(
        default=[[0.9], [0.5], [0.1]],
        scores=[[[0.1, 0.2, 0.3, 0.2, 0.1]], [[0.5, 0.5, 0.5, 0.0, 0.5]], [[0.4, 0.4, 0.4, 0.4, 0.4]]],
    )
    robust = rank_robustly(cube, low=0.0)
    assert by_model(robust, "rank_default") == {"m0": 1, "m1": 2, "m2": 3}
    assert by_model(robust, "rank_median") == {"m1": 1, "m2": 2, "m0": 3}
    assert by_model(robust, "rank_q_low") == {"m2": 1, "m0": 2, "m1": 3}
    assert by_model(robust, "rank_mean") == {"m1": 1, "m2": 1, "m0": 3}
    assert by_model(robust, "borda_points_mean") == {"m1": 1.5, "m2": 1.5, "m0": 0}


@hypothesis_settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_shares_are_those_of_all_subsets(seed):
    """Two of four shared prompts on one task: the six subsets are enumerated."""
    cube = random_cube(seed, n_models=3, n_tasks=1, n_prompts=4)
    whole = np.median(cube.scores, axis=2).round(DECIMALS)
    goal = rank_values(compute_aggregate(whole, cube.task_types))
    pairs = list(itertools.combinations(range(4), 2))
    boards = np.array([np.median(cube.scores[:, :, pair], axis=2) for pair in pairs]).round(DECIMALS)
    ranks = rank_values(compute_aggregate(boards, cube.task_types))
    found = count_prompts_needed(cube, numbers=(2,), n_draws=3_000, seed=seed).numbers.row(0, named=True)
    assert found["share_order"] == pytest.approx((ranks == goal).all(axis=1).mean(), abs=0.04)
    assert found["share_first"] == pytest.approx(((ranks == 1) == (goal == 1)).all(axis=1).mean(), abs=0.04)
    assert found["share_first_or_tied"] == pytest.approx((ranks == 1)[:, goal == 1].all(axis=1).mean(), abs=0.04)
    errors = np.abs(boards - whole)
    assert found["median_error"] == pytest.approx(errors.mean(), abs=0.01)


@pytest.mark.parametrize("drawing", list(Drawing))
@pytest.mark.parametrize("aggregate", list(Aggregate))
def test_all_prompts_agree_with_themselves(drawing, aggregate):
    found = count_prompts_needed(
        random_cube(1, n_prompts=6), Rules(aggregate=aggregate), numbers=(6,), drawing=drawing, n_draws=50
    )
    row = found.numbers.row(0, named=True)
    assert (row["share_first"], row["share_order"], row["median_error"]) == (1, 1, 0)


def test_more_prompts_come_nearer_the_median():
    cube = random_cube(4, n_models=4, n_tasks=6, n_prompts=31, decimals=4)
    errors = count_prompts_needed(cube, numbers=(1, 5, 15, 25), n_draws=400).numbers["median_error"].to_list()
    assert errors == sorted(errors, reverse=True)


def test_numbers_beyond_the_prompts_are_tried_only_from_an_endless_supply():
    cube = random_cube(1, n_prompts=4)
    these, endless = (
        count_prompts_needed(cube, numbers=(2, 9), supply=supply, n_draws=20).numbers["k"].to_list()
        for supply in Supply
    )
    assert (these, endless) == ([2], [2, 9])


def test_cost_counts_runs_and_texts_of_one_model():
    found = count_prompts_needed(
        random_cube(1, n_tasks=3), numbers=(2,), n_texts={"t0": 10, "t1": 5, "t2": 1}, n_draws=5
    )
    assert found.numbers.select("n_runs", "n_texts").rows() == [(6, 32)]
    assert count_prompts_needed(random_cube(1), numbers=(2,), n_draws=5).numbers["n_texts"].to_list() == [None]


def test_cell_without_prompts_keeps_its_default_and_costs_nothing():
    cube = cube_of([[0.5, 0.9], [0.6, 0.1]], [[[0.1, 0.2], [NONE, NONE]], [[0.3, 0.4], [NONE, NONE]]])
    row = count_prompts_needed(cube, numbers=(1,), n_draws=40).numbers.row(0, named=True)
    assert row["n_runs"] == 1 and row["share_order"] == 1


@pytest.mark.parametrize(
    "cube", [cube_of([[0.5]], np.zeros((1, 1, 0))), cube_of(np.zeros((0, 0)), np.zeros((0, 0, 0)))]
)
def test_study_without_prompts_has_no_numbers(cube):
    found = count_prompts_needed(cube, n_draws=5)
    assert found.numbers.is_empty() and found.n_prompts == 0


def test_seed_fixes_the_draws():
    cube = random_cube(9, n_prompts=8)
    first, again, other = (
        count_prompts_needed(cube, numbers=(3,), n_draws=100, seed=seed).numbers for seed in (1, 1, 2)
    )
    assert first.equals(again) and not first.equals(other)


def test_hundreds_of_models_and_tasks_get_fewer_draws_and_say_so(monkeypatch):
    cube = random_cube(2, n_models=3, n_tasks=2, n_prompts=5)
    assert affordable_draws(cube) == DRAWS
    monkeypatch.setattr(robust_leaderboard, "MOST_DRAWN", 3 * 2 * 5 * 150)
    assert affordable_draws(cube) == count_prompts_needed(cube, numbers=(2,)).n_draws == 150
    monkeypatch.setattr(robust_leaderboard, "MOST_DRAWN", 1)
    assert affordable_draws(cube) == FEWEST_DRAWS
