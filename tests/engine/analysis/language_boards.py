"""Made-up boards of language scores, small enough to check by hand: summed here row by row, not by the store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from engine.analysis.language_records import LanguageRecords, build_sums, count_asked, describe_papers
from engine.analysis.languages import merged_codes
from engine.ingest.language_data import SPELLING_FRAME, describe_languages
from engine.schema import CORPORA, LANGUAGE_SCORES, MODELS, TASKS, RowKind

NAMES = pl.DataFrame(
    [
        *(("language", code, name) for code, name in (
            ("eng", "English"), ("mal", "Malayalam"), ("deu", "German"), ("hin", "Hindi"), ("swa", "Swahili"),
            ("zho", "Chinese"), ("cmn", "Mandarin Chinese"), ("fra", "French"),
        )),
        *(("script", code, name) for code, name in (
            ("Latn", "Latin"), ("Mlym", "Malayalam"), ("Deva", "Devanagari (Nagari)"),
            ("Hans", "Han (Simplified variant)"),
        )),
    ],
    schema={"part": pl.String, "code": pl.String, "name": pl.String}, orient="row",
)  # fmt: skip
ENG, MAL, DEU, HIN, SWA = "eng-Latn", "mal-Mlym", "deu-Latn", "hin-Deva", "swa-Latn"

Score = tuple[str, str, Sequence[str], float]
"""Model, task (with its split after a slash, else `test`), languages of the row, score."""


def board(
    scores: Sequence[Score],
    *,
    types: Mapping[str, str] | None = None,
    corpora: Mapping[str, str] | None = None,
    described: Sequence[tuple[str, Sequence[str]]] = (),
    tasks: Mapping[str, Mapping[str, object]] | None = None,
    models: Mapping[str, Mapping[str, object]] | None = None,
    spellings: pl.DataFrame | None = None,
    view: tuple[str, ...] = (),
) -> LanguageRecords:
    """The records of some rows; a row's languages tell it apart from the others of its task and split.

    Args:
        scores: The rows with a score.
        types: Type of each task; default Retrieval.
        corpora: Source corpus of tasks that share one.
        described: Further rows that are described but have no score: task (with its split) and languages.
        tasks: Further columns of table `tasks`.
        models: Columns of table `models`.
        spellings: `engine.ingest.language_data.read_spellings`.
        view: Languages that mteb's site shows.
    """
    types, corpora = dict(types or {}), dict(corpora or {})
    rows = pl.DataFrame(
        [(model, *_split(task), list(languages), score) for model, task, languages, score in scores],
        schema={"model_name": pl.String, "task_name": pl.String, "split": pl.String, "languages": pl.List(pl.String),
                "score": pl.Float64},
        orient="row",
    )  # fmt: skip
    told = pl.DataFrame(
        [(*_split(task), list(languages)) for task, languages in described],
        schema={"task_name": pl.String, "split": pl.String, "languages": pl.List(pl.String)},
        orient="row",
    )
    every = pl.concat([rows.select(told.columns), told]).unique(maintain_order=True)
    named = _named(every, types, corpora)
    codes = describe_languages(every["languages"].explode(), NAMES, spellings or SPELLING_FRAME.to_frame())
    merged = merged_codes(codes)
    runs = rows.select("model_name", "task_name").unique(maintain_order=True)
    runs = runs.with_columns(run_id=pl.int_range(pl.len(), dtype=pl.Int32))
    cells, sums = _summed(_named(rows, types, corpora), runs)
    built = build_sums(runs, sums, cells, merged)
    means = rows.group_by("model_name", "task_name").agg(pl.col("score").mean(), rows=pl.len().cast(pl.Int64))
    expected = rows.select("task_name", "split", "languages").unique().group_by("task_name").agg(
        rows_expected=pl.len().cast(pl.Int64)
    )  # fmt: skip
    task_scores = _named(means, types, corpora).join(expected, on="task_name").drop("corpus")
    sized = named.with_columns(pl.lit(None, pl.Int64).alias(size) for size in ("n_queries", "n_documents", "n_samples"))
    return LanguageRecords(
        sums=built,
        papers=describe_papers(sized, merged),
        asked=count_asked(built, task_scores, sized),
        tasks=_table(TASKS.schema, "task_name", named["task_name"].unique(), tasks or {})
        .drop("task_type")
        .join(named.select("task_name", "task_type", "corpus").unique(), on="task_name"),
        corpora=pl.DataFrame(
            [{"task_name": task, "corpus": corpus, "reference": "x"} for task, corpus in corpora.items()],
            schema=CORPORA.schema,
        ),
        models=_table(MODELS.schema, "model_name", rows["model_name"].unique(), models or {}),
        languages=codes,
        task_scores=task_scores,
        view=view,
    )


def with_view(records: LanguageRecords, *view: str) -> LanguageRecords:
    """The same records with other languages on mteb's site."""
    return replace(records, view=view)


def _split(task: str) -> tuple[str, str]:
    name, _, split = task.partition("/")
    return name, split or "test"


def _named(rows: pl.DataFrame, types: Mapping[str, str], corpora: Mapping[str, str]) -> pl.DataFrame:
    task = pl.col("task_name")
    return rows.with_columns(
        task_type=task.replace_strict(types, default="Retrieval", return_dtype=pl.String)
        if types
        else pl.lit("Retrieval"),
        corpus=task.replace(corpora) if corpora else task,
    )


def _summed(rows: pl.DataFrame, runs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    cells: dict[tuple, int] = {}
    sums: dict[tuple[int, int], list[float]] = {}
    run_of = {(model, task): run for model, task, run in runs.iter_rows()}
    for row in rows.iter_rows(named=True):
        distinct = set(row["languages"])
        kind = RowKind.SAME if len(distinct) == 1 else RowKind.ENGLISH if ENG in distinct else RowKind.OTHER
        for language in sorted(distinct):
            key = (language, row["task_name"], row["task_type"], row["corpus"], row["split"], kind.value)
            cell = cells.setdefault(key, len(cells))
            times = row["languages"].count(language)
            held = sums.setdefault((run_of[row["model_name"], row["task_name"]], cell), [0, 0, 0.0, 0.0])
            for place, amount in enumerate((times, 1, times * row["score"], row["score"])):
                held[place] += amount
    columns = ("language", "task_name", "task_type", "corpus", "split", "row_kind")
    frame = pl.DataFrame(list(cells), schema=dict.fromkeys(columns, pl.String), orient="row").with_columns(
        language_cell_id=pl.int_range(pl.len(), dtype=pl.Int32)
    )
    lines = [(*key, *values) for key, values in sums.items()]
    return frame, pl.DataFrame(lines, schema=LANGUAGE_SCORES.schema, orient="row")


def _table(schema: pl.Schema, key: str, names: pl.Series, told: Mapping[str, Mapping[str, object]]) -> pl.DataFrame:
    rows = [{"described_by": "mteb", **told.get(name, {}), key: name} for name in names.sort()]
    return pl.DataFrame(rows, schema=schema)
