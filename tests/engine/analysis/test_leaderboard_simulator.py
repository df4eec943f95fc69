import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.leaderboard_simulator import (
    OF_TARGET,
    Cause,
    Rules,
    Scenario,
    Step,
    rank_targets,
    simulate_scenario,
)
from engine.analysis.prompt_selection import Candidates, Choice, Pool, PromptCube, SelectionRule
from engine.analysis.ranking import Aggregate, Missing, compute_aggregate
from engine.errors import UsageError
from tests.engine.analysis.cubes import NONE, by_model, cube_of, random_cube

# Two tasks: m0 is last by default, m1's worst prompts are below it, and m0's own best is below its default.
HANDICAP = cube_of(
    default=[[0.5, 0.5], [0.6, 0.6], [0.4, 0.7]],
    scores=[[[0.3, 0.45], [0.2, 0.45]], [[0.1, 0.9], [0.1, 0.9]], [[0.1, 0.2], [0.6, 0.8]]],
)
SETTINGS = st.builds(
    Rules,
    st.builds(Pool, st.sampled_from(list(Candidates)), st.booleans()),
    st.sampled_from(list(Aggregate)),
    st.sampled_from(list(Missing)),
)
cubes = st.integers(0, 10_000).map(lambda seed: random_cube(seed, missing=0.2))


def standing(leaderboard, step):
    rows = leaderboard.movement.filter(pl.col("step") == step.value)
    return by_model(rows, "rank"), by_model(rows, leaderboard.rules.aggregate.column)


def test_movement_is_split_into_rivals_handicap_and_own_choice():
    found = simulate_scenario(HANDICAP, "m0", Scenario.BEST_VS_WORST)
    # 0.5, 0.5 against 0.1, 0.1 and 0.1, 0.6; then 0.45, 0.45.
    assert standing(found, Step.START) == ({"m0": 3, "m1": 1, "m2": 2}, {"m0": 1, "m1": 3, "m2": 2})
    assert standing(found, Step.RIVALS) == ({"m0": 1, "m1": 3, "m2": 2}, {"m0": 3, "m1": 0.5, "m2": 2.5})
    assert standing(found, Step.END) == ({"m0": 1, "m1": 3, "m2": 2}, {"m0": 3, "m1": 0.5, "m2": 2.5})
    assert found.causes.rows() == [
        (Cause.RIVALS.value, 2, 2.0),
        (Cause.OWN.value, 0, 0.0),
        (Cause.BOTH.value, 2, 2.0),
    ]


def test_own_choice_that_costs_points_is_told_as_a_loss():
    found = simulate_scenario(HANDICAP, "m0", Scenario.BEST_VS_DEFAULT)
    assert found.causes["gained"].to_list() == [0, 0, 0]
    with_default = simulate_scenario(HANDICAP, "m1", Scenario.BEST_VS_DEFAULT)
    assert with_default.causes.filter(cause=Cause.OWN.value)["gained"].item() == 1.0


def test_leaderboard_names_the_chosen_prompts():
    chosen = simulate_scenario(HANDICAP, "m0", Scenario.BEST_VS_WORST).chosen
    own = chosen.filter(model_name="m0").to_dicts()
    assert [row["prompt_id"] for row in own] == ["t0-p1", "t1-p1"]
    assert [row["change"] for row in own] == pytest.approx([-0.05, -0.05])
    assert chosen.filter(model_name="m1")["selection_rule"].to_list() == ["worst", "worst"]


def test_default_as_candidate_shows_that_no_prompt_is_taken():
    rules = Rules(Pool(Candidates.PROMPTS_AND_DEFAULT))
    own = simulate_scenario(HANDICAP, "m0", Scenario.BEST_VS_WORST, rules).chosen.filter(model_name="m0")
    assert own["takes_default"].to_list() == [True, True] and own["prompt_id"].to_list() == [None, None]
    assert own["change"].to_list() == [0, 0]


def test_custom_choice_is_one_for_each_model():
    choices = {"m0": Choice(SelectionRule.NAMED, prompt_ids=("t1-p0",)), "m1": Choice(SelectionRule.MEDIAN)}
    chosen = simulate_scenario(HANDICAP, "m0", Scenario.CUSTOM, choices=choices).chosen
    assert by_model(chosen.filter(task_name="t0"), "score") == {"m0": 0.5, "m1": 0.5, "m2": 0.4}
    assert by_model(chosen.filter(task_name="t1"), "score") == {"m0": 0.2, "m1": 0.5, "m2": 0.7}
    assert by_model(chosen.filter(task_name="t1"), "prompt_id") == {"m0": "t1-p0", "m1": None, "m2": None}


def test_stand_ins_are_counted():
    cube = cube_of([[0.5], [0.6]], [[[NONE]], [[0.1]]])
    assert simulate_scenario(cube, "m0", Scenario.BEST_VS_WORST).n_stand_ins == 1


def test_unknown_target_is_refused():
    with pytest.raises(UsageError, match="nobody.*m0, m1, m2"):
        simulate_scenario(HANDICAP, "nobody", Scenario.DEFAULT)


def test_single_model_stays_first():
    found = simulate_scenario(cube_of([[0.5]], [[[0.1, 0.2]]]), "m0", Scenario.BEST_VS_WORST)
    assert found.ranks["rank"].to_list() == [1] and found.causes["ranks_gained"].to_list() == [0, 0, 0]


def test_models_that_share_a_rank_are_counted():
    cube = cube_of([[0.5], [0.5], [0.1]], [[[0.2]], [[0.2]], [[0.2]]])
    ranks = simulate_scenario(cube, "m0", Scenario.DEFAULT).ranks
    assert by_model(ranks, "models_sharing_rank") == {"m0": 2, "m1": 2, "m2": 1}
    assert by_model(rank_targets(cube).filter(scenario="default").rename({"target_model_name": "model_name"}),
                    "models_sharing_rank") == {"m0": 2, "m1": 2, "m2": 1}  # fmt: skip


@given(cubes, SETTINGS, st.integers(0, 4))
def test_every_target_is_ranked_as_its_own_scenario_ranks_it(cube, rules, target):
    name = cube.model_names[target]
    panel = rank_targets(cube, rules).filter(target_model_name=name)
    for scenario in OF_TARGET:
        row = panel.filter(scenario=scenario.value).row(0, named=True)
        own = simulate_scenario(cube, name, scenario, rules).ranks.filter(model_name=name).row(0, named=True)
        for column in ("rank", "models_sharing_rank", "rank_default", "ranks_gained"):
            assert row[column] == own[column]


@given(cubes, SETTINGS, st.sampled_from(list(OF_TARGET)))
def test_causes_add_up(cube, rules, scenario):
    rivals, own, both = simulate_scenario(cube, "m0", scenario, rules).causes.iter_rows()
    if both[1] is not None:
        assert rivals[1] + own[1] == both[1] and rivals[2] + own[2] == pytest.approx(both[2])


@given(cubes, st.sampled_from(list(Missing)), st.sampled_from(list(Aggregate)), st.data())
def test_best_prompts_bring_the_target_at_least_what_any_other_prompts_bring(cube, missing, aggregate, data):
    rules = Rules(aggregate=aggregate, missing=missing)
    found = simulate_scenario(cube, "m0", Scenario.BEST_VS_DEFAULT, rules)
    best = by_model(found.ranks, aggregate.column)["m0"]
    other = cube.default.copy()
    for task in range(len(cube.task_names)):
        ran = cube.scores[0, task][~np.isnan(cube.scores[0, task])]
        if len(ran):
            other[0, task] = data.draw(st.sampled_from(sorted(ran)))
    assert compute_aggregate(other, cube.task_types, aggregate, missing)[0] <= best + 1e-12


@given(cubes, st.randoms(use_true_random=False))
def test_ranks_do_not_depend_on_the_order_of_models(cube, shuffler):
    order = list(range(len(cube.model_names)))
    shuffler.shuffle(order)
    names = tuple(cube.model_names[i] for i in order)
    shuffled = PromptCube(
        names, cube.task_names, cube.task_types, cube.prompt_ids, cube.default[order], cube.scores[order]
    )
    here, there = (simulate_scenario(one, "m0", Scenario.BEST_VS_WORST).ranks for one in (cube, shuffled))
    assert here.equals(there)


@given(cubes)
def test_increasing_transform_of_all_scores_changes_no_borda_rank(cube):
    curved = PromptCube(
        cube.model_names, cube.task_names, cube.task_types, cube.prompt_ids, np.exp(cube.default), np.exp(cube.scores)
    )
    here, there = (rank_targets(one) for one in (cube, curved))
    assert here.equals(there)
