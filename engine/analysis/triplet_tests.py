"""What models made of a set of triplet items: outcomes, rates with intervals, pairs compared, lists to look at.

A *run* is a model under one prompt per role; every frame names it by `RUN`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import polars as pl
from scipy.stats import binom

from engine.analysis.intervals import wilson
from engine.analysis.triplet_outcomes import INVALID, RIGHT, TIE, WRONG, judge
from engine.analysis.triplet_shortcuts import shortcut_outcomes

RUN = ("model_name", "model_revision", "base_prompt", "candidate_prompt")
GROUPS = ("language", "phenomenon", "source", "written")
FEWEST = 5
"""Groups of fewer valid items have no rate."""
LEVEL = 0.05
MOST_NEEDED = 10_000
_OUTCOME = {"outcome": pl.String(), "margin": pl.Float64(), "place": pl.Int64(), "n_tied": pl.Int64()}


@dataclass(frozen=True)
class TripletTests:
    """Frames about one set.

    Attributes:
        items: `item_id`, `language`, `phenomenon`, `source`, `status`, `written`, `note`, `author`, `anchor`,
            `anchor_gloss`, `difficulty` (share of valid runs that are right).
        candidates: `item_id`, `role` (positive or negative), `position`, `text`, `gloss`.
        outcomes: item × run: `outcome`, `margin`, `scaled_margin`, `place`, `n_tied`, `n_candidates`, `reason`.
        similarities: item × run × candidate: `role`, `position`, `similarity`.
        rates: `by`, `group`, run, `n`, `n_right`, `n_tie`, `n_wrong`, `n_invalid`, `pass_rate`, `ci_low`, `ci_high`.
        comparisons: pairs of runs (`…_a`, `…_b`): `n`, `n_only_a`, `n_only_b`, `n_ties`, `p`, `p_holm`, `n_needed`.
        baselines: item × shortcut: `baseline`, `outcome`.
        baseline_rates: one row a shortcut, as `rates`.
        notes: What a reader must know.
        settings: What was asked.
    """

    items: pl.DataFrame
    candidates: pl.DataFrame
    outcomes: pl.DataFrame
    similarities: pl.DataFrame
    rates: pl.DataFrame
    comparisons: pl.DataFrame
    baselines: pl.DataFrame
    baseline_rates: pl.DataFrame
    notes: tuple[str, ...]
    settings: dict[str, str]

    @property
    def saturated(self) -> pl.DataFrame:
        """Items that every run with a valid outcome gets right."""
        return self.items.filter(pl.col("difficulty") == 1)

    @property
    def failed_by_all(self) -> pl.DataFrame:
        """Items that no run gets right."""
        return self.items.filter(pl.col("difficulty") == 0)

    @property
    def prompts_disagree(self) -> pl.DataFrame:
        """Items that one model gets right under one prompt and not under another."""
        valid = self.outcomes.filter(pl.col("outcome") != INVALID)
        split = valid.group_by("item_id", "model_name", "model_revision").agg(_is_right().n_unique().alias("verdicts"))
        return self.items.filter(pl.col("item_id").is_in(split.filter(pl.col("verdicts") > 1)["item_id"].to_list()))

    @property
    def solved_by_shortcuts(self) -> pl.DataFrame:
        """Items that some shortcut gets right."""
        solved = self.baselines.filter(_is_right())["item_id"].unique().to_list()
        return self.items.filter(pl.col("item_id").is_in(solved))


def _is_right() -> pl.Expr:
    return pl.col("outcome") == RIGHT


def build_tests(
    items: pl.DataFrame, candidates: pl.DataFrame, similarities: pl.DataFrame, settings: dict[str, str]
) -> TripletTests:
    """The frames of a set.

    Args:
        items: As in `TripletTests`, without `difficulty`.
        candidates: As there.
        similarities: As there, with `spread` and `reason`; rows in any order.
        settings: What was asked, in words.
    """
    outcomes = judge_all(similarities)
    valid = outcomes.filter(pl.col("outcome") != INVALID)
    shares = valid.group_by("item_id").agg(_is_right().mean().alias("difficulty"))
    described = items.join(shares, on="item_id", how="left", maintain_order="left")
    baselines = shortcut_outcomes(items, candidates)
    by_model = _rates(outcomes.with_columns(pl.lit("").alias("group")), "model", fewest=1)
    grouped = outcomes.join(items.select("item_id", *GROUPS), on="item_id")
    by_group = [
        _rates(grouped.filter(pl.col(by) != "").with_columns(pl.col(by).alias("group")), by, fewest=FEWEST)
        for by in GROUPS
    ]
    shortcut_rates = _counts(baselines, ["baseline"])
    ties = int((outcomes["outcome"] == TIE).sum())
    broken = int((outcomes["outcome"] == INVALID).sum())
    notes = [f"{ties} exact ties count as not right" if ties else "", f"{broken} invalid outcomes" if broken else ""]
    return TripletTests(
        described, candidates, outcomes, similarities.select("item_id", *RUN, "role", "position", "similarity"),
        pl.concat([by_model, *by_group]), compare(outcomes), baselines, _with_intervals(shortcut_rates, fewest=1),
        tuple(note for note in notes if note), settings,
    )  # fmt: skip


def judge_all(similarities: pl.DataFrame) -> pl.DataFrame:
    """One row per item and run, by `judge`; `scaled_margin` is the margin ÷ the spread of random pairs of that run."""
    ordered = similarities.sort("item_id", *RUN, "role", "position")
    sides = ordered.group_by("item_id", *RUN, maintain_order=True).agg(
        pl.col("similarity").filter(pl.col("role") == "positive").alias("positives"),
        pl.col("similarity").filter(pl.col("role") == "negative").alias("negatives"),
        pl.col("spread").first(),
        pl.col("reason").first(),
    )
    judged = [judge(right, wrong) for right, wrong in sides.select("positives", "negatives").iter_rows()]
    columns = pl.DataFrame([(j.outcome, j.margin, j.place, j.n_tied) for j in judged], schema=_OUTCOME, orient="row")
    n_candidates = (pl.col("positives").list.len() + pl.col("negatives").list.len()).cast(pl.Int64)
    return sides.hstack(columns).select(
        "item_id", *RUN, "outcome", "margin", (pl.col("margin") / pl.col("spread")).alias("scaled_margin"), "place",
        "n_tied", n_candidates.alias("n_candidates"), "reason",
    )  # fmt: skip


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


def compare(outcomes: pl.DataFrame) -> pl.DataFrame:
    """One row per pair of runs, on the items that are valid for both.

    Exact McNemar: two-sided binomial test of `n_only_a` in `n_only_a` + `n_only_b` at ½; p after Holm over all pairs.
    Ties count as not right; `n_ties` says how many items are tied for either. Source: McNemar (1947), Holm (1979).
    """
    valid = outcomes.filter(pl.col("outcome") != INVALID)
    runs = [
        (key, dict(zip(some["item_id"], some["outcome"], strict=True)))
        for key, some in sorted(valid.group_by(*RUN), key=lambda each: [str(part) for part in each[0]])
    ]
    rows = []
    for (first, left), (second, right) in combinations(runs, 2):
        shared = left.keys() & right.keys()
        only_a = sum(left[item] == RIGHT != right[item] for item in shared)
        only_b = sum(right[item] == RIGHT != left[item] for item in shared)
        tied = sum(TIE in (left[item], right[item]) for item in shared)
        rows.append((*first, *second, len(shared), only_a, only_b, tied, mcnemar(only_a, only_b)))
    names = [*(f"{name}_a" for name in RUN), *(f"{name}_b" for name in RUN)]
    counts = ("n", "n_only_a", "n_only_b", "n_ties")
    columns = {**dict.fromkeys(names, pl.String()), **dict.fromkeys(counts, pl.Int64()), "p": pl.Float64()}
    pairs = pl.DataFrame(rows, schema=columns, orient="row")
    adjusted = holm(pairs["p"].to_list())
    needed = [
        None if p < LEVEL else items_needed(n, a, b)
        for p, n, a, b in zip(adjusted, *(pairs[name] for name in counts[:3]), strict=True)
    ]
    return pairs.with_columns(
        pl.Series("p_holm", adjusted, dtype=pl.Float64), pl.Series("n_needed", needed, dtype=pl.Int64)
    )


def mcnemar(only_a: int, only_b: int) -> float:
    """Two-sided exact p of so uneven a split, were both equally often right; 1 where they never differ."""
    return min(1.0, 2 * float(binom.cdf(min(only_a, only_b), only_a + only_b, 0.5))) if only_a + only_b else 1.0


def holm(values: list[float]) -> list[float]:
    """The values after Holm's step-down correction, in the order given."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = highest
    return adjusted


def items_needed(n: int, only_a: int, only_b: int) -> int | None:
    """How many more items would give p < 0.05 for this pair alone, if they go on as so far; None where nobody leads."""
    if only_a == only_b or not n:
        return None
    factor = 1.0
    while n * (factor - 1) <= MOST_NEEDED:
        if mcnemar(round(only_a * factor), round(only_b * factor)) < LEVEL:
            return max(1, math.ceil(n * (factor - 1)))
        factor *= 1.05
    return None
