import numpy as np
import pytest

from engine.analysis.prompt_selection import Choice, SelectionRule
from engine.analysis.ranking import Aggregate
from engine.analysis.resampling import Over, draw_tasks, resample_prompts, resample_tasks, task_parts
from tests.engine.analysis.cubes import random_cube

MEDIAN = Choice(SelectionRule.MEDIAN)


def test_every_resample_draws_as_many_tasks_as_there_are():
    times = draw_tasks(7, None, 300, np.random.default_rng(0))
    assert times.shape == (300, 7) and (times.sum(axis=1) == 7).all() and (times > 1).any()


def test_strata_keep_their_size():
    times = draw_tasks(5, ["a", "b", "a", "b", "c"], 100, np.random.default_rng(0))
    assert (times[:, [0, 2]].sum(axis=1) == 2).all() and (times[:, [1, 3]].sum(axis=1) == 2).all()
    assert (times[:, 4] == 1).all()


def test_one_index_matrix_serves_all_models():
    parts = np.random.default_rng(0).random((3, 8))
    paired = resample_tasks(np.vstack([parts, parts[0]]), None, 50, seed=1).resampled
    np.testing.assert_allclose(paired[:, 0], paired[:, 3], rtol=1e-12)


def test_spread_over_resamples_is_the_standard_error_of_a_sum():
    parts = np.random.default_rng(2).normal(size=(1, 50))
    bootstrap = resample_tasks(parts, None, 20_000, seed=0)
    assert bootstrap.estimate[0] == pytest.approx(parts.sum())
    assert bootstrap.resampled.std() == pytest.approx(parts.std() * 50**0.5, rel=0.02)


@pytest.mark.parametrize("aggregate", list(Aggregate))
def test_parts_add_up_to_the_aggregate(aggregate):
    values = random_cube(1, n_models=4, n_tasks=3).default
    types = ["STS", "STS", "Clustering"]
    whole = {
        Aggregate.BORDA: None,
        Aggregate.MEAN_TASK: values.mean(axis=1),
        Aggregate.MEAN_TASK_TYPE: (values[:, :2].mean(axis=1) + values[:, 2]) / 2,
    }[aggregate]
    total = task_parts(values, types, aggregate).sum(axis=1)
    assert total.sum() == 3 * 4 * 3 / 2 if whole is None else np.allclose(total, whole)


@pytest.mark.parametrize("over", [Over.PROMPTS, Over.BOTH])
@pytest.mark.parametrize("rule", [SelectionRule.MEDIAN, SelectionRule.MEAN, SelectionRule.QUANTILE])
def test_resampled_prompts_stay_near_the_studys_own_mean(over, rule):
    cube = random_cube(5, n_models=3, n_tasks=6, n_prompts=40, decimals=6)
    types = cube.task_types
    resampled = resample_prompts(cube.scores, types, Aggregate.MEAN_TASK, Choice(rule), over, 2_000, seed=0)
    centre = {
        SelectionRule.MEDIAN: np.median(cube.scores, axis=2),
        SelectionRule.MEAN: cube.scores.mean(axis=2),
        SelectionRule.QUANTILE: np.quantile(cube.scores, 0.5, axis=2),
    }[rule].mean(axis=1)
    np.testing.assert_allclose(resampled.mean(axis=0), centre, atol=0.02)


def test_resampling_tasks_too_spreads_wider_than_prompts_alone():
    cube = random_cube(6, n_models=2, n_tasks=5, n_prompts=30, decimals=6)
    scores = cube.scores * 0.1 + np.arange(5)[None, :, None]
    narrow, wide = (
        resample_prompts(scores, cube.task_types, Aggregate.MEAN_TASK, MEDIAN, over, 500, seed=0).std()
        for over in (Over.PROMPTS, Over.BOTH)
    )
    assert wide > 5 * narrow


def test_shared_prompts_are_drawn_together():
    cube = random_cube(7, n_models=1, n_tasks=2, n_prompts=20, decimals=6)
    twins = np.concatenate([cube.scores, cube.scores])
    resampled = resample_prompts(twins, cube.task_types, Aggregate.MEAN_TASK, MEDIAN, Over.BOTH, 100, seed=0)
    np.testing.assert_array_equal(resampled[:, 0], resampled[:, 1])
