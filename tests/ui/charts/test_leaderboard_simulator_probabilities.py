"""The heat map of ranks: figures, frames, what is left empty, what is cut."""

import polars as pl
import pytest

from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.rank_probabilities import compute_rank_probabilities
from engine.analysis.ranking import Aggregate
from tests.ui.charts.test_leaderboard_simulator import HOSTILE, cube_of
from ui.charts.leaderboard_simulator_probabilities import MOST_ROWS, rank_heat
from ui.charts.theme import LIGHT


def drawn(probabilities: list[tuple[str, int, float]], defaults: dict[str, int]):
    models = pl.DataFrame(
        {"model_name": list(defaults), "rank_default": list(defaults.values()),
         "borda_points_expected": [1.0] * len(defaults)}
    )  # fmt: skip
    cells = pl.DataFrame(probabilities, schema=["model_name", "rank", "probability"], orient="row")
    return rank_heat(models, cells, Aggregate.BORDA, "a", LIGHT).to_dict()


def test_figures_leave_never_empty_and_name_what_is_rarer_than_a_tenth_of_a_per_cent():
    figure = drawn([("a", 1, 0.9996), ("a", 2, 0.0004), ("b", 1, 0.0), ("b", 2, 1.0)], {"a": 1, "b": 2})
    figures = [text for trace in figure["data"] if trace["type"] == "scatter" for text in trace["text"]]
    assert sorted(figures) == ["100.0", "100.0", "<0.1"]


def test_the_default_rank_is_framed():
    shapes = drawn([("a", 1, 0.5), ("a", 2, 0.5), ("b", 1, 0.5), ("b", 2, 0.5)], {"a": 2, "b": 1})["layout"]["shapes"]
    assert [(round((shape["x0"] + shape["x1"]) / 2), round((shape["y0"] + shape["y1"]) / 2)) for shape in shapes] == [
        (1, 0),
        (0, 1),
    ]


@pytest.mark.parametrize("aggregate", list(Aggregate))
def test_real_draws_fill_one_cell_per_model_and_rank(aggregate):
    result = compute_rank_probabilities(cube_of(), Rules(aggregate=aggregate), n_draws=200)
    figure = rank_heat(result.models, result.probabilities, aggregate, HOSTILE, LIGHT).to_dict()
    heat = figure["data"][0]
    for model, line in zip(result.models["model_name"], heat["z"], strict=True):
        own = result.probabilities.filter(pl.col("model_name") == model).sort("rank")["probability"].to_list()
        assert list(line) == own[: len(line)] and sum(own[len(line) :]) == 0


def test_many_models_are_cut_and_their_figures_give_way_to_colour():
    result = compute_rank_probabilities(cube_of(n_models=60), n_draws=50)
    figure = rank_heat(result.models, result.probabilities, Aggregate.BORDA, "", LIGHT).to_dict()
    assert len(figure["data"]) == 1
    assert len(figure["data"][0]["z"]) == MOST_ROWS
