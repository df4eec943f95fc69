"""The ranks that one model could have on a published leaderboard by its choice of prompts alone.

The marked exception to the rule that a published view never mixes in prompt experiments: one model's rows are replaced
by its prompt runs on the same rows, everyone else's stay as published.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl

from engine.analysis.rank_probabilities import task_weights
from engine.analysis.ranking import Aggregate, Floats, Ints, Missing, ScoreMatrix, compute_task_points

DRAWS = 2_000
TOLERANCE = 1e-12


class Setting(StrEnum):
    """What stands in the replaced tasks."""

    PUBLISHED = "published"
    WORST = "worst prompts"
    MEDIAN = "median prompts"
    BEST = "best prompts"


@dataclass(frozen=True)
class PromptFreedom:
    """One model on a published leaderboard under its prompts.

    Attributes:
        ranks: One row per `Setting`: `setting`, `rank`, the aggregate; null where the ranking leaves the model out.
        draws: One row per rank that came up when a prompt was drawn on each replaced task: `rank`, `probability` (share
            of draws).
        tasks: One row per replaced task: `task_name`, `n` (prompts), `published_score`, `min`, `median`, `max`
            (fractions).
        model_name: The model.
        n_models: Models ranked.
        n_tasks: Tasks ranked over; only those in `tasks` are replaced.
        n_draws: Draws.
        seed: Seed of the draws.
    """

    ranks: pl.DataFrame
    draws: pl.DataFrame
    tasks: pl.DataFrame
    model_name: str
    n_models: int
    n_tasks: int
    n_draws: int
    seed: int


def compute_prompt_freedom(
    board: ScoreMatrix,
    model_name: str,
    replaced: pl.DataFrame,
    aggregate: Aggregate = Aggregate.BORDA,
    missing: Missing = Missing.ZERO,
    *,
    n_draws: int = DRAWS,
    seed: int = 0,
) -> PromptFreedom:
    """The range of ranks of one model among all, over its prompts on the tasks that its study shares with the board.

    A higher score on a task costs the model no points and brings no rival any, so best and worst prompts give the ends
    of the range exactly; between them lie the drawn ranks. Ties share the better rank. Missing tasks follow `missing`;
    under `complete`, and for means, only models with every row of every task are ranked.

    Args:
        board: Published scores.
        model_name: The model; one that the ranking leaves out has no rank.
        replaced: One row per task × prompt: `task_name`, `prompt_id`, `score`: the model's score on the task with the
            rows that the prompt ran on replaced. Null scores and tasks that are not on the board do not count.
        aggregate: What models are ranked by.
        missing: Rule for Borda.
        n_draws: Draws.
        seed: Seed.
    """
    only_complete = aggregate is not Aggregate.BORDA or missing is Missing.COMPLETE
    ranked = board.complete_part() if only_complete else board
    options = _options(replaced, ranked, model_name)
    stream = np.random.default_rng(seed)
    picks = {task: _picks(len(scores) - 2, n_draws, stream) for task, scores in options.items()}
    ranks, own = _standing(ranked, model_name, options, picks, len(Setting) + n_draws, aggregate, missing)
    drawn, counts = np.unique(ranks[len(Setting) :], return_counts=True, equal_nan=True)
    settings = {"setting": [setting.value for setting in Setting], "rank": ranks[: len(Setting)]}
    return PromptFreedom(
        ranks=pl.DataFrame({**settings, aggregate.column: own[: len(Setting)]}, nan_to_null=True).cast(
            {"rank": pl.Int64}
        ),
        draws=pl.DataFrame({"rank": drawn, "probability": counts / max(n_draws, 1)}, nan_to_null=True)
        .drop_nulls()
        .cast({"rank": pl.Int64}),
        tasks=_tasks(ranked, options),
        model_name=model_name,
        n_models=len(ranked.model_names),
        n_tasks=len(ranked.task_names),
        n_draws=n_draws,
        seed=seed,
    )


def _standing(
    board: ScoreMatrix,
    model_name: str,
    options: dict[int, Floats],
    picks: dict[int, Ints],
    n_columns: int,
    aggregate: Aggregate,
    missing: Missing,
) -> tuple[Floats, Floats]:
    """Rank and aggregate of the model in every column; NaN where the ranking leaves it out."""
    if model_name not in board.model_names:
        return np.full(n_columns, np.nan), np.full(n_columns, np.nan)
    model = board.model_names.index(model_name)
    totals = _totals(board, model, options, picks, n_columns, aggregate, missing)
    return 1.0 + (totals > totals[model] + TOLERANCE).sum(axis=0), totals[model]


def _options(replaced: pl.DataFrame, board: ScoreMatrix, model_name: str) -> dict[int, Floats]:
    """For each replaced task of the board: the published score, the prompt scores in rising order, their median."""
    scored = replaced.filter(pl.col("score").is_not_null() & pl.col("task_name").is_in(board.task_names))
    options = {}
    for task, scores in scored.group_by("task_name").agg("score").sort("task_name").iter_rows():
        column = board.task_names.index(task)
        published = (
            board.values[board.model_names.index(model_name), column] if model_name in board.model_names else np.nan
        )
        options[column] = np.array([published, *sorted(scores), np.median(scores)])
    return options


def _picks(n: int, n_draws: int, stream: np.random.Generator) -> Ints:
    """Which option of a task each column takes: one a setting, in their order, then the draws."""
    return np.concatenate([[0, 1, n + 1, n], stream.integers(1, n + 1, size=n_draws)]).astype(np.int64)


def _totals(
    board: ScoreMatrix,
    model: int,
    options: dict[int, Floats],
    picks: dict[int, Ints],
    n_columns: int,
    aggregate: Aggregate,
    missing: Missing,
) -> Floats:
    """The aggregate of every model in every column, models × columns."""
    weights = task_weights(board.values[..., None], board.task_types, aggregate)
    counted = board.counted if missing is Missing.ZERO else None

    def parts(values: Floats) -> Floats:
        return compute_task_points(values, missing, counted) if aggregate is Aggregate.BORDA else values

    kept = [task for task in range(len(board.task_names)) if task not in options]
    totals = np.repeat((parts(board.values[:, kept]) @ weights[kept])[:, None], n_columns, axis=1)
    for task, scores in options.items():
        column = np.repeat(board.values[:, [task]], len(scores), axis=1)
        column[model] = scores
        totals += weights[task] * parts(column)[:, picks[task]]
    return totals


def _tasks(board: ScoreMatrix, options: dict[int, Floats]) -> pl.DataFrame:
    rows = [
        {
            "task_name": board.task_names[task],
            "n": len(scores) - 2,
            "published_score": scores[0],
            "min": scores[1],
            "median": scores[-1],
            "max": scores[-2],
        }
        for task, scores in options.items()
    ]
    numbers = dict.fromkeys(("published_score", "min", "median", "max"), pl.Float64)
    return pl.DataFrame(rows, schema={"task_name": pl.String, "n": pl.Int64, **numbers}, nan_to_null=True)
