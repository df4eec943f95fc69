"""Pictures of what prompts can do: switches, prompts enough, freedom on the real board."""

import numpy as np
import polars as pl
import pytest

from engine.analysis.fewest_switches import find_fewest_switches
from engine.analysis.prompt_freedom import Setting, compute_prompt_freedom
from engine.analysis.ranking import ScoreMatrix
from engine.analysis.robust_leaderboard import count_prompts_needed
from tests.ui.charts.test_leaderboard_simulator import HOSTILE, cube_of
from ui.charts.leaderboard_simulator_freedom import freedom_bars
from ui.charts.leaderboard_simulator_numbers import agreement_curves, median_errors
from ui.charts.leaderboard_simulator_switches import NOTHING, switch_grid
from ui.charts.theme import DARK, LIGHT


def targets_of(rows: list[dict]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"rank_default": 2, "rank_attainable": 1, "ranks_gained": 1, "fewest_switches": 1, "at_least": 1,
             "is_exact": True, "n_sets": 1, "n_helping_tasks": 2, **row}
            for row in rows
        ]
    )  # fmt: skip


def switches_of(rows: list[tuple[str, int, str]]) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["model_name", "set_number", "task_name"], orient="row")
    return frame.with_columns(change=pl.lit(0.05))


def test_a_task_of_every_set_is_filled_and_one_of_some_is_a_ring():
    switches = switches_of([("a", 1, "Always"), ("a", 1, "Once"), ("a", 2, "Always"), ("a", 2, "Twice")])
    filled, rings = switch_grid(targets_of([{"model_name": "a"}]), switches, "a", LIGHT).to_dict()["data"]
    tasks = ["Always", "Once", "Twice"]
    assert [tasks[x] for x in filled["x"]] == ["Always"]
    assert [tasks[x] for x in rings["x"]] == ["Once", "Twice"]
    assert list(filled["customdata"]) == ["a"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({}, {"2nd → <b>1st</b>", "<b>1</b>"}),
        ({"ranks_gained": 0}, {NOTHING}),
        ({"is_exact": False, "fewest_switches": 9, "at_least": 4}, {"2nd → <b>1st</b>", "<b>4–9</b>"}),
    ],
)
def test_outcome_gives_ranks_and_the_number_of_tasks_or_its_bounds(row, words):
    figure = switch_grid(targets_of([{"model_name": "a", **row}]), switches_of([("a", 1, "T")]), "a", LIGHT).to_dict()
    assert words <= {note["text"] for note in figure["layout"]["annotations"]}


def test_grid_bears_models_without_a_rank_and_nothing_to_switch():
    found = find_fewest_switches(cube_of())
    unranked = pl.DataFrame([{"model_name": "z"}], schema=found.targets.schema)
    assert switch_grid(pl.concat([found.targets, unranked]), found.switches.clear(), HOSTILE, LIGHT)


def test_curves_mark_the_chosen_number_and_write_its_shares():
    numbers = count_prompts_needed(cube_of(), numbers=(1, 2, 4), n_draws=50).numbers
    figure = agreement_curves(numbers, 2, DARK).to_dict()
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [2]
    assert len(figure["layout"]["annotations"]) == 2
    first, order = figure["data"]
    assert list(first["y"]) == [share * 100 for share in numbers["share_first"]]
    assert list(order["customdata"]) == [1, 2, 4]


def test_curves_without_the_chosen_number_mark_nothing():
    numbers = count_prompts_needed(cube_of(), numbers=(1, 2), n_draws=50).numbers
    assert not agreement_curves(numbers, 7, LIGHT).layout.shapes


def test_errors_are_shaded_to_their_95th_percentile():
    numbers = count_prompts_needed(cube_of(), numbers=(1, 2, 4), n_draws=50).numbers
    _, shade, mean = median_errors(numbers, 2, LIGHT).to_dict()["data"]
    assert list(shade["y"]) == [error * 100 for error in numbers["median_error_high"]]
    assert list(mean["y"]) == [error * 100 for error in numbers["median_error"]]


def test_freedom_reaches_from_the_best_to_the_worst_prompts():
    names = tuple(f"org/model-{i}" for i in range(9))
    values = np.linspace(0.9, 0.1, 9)[:, None]
    board = ScoreMatrix(names, ("Task",), ("STS",), values, np.zeros(values.shape, dtype=bool))
    replaced = pl.DataFrame({"task_name": ["Task"] * 3, "prompt_id": list("abc"), "score": [0.15, 0.55, 0.85]})
    freedom = compute_prompt_freedom(board, "org/model-4", replaced, n_draws=30)
    ranks = dict(freedom.ranks.select("setting", "rank").iter_rows())
    figure = freedom_bars(freedom, LIGHT.models[0], LIGHT).to_dict()
    band = figure["layout"]["shapes"][0]
    assert (band["x0"] + 0.5, band["x1"] - 0.5) == (ranks[Setting.BEST], ranks[Setting.WORST])
    assert list(figure["data"][0]["x"]) == freedom.draws["rank"].to_list()
    assert list(figure["data"][1]["x"]) == [ranks[Setting.PUBLISHED]]
