"""What scores refer to: models, tasks, rows, benchmarks, prompts, corpora."""

from __future__ import annotations

import polars as pl

from engine.schema.shape import TEXTS, Column, Table, choices_of, text
from engine.schema.words import PromptKind, PromptScheme, PromptType

MODELS = Table(
    "models",
    "one row per model name that has a run, or that mteb registers",
    ("model_name",),
    (
        text("model_name", "hub name, `org/name`"),
        text("model_revision", "revision that mteb registers as the main one", nullable=True),
        Column("n_parameters", pl.Int64(), "number of parameters", "parameters", nullable=True),
        Column("embed_dim", pl.Int64(), "length of an embedding", "numbers", nullable=True),
        Column("max_tokens", pl.Int64(), "longest input; null = no stated limit", "tokens", nullable=True),
        text("release_date", "day of release, ISO 8601", nullable=True),
        text("license", "licence as declared", nullable=True),
        Column("open_weights", pl.Boolean(), "weights can be downloaded", nullable=True),
        Column("use_instructions", pl.Boolean(), "takes instructions, as declared", nullable=True),
        text(
            "prompt_scheme",
            "what it was trained to take before a text",
            nullable=True,
            choices=choices_of(PromptScheme),
        ),
        Column("default_prompts", pl.String(), "its own prompts by key, as JSON; null = none known", nullable=True),
        text("instruction_template", "wrapper around an instruction; null = none known", nullable=True),
        Column(
            "training_datasets", TEXTS, "declared training tasks; empty = declared none, null = unknown", nullable=True
        ),
        Column("training_closure", TEXTS, "the same with mteb's closure over similar tasks", nullable=True),
        Column("framework", TEXTS, "software it runs on", nullable=True),
        Column("languages", TEXTS, "declared languages, ISO 639-3 and script", nullable=True),
        text("adapted_from", "model that it was trained from", nullable=True),
        text("superseded_by", "model that replaces it", nullable=True),
        text("described_by", "where this row comes from", choices=("mteb", "source", "nobody")),
    ),
)

TASKS = Table(
    "tasks",
    "one row per task that has a run, or that mteb registers",
    ("task_name",),
    (
        text("task_name", "name of the task"),
        text("task_type", "Retrieval, Classification, Clustering, STS, …", nullable=True),
        text("main_score", "name of the metric that the task is judged by", nullable=True),
        text("description", "what the task asks", nullable=True),
        Column("domains", TEXTS, "domains of its texts", nullable=True),
        Column("languages", TEXTS, "languages over all subsets", nullable=True),
        Column("eval_splits", TEXTS, "splits that mteb evaluates", nullable=True),
        text("category", "what is compared, such as `t2t`", nullable=True),
        text("sample_creation", "how the texts came about", nullable=True),
        text("annotations_creators", "who made the labels", nullable=True),
        text("license", "licence of the data", nullable=True),
        text("dataset_revision", "revision that mteb registers", nullable=True),
        text("reference", "where the task is described", nullable=True),
        text("default_prompt_query", "the task's own prompt for queries, or for every text", nullable=True),
        text("default_prompt_document", "the task's own prompt for documents", nullable=True),
        Column("adapted_from", TEXTS, "tasks it was made from", nullable=True),
        text("superseded_by", "task that replaces it", nullable=True),
        Column("is_public", pl.Boolean(), "its data can be downloaded", nullable=True),
        Column("modalities", TEXTS, "text, image, …", nullable=True),
        text("described_by", "where this row comes from", choices=("mteb", "source", "nobody")),
    ),
)

ROWS = Table(
    "rows",
    "one row per task × split × subset: the unit that MTEB averages",
    ("row_id",),
    (
        Column("row_id", pl.Int32(), "running number", logical=False),
        text("task_name", "task"),
        text("split", "train, validation, test, …"),
        text("subset", "configuration inside the task; `default` if there is one"),
        Column("languages", TEXTS, "languages by mteb's metadata, null where it has none", nullable=True),
        Column("is_eval_split", pl.Boolean(), "mteb evaluates this split; null = task unknown to mteb", nullable=True),
        Column("n_queries", pl.Int64(), "queries", "texts", nullable=True),
        Column("n_documents", pl.Int64(), "documents", "texts", nullable=True),
        Column("n_samples", pl.Int64(), "samples", "texts", nullable=True),
    ),
    (("task_name", "tasks"),),
)

BENCHMARKS = Table(
    "benchmarks",
    "one row per benchmark that mteb registers",
    ("benchmark_name",),
    (
        text("benchmark_name", "name, such as `MTEB(Multilingual, v2)`"),
        text("display_name", "name on mteb's site", nullable=True),
        text("description", "what it is for", nullable=True),
        text("reference", "where it is described", nullable=True),
        Column("language_view", TEXTS, "languages its site shows; empty = no language view", nullable=True),
    ),
)

BENCHMARK_ROWS = Table(
    "benchmark_rows",
    "one row per benchmark and row that it averages",
    ("benchmark_name", "row_id"),
    (
        text("benchmark_name", "benchmark"),
        Column("row_id", pl.Int32(), "row", logical=False),
    ),
    (("benchmark_name", "benchmarks"), ("row_id", "rows")),
)

PROMPTS = Table(
    "prompts",
    "one row per prompt and task that it was run on or written for",
    ("prompt_id", "task_name"),
    (
        text("prompt_id", "hash of side and exact UTF-8 text"),
        text("task_name", "task"),
        text("prompt_type", "side it is put before", choices=choices_of(PromptType)),
        text("prompt_text", "the exact text; the queries' where both sides have one"),
        text("document_text", "the documents' text where both sides have one", nullable=True),
        text("prompt_kind", "what it is made of", choices=choices_of(PromptKind)),
        text("kind_origin", "who says so: a prompt file or the documented rule", choices=("file", "rule")),
        Column(
            "generators",
            TEXTS,
            "who wrote it: names of language models, or `handwritten`; null = not recorded",
            nullable=True,
        ),
        text("note", "the author's remark", nullable=True),
    ),
    (("task_name", "tasks"),),
)

CORPORA = Table(
    "corpora",
    "one row per task whose texts are known to come from a corpus that other tasks use too",
    ("task_name",),
    (
        text("task_name", "task"),
        text("corpus", "name of the corpus"),
        text("reference", "where it says so"),
        text("note", "what was taken from the corpus", nullable=True),
    ),
    (("task_name", "tasks"),),
)
