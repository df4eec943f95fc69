"""Single rows of a language: which languages meet in each, and in which direction."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from engine.analysis.languages import row_kind


def describe_rows(rows: pl.DataFrame, codes: Sequence[str]) -> pl.DataFrame:
    """The rows with what each says about a language.

    The direction is told by the order of the list of languages: mteb puts the language of the first side (queries,
    first sentences) first. Rows of one language, or of more than two, have none.

    Args:
        rows: One row per task, split and subset: `languages` and more.
        codes: Codes that count as the language.

    Returns:
        The same rows in their order with `row_kind`, `times` (how often mteb counts the row), `partner` (the other
        language of a pair; null = none) and `direction` (`from` or `into` the language; null = none).
    """
    own = pl.element().is_in(list(codes))
    languages = pl.col("languages")
    is_pair = (languages.list.len() == 2) & (languages.list.eval(own).list.sum() == 1)
    first_is_own = languages.list.first().is_in(list(codes))
    return rows.with_columns(
        row_kind=row_kind(languages),
        times=languages.list.eval(own).list.sum().cast(pl.Int64),
        partner=pl.when(is_pair).then(
            pl.when(first_is_own).then(languages.list.last()).otherwise(languages.list.first())
        ),
        direction=pl.when(is_pair).then(pl.when(first_is_own).then(pl.lit("from")).otherwise(pl.lit("into"))),
    )


def sum_directions(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per task and direction of the rows that are pairs: `task_name`, `direction`, `rows`, `mean`.

    Args:
        rows: `describe_rows`.
    """
    return (
        rows.drop_nulls("direction")
        .group_by("task_name", "direction")
        .agg(rows=pl.len().cast(pl.Int64), mean=pl.col("score").mean())
        .sort("task_name", "direction")
    )
