"""The remedy for whoever needs a cut-off: one calibrated on labelled pairs, per run and language, with its interval."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

RUN = ("model_name", "model_revision", "base_prompt", "candidate_prompt")
FEWEST_PAIRS = 20
DRAWS, SEED = 2000, 1
BLOCK = 100
"""Resamples that are worked out together: of ten thousand pairs they take some megabytes."""

Numbers = NDArray[np.float64]


def calibrate(similarities: pl.DataFrame, items: pl.DataFrame, *, seed: int = SEED) -> pl.DataFrame:
    """One row per run and language with 20 valid pairs or more.

    `cutoff` is the cosine that errs least, wrongly accepted and wrongly rejected pairs weighing the same per side;
    `ci_low` and `ci_high` are the 2.5th and 97.5th percentile over 2,000 resamples of items (pairs of an item stay
    together); `error_rate` is the mean of both error rates on the pairs themselves, so it flatters.

    Args:
        similarities: Item × run × candidate: `item_id`, `RUN`, `role`, `position`, `similarity`.
        items: `item_id` and `language`.
        seed: Of the resamples.
    """
    valid = similarities.drop_nulls("similarity").join(items.select("item_id", "language"), on="item_id")
    rows = []
    for key, some in valid.sort("item_id", "role", "position").group_by(*RUN, "language", maintain_order=True):
        values, labels = some["similarity"].to_numpy(), (some["role"] == "positive").to_numpy()
        if len(values) < FEWEST_PAIRS or labels.all() or not labels.any():
            continue
        owners = some["item_id"].rank("dense").to_numpy().astype(int) - 1
        cutoffs, errors = best_cutoffs(values, labels, np.ones((1, len(values))))
        low, high = np.quantile(_drawn_cutoffs(values, labels, owners, seed), [0.025, 0.975])
        rows.append((*key, float(cutoffs[0]), float(low), float(high), len(values), float(errors[0])))
    columns = {
        **dict.fromkeys((*RUN, "language"), pl.String()),
        **dict.fromkeys(("cutoff", "ci_low", "ci_high"), pl.Float64()),
        "n_pairs": pl.Int64(), "error_rate": pl.Float64(),
    }  # fmt: skip
    return pl.DataFrame(rows, schema=columns, orient="row")


def _drawn_cutoffs(values: Numbers, labels: NDArray[np.bool_], owners: NDArray[np.int64], seed: int) -> Numbers:
    """Cut-offs over resamples of items, without those that lack right or wrong pairs."""
    rng = np.random.default_rng(seed)
    n = int(owners.max()) + 1
    times = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS)
    found = []
    for start in range(0, DRAWS, BLOCK):
        weights = times[start : start + BLOCK, owners].astype(np.float64)
        both = weights[:, labels].any(axis=1) & weights[:, ~labels].any(axis=1)
        found.append(best_cutoffs(values, labels, weights[both])[0])
    return np.concatenate(found)


def best_cutoffs(values: Numbers, labels: NDArray[np.bool_], weights: Numbers) -> tuple[Numbers, Numbers]:
    """By row of weights: the cosine, among those measured, that errs least when all from it on are accepted; its error.

    Args:
        values: Cosines of pairs.
        labels: Which of them mean the same.
        weights: A row a resample: how often each pair is in it, both kinds at least once.
    """
    order = np.argsort(-values, kind="stable")
    right, wrong = weights[:, order] * labels[order], weights[:, order] * ~labels[order]
    rejected = 1 - np.cumsum(right, axis=1) / right.sum(axis=1, keepdims=True)
    accepted = np.cumsum(wrong, axis=1) / wrong.sum(axis=1, keepdims=True)
    ordered = values[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    errors = np.where(last, (rejected + accepted) / 2, np.inf)
    places = np.argmin(errors, axis=1)
    return ordered[places], errors[np.arange(len(places)), places]
