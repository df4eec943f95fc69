"""The rule of order: right, tie, wrong or invalid, and how far the right candidate is from the hardest wrong one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

NOISE = 1e-5
"""Cosines nearer than this are equal where nobody measured how far encoding again moves those of the model: about
thirty times what it does on a CPU in float32, and far too little for bfloat16."""
RIGHT, TIE, WRONG, INVALID = "right", "tie", "wrong", "invalid"


@dataclass(frozen=True)
class Judged:
    """What came of one item under one model."""

    outcome: str
    margin: float | None
    """the lowest cosine of the same meaning minus the highest of something else; None where invalid"""
    place: int | None
    """of the right candidate among itself and the wrong ones, 1 = nearest; ties share the better place"""
    n_tied: int
    """wrong candidates that are equal to it"""


def judge(positives: Sequence[float | None], negatives: Sequence[float | None], noise: float = NOISE) -> Judged:
    """The outcome of an item: right where every text of the same meaning is strictly above every other.

    Ties: within `noise` of the highest wrong one is a tie, which is not right. Missing: any missing cosine, or
    one that is no number, makes the item invalid. Source: rule 11 of the design, order not threshold.
    """
    values = [*positives, *negatives]
    if not positives or not negatives or any(value is None or not math.isfinite(value) for value in values):
        return Judged(INVALID, None, None, 0)
    right = min(value for value in positives if value is not None)
    wrong = [value for value in negatives if value is not None]
    margin = right - max(wrong)
    place = 1 + sum(value > right + noise for value in wrong)
    n_tied = sum(abs(value - right) <= noise for value in wrong)
    outcome = TIE if abs(margin) <= noise else RIGHT if margin > 0 else WRONG
    return Judged(outcome, margin, place, n_tied)


def judge_all(similarities: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """One row per item and run, in order of the keys: what `judge` says of each, all at once.

    `outcome`, `margin`, `place`, `n_tied`, `n_candidates`, `noise`, `spread`, `reason`.

    Args:
        similarities: `role` (positive or negative), `similarity`, and the same on all rows of an item and run: `noise`
            (null = `NOISE`), `spread`, `reason`; rows in any order.
        keys: Columns that name an item and a run.
    """
    value, is_right = pl.col("similarity"), pl.col("role") == "positive"
    valued = similarities.with_columns(pl.when(value.is_finite()).then(value).alias("similarity"))
    sides = valued.group_by(keys).agg(
        value.filter(is_right).min().alias("right"),
        value.filter(~is_right).max().alias("hardest"),
        (is_right.any() & ~is_right.all() & (value.null_count() == 0)).alias("is_whole"),
        pl.len().cast(pl.Int64).alias("n_candidates"),
        pl.col("noise", "spread", "reason").first(),
    )
    nearer_than = pl.col("noise").fill_null(NOISE)
    right, margin = pl.col("right"), pl.col("right") - pl.col("hardest")
    among_wrong = (
        valued.filter(~is_right)
        .select(*keys, "similarity")
        .join(sides.select(*keys, "right", nearer_than), on=keys, nulls_equal=True)
        .group_by(keys)
        .agg(
            (value > right + pl.col("noise")).sum().cast(pl.Int64).alias("n_above"),
            ((value - right).abs() <= pl.col("noise")).sum().cast(pl.Int64).alias("n_equal"),
        )
    )
    outcome = (
        pl.when(~pl.col("is_whole")).then(pl.lit(INVALID)).when(margin.abs() <= nearer_than).then(pl.lit(TIE))
        .when(margin > 0).then(pl.lit(RIGHT)).otherwise(pl.lit(WRONG))
    )  # fmt: skip
    whole = pl.when("is_whole")
    return sides.join(among_wrong, on=keys, how="left", nulls_equal=True).sort(keys).select(
        *keys, outcome.alias("outcome"), whole.then(margin).alias("margin"),
        whole.then(1 + pl.col("n_above")).alias("place"),
        whole.then(pl.col("n_equal")).otherwise(0).alias("n_tied"), "n_candidates", "noise", "spread", "reason",
    )  # fmt: skip
