"""Reads from a snapshot what prompt distributions are computed from.

The same records serve every question about the same source and tasks, so a page may keep them while
filters, reference and thresholds change.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from engine.analysis.prompt_records import CELL, PromptRecords, build_records
from engine.analysis.references import order_published
from engine.errors import UsageError
from engine.ingest.revisions import pick_revisions
from engine.store import Snapshot

_PROMPT_CELLS = """
    SELECT DISTINCT source_name, model_name, task_name FROM runs WHERE prompt_id IS NOT NULL
    ORDER BY source_name, model_name, task_name
"""

_SHOWN_RUNS = """
    SELECT r.run_id, r.source_name, r.model_name, r.model_revision, r.task_name, r.experiment_name,
           r.prompt_id, r.is_default, r.prompt_query, r.prompt_document, r.prompt_none,
           r.origin_query, r.origin_document, r.origin_none,
           r.template_used, r.dataset_revision, r.mteb_version, r.encoder_versions
    FROM runs r
    WHERE r.task_name IN (SELECT unnest($tasks)) AND (
        (r.source_name = $source AND (r.prompt_id IS NOT NULL OR r.is_default))
        OR (r.is_default AND r.source_name IN (SELECT unnest($published)) AND r.model_name IN (SELECT unnest($models)))
    )
"""

_ROW_SCORES = f"""
    SELECT s.run_id, s.row_id, s.score FROM scores s
    WHERE s.run_id IN (SELECT run_id FROM ({_SHOWN_RUNS})) ORDER BY s.run_id, s.row_id
"""

_BENCHMARK_ROWS = """
    SELECT b.benchmark_name, r.task_name, r.row_id FROM benchmark_rows b JOIN rows r USING (row_id)
    WHERE r.task_name IN (SELECT unnest($tasks)) ORDER BY ALL
"""

_PROMPTS = """
    SELECT * FROM prompts WHERE task_name IN (SELECT unnest($tasks)) ORDER BY task_name, prompt_text, prompt_id
"""

_MODELS = "SELECT model_name, model_revision AS main_revision, prompt_scheme FROM models"


def read_prompt_cells(snapshot: Snapshot) -> pl.DataFrame:
    """One row per source, model and task with a prompt experiment: `source_name`, `model_name`, `task_name`."""
    return snapshot.read(_PROMPT_CELLS)


def read_records(
    snapshot: Snapshot, source: str, tasks: Sequence[str], published: str = "", cells: pl.DataFrame | None = None
) -> PromptRecords:
    """The records of one source on some tasks.

    Args:
        snapshot: Where to read.
        source: Source with prompt experiments.
        tasks: Tasks to read.
        published: Source to take published scores from; empty = every other source.
        cells: `read_prompt_cells` where it was read before.

    Raises:
        UsageError: `published` names no source.
    """
    prompt_cells = read_prompt_cells(snapshot) if cells is None else cells
    asked: dict[str, object] = {
        "tasks": list(tasks),
        "source": source,
        "published": _published_sources(snapshot, source, published),
        "models": prompt_cells.filter(pl.col("source_name") == source)["model_name"].unique().sort().to_list(),
    }
    every = snapshot.read(_SHOWN_RUNS, asked)
    models = snapshot.read(_MODELS)
    runs = every.filter(pl.col("source_name") == source).sort(*CELL, "prompt_id", "experiment_name", "model_revision")
    others = every.filter(pl.col("source_name") != source)
    shown = _pick(runs.filter(pl.col("prompt_id").is_not_null()), models)
    return build_records(
        source=source,
        runs=runs,
        published_runs=order_published(others, shown, _pick(others, models), prompt_cells["source_name"].unique()),
        row_scores=snapshot.read(_ROW_SCORES, asked),
        prompts=snapshot.read(_PROMPTS, {"tasks": list(tasks)}),
        tasks=snapshot.read("SELECT task_name, task_type FROM tasks"),
        models=models,
        benchmark_rows=snapshot.read(_BENCHMARK_ROWS, {"tasks": list(tasks)}),
        revisions=shown,
        default_revisions=_pick(runs.filter("is_default"), models),
    )


def _published_sources(snapshot: Snapshot, source: str, published: str) -> list[str]:
    names: list[str] = snapshot.read("SELECT source_name FROM sources ORDER BY 1")["source_name"].to_list()
    if published and published not in names:
        raise UsageError(f"No source {published!r} to take published scores from; there are: {', '.join(names)}.")
    return [published] if published else [name for name in names if name != source]


def _pick(runs: pl.DataFrame, models: pl.DataFrame) -> pl.DataFrame:
    """One revision per source, model and task: all runs of a cell compete, whatever their prompt."""
    # Runs that differ in nothing that the rule looks at are one competitor: thousands become a hundred.
    looked_at = ["source_name", *CELL, "model_revision", "mteb_version"]
    competing = runs.select(looked_at).unique(maintain_order=True).with_columns(experiment_name=pl.lit(""))
    return pick_revisions(competing, models.select("model_name", "main_revision"))
