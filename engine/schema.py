"""The tables of the store, declared once: grain, columns, types, units, what may be missing.

DDL, validation, the content hash and the data dictionary in `docs/` all derive from `TABLES`.
A score is a fraction in [0, 1] everywhere but on screen; correlations may be negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

SCHEMA_VERSION = 2

TEXTS = pl.List(pl.String)


class PromptType(StrEnum):
    """The side of a task that a prompt is put before."""

    QUERY = "query"
    DOCUMENT = "document"
    NONE = "none"
    """Symmetric tasks: every text is treated alike."""
    BOTH = "query+document"
    """Queries and documents were each given a prompt of the study's own."""


class PromptOrigin(StrEnum):
    """Where the string before a text came from."""

    STUDY = "study prompt"
    MODEL = "model default"
    TASK = "task default"
    CLASS = "class default"
    NONE = "none"
    NOT_RECORDED = "not recorded"


class TemplateUse(StrEnum):
    """Whether the prompt was set into the model's instruction template."""

    YES = "yes"
    NO = "no"
    NOT_RECORDED = "not recorded"


class PromptScheme(StrEnum):
    """What a model was trained to take before a text."""

    FREE = "free"
    FIXED = "fixed prefix"
    NONE = "none"


class PromptKind(StrEnum):
    """What a prompt is made of, as an author or the documented rule says."""

    LABEL = "label-like"
    INSTRUCTION = "instruction-like"
    TOPIC = "names the topic"
    DATA_SET = "names the data set"
    MINIMAL = "minimal"
    WRONG_TASK = "wrong task"
    OWN = "model's own"


class SourceKind(StrEnum):
    """How a source's files are laid out."""

    CACHE = "mteb cache"
    FRAME = "mteb frame"


class RowKind(StrEnum):
    """Which languages meet in a row; names of programming languages do not count."""

    SAME = "same language"
    ENGLISH = "with English"
    """English and at least one other language"""
    OTHER = "other languages"
    """several languages, English not among them"""


class LanguageStatus(StrEnum):
    """What a language code in a file is."""

    KNOWN = "known"
    SPELLING = "spelling"
    """another way to write a known code"""
    CODE = "programming language"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Column:
    """One column: what it means, in which unit, and whether it may be missing."""

    name: str
    dtype: pl.DataType
    meaning: str
    unit: str = ""
    nullable: bool = False
    choices: tuple[str, ...] = ()
    logical: bool = True
    """False for times and running numbers: they are left out of the content hash."""


@dataclass(frozen=True)
class Table:
    """One table: what a row is, what identifies it, and its columns."""

    name: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    references: tuple[tuple[str, str], ...] = ()
    """(column, table) pairs: each value, where not null, is in that table's column of the same name."""

    @property
    def schema(self) -> pl.Schema:
        """Column names and polars types, in order."""
        return pl.Schema({column.name: column.dtype for column in self.columns})


def _choices(enum: type[StrEnum]) -> tuple[str, ...]:
    return tuple(member.value for member in enum)


def _text(name: str, meaning: str, *, nullable: bool = False, choices: tuple[str, ...] = ()) -> Column:
    return Column(name, pl.String(), meaning, nullable=nullable, choices=choices)


SOURCES = Table(
    "sources",
    "one row per registered source",
    ("source_name",),
    (
        _text("source_name", "name given by `engine add`"),
        _text("source_kind", "layout of its files", choices=_choices(SourceKind)),
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
        _text("source_name", "source it belongs to"),
        _text("path", "path below the source's folder"),
        Column("n_bytes", pl.Int64(), "size", "bytes"),
        Column("modified_ns", pl.Int64(), "time of last change", "ns since 1970", logical=False),
        _text("content_hash", "SHA-256 of the bytes, hexadecimal"),
    ),
    (("source_name", "sources"),),
)

MODELS = Table(
    "models",
    "one row per model name that has a run, or that mteb registers",
    ("model_name",),
    (
        _text("model_name", "hub name, `org/name`"),
        _text("model_revision", "revision that mteb registers as the main one", nullable=True),
        Column("n_parameters", pl.Int64(), "number of parameters", "parameters", nullable=True),
        Column("embed_dim", pl.Int64(), "length of an embedding", "numbers", nullable=True),
        Column("max_tokens", pl.Int64(), "longest input; null = no stated limit", "tokens", nullable=True),
        _text("release_date", "day of release, ISO 8601", nullable=True),
        _text("license", "licence as declared", nullable=True),
        Column("open_weights", pl.Boolean(), "weights can be downloaded", nullable=True),
        Column("use_instructions", pl.Boolean(), "takes instructions, as declared", nullable=True),
        _text(
            "prompt_scheme", "what it was trained to take before a text", nullable=True, choices=_choices(PromptScheme)
        ),
        Column("default_prompts", pl.String(), "its own prompts by key, as JSON; null = none known", nullable=True),
        _text("instruction_template", "wrapper around an instruction; null = none known", nullable=True),
        Column(
            "training_datasets", TEXTS, "declared training tasks; empty = declared none, null = unknown", nullable=True
        ),
        Column("training_closure", TEXTS, "the same with mteb's closure over similar tasks", nullable=True),
        Column("framework", TEXTS, "software it runs on", nullable=True),
        Column("languages", TEXTS, "declared languages, ISO 639-3 and script", nullable=True),
        _text("adapted_from", "model that it was trained from", nullable=True),
        _text("superseded_by", "model that replaces it", nullable=True),
        _text("described_by", "where this row comes from", choices=("mteb", "source", "nobody")),
    ),
)

TASKS = Table(
    "tasks",
    "one row per task that has a run, or that mteb registers",
    ("task_name",),
    (
        _text("task_name", "name of the task"),
        _text("task_type", "Retrieval, Classification, Clustering, STS, …", nullable=True),
        _text("main_score", "name of the metric that the task is judged by", nullable=True),
        _text("description", "what the task asks", nullable=True),
        Column("domains", TEXTS, "domains of its texts", nullable=True),
        Column("languages", TEXTS, "languages over all subsets", nullable=True),
        Column("eval_splits", TEXTS, "splits that mteb evaluates", nullable=True),
        _text("category", "what is compared, such as `t2t`", nullable=True),
        _text("sample_creation", "how the texts came about", nullable=True),
        _text("annotations_creators", "who made the labels", nullable=True),
        _text("license", "licence of the data", nullable=True),
        _text("dataset_revision", "revision that mteb registers", nullable=True),
        _text("reference", "where the task is described", nullable=True),
        _text("default_prompt_query", "the task's own prompt for queries, or for every text", nullable=True),
        _text("default_prompt_document", "the task's own prompt for documents", nullable=True),
        Column("adapted_from", TEXTS, "tasks it was made from", nullable=True),
        _text("superseded_by", "task that replaces it", nullable=True),
        Column("is_public", pl.Boolean(), "its data can be downloaded", nullable=True),
        Column("modalities", TEXTS, "text, image, …", nullable=True),
        _text("described_by", "where this row comes from", choices=("mteb", "source", "nobody")),
    ),
)

ROWS = Table(
    "rows",
    "one row per task × split × subset: the unit that MTEB averages",
    ("row_id",),
    (
        Column("row_id", pl.Int32(), "running number", logical=False),
        _text("task_name", "task"),
        _text("split", "train, validation, test, …"),
        _text("subset", "configuration inside the task; `default` if there is one"),
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
        _text("benchmark_name", "name, such as `MTEB(Multilingual, v2)`"),
        _text("display_name", "name on mteb's site", nullable=True),
        _text("description", "what it is for", nullable=True),
        _text("reference", "where it is described", nullable=True),
        Column("language_view", TEXTS, "languages its site shows; empty = no language view", nullable=True),
    ),
)

BENCHMARK_ROWS = Table(
    "benchmark_rows",
    "one row per benchmark and row that it averages",
    ("benchmark_name", "row_id"),
    (
        _text("benchmark_name", "benchmark"),
        Column("row_id", pl.Int32(), "row", logical=False),
    ),
    (("benchmark_name", "benchmarks"), ("row_id", "rows")),
)

PROMPTS = Table(
    "prompts",
    "one row per prompt and task that it was run on or written for",
    ("prompt_id", "task_name"),
    (
        _text("prompt_id", "hash of side and exact UTF-8 text"),
        _text("task_name", "task"),
        _text("prompt_type", "side it is put before", choices=_choices(PromptType)),
        _text("prompt_text", "the exact text; the queries' where both sides have one"),
        _text("document_text", "the documents' text where both sides have one", nullable=True),
        _text("prompt_kind", "what it is made of", choices=_choices(PromptKind)),
        _text("kind_origin", "who says so: a prompt file or the documented rule", choices=("file", "rule")),
        Column(
            "generators",
            TEXTS,
            "who wrote it: names of language models, or `handwritten`; null = not recorded",
            nullable=True,
        ),
        _text("note", "the author's remark", nullable=True),
    ),
    (("task_name", "tasks"),),
)

_SIDES = tuple(
    column
    for side, what in (("query", "queries"), ("document", "documents"), ("none", "every text of a symmetric task"))
    for column in (
        _text(
            f"prompt_{side}",
            f"exact string before {what}; null = no such side, no prompt, or not recorded",
            nullable=True,
        ),
        _text(
            f"origin_{side}",
            f"where the string before {what} came from; null = no such side",
            nullable=True,
            choices=_choices(PromptOrigin),
        ),
    )
)

RUNS = Table(
    "runs",
    "one row per result: source, model, revision, task and experiment",
    ("source_name", "model_name", "model_revision", "task_name", "experiment_name"),
    (
        Column("run_id", pl.Int32(), "running number", logical=False),
        _text("source_name", "source"),
        _text("model_name", "model"),
        _text("model_revision", "revision as its folder or frame says"),
        _text("task_name", "task"),
        _text("experiment_name", "experiment folder; empty for a run with default settings"),
        _text("prompt_id", "prompt of a prompt experiment; null otherwise", nullable=True),
        Column("is_default", pl.Boolean(), "ran with default settings: no experiment"),
        *_SIDES,
        _text("template_used", "the prompt was set into the model's template", choices=_choices(TemplateUse)),
        _text("dataset_revision", "revision of the data", nullable=True),
        _text("mteb_version", "version of mteb", nullable=True),
        _text("encoder_versions", "torch, transformers and sentence-transformers, as JSON", nullable=True),
        Column("evaluation_time", pl.Float64(), "time that the run took", "s", nullable=True),
        _text("path", "file it came from, below the source's folder"),
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

LANGUAGE_LISTS = Table(
    "language_lists",
    "one row per distinct list of languages in result files",
    ("language_list_id",),
    (
        Column("language_list_id", pl.Int32(), "running number", logical=False),
        Column("languages", TEXTS, "as written in the file, in its order, repeats kept"),
    ),
)

LANGUAGES = Table(
    "languages",
    "one row per language code that a result file or mteb's metadata names",
    ("language",),
    (
        _text("language", "code as written, normally ISO 639-3 and script"),
        _text("language_name", "name of the language; null = none known", nullable=True),
        _text("script_name", "name of the script; null = none known", nullable=True),
        _text("language_status", "what the code is", choices=_choices(LanguageStatus)),
        _text("standard", "code that it counts as; null = it is no language", nullable=True),
        _text("broader", "code that it may be merged into on request; null = none", nullable=True),
        _text("reason", "why it counts as another code or may be merged", nullable=True),
    ),
)

CORPORA = Table(
    "corpora",
    "one row per task whose texts are known to come from a corpus that other tasks use too",
    ("task_name",),
    (
        _text("task_name", "task"),
        _text("corpus", "name of the corpus"),
        _text("reference", "where it says so"),
        _text("note", "what was taken from the corpus", nullable=True),
    ),
    (("task_name", "tasks"),),
)

LANGUAGE_CELLS = Table(
    "language_cells",
    "one row per language, task, split and kind of row that the same benchmarks average",
    ("language_cell_id",),
    (
        Column("language_cell_id", pl.Int32(), "running number", logical=False),
        _text("language", "code as the result files name it"),
        _text("task_name", "task"),
        _text("split", "split"),
        _text("row_kind", "which languages meet in its rows", choices=_choices(RowKind)),
        Column("benchmarks", TEXTS, "benchmarks that average its rows, by name; empty = none"),
    ),
    (("task_name", "tasks"),),
)

LANGUAGE_SCORES = Table(
    "language_scores",
    "one row per default run and language cell: its rows summed up; derived from `scores`",
    ("run_id", "language_cell_id"),
    (
        Column("run_id", pl.Int32(), "run", logical=False),
        Column("language_cell_id", pl.Int32(), "cell", logical=False),
        Column(
            "rows", pl.Int64(), "rows with a number, as often as their lists name the language: mteb's count", "rows"
        ),
        Column("rows_distinct", pl.Int64(), "the same rows, each once", "rows"),
        Column("score_sum", pl.Float64(), "sum of their scores, as often as they are counted", "fraction"),
        Column("score_sum_distinct", pl.Float64(), "sum of their scores, each once", "fraction"),
    ),
    (("run_id", "runs"), ("language_cell_id", "language_cells")),
)

REJECTS = Table(
    "rejects",
    "one row per input that was refused, with its place and reason",
    ("source_name", "path", "place"),
    (
        _text("source_name", "source"),
        _text("path", "file below the source's folder; or, in full, the folder or prompt file that could not be read"),
        _text("place", "place inside the file; empty = the whole file"),
        _text("reason", "value seen, value expected, next step"),
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
        _text("scorelens_version", "version of Scorelens"),
        _text("mteb_version", "version of mteb that the metadata came from", nullable=True),
    ),
)

TABLES: tuple[Table, ...] = (
    SNAPSHOT, SOURCES, FILES, MODELS, TASKS, BENCHMARKS, ROWS, BENCHMARK_ROWS,
    PROMPTS, RUNS, LANGUAGE_LISTS, SCORES, REJECTS, LANGUAGES, CORPORA, LANGUAGE_CELLS, LANGUAGE_SCORES,
)  # fmt: skip


def table_named(name: str) -> Table:
    """The declared table of that name (KeyError where there is none)."""
    return {table.name: table for table in TABLES}[name]


def problems_in(frame: pl.DataFrame, table: Table) -> list[str]:
    """What is wrong with a frame that claims to be rows of a table; empty when nothing is.

    Checks column names and types, missing values, listed choices, NaN, and repeated keys.
    """
    if frame.schema != table.schema:
        return [f"{table.name}: columns are {dict(frame.schema)}, expected {dict(table.schema)}"]
    found = [
        f"{table.name}.{column.name}: {count} missing values, expected none"
        for column in table.columns
        if not column.nullable and (count := frame[column.name].null_count())
    ]
    found += [
        f"{table.name}.{column.name}: {count} NaN, expected null"
        for column in table.columns
        if column.dtype == pl.Float64() and (count := int(frame[column.name].is_nan().sum()))
    ]
    found += [
        f"{table.name}.{column.name}: {strange}, expected one of {list(column.choices)}"
        for column in table.columns
        if column.choices and (strange := _outside(frame[column.name], column.choices))
    ]
    repeated = len(frame) - frame.select(table.key).n_unique()
    if repeated:
        found.append(f"{table.name}: {repeated} rows repeat the key {table.key}")
    return found


def _outside(values: pl.Series, choices: Sequence[str]) -> list[str]:
    distinct = values.drop_nulls().unique()
    return distinct.filter(~distinct.is_in(list(choices))).sort().head(3).to_list()
