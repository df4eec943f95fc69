import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.prompt_selection import PromptCube
from engine.analysis.rank_probabilities import Drawing, compute_rank_probabilities, drawable_scores, shared_slots
from engine.analysis.ranking import Aggregate, Missing, compute_aggregate, rank_values
from tests.engine.analysis.cubes import NONE, by_model, cube_of, every_draw, random_cube

FOUR_STANDARD_ERRORS = 4
DRAWS = 4_000
settings = st.builds(Rules, aggregate=st.sampled_from(list(Aggregate)), missing=st.sampled_from(list(Missing)))


def probability(drawn, model_name, rank):
    return drawn.probabilities.filter(model_name=model_name, rank=rank)["probability"].item()


def test_two_models_on_one_task_are_enumerated_by_hand():
    """0.3 or 0.7 against 0.5 or 0.7: one draw of four is a tie, one is won."""
    cube = cube_of([[0.6], [0.4]], [[[0.3, 0.7]], [[0.5, 0.7]]])
    drawn = compute_rank_probabilities(cube, n_draws=DRAWS)
    assert by_model(drawn.models, "borda_points_expected") == {"m0": 0.375, "m1": 0.625}
    assert probability(drawn, "m0", 1) == pytest.approx(0.5, abs=FOUR_STANDARD_ERRORS * 0.5 / DRAWS**0.5)
    assert probability(drawn, "m1", 1) == pytest.approx(0.75, abs=FOUR_STANDARD_ERRORS * 0.5 / DRAWS**0.5)
    assert drawn.share_default_order == pytest.approx(0.25, abs=FOUR_STANDARD_ERRORS * 0.5 / DRAWS**0.5)


@given(st.integers(0, 10_000), settings)
def test_draws_agree_with_every_draw_enumerated(seed, rules):
    cube = random_cube(seed, n_models=3, n_tasks=2, n_prompts=3)
    boards = np.array(list(every_draw(cube)))
    totals = compute_aggregate(boards, cube.task_types, rules.aggregate, rules.missing)
    ranks = rank_values(totals)
    drawn = compute_rank_probabilities(cube, rules, n_draws=DRAWS, seed=seed)
    expected = by_model(drawn.models, f"{rules.aggregate.column}_expected")
    for model, name in enumerate(cube.model_names):
        assert expected[name] == pytest.approx(totals[:, model].mean())
        for rank in (1, 2, 3):
            share = (ranks[:, model] == rank).mean()
            limit = FOUR_STANDARD_ERRORS * np.sqrt(share * (1 - share) / DRAWS) + 0.005
            assert probability(drawn, name, rank) == pytest.approx(share, abs=limit)


@given(st.integers(0, 10_000), settings)
def test_one_prompt_for_all_is_the_mean_over_shared_prompts(seed, rules):
    cube = random_cube(seed, n_models=4, n_tasks=1, n_prompts=6)
    boards = np.moveaxis(cube.scores, 2, 0)
    totals = compute_aggregate(boards, cube.task_types, rules.aggregate, rules.missing)
    drawn = compute_rank_probabilities(cube, rules, drawing=Drawing.SAME, n_draws=DRAWS)
    expected = by_model(drawn.models, f"{rules.aggregate.column}_expected")
    assert [expected[name] for name in cube.model_names] == pytest.approx(totals.mean(axis=0).tolist())
    first = by_model(drawn.models, "p_first")
    share = (rank_values(totals) == 1).mean(axis=0)
    assert [first[name] for name in cube.model_names] == pytest.approx(share.tolist(), abs=0.04)


def test_many_models_with_and_without_ties_are_counted_alike():
    """Above 127 models points no longer fit the smallest type."""
    stream = np.random.default_rng(1)
    levels = stream.permutation(200 * 2).reshape(200, 1, 2).astype(float)
    for scores in (levels, levels // 7):
        cube = cube_of(scores[..., 0], scores)
        drawn = compute_rank_probabilities(cube, n_draws=50)
        mean = np.array([by_model(drawn.models, "borda_points_expected")[name] for name in cube.model_names])
        assert mean.sum() == pytest.approx(200 * 199 / 2)
        assert drawn.probabilities.group_by("model_name").agg(pl.col("probability").sum())["probability"].to_list() == (
            pytest.approx([1.0] * 200)
        )


@pytest.mark.parametrize(
    ("missing", "points", "ranked"),
    [
        (Missing.ZERO, [2.0, 1.0, 0.0], 3),
        (Missing.PRESENT, [1.0, 0.0, 0.0], 3),
        (Missing.COMPLETE, [1.0, 0.0, None], 2),
    ],
)
def test_model_that_lacks_a_task(missing, points, ranked):
    cube = cube_of([[0.9], [0.5], [NONE]], [[[0.9, 0.8]], [[0.4, 0.5]], [[NONE, NONE]]])
    drawn = compute_rank_probabilities(cube, Rules(missing=missing), n_draws=100)
    assert by_model(drawn.models, "borda_points_expected") == dict(zip(("m0", "m1", "m2"), points, strict=True))
    assert drawn.probabilities["model_name"].n_unique() == ranked
    assert probability(drawn, "m0", 1) == 1


def test_cell_without_prompt_runs_always_draws_its_default():
    cube = cube_of([[0.6], [0.5]], [[[NONE, NONE]], [[0.1, 0.9]]])
    np.testing.assert_array_equal(drawable_scores(cube)[0, 0], [0.6, NONE])
    assert by_model(compute_rank_probabilities(cube, n_draws=10).models, "borda_points_expected")["m0"] == 0.5


def test_shared_prompts_are_those_of_every_model_with_prompts():
    scores = np.array([[0.1, 0.2, NONE], [0.1, 0.3, 0.4], [0.5, NONE, NONE]])
    assert shared_slots(scores).tolist() == [0, 1]
    assert shared_slots(scores[2:]).tolist() == []


def test_same_seed_same_draws_and_another_seed_others():
    cube = random_cube(3)
    first, again, other = (compute_rank_probabilities(cube, n_draws=200, seed=seed) for seed in (5, 5, 6))
    assert first.probabilities.equals(again.probabilities) and not first.probabilities.equals(other.probabilities)
    assert first.models["borda_points_expected"].equals(other.models["borda_points_expected"])


@given(st.integers(0, 10_000))
def test_expected_points_add_up(seed):
    cube = random_cube(seed)
    n, tasks = cube.default.shape
    expected = compute_rank_probabilities(cube, n_draws=10).models["borda_points_expected"]
    assert expected.sum() == pytest.approx(tasks * n * (n - 1) / 2)


def test_no_default_order_without_default_ranks():
    cube = random_cube(0)
    bare = PromptCube(
        cube.model_names,
        cube.task_names,
        cube.task_types,
        cube.prompt_ids,
        np.full_like(cube.default, NONE),
        cube.scores,
    )
    drawn = compute_rank_probabilities(bare, n_draws=10)
    assert drawn.share_default_order is None and drawn.models["rank_default"].null_count() == 5
