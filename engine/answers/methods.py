"""Answers: what exactly went into this snapshot? The appendix of a paper, as frames to download."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.store import Snapshot

_PROMPTS = """
    SELECT p.task_name, p.prompt_id, p.prompt_type, p.prompt_text, p.document_text, p.prompt_kind, p.kind_origin,
           p.generators, p.note, count(r.run_id) AS n_runs, count(DISTINCT r.model_name) AS n_models
    FROM prompts p LEFT JOIN runs r USING (prompt_id, task_name)
    GROUP BY ALL ORDER BY p.task_name, p.prompt_text, p.prompt_id
"""

_DEFAULT_PROMPTS = """
    SELECT source_name, model_name, model_revision, task_name,
           prompt_query, origin_query, prompt_document, origin_document, prompt_none, origin_none, template_used
    FROM runs
    WHERE is_default AND (
        source_name IN (SELECT source_name FROM runs WHERE prompt_id IS NOT NULL)
        OR coalesce(prompt_query, prompt_document, prompt_none) IS NOT NULL)
    ORDER BY source_name, model_name, task_name, model_revision
"""

_MODEL_REVISIONS = """
    SELECT r.source_name, r.model_name, r.model_revision, count(*) AS n_runs,
           count(DISTINCT r.task_name) AS n_tasks,
           coalesce(r.model_revision = any_value(m.model_revision), false) AS is_main
    FROM runs r LEFT JOIN models m USING (model_name)
    GROUP BY r.source_name, r.model_name, r.model_revision ORDER BY ALL
"""

_DATASET_REVISIONS = """
    SELECT r.source_name, r.task_name, r.dataset_revision, count(*) AS n_runs,
           count(DISTINCT r.model_name) AS n_models,
           coalesce(r.dataset_revision = any_value(t.dataset_revision), false) AS is_main
    FROM runs r LEFT JOIN tasks t USING (task_name)
    GROUP BY r.source_name, r.task_name, r.dataset_revision ORDER BY ALL
"""

_VERSIONS = """
    SELECT source_name, mteb_version, encoder_versions, count(*) AS n_runs, count(DISTINCT model_name) AS n_models
    FROM runs GROUP BY ALL ORDER BY ALL
"""


_TASKS = """
    WITH seen AS (
        SELECT task_name, count(DISTINCT model_name) AS n_models FROM runs GROUP BY task_name
    ), scored AS (
        SELECT task_name, count(*) AS n_rows FROM rows
        WHERE row_id IN (SELECT row_id FROM scores) GROUP BY task_name
    )
    SELECT task_name, t.task_type, t.main_score, n_rows, n_models, t.languages, t.domains, t.dataset_revision,
           t.license, t.described_by
    FROM seen JOIN tasks t USING (task_name) LEFT JOIN scored USING (task_name) ORDER BY task_name
"""


@dataclass(frozen=True)
class Provenance:
    """What a snapshot stands on.

    Attributes:
        snapshot_id: Its name.
        built: One row: `created_at`, `scorelens_version`, `mteb_version`, `schema_version`.
        prompts: One row per prompt and task: its exact text, kind, authors, and how many runs and models used it.
        default_prompts: One row per default run of a source with prompt experiments, or whose strings are recorded:
            the exact string per side that is known to have run, its origin, and whether a template was used. A null
            string with origin `not recorded` is unknown, not empty.
        model_revisions: One row per source, model and revision: `n_runs`, `n_tasks`, `is_main` (mteb's main revision).
        dataset_revisions: One row per source, task and revision of the data: `n_runs`, `n_models`, `is_main`.
        versions: One row per source and combination of software: `mteb_version`, `encoder_versions`, counts.
        tasks: One row per task with a run: type, metric, rows with a score, models, languages, domains, licence.
    """

    snapshot_id: str
    built: pl.DataFrame
    prompts: pl.DataFrame
    default_prompts: pl.DataFrame
    model_revisions: pl.DataFrame
    dataset_revisions: pl.DataFrame
    versions: pl.DataFrame
    tasks: pl.DataFrame


def answer(snapshot: Snapshot) -> Provenance:
    """The provenance of a snapshot."""
    return Provenance(
        snapshot_id=snapshot.snapshot_id,
        built=snapshot.read("SELECT created_at, scorelens_version, mteb_version, schema_version FROM snapshot"),
        prompts=snapshot.read(_PROMPTS),
        default_prompts=snapshot.read(_DEFAULT_PROMPTS),
        model_revisions=snapshot.read(_MODEL_REVISIONS),
        dataset_revisions=snapshot.read(_DATASET_REVISIONS),
        versions=snapshot.read(_VERSIONS),
        tasks=snapshot.read(_TASKS),
    )
