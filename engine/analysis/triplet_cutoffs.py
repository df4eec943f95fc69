"""The remedy for whoever needs a cut-off: one calibrated on labelled pairs, per run and language, with its interval."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

RUN = ("model_name", "model_revision", "base_prompt", "candidate_prompt")
FEWEST_PAIRS = 20
DRAWS, SEED = 2000, 1


def calibrate(similarities: pl.DataFrame, items: pl.DataFrame, *, seed: int = SEED) -> pl.DataFrame:
    """One row per run and language with 20 valid pairs or more.

    `cutoff` is the cosine that errs least, wrongly accepted and wrongly rejected pairs weighing the same per side;
    `ci_low` and `ci_high` are the 2.5th and 97.5th percentile over 2,000 resamples of items (pairs of an item stay
    together); `error_rate` is the mean of both error rates on the pairs themselves, so it flatters.

    Args:
        similarities: `TripletTests.similarities`.
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
        cutoff, error = best_cutoff(values, labels, np.ones(len(values)))
        rng = np.random.default_rng(seed)
        n = int(owners.max()) + 1
        weights = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS)[:, owners]
        drawn = [best_cutoff(values, labels, row)[0] for row in weights if row[labels].any() and row[~labels].any()]
        low, high = np.quantile(drawn, [0.025, 0.975])
        rows.append((*key, cutoff, float(low), float(high), len(values), error))
    columns = {
        **dict.fromkeys((*RUN, "language"), pl.String()),
        **dict.fromkeys(("cutoff", "ci_low", "ci_high"), pl.Float64()),
        "n_pairs": pl.Int64(), "error_rate": pl.Float64(),
    }  # fmt: skip
    return pl.DataFrame(rows, schema=columns, orient="row")


def best_cutoff(
    values: NDArray[np.float64], labels: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """The cosine, among those measured, that errs least when all from it on are accepted, and its error."""
    order = np.argsort(-values, kind="stable")
    right, wrong = weights * labels, weights * ~labels
    rejected = 1 - np.cumsum(right[order]) / right.sum()
    accepted = np.cumsum(wrong[order]) / wrong.sum()
    ordered = values[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    errors = np.where(last, (rejected + accepted) / 2, np.inf)
    place = int(np.argmin(errors))
    return float(ordered[place]), float(errors[place])
