"""The language table as rows: what each score stands on, and which task makes up most of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from engine.analysis.language_records import LanguageRecords, group_lines
from engine.analysis.language_scores import LanguageScores, WhatIf, keep_cells, score_distinct_rows
from engine.analysis.ranking import rank_values


def tabulate_languages(records: LanguageRecords, scored: LanguageScores) -> pl.DataFrame:
    """One row per model × language with a score, in the order of mteb's table (Borda over languages), then of codes.

    A rank is given among the models that have every row of the language that is asked; under mteb's rule a model with
    two of its rows may stand above all others.

    Args:
        records: What the scores were computed from.
        scored: The scores.

    Returns:
        `model_name`, `language`, `language_name`, `score` (mteb's figure), `score_distinct` (every row once), `rows`
        and `rows_distinct` (that it stands on), `rows_expected`, `is_complete`, `rank` (null = not complete),
        `largest_task`, `largest_share` (of the rows), `rank_borda` (of the model, over all languages).
    """
    sums = keep_cells(records.sums, scored.what_if)
    languages = group_lines(sums.cells, "language")
    rows_distinct, scores_distinct = languages.total(sums.rows_distinct).T, score_distinct_rows(records, scored.what_if)
    model, language = np.nonzero(scored.rows > 0)
    at = (model, language)
    codes = pl.Series(scored.languages, dtype=pl.String)
    names = pl.Series([records.label(code) for code in scored.languages], dtype=pl.String)
    table = pl.DataFrame(
        {
            "model_name": pl.Series(scored.model_names, dtype=pl.String).gather(model),
            "language": codes.gather(language),
            "language_name": names.gather(language),
            "score": scored.scores[at],
            "score_distinct": scores_distinct[at],
            "rows": scored.rows[at].astype(np.int64),
            "rows_distinct": rows_distinct[at].astype(np.int64),
            "rows_expected": scored.rows_expected[language],
            "is_complete": scored.is_complete[at],
            "rank": scored.ranks[at],
            "rank_borda": rank_values(scored.borda_points)[model],
        },
        nan_to_null=True,
    ).cast({"rank": pl.Int64, "rank_borda": pl.Int64})
    largest = largest_tasks(records, scored.what_if)
    return table.join(largest, on=["model_name", "language"], how="left", maintain_order="left").sort(
        "rank_borda", "model_name", "language"
    )


def largest_tasks(records: LanguageRecords, what_if: WhatIf | None = None) -> pl.DataFrame:
    """One row per model × language with a score: the task with most rows there.

    Ties go to the task that comes first by name.

    Returns:
        `model_name`, `language`, `largest_task`, `largest_share` (fraction of the rows as mteb counts them).
    """
    sums = keep_cells(records.sums, what_if or WhatIf())
    tasks = group_lines(sums.cells, "language", "task_name")
    per_task = tasks.total(sums.rows)
    languages = group_lines(tasks.keys, "language")
    starts = np.flatnonzero(np.diff(languages.of_line, prepend=-1))
    bounds = pairwise([*starts, len(per_task)])
    best = [start + per_task[start:end].argmax(axis=0) for start, end in bounds]
    rows = languages.total(per_task)
    language, model = np.nonzero(rows > 0)
    line = np.array(best, dtype=np.int64).reshape(rows.shape)[language, model]
    return pl.DataFrame(
        {
            "model_name": pl.Series(sums.model_names, dtype=pl.String).gather(model),
            "language": languages.keys["language"].gather(language),
            "largest_task": tasks.keys["task_name"].gather(line),
            "largest_share": per_task[line, model] / rows[language, model],
        }
    )
