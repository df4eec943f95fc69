"""Calls counted: over all cells, per model with an interval, per tenth of the place, like and unlike conditions."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.intervals import wilson
from engine.analysis.places import Call

EVERY = "all"
ALIKE = "alike"
UNLIKE = "unlike"


@dataclass(frozen=True)
class CallCounts:
    """How many cells got which call.

    Attributes:
        called: Cells with a call.
        high: Reference above the upper threshold.
        typical: Neither.
        low: Reference below the lower threshold.
        above_every: Reference above every prompt score.
        above_median: Reference above the median prompt score.
        not_called: Cells without a call.
    """

    called: int
    high: int
    typical: int
    low: int
    above_every: int
    above_median: int
    not_called: int


def count_calls(cells: pl.DataFrame) -> CallCounts:
    """How many cells are high, typical, low, above every prompt and above the median prompt.

    Only cells with a call are counted, the others in `not_called`. A tie with the best prompt is not above it.

    Args:
        cells: `PromptDistributions.cells`, or some of its rows.
    """
    counts = cells.select(
        called=pl.col("call").count(),
        **{call.value: (pl.col("call") == call.value).sum() for call in Call},
        above_every=(pl.col("call").is_not_null() & _above_every()).sum(),
        above_median=(pl.col("call").is_not_null() & (pl.col("gap_to_median") > 0)).sum(),
        not_called=pl.col("call").null_count(),
    ).row(0, named=True)
    return CallCounts(**{name: int(count or 0) for name, count in counts.items()})


def count_by_conditions(cells: pl.DataFrame) -> pl.DataFrame:
    """One row each for all calls, those across alike and those across unlike conditions (design, rule 6).

    Returns:
        `conditions` (`all`, `alike`, `unlike`) and the counts of `CallCounts`.
    """
    unlike = pl.col("unlike_conditions").list.len().fill_null(0) > 0
    parts = {EVERY: cells, ALIKE: cells.filter(~unlike), UNLIKE: cells.filter(unlike)}
    return pl.DataFrame([{"conditions": name, **vars(count_calls(part))} for name, part in parts.items()])


def calls_by_model(cells: pl.DataFrame, *, high: float = 0.9, level: float = 0.95) -> pl.DataFrame:
    """One row per model: its calls, the share that is high, and Wilson's interval around that share.

    The interval asks how far the share could move had other tasks of the same kind been drawn; it takes the tasks as
    independent, which tasks of one family are not, so it is rather too narrow. `expected_share` is the share of high
    calls that a prompt like any other would get: 1 − the upper threshold. Missing: cells without a call are left out
    of the share; a model without calls has no share. Units: fractions.

    Args:
        cells: `PromptDistributions.cells`.
        high: Upper threshold of the call.
        level: Level of the interval.

    Returns:
        `model_name`, `n_cells` (with a call), `high`, `typical`, `low`, `above_every`, `high_share`, `ci_low`,
        `ci_high`, `expected_share`, sorted by model.
    """
    rows = []
    for (model,), own in cells.sort("model_name").group_by("model_name", maintain_order=True):
        counts = count_calls(own)
        interval = wilson(counts.high, counts.called, level)
        rows.append(
            {
                "model_name": model,
                "n_cells": counts.called,
                "high": counts.high,
                "typical": counts.typical,
                "low": counts.low,
                "above_every": counts.above_every,
                "high_share": counts.high / counts.called if counts.called else None,
                "ci_low": interval.low if interval else None,
                "ci_high": interval.high if interval else None,
                "expected_share": 1 - high,
            }
        )
    counts_of = dict.fromkeys(("n_cells", "high", "typical", "low", "above_every"), pl.Int64)
    shares = dict.fromkeys(("high_share", "ci_low", "ci_high", "expected_share"), pl.Float64)
    return pl.DataFrame(rows, {"model_name": pl.String, **counts_of, **shares})


def count_tenths(cells: pl.DataFrame) -> pl.DataFrame:
    """Ten rows: how many references stand in each tenth of their prompt scores, and how many would by chance.

    The place is the mid-rank (ties half); a tenth holds its lower bound and not its upper one, the last holds both.
    `expected` = cells ÷ 10: were the reference a prompt like any other, each tenth would hold as many. Cells without a
    call are not counted.

    Returns:
        `tenth` (0–9), `lower`, `upper` (fractions), `n`, `expected`.
    """
    called = cells.filter(pl.col("call").is_not_null())
    counted = called.group_by(tenth_of(pl.col("place_midrank")).alias("tenth")).agg(n=pl.len().cast(pl.Int64))
    return (
        pl.DataFrame({"tenth": range(10)}, {"tenth": pl.Int64})
        .join(counted, on="tenth", how="left", maintain_order="left")
        .select(
            "tenth",
            lower=pl.col("tenth") / 10,
            upper=(pl.col("tenth") + 1) / 10,
            n=pl.col("n").fill_null(0),
            expected=pl.lit(len(called) / 10),
        )
    )


def tenth_of(place: pl.Expr) -> pl.Expr:
    """Number of the tenth, 0 to 9, that a place (fraction) falls into."""
    # 0.3 × 10 is a hair below 3 in binary; places are multiples of 1 / 2n, so the hair is never a place of its own.
    return ((place * 10 + 1e-9).floor().clip(0, 9)).cast(pl.Int64)


def _above_every() -> pl.Expr:
    return (pl.col("n_below") == pl.col("n")) & (pl.col("n") > 0)
