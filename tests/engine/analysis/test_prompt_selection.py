import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.prompt_selection import (
    FROM_DEFAULT,
    NO_SINGLE_PROMPT,
    Candidates,
    Choice,
    Pool,
    SelectionRule,
    build_prompt_cube,
    choose,
    extreme_weights,
    quantile_of,
)
from tests.engine.analysis.cubes import NONE, cube_of

ONE_CELL = cube_of([[0.6]], [[[0.7, 0.1, 0.7, 0.2]]])
WITH_DEFAULT = Pool(Candidates.PROMPTS_AND_DEFAULT)
BEST, WORST = Choice(SelectionRule.BEST), Choice(SelectionRule.WORST)


@pytest.mark.parametrize(
    ("choice", "value", "slot"),
    [
        (Choice(), 0.6, FROM_DEFAULT),
        (BEST, 0.7, 0),
        (WORST, 0.1, 1),
        (Choice(SelectionRule.MEDIAN), 0.45, NO_SINGLE_PROMPT),
        (Choice(SelectionRule.MEAN), 0.425, NO_SINGLE_PROMPT),
        (Choice(SelectionRule.QUANTILE, quantile=1 / 3), 0.2, NO_SINGLE_PROMPT),
        (Choice(SelectionRule.NAMED, prompt_ids=("t0-p9", "t0-p3", "t0-p0")), 0.2, 3),
        (Choice(SelectionRule.NAMED, prompt_ids=("t0-p9",)), 0.6, FROM_DEFAULT),
    ],
    ids=["default", "best", "worst", "median", "mean", "quantile", "named", "named elsewhere"],
)
def test_rule_picks(choice, value, slot):
    chosen = choose(ONE_CELL, choice)
    assert chosen.values[0, 0] == pytest.approx(value) and chosen.slots[0, 0] == slot


@pytest.mark.parametrize(
    ("default", "choice", "value", "slot"),
    [
        (0.9, BEST, 0.9, FROM_DEFAULT),
        (0.7, BEST, 0.7, FROM_DEFAULT),
        (0.6, BEST, 0.7, 0),
        (0.0, WORST, 0.0, FROM_DEFAULT),
        (0.6, WORST, 0.1, 1),
        (NONE, BEST, 0.7, 0),
    ],
    ids=["above all", "equal to the best", "below the best", "below all", "above the worst", "no default"],
)
def test_default_as_candidate(default, choice, value, slot):
    chosen = choose(cube_of([[default]], ONE_CELL.scores), choice, WITH_DEFAULT)
    assert chosen.values[0, 0] == value and chosen.slots[0, 0] == slot


@pytest.mark.parametrize("rule", list(SelectionRule))
def test_cell_without_prompt_runs_keeps_its_default_under_every_rule(rule):
    cube = cube_of([[0.5, 0.5], [0.5, NONE]], [[[0.1], [NONE]], [[0.1], [NONE]]])
    chosen = choose(cube, Choice(rule))
    assert chosen.values[0, 1] == 0.5 and chosen.slots[0, 1] == FROM_DEFAULT
    assert np.isnan(chosen.values[1, 1]) and chosen.slots[1, 1] == NO_SINGLE_PROMPT
    assert cube.is_stand_in.tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize("rule", list(SelectionRule))
def test_study_without_any_prompt_is_its_default_leaderboard(rule):
    cube = cube_of([[0.5]], np.zeros((1, 1, 0)))
    assert choose(cube, Choice(rule)).values.tolist() == [[0.5]]


@pytest.mark.parametrize("pool", [Pool(equal_n=True), Pool(Candidates.PROMPTS_AND_DEFAULT, equal_n=True)])
@pytest.mark.parametrize("rule", [SelectionRule.BEST, SelectionRule.WORST])
def test_equal_n_is_the_mean_of_the_extreme_over_all_subsets_of_the_smallest_size(pool, rule):
    scores, default = [0.3, 0.8, 0.1, 0.5], 0.45
    cube = cube_of([[default], [default]], [[scores], [[0.2, 0.9, NONE, NONE]]])
    extreme = max if rule is SelectionRule.BEST else min
    extra = [default] if pool.candidates is Candidates.PROMPTS_AND_DEFAULT else []
    expected = np.mean([extreme([*pair, *extra]) for pair in itertools.combinations(scores, 2)])
    values = choose(cube, Choice(rule), pool).values
    assert values[0, 0] == pytest.approx(expected)
    assert values[1, 0] == pytest.approx(extreme([0.2, 0.9, *extra]))


@given(st.integers(1, 30), st.data())
def test_weights_of_the_extreme_are_probabilities(total, data):
    weights = extreme_weights(total, data.draw(st.integers(1, total)))
    assert weights.sum() == pytest.approx(1) and (weights >= 0).all() and (np.diff(weights) >= -1e-12).all()


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9), st.floats(0, 1))
def test_quantile_is_numpys_linear_one(scores, quantile):
    padded = np.sort([*scores, NONE, NONE])[None]
    found = quantile_of(padded, np.array([len(scores)]), quantile)
    assert found[0] == pytest.approx(np.quantile(scores, quantile), abs=1e-12)


def test_cube_has_shared_slots_and_knows_what_was_not_run():
    columns = ["model_name", "task_name", "task_type", "prompt_id", "score"]
    runs = [("b", "t", "STS", "y", 0.2), ("a", "t", "STS", "x", 0.1), ("a", "t", "STS", "y", None)]
    prompt_scores = pl.DataFrame(runs, schema=columns, orient="row")
    default_scores = pl.DataFrame(
        [("c", "u", "STS", 0.5)], schema=["model_name", "task_name", "task_type", "score"], orient="row"
    )
    cube = build_prompt_cube(prompt_scores, default_scores)
    assert cube.model_names == ("a", "b", "c") and cube.task_names == ("t", "u")
    assert cube.prompt_ids == (("x", "y"), ())
    np.testing.assert_array_equal(cube.scores[:, 0], [[0.1, NONE], [NONE, 0.2], [NONE, NONE]])
    np.testing.assert_array_equal(cube.n, [[1, 0], [1, 0], [0, 0]])
    assert cube.default[2, 1] == 0.5 and np.isnan(cube.default[0, 0])
