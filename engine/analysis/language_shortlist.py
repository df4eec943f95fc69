"""For my purpose: models ranked on what was measured for some languages and one kind of use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl

from engine.analysis.contamination import Declarations, Training
from engine.analysis.language_purpose import Measured, Purpose, measure_purpose
from engine.analysis.language_records import LanguageRecords, group_lines
from engine.analysis.language_scores import divide
from engine.analysis.ranking import Bools, Floats, rank_values
from engine.analysis.resampling import RESAMPLES, draw_tasks

__all__ = ["ModelFilter", "Purpose", "Shortlist", "list_models"]


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
    measured = measure_purpose(records, languages, purpose)
    listed = _passing(records, measured, wanted or ModelFilter())
    models = _rank(measured, listed, _intervals(measured, listed, level, n_resamples, seed))
    tasks = measured.tasks
    return Shortlist(
        models=_with_facts(records, declarations, models, tasks),
        scores=_by_language(records, measured, listed),
        tasks=tasks.with_columns(
            rows=pl.Series(measured.expected).cast(pl.Int64), language_name=pl.col("language").replace(records.labels)
        ).select("language", "language_name", "task_name", "task_type", "corpus", "rows"),
        unmeasured=tuple(each for each in languages if each not in tasks["language"]),
        purpose=purpose,
        languages=tuple(languages),
        n_tasks=tasks["task_name"].n_unique(),
        level=level,
        seed=seed,
    )


def _rank(measured: Measured, listed: Bools, bounds: dict[str, Floats | pl.Series]) -> pl.DataFrame:
    rows, is_ranked = measured.rows, listed & measured.is_complete
    scores = np.where(measured.is_complete, measured.parts.sum(axis=0), np.nan)
    return (
        pl.DataFrame(
            {
                "rank": rank_values(np.where(is_ranked, scores, np.nan)),
                "model_name": measured.model_names,
                "score": scores,
                **bounds,
                "n_tasks": (group_lines(measured.tasks, "task_name").total(rows) > 0).sum(axis=0),
                "rows": rows.sum(axis=0),
                "rows_expected": np.full(rows.shape[1], measured.expected.sum()),
                "is_complete": is_ranked,
            },
            nan_to_null=True,
        )
        .cast(dict.fromkeys(("rank", "n_tasks", "rows", "rows_expected"), pl.Int64))
        .filter(pl.Series(listed))
    )


def _passing(records: LanguageRecords, measured: Measured, wanted: ModelFilter) -> Bools:
    """Models that pass the filter and have any of the rows."""
    names = records.models.filter(wanted.passes)["model_name"]
    return np.asarray(measured.model_names.is_in(names.implode()).to_numpy() & (measured.rows.sum(axis=0) > 0))


def _intervals(
    measured: Measured, listed: Bools, level: float, n_resamples: int, seed: int
) -> dict[str, Floats | pl.Series]:
    """Bounds over tasks of the ranked models, and whether each could be first.

    Tasks weigh differently when languages have different ones, so a resample's score is the weighted mean of the tasks
    drawn, by the weights that they brought along.
    """
    ranked = listed & measured.is_complete
    low, high = np.full(len(ranked), np.nan), np.full(len(ranked), np.nan)
    could: list[bool | None] = [None] * len(ranked)
    by_task = group_lines(measured.tasks, "task_name")
    if len(by_task.keys) > 1 and ranked.any():
        parts, weights = by_task.total(measured.parts)[:, ranked], by_task.total(measured.weights[:, None])
        times = draw_tasks(len(parts), None, n_resamples, np.random.default_rng(seed))
        resampled = (times @ parts) / (times @ weights)
        ends = (0.5 - level / 2, 0.5 + level / 2)
        low[ranked], high[ranked] = np.quantile(resampled, ends, axis=0)
        first = int(np.argmax(parts.sum(axis=0)))
        behind = np.quantile(resampled[:, [first]] - resampled, ends[0], axis=0)
        for at, gap in zip(np.flatnonzero(ranked), behind, strict=True):
            could[at] = bool(gap <= 0)
    return {"ci_low": low, "ci_high": high, "could_be_first": pl.Series(could, dtype=pl.Boolean)}


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


def _by_language(records: LanguageRecords, measured: Measured, listed: Bools) -> pl.DataFrame:
    languages = group_lines(measured.tasks, "language")
    rows, held = languages.total(measured.rows), languages.total((measured.rows > 0).astype(np.float64))
    scores = divide(languages.total(np.nan_to_num(measured.means)), held)
    language, model = np.nonzero((rows > 0) & listed)
    codes = languages.keys["language"].gather(language)
    return pl.DataFrame(
        {
            "model_name": measured.model_names.gather(model),
            "language": codes,
            "language_name": codes.replace(records.labels),
            "score": scores[language, model],
            "n_tasks": held[language, model].astype(np.int64),
            "rows": rows[language, model].astype(np.int64),
        }
    ).sort("model_name", "language")
