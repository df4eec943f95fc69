"""Which kinds of test each language has by mteb's description, whether anybody was scored on them or not."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from engine.analysis.language_records import LanguageRecords
from engine.schema import RowKind

SEARCH = ("Retrieval", "Reranking")
SIMILARITY = ("STS",)


def describe_parts(records: LanguageRecords) -> pl.DataFrame:
    """One row per language × task of the benchmark, by language, then largest share first.

    Formula: share = rows of the task ÷ rows of the language, as mteb counts them.

    Returns:
        `language`, `language_name`, `task_name`, `task_type`, `corpus`, `rows`, `rows_same` (within the language),
        `share`, `is_scored` (results are there).
    """
    within = pl.col("rows").filter(pl.col("row_kind") == RowKind.SAME.value).sum()
    parts = records.papers.group_by("language", "task_name", "task_type", "corpus").agg(
        pl.col("rows").sum(), rows_same=within
    )
    columns = ("language", "language_name", "task_name", "task_type", "corpus", "rows", "rows_same", "share")
    return (
        parts.join(records.asked, on=["language", "task_name"], how="left")
        .with_columns(
            share=pl.col("rows") / pl.col("rows").sum().over("language"),
            is_scored=pl.col("rows_expected").fill_null(0) > 0,
            language_name=pl.col("language").replace(records.labels),
        )
        .select(*columns, "is_scored")
        .sort("language", "rows", "task_name", descending=[False, True, False])
    )


def cover_task_types(records: LanguageRecords) -> pl.DataFrame:
    """The coverage matrix: one row per language × task type that it has any row of.

    Returns:
        `language`, `language_name`, `task_type`, `n_tasks`, `n_tasks_same` (with rows within the language), `rows`,
        `rows_same`.
    """
    within = pl.col("rows_same") > 0
    return (
        describe_parts(records)
        .group_by("language", "language_name", "task_type")
        .agg(
            pl.col("rows", "rows_same").sum(),
            n_tasks=pl.len().cast(pl.Int64),
            n_tasks_same=within.sum().cast(pl.Int64),
        )
        .select("language", "language_name", "task_type", "n_tasks", "n_tasks_same", "rows", "rows_same")
        .sort("language", "task_type")
    )


def count_lacking(covered: pl.DataFrame, task_types: Sequence[str]) -> int:
    """Languages without a single task of these types within the language.

    Args:
        covered: `cover_task_types`.
        task_types: Task types of which one is enough.
    """
    has = covered.filter(pl.col("task_type").is_in(list(task_types)), pl.col("n_tasks_same") > 0)
    return covered["language"].n_unique() - has["language"].n_unique()
