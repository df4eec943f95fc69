import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import studentized_range, ttest_rel

from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.prompt_selection import Choice
from engine.analysis.rank_intervals import (
    LEAST_TASKS,
    compute_prompt_rank_intervals,
    compute_rank_intervals,
    separate,
)
from engine.analysis.ranking import Aggregate, compute_task_points, rank_models
from engine.analysis.resampling import Bootstrap, Over, resample_tasks
from tests.engine.analysis.cubes import NONE, by_model, cube_of, matrix_of, random_cube

MANY = 10_000


@pytest.mark.parametrize(("gap", "sure"), [(0.97, 0), (1.03, 1)])
def test_equal_variances_give_tukeys_studentised_range(gap, sure):
    """Independent normal resamples: the critical difference of k models is q ÷ √2 standard errors of a difference."""
    k, spread = 5, 2.0
    stream = np.random.default_rng(0)
    critical = studentized_range.ppf(0.95, k, np.inf) * spread
    estimate = np.array([0.0, gap * critical, *[gap * critical / 2] * (k - 2)])
    resampled = estimate + spread * stream.normal(size=(40_000, k))
    apart = separate(Bootstrap(estimate, resampled, n_units=MANY)).together
    assert apart[1, 0] == sure == -apart[0, 1]
    assert not apart[2:].any()


@pytest.mark.parametrize(("gap", "sure"), [(0.93, False), (1.07, True)])
def test_critical_difference_of_borda_points_is_nemenyis(gap, sure):
    """Equal models on many tasks: q ÷ √2 · √(k (k + 1) ÷ 6 N) in mean ranks."""
    k, n_tasks = 6, 1_500
    ranks = np.random.default_rng(0).random((k, n_tasks))
    points = resample_tasks(compute_task_points(ranks), None, 4_000, seed=0)
    critical = studentized_range.ppf(0.95, k, np.inf) / 2**0.5 * (k * (k + 1) / (6 * n_tasks)) ** 0.5 * n_tasks
    ahead = np.zeros(k)
    ahead[0] = gap * critical
    moved = Bootstrap(ahead, points.resampled - points.estimate + ahead, n_tasks)
    assert (separate(moved).together[0, 1:] == sure).all()


@pytest.mark.parametrize("effect", [0.4, 0.6, 0.8, 1.0, 1.2])
def test_two_models_are_told_apart_as_by_students_t(effect):
    """At 11 tasks, where the plain bootstrap would be too sure."""
    noise = np.random.default_rng(3).normal(size=(2, 11))
    values = noise - noise.mean(axis=1, keepdims=True)
    difference = values[0] - values[1]
    values[0] += effect * difference.std(ddof=1)
    p_value = ttest_rel(*values).pvalue
    assert not 0.045 < p_value < 0.055, "too near the level for a comparison of two methods"
    apart = separate(resample_tasks(values, None, 4_000, seed=0)).together
    assert (apart[0, 1] == 1) == (p_value < 0.05)


def test_level_holds_when_all_models_are_equal():
    """False separations of any two of six models over 11 tasks; nominal 5 %, of 200 samples 10 ± 3."""
    stream = np.random.default_rng(0)
    wrong = 0
    for sample in range(200):
        values = stream.normal(size=11) + stream.normal(size=(6, 11))
        found = compute_rank_intervals(matrix_of(values), n_resamples=400, seed=sample)
        wrong += bool(found.signs.any())
    assert wrong <= 22


def test_clear_winner_and_two_alike():
    stream = np.random.default_rng(1)
    shared = stream.normal(size=40)
    values = [shared + 3, shared + 0.1 * stream.normal(size=40), shared + 0.1 * stream.normal(size=40)]
    found = compute_rank_intervals(matrix_of(values))
    rows = {row["model_name"]: row for row in found.intervals.iter_rows(named=True)}
    assert (rows["m0"]["rank_low"], rows["m0"]["rank_high"], rows["m0"]["p_best"]) == (1, 1, 1.0)
    assert {(rows[name]["rank_low"], rows[name]["rank_high"]) for name in ("m1", "m2")} == {(2, 3)}
    assert found.intervals["separated_from_next"].to_list() == [True, False, None]
    assert (found.n_inseparable_neighbours, found.n_possibly_first) == (1, 1)
    assert found.groups.select("first_model_name", "n_models").rows() == [
        ("m0", 1),
        (found.intervals["model_name"][1], 2),
    ]


def test_groups_overlap_where_being_alike_is_not_transitive():
    estimate, resampled = np.array([4.0, 2.0, 0.0]), np.random.default_rng(0).normal(size=(5_000, 3))
    found = separate(Bootstrap(estimate, estimate + resampled, MANY)).together
    assert found.tolist() == [[0, 0, 1], [0, 0, 0], [-1, 0, 0]]


def test_incomplete_models_are_set_aside():
    values = np.random.default_rng(0).random((4, 8))
    values[3, 2] = NONE
    partial = np.zeros(values.shape, dtype=bool)
    partial[2, 5] = True
    found = compute_rank_intervals(matrix_of(values, is_partial=partial))
    assert found.n_set_aside == 2 and set(found.intervals["model_name"]) == {"m0", "m1"}
    every = compute_rank_intervals(matrix_of(values, is_partial=partial), only_complete=False)
    assert every.n_set_aside == 0 and len(every.intervals) == 4


def test_task_that_no_model_has_whole_sets_nobody_aside():
    values, partial = np.random.default_rng(0).random((3, 8)), np.zeros((3, 8), dtype=bool)
    partial[:, 0] = True
    found = compute_rank_intervals(matrix_of(values, is_partial=partial))
    assert (found.n_set_aside, found.n_tasks) == (0, 7)


def test_all_models_are_ranked_as_mteb_ranks_them():
    values = np.random.default_rng(4).random((6, 9))
    values[5, 2:] = values[4, 0] = NONE
    partial = np.zeros(values.shape, dtype=bool)
    partial[5] = True
    matrix = matrix_of(values, is_partial=partial)
    found = compute_rank_intervals(matrix, only_complete=False, n_resamples=100)
    assert by_model(found.intervals, "borda_points") == by_model(rank_models(matrix), "borda_points")
    means = compute_rank_intervals(matrix, Aggregate.MEAN_TASK, only_complete=False, n_resamples=100)
    assert means.n_set_aside == 2


def test_task_without_prompt_runs_does_not_hide_what_the_others_tell():
    cube = random_cube(2, n_models=2, n_tasks=6, n_prompts=20, decimals=4)
    scores = cube.scores * 0.01 + np.array([1.0, 0.0])[:, None, None]
    scores[:, 5] = NONE
    found = compute_prompt_rank_intervals(cube_of(cube.default, scores), over=Over.PROMPTS, n_resamples=200)
    assert found.n_tasks == 6 and found.intervals["separated_from_next"][0]


@pytest.mark.parametrize("n_tasks", range(1, LEAST_TASKS))
def test_few_tasks_tell_no_two_models_apart(n_tasks):
    values = np.arange(3.0)[:, None] + np.zeros((3, n_tasks))
    found = compute_rank_intervals(matrix_of(values))
    assert found.intervals.select("rank", "rank_low", "rank_high").rows() == [(1, 1, 3), (2, 1, 3), (3, 1, 3)]


@pytest.mark.parametrize("n_models", [0, 1])
def test_nothing_to_compare(n_models):
    found = compute_rank_intervals(matrix_of(np.full((n_models, 6), 0.5)))
    assert len(found.intervals) == n_models and found.n_inseparable_neighbours == 0
    assert found.intervals["rank_high"].to_list() == [1] * n_models


def test_identical_models_are_never_told_apart():
    values = np.random.default_rng(0).random((2, 20))
    for aggregate in Aggregate:
        found = compute_rank_intervals(matrix_of([values[0], values[0], values[1] - 5]), aggregate, n_resamples=300)
        assert by_model(found.intervals, "rank") == {"m0": 1, "m1": 1, "m2": 3}
        assert by_model(found.intervals, "rank_high")["m0"] == 2
        assert by_model(found.intervals, "p_best") == {"m0": 1, "m1": 1, "m2": 0}


@hypothesis_settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from(list(Aggregate)))
def test_intervals_hold_the_rank_and_the_wide_ones_hold_the_narrow_ones(seed, aggregate):
    stream = np.random.default_rng(seed)
    values = stream.random((6, 9)) + np.linspace(0, 1, 6)[:, None]
    found = compute_rank_intervals(matrix_of(values), aggregate, n_resamples=200, seed=seed)
    for row in found.intervals.iter_rows(named=True):
        bounds = [row[name] for name in ("rank_low", "rank_low_alone", "rank", "rank_high_alone", "rank_high")]
        assert bounds == sorted(bounds)
    assert (found.signs == -found.signs.T).all()


@hypothesis_settings(max_examples=20)
@given(st.integers(0, 10_000), st.permutations(range(5)))
def test_intervals_do_not_depend_on_the_order_of_models(seed, order):
    values = np.random.default_rng(seed).random((5, 8))
    matrix = matrix_of(values)
    names = tuple(matrix.model_names[i] for i in order)
    shuffled = type(matrix)(names, matrix.task_names, matrix.task_types, values[list(order)], matrix.is_partial)
    here, there = (compute_rank_intervals(one, n_resamples=100) for one in (matrix, shuffled))
    assert here.intervals.drop("p_best").equals(there.intervals.drop("p_best"))


@pytest.mark.parametrize("over", list(Over))
def test_prompt_study_is_ranked_by_its_median_prompts(over):
    cube = random_cube(2, n_models=4, n_tasks=6, n_prompts=11, decimals=4)
    found = compute_prompt_rank_intervals(cube, over=over, n_resamples=200)
    expected = compute_rank_intervals(matrix_of(np.median(cube.scores, axis=2)), n_resamples=10)
    assert by_model(found.intervals, "rank") == by_model(expected.intervals, "rank")


def test_single_runs_are_resampled_over_tasks_alone():
    cube = random_cube(2, n_models=4, n_tasks=8, n_prompts=5, decimals=4)
    by_default = compute_prompt_rank_intervals(cube, choice=Choice(), n_resamples=300)
    plain = compute_rank_intervals(matrix_of(cube.default), n_resamples=300)
    assert by_default.intervals.equals(plain.intervals)


def test_prompts_alone_settle_what_tasks_leave_open():
    """One model is ahead on most tasks by far more than prompts move it, and behind on the others."""
    stream = np.random.default_rng(0)
    lead = np.array([1, 1, 1, 1, 1, -1, -1, 1.0])
    scores = np.stack([lead[:, None] + np.zeros((8, 20)), np.zeros((8, 20))]) + 0.01 * stream.random((2, 8, 20))
    cube = cube_of(scores.mean(axis=2), scores)
    by_prompts, by_both = (
        compute_prompt_rank_intervals(cube, Rules(), over=over) for over in (Over.PROMPTS, Over.BOTH)
    )
    assert by_prompts.intervals["separated_from_next"][0] and not by_both.intervals["separated_from_next"][0]


def test_models_without_a_task_are_set_aside_in_a_study():
    cube = random_cube(2, n_models=3, n_tasks=6, n_prompts=5)
    default, scores = cube.default.copy(), cube.scores.copy()
    default[0, 1], scores[0, 1] = NONE, NONE
    assert compute_prompt_rank_intervals(cube_of(default, scores), n_resamples=50).n_set_aside == 1
