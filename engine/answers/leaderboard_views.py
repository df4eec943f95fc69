"""Answers about leaderboards: each function asks one thing of a board that was read."""

from __future__ import annotations

import polars as pl

from engine.analysis.fewest_switches import FewestSwitches, find_fewest_switches
from engine.analysis.leaderboard_simulator import ScenarioLeaderboard, rank_targets, simulate_scenario
from engine.analysis.prompt_selection import Choice, PromptCube, SelectionRule
from engine.analysis.rank_intervals import RankIntervals, compute_prompt_rank_intervals, compute_rank_intervals
from engine.analysis.rank_probabilities import RankProbabilities, compute_rank_probabilities
from engine.analysis.ranking import compare_missing_rules, rank_models
from engine.analysis.robust_leaderboard import PromptNumbers, count_prompts_needed, rank_robustly
from engine.answers.leaderboard import LeaderboardQuestion, expect
from engine.answers.leaderboard_boards import Board
from engine.errors import UsageError


def simulate(board: Board, question: LeaderboardQuestion) -> ScenarioLeaderboard:
    """The leaderboard of the question's scenario, with the movement of its target.

    Raises:
        UsageError: The source has no prompts, or the target is not on the board.
    """
    cube = _cube(board, question)
    expect(question.target, cube.model_names, "model on this leaderboard")
    return simulate_scenario(cube, question.target, question.scenario, question.rules, dict(question.choices))


def every_target(board: Board, question: LeaderboardQuestion) -> pl.DataFrame:
    """Rank and points of every model as the target, in every scenario."""
    return rank_targets(_cube(board, question), question.rules)


def rank_probabilities(board: Board, question: LeaderboardQuestion) -> RankProbabilities:
    """How often each model takes each rank when prompts are drawn."""
    return compute_rank_probabilities(
        _cube(board, question), question.rules, drawing=question.drawing, n_draws=question.draws, seed=question.seed
    )


def fewest_switches(board: Board, question: LeaderboardQuestion) -> FewestSwitches:
    """On how few tasks each model must leave its default to reach its best attainable rank."""
    return find_fewest_switches(_cube(board, question), question.rules)


def robust_ranks(board: Board, question: LeaderboardQuestion) -> pl.DataFrame:
    """Ranks by median, low quantile and mean over prompts, beside the default ranks."""
    return rank_robustly(_cube(board, question), question.rules)


def prompt_numbers(board: Board, question: LeaderboardQuestion) -> PromptNumbers:
    """How far few prompts agree with all of them."""
    return count_prompts_needed(
        _cube(board, question),
        question.rules,
        drawing=question.drawing,
        n_texts=board.n_texts or None,
        seed=question.seed,
    )


def rank_intervals(board: Board, question: LeaderboardQuestion) -> RankIntervals:
    """Rank intervals over tasks, and over prompts where there are some."""
    if board.cube is None:
        return compute_rank_intervals(
            board.matrix,
            question.aggregate,
            level=question.level,
            n_resamples=question.resamples,
            seed=question.seed,
        )
    return compute_prompt_rank_intervals(
        board.cube,
        question.rules,
        Choice(SelectionRule.MEDIAN),
        over=question.over,
        level=question.level,
        n_resamples=question.resamples,
        seed=question.seed,
    )


def ranks(board: Board, question: LeaderboardQuestion) -> pl.DataFrame:
    """The leaderboard with default settings."""
    return rank_models(board.matrix, question.aggregate, question.missing)


def missing_rules(board: Board) -> pl.DataFrame:
    """Borda ranks under each missing-task rule."""
    return compare_missing_rules(board.matrix)


def _cube(board: Board, question: LeaderboardQuestion) -> PromptCube:
    if board.cube is None:
        raise UsageError(
            f"Source {question.source!r} holds no prompt experiments, so models have nothing to choose; "
            "name one that does with --source."
        )
    return board.cube
