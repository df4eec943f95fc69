"""What one model's score in one language is made of: its parts by task, task type, corpus, split and direction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_scores import WhatIf
from engine.schema import RowKind

TRAIN = "train"


class Part(StrEnum):
    """What a score is split into."""

    TASK = "task"
    TASK_TYPE = "task-type"
    CORPUS = "corpus"
    ROW_KIND = "row-kind"


PART_COLUMN = {
    Part.TASK: "task_name",
    Part.TASK_TYPE: "task_type",
    Part.CORPUS: "corpus",
    Part.ROW_KIND: "row_kind",
}


@dataclass(frozen=True)
class LanguageComposition:
    """What a score is made of.

    Attributes:
        model_name: Whose score.
        language: In which language.
        language_name: What the language is called.
        score: Mean over the rows, as mteb counts them; None = the model has no row of the language.
        score_distinct: Mean over the rows, each once.
        rows: Rows that the score stands on, as mteb counts them.
        rows_distinct: The same rows, each once.
        rows_expected: Rows of a model that has all that are asked.
        tasks: One row per task of the language, largest share first; a task without a row of the model comes last:
            `task_name`, `task_type`, `corpus`, `splits`, `uses_train`, `rows`, `rows_distinct`, `rows_expected` (asked;
            0 = no model has them all), `rows_described` (by mteb's description), `share` (of the rows), `mean`,
            `contribution` (they add up to the score), `rows_same`, `rows_english`, `rows_other` (by kind),
            `n_queries`, `n_documents`, `n_samples` (mean per row where known), `main_score`, `sample_creation`,
            `annotations_creators`, `asked_to_do` (first sentence of the description).
        row_kinds: One row per kind of row: `row_kind`, `n_tasks`, `rows`, `share`, `mean`, `contribution`. Rows within
            the language and rows across languages are not the same question.
        what_if: What was left out.
    """

    model_name: str
    language: str
    language_name: str
    score: float | None
    score_distinct: float | None
    rows: int
    rows_distinct: int
    rows_expected: int
    tasks: pl.DataFrame
    row_kinds: pl.DataFrame
    what_if: WhatIf

    @property
    def score_by_task(self) -> float | None:
        """Mean over the tasks of their means, so that every task weighs the same; None = no task has a score."""
        means = self.tasks["mean"].drop_nulls().to_list()
        return sum(means) / len(means) if means else None

    def parts(self, part: Part) -> pl.DataFrame:
        """One row per part, largest share first: its name, `n_tasks`, `rows`, `share`, `mean`, `contribution`."""
        if part is Part.ROW_KIND:
            return self.row_kinds
        name = PART_COLUMN[part]
        held = self.tasks.filter(pl.col("rows") > 0)
        return (
            held.group_by(name)
            .agg(
                pl.len().alias("n_tasks"),
                pl.col("rows", "share", "contribution").sum(),
            )
            .with_columns(mean=pl.col("contribution") / pl.col("share"))
            .select(name, pl.col("n_tasks").cast(pl.Int64), "rows", "share", "mean", "contribution")
            .sort("share", name, descending=[True, False])
        )


def compose(
    records: LanguageRecords, model_name: str, language: str, what_if: WhatIf | None = None
) -> LanguageComposition:
    """What a model's score in a language is made of, weighted by row as mteb does.

    Formulas: share = rows of the part ÷ rows; contribution = share × mean of the part, so that contributions add up to
    the score. Missing: rows without a number are in no part.

    Args:
        records: The sums.
        model_name: A model of the records.
        language: A language of the benchmark, scored or not.
        what_if: What to leave out.

    Raises:
        UsageError: There is no such model or language.
    """
    what_if, at = what_if or WhatIf(), records.model_index(model_name)
    records.expect_language(language)
    sums = records.sums
    cells = sums.cells.with_columns(
        rows=pl.Series(sums.rows[:, at]).cast(pl.Int64),
        rows_distinct=pl.Series(sums.rows_distinct[:, at]).cast(pl.Int64),
        total=pl.Series(sums.scores[:, at]),
        total_distinct=pl.Series(sums.scores_distinct[:, at]),
    ).filter(what_if.kept, pl.col("language") == language, pl.col("rows") > 0)
    rows, rows_distinct = int(cells["rows"].sum()), int(cells["rows_distinct"].sum())
    tasks = _tasks(records, cells, language, what_if, rows)
    return LanguageComposition(
        model_name=model_name,
        language=language,
        language_name=records.label(language),
        score=float(cells["total"].sum()) / rows if rows else None,
        score_distinct=float(cells["total_distinct"].sum()) / rows_distinct if rows_distinct else None,
        rows=rows,
        rows_distinct=rows_distinct,
        rows_expected=int(tasks["rows_expected"].sum()),
        tasks=tasks,
        row_kinds=_summed(cells, "row_kind", rows).sort("share", "row_kind", descending=[True, False]),
        what_if=what_if,
    )


def _summed(cells: pl.DataFrame, by: str, rows: int) -> pl.DataFrame:
    return (
        cells.group_by(by)
        .agg(pl.col("task_name").n_unique().cast(pl.Int64).alias("n_tasks"), pl.col("rows", "total").sum())
        .with_columns(share=pl.col("rows") / rows, mean=pl.col("total") / pl.col("rows"))
        .with_columns(contribution=pl.col("total") / rows)
        .select(by, "n_tasks", "rows", "share", "mean", "contribution")
    )


def _tasks(records: LanguageRecords, cells: pl.DataFrame, language: str, what_if: WhatIf, rows: int) -> pl.DataFrame:
    kinds = {"rows_same": RowKind.SAME, "rows_english": RowKind.ENGLISH, "rows_other": RowKind.OTHER}
    held = cells.group_by("task_name").agg(
        pl.col("split").unique().sort().alias("splits_held"),
        pl.col("rows", "rows_distinct", "total").sum(),
        *(pl.col("rows").filter(pl.col("row_kind") == kind.value).sum().alias(name) for name, kind in kinds.items()),
    )
    described = _described(records, language, what_if)
    about = records.tasks.select(
        "task_name", "main_score", "sample_creation", "annotations_creators", asked_to_do=first_sentence("description")
    )
    asked = records.asked.filter(pl.col("language") == language).select("task_name", "rows_expected")
    counts = ("rows", "rows_distinct", "rows_expected", "rows_described", *kinds)
    columns = ("task_name", "task_type", "corpus", "splits", "uses_train", *counts[:4], "share", "mean", "contribution")
    sizes = ("n_queries", "n_documents", "n_samples")
    splits = pl.coalesce("splits_held", "splits_described")
    return (
        described.join(held, on="task_name", how="left")
        .join(asked, on="task_name", how="left")
        .join(about, on="task_name", how="left")
        .with_columns(pl.col(counts).fill_null(0), splits=splits)
        .with_columns(
            share=pl.when(pl.col("rows") > 0).then(pl.col("rows") / rows).otherwise(0.0),
            mean=pl.col("total") / pl.col("rows"),
            contribution=pl.col("total") / rows,
            uses_train=pl.col("splits").list.contains(TRAIN),
        )
        .select(*columns, *kinds, *sizes, "main_score", "sample_creation", "annotations_creators", "asked_to_do")
        .sort("rows", "rows_described", "task_name", descending=[True, True, False])
    )


def _described(records: LanguageRecords, language: str, what_if: WhatIf) -> pl.DataFrame:
    """One row per task of a language, by description or by result."""
    sizes = ("n_queries", "n_documents", "n_samples")
    of_language = records.papers.filter(what_if.kept, pl.col("language") == language)
    told = of_language.group_by("task_name", "task_type", "corpus").agg(
        *(_mean_size(size) for size in sizes),
        splits_described=pl.col("split").unique().sort(),
        rows_described=pl.col("rows").sum(),
    )
    found = (
        records.sums.cells.filter(what_if.kept, pl.col("language") == language)
        .select("task_name", "task_type", "corpus")
        .unique()
        .join(told, on="task_name", how="anti")
    )
    return pl.concat([told, found], how="diagonal")


def _mean_size(size: str) -> pl.Expr:
    """Mean per row over the rows whose size is known; null where none is."""
    known = pl.col(size).is_not_null()
    return ((pl.col(size) * pl.col("rows")).sum() / pl.col("rows").filter(known).sum()).fill_nan(None).alias(size)


def first_sentence(column: str) -> pl.Expr:
    """The first sentence of a text, on one line."""
    text = pl.col(column).str.replace_all(r"\s+", " ").str.strip_chars()
    return pl.coalesce(text.str.extract(r"^(.+?[.!?])(?:\s|$)"), text)
