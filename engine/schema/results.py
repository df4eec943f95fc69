"""What was read, from where, and what built the snapshot."""

from __future__ import annotations

import polars as pl

from engine.schema.shape import Column, Table, choices_of, text
from engine.schema.words import PromptOrigin, SourceKind, TemplateUse

SOURCES = Table(
    "sources",
    "one row per registered source",
    ("source_name",),
    (
        text("source_name", "name given by `engine add`"),
        text("source_kind", "layout of its files", choices=choices_of(SourceKind)),
        Column("path", pl.String(), "where its files lie; they are never copied", logical=False),
        Column("n_files", pl.Int64(), "result files seen", "files"),
        Column("n_bytes", pl.Int64(), "their size together", "bytes"),
        Column("newest_file", pl.Datetime("us", "UTC"), "time of the newest file", nullable=True, logical=False),
    ),
)

FILES = Table(
    "files",
    "one row per file of a source that was looked at: the ledger of incremental builds",
    ("source_name", "path"),
    (
        text("source_name", "source it belongs to"),
        text("path", "path below the source's folder"),
        Column("n_bytes", pl.Int64(), "size", "bytes"),
        Column("modified_ns", pl.Int64(), "time of last change", "ns since 1970", logical=False),
        text("content_hash", "SHA-256 of the bytes, hexadecimal"),
    ),
    (("source_name", "sources"),),
)

_SIDES = tuple(
    column
    for side, what in (("query", "queries"), ("document", "documents"), ("none", "every text of a symmetric task"))
    for column in (
        text(
            f"prompt_{side}",
            f"exact string before {what}; null = no such side, no prompt, or not recorded",
            nullable=True,
        ),
        text(
            f"origin_{side}",
            f"where the string before {what} came from; null = no such side",
            nullable=True,
            choices=choices_of(PromptOrigin),
        ),
    )
)

RUNS = Table(
    "runs",
    "one row per result: source, model, revision, task and experiment",
    ("source_name", "model_name", "model_revision", "task_name", "experiment_name"),
    (
        Column("run_id", pl.Int32(), "running number", logical=False),
        text("source_name", "source"),
        text("model_name", "model"),
        text("model_revision", "revision as its folder or frame says"),
        text("task_name", "task"),
        text("experiment_name", "experiment folder; empty for a run with default settings"),
        text("prompt_id", "prompt of a prompt experiment; null otherwise", nullable=True),
        Column("is_default", pl.Boolean(), "ran with default settings: no experiment"),
        *_SIDES,
        text("template_used", "the prompt was set into the model's template", choices=choices_of(TemplateUse)),
        text("dataset_revision", "revision of the data", nullable=True),
        text("mteb_version", "version of mteb", nullable=True),
        text("encoder_versions", "torch, transformers and sentence-transformers, as JSON", nullable=True),
        Column("evaluation_time", pl.Float64(), "time that the run took", "s", nullable=True),
        text("path", "file it came from, below the source's folder"),
    ),
    (("source_name", "sources"), ("model_name", "models"), ("task_name", "tasks")),
)

SCORES = Table(
    "scores",
    "one row per run and row: the main score",
    ("run_id", "row_id"),
    (
        Column("run_id", pl.Int32(), "run", logical=False),
        Column("row_id", pl.Int32(), "row", logical=False),
        Column("language_list_id", pl.Int32(), "languages that the file names for this row", logical=False),
        Column("score", pl.Float64(), "main score; null = the file holds no valid number", "fraction", nullable=True),
    ),
    (("run_id", "runs"), ("row_id", "rows"), ("language_list_id", "language_lists")),
)

REJECTS = Table(
    "rejects",
    "one row per input that was refused, with its place and reason",
    ("source_name", "path", "place"),
    (
        text(
            "source_name",
            "source; null = the data folder itself: triplet sets, their results, token counts",
            nullable=True,
        ),
        text(
            "path",
            "file below the source's or the data folder; or, in full, the folder or prompt file that could not be read",
        ),
        text("place", "place inside the file; empty = the whole file"),
        text("reason", "value seen, value expected, next step"),
    ),
    (("source_name", "sources"),),
)

SNAPSHOT = Table(
    "snapshot",
    "one row: what built this snapshot",
    ("schema_version",),
    (
        Column("schema_version", pl.Int32(), "version of this schema"),
        Column("snapshot_id", pl.String(), "name of the snapshot", logical=False),
        Column("created_at", pl.Datetime("us", "UTC"), "time of publishing", logical=False),
        text("scorelens_version", "version of Scorelens"),
        text("mteb_version", "version of mteb that the metadata came from", nullable=True),
    ),
)
