"""Reads from a snapshot what prompt distributions are computed from."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from engine.analysis.prompt_records import CELL, PromptRecords, build_records
from engine.analysis.references import order_published
from engine.errors import UsageError
from engine.ingest.revisions import pick_revisions
from engine.store import Snapshot

_RUN_COLUMNS = """
    r.run_id, r.source_name, r.model_name, r.model_revision, r.task_name, r.experiment_name, r.prompt_id, r.is_default,
    r.prompt_query, r.prompt_document, r.prompt_none, r.origin_query, r.origin_document, r.origin_none,
    r.template_used, r.dataset_revision, r.mteb_version, r.encoder_versions
"""

_SHOWN = """
    r.task_name IN (SELECT unnest($tasks)) AND (
        (r.source_name = $source AND (r.prompt_id IS NOT NULL OR r.is_default))
        OR (r.is_default AND r.source_name IN (SELECT unnest($published))
            AND (r.model_name, r.task_name) IN (
                SELECT (p.model_name, p.task_name) FROM runs p WHERE p.source_name = $source AND p.prompt_id IS NOT NULL))
    )
"""


def prompt_sources(snapshot: Snapshot) -> tuple[str, ...]:
    """Names of the sources that hold prompt experiments, in alphabetical order."""
    found = snapshot.read("SELECT DISTINCT source_name FROM runs WHERE prompt_id IS NOT NULL ORDER BY 1")
    return tuple(found["source_name"])


def read_records(snapshot: Snapshot, source: str, tasks: Sequence[str], published: str = "") -> PromptRecords:
    """The records of one source on some tasks.

    Args:
        snapshot: Where to read.
        source: Source with prompt experiments.
        tasks: Tasks to read.
        published: Source to take published scores from; empty = every other source.

    Raises:
        UsageError: `published` names no source.
    """
    names = snapshot.read("SELECT source_name FROM sources ORDER BY 1")["source_name"].to_list()
    if published and published not in names:
        raise UsageError(f"No source {published!r} to take published scores from; there are: {', '.join(names)}.")
    others = [published] if published else [name for name in names if name != source]
    asked: dict[str, object] = {"tasks": list(tasks), "source": source, "published": others}
    every = snapshot.read(f"SELECT {_RUN_COLUMNS} FROM runs r WHERE {_SHOWN} ORDER BY run_id", asked)
    row_scores = snapshot.read(
        "SELECT s.run_id, s.row_id, s.score FROM scores s "
        f"WHERE s.run_id IN (SELECT r.run_id FROM runs r WHERE {_SHOWN}) ORDER BY ALL",
        asked,
    )
    runs = every.filter(pl.col("source_name") == source).sort(*CELL, "prompt_id", "experiment_name", "model_revision")
    main = snapshot.read("SELECT model_name, model_revision AS main_revision FROM models")
    picked = pick_revisions(every, main)
    shown = pick_revisions(runs.filter(pl.col("prompt_id").is_not_null()), main)
    return build_records(
        runs=runs,
        published_runs=order_published(
            every.filter(pl.col("source_name") != source), shown, picked, list(prompt_sources(snapshot))
        ),
        row_scores=row_scores,
        prompts=snapshot.read(
            "SELECT * FROM prompts WHERE task_name IN (SELECT unnest($tasks)) ORDER BY task_name, prompt_text, prompt_id",
            {"tasks": list(tasks)},
        ),
        tasks=snapshot.read(
            "SELECT task_name, task_type FROM tasks WHERE task_name IN (SELECT unnest(?))", [list(tasks)]
        ),
        models=snapshot.read("SELECT model_name, prompt_scheme FROM models"),
        benchmark_rows=snapshot.read(
            "SELECT b.benchmark_name, r.task_name, r.row_id FROM benchmark_rows b JOIN rows r USING (row_id) "
            "WHERE r.task_name IN (SELECT unnest(?)) ORDER BY ALL",
            [list(tasks)],
        ),
        revisions=shown,
    )
