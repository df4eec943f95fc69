"""Answers: what is in the store, how complete and how fresh is it, and what was refused?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from engine.schema import LIMIT_SIGN
from engine.store import Snapshot

_COUNTS = """
    SELECT source_name, count(*) AS n_runs, count(*) FILTER (is_default) AS n_default_runs,
           count(DISTINCT model_name) AS n_models, count(DISTINCT task_name) AS n_tasks,
           count(DISTINCT (prompt_id, task_name)) FILTER (prompt_id IS NOT NULL) AS n_prompts,
           count(DISTINCT (model_name, task_name)) AS n_pairs,
           count(DISTINCT mteb_version) AS n_mteb_versions,
           count(*) FILTER (contains(dataset_revision, $limit_sign)) AS n_limited_runs
    FROM runs GROUP BY source_name
"""

_COMPLETE = """
    WITH held AS (
        SELECT run_id, count(score) AS n_held FROM scores GROUP BY run_id
    ), asked AS (
        SELECT source_name, task_name, count(DISTINCT row_id) AS n_asked
        FROM scores JOIN runs USING (run_id) GROUP BY ALL
    )
    SELECT source_name, count(*) AS n_complete_runs
    FROM runs JOIN held USING (run_id) JOIN asked USING (source_name, task_name)
    WHERE n_held = n_asked GROUP BY source_name
"""

_SHARED = """
    WITH tried AS (
        SELECT source_name, task_name, prompt_id, count(DISTINCT model_name) AS n_models
        FROM runs WHERE prompt_id IS NOT NULL GROUP BY ALL
    ), asked AS (
        SELECT source_name, task_name, count(DISTINCT model_name) AS n_models
        FROM runs WHERE prompt_id IS NOT NULL GROUP BY ALL
    )
    SELECT source_name, count(*) AS n_shared_prompts
    FROM tried JOIN asked USING (source_name, task_name, n_models) GROUP BY source_name
"""

_MIXED = """
    SELECT source_name, count(*) AS n_mixed_tasks FROM (
        SELECT source_name, task_name FROM runs GROUP BY ALL HAVING count(DISTINCT dataset_revision) > 1
    ) GROUP BY source_name
"""

_SOURCES = f"""
    WITH counts AS ({_COUNTS}), complete AS ({_COMPLETE}), shared AS ({_SHARED}), mixed AS ({_MIXED}),
         refused AS (SELECT source_name, count(*) AS n_rejects FROM rejects GROUP BY source_name)
    SELECT source_name, source_kind, path, n_files, n_bytes, newest_file,
           COLUMNS(['n_models', 'n_tasks', 'n_prompts', 'n_shared_prompts', 'n_runs', 'n_default_runs', 'n_pairs',
                    'n_complete_runs', 'n_mteb_versions', 'n_mixed_tasks', 'n_limited_runs',
                    'n_rejects'])
    FROM sources LEFT JOIN counts USING (source_name) LEFT JOIN complete USING (source_name)
                 LEFT JOIN shared USING (source_name) LEFT JOIN mixed USING (source_name)
                 LEFT JOIN refused USING (source_name)
    ORDER BY source_name
"""

_TOTALS = """
    SELECT count(DISTINCT model_name) AS n_models, count(DISTINCT task_name) AS n_tasks, count(*) AS n_runs,
           count(DISTINCT (prompt_id, task_name)) FILTER (prompt_id IS NOT NULL) AS n_prompts
    FROM runs
"""


@dataclass(frozen=True)
class Overview:
    """What a snapshot holds.

    Attributes:
        snapshot_id: Its name.
        created_at: When it was published.
        scorelens_version: What published it.
        mteb_version: Version of mteb that described tasks and models; None = none did.
        n_models: Distinct models over all sources.
        n_tasks: Distinct tasks over all sources.
        n_prompts: Distinct pairs of prompt and task over all sources.
        n_runs: Runs of all sources.
        sources: One row per source: `source_name`, `source_kind`, `path`, `n_files`, `n_bytes`, `newest_file`,
            `n_models`, `n_tasks`, `n_prompts`, `n_shared_prompts` (run by every model that ran prompts on the task),
            `n_runs`, `n_default_runs`, `n_pairs` (of model and task with a run), `coverage` (pairs ÷ models × tasks),
            `n_complete_runs` (with a number on every row that any run of the task has in the source),
            `n_mteb_versions`, `n_mixed_tasks` (with several revisions of their data), `n_limited_runs` (on a part of a
            task's texts), `n_rejects`.
        rejects: One row per refused input: `source_name`, `path`, `place`, `reason`.
    """

    snapshot_id: str
    created_at: datetime
    scorelens_version: str
    mteb_version: str | None
    n_models: int
    n_tasks: int
    n_prompts: int
    n_runs: int
    sources: pl.DataFrame
    rejects: pl.DataFrame


def answer(snapshot: Snapshot) -> Overview:
    """What this snapshot holds."""
    built = snapshot.read("SELECT created_at, scorelens_version, mteb_version FROM snapshot").row(0, named=True)
    totals = snapshot.read(_TOTALS).row(0, named=True)
    counts = pl.col("^n_.*$").fill_null(0)
    grid = pl.col("n_models") * pl.col("n_tasks")
    coverage = pl.when(grid > 0).then(pl.col("n_pairs") / grid)
    sources = snapshot.read(_SOURCES, {"limit_sign": LIMIT_SIGN})
    return Overview(
        snapshot_id=snapshot.snapshot_id,
        sources=sources.with_columns(counts).with_columns(coverage=coverage),
        rejects=snapshot.read("SELECT source_name, path, place, reason FROM rejects ORDER BY ALL"),
        **built,
        **totals,
    )
