"""How much a language score is worth: how many tests it stands on, and what kind of tests they are.

Nothing here is scored into one number: each point of the list is computed, explained, and may be unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from engine.analysis.language_coverage import SEARCH, SIMILARITY, describe_parts
from engine.analysis.language_records import LanguageRecords, group_lines
from engine.analysis.language_scores import divide
from engine.analysis.ranking import Floats


def weigh_languages(records: LanguageRecords, languages: Sequence[str]) -> pl.DataFrame:
    """One row per language: what its score stands on, from descriptions, and from results where they tell more.

    Formula: effective tasks = 1 ÷ Σ share² over tasks, with shares of rows as mteb counts them: as many equal tasks
    would weigh as evenly. The same over corpora. Ties for the largest go to the first by name.

    Args:
        records: Descriptions and sums.
        languages: Languages of the benchmark.

    Returns:
        `language`, `language_name`, `rows` (described), `n_tasks`, `effective_tasks`, `n_corpora`, `effective_corpora`,
        `largest_task`, `largest_share`, `n_search` and `n_similarity` (tasks of the kind within the language),
        `largest_spearman` (how well the largest task with results alone predicts the order of models in the column;
        null = fewer than three models or one task), `largest_scored`, `n_models` (compared for it); those that weigh
        least first.
    """
    parts = describe_parts(records).filter(pl.col("language").is_in(list(languages)))
    shares = parts.group_by("language", "corpus").agg(pl.col("share").sum())
    corpora = shares.group_by("language").agg(
        n_corpora=pl.len().cast(pl.Int64), effective_corpora=1 / (pl.col("share") ** 2).sum()
    )
    within = pl.col("rows_same") > 0
    counted = parts.group_by("language", "language_name").agg(
        pl.col("rows").sum(),
        n_tasks=pl.len().cast(pl.Int64),
        effective_tasks=1 / (pl.col("share") ** 2).sum(),
        largest_task=pl.col("task_name").first(),
        largest_share=pl.col("share").first(),
        n_search=(within & pl.col("task_type").is_in(SEARCH)).sum().cast(pl.Int64),
        n_similarity=(within & pl.col("task_type").is_in(SIMILARITY)).sum().cast(pl.Int64),
    )
    order = ("rows", "n_tasks", "effective_tasks", "n_corpora", "effective_corpora", "largest_task", "largest_share")
    rest = ("n_search", "n_similarity", "largest_spearman", "largest_scored", "n_models")
    return (
        counted.join(corpora, on="language", how="left")
        .join(predict_by_largest(records, languages), on="language", how="left")
        .select("language", "language_name", *order, *rest)
        .sort("effective_tasks", "language")
    )


def predict_by_largest(records: LanguageRecords, languages: Sequence[str]) -> pl.DataFrame:
    """How well the task with most rows alone predicts the order of models in a language.

    Formula: Spearman's ρ between the mean over the largest task's rows and the language score, over the models with
    every row; average ranks for ties. The two share rows, so a high value says that the column *is* that task, not that
    it measures well. Missing: null for one task, fewer than three models, or where one side does not vary.

    Args:
        records: The sums.
        languages: Which languages; those without results are left out.

    Returns:
        `language`, `largest_scored` (the task), `n_models`, `largest_spearman`.
    """
    asked = records.asked.filter(pl.col("rows_expected") > 0, pl.col("language").is_in(list(languages)))
    lines = records.sums.cells.with_row_index("line").join(asked, on=["language", "task_name"], how="semi")
    sums = records.sums.select_cells(np.sort(lines["line"].to_numpy().astype(np.int64)))
    tasks = group_lines(sums.cells, "language", "task_name")
    rows, scores = tasks.total(sums.rows), tasks.total(sums.scores)
    found = []
    for (language,), own in tasks.keys.with_row_index("line").group_by("language", maintain_order=True):
        at = own["line"].to_numpy()
        most = rows[at].max(axis=1)
        complete = (rows[at] >= most[:, None]).all(axis=0)
        largest = int(np.argmax(most))
        whole = divide(scores[at].sum(axis=0), rows[at].sum(axis=0))[complete]
        alone = divide(scores[at[largest]], rows[at[largest]])[complete]
        spearman = _spearman(alone, whole) if len(at) > 1 else None
        found.append((language, own["task_name"][largest], int(complete.sum()), spearman))
    schema = {"language": pl.String, "largest_scored": pl.String, "n_models": pl.Int64, "largest_spearman": pl.Float64}
    return pl.DataFrame(found, schema=schema, orient="row")


def _spearman(first: Floats, second: Floats) -> float | None:
    if len(first) < 3:
        return None
    ranks = [pl.Series(side).rank("average").to_numpy() for side in (first, second)]
    spreads = [float(side.std()) for side in ranks]
    if min(spreads) == 0:
        return None
    centred = [side - side.mean() for side in ranks]
    return float((centred[0] * centred[1]).mean() / (spreads[0] * spreads[1]))
