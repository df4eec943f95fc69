"""What models made of a set of triplet items: outcomes, rates with intervals, pairs compared, lists to look at.

A *run* is a model under one prompt per role; every frame names it by `RUN`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from engine.analysis.intervals import wilson
from engine.analysis.sentences import counted
from engine.analysis.triplet_outcomes import INVALID, RIGHT, TIE, WRONG
from engine.analysis.triplet_pairs import RUN, compare, compared_runs

GROUPS = ("language", "phenomenon", "source", "written")
FEWEST = 5
"""Groups of fewer valid items have no rate."""


@dataclass(frozen=True)
class TripletTests:
    """Frames about one set.

    Attributes:
        items: `item_id`, `language`, `phenomenon`, `source`, `status`, `written`, `note`, `author`, `anchor`,
            `anchor_gloss`, `difficulty` (share of valid runs that are right).
        candidates: `item_id`, `role` (positive or negative), `position`, `text`, `gloss`.
        outcomes: item × run: `outcome`, `margin`, `scaled_margin`, `place`, `n_tied`, `n_candidates`, `reason`.
        rates: `by`, `group`, run, `n`, `n_right`, `n_tie`, `n_wrong`, `n_invalid`, `pass_rate`, `ci_low`, `ci_high`.
        comparisons: pairs of runs that are compared (`…_a`, `…_b`): `n`, `n_only_a`, `n_only_b`, `n_ties`, `p`,
            `p_holm`, `n_needed`.
        baselines: item × shortcut: `baseline`, `outcome`.
        baseline_rates: one row a shortcut, as `rates`.
        notes: What a reader must know.
        settings: What was asked.
    """

    items: pl.DataFrame
    candidates: pl.DataFrame
    outcomes: pl.DataFrame
    rates: pl.DataFrame
    comparisons: pl.DataFrame
    baselines: pl.DataFrame
    baseline_rates: pl.DataFrame
    notes: tuple[str, ...]
    settings: dict[str, str]

    @cached_property
    def saturated(self) -> pl.DataFrame:
        """Items that every run with a valid outcome gets right."""
        return self.items.filter(pl.col("difficulty") == 1)

    @cached_property
    def failed_by_all(self) -> pl.DataFrame:
        """Items that no run gets right."""
        return self.items.filter(pl.col("difficulty") == 0)

    @cached_property
    def most_telling(self) -> str | None:
        """The item on which models disagree most: nearest to half of them right, then the widest span of margins.

        The first item where they disagree on none; None where there is no item.
        """
        spans = self.outcomes.group_by("item_id").agg(
            (pl.col("scaled_margin").max() - pl.col("scaled_margin").min()).fill_null(0).alias("span")
        )
        ranked = (
            self.items.with_columns((pl.col("difficulty") - 0.5).abs().fill_null(0.5).alias("evenness"))
            .join(spans, on="item_id", how="left", maintain_order="left")
            .with_columns(pl.when(pl.col("evenness") < 0.5).then(pl.col("span")).fill_null(0).alias("span"))
            .sort("evenness", "span", descending=[False, True], maintain_order=True)
        )
        return next(iter(ranked["item_id"]), None)

    @cached_property
    def prompts_disagree(self) -> pl.DataFrame:
        """Items that one model gets right under one prompt and not under another."""
        valid = self.outcomes.filter(pl.col("outcome") != INVALID)
        split = valid.group_by("item_id", "model_name", "model_revision").agg(_is_right().n_unique().alias("verdicts"))
        return self.items.filter(pl.col("item_id").is_in(split.filter(pl.col("verdicts") > 1)["item_id"].to_list()))

    @cached_property
    def solved_by_shortcuts(self) -> pl.DataFrame:
        """Items that some shortcut gets right."""
        solved = self.baselines.filter(_is_right())["item_id"].unique().to_list()
        return self.items.filter(pl.col("item_id").is_in(solved))


def _is_right() -> pl.Expr:
    return pl.col("outcome") == RIGHT


def build_tests(
    items: pl.DataFrame,
    candidates: pl.DataFrame,
    outcomes: pl.DataFrame,
    baselines: pl.DataFrame,
    settings: dict[str, str],
    notes: tuple[str, ...] = (),
) -> TripletTests:
    """The frames of a set.

    Args:
        items: As in `TripletTests`, without `difficulty`.
        candidates: As there.
        outcomes: As there, without `scaled_margin`, with `spread`.
        baselines: As there.
        settings: What was asked, in words.
        notes: What a reader must know beside what the frames say.
    """
    spread = pl.when(pl.col("spread") > 0).then(pl.col("spread"))
    outcomes = outcomes.with_columns((pl.col("margin") / spread).alias("scaled_margin")).select(
        "item_id", *RUN, "outcome", "margin", "scaled_margin", "place", "n_tied", "n_candidates", "reason"
    )
    valid = outcomes.filter(pl.col("outcome") != INVALID)
    shares = valid.group_by("item_id").agg(_is_right().mean().alias("difficulty"))
    described = items.join(shares, on="item_id", how="left", maintain_order="left")
    by_model = _rates(outcomes.with_columns(pl.lit("").alias("group")), "model", fewest=1)
    grouped = outcomes.join(items.select("item_id", *GROUPS), on="item_id")
    by_group = [
        _rates(grouped.filter(pl.col(by) != "").with_columns(pl.col(by).alias("group")), by, fewest=FEWEST)
        for by in GROUPS
    ]
    compared = compared_runs(outcomes)
    return TripletTests(
        described, candidates, outcomes, pl.concat([by_model, *by_group]), compare(compared), baselines,
        _with_intervals(_counts(baselines, ["baseline"]), fewest=1), (*_notes(outcomes, compared), *notes), settings,
    )  # fmt: skip


def _notes(outcomes: pl.DataFrame, compared: pl.DataFrame) -> tuple[str, ...]:
    ties = int((outcomes["outcome"] == TIE).sum())
    broken = int((outcomes["outcome"] == INVALID).sum())
    n_runs, n_compared = (some.select(RUN).n_unique() for some in (outcomes, compared))
    return tuple(
        note
        for note, holds in (
            (f"{counted(ties, 'exact tie')} counted as not right", ties),
            (counted(broken, "invalid outcome"), broken),
            (
                f"{n_runs} models and prompts are more than are compared pair by pair: {n_compared} are, one a model, "
                "without prompts where it was asked so; choose models to compare their wordings",
                n_compared < n_runs,
            ),
        )
        if holds
    )


def _counts(outcomes: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    def number(outcome: str) -> pl.Expr:
        return (pl.col("outcome") == outcome).sum().cast(pl.Int64)

    return outcomes.group_by(by, maintain_order=True).agg(
        (pl.col("outcome") != INVALID).sum().cast(pl.Int64).alias("n"),
        number(RIGHT).alias("n_right"), number(TIE).alias("n_tie"), number(WRONG).alias("n_wrong"),
        number(INVALID).alias("n_invalid"),
    )  # fmt: skip


def _rates(outcomes: pl.DataFrame, by: str, *, fewest: int) -> pl.DataFrame:
    counted = _counts(outcomes, ["group", *RUN]).select(pl.lit(by).alias("by"), pl.all())
    return _with_intervals(counted, fewest=fewest)


def _with_intervals(counts: pl.DataFrame, *, fewest: int) -> pl.DataFrame:
    """Counts with `pass_rate` and its Wilson interval; null below `fewest` valid items."""
    intervals = [
        (right / n, *(wilson(right, n) or (None, None))) if n >= fewest else (None, None, None)
        for right, n in counts.select("n_right", "n").iter_rows()
    ]
    columns = dict.fromkeys(("pass_rate", "ci_low", "ci_high"), pl.Float64())
    return counts.hstack(pl.DataFrame(intervals, schema=columns, orient="row"))
