"""For my purpose: models ranked on what was measured for some languages and one kind of use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
import polars as pl

from engine.analysis.contamination import Declarations, Training
from engine.analysis.language_records import LanguageRecords, LanguageSums, group_lines
from engine.analysis.language_scores import divide
from engine.analysis.ranking import Bools, Floats, Ints, rank_values
from engine.analysis.resampling import RESAMPLES, resample_tasks
from engine.schema import RowKind


class Purpose(StrEnum):
    """What a model is wanted for."""

    SEARCH = "search"
    SIMILARITY = "similarity"
    CLASSIFICATION = "classification"
    CLUSTERING = "clustering"
    TRANSLATION = "translation matching"
    ALL = "all"


TASK_TYPES: dict[Purpose, tuple[str, ...]] = {
    Purpose.SEARCH: ("Retrieval", "Reranking"),
    Purpose.SIMILARITY: ("STS", "PairClassification"),
    Purpose.CLASSIFICATION: ("Classification", "MultilabelClassification"),
    Purpose.CLUSTERING: ("Clustering",),
    Purpose.TRANSLATION: ("BitextMining",),
}
"""Task types that measure each purpose; `all` takes every type."""


@dataclass(frozen=True)
class ModelFilter:
    """Which models may be on a list; a model whose value is unknown does not pass a filter on it.

    Attributes:
        max_parameters: Most parameters.
        max_dimension: Longest embedding.
        min_tokens: Least input length; a model without a stated limit passes.
        open_weights: Weights can be downloaded.
        licenses: Licences; empty = any.
        released_from: First day of release.
    """

    max_parameters: int | None = None
    max_dimension: int | None = None
    min_tokens: int | None = None
    open_weights: bool = False
    licenses: tuple[str, ...] = ()
    released_from: date | None = None

    @property
    def passes(self) -> pl.Expr:
        """Whether a row of table `models` is on the list."""
        limits = [pl.lit(value=True)]
        if self.max_parameters is not None:
            limits.append(pl.col("n_parameters") <= self.max_parameters)
        if self.max_dimension is not None:
            limits.append(pl.col("embed_dim") <= self.max_dimension)
        if self.min_tokens is not None:
            without_limit = pl.col("max_tokens").is_null() & (pl.col("described_by") == "mteb")
            limits.append((pl.col("max_tokens") >= self.min_tokens) | without_limit)
        if self.open_weights:
            limits.append(pl.col("open_weights"))
        if self.licenses:
            limits.append(pl.col("license").is_in(self.licenses))
        if self.released_from is not None:
            limits.append(pl.col("release_date") >= self.released_from.isoformat())
        return pl.all_horizontal(limits).fill_null(value=False)


@dataclass(frozen=True)
class Shortlist:
    """Models for a purpose.

    Attributes:
        models: One row per model that passes the filter and has any of the tasks, ranked ones first: `rank` (among
            models with every row; ties share the better), `model_name`, `score`, `ci_low`, `ci_high` (over tasks; null
            for a single task), `could_be_first` (its distance from the first is within the interval of that distance;
            null = not ranked, or a single task), `n_tasks`, `rows`, `rows_expected`, `is_complete`, `n_declared` (of
            these tasks; null = unknown), `training`, and the model's facts: `n_parameters`, `embed_dim`, `max_tokens`,
            `license`, `open_weights`, `release_date`.
        scores: One row per model × language: `model_name`, `language`, `language_name`, `score`, `n_tasks`, `rows`.
        tasks: One row per language × task used: `language`, `language_name`, `task_name`, `task_type`, `corpus`,
            `rows`.
        unmeasured: Languages asked for in which nothing of the kind was measured.
        purpose: What for.
        languages: Languages asked for.
        n_tasks: Different tasks used.
        level: Level of the intervals.
        seed: Seed of the resamples.
    """

    models: pl.DataFrame
    scores: pl.DataFrame
    tasks: pl.DataFrame
    unmeasured: tuple[str, ...]
    purpose: Purpose
    languages: tuple[str, ...]
    n_tasks: int
    level: float
    seed: int


def list_models(
    records: LanguageRecords,
    declarations: Declarations,
    languages: Sequence[str],
    purpose: Purpose,
    wanted: ModelFilter | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
) -> Shortlist:
    """The models ranked for a purpose in some languages.

    Formula: mean over languages of the mean over tasks of the mean over the task's rows, each row once. Only rows
    *within* a language count; for translation matching those across languages. The interval draws the tasks anew, with
    replacement: a task that serves several languages is drawn for all of them. Missing: a model that lacks a row is
    listed with what it has and gets no rank; where nothing was measured in a language the list says so.

    Args:
        records: The sums.
        declarations: What each model declares.
        languages: Languages of the benchmark, at least one.
        purpose: What for.
        wanted: Which models.
        level: Level of the intervals (fraction).
        n_resamples: Resamples.
        seed: Seed.

    Raises:
        UsageError: A language is not one of the benchmark.
    """
    for language in languages:
        records.expect_language(language)
    sums = records.sums.select_cells(_lines(records, languages, purpose))
    tasks = group_lines(sums.cells, "language", "task_name", "task_type", "corpus")
    rows = tasks.total(sums.rows_distinct)
    means = divide(tasks.total(sums.scores_distinct), rows)
    expected = rows.max(axis=1, initial=0.0)
    complete = (rows >= expected[:, None]).all(axis=0)
    weights = _weights(tasks.keys)
    scores = np.where(complete, (np.nan_to_num(means) * weights[:, None]).sum(axis=0), np.nan)
    passes = _passing(records, sums, wanted or ModelFilter())
    listed = passes & (rows.sum(axis=0) > 0)
    ranked = listed & complete & (len(tasks.keys) > 0)
    bounds = _intervals(tasks.keys, np.nan_to_num(means) * weights[:, None], ranked, (level, n_resamples, seed))
    models = pl.DataFrame(
        {
            "rank": np.where(ranked, rank_values(np.where(ranked, scores, np.nan)), np.nan),
            "model_name": pl.Series(sums.model_names, dtype=pl.String),
            "score": scores,
            **bounds,
            "n_tasks": _count_tasks(tasks.keys, rows),
            "rows": rows.sum(axis=0).astype(np.int64),
            "rows_expected": np.full(rows.shape[1], int(expected.sum())),
            "is_complete": ranked,
        },
        nan_to_null=True,
    ).cast({"rank": pl.Int64}).filter(pl.Series(listed))  # fmt: skip
    return Shortlist(
        models=_with_facts(records, declarations, models, tasks.keys),
        scores=_by_language(records, sums, tasks.keys, rows, means, listed),
        tasks=tasks.keys.with_columns(
            rows=pl.Series(expected).cast(pl.Int64), language_name=pl.col("language").replace(records.labels)
        ).select("language", "language_name", "task_name", "task_type", "corpus", "rows"),
        unmeasured=tuple(each for each in languages if each not in tasks.keys["language"]),
        purpose=purpose,
        languages=tuple(languages),
        n_tasks=tasks.keys["task_name"].n_unique(),
        level=level,
        seed=seed,
    )


def _lines(records: LanguageRecords, languages: Sequence[str], purpose: Purpose) -> Ints:
    same = pl.col("row_kind") == RowKind.SAME.value
    asked = records.asked.filter(pl.col("rows_expected") > 0)
    wanted = (
        records.sums.cells.with_row_index("line")
        .filter(pl.col("language").is_in(list(languages)), ~same if purpose is Purpose.TRANSLATION else same)
        .join(asked, on=["language", "task_name"], how="semi", maintain_order="left")
    )
    if purpose in TASK_TYPES:
        wanted = wanted.filter(pl.col("task_type").is_in(TASK_TYPES[purpose]))
    return np.asarray(wanted["line"].to_numpy(), dtype=np.int64)


def _weights(tasks: pl.DataFrame) -> Floats:
    """What each language × task adds to the score: languages count the same, and tasks within each."""
    per_language = 1 / pl.len().over("language")
    return tasks.select(per_language / pl.col("language").n_unique()).to_series().to_numpy()


def _passing(records: LanguageRecords, sums: LanguageSums, wanted: ModelFilter) -> Bools:
    names = records.models.filter(wanted.passes)["model_name"]
    return np.asarray(pl.Series(sums.model_names, dtype=pl.String).is_in(names.implode()).to_numpy())


def _intervals(
    tasks: pl.DataFrame,
    parts: Floats,
    ranked: Bools,
    drawing: tuple[float, int, int],
) -> dict[str, Floats | pl.Series]:
    """Bounds over tasks of the ranked models, and whether each could be first."""
    level, n_resamples, seed = drawing
    low, high = np.full(parts.shape[1], np.nan), np.full(parts.shape[1], np.nan)
    could: list[bool | None] = [None] * parts.shape[1]
    by_task = group_lines(tasks, "task_name")
    if len(by_task.keys) > 1 and ranked.any():
        drawn = resample_tasks(by_task.total(parts)[:, ranked].T, None, n_resamples, seed)
        ends = (0.5 - level / 2, 0.5 + level / 2)
        low[ranked], high[ranked] = np.quantile(drawn.resampled, ends, axis=0)
        first = int(np.argmax(drawn.estimate))
        behind = np.quantile(drawn.resampled[:, [first]] - drawn.resampled, ends[0], axis=0)
        for at, gap in zip(np.flatnonzero(ranked), behind, strict=True):
            could[at] = bool(gap <= 0)
    return {"ci_low": low, "ci_high": high, "could_be_first": pl.Series(could, dtype=pl.Boolean)}


def _count_tasks(tasks: pl.DataFrame, rows: Floats) -> Ints:
    return np.asarray((group_lines(tasks, "task_name").total(rows) > 0).sum(axis=0), dtype=np.int64)


def _with_facts(
    records: LanguageRecords, declarations: Declarations, models: pl.DataFrame, tasks: pl.DataFrame
) -> pl.DataFrame:
    used = declarations.cells.join(tasks, on="task_name", how="semi")
    state = pl.col("training")
    declared = used.group_by("model_name").agg(
        n_declared=pl.when((state != Training.UNKNOWN.value).all()).then(
            (state == Training.DECLARED.value).sum().cast(pl.Int64)
        )
    )
    summary = (
        pl.when(pl.col("n_declared").is_null())
        .then(pl.lit(Training.UNKNOWN.value))
        .when(pl.col("n_declared") > 0)
        .then(pl.lit(Training.DECLARED.value))
        .otherwise(pl.lit(Training.NOT_DECLARED.value))
    )
    facts = ("n_parameters", "embed_dim", "max_tokens", "license", "open_weights", "release_date")
    return (
        models.join(declared, on="model_name", how="left")
        .with_columns(training=summary)
        .join(records.models.select("model_name", *facts), on="model_name", how="left")
        .sort("rank", "rows", "model_name", descending=[False, True, False], nulls_last=True)
    )


def _by_language(
    records: LanguageRecords,
    sums: LanguageSums,
    tasks: pl.DataFrame,
    rows: Floats,
    means: Floats,
    listed: Bools,
) -> pl.DataFrame:
    languages = group_lines(tasks, "language")
    held = (rows > 0).astype(np.float64)
    scores = divide(languages.total(np.nan_to_num(means)), languages.total(held))
    language, model = np.nonzero((languages.total(rows) > 0) & listed)
    codes = languages.keys["language"].gather(language)
    return pl.DataFrame(
        {
            "model_name": pl.Series(sums.model_names, dtype=pl.String).gather(model),
            "language": codes,
            "language_name": codes.replace(records.labels),
            "score": scores[language, model],
            "n_tasks": languages.total(held)[language, model].astype(np.int64),
            "rows": languages.total(rows)[language, model].astype(np.int64),
        }
    ).sort("model_name", "language")
