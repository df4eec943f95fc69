"""The language table as rows: what each score stands on, and which task makes up most of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from engine.analysis.language_records import LanguageRecords, LanguageSums, group_lines
from engine.analysis.language_scores import LanguageScores, WhatIf, keep_cells, score_distinct_rows
from engine.analysis.ranking import Floats, Ints, rank_values


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
    largest = _largest(sums)
    ranks = rank_values(scored.borda_points)
    # Models as mteb sorts them, so that the rows come out in order.
    order = np.lexsort((np.arange(len(ranks)), ranks))
    row, language = np.nonzero(scored.rows[order] > 0)
    model = order[row]
    at = (model, language)
    names = pl.Series([records.label(code) for code in scored.languages], dtype=pl.String)
    return pl.DataFrame(
        {
            "model_name": pl.Series(scored.model_names, dtype=pl.String).gather(model),
            "language": pl.Series(scored.languages, dtype=pl.String).gather(language),
            "language_name": names.gather(language),
            "score": scored.scores[at],
            "score_distinct": score_distinct_rows(records, scored.what_if)[at],
            "rows": scored.rows[at].astype(np.int64),
            "rows_distinct": languages.total(sums.rows_distinct).T[at].astype(np.int64),
            "rows_expected": scored.rows_expected[language],
            "is_complete": scored.is_complete[at],
            "rank": scored.ranks[at],
            "rank_borda": ranks[model],
            "largest_task": largest.task_names.gather(largest.task[language, model]),
            "largest_share": largest.share[language, model],
        },
        nan_to_null=True,
    ).cast({"rank": pl.Int64, "rank_borda": pl.Int64})


def largest_tasks(records: LanguageRecords, what_if: WhatIf | None = None) -> pl.DataFrame:
    """One row per model × language with a score: the task with most rows there.

    Ties go to the task that comes first by name.

    Returns:
        `model_name`, `language`, `largest_task`, `largest_share` (fraction of the rows as mteb counts them).
    """
    sums = keep_cells(records.sums, what_if or WhatIf())
    largest = _largest(sums)
    language, model = np.nonzero(largest.share > 0)
    return pl.DataFrame(
        {
            "model_name": pl.Series(sums.model_names, dtype=pl.String).gather(model),
            "language": largest.languages.gather(language),
            "largest_task": largest.task_names.gather(largest.task[language, model]),
            "largest_share": largest.share[language, model],
        }
    )


@dataclass(frozen=True)
class _Largest:
    """The largest task by language and model: where its name stands, and its share; 0 = no row."""

    languages: pl.Series
    task_names: pl.Series
    task: Ints
    share: Floats


def _largest(sums: LanguageSums) -> _Largest:
    tasks = group_lines(sums.cells, "language", "task_name")
    per_task = tasks.total(sums.rows)
    languages = group_lines(tasks.keys, "language")
    starts = np.flatnonzero(np.diff(languages.of_line, prepend=-1))
    bounds = pairwise([*starts, len(per_task)])
    best = [start + per_task[start:end].argmax(axis=0) for start, end in bounds]
    rows = languages.total(per_task)
    task = np.array(best, dtype=np.int64).reshape(rows.shape)
    share = np.divide(np.take_along_axis(per_task, task, axis=0), rows, out=np.zeros(rows.shape), where=rows > 0)
    return _Largest(languages.keys["language"], tasks.keys["task_name"], task, share)
