"""Which rows a score stands on, and what is missing: every mean in Scorelens passes through here.

Missing stays missing: a run that lacks a row of the view has no score, and says how many rows it has.

Scores come as sums over *bundles*: rows of one task that the same runs hold with a number, that the same runs hold
without one, and that the same benchmarks average. No view and no match takes a part of a bundle, so a mean over
bundles is the mean over their rows, and a study of 36 million scores is a frame of one or two sums a run.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def bundle_rows(rows: pl.DataFrame, holders: pl.DataFrame, benchmark_rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with the bundle that each belongs to.

    Args:
        rows: `row_id`, `task_name`.
        holders: `row_id`, `holders`: a print of the runs that hold the row with a number and of those that hold it
            without one; rows that no run holds are absent.
        benchmark_rows: `benchmark_name`, `row_id`.

    Returns:
        `row_id`, `task_name`, `bundle_id` (the bundle's first row), sorted by row.
    """
    named = benchmark_rows.sort("benchmark_name").group_by("row_id", maintain_order=True).agg("benchmark_name")
    together = ["task_name", "holders", "benchmark_name"]
    return (
        rows.select("row_id", "task_name")
        .join(holders.select("row_id", "holders"), on="row_id", how="left")
        .join(named, on="row_id", how="left")
        .with_columns(bundle_id=pl.col("row_id").min().over(together))
        .select("row_id", "task_name", "bundle_id")
        .sort("row_id")
    )


def study_bundles(runs: pl.DataFrame, bundle_scores: pl.DataFrame) -> pl.DataFrame:
    """One row per task and bundle that every run of that task holds: the rows of a study.

    A row whose score is null counts as held (the file names it); a run without any row is not asked.

    Args:
        runs: `run_id`, `task_name` of every run of one source, before any filter.
        bundle_scores: `run_id`, `bundle_id`, `n_rows`, `score_sum`.

    Returns:
        `task_name`, `bundle_id`, `n_rows`, sorted.
    """
    held = bundle_scores.join(runs.select("run_id", "task_name"), on="run_id")
    asked = held.group_by("task_name").agg(n_runs=pl.col("run_id").n_unique())
    return (
        held.group_by("task_name", "bundle_id")
        .agg(pl.col("n_rows").first(), n_holding=pl.len())
        .join(asked, on="task_name")
        .filter(pl.col("n_holding") == pl.col("n_runs"))
        .select("task_name", "bundle_id", "n_rows")
        .sort("task_name", "bundle_id")
    )


def score_runs(
    runs: pl.DataFrame, bundle_scores: pl.DataFrame, view: pl.DataFrame, keys: Sequence[str] = ("task_name",)
) -> pl.DataFrame:
    """The runs with their score over the rows of the view (design, rule 1).

    Formula: unweighted mean of the main score over the view's rows. Ties do not matter. Missing: a row that is
    absent or null leaves the run without a score; `rows` counts those with a number, `rows_expected` those of the view.

    Args:
        runs: `run_id` and the key columns.
        bundle_scores: `run_id`, `bundle_id`, `score_sum` (null = held without numbers).
        view: the key columns, `bundle_id` and `n_rows`: which rows count, per task, or per model and task.
        keys: columns that `view` is told apart by.

    Returns:
        `runs` in their order, with `score` (fraction or null), `rows` and `rows_expected` (counts).
    """
    columns = list(keys)
    expected = view.group_by(columns).agg(rows_expected=pl.col("n_rows").sum().cast(pl.Int64))
    counted = (
        bundle_scores.filter(pl.col("score_sum").is_not_null())
        .select("run_id", "bundle_id", "score_sum")
        .join(runs.select("run_id", *columns), on="run_id")
        .join(view.select(*columns, "bundle_id", "n_rows"), on=[*columns, "bundle_id"])
        .sort("run_id", "bundle_id")
        .group_by("run_id")
        .agg(total=pl.col("score_sum").sum(), rows=pl.col("n_rows").sum().cast(pl.Int64))
    )
    complete = (pl.col("rows") == pl.col("rows_expected")) & (pl.col("rows") > 0)
    return (
        runs.join(counted, on="run_id", how="left", maintain_order="left")
        .join(expected, on=columns, how="left", maintain_order="left")
        .with_columns(pl.col("rows", "rows_expected").fill_null(0))
        .with_columns(score=pl.when(complete).then(pl.col("total") / pl.col("rows")))
        .drop("total")
        .select(*runs.columns, "score", "rows", "rows_expected")
    )
