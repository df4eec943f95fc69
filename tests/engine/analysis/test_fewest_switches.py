import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import fewest_switches
from engine.analysis.fewest_switches import find_fewest_switches
from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.ranking import Aggregate, Missing, compute_aggregate
from tests.engine.analysis.cubes import NONE, cube_of, random_cube

settings = st.builds(
    Rules,
    aggregate=st.sampled_from([Aggregate.BORDA, Aggregate.MEAN_TASK]),
    missing=st.sampled_from([Missing.ZERO, Missing.PRESENT]),
)


def rank_of(cube, rules, model, values):
    totals = compute_aggregate(values, cube.task_types, rules.aggregate, rules.missing)
    return 1 + int((totals > totals[model] + 1e-12).sum())


def smallest_sets(cube, rules, model):
    """Best attainable rank and the smallest sets for it, by trying every subset of tasks."""
    best = np.fmax(cube.default, cube.scores.max(axis=2))
    sets = {}
    for size in range(len(cube.task_names) + 1):
        for tasks in itertools.combinations(range(len(cube.task_names)), size):
            values = cube.default.copy()
            values[model, list(tasks)] = best[model, list(tasks)]
            sets.setdefault(rank_of(cube, rules, model, values), []).append(tasks)
    found = sets[min(sets)]
    return min(sets), [tasks for tasks in found if len(tasks) == len(found[0])]


def listed_sets(found, name):
    rows = found.switches.filter(model_name=name)
    return sorted(tuple(rows.filter(set_number=number)["task_name"]) for number in rows["set_number"].unique())


@given(st.integers(0, 10_000), settings)
def test_every_smallest_set_is_found(seed, rules):
    cube = random_cube(seed, n_models=4, n_tasks=5, n_prompts=2)
    found = find_fewest_switches(cube, rules)
    for model, name in enumerate(cube.model_names):
        rank, sets = smallest_sets(cube, rules, model)
        row = found.targets.filter(model_name=name).row(0, named=True)
        assert (row["rank_attainable"], row["fewest_switches"], row["n_sets"]) == (rank, len(sets[0]), len(sets))
        assert row["is_exact"] and row["at_least"] == row["fewest_switches"]
        assert row["ranks_gained"] == row["rank_default"] - rank
        named = sorted(tuple(f"t{task}" for task in tasks) for tasks in sets) if sets[0] else []
        if len(sets) <= fewest_switches.MOST_SETS:
            assert listed_sets(found, name) == named


@given(st.integers(0, 10_000))
def test_bound_holds_where_not_every_subset_is_tried(seed):
    cube = random_cube(seed, n_models=5, n_tasks=6, n_prompts=2)
    exact = find_fewest_switches(cube).targets
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fewest_switches, "MOST_TASKS", 2)
        bounded = find_fewest_switches(cube)
    for row, whole in zip(bounded.targets.iter_rows(named=True), exact.iter_rows(named=True), strict=True):
        assert row["rank_attainable"] == whole["rank_attainable"]
        assert row["at_least"] <= whole["fewest_switches"] <= row["fewest_switches"]
        if row["is_exact"]:
            assert row["fewest_switches"] == whole["fewest_switches"]
        listed = listed_sets(bounded, row["model_name"])
        assert len(listed) == (1 if row["fewest_switches"] else 0) or row["n_sets"] is not None


def test_greedy_set_reaches_the_rank():
    cube = random_cube(11, n_models=8, n_tasks=24, n_prompts=3, decimals=3)
    found = find_fewest_switches(cube)
    best = np.fmax(cube.default, cube.scores.max(axis=2))
    beyond = found.targets.filter(pl.col("n_sets").is_null())
    assert len(beyond)
    for row in beyond.iter_rows(named=True):
        model = cube.model_names.index(row["model_name"])
        tasks = [int(name[1:]) for name in found.switches.filter(model_name=row["model_name"])["task_name"]]
        values = cube.default.copy()
        values[model, tasks] = best[model, tasks]
        assert rank_of(cube, Rules(), model, values) == row["rank_attainable"]
        assert row["at_least"] <= len(tasks) == row["fewest_switches"]


def test_switch_names_the_prompt_and_what_it_changes():
    cube = cube_of([[0.4, 0.4], [0.5, 0.5]], [[[0.45, 0.6], [0.3, 0.2]], [[0.9, 0.9], [0.9, 0.9]]])
    found = find_fewest_switches(cube)
    (switch,) = found.switches.filter(model_name="m0").to_dicts()
    assert (switch["task_name"], switch["prompt_id"], switch["score"]) == ("t0", "t0-p1", 0.6)
    assert switch["change"] == pytest.approx(0.2)
    # One task won and one lost: a draw, and both are first.
    assert found.targets.filter(model_name="m0")["rank_attainable"].item() == 1


def test_model_without_a_rank_has_none():
    cube = cube_of([[0.4, NONE], [0.5, 0.5]], [[[0.6], [0.9]], [[0.1], [0.1]]])
    found = find_fewest_switches(cube, Rules(aggregate=Aggregate.MEAN_TASK)).targets
    assert found.filter(model_name="m0")["fewest_switches"].item() is None
    assert found.filter(model_name="m1")["rank_attainable"].item() == 1
