"""What a scenario's sentence says: where the target goes, and whose doing it is."""

import numpy as np
import pytest

from engine.analysis.leaderboard_findings import find_movement, ordinal, worth_words
from engine.analysis.leaderboard_simulator import Rules, Scenario, simulate_scenario
from engine.analysis.prompt_selection import PromptCube
from engine.analysis.ranking import Aggregate, Missing
from engine.analysis.sentences import plain

TARGET = "org/target"


def board(
    own: list[float], rivals: dict[str, list[float]], own_default: float, defaults: dict[str, float]
) -> PromptCube:
    """One task; each model's scores over its prompts, and its default."""
    names = (TARGET, *rivals)
    scores = np.array([own, *rivals.values()])[:, None, :]
    default = np.array([own_default, *defaults.values()])[:, None]
    prompts = (tuple(f"p{i}" for i in range(scores.shape[-1])),)
    return PromptCube(names, ("Task",), ("STS",), prompts, default, scores)


def sentence(cube: PromptCube, scenario: Scenario, rules: Rules | None = None) -> str:
    return plain(find_movement(simulate_scenario(cube, TARGET, scenario, rules)))


HANDICAPPED = board([0.5, 0.4], {"org/rival": [0.9, 0.1]}, 0.6, {"org/rival": 0.8})
"""The rival's worst prompt lets the target pass with its default; its own best prompt is below its default."""

CHOOSER = board([0.9, 0.1], {"org/rival": [0.75, 0.7]}, 0.6, {"org/rival": 0.8})
"""The rival holds still; the target's best prompt passes it."""

BOTH = board(
    [0.9, 0.1],
    {"org/weak": [0.65, 0.2], "org/strong": [0.85, 0.8]},
    0.5,
    {"org/weak": 0.6, "org/strong": 0.8},
)


def test_a_rise_that_is_the_rivals_doing_says_that_the_own_prompts_did_nothing():
    said = sentence(HANDICAPPED, Scenario.BEST_VS_WORST)
    assert said.startswith(
        "target goes from 2nd to 1st of 2 when the others get their worst prompts and it picks its best."
    )
    assert said.endswith("Its own prompts did nothing for it: with its default it is 1st too, with 1 point either way.")


def test_a_rise_by_own_choice_says_so():
    said = sentence(CHOOSER, Scenario.BEST_VS_WORST)
    assert "All of it is its own choice: the rivals’ handicap alone moves nothing." in said


def test_a_rise_by_both_gives_each_its_part():
    said = sentence(BOTH, Scenario.BEST_VS_WORST)
    assert "The rivals’ handicap takes it to 2nd (+1 point), its own choice to 1st (+1 point)." in said


def test_a_target_that_keeps_its_default_did_nothing_itself():
    said = sentence(HANDICAPPED, Scenario.DEFAULT_VS_WORST)
    assert said.endswith("It changed nothing itself: all of this is the rivals’ handicap (+1 point).")


def test_best_prompts_that_are_worse_than_the_default_are_called_less():
    cube = board([0.5, 0.4], {"org/rival": [0.55, 0.1]}, 0.6, {"org/rival": 0.55})
    said = sentence(cube, Scenario.BEST_VS_DEFAULT)
    assert said.startswith("target goes from 1st to 2nd of 2 when it alone picks its best prompts.")
    assert said.endswith("Its best prompts bring 0 points, less than its default (1).")


def test_nothing_moved_says_that_neither_moves_it():
    cube = board([0.9, 0.9], {"org/rival": [0.5, 0.5]}, 0.9, {"org/rival": 0.5})
    said = sentence(cube, Scenario.BEST_VS_WORST)
    assert said.endswith("Neither the rivals’ handicap (±0 points) nor its own choice (±0 points) moves it.")


def test_default_board_names_the_nearest_model_and_its_distance():
    assert sentence(HANDICAPPED, Scenario.DEFAULT) == (
        "target is 2nd of 2 with every model at its default prompt, with 0 points, 1 point behind rival."
    )


def test_means_are_given_in_points_of_the_score():
    said = sentence(HANDICAPPED, Scenario.BEST_VS_WORST, Rules(aggregate=Aggregate.MEAN_TASK))
    assert said.endswith("with its default it is 1st too, with a mean of 60.0 against 50.0.")


def test_a_target_without_a_rank_is_said_to_lack_a_task():
    cube = PromptCube(
        HANDICAPPED.model_names,
        ("Task", "Other"),
        ("STS", "STS"),
        (("p0", "p1"), ()),
        np.array([[0.6, np.nan], [0.8, 0.5]]),
        np.concatenate([HANDICAPPED.scores, np.full((2, 1, 2), np.nan)], axis=1),
    )
    said = sentence(cube, Scenario.BEST_VS_WORST, Rules(missing=Missing.COMPLETE))
    assert said == "target is not ranked: it lacks a task that this ranking asks for."


@pytest.mark.parametrize(("rank", "word"), [(1, "1st"), (2, "2nd"), (11, "11th"), (21, "21st"), (113, "113th")])
def test_ranks_are_ordinals(rank, word):
    assert ordinal(rank) == word


@pytest.mark.parametrize(("value", "words"), [(1.0, "1 point"), (13.5, "13.5 points"), (1200.0, "1,200 points")])
def test_points_are_whole_unless_halves_are_shared(value, words):
    assert worth_words(value, Aggregate.BORDA) == words
