"""Ranks of models over tasks, as mteb gives them: Borda with its missing-task rules, and plain means.

Everything stands on one matrix of models × tasks. mteb ranks a long frame (`_borda_rank_from_long`, called by
`_create_summary_table`); on the same scores the functions here return the same ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DECIMALS = 12
"""Means nearer than this are the same: the rest is the rounding of a sum, which depends on its order."""


class Missing(StrEnum):
    """What a task that a model lacks is worth to it (design, rule 8)."""

    ZERO = "zero"
    """mteb's rule: no points for the model, and everyone who has the task is ahead of it"""
    PRESENT = "present"
    """points among the models that have the task"""
    COMPLETE = "complete"
    """only models that have every task are ranked, among themselves"""


class Aggregate(StrEnum):
    """What models are ranked by."""

    BORDA = "borda"
    MEAN_TASK = "mean-task"
    MEAN_TASK_TYPE = "mean-task-type"

    @property
    def column(self) -> str:
        """Column of frames that holds its value."""
        return {"borda": "borda_points", "mean-task": "mean_task", "mean-task-type": "mean_task_type"}[self.value]


@dataclass(frozen=True)
class ScoreMatrix:
    """One score per model and task.

    Attributes:
        model_names: One a row.
        task_names: One a column.
        task_types: Type of each task.
        values: Scores (fractions), NaN = the model has no score on the task.
        is_partial: The score stands on some of the task's rows only.
    """

    model_names: tuple[str, ...]
    task_names: tuple[str, ...]
    task_types: tuple[str, ...]
    values: Floats
    is_partial: Bools

    @property
    def whole(self) -> Floats:
        """The scores that stand on every row of their task; NaN elsewhere."""
        return np.where(self.is_partial, np.nan, self.values)

    @property
    def is_asked(self) -> Bools:
        """One flag a task: some model has every row of it. The others are asked of nobody."""
        return np.asarray(~np.isnan(self.whole).all(axis=0))

    @property
    def is_complete(self) -> Bools:
        """One flag a model: has every row of every task that is asked."""
        return np.asarray(~np.isnan(self.whole[:, self.is_asked]).any(axis=1))

    @property
    def counted(self) -> int:
        """Models that mteb counts: those with every row of at least one task."""
        return int((~np.isnan(self.whole)).any(axis=1).sum())

    def select_models(self, chosen: Bools) -> ScoreMatrix:
        """The matrix of some of its models."""
        names = tuple(name for name, keep in zip(self.model_names, chosen, strict=True) if keep)
        return ScoreMatrix(names, self.task_names, self.task_types, self.values[chosen], self.is_partial[chosen])

    def select_tasks(self, chosen: Bools) -> ScoreMatrix:
        """The matrix of some of its tasks."""
        tasks, types = (
            tuple(name for name, keep in zip(names, chosen, strict=True) if keep)
            for names in (self.task_names, self.task_types)
        )
        return ScoreMatrix(self.model_names, tasks, types, self.values[:, chosen], self.is_partial[:, chosen])

    def complete_part(self) -> ScoreMatrix:
        """The complete models, on the tasks that are asked: no score missing, none partial."""
        return self.select_models(self.is_complete).select_tasks(self.is_asked)


def build_score_matrix(scores: pl.DataFrame) -> ScoreMatrix:
    """The matrix of a frame with one row per model × task; models and tasks in alphabetical order.

    Args:
        scores: `model_name`, `task_name`, `task_type`, `score` (null = missing); with `rows` and `rows_expected`,
            a score on fewer rows than expected is partial. A model without any score is not in the matrix.
    """
    scored = scores.filter(pl.col("score").is_not_null())
    models = scored["model_name"].unique().sort()
    tasks = scores.select("task_name", "task_type").unique("task_name", keep="first").sort("task_name")
    at = (positions(scored["model_name"], models), positions(scored["task_name"], tasks["task_name"]))
    values = np.full((len(models), len(tasks)), np.nan)
    values[at] = scored["score"].to_numpy()
    is_partial = np.zeros(values.shape, dtype=bool)
    if "rows_expected" in scored.columns:
        is_partial[at] = scored.select(pl.col("rows") < pl.col("rows_expected")).to_series().to_numpy()
    return ScoreMatrix(tuple(models), tuple(tasks["task_name"]), tuple(tasks["task_type"]), values, is_partial)


def positions(names: pl.Series, among: pl.Series) -> Ints:
    """Where each name stands in a series of distinct names."""
    return names.cast(pl.Enum(among)).to_physical().to_numpy().astype(np.int64)


def compute_task_points(values: Floats, missing: Missing = Missing.ZERO, counted: int | None = None) -> Floats:
    """Borda points per model and task: models − average rank.

    Formula: points = models worse + ½ × models equal, the same as n − average rank. Ties: equal scores share their
    average rank. Missing: a missing task earns 0; under `zero` a model without the task counts as worse, under
    `present` it does not count at all, under `complete` every model that lacks a task is out (0 everywhere).
    Source: mteb 2.26, `_borda_rank_from_long`.

    Args:
        values: Scores, models on the last axis but one, tasks on the last; NaN = missing.
        missing: The rule.
        counted: Models that n counts under `zero`, where mteb counts fewer than it ranks; default all.
    """
    absent = np.isnan(values)
    if missing is Missing.COMPLETE:
        asked = ~absent.all(axis=-2, keepdims=True)
        absent = absent | (absent & asked).any(axis=-1, keepdims=True)
    if not absent.any():
        return average_ranks(values, axis=-2) - 1.0 + _offset(values, missing, counted)
    points = average_ranks(np.where(absent, -np.inf, values), axis=-2) - 1.0
    if missing is Missing.ZERO:
        points += _offset(values, missing, counted)
    else:
        points -= absent.sum(axis=-2, keepdims=True)
    return np.where(absent, 0.0, points)


def _offset(values: Floats, missing: Missing, counted: int | None) -> float:
    return 0.0 if counted is None or missing is not Missing.ZERO else counted - values.shape[-2]


def compute_aggregate(
    values: Floats,
    task_types: tuple[str, ...],
    aggregate: Aggregate = Aggregate.BORDA,
    missing: Missing = Missing.ZERO,
    counted: int | None = None,
) -> Floats:
    """One value per model: Borda points, or the mean over tasks or over the means per task type.

    Formulas: Borda points summed over tasks; `mean_task` = unweighted mean over tasks; `mean_task_type` = mean over
    types of the mean over the type's tasks. Missing: a mean is NaN when a task is missing that any model has (mteb's
    rule), Borda under `complete` is NaN for models that are out; without any score everything is NaN. Units: points;
    fractions.

    Args:
        values: Scores, models on the last axis but one, tasks on the last; NaN = missing.
        task_types: Type of each task.
        aggregate: What to compute.
        missing: Rule for Borda.
        counted: See `compute_task_points`.
    """
    asked = ~np.isnan(values).all(axis=tuple(range(values.ndim - 1)))
    if not asked.any():
        return np.full(values.shape[:-1], np.nan)
    values, types = values[..., asked], np.asarray(task_types)[asked]
    if aggregate is Aggregate.MEAN_TASK:
        return np.asarray(np.round(values.mean(axis=-1), DECIMALS))
    if aggregate is Aggregate.MEAN_TASK_TYPE:
        means = [values[..., types == kind].mean(axis=-1) for kind in dict.fromkeys(types)]
        return np.asarray(np.round(np.mean(means, axis=0), DECIMALS))
    points = compute_task_points(values, missing, counted).sum(axis=-1)
    if missing is Missing.COMPLETE:
        return np.where(np.isnan(values).any(axis=-1), np.nan, points)
    return np.asarray(points)


def rank_values(values: Floats) -> Floats:
    """Ranks of values, 1 = highest; ties share the better rank; NaN has no rank (NaN). Models on the last axis."""
    absent = np.isnan(values)
    return np.where(absent, np.nan, lowest_ranks(np.where(absent, np.inf, -values), axis=-1))


def average_ranks(values: Floats, *, axis: int) -> Floats:
    """Ranks of values, 1 = lowest; ties share the average of their ranks."""
    # scipy.stats takes half a second to load: only whoever ranks pays for it.
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=axis), dtype=np.float64)


def lowest_ranks(values: Floats, *, axis: int) -> Floats:
    """Ranks of values, 1 = lowest; ties share the lowest of their ranks."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, method="min", axis=axis), dtype=np.float64)


def rank_models(
    matrix: ScoreMatrix, aggregate: Aggregate = Aggregate.BORDA, missing: Missing = Missing.ZERO
) -> pl.DataFrame:
    """One row per model: its rank, and all three aggregates, sorted by rank.

    Under mteb's rule (`zero`) a partial task counts with the rows it has, and n counts only the models with every row
    of at least one task, as `_create_summary_table` does. Means and the rule `complete` ask for every row of every task
    but those that no model has whole, and are null for a model that lacks one.

    Returns:
        `model_name`, `rank` (by the aggregate asked for; null = not ranked), `rank_borda`, `borda_points`, `mean_task`,
        `mean_task_type`, `n_tasks` (tasks with a score), `n_partial` (of these, on some rows only), `is_complete`.
    """
    whole, types = matrix.whole, matrix.task_types
    ranked = whole if missing is Missing.COMPLETE else matrix.values
    aggregates = {
        Aggregate.BORDA: compute_aggregate(ranked, types, Aggregate.BORDA, missing, matrix.counted),
        Aggregate.MEAN_TASK: compute_aggregate(whole, types, Aggregate.MEAN_TASK),
        Aggregate.MEAN_TASK_TYPE: compute_aggregate(whole, types, Aggregate.MEAN_TASK_TYPE),
    }
    return (
        pl.DataFrame(
            {
                "model_name": matrix.model_names,
                "rank": rank_values(aggregates[aggregate]),
                "rank_borda": rank_values(aggregates[Aggregate.BORDA]),
                **{kind.column: points for kind, points in aggregates.items()},
                "n_tasks": (~np.isnan(matrix.values)).sum(axis=1),
                "n_partial": matrix.is_partial.sum(axis=1),
                "is_complete": matrix.is_complete,
            },
            schema_overrides={"model_name": pl.String},
            nan_to_null=True,
        )
        .cast({"rank": pl.Int64, "rank_borda": pl.Int64})
        .sort("rank", "model_name", nulls_last=True)
    )


def compare_missing_rules(matrix: ScoreMatrix) -> pl.DataFrame:
    """One row per model: its Borda rank and points under each missing rule, and where they disagree with mteb's.

    `differs_present`, `differs_complete`: the rule gives the model another rank than mteb's rule does *among the
    models that both rank*; ranks that move only because others are left out do not count. Null for a model left out.

    Returns:
        `model_name`; `rank_zero`, `rank_present`, `rank_complete` and `points_…`; `differs_…`. Sorted by `rank_zero`.
    """
    frames = [
        rank_models(matrix, missing=rule).select(
            "model_name", pl.col("rank_borda").alias(f"rank_{rule}"), pl.col("borda_points").alias(f"points_{rule}")
        )
        for rule in Missing
    ]
    ranks = frames[0].join(frames[1], on="model_name").join(frames[2], on="model_name")
    among = pl.col("points_zero").rank("min", descending=True)
    in_both = pl.col("rank_complete").is_not_null()
    return ranks.with_columns(
        differs_present=pl.col("rank_present") != pl.col("rank_zero"),
        differs_complete=pl.when(in_both).then(among.over(in_both).cast(pl.Int64) != pl.col("rank_complete")),
    ).sort("rank_zero", "model_name")
