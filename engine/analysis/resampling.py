"""Aggregates of models over tasks and prompts that are drawn anew: the paired bootstrap.

One index matrix serves all models (design, rule 12), so that what two models share cancels in their difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.analysis.prompt_selection import Choice, SelectionRule, quantile_of
from engine.analysis.rank_probabilities import shared_slots, task_weights
from engine.analysis.ranking import DECIMALS, Aggregate, Floats, Missing, compute_task_points

RESAMPLES = 2_000


class Over(StrEnum):
    """What is drawn anew in a resample of a prompt study."""

    TASKS = "tasks"
    PROMPTS = "prompts"
    """the prompts of each task; the tasks are taken as they are"""
    BOTH = "tasks-and-prompts"
    """tasks, and within each the prompts: on the cautious side, since tasks alone already bring prompts along"""


@dataclass(frozen=True)
class Bootstrap:
    """An aggregate and its resamples.

    Attributes:
        estimate: One value a model.
        resampled: Resamples × models.
        n_units: Independent units that were drawn from.
    """

    estimate: Floats
    resampled: Floats
    n_units: int


def task_parts(values: Floats, types: Sequence[str], aggregate: Aggregate, counted: int | None = None) -> Floats:
    """What each task adds to each model's aggregate, models × tasks; `counted` as in `compute_task_points`."""
    per_task = compute_task_points(values, Missing.ZERO, counted) if aggregate is Aggregate.BORDA else values
    return np.asarray(per_task * task_weights(values[..., None], types, aggregate))


def resample_tasks(parts: Floats, strata: Sequence[str] | None, n_resamples: int, seed: int) -> Bootstrap:
    """The sum of parts over tasks in resamples of the tasks, drawn with replacement, within strata where given.

    Args:
        parts: What each task adds to each model's aggregate, models × tasks.
        strata: Stratum of each task.
        n_resamples: Resamples.
        seed: Seed.
    """
    times = draw_tasks(parts.shape[1], strata, n_resamples, np.random.default_rng(seed))
    return Bootstrap(parts.sum(axis=1), times @ parts.T, parts.shape[1])


def draw_tasks(n_tasks: int, strata: Sequence[str] | None, n_resamples: int, stream: np.random.Generator) -> Floats:
    """How often each task is drawn in each resample, resamples × tasks: one matrix for all models."""
    labels = np.asarray(strata if strata is not None else [""] * n_tasks)
    times = np.zeros((n_resamples, n_tasks))
    for label in dict.fromkeys(labels):
        members = np.nonzero(labels == label)[0]
        times[:, members] = stream.multinomial(len(members), np.full(len(members), 1 / len(members)), size=n_resamples)
    return times


def resample_prompts(
    scores: Floats,
    types: Sequence[str],
    aggregate: Aggregate,
    choice: Choice,
    over: Over,
    n_resamples: int,
    seed: int,
) -> Floats:
    """The aggregate in resamples of prompts (and tasks), resamples × models.

    Every draw of a task draws its prompts anew, with replacement and as many as there are.

    Args:
        scores: Models × tasks × slots, every cell with a score.
        types: Type of each task.
        aggregate: What models are ranked by.
        choice: Which score stands for a model on a task: median, mean or a quantile.
        over: Prompts, or tasks and prompts.
        n_resamples: Resamples.
        seed: Seed.
    """
    stream = np.random.default_rng(seed)
    n_models, n_tasks, _ = scores.shape
    if over is Over.BOTH:
        strata = types if aggregate is Aggregate.MEAN_TASK_TYPE else None
        times = draw_tasks(n_tasks, strata, n_resamples, stream).astype(np.int64)
    else:
        times = np.ones((n_resamples, n_tasks), dtype=np.int64)
    weights = task_weights(scores, types, aggregate)
    resampled = np.zeros((n_resamples, n_models))
    for task in range(n_tasks):
        of_resample = np.repeat(np.arange(n_resamples), times[:, task])
        values = _redraw(scores[:, task], choice, len(of_resample), stream)
        per_task = compute_task_points(values[..., None])[..., 0] if aggregate is Aggregate.BORDA else values
        np.add.at(resampled, of_resample, weights[task] * per_task)
    return resampled


def _redraw(scores: Floats, choice: Choice, n_draws: int, stream: np.random.Generator) -> Floats:
    """A model's score on one task from its prompts drawn with replacement, draws × models."""
    shared = shared_slots(scores)
    together = stream.integers(len(shared), size=(n_draws, len(shared))) if len(shared) else None
    values = np.empty((n_draws, len(scores)))
    for model, row in enumerate(scores):
        slots = np.nonzero(np.isfinite(row))[0]
        if together is not None and len(slots) == len(shared):
            drawn = row[shared][together]
        else:
            drawn = row[slots][stream.integers(len(slots), size=(n_draws, len(slots)))]
        if choice.rule is SelectionRule.MEAN:
            values[:, model] = np.round(drawn.mean(axis=1), DECIMALS)
        else:
            quantile = 0.5 if choice.rule is SelectionRule.MEDIAN else choice.quantile
            values[:, model] = quantile_of(np.sort(drawn, axis=1), np.full(n_draws, len(slots)), quantile)
    return values
