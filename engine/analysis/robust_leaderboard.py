"""A leaderboard that one lucky prompt does not decide: typical prompts, and how many of them are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl

from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.prompt_selection import Choice, PromptCube, SelectionRule, choose, quantile_of
from engine.analysis.rank_probabilities import Drawing, drawable_scores, shared_slots
from engine.analysis.ranking import Floats, Ints, compute_aggregate, rank_values

DRAWS, FEWEST_DRAWS = 2_000, 100
"""Standard error of a share at most 0.011; with the fewest, 0.05."""
MOST_DRAWN = 60_000_000
"""Scores that are drawn in all: of hundreds of models and tasks there are fewer draws, and their number is told."""


class Supply(StrEnum):
    """Where the k prompts of a draw come from."""

    THESE = "these"
    """the prompts at hand, each at most once: agreement with all of *them*, complete when k is all"""
    ENDLESS = "endless"
    """prompts like those at hand, with replacement: agreement with what endlessly many of their like would say"""


@dataclass(frozen=True)
class PromptNumbers:
    """What a leaderboard by median prompt is worth with k prompts a task.

    Attributes:
        numbers: One row per k: `k`; fractions of draws: `share_first` (the models at rank 1 are exactly those of all
            prompts), `share_first_or_tied` (these are at rank 1, others may share it), `share_order` (the ranks of all
            models are those of all prompts, ties included); `median_error` (mean distance of a cell's median from that
            over all prompts, fraction) and `median_error_high` (its 95th percentile); `n_runs` (per model); `n_texts`
            (texts encoded per model; null where not known).
        n_prompts: Prompts of the task that has fewest.
        drawing: Whether all models are given the same prompts.
        supply: Where they come from.
        n_draws: Draws.
        seed: Seed.
    """

    numbers: pl.DataFrame
    n_prompts: int
    drawing: Drawing
    supply: Supply
    n_draws: int
    seed: int


_COLUMNS = {
    "k": pl.Int64, "share_first": pl.Float64, "share_first_or_tied": pl.Float64, "share_order": pl.Float64,
    "median_error": pl.Float64, "median_error_high": pl.Float64, "n_runs": pl.Int64, "n_texts": pl.Int64,
}  # fmt: skip


def rank_robustly(cube: PromptCube, rules: Rules | None = None, low: float = 0.1) -> pl.DataFrame:
    """One row per model: its rank by typical and by unlucky prompts, beside its default rank.

    The leaderboard is made of each cell's default score, its median, its low quantile and its mean over prompts.

    Returns:
        `model_name`; `rank_default`, `rank_median`, `rank_q_low`, `rank_mean` and the aggregate likewise, as
        `<aggregate>_default` and so on. Sorted by `rank_median`.
    """
    rules = rules or Rules()
    ways = {
        "default": Choice(),
        "median": Choice(SelectionRule.MEDIAN),
        "q_low": Choice(SelectionRule.QUANTILE, quantile=low),
        "mean": Choice(SelectionRule.MEAN),
    }
    boards = np.stack([choose(cube, choice, rules.pool).values for choice in ways.values()])
    points = compute_aggregate(boards, cube.task_types, rules.aggregate, rules.missing)
    ranks = rank_values(points)
    return (
        pl.DataFrame(
            {
                "model_name": cube.model_names,
                **{f"rank_{way}": ranks[i] for i, way in enumerate(ways)},
                **{f"{rules.aggregate.column}_{way}": points[i] for i, way in enumerate(ways)},
            },
            nan_to_null=True,
        )
        .cast({f"rank_{way}": pl.Int64 for way in ways})
        .sort("rank_median", "model_name", nulls_last=True)
    )


def count_prompts_needed(
    cube: PromptCube,
    rules: Rules | None = None,
    *,
    numbers: Sequence[int] = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30),
    drawing: Drawing = Drawing.SAME,
    supply: Supply = Supply.THESE,
    n_texts: Mapping[str, int] | None = None,
    n_draws: int | None = None,
    seed: int = 0,
) -> PromptNumbers:
    """How far k prompts a task agree with all of them, for a leaderboard by median prompt.

    In each draw k prompts are taken per task (nested: the first k of one random order), each model's median over them
    is ranked, and the ranks are held against those by the median over all prompts. Ties share the better rank, so two
    models within a point of each other may keep disagreeing however many prompts there are. Missing: a cell without
    prompt runs keeps its default; a model with fewer than k prompts on a task uses all it has. k above the prompts of
    the task that has fewest is left out under `these`.

    Args:
        cube: Scores over prompts.
        rules: How models are ranked.
        numbers: The k to try.
        drawing: Whether all models are given the same prompts.
        supply: Where they come from.
        n_texts: For each task the texts that one more prompt makes a model encode.
        n_draws: Draws; as many as `affordable_draws` unless given.
        seed: Seed.
    """
    rules = rules or Rules()
    n_draws = affordable_draws(cube) if n_draws is None else n_draws
    asked = (cube.n > 0).any(axis=0)
    fewest = int(np.where(cube.n > 0, cube.n, np.iinfo(np.int64).max).min(initial=np.iinfo(np.int64).max, where=asked))
    typical = choose(cube, Choice(SelectionRule.MEDIAN)).values
    goal = rank_values(compute_aggregate(typical, cube.task_types, rules.aggregate, rules.missing))
    tried = [k for k in sorted(set(numbers)) if k <= fewest or supply is Supply.ENDLESS] if asked.any() else []
    orders = _shuffled(cube, max(tried, default=0), drawing, supply, n_draws, seed)
    rows = []
    for k in tried:
        boards = np.stack([_median_of_first(scores, k) for scores in orders], axis=-1)
        ranks = rank_values(compute_aggregate(boards, cube.task_types, rules.aggregate, rules.missing))
        errors = np.abs(boards - typical)[:, cube.n > 0]
        texts = None if n_texts is None else k * sum(n_texts.get(task, 0) for task in cube.task_names)
        rows.append({"k": k, **_agreement(ranks, goal, errors), "n_runs": k * int(asked.sum()), "n_texts": texts})
    return PromptNumbers(
        pl.DataFrame(rows, schema=_COLUMNS), fewest if asked.any() else 0, drawing, supply, n_draws, seed
    )


def affordable_draws(cube: PromptCube) -> int:
    """How many draws of all models, tasks and prompts take seconds and not minutes."""
    drawn = len(cube.model_names) * int(cube.n.max(axis=0, initial=0).sum())
    return min(DRAWS, max(FEWEST_DRAWS, MOST_DRAWN // max(1, drawn)))


def _agreement(ranks: Floats, goal: Floats, errors: Floats) -> dict[str, float]:
    """Shares of draws (first axis of ranks) that agree with the goal, and what the medians miss."""
    same = (ranks == goal) | (np.isnan(ranks) & np.isnan(goal))
    return {
        "share_first": float(((ranks == 1) == (goal == 1)).all(axis=-1).mean()),
        "share_first_or_tied": float((ranks == 1)[:, goal == 1].all(axis=-1).mean()),
        "share_order": float(same.all(axis=-1).mean()),
        "median_error": float(errors.mean()),
        "median_error_high": float(np.quantile(errors, 0.95)),
    }


def _shuffled(
    cube: PromptCube, longest: int, drawing: Drawing, supply: Supply, n_draws: int, seed: int
) -> list[Floats]:
    """For each task its scores in the order of each draw, draws × models × slots; NaN after a model's last prompt."""
    drawable = drawable_scores(cube)
    ordered = []
    for task, stream in enumerate(np.random.default_rng(seed).spawn(drawable.shape[1])):
        scores = drawable[:, task]
        shared = shared_slots(scores) if drawing is Drawing.SAME else np.zeros(0, dtype=np.int64)
        together = _orders(stream, len(shared), longest, supply, n_draws) if len(shared) else None
        width = longest if supply is Supply.ENDLESS else int(np.isfinite(scores).sum(axis=-1).max(initial=1))
        board = np.full((n_draws, len(scores), width), np.nan)
        for model, row in enumerate(scores):
            slots = np.nonzero(np.isfinite(row))[0]
            if together is not None and len(slots) > 1:
                drawn = row[shared][together]
            elif len(slots):
                drawn = row[slots][_orders(stream, len(slots), longest, supply, n_draws)]
            else:
                continue
            board[:, model, : drawn.shape[1]] = drawn
        ordered.append(board)
    return ordered


def _orders(stream: np.random.Generator, n: int, longest: int, supply: Supply, n_draws: int) -> Ints:
    if supply is Supply.ENDLESS:
        return stream.integers(n, size=(n_draws, longest))
    return np.asarray(stream.permuted(np.tile(np.arange(n), (n_draws, 1)), axis=1))


def _median_of_first(scores: Floats, k: int) -> Floats:
    """Median of the first k scores, or of fewer where there are fewer; NaN where there is none."""
    first = np.sort(scores[..., :k], axis=-1)
    return quantile_of(first, np.isfinite(first).sum(axis=-1), 0.5)
