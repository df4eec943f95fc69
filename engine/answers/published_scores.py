"""Reads the leaderboard of a benchmark from a source of published results: one mean a model and task.

The rows are averaged in the store, since a benchmark may have millions.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.dataset_revisions import Data, keep_dataset_revisions
from engine.analysis.ranking import DECIMALS
from engine.ingest.revisions import pick_revisions
from engine.store import Snapshot

_RUNS = """
    SELECT r.run_id, r.source_name, r.model_name, r.model_revision, r.task_name, r.experiment_name,
           r.dataset_revision, r.mteb_version, r.encoder_versions, r.template_used, t.task_type
    FROM runs r JOIN tasks t USING (task_name)
    WHERE r.source_name = $source AND r.is_default AND r.task_name IN (
        SELECT r.task_name FROM benchmark_rows b JOIN rows r USING (row_id) WHERE b.benchmark_name = $benchmark)
    ORDER BY r.run_id
"""

_MEANS = """
    SELECT s.run_id, avg(s.score) AS score, count(s.score) AS rows
    FROM scores s JOIN benchmark_rows b USING (row_id)
    WHERE b.benchmark_name = $benchmark AND s.run_id IN (SELECT unnest($runs))
    GROUP BY s.run_id ORDER BY s.run_id
"""

_ROWS_HELD = """
    SELECT r.task_name, count(DISTINCT s.row_id) AS rows_expected
    FROM scores s JOIN benchmark_rows b USING (row_id) JOIN rows r USING (row_id)
    WHERE b.benchmark_name = $benchmark AND s.score IS NOT NULL AND s.run_id IN (SELECT unnest($runs))
    GROUP BY r.task_name
"""

_ROW_SCORES = """
    SELECT s.run_id, s.row_id, s.score
    FROM scores s JOIN benchmark_rows b USING (row_id)
    WHERE b.benchmark_name = $benchmark AND s.run_id IN (SELECT unnest($runs)) AND s.score IS NOT NULL
    ORDER BY s.run_id, s.row_id
"""

_TASKS = (
    "SELECT count(DISTINCT r.task_name) FROM benchmark_rows b JOIN rows r USING (row_id) WHERE b.benchmark_name = ?"
)

_BENCHMARKS = """
    WITH covered AS (SELECT DISTINCT task_name FROM runs WHERE source_name = $source AND is_default)
    SELECT b.benchmark_name, count(DISTINCT r.task_name) AS n_tasks, count(DISTINCT c.task_name) AS n_covered
    FROM benchmark_rows b JOIN rows r USING (row_id) LEFT JOIN covered c USING (task_name)
    GROUP BY b.benchmark_name HAVING 2 * n_covered >= n_tasks ORDER BY n_covered DESC, n_tasks, b.benchmark_name
"""


@dataclass(frozen=True)
class PublishedScores:
    """The scores of a benchmark as one source holds them.

    Attributes:
        scores: One row per model × task with a score: `model_name`, `task_name`, `task_type`, `score` (mean over the
            benchmark's rows that the run has), `rows`, `rows_expected` (rows of the task that any shown run has).
        runs: The run behind each: `run_id`, `model_name`, `task_name`, `model_revision`.
        n_tasks: Tasks of the benchmark, with results or without.
        notes: Mixed versions.
    """

    scores: pl.DataFrame
    runs: pl.DataFrame
    n_tasks: int
    notes: tuple[str, ...]


def covered_benchmarks(snapshot: Snapshot, source: str) -> tuple[str, ...]:
    """Benchmarks of which a source has results for at least half of the tasks, those with most tasks covered first."""
    return tuple(snapshot.read(_BENCHMARKS, {"source": source})["benchmark_name"])


def read_published_scores(snapshot: Snapshot, source: str, benchmark: str, data: Data = Data.ANY) -> PublishedScores:
    """The scores of a benchmark in a source, one revision a model and task (design, rule 3).

    Args:
        snapshot: Where to read.
        source: Source of the scores.
        benchmark: Whose rows count.
        data: Which revisions of a task's data are compared.
    """
    asked: dict[str, object] = {"source": source, "benchmark": benchmark}
    every = snapshot.read(_RUNS, asked)
    kept = keep_dataset_revisions(every, data)
    main = snapshot.read("SELECT model_name, model_revision AS main_revision FROM models")
    runs = pick_revisions(kept, main)
    of_runs: dict[str, object] = {"benchmark": benchmark, "runs": runs["run_id"].to_list()}
    means = snapshot.read(_MEANS, of_runs).filter(pl.col("rows") > 0)
    scores = (
        runs.join(means, on="run_id", maintain_order="left")
        .join(snapshot.read(_ROWS_HELD, of_runs), on="task_name", how="left", maintain_order="left")
        .with_columns(pl.col("score").round(DECIMALS))
        .select("model_name", "task_name", "task_type", "score", "rows", "rows_expected")
    )
    return PublishedScores(
        scores=scores,
        runs=runs.select("run_id", "model_name", "task_name", "model_revision"),
        n_tasks=snapshot.read(_TASKS, [benchmark]).item(),
        notes=(*_mixed(runs.join(scores, on=["model_name", "task_name"], how="semi")), *_left_out(every, kept)),
    )


def read_row_scores(snapshot: Snapshot, benchmark: str, runs: list[int]) -> pl.DataFrame:
    """Scores of runs on the rows of a benchmark: `run_id`, `row_id`, `score`; rows without a number are absent."""
    return snapshot.read(_ROW_SCORES, {"benchmark": benchmark, "runs": runs})


def _left_out(every: pl.DataFrame, kept: pl.DataFrame) -> tuple[str, ...]:
    """How many pairs of model and task have no run on the revision of the data that is kept."""
    lost = every.join(kept, on=["model_name", "task_name"], how="anti").select("model_name", "task_name").n_unique()
    return (f"{lost:,} pairs of model and task ran on other revisions of the data and are left out.",) if lost else ()


def _mixed(runs: pl.DataFrame) -> tuple[str, ...]:
    """What a comparison of these runs mixes, in counts: a benchmark has too many tasks to name them."""
    n_versions = runs["mteb_version"].n_unique()
    revisions = runs.group_by("task_name").agg(n=pl.col("dataset_revision").drop_nulls().n_unique())
    n_mixed = int((revisions["n"] > 1).sum())
    notes = [f"{n_versions:,} versions of mteb in one comparison."] if n_versions > 1 else []
    if n_mixed:
        notes.append(f"{n_mixed:,} of {len(revisions):,} tasks compare runs on different revisions of their data.")
    return tuple(notes)
