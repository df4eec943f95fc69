"""Languages compared on the same paper: only over rows that they share in kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from engine.analysis.language_records import LanguageRecords
from engine.analysis.languages import ENGLISH
from engine.schema import RowKind

_PART = ("task_name", "task_type", "split", "row_kind")


@dataclass(frozen=True)
class SamePaper:
    """What some languages share in kind.

    Attributes:
        parts: One row per shared task, split and kind of row × language: `task_name`, `task_type`, `split`, `row_kind`,
            `language`, `rows`, `mean`.
        scores: One row per language: `language`, `language_name`, `score` (over the shared parts; null = nothing is
            shared), `score_published` (over all rows, as mteb counts them), `rows` (shared), `share` (of the model's
            rows in the language that are shared).
        n_tasks: Shared tasks.
    """

    parts: pl.DataFrame
    scores: pl.DataFrame
    n_tasks: int


def compare_same_paper(records: LanguageRecords, model_name: str, languages: Sequence[str]) -> SamePaper:
    """The scores of languages over what all of them share in kind: same task, same split, parallel subsets.

    Rows within a language are parallel to those within another, and rows with English to those with English; rows with
    other languages are not, since their partners differ. Where English itself is compared, only rows within a language
    are: its rows with English are the other languages' own. Formula: mean over tasks of the mean over the shared rows,
    each once, so that a task with more rows in one language weighs no more there. Missing: what the model lacks in one
    of the languages is shared by none.

    Args:
        records: The sums.
        model_name: A model of the records.
        languages: Two languages or more.

    Raises:
        UsageError: There is no such model or language.
    """
    at = records.model_index(model_name)
    asked = list(dict.fromkeys(languages))
    for language in asked:
        records.expect_language(language)
    held = records.sums.cells.with_columns(
        rows=pl.Series(records.sums.rows_distinct[:, at]).cast(pl.Int64),
        total=pl.Series(records.sums.scores_distinct[:, at]),
        rows_counted=pl.Series(records.sums.rows[:, at]),
        total_counted=pl.Series(records.sums.scores[:, at]),
    ).filter(pl.col("rows") > 0, pl.col("language").is_in(asked))
    kinds = [RowKind.SAME.value] if ENGLISH in asked else [RowKind.SAME.value, RowKind.ENGLISH.value]
    parts = held.group_by(*_PART, "language").agg(pl.col("rows", "total").sum())
    shared = parts.filter(pl.col("row_kind").is_in(kinds), pl.len().over(_PART) == len(asked))
    return SamePaper(
        parts=shared.with_columns(mean=pl.col("total") / pl.col("rows"))
        .select(*_PART, "language", "rows", "mean")
        .sort(*_PART, "language"),
        scores=_scores(records, asked, held, shared),
        n_tasks=shared["task_name"].n_unique(),
    )


def _scores(records: LanguageRecords, asked: list[str], held: pl.DataFrame, shared: pl.DataFrame) -> pl.DataFrame:
    per_task = shared.group_by("task_name", "language").agg(pl.col("rows", "total").sum())
    scores = per_task.group_by("language").agg(
        pl.col("rows").sum(), score=(pl.col("total") / pl.col("rows")).sort_by("task_name").mean()
    )
    published = held.group_by("language").agg(
        score_published=pl.col("total_counted").sum() / pl.col("rows_counted").sum(), all_rows=pl.col("rows").sum()
    )
    return (
        pl.DataFrame({"language": asked}, schema={"language": pl.String})
        .join(scores, on="language", how="left", maintain_order="left")
        .join(published, on="language", how="left", maintain_order="left")
        .with_columns(pl.col("rows").fill_null(0), language_name=pl.col("language").replace(records.labels))
        .with_columns(share=pl.col("rows") / pl.col("all_rows"))
        .select("language", "language_name", "score", "score_published", "rows", "share")
    )
