"""The tables of the store, declared once: grain, columns, types, units, what may be missing.

DDL, validation, the content hash and the data dictionary in `docs/` all derive from `TABLES`.
A score is a fraction in [0, 1] everywhere but on screen; correlations may be negative.
"""

from __future__ import annotations

from engine.schema.descriptions import BENCHMARK_ROWS, BENCHMARKS, CORPORA, MODELS, PROMPTS, ROWS, TASKS
from engine.schema.languages import LANGUAGE_CELLS, LANGUAGE_LISTS, LANGUAGE_SCORES, LANGUAGES
from engine.schema.results import FILES, REJECTS, RUNS, SCORES, SNAPSHOT, SOURCES
from engine.schema.shape import TEXTS, Column, Table, problems_in
from engine.schema.triplets import (
    TOKEN_COUNTS,
    TOKEN_TEXTS,
    TRIPLET_BASELINES,
    TRIPLET_ITEMS,
    TRIPLET_OUTCOMES,
    TRIPLET_RUNS,
    TRIPLET_SETS,
    TRIPLET_SIMILARITIES,
    TRIPLET_TABLES,
    TRIPLET_TEXTS,
)
from engine.schema.words import (
    LIMIT_SIGN,
    LanguageStatus,
    PromptKind,
    PromptOrigin,
    PromptScheme,
    PromptType,
    RowKind,
    SourceKind,
    TemplateUse,
    TripletOutcome,
    TripletRole,
)

__all__ = [
    "BENCHMARKS",
    "BENCHMARK_ROWS",
    "CORPORA",
    "Column",
    "FILES",
    "LANGUAGES",
    "LANGUAGE_CELLS",
    "LANGUAGE_LISTS",
    "LANGUAGE_SCORES",
    "LIMIT_SIGN",
    "LanguageStatus",
    "MODELS",
    "PROMPTS",
    "PromptKind",
    "PromptOrigin",
    "PromptScheme",
    "PromptType",
    "REJECTS",
    "ROWS",
    "RUNS",
    "RowKind",
    "SCHEMA_VERSION",
    "SCORES",
    "SNAPSHOT",
    "SOURCES",
    "SourceKind",
    "TABLES",
    "TASKS",
    "TEXTS",
    "TOKEN_COUNTS",
    "TOKEN_TEXTS",
    "TRIPLET_BASELINES",
    "TRIPLET_ITEMS",
    "TRIPLET_OUTCOMES",
    "TRIPLET_RUNS",
    "TRIPLET_SETS",
    "TRIPLET_SIMILARITIES",
    "TRIPLET_TEXTS",
    "Table",
    "TemplateUse",
    "TripletOutcome",
    "TripletRole",
    "problems_in",
    "table_named",
]

SCHEMA_VERSION = 3

TABLES: tuple[Table, ...] = (
    SNAPSHOT, SOURCES, FILES, MODELS, TASKS, BENCHMARKS, ROWS, BENCHMARK_ROWS,
    PROMPTS, RUNS, LANGUAGE_LISTS, SCORES, REJECTS, LANGUAGES, CORPORA, LANGUAGE_CELLS, LANGUAGE_SCORES,
    *TRIPLET_TABLES,
)  # fmt: skip


def table_named(name: str) -> Table:
    """The declared table of that name (KeyError where there is none)."""
    return {table.name: table for table in TABLES}[name]
