"""How far the order of models in one language differs from their overall order, and from other languages'."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.special import ndtri

from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_scores import LanguageScores
from engine.analysis.ranking import Floats, build_score_matrix, rank_models, rank_values

FEWEST = 5
"""Models below which no interval is given."""


class Agreement(NamedTuple):
    """Kendall's tau-b with its interval."""

    n: int
    tau: float | None
    ci_low: float | None
    ci_high: float | None


@dataclass(frozen=True)
class Disagreement:
    """How languages order models.

    Attributes:
        with_overall: One row per language: `language`, `language_name`, `n` (models with all its rows), `tau_b`,
            `ci_low`, `ci_high` against the overall order; the least agreement first.
        between: One row per pair of languages: `language`, `other`, `n`, `tau_b`, `ci_low`, `ci_high`.
        movers: One row per language × model: `language`, `model_name`, `rank_overall` and `rank` (among the models with
            all rows of the language), `ranks_gained`; those that move most first.
    """

    with_overall: pl.DataFrame
    between: pl.DataFrame
    movers: pl.DataFrame


def compare_orders(records: LanguageRecords, scored: LanguageScores, languages: Sequence[str]) -> Disagreement:
    """How the order of models in languages differs from the overall order (Borda over tasks, by mteb's rule).

    Only models with every row of a language that is asked are compared, in two languages those with all rows of both.
    Ties count by tau-b. Missing: null for fewer than two models, or where one side does not vary.

    Args:
        records: Gives the leaderboard.
        scored: The language table, as published or under a what-if.
        languages: Which languages; those without a score are left out.
    """
    ranked = rank_models(build_score_matrix(records.task_scores))
    points = dict(ranked.select("model_name", "borda_points").iter_rows())
    overall = np.array([points.get(name, np.nan) for name in scored.model_names])
    columns = {language: _column(scored, language) for language in languages if language in scored.languages}
    told = [(language, *compute_agreement(scores, overall)) for language, scores in columns.items()]
    names = list(columns)
    pairs = [
        (first, second, *compute_agreement(columns[first], columns[second]))
        for place, first in enumerate(names)
        for second in names[place + 1 :]
    ]
    numbers = {"n": pl.Int64, "tau_b": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64}
    return Disagreement(
        with_overall=pl.DataFrame(told, schema={"language": pl.String, **numbers}, orient="row")
        .with_columns(language_name=pl.col("language").replace(records.labels))
        .select("language", "language_name", *numbers)
        .sort("tau_b", "language", nulls_last=True),
        between=pl.DataFrame(pairs, schema={"language": pl.String, "other": pl.String, **numbers}, orient="row"),
        movers=_movers(scored.model_names, columns, overall),
    )


def compute_agreement(first: Floats, second: Floats, level: float = 0.95) -> Agreement:
    """Kendall's tau-b of two scores of the same models, over the models that have both.

    Formula: Σ sign(Δfirst) sign(Δsecond) ÷ √(Σ sign(Δfirst)² Σ sign(Δsecond)²) over pairs of models. Ties: tau-b. The
    interval treats the models as a sample: standard error by the jackknife over models, normal on the scale of
    Fisher's z. Missing: null for fewer than two models or where one side does not vary; no interval for fewer than
    five, or where the orders agree or disagree in full. Source: Kendall (1945); Arvesen (1969).

    Args:
        first: One score a model; NaN = missing.
        second: The same for the other order.
        level: Level of the interval (fraction).
    """
    both = ~(np.isnan(first) | np.isnan(second))
    n = int(both.sum())
    left, right = (np.sign(side[both][:, None] - side[both][None, :]) for side in (first, second))
    sums = [np.sum(product, axis=1) for product in (left * right, left * left, right * right)]
    agree, left_untied, right_untied = (float(total.sum()) for total in sums)
    if n < 2 or left_untied == 0 or right_untied == 0:
        return Agreement(n, None, None, None)
    tau = agree / math.sqrt(left_untied * right_untied)
    if n < FEWEST or abs(tau) >= 1 - 1e-12:
        return Agreement(n, tau, None, None)
    # Each model takes part in its own line and column of the pairs.
    rest = [total.sum() - 2 * total for total in sums]
    without = rest[0] / np.sqrt(np.maximum(rest[1] * rest[2], 1e-300))
    z = np.arctanh(np.clip(without, -1 + 1e-12, 1 - 1e-12))
    error = math.sqrt((n - 1) / n * float(np.sum((z - z.mean()) ** 2)))
    half = float(ndtri(0.5 + level / 2)) * error
    return Agreement(n, tau, math.tanh(math.atanh(tau) - half), math.tanh(math.atanh(tau) + half))


def _column(scored: LanguageScores, language: str) -> Floats:
    at = scored.column(language)
    return np.where(scored.is_complete[:, at], scored.scores[:, at], np.nan)


def _movers(model_names: tuple[str, ...], columns: dict[str, Floats], overall: Floats) -> pl.DataFrame:
    schema = {"language": pl.String, "model_name": pl.String, "rank_overall": pl.Float64, "rank": pl.Float64}
    frames = [pl.DataFrame(schema=schema)]
    for language, scores in columns.items():
        both = ~(np.isnan(scores) | np.isnan(overall))
        frames.append(
            pl.DataFrame(
                {
                    "language": [language] * int(both.sum()),
                    "model_name": [name for name, kept in zip(model_names, both, strict=True) if kept],
                    "rank_overall": rank_values(overall[both]),
                    "rank": rank_values(scores[both]),
                },
                schema=schema,
            )
        )
    return (
        pl.concat(frames)
        .cast({"rank_overall": pl.Int64, "rank": pl.Int64})
        .with_columns(ranks_gained=pl.col("rank_overall") - pl.col("rank"))
        .sort(pl.col("ranks_gained").abs(), "language", "model_name", descending=[True, False, False])
    )
