import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.prompt_freedom import Setting, compute_prompt_freedom
from engine.analysis.ranking import Aggregate, Missing, rank_models
from tests.engine.analysis.cubes import NONE, by_model, matrix_of, random_cube

BOARD = matrix_of([[0.5, 0.5], [0.6, 0.4], [0.4, 0.6], [0.9, 0.9]])


def replaced_by(*scores):
    rows = [(task, f"p{i}", score) for task, of_task in scores for i, score in enumerate(of_task)]
    return pl.DataFrame(rows, schema=["task_name", "prompt_id", "score"], orient="row")


def ranks_of(found):
    return dict(found.ranks.select("setting", "rank").iter_rows())


def test_range_from_worst_to_best_prompts():
    found = compute_prompt_freedom(BOARD, "m0", replaced_by(("t0", [0.1, 0.45, 0.95])), n_draws=600)
    assert ranks_of(found) == {"published": 2, "worst prompts": 4, "median prompts": 2, "best prompts": 2}
    assert dict(found.ranks.select("setting", "borda_points").iter_rows())["best prompts"] == 3 + 1
    shares = dict(found.draws.iter_rows())
    assert shares[4] == pytest.approx(1 / 3, abs=0.08) and sum(shares.values()) == 1
    assert found.tasks.rows() == [("t0", 3, 0.5, 0.1, 0.45, 0.95)]


@given(st.integers(0, 10_000), st.sampled_from([Missing.ZERO, Missing.PRESENT]), st.sampled_from(list(Aggregate)))
def test_ranks_are_those_of_the_board_with_the_rows_replaced(seed, missing, aggregate):
    cube = random_cube(seed, n_models=5, n_tasks=4, n_prompts=3)
    replaced = replaced_by(*((f"t{task}", cube.scores[1, task]) for task in (0, 2)))
    found = compute_prompt_freedom(matrix_of(cube.default), "m1", replaced, aggregate, missing, n_draws=5, seed=seed)
    settings = {
        Setting.PUBLISHED: cube.default[1],
        Setting.WORST: cube.scores[1].min(axis=1),
        Setting.MEDIAN: np.median(cube.scores[1], axis=1),
        Setting.BEST: cube.scores[1].max(axis=1),
    }
    for setting, scores in settings.items():
        values = cube.default.copy()
        values[1, [0, 2]] = scores[[0, 2]]
        expected = rank_models(matrix_of(values), aggregate, missing)
        assert ranks_of(found)[setting.value] == by_model(expected, "rank")["m1"]
    drawn = found.draws["rank"].to_list()
    assert all(ranks_of(found)["best prompts"] <= rank <= ranks_of(found)["worst prompts"] for rank in drawn)


def test_published_rank_is_mtebs_with_its_count_of_models():
    partial = [[False, False], [True, True], [False, False], [False, False]]
    board = matrix_of(BOARD.values, is_partial=partial)
    found = compute_prompt_freedom(board, "m0", replaced_by(("t0", [0.1])), n_draws=2)
    own = rank_models(board).filter(model_name="m0").row(0, named=True)
    published = found.ranks.filter(setting="published").row(0, named=True)
    assert (published["rank"], published["borda_points"]) == (own["rank_borda"], own["borda_points"])


@pytest.mark.parametrize("name", ["m2", "nobody"])
def test_model_that_the_ranking_leaves_out_has_no_rank(name):
    values = BOARD.values.copy()
    values[2, 1] = NONE
    found = compute_prompt_freedom(matrix_of(values), name, replaced_by(("t0", [0.1])), missing=Missing.COMPLETE)
    assert set(ranks_of(found).values()) == {None} and found.draws.is_empty()


def test_tasks_that_are_not_on_the_board_and_null_scores_do_not_count():
    found = compute_prompt_freedom(BOARD, "m0", replaced_by(("t9", [0.1]), ("t0", [None, 0.7])), n_draws=3)
    assert found.tasks.select("task_name", "n").rows() == [("t0", 1)]


def test_nothing_to_replace_leaves_the_published_rank():
    found = compute_prompt_freedom(BOARD, "m0", replaced_by(("t9", [0.1])), n_draws=3)
    assert set(ranks_of(found).values()) == {2} and found.tasks.is_empty()
