"""Reads what questions about languages stand on: sums by language, descriptions of rows, and the leaderboard."""

from __future__ import annotations

import polars as pl

from engine.analysis.dataset_revisions import Data, keep_dataset_revisions
from engine.analysis.language_records import LanguageRecords, build_sums, count_asked, describe_papers
from engine.analysis.languages import Merging, merged_codes
from engine.analysis.ranking import DECIMALS
from engine.answers.published_scores import read_published_scores
from engine.ingest.revisions import pick_revisions
from engine.store import Snapshot

EVERY_ROW = "every row"
"""In place of a benchmark: every row that a default run of the source has."""

_OF_BENCHMARK = "SELECT row_id FROM benchmark_rows WHERE benchmark_name = $benchmark"
_OF_SOURCE = "SELECT row_id FROM scores JOIN runs USING (run_id) WHERE source_name = $source AND is_default"

_RUNS = """
    SELECT run_id, source_name, model_name, model_revision, task_name, experiment_name, mteb_version, dataset_revision
    FROM runs WHERE source_name = $source AND is_default AND run_id IN (
        SELECT run_id FROM language_scores JOIN language_cells USING (language_cell_id) WHERE {in_view})
    ORDER BY run_id
"""

_CELLS = """
    SELECT language_cell_id, language, task_name, t.task_type, coalesce(c.corpus, task_name) AS corpus, split, row_kind
    FROM language_cells JOIN tasks t USING (task_name) LEFT JOIN corpora c USING (task_name)
    WHERE {in_view} ORDER BY language_cell_id
"""

_SUMS = """
    SELECT s.* FROM language_scores s JOIN language_cells c USING (language_cell_id)
    WHERE {in_view} AND s.run_id IN (SELECT unnest($runs))
    ORDER BY run_id, language_cell_id
"""

_ROWS = """
    SELECT r.task_name, t.task_type, coalesce(c.corpus, r.task_name) AS corpus, r.split, r.subset, r.languages,
           r.n_queries, r.n_documents, r.n_samples
    FROM rows r JOIN tasks t USING (task_name) LEFT JOIN corpora c USING (task_name)
    WHERE r.row_id IN ({rows}) ORDER BY r.row_id
"""

_TASKS = """
    SELECT t.*, coalesce(c.corpus, task_name) AS corpus FROM tasks t LEFT JOIN corpora c USING (task_name)
    WHERE task_name IN (SELECT task_name FROM rows WHERE row_id IN ({rows})) ORDER BY task_name
"""

_MEANS = """
    SELECT r.run_id, any_value(r.model_name) AS model_name, any_value(task_name) AS task_name,
           any_value(t.task_type) AS task_type, avg(s.score) AS score, count(s.score) AS rows
    FROM scores s JOIN runs r USING (run_id) JOIN tasks t USING (task_name)
    WHERE r.run_id IN (SELECT unnest($runs)) GROUP BY r.run_id HAVING count(s.score) > 0 ORDER BY r.run_id
"""


def read_language_records(
    snapshot: Snapshot, source: str, benchmark: str, merging: Merging, data: Data = Data.ANY
) -> LanguageRecords:
    """The records of a benchmark in a source, one revision a model and task (design, rule 3).

    Args:
        snapshot: Where to read.
        source: Source of the scores.
        benchmark: Whose rows count; `EVERY_ROW` = every row of the source, for results that are in no benchmark.
        merging: Which codes count as one language.
        data: Which revisions of a task's data are compared.
    """
    asked: dict[str, object] = {"source": source} if benchmark == EVERY_ROW else {"benchmark": benchmark}
    in_view = "true" if benchmark == EVERY_ROW else "list_contains(benchmarks, $benchmark)"
    of_view: dict[str, object] = {} if benchmark == EVERY_ROW else asked
    view_rows = _OF_SOURCE if benchmark == EVERY_ROW else _OF_BENCHMARK
    models = snapshot.read("SELECT * FROM models ORDER BY model_name")
    runs = snapshot.read(_RUNS.format(in_view=in_view), {"source": source, **of_view})
    runs = keep_dataset_revisions(runs, data)
    runs = pick_revisions(runs, models.select("model_name", main_revision="model_revision"))
    shown: dict[str, object] = {"runs": runs["run_id"].to_list()}
    languages = snapshot.read("SELECT * FROM languages ORDER BY language")
    merged = merged_codes(languages, merging)
    stored = snapshot.read(_SUMS.format(in_view=in_view), {**of_view, **shown})
    sums = build_sums(runs, stored, snapshot.read(_CELLS.format(in_view=in_view), of_view), merged)
    rows = snapshot.read(_ROWS.format(rows=view_rows), asked)
    task_scores, notes = _task_scores(snapshot, source, benchmark, shown, data)
    return LanguageRecords(
        sums=sums,
        papers=describe_papers(rows, merged),
        asked=count_asked(sums, task_scores, rows),
        tasks=snapshot.read(_TASKS.format(rows=view_rows), asked),
        corpora=snapshot.read("SELECT * FROM corpora ORDER BY task_name"),
        models=models.filter(pl.col("model_name").is_in(sums.model_names)),
        languages=languages,
        task_scores=task_scores,
        view=_view(snapshot, benchmark),
        notes=notes,
        settings={
            "snapshot": snapshot.snapshot_id,
            "source": source,
            "benchmark": benchmark,
            "merge": merging.value,
            "data": data.value,
        },
    )


def _task_scores(
    snapshot: Snapshot, source: str, benchmark: str, shown: dict[str, object], data: Data
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Mean of each model on each task, over all rows of the view whatever their language, and what is mixed in them."""
    if benchmark != EVERY_ROW:
        published = read_published_scores(snapshot, source, benchmark, data)
        return published.scores, published.notes
    means = snapshot.read(_MEANS, shown).with_columns(
        pl.col("score").round(DECIMALS), rows_expected=pl.col("rows").max().over("task_name")
    )
    return means.select("model_name", "task_name", "task_type", "score", "rows", "rows_expected"), ()


def _view(snapshot: Snapshot, benchmark: str) -> tuple[str, ...]:
    views = snapshot.read("SELECT language_view FROM benchmarks WHERE benchmark_name = ?", [benchmark])
    return tuple(views["language_view"].explode(empty_as_null=False).drop_nulls())
