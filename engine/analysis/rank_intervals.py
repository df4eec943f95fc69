"""How far a rank would move with another sample of tasks and prompts: simultaneous rank intervals.

Method: a paired bootstrap of the aggregate (one index matrix for all models), simultaneous confidence bounds for all
pairwise differences, and from these the ranks: a model's rank lies between 1 + the models surely above it and n − the
models surely below it. Source: Mogstad, Romano, Shaikh and Wilhelm 2024, *Inference for Ranks*, Review of Economic
Studies 91, whose argument needs means over independent units; Borda points are such means, the units being tasks.

What is guaranteed: if the tasks are a random sample of the tasks that matter, all intervals together hold the true
ranks with the stated level as the number of tasks grows. What is not: a benchmark's tasks were chosen, not drawn; with
few tasks the level is approximate (simulated at 95 %, no true differences, 6 to 20 models and 11 to 30 tasks: a false
separation of any two models in 3 to 8 % of samples); below five tasks no two models are told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.prompt_selection import Choice, PromptCube, SelectionRule, choose
from engine.analysis.rank_probabilities import drawable_scores
from engine.analysis.ranking import DECIMALS, Aggregate, Floats, ScoreMatrix, rank_values
from engine.analysis.resampling import RESAMPLES, Bootstrap, Over, resample_prompts, resample_tasks, task_parts

Signs = npt.NDArray[np.int8]

LEVEL = 0.95
LEAST_TASKS = 5
"""Fewer tasks tell no two models apart."""
PRIOR_TASKS = 8
"""So many tasks' worth of the average variance is mixed into each pair's: chosen by simulation, see the module."""
TOLERANCE = 1e-12
"""Differences below this are rounding."""


@dataclass(frozen=True)
class RankIntervals:
    """Intervals for the ranks of the models that can be compared.

    Attributes:
        intervals: One row per model: `model_name`, `rank`, the aggregate, `rank_low` and `rank_high` (hold for all
            models at once), `rank_low_alone` and `rank_high_alone` (hold for this model), `p_best` (share of resamples
            in which it is first; ties share), `n_not_separated` (others that it cannot be told apart from),
            `separated_from_next` (null for the last). Sorted by rank.
        groups: One row per group: `first_model_name`, `last_model_name`, `n_models`: the longest runs in order of rank
            of which no two models can be told apart. They overlap: being alike is not transitive.
        signs: Models × models in the order of `intervals`: 1 = the first is surely above, −1 = below, 0 = neither.
        n_set_aside: Models left out because a task is missing.
        n_tasks: Tasks ranked over.
        level: Level of the intervals (fraction).
        n_resamples: Resamples.
        seed: Seed of the resamples.
    """

    intervals: pl.DataFrame
    groups: pl.DataFrame
    signs: Signs
    n_set_aside: int
    n_tasks: int
    level: float
    n_resamples: int
    seed: int

    @property
    def n_inseparable_neighbours(self) -> int:
        """Pairs of models next to each other in rank that cannot be told apart."""
        return int((~self.intervals["separated_from_next"].drop_nulls()).sum())

    @property
    def n_possibly_first(self) -> int:
        """Models whose interval reaches rank 1."""
        return int((self.intervals["rank_low"] == 1).sum())


def compute_rank_intervals(
    matrix: ScoreMatrix,
    aggregate: Aggregate = Aggregate.BORDA,
    *,
    level: float = LEVEL,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
    only_complete: bool = True,
) -> RankIntervals:
    """Rank intervals over tasks, for plain scores without prompts.

    Only models with every row of every task are ranked, tasks that no model has whole aside; ranks are those among
    them. Ties share the better rank. `mean_task_type` draws tasks within each type; a type with one task is then taken
    as it is.

    Args:
        matrix: Scores.
        aggregate: What models are ranked by.
        level: Level of the intervals (fraction).
        n_resamples: Resamples.
        seed: Seed.
        only_complete: False ranks all models by Borda under mteb's missing rule; past complete models that means
            little. Means always ask for every task.
    """
    only_complete = only_complete or aggregate is not Aggregate.BORDA
    ranked = matrix.complete_part() if only_complete else matrix
    counted = None if only_complete else matrix.counted
    parts = task_parts(ranked.values, ranked.task_types, aggregate, counted)
    strata = ranked.task_types if aggregate is Aggregate.MEAN_TASK_TYPE else None
    bootstrap = resample_tasks(parts, strata, n_resamples, seed)
    set_aside = len(matrix.model_names) - len(ranked.model_names)
    return _intervals(bootstrap, ranked.model_names, aggregate, set_aside, len(ranked.task_names), level, seed)


def compute_prompt_rank_intervals(
    cube: PromptCube,
    rules: Rules | None = None,
    choice: Choice | None = None,
    *,
    over: Over = Over.BOTH,
    level: float = LEVEL,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
) -> RankIntervals:
    """Rank intervals of a prompt study, models standing for their median prompt on each task (or another rule).

    Prompts that all models ran are drawn together. Rules that depend on a single run (default, best, worst, named) can
    only be resampled over tasks. Models without a score on some task are set aside.

    Args:
        cube: Scores over prompts.
        rules: The aggregate; pool for best and worst.
        choice: Which score stands for a model on a task; default the median prompt.
        over: What is drawn anew.
        level: Level of the intervals (fraction).
        n_resamples: Resamples.
        seed: Seed.
    """
    rules, choice = rules or Rules(), choice or Choice(SelectionRule.MEDIAN)
    values = choose(cube, choice, rules.pool).values
    asked = np.asarray(~np.isnan(values).all(axis=0))
    keep = ~np.isnan(values[:, asked]).any(axis=1)
    names = tuple(np.asarray(cube.model_names)[keep])
    types = [kind for kind, has in zip(cube.task_types, asked, strict=True) if has]
    spread = choice.rule in (SelectionRule.MEDIAN, SelectionRule.MEAN, SelectionRule.QUANTILE)
    if over is Over.TASKS or not spread:
        parts = task_parts(values[keep][:, asked], types, rules.aggregate)
        strata = types if rules.aggregate is Aggregate.MEAN_TASK_TYPE else None
        bootstrap = resample_tasks(parts, strata, n_resamples, seed)
    else:
        scores = drawable_scores(cube)[keep][:, asked]
        parts = task_parts(values[keep][:, asked], types, rules.aggregate)
        resampled = resample_prompts(scores, types, rules.aggregate, choice, over, n_resamples, seed)
        n_units = len(types) if over is Over.BOTH else _fewest_prompts(scores)
        bootstrap = Bootstrap(parts.sum(axis=1), resampled, n_units)
    return _intervals(bootstrap, names, rules.aggregate, int((~keep).sum()), len(types), level, seed)


def _fewest_prompts(scores: Floats) -> int:
    """Prompts of the task that has fewest, those without any aside; 1 where no task has any."""
    prompts = np.isfinite(scores).sum(axis=-1).max(axis=0)
    return int(prompts[prompts > 1].min(initial=np.iinfo(np.int64).max)) if (prompts > 1).any() else 1


@dataclass(frozen=True)
class Separations:
    """Which models are surely apart, models × models: 1 = the first is above the second, −1 = below, 0 = cannot tell.

    Attributes:
        together: Holds for all pairs at once.
        alone: Each row holds for that model alone.
    """

    together: Signs
    alone: Signs


def separate(bootstrap: Bootstrap, level: float = LEVEL) -> Separations:
    """Pairs of models whose order is sure.

    Formula: j is above k when θⱼ − θₖ > c · sⱼₖ. sⱼₖ² = (1 − w) × the variance of θ*ⱼ − θ*ₖ over resamples + w × its
    average over pairs, w = 8 ÷ (8 + units − 1). c = the `level` quantile over resamples of the largest
    |(θ*ⱼ − θ*ₖ) − (θⱼ − θₖ)| ÷ sⱼₖ, over all pairs or over one model's pairs, widened for few units as Student's t is
    wider than the normal distribution at the same tail, and by √(units ÷ (units − 1)).
    """
    n, units = len(bootstrap.estimate), bootstrap.n_units
    if n < 2 or units < LEAST_TASKS:
        return Separations(np.zeros((n, n), dtype=np.int8), np.zeros((n, n), dtype=np.int8))
    moved = bootstrap.resampled - bootstrap.estimate
    scales = _scales(moved, weight=PRIOR_TASKS / (PRIOR_TASKS + units - 1))
    largest = _largest_deviations(moved, scales)
    together = _widen(np.asarray(np.quantile(largest.max(axis=0), level)), units)
    alone = _widen(np.asarray(np.quantile(largest, level, axis=1)), units)
    gaps = bootstrap.estimate[:, None] - bootstrap.estimate
    return Separations(*(_signs(gaps, critical * scales) for critical in (together, alone[:, None])))


def _signs(gaps: Floats, limits: Floats) -> Signs:
    return np.asarray(np.sign(gaps) * (np.abs(gaps) > limits + TOLERANCE), dtype=np.int8)


def _widen(critical: Floats, units: int) -> Floats:
    from scipy.stats import norm
    from scipy.stats import t as student

    return np.asarray(np.sqrt(units / (units - 1)) * student.isf(norm.sf(critical), units - 1))


def _scales(moved: Floats, *, weight: float) -> Floats:
    covariance = moved.T @ moved / len(moved)
    variances = np.maximum(np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance, 0)
    pairs = np.triu_indices(len(variances), 1)
    return np.asarray(np.sqrt((1 - weight) * variances + weight * variances[pairs].mean()))


def _largest_deviations(moved: Floats, scales: Floats) -> npt.NDArray[np.float32]:
    """The largest deviation among a model's pairs, in units of the pair's scale, models × resamples."""
    inverse = np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0).astype(np.float32)
    deviations = np.ascontiguousarray(moved.T, dtype=np.float32)
    largest, rest = np.zeros_like(deviations), np.empty_like(deviations)
    for model in range(len(deviations) - 1):
        pairs = rest[model + 1 :]
        np.abs(np.subtract(deviations[model + 1 :], deviations[model], out=pairs), out=pairs)
        pairs *= inverse[model, model + 1 :, None]
        np.maximum(largest[model + 1 :], pairs, out=largest[model + 1 :])
        np.maximum(largest[model], pairs.max(axis=0), out=largest[model])
    return largest


def _intervals(
    bootstrap: Bootstrap,
    model_names: Sequence[str],
    aggregate: Aggregate,
    n_set_aside: int,
    n_tasks: int,
    level: float,
    seed: int,
) -> RankIntervals:
    n, ranks = len(model_names), rank_values(np.round(bootstrap.estimate, DECIMALS))
    order = np.lexsort((np.asarray(model_names, dtype=str), ranks))
    apart = separate(bootstrap, level)
    together, alone = apart.together[np.ix_(order, order)], apart.alone[np.ix_(order, order)]
    is_first = bootstrap.resampled >= bootstrap.resampled.max(axis=1, keepdims=True, initial=-np.inf) - TOLERANCE
    intervals = pl.DataFrame(
        {
            "model_name": pl.Series([model_names[i] for i in order], dtype=pl.String),
            "rank": ranks[order].astype(np.int64),
            aggregate.column: bootstrap.estimate[order],
            "rank_low": 1 + (together < 0).sum(axis=1),
            "rank_high": n - (together > 0).sum(axis=1),
            "rank_low_alone": 1 + (alone < 0).sum(axis=1),
            "rank_high_alone": n - (alone > 0).sum(axis=1),
            "p_best": is_first.mean(axis=0)[order],
            "n_not_separated": (together == 0).sum(axis=1) - 1,
            "separated_from_next": pl.Series([bool(sign) for sign in np.diag(together, 1)] + [None] * (n > 0)),
        },
        schema_overrides={"separated_from_next": pl.Boolean},
    )
    return RankIntervals(
        intervals=intervals,
        groups=_groups(intervals["model_name"].to_list(), together),
        signs=together,
        n_set_aside=n_set_aside,
        n_tasks=n_tasks,
        level=level,
        n_resamples=len(bootstrap.resampled),
        seed=seed,
    )


def _groups(model_names: Sequence[str], signs: Signs) -> pl.DataFrame:
    """The longest runs in order of rank within which no pair is separated."""
    n, runs, reached = len(model_names), [], 0
    for first in range(n):
        last = first
        while last + 1 < n and not signs[first : last + 1, last + 1].any():
            last += 1
        if last + 1 > reached:
            runs.append((model_names[first], model_names[last], last - first + 1))
            reached = last + 1
    columns = {"first_model_name": pl.String, "last_model_name": pl.String, "n_models": pl.Int64}
    return pl.DataFrame(runs, schema=columns, orient="row")
