"""What is said of drawn, typical and uncertain ranks."""

import numpy as np
import polars as pl

from engine.analysis.choice_findings import find_freedom, find_prompt_numbers, find_switches, rule_to_adopt
from engine.analysis.fewest_switches import find_fewest_switches
from engine.analysis.prompt_freedom import compute_prompt_freedom
from engine.analysis.prompt_selection import PromptCube
from engine.analysis.rank_findings import (
    find_intervals,
    find_missing_rules,
    find_neighbours,
    find_probabilities,
    find_ranks,
    find_robust,
)
from engine.analysis.rank_intervals import compute_rank_intervals
from engine.analysis.rank_probabilities import compute_rank_probabilities
from engine.analysis.ranking import Aggregate, ScoreMatrix, compare_missing_rules, rank_models
from engine.analysis.robust_leaderboard import count_prompts_needed, rank_robustly
from engine.analysis.sentences import plain

NAMES = ("org/first", "org/second")


def cube(scores: list[list[float]], default: list[float]) -> PromptCube:
    """Two models on one task."""
    prompts = (tuple(f"p{i}" for i in range(len(scores[0]))),)
    return PromptCube(NAMES, ("Task",), ("STS",), prompts, np.array(default)[:, None], np.array(scores)[:, None, :])


STILL = cube([[0.9, 0.9], [0.1, 0.1]], [0.9, 0.1])
TURNED = cube([[0.1, 0.1, 0.1], [0.5, 0.5, 0.5]], [0.9, 0.4])


def matrix(values: np.ndarray) -> ScoreMatrix:
    names = tuple(f"org/model-{i}" for i in range(len(values)))
    tasks = tuple(f"Task{i}" for i in range(values.shape[1]))
    return ScoreMatrix(names, tasks, ("STS",) * len(tasks), values, np.zeros(values.shape, dtype=bool))


def test_draws_that_never_change_anything_say_so():
    assert plain(find_probabilities(compute_rank_probabilities(STILL, n_draws=50), "org/second")) == (
        "With prompts drawn at random, first comes first in 100.0\u202f% of 50 draws; the order of the default prompts "
        "comes out whole in 100.0\u202f%. second keeps its default rank, 2nd, in 100.0\u202f%."
    )


def test_a_default_order_that_never_comes_out_is_said():
    assert "never comes out whole" in plain(find_probabilities(compute_rank_probabilities(TURNED, n_draws=50)))


def test_robust_ranks_name_the_mover_and_the_target():
    said = plain(find_robust(rank_robustly(TURNED), "org/first"))
    assert said.startswith(
        "With its median prompt in place of its default, none of 2 models keeps its rank; first falls"
    )
    assert said.endswith("first is 1st by default, 2nd by its median prompt and 2nd by its 10th percentile.")
    assert "all 2 models keep their rank." in plain(find_robust(rank_robustly(STILL)))


def test_intervals_say_whether_the_first_place_is_settled():
    clear = matrix(np.linspace(0.9, 0.1, 3)[:, None] + np.random.default_rng(0).normal(scale=0.001, size=(3, 30)))
    assert "the first place is settled: only model-0 can be 1st. So is every other." in plain(
        find_intervals(compute_rank_intervals(clear))
    )
    alike = matrix(np.random.default_rng(0).normal(0.5, 0.1, size=(3, 4)))
    found = compute_rank_intervals(alike)
    assert "the first place is not settled: three models have an interval that reaches rank 1." in plain(
        find_intervals(found)
    )
    assert plain(find_neighbours(found)) == "All 2 pairs of neighbours in rank cannot be told apart on these tasks."


def test_intervals_follow_the_named_model():
    found = compute_rank_intervals(matrix(np.random.default_rng(0).normal(0.5, 0.1, size=(3, 4))))
    name = found.intervals["model_name"][2]
    assert plain(find_intervals(found, name)).endswith("ranked 3rd, could be anywhere from 1st to 3rd.")


def test_models_that_cannot_be_compared_are_said_to_be_none():
    lone = matrix(np.array([[0.5, 0.5], [0.4, np.nan]]))
    assert plain(find_intervals(compute_rank_intervals(lone))).startswith("Only one model has every one of these tasks")


def test_missing_rules_count_the_models_that_they_rank_otherwise():
    # Field case 24: three rules, three leaderboards.
    field = matrix(np.array([[0.9, 0.8], [0.7, 0.9], [0.95, np.nan]]))
    said = plain(find_missing_rules(compare_missing_rules(field)))
    assert said.startswith(
        "Points among those who have a task (present) give 2 of 3 models another rank than MTEB’s rule"
    )
    assert said.endswith("ranking complete models only would reorder none of 2 that it keeps.")


def test_ranks_say_who_leads_by_how_much():
    field = matrix(np.array([[0.9, 0.8], [0.7, 0.7], [0.95, np.nan]]))
    assert plain(find_ranks(rank_models(field), Aggregate.BORDA)) == (
        "model-0 leads 3 models, 1 point ahead of model-2; 2 of 3 models have every task."
    )


def test_switches_say_how_many_tasks_it_takes_or_that_there_is_nothing_to_gain():
    found = find_fewest_switches(cube([[0.3, 0.2], [0.95, 0.1]], [0.9, 0.4]))
    assert plain(find_switches(found, "org/second")) == (
        "second must leave its default on 1 task to get from 2nd to 1st, the best rank that its prompts can bring it. "
        "With the others at their default, 1 of 2 models has a rank to gain."
    )
    assert "first has no rank to gain by its prompts alone: it stays 1st." in plain(find_switches(found, "org/first"))


def test_freedom_gives_the_range_and_where_the_published_score_stands():
    field = matrix(np.array([[0.5], [0.9], [0.7], [0.3]]))
    replaced = pl.DataFrame({"task_name": ["Task0"] * 2, "prompt_id": ["a", "b"], "score": [0.1, 0.8]})
    said = plain(find_freedom(compute_prompt_freedom(field, "org/model-0", replaced, n_draws=20)))
    assert said == (
        "By its prompts on 1 task of 1 alone, model-0 could stand anywhere from 2nd to 4th among 4 models; published, "
        "it is 3rd, with median prompts 3rd."
    )


def test_freedom_without_shared_tasks_says_that_nothing_can_be_replaced():
    nothing = pl.DataFrame(schema={"task_name": pl.String, "prompt_id": pl.String, "score": pl.Float64})
    field = matrix(np.array([[0.5], [0.9]]))
    said = plain(find_freedom(compute_prompt_freedom(field, "org/model-0", nothing, n_draws=20)))
    assert said == "model-0 ran prompts on none of this benchmark’s tasks, so nothing can be replaced."


def test_numbers_of_prompts_give_agreement_and_a_rule_to_adopt():
    found = count_prompts_needed(TURNED, numbers=(1, 2), n_draws=20)
    assert plain(find_prompt_numbers(found, 2)) == (
        "Ranked by the median of 2 prompts a task, the first place is that of all prompts in 100\u202f% of draws, "
        "the whole order in 100\u202f%."
    )
    rule = rule_to_adopt(found, 2, "study")
    assert rule.startswith("Every model is run with 2 prompts a task, the same for every model, and is ranked by")
    assert rule_to_adopt(found, 7, "study") == ""
