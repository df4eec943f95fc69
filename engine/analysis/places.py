"""Location and spread of the prompt scores of a cell, and the place of a reference among them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from engine.analysis.prompt_records import CELL
from engine.analysis.references import NO_DEFAULT, Reference

EQUAL_WITHIN = 1e-12
"""Two scores nearer than this are the same score: the rounding of a mean over rows."""

LEAST_PROMPTS = 5
"""Fewer scores than this give no call (design, rule 6)."""

STUDY_ROWS = "study"


class Call(StrEnum):
    """Where a reference lies among the prompt scores."""

    HIGH = "high"
    """above the upper threshold: inflated"""
    TYPICAL = "typical"
    LOW = "low"
    """below the lower threshold: deflated"""


@dataclass(frozen=True)
class Reading:
    """One admissible way to read the records.

    Attributes:
        reference: What the prompts are compared with.
        rows: `study`, or the name of a benchmark whose rows count.
        low: Lower threshold of the call, as a share of the prompt scores (fraction).
        high: Upper threshold (fraction).
    """

    reference: Reference = Reference.SAME_HARNESS
    rows: str = STUDY_ROWS
    low: float = 0.1
    high: float = 0.9


def describe_cells(scored: pl.DataFrame, reading: Reading) -> pl.DataFrame:
    """One row per cell: location and spread of its prompt scores (design, rule 7).

    Formulas: `mean`; `median`; `sd` with n − 1; `cv` = sd ÷ mean; `score_range` = max − min; `iqr` = third − first
    quartile; `q_low`, `q_high` = the reading's thresholds as quantiles. All quantiles are linear (Hyndman-Fan type 7,
    numpy's default). Missing: a null score counts in `n_incomplete` and nowhere else; `sd` is null for n < 2, `cv` for
    n < 2 or mean ≤ 0. `rows` is the lowest number of rows that a run of the cell has. Units: fractions.

    Args:
        scored: `model_name`, `task_name`, `task_type`, `score`, `rows`, `rows_expected`, one row per prompt.
        reading: Gives the thresholds.
    """
    score = pl.col("score")
    has_cv = (pl.col("n") >= 2) & (pl.col("mean") > EQUAL_WITHIN)
    return (
        scored.group_by(CELL)
        .agg(
            n=score.count().cast(pl.Int64),
            n_incomplete=score.null_count().cast(pl.Int64),
            mean=score.mean(),
            median=score.median(),
            sd=score.std(),
            min=score.min(),
            max=score.max(),
            q_low=score.quantile(reading.low, "linear"),
            q_high=score.quantile(reading.high, "linear"),
            iqr=score.quantile(0.75, "linear") - score.quantile(0.25, "linear"),
            rows=pl.col("rows").min(),
            rows_expected=pl.col("rows_expected").first(),
            task_type=pl.col("task_type").first(),
        )
        .with_columns(cv=pl.when(has_cv).then(pl.col("sd") / pl.col("mean")), score_range=pl.col("max") - pl.col("min"))
        .sort("task_name", "model_name")
    )


def place_references(scored: pl.DataFrame, cells: pl.DataFrame, reading: Reading) -> pl.DataFrame:
    """The cells with the place of their reference among the prompt scores, and the call (design, rule 6).

    Formulas: `place_share_le` = (below + equal) ÷ n; `place_midrank` = (below + equal ÷ 2) ÷ n; `call` = high above
    the upper quantile, low below the lower one, else typical; `gap_to_median` = reference − median. Ties: scores
    within 1e-12 are equal, and a reference equal to a threshold is typical. Missing: no reference, or fewer than 5
    scores, gives no call and `no_call_reason` says which; the place needs one score. Units: fractions.

    Args:
        scored: `model_name`, `task_name`, `score`, one row per prompt.
        cells: `describe_cells` with `reference_score`, `reference_rows`, `reference_rows_expected`.
        reading: Names the reference.
    """
    reference = pl.col("reference_score")
    distance = pl.col("score") - reference
    counts = (
        scored.select(*CELL, "score")
        .join(cells.select(*CELL, "reference_score"), on=list(CELL))
        .filter(distance.is_not_null())
        .group_by(CELL)
        .agg(
            n_below=(distance < -EQUAL_WITHIN).sum().cast(pl.Int64),
            n_equal=(distance.abs() <= EQUAL_WITHIN).sum().cast(pl.Int64),
        )
    )
    enough = pl.col("n") >= LEAST_PROMPTS
    return cells.join(counts, on=list(CELL), how="left").with_columns(
        place_share_le=(pl.col("n_below") + pl.col("n_equal")) / pl.col("n"),
        place_midrank=(pl.col("n_below") + pl.col("n_equal") / 2) / pl.col("n"),
        call=pl.when(enough & reference.is_not_null()).then(call_of(reference, pl.col("q_low"), pl.col("q_high"))),
        no_call_reason=_no_call_reason(),
        gap_to_median=reference - pl.col("median"),
    )


def call_of(reference: pl.Expr, low: pl.Expr, high: pl.Expr) -> pl.Expr:
    """The call of a reference between two quantiles of the prompt scores; equal within 1e-12 is typical."""
    return (
        pl.when(reference - high > EQUAL_WITHIN)
        .then(pl.lit(Call.HIGH.value))
        .when(low - reference > EQUAL_WITHIN)
        .then(pl.lit(Call.LOW.value))
        .otherwise(pl.lit(Call.TYPICAL.value))
    )


def _no_call_reason() -> pl.Expr:
    partial = pl.format("the reference has {} of {} rows", pl.col("reference_rows"), pl.col("reference_rows_expected"))
    return (
        pl.when(pl.col("reference_source").is_null())
        .then(pl.lit(NO_DEFAULT))
        .when(pl.col("reference_score").is_null())
        .then(partial)
        .when(pl.col("n") < LEAST_PROMPTS)
        .then(pl.format("fewer than 5 prompts with a score: {}", pl.col("n")))
    )
