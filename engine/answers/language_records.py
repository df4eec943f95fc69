"""Reads what questions about languages stand on: sums by language, descriptions of rows, and the leaderboard."""

from __future__ import annotations

import polars as pl

from engine.analysis.language_records import LanguageRecords, build_sums, count_asked, describe_papers
from engine.analysis.languages import Merging, merged_codes
from engine.answers.published_scores import read_published_scores
from engine.ingest.revisions import pick_revisions
from engine.store import Snapshot

_RUNS = """
    SELECT run_id, source_name, model_name, model_revision, task_name, experiment_name, mteb_version
    FROM runs WHERE source_name = $source AND is_default AND run_id IN (
        SELECT run_id FROM language_scores WHERE language_cell_id IN (
            SELECT language_cell_id FROM language_cells WHERE list_contains(benchmarks, $benchmark)))
    ORDER BY run_id
"""

_CELLS = """
    SELECT language_cell_id, language, task_name, t.task_type, coalesce(c.corpus, task_name) AS corpus, split, row_kind
    FROM language_cells JOIN tasks t USING (task_name) LEFT JOIN corpora c USING (task_name)
    WHERE list_contains(benchmarks, $benchmark) ORDER BY language_cell_id
"""

_SUMS = """
    SELECT s.* FROM language_scores s JOIN language_cells c USING (language_cell_id)
    WHERE list_contains(c.benchmarks, $benchmark) AND s.run_id IN (SELECT unnest($runs))
    ORDER BY run_id, language_cell_id
"""

_ROWS = """
    SELECT r.task_name, t.task_type, coalesce(c.corpus, r.task_name) AS corpus, r.split, r.subset, r.languages,
           r.n_queries, r.n_documents, r.n_samples
    FROM benchmark_rows b JOIN rows r USING (row_id) JOIN tasks t USING (task_name)
         LEFT JOIN corpora c USING (task_name)
    WHERE b.benchmark_name = $benchmark ORDER BY r.row_id
"""

_TASKS = """
    SELECT t.*, coalesce(c.corpus, task_name) AS corpus FROM tasks t LEFT JOIN corpora c USING (task_name)
    WHERE task_name IN (
        SELECT r.task_name FROM benchmark_rows b JOIN rows r USING (row_id) WHERE b.benchmark_name = $benchmark)
    ORDER BY task_name
"""


def read_language_records(snapshot: Snapshot, source: str, benchmark: str, merging: Merging) -> LanguageRecords:
    """The records of a benchmark in a source, one revision a model and task (design, rule 3)."""
    asked: dict[str, object] = {"source": source, "benchmark": benchmark}
    of_benchmark: dict[str, object] = {"benchmark": benchmark}
    models = snapshot.read("SELECT * FROM models ORDER BY model_name")
    main = models.select("model_name", main_revision="model_revision")
    runs = pick_revisions(snapshot.read(_RUNS, asked), main)
    languages = snapshot.read("SELECT * FROM languages ORDER BY language")
    merged = merged_codes(languages, merging)
    stored = snapshot.read(_SUMS, {**of_benchmark, "runs": runs["run_id"].to_list()})
    sums = build_sums(runs, stored, snapshot.read(_CELLS, of_benchmark), merged)
    rows = snapshot.read(_ROWS, of_benchmark)
    published = read_published_scores(snapshot, source, benchmark)
    view = snapshot.read("SELECT language_view FROM benchmarks WHERE benchmark_name = ?", [benchmark])["language_view"]
    return LanguageRecords(
        sums=sums,
        papers=describe_papers(rows, merged),
        asked=count_asked(sums, published.scores, rows),
        tasks=snapshot.read(_TASKS, of_benchmark),
        corpora=snapshot.read("SELECT * FROM corpora ORDER BY task_name"),
        models=models.filter(pl.col("model_name").is_in(sums.model_names)),
        languages=languages,
        task_scores=published.scores,
        view=tuple(view.explode().drop_nulls()),
        notes=published.notes,
        settings={
            "snapshot": snapshot.snapshot_id,
            "source": source,
            "benchmark": benchmark,
            "merge": merging.value,
        },
    )
