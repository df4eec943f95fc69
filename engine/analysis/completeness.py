"""Which rows a score stands on, and what is missing: every mean in Scorelens passes through here.

Missing stays missing: a run that lacks a row of the view has no score, and says how many rows it has.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def study_rows(runs: pl.DataFrame, row_scores: pl.DataFrame) -> pl.DataFrame:
    """One row per task and row that every run of that task holds: the rows of a study.

    A row whose score is null counts as held (the file names it); a run without any row is not asked.

    Args:
        runs: `run_id`, `task_name` of every run of one source, before any filter.
        row_scores: `run_id`, `row_id`, `score` (table `scores`).

    Returns:
        `task_name`, `row_id`, sorted.
    """
    held = row_scores.join(runs.select("run_id", "task_name"), on="run_id")
    asked = held.group_by("task_name").agg(n_runs=pl.col("run_id").n_unique())
    return (
        held.group_by("task_name", "row_id")
        .agg(n_holding=pl.len())
        .join(asked, on="task_name")
        .filter(pl.col("n_holding") == pl.col("n_runs"))
        .select("task_name", "row_id")
        .sort("task_name", "row_id")
    )


def score_runs(
    runs: pl.DataFrame, row_scores: pl.DataFrame, view_rows: pl.DataFrame, keys: Sequence[str] = ("task_name",)
) -> pl.DataFrame:
    """The runs with their score over the rows of the view (design, rule 1).

    Formula: unweighted mean of the main score over the view's rows. Ties do not matter. Missing: a row that is
    absent or null leaves the run without a score; `rows` counts those with a number, `rows_expected` those of the view.

    Args:
        runs: `run_id` and the key columns.
        row_scores: `run_id`, `row_id`, `score` (table `scores`).
        view_rows: the key columns and `row_id`: which rows count, per task, or per model and task.
        keys: columns that `view_rows` is told apart by.

    Returns:
        `runs` in their order, with `score` (fraction or null), `rows` and `rows_expected` (counts).
    """
    columns = list(keys)
    expected = view_rows.group_by(columns).agg(rows_expected=pl.len().cast(pl.Int64))
    counted = (
        row_scores.sort("run_id", "row_id")
        .join(runs.select("run_id", *columns), on="run_id", maintain_order="left")
        .join(view_rows, on=[*columns, "row_id"], how="semi", maintain_order="left")
        .group_by("run_id")
        .agg(score=pl.col("score").mean(), rows=pl.col("score").count().cast(pl.Int64))
    )
    complete = (pl.col("rows") == pl.col("rows_expected")) & (pl.col("rows") > 0)
    return (
        runs.join(counted, on="run_id", how="left", maintain_order="left")
        .join(expected, on=columns, how="left", maintain_order="left")
        .with_columns(pl.col("rows", "rows_expected").fill_null(0))
        .with_columns(score=pl.when(complete).then(pl.col("score")))
    )
