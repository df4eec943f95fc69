"""English as the hub: the same translation rows seen from both sides of the pair."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.language_records import LanguageRecords
from engine.analysis.languages import ENGLISH
from engine.schema import RowKind


@dataclass(frozen=True)
class LanguageHub:
    """Rows that English shares with other languages.

    Attributes:
        tasks: One row per task: `task_name`, `task_type`, `n_languages`, `rows` and `mean` from the side of English,
            `share` (of the English rows), `contribution` (to the English score), `partner_mean` (mean over the other
            languages of their means), `partner_share` (median share of these rows in the other languages).
        pairs: One row per task × other language: `task_name`, `language`, `language_name`, `rows`, `mean`, `share` (of
            that language's rows); the lowest mean first.
        model_name: Whose scores.
    """

    tasks: pl.DataFrame
    pairs: pl.DataFrame
    model_name: str


def see_both_sides(records: LanguageRecords, model_name: str) -> LanguageHub:
    """What rows with English weigh in the English score, and in that of each other language.

    A translation task with two rows a language puts two rows into each language's score, and all of them into that of
    English. Missing: rows without a number are on neither side.

    Args:
        records: The sums.
        model_name: A model of the records.

    Raises:
        UsageError: There is no such model.
    """
    at = records.model_index(model_name)
    cells = records.sums.cells.with_columns(
        rows=pl.Series(records.sums.rows[:, at]).cast(pl.Int64), total=pl.Series(records.sums.scores[:, at])
    ).filter(pl.col("rows") > 0)
    all_rows = cells.group_by("language").agg(all_rows=pl.col("rows").sum())
    sides = (
        cells.filter(pl.col("row_kind") == RowKind.ENGLISH.value)
        .group_by("task_name", "task_type", "language")
        .agg(pl.col("rows", "total").sum())
        .join(all_rows, on="language")
        .with_columns(mean=pl.col("total") / pl.col("rows"), share=pl.col("rows") / pl.col("all_rows"))
        .with_columns(
            contribution=pl.col("mean") * pl.col("share"), language_name=pl.col("language").replace(records.labels)
        )
    )
    partners = sides.filter(pl.col("language") != ENGLISH)
    of_partners = partners.group_by("task_name").agg(
        n_languages=pl.len().cast(pl.Int64), partner_mean=pl.col("mean").mean(), partner_share=pl.col("share").median()
    )
    tasks = (
        sides.filter(pl.col("language") == ENGLISH)
        .join(of_partners, on="task_name", how="left")
        .select(
            *("task_name", "task_type", "n_languages", "rows", "mean", "share", "contribution"),
            *("partner_mean", "partner_share"),
        )
        .sort("rows", "task_name", descending=[True, False])
    )
    pairs = partners.select("task_name", "language", "language_name", "rows", "mean", "share").sort(
        "mean", "task_name", "language"
    )
    return LanguageHub(tasks, pairs, model_name)
