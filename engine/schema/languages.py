"""Languages: as files write them, as they count, and scores summed by them."""

from __future__ import annotations

import polars as pl

from engine.schema.shape import TEXTS, Column, Table, choices_of, text
from engine.schema.words import LanguageStatus, RowKind

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
        text("language", "code as written, normally ISO 639-3 and script"),
        text("language_name", "name of the language; null = none known", nullable=True),
        text("script_name", "name of the script; null = none known", nullable=True),
        text("language_status", "what the code is", choices=choices_of(LanguageStatus)),
        text("standard", "code that it counts as; null = it is no language", nullable=True),
        text("broader", "code that it may be merged into on request; null = none", nullable=True),
        text("reason", "why it counts as another code or may be merged", nullable=True),
    ),
)

LANGUAGE_CELLS = Table(
    "language_cells",
    "one row per language, task, split and kind of row that the same benchmarks average",
    ("language_cell_id",),
    (
        Column("language_cell_id", pl.Int32(), "running number", logical=False),
        text("language", "code as the result files name it"),
        text("task_name", "task"),
        text("split", "split"),
        text("row_kind", "which languages meet in its rows", choices=choices_of(RowKind)),
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
