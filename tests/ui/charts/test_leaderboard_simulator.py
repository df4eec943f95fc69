"""The movement of a leaderboard: which columns are drawn, what is written at them, where labels stand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.graph_objects import Figure

from engine.analysis.leaderboard_simulator import Rules, Scenario, rank_targets, simulate_scenario
from engine.analysis.prompt_selection import PromptCube
from engine.analysis.ranking import Aggregate
from ui.charts.label_places import pushed_apart
from ui.charts.leaderboard_simulator import movement_of, ranks_words, signed_worth, slopes
from ui.charts.leaderboard_simulator_rows import MOST_ROWS, board_rows, shown_rows
from ui.charts.leaderboard_simulator_targets import STEPS, target_ladders
from ui.charts.theme import DARK, LIGHT

HOSTILE = "evil/<b>x<br>%{y}"


def cube_of(n_models: int = 3, n_tasks: int = 4, n_prompts: int = 5, seed: int = 0) -> PromptCube:
    """Random scores; the first model is strongest by default, the last swings most over prompts."""
    rng = np.random.default_rng(seed)
    names = (*(f"org/model-{i:02}" for i in range(n_models - 1)), HOSTILE)
    strength = np.linspace(0.8, 0.4, n_models)[:, None, None]
    scores = strength + rng.normal(
        scale=np.linspace(0.02, 0.3, n_models)[:, None, None], size=(n_models, n_tasks, n_prompts)
    )
    tasks = tuple(f"Task{i}" for i in range(n_tasks))
    prompts = tuple(tuple(f"p{task}-{i}" for i in range(n_prompts)) for task in range(n_tasks))
    return PromptCube(names, tasks, ("STS",) * n_tasks, prompts, scores.mean(axis=-1), scores)


def texts(figure: Figure) -> list[str]:
    return [note["text"] for note in figure.to_dict()["layout"]["annotations"]]


@pytest.mark.parametrize(
    ("scenario", "columns", "moves"),
    [
        (Scenario.DEFAULT, 1, []),
        (Scenario.DEFAULT_VS_WORST, 2, ["rivals' handicap"]),
        (Scenario.BEST_VS_DEFAULT, 2, ["own choice"]),
        (Scenario.BEST_VS_WORST, 3, ["rivals' handicap", "own choice"]),
        (Scenario.CUSTOM, 3, ["rivals' handicap", "own choice"]),
    ],
)
def test_movement_has_the_boards_and_causes_that_its_scenario_tells_apart(scenario, columns, moves):
    movement = movement_of(simulate_scenario(cube_of(), "org/model-00", scenario))
    assert len(movement.boards) == columns
    assert [move.title for move in movement.moves] == moves


def test_slopes_stand_at_the_points_and_draw_the_target_last():
    result = simulate_scenario(cube_of(), HOSTILE, Scenario.BEST_VS_WORST)
    rivals, own = slopes(movement_of(result), LIGHT.models[0], LIGHT).to_dict()["data"]
    points = result.movement.filter(result.movement["model_name"] == HOSTILE)["borda_points"].to_list()
    assert list(own["y"]) == points
    assert own["line"]["width"] == 4 > rivals["line"]["width"]
    assert set(own["customdata"]) == {HOSTILE}
    assert {name for name in rivals["customdata"] if name} == {"org/model-00", "org/model-01"}


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("aggregate", list(Aggregate))
def test_slopes_say_rank_worth_and_cause_and_obey_no_markup_of_a_name(palette, aggregate):
    result = simulate_scenario(cube_of(), HOSTILE, Scenario.BEST_VS_WORST, Rules(aggregate=aggregate))
    written = texts(slopes(movement_of(result), palette.models[0], palette))
    assert sum("Rivals' handicap" in text for text in written) == 1
    assert sum("Own choice" in text for text in written) == 1
    assert len(written) == 3 * 3 + 3 + 2
    assert not any("<b>x" in text or "%{" in text for text in written)


def test_models_without_a_rank_are_not_in_the_picture():
    cube = cube_of()
    cube.default[1, 0] = np.nan
    cube.scores[1, 0] = np.nan
    result = simulate_scenario(cube, "org/model-00", Scenario.BEST_VS_WORST, Rules(aggregate=Aggregate.MEAN_TASK))
    movement = movement_of(result)
    assert "org/model-01" not in movement.boards[0].points
    assert slopes(movement, LIGHT.models[0], LIGHT)


def test_rows_stand_in_for_slopes_and_keep_the_target_in_sight():
    movement = movement_of(simulate_scenario(cube_of(n_models=90), "org/model-60", Scenario.BEST_VS_DEFAULT))
    shown = shown_rows(movement)
    assert len(shown) == MOST_ROWS and "org/model-60" in shown
    stems, rings, dots = board_rows(movement, shown, {"org/model-60": LIGHT.models[0]}, LIGHT).to_dict()["data"]
    assert list(dots["customdata"]) == shown
    at = shown.index("org/model-60")
    assert stems["base"][at] == rings["x"][at] == movement.boards[0].points["org/model-60"]
    assert stems["base"][at] + stems["x"][at] == pytest.approx(dots["x"][at])


def test_rows_of_a_single_board_have_no_ring():
    movement = movement_of(simulate_scenario(cube_of(), "org/model-00", Scenario.DEFAULT))
    assert len(board_rows(movement, shown_rows(movement), {}, LIGHT).data) == 1


def test_ladders_show_each_target_under_each_scenario():
    cube = cube_of()
    targets = rank_targets(cube)
    colours = dict.fromkeys(cube.model_names, LIGHT.models[0])
    ladders = target_ladders(targets, colours, "org/model-00", LIGHT).to_dict()["data"]
    assert len(ladders) == len(cube.model_names)
    for ladder in ladders:
        own = targets.filter(targets["target_model_name"] == ladder["name"])
        expected = dict(zip(own["scenario"], own["rank"], strict=True))
        assert list(ladder["y"]) == [expected[scenario.value] for scenario in STEPS.values()]
        assert set(ladder["customdata"]) == {ladder["name"]}


@pytest.mark.parametrize(("gained", "words"), [(5, "+5 ranks"), (-1, "−1 rank"), (0, "same rank")])
def test_ranks_gained_are_worded(gained, words):
    assert ranks_words(gained) == words


@pytest.mark.parametrize(
    ("value", "aggregate", "words"),
    [
        (-1.0, Aggregate.BORDA, "−1"),
        (0.5, Aggregate.BORDA, "+0.5"),
        (0.0, Aggregate.BORDA, "0"),
        (-0.0004, Aggregate.MEAN_TASK, "0.0"),
        (0.0123, Aggregate.MEAN_TASK, "+1.2"),
    ],
)
def test_a_change_has_a_true_minus_and_nothing_has_no_sign(value, aggregate, words):
    assert signed_worth(value, aggregate) == words


@given(st.lists(st.floats(0, 100), max_size=30), st.floats(0.1, 10))
def test_labels_keep_their_order_and_their_distance(values, gap):
    places = pushed_apart(values, gap)
    in_order = [place for _, place in sorted(zip(values, places, strict=True))]
    assert all(after - before >= gap - 1e-6 for before, after in zip(in_order, in_order[1:], strict=False))


def test_labels_that_do_not_touch_stay_at_their_values():
    assert pushed_apart([30.0, 0.0, 10.0], 5.0) == [30.0, 0.0, 10.0]


def test_labels_that_touch_spread_around_their_mean():
    assert pushed_apart([10.0, 10.0, 40.0], 4.0) == pytest.approx([8.0, 12.0, 40.0])
