"""Two models on the same items: exact McNemar for every pair, Holm over them, and how many items would tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import binom

from engine.analysis.triplet_outcomes import INVALID, RIGHT, TIE

RUN = ("model_name", "model_revision", "base_prompt", "candidate_prompt")
LEVEL = 0.05
MOST_NEEDED = 10_000
MOST_COMPARED = 40
"""Above so many runs one a model is compared: 780 pairs are more than anybody reads, and Holm's correction for tens of
thousands of pairs, most of them one model under two wordings, would tell no two models apart."""
_STEP = 1.05
_COUNTS = ("n", "n_only_a", "n_only_b", "n_ties")

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


def compared_runs(outcomes: pl.DataFrame) -> pl.DataFrame:
    """The outcomes that are compared: all up to `MOST_COMPARED` runs, else of one run a model.

    That run is the one without prompts where there is one, else the first by its prompts.
    """
    runs = outcomes.select(RUN).unique()
    if runs.height <= MOST_COMPARED:
        return outcomes
    model = ["model_name", "model_revision"]
    one_each = runs.sort(RUN, nulls_last=False).unique(model, keep="first")
    return outcomes.join(one_each, on=RUN, how="semi", nulls_equal=True)


def compare(outcomes: pl.DataFrame) -> pl.DataFrame:
    """One row per pair of runs, on the items that are valid for both.

    Exact McNemar: two-sided binomial test of `n_only_a` in `n_only_a` + `n_only_b` at ½; p after Holm over all pairs;
    `n_needed` as `items_needed` where the pair is not told apart. Ties count as not right; `n_ties` says how many items
    are tied for either. Source: McNemar (1947), Holm (1979).

    Args:
        outcomes: `item_id`, `RUN`, `outcome`; one row per item and run.
    """
    valid = outcomes.filter(pl.col("outcome") != INVALID)
    keys = sorted(valid.select(RUN).unique().rows(), key=lambda run: [str(part) for part in run])
    is_valid, is_right, is_tied = _by_run_and_item(valid, keys)
    held_by_both = is_valid @ is_valid.T
    only_first = is_right @ (is_valid - is_right).T
    tied = is_tied @ is_valid.T + is_valid @ is_tied.T - is_tied @ is_tied.T
    first, second = np.triu_indices(len(keys), k=1)
    n, only_a, only_b, n_ties = (
        counted.astype(np.int64)
        for counted in (
            held_by_both[first, second], only_first[first, second], only_first[second, first], tied[first, second]
        )
    )  # fmt: skip
    p = mcnemar(only_a, only_b)
    adjusted = holm(p)
    needed = _needed_where_open(adjusted, n, only_a, only_b)
    sides = [
        pl.Series(f"{name}_{end}", [keys[place][column] for place in places], dtype=pl.String)
        for end, places in (("a", first), ("b", second))
        for column, name in enumerate(RUN)
    ]
    counts = [pl.Series(name, values) for name, values in zip(_COUNTS, (n, only_a, only_b, n_ties), strict=True)]
    return pl.DataFrame(
        [
            *sides,
            *counts,
            pl.Series("p", p),
            pl.Series("p_holm", adjusted),
            pl.Series("n_needed", needed, dtype=pl.Int64),
        ]
    )


def _by_run_and_item(valid: pl.DataFrame, keys: Sequence[tuple[str | None, ...]]) -> tuple[Numbers, Numbers, Numbers]:
    """Three matrices of 0 and 1, a row a run and a column an item: valid, right, tied."""
    numbered = pl.DataFrame(list(keys), schema=dict.fromkeys(RUN, pl.String()), orient="row").with_row_index("run")
    placed = valid.join(numbered, on=RUN, nulls_equal=True)
    runs, items = placed["run"].to_numpy(), placed["item_id"].rank("dense").to_numpy().astype(np.int64) - 1
    matrices = np.zeros((3, len(keys), int(items.max(initial=-1)) + 1))
    matrices[0, runs, items] = 1
    for place, outcome in enumerate((RIGHT, TIE), start=1):
        matrices[place, runs, items] = (placed["outcome"] == outcome).to_numpy()
    return matrices[0], matrices[1], matrices[2]


def mcnemar(only_a: Counts, only_b: Counts) -> Numbers:
    """Two-sided exact p of so uneven a split, were both equally often right; 1 where they never differ."""
    total = only_a + only_b
    found: Numbers = np.minimum(1.0, 2 * binom.cdf(np.minimum(only_a, only_b), np.maximum(total, 1), 0.5))
    return np.where(total > 0, found, 1.0)


def holm(values: Numbers) -> Numbers:
    """The values after Holm's step-down correction, in the order given."""
    order = np.argsort(values, kind="stable")
    weights = len(values) - np.arange(len(values))
    adjusted = np.empty(len(values))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, weights * values[order]))
    return adjusted


def _needed_where_open(p_holm: Numbers, n: Counts, only_a: Counts, only_b: Counts) -> list[int | None]:
    """`items_needed` of pairs that are not told apart; each distinct triple of counts is worked out once."""
    is_open = p_holm >= LEVEL
    needed: list[int | None] = [None] * len(n)
    if not is_open.any():
        return needed
    triples, which = np.unique(np.stack([n, only_a, only_b])[:, is_open], axis=1, return_inverse=True)
    found = items_needed(*triples)
    for place, triple in zip(np.flatnonzero(is_open), which.ravel(), strict=True):
        needed[place] = found[triple]
    return needed


def items_needed(n: Counts, only_a: Counts, only_b: Counts) -> list[int | None]:
    """How many more items would give p < 0.05 for each pair alone, if it goes on as so far; None where nobody leads."""
    found: list[int | None] = [None] * len(n)
    left = np.flatnonzero((only_a != only_b) & (n > 0))
    factor = 1.0
    while len(left := left[n[left] * (factor - 1) <= MOST_NEEDED]):
        grown = [np.rint(counts[left] * factor).astype(np.int64) for counts in (only_a, only_b)]
        enough = mcnemar(*grown) < LEVEL
        for place in left[enough]:
            found[place] = max(1, int(np.ceil(n[place] * (factor - 1))))
        left = left[~enough]
        factor *= _STEP
    return found
