"""Ranks when prompts are drawn at random: how often a model takes each rank, and the points it can expect."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import polars as pl

from engine.analysis.drawn_points import doubled_points
from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.prompt_selection import PromptCube
from engine.analysis.ranking import (
    DECIMALS,
    Aggregate,
    Bools,
    Floats,
    Missing,
    compute_aggregate,
    compute_task_points,
    lowest_ranks,
    rank_values,
)

DRAWS = 20_000
"""Standard error of a probability at most 0.0036."""

PARTS = 4
"""Tasks are drawn in so many parallel parts, whatever the machine, so that sums are made in one order."""


class Drawing(StrEnum):
    """Who draws a prompt."""

    INDEPENDENT = "independent"
    """each model draws its own prompt on each task"""
    SAME = "same"
    """one prompt is drawn per task for all models; where no prompt was run by all, each draws its own"""


@dataclass(frozen=True)
class RankProbabilities:
    """How often each model takes each rank.

    Attributes:
        probabilities: One row per model × rank: `model_name`, `rank`, `probability` (share of draws), `standard_error`.
            Ties share the better rank, so the probabilities of one rank need not add up to 1 over models.
        models: One row per model: `model_name`, `rank_default`, the aggregate with defaults, `<aggregate>_expected`
            (exact, not sampled), `p_first`; null where a model is not ranked. Sorted by expected value.
        share_default_order: Share of draws in which every model has its default rank; null without default ranks.
        n_draws: Draws.
        seed: Seed of the draws.
        drawing: Who draws.
    """

    probabilities: pl.DataFrame
    models: pl.DataFrame
    share_default_order: float | None
    n_draws: int
    seed: int
    drawing: Drawing


def compute_rank_probabilities(
    cube: PromptCube,
    rules: Rules | None = None,
    *,
    drawing: Drawing = Drawing.INDEPENDENT,
    n_draws: int = DRAWS,
    seed: int = 0,
) -> RankProbabilities:
    """Probabilities of ranks when one prompt per task is drawn with equal chances.

    Sampled: the ranks, from `n_draws` seeded draws; each task has its own stream of numbers. Exact: the expected
    aggregate, see `expected_aggregate`. Ties share the better rank. Missing: a model without any score on a task
    follows `rules.missing`; means, and Borda under `complete`, rank only models that have every task. A cell without
    prompt runs always draws its default. `rules.pool` plays no part: only prompts are drawn.
    """
    rules = rules or Rules()
    drawable = drawable_scores(cube)
    is_ranked = _ranked(drawable, rules)
    defaults = compute_aggregate(cube.default, cube.task_types, rules.aggregate, rules.missing)
    default_ranks = rank_values(defaults)
    expected = np.full(len(is_ranked), np.nan)
    expected[is_ranked] = expected_aggregate(drawable[is_ranked], cube.task_types, rules, drawing)
    totals = draw_aggregates(drawable[is_ranked], cube.task_types, rules, drawing, n_draws, seed)
    ranks = lowest_ranks(np.asarray(-totals, dtype=np.float64), axis=0).astype(np.int64)
    n = len(totals)
    counts = np.bincount((ranks - 1 + n * np.arange(n)[:, None]).ravel(), minlength=n * n).reshape(n, n)
    same = (ranks == default_ranks[is_ranked][:, None]).all(axis=0).mean() if n else np.nan
    return RankProbabilities(
        probabilities=_probabilities(np.asarray(cube.model_names)[is_ranked], counts / n_draws, n_draws),
        models=_models(cube, rules, default_ranks, defaults, expected, is_ranked, counts / n_draws),
        share_default_order=None if np.isnan(default_ranks[is_ranked]).any() or not n else float(same),
        n_draws=n_draws,
        seed=seed,
        drawing=drawing,
    )


def drawable_scores(cube: PromptCube) -> Floats:
    """What each model can draw, models × tasks × slots: its prompt scores, or its default where it ran no prompt."""
    scores = cube.scores.copy() if cube.scores.shape[-1] else np.full((*cube.default.shape, 1), np.nan)
    scores[..., 0] = np.where(cube.n == 0, cube.default, scores[..., 0])
    return scores


def expected_aggregate(drawable: Floats, task_types: Sequence[str], rules: Rules, drawing: Drawing) -> Floats:
    """The exact expectation of each model's aggregate over the draws.

    Formulas, Borda: by linearity the sum over tasks and rivals of P(model above) + ½ P(equal). Independent draws: with
    G(s) = Σ over models of [share of its scores below s + ½ share equal to s], a model's expectation on a task is the
    mean of G over its own scores − ½, since against itself that mean is exactly ½. One prompt for all: the mean of the
    points over the shared prompts. Means: the weighted mean of the cells' means over prompts.
    """
    if rules.aggregate is not Aggregate.BORDA:
        return np.asarray(np.nanmean(drawable, axis=-1) @ task_weights(drawable, task_types, rules.aggregate))
    expected: Floats = np.zeros(len(drawable))
    for task in np.nonzero(_has_score(drawable).any(axis=0))[0]:
        scores = drawable[:, task]
        shared = shared_slots(scores) if drawing is Drawing.SAME else np.zeros(0, dtype=np.int64)
        if len(shared):
            expected += compute_task_points(_held(scores, shared), rules.missing).mean(axis=-1)
        else:
            expected += _expected_points(scores, rules.missing)
    return expected


def draw_aggregates(
    drawable: Floats, task_types: Sequence[str], rules: Rules, drawing: Drawing, n_draws: int, seed: int
) -> npt.NDArray[np.number]:
    """The aggregate of every model in every draw, models × draws; Borda points are doubled, so that ½ stays whole."""
    weights = task_weights(drawable, task_types, rules.aggregate)
    streams = np.random.default_rng(seed).spawn(drawable.shape[1])
    asked = np.nonzero(_has_score(drawable).any(axis=0))[0]

    def total_of(tasks: npt.NDArray[np.int64]) -> npt.NDArray[np.number]:
        is_borda = rules.aggregate is Aggregate.BORDA
        total = np.zeros((len(drawable), n_draws), dtype=np.int32 if is_borda else np.float64)
        for task in tasks:
            scores, stream = drawable[:, task], streams[task]
            if is_borda:
                codes, has_ties = _codes(scores)
                drawn = _draw(codes, scores, drawing, n_draws, stream)
                total += doubled_points(drawn, rules.missing, has_ties=has_ties)
            else:
                total += weights[task] * _draw(scores, scores, drawing, n_draws, stream)
        return total

    with ThreadPoolExecutor(PARTS) as pool:
        parts = list(pool.map(total_of, np.array_split(asked, PARTS)))
    return np.asarray(np.round(np.sum(parts, axis=0), DECIMALS))


def task_weights(drawable: Floats, task_types: Sequence[str], aggregate: Aggregate) -> Floats:
    """Weight of each task in the aggregate: 1 in Borda; in the means they add up to 1 over tasks with any score."""
    asked = _has_score(drawable).any(axis=0)
    if aggregate is Aggregate.BORDA:
        return np.asarray(asked, dtype=np.float64)
    if aggregate is Aggregate.MEAN_TASK:
        return np.asarray(asked / max(int(asked.sum()), 1))
    types = np.asarray(task_types)
    sizes = np.array([(types[asked] == kind).sum() for kind in types])
    return np.asarray(asked / np.maximum(sizes, 1) / max(len(set(types[asked])), 1))


def shared_slots(scores: Floats) -> npt.NDArray[np.int64]:
    """Slots of the prompts of one task (models × slots) that every model with more than a stand-in ran."""
    many = np.isfinite(scores).sum(axis=-1) > 1
    return np.nonzero(np.isfinite(scores[many]).all(axis=0))[0] if many.any() else np.zeros(0, dtype=np.int64)


def _held(scores: Floats, slots: npt.NDArray[np.int64]) -> Floats:
    """Scores of the slots; a model with a stand-in holds it in every slot."""
    alone = np.isfinite(scores).sum(axis=-1) == 1
    return np.where(alone[:, None], np.nanmax(scores, axis=-1, initial=-np.inf)[:, None], scores[:, slots])


def _has_score(drawable: Floats) -> Bools:
    return np.asarray(np.isfinite(drawable).any(axis=-1))


def _ranked(drawable: Floats, rules: Rules) -> Bools:
    has = _has_score(drawable)
    if rules.aggregate is Aggregate.BORDA and rules.missing is not Missing.COMPLETE:
        return np.ones(len(has), dtype=bool)
    return np.asarray(has[:, has.any(axis=0)].all(axis=1))


def _codes(scores: Floats) -> tuple[npt.NDArray[np.number], bool]:
    """Scores of one task as whole numbers in their order, 0 = none, and whether any two are equal."""
    finite = np.isfinite(scores)
    values, inverse = np.unique(scores[finite], return_inverse=True)
    codes = np.zeros(scores.shape, dtype=np.uint16 if len(values) < 2**16 - 1 else np.uint32)
    codes[finite] = inverse + 1
    return codes, len(values) < finite.sum()


def _draw(
    values: npt.NDArray[np.number], scores: Floats, drawing: Drawing, n_draws: int, stream: np.random.Generator
) -> npt.NDArray[np.number]:
    """One value per model and draw on one task (models × draws); `scores` says which slots a model has."""
    shared = shared_slots(scores) if drawing is Drawing.SAME else np.zeros(0, dtype=np.int64)
    slots = shared[stream.integers(len(shared), size=n_draws)] if len(shared) else None
    drawn = np.zeros((len(values), n_draws), dtype=values.dtype)
    for model, row in enumerate(values):
        own = row[np.isfinite(scores[model])]
        if slots is not None and len(own) > 1:
            drawn[model] = row[slots]
        elif len(own):
            drawn[model] = own[stream.integers(len(own), size=n_draws, dtype=np.uint16)]
    return drawn


def _expected_points(scores: Floats, missing: Missing) -> Floats:
    finite = np.isfinite(scores)
    n = finite.sum(axis=-1)
    values, inverse = np.unique(scores[finite], return_inverse=True)
    share = np.repeat(1.0 / np.maximum(n, 1), n)
    mass = np.bincount(inverse, weights=share, minlength=len(values))
    below = np.cumsum(mass) - mass / 2
    owners = np.repeat(np.arange(len(n)), n)
    points = np.bincount(owners, weights=share * below[inverse], minlength=len(n)) - 0.5
    if missing is Missing.ZERO:
        points += (n == 0).sum()
    return np.where(n == 0, 0.0, points)


def _probabilities(model_names: npt.NDArray[np.str_], shares: Floats, n_draws: int) -> pl.DataFrame:
    n = len(model_names)
    return pl.DataFrame(
        {
            "model_name": np.repeat(model_names, n),
            "rank": np.tile(np.arange(1, n + 1), n),
            "probability": shares.ravel(),
            "standard_error": np.sqrt(shares * (1 - shares) / n_draws).ravel(),
        }
    )


def _models(
    cube: PromptCube,
    rules: Rules,
    default_ranks: Floats,
    defaults: Floats,
    expected: Floats,
    is_ranked: Bools,
    shares: Floats,
) -> pl.DataFrame:
    first = np.full(len(cube.model_names), np.nan)
    first[is_ranked] = shares[:, 0]
    column = rules.aggregate.column
    return (
        pl.DataFrame(
            {
                "model_name": cube.model_names,
                "rank_default": default_ranks,
                f"{column}_default": defaults,
                f"{column}_expected": expected,
                "p_first": first,
            },
            nan_to_null=True,
        )
        .cast({"rank_default": pl.Int64})
        .sort(f"{column}_expected", "model_name", descending=[True, False], nulls_last=True)
    )
