"""Reads from a snapshot what prompt distributions are computed from.

The same records serve every question about the same source and tasks, so a page may keep them while
filters, reference and thresholds change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from engine.analysis.completeness import bundle_rows
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

# A sum of whole numbers does not depend on the order of its parts: scores are summed in steps of 2^-60. Every number of
# a main score's size is such a step, so a sum is exact. What is too large for that is no score.
_STEPS = "TRY_CAST(score * 1152921504606846976 AS BIGINT)"

# One number a run and row, so that which runs hold a row, with a number or without, comes to one print whatever the
# order.
_HOLDERS = f"""
    SELECT row_id, bit_xor(hash(CAST(run_id AS BIGINT) * 2 + CAST({_STEPS} IS NULL AS BIGINT))) AS holders
    FROM scores WHERE run_id IN (SELECT run_id FROM ({_SHOWN_RUNS})) GROUP BY row_id
"""

_BUNDLE_SCORES = f"""
    SELECT run_id, bundle_id, count(*) AS n_rows, sum({_STEPS}) / 1152921504606846976 AS score_sum
    FROM scores JOIN (SELECT unnest($rows) AS row_id, unnest($bundles) AS bundle_id) USING (row_id)
    WHERE run_id IN (SELECT run_id FROM ({_SHOWN_RUNS})) GROUP BY run_id, bundle_id
"""

_ROW_SCORES = """
    SELECT run_id, row_id, score FROM scores WHERE run_id IN (SELECT unnest(?)) ORDER BY run_id, row_id
"""

_ROWS = "SELECT row_id, task_name FROM rows WHERE task_name IN (SELECT unnest($tasks))"

_BENCHMARK_ROWS = f"""
    SELECT benchmark_name, row_id FROM benchmark_rows WHERE row_id IN (SELECT row_id FROM ({_ROWS}))
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
    bundles, benchmark_rows = _read_bundles(snapshot, asked)
    runs = every.filter(pl.col("source_name") == source).sort(*CELL, "prompt_id", "experiment_name", "model_revision")
    others = every.filter(pl.col("source_name") != source)
    shown = _pick(runs.filter(pl.col("prompt_id").is_not_null()), models)
    return build_records(
        source=source,
        runs=runs,
        published_runs=order_published(others, shown, _pick(others, models), prompt_cells["source_name"].unique()),
        bundle_scores=_read_bundle_scores(snapshot, asked, bundles),
        bundles=bundles,
        prompts=snapshot.read(_PROMPTS, {"tasks": list(tasks)}),
        tasks=snapshot.read("SELECT task_name, task_type FROM tasks"),
        models=models,
        benchmark_rows=benchmark_rows,
        revisions=shown,
        default_revisions=_pick(runs.filter("is_default"), models),
    )


def read_row_scores(snapshot: Snapshot, run_ids: pl.Series) -> pl.DataFrame:
    """`run_id`, `row_id`, `score` of some runs, for questions about single rows."""
    return snapshot.read(_ROW_SCORES, [run_ids.to_list()])


def _read_bundles(snapshot: Snapshot, asked: Mapping[str, object]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of the tasks in their bundles, and the benchmarks that average them."""
    of_tasks = {"tasks": asked["tasks"]}
    benchmark_rows = snapshot.read(_BENCHMARK_ROWS, of_tasks)
    return bundle_rows(snapshot.read(_ROWS, of_tasks), snapshot.read(_HOLDERS, asked), benchmark_rows), benchmark_rows


def _read_bundle_scores(snapshot: Snapshot, asked: Mapping[str, object], bundles: pl.DataFrame) -> pl.DataFrame:
    held = {"rows": bundles["row_id"].to_list(), "bundles": bundles["bundle_id"].to_list()}
    return snapshot.read(_BUNDLE_SCORES, {**asked, **held}).sort("run_id", "bundle_id")


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
