"""What models declare to have been trained on: three states, never two, and what that covers of a score.

A declaration names tasks whose data was trained on. None says anything about pretraining text, and many models
declare nothing at all: unknown is not clean.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl

from engine.analysis.language_records import LanguageRecords
from engine.analysis.ranking import build_score_matrix, positions, rank_models

NO_PRETRAINING = "No declaration covers pretraining text: a task that nobody declares may still have been read."


class Training(StrEnum):
    """What a model says about a task (design, rule 10)."""

    DECLARED = "declared trained"
    NOT_DECLARED = "declared not trained"
    UNKNOWN = "unknown"


class Closure(StrEnum):
    """Which tasks a declared task speaks for."""

    DIRECT = "direct"
    """itself alone"""
    SIMILAR = "similar"
    """also the tasks that mteb holds to be similar"""
    CORPUS = "corpus"
    """also every task whose texts come from the same source corpus"""


class Undeclared(StrEnum):
    """What a model without a declaration counts as in a correlation."""

    LEFT_OUT = "left out"
    ZERO = "as none"


@dataclass(frozen=True)
class Declarations:
    """What the models of a benchmark declare under one closure.

    Attributes:
        cells: One row per model × task of the benchmark: `model_name`, `task_name`, `task_type`, `corpus`, `training`.
        models: One row per model: `model_name`, `rank` (Borda, by mteb's rule), `n_tasks` (with a score),
            `is_complete`, `n_declared` (tasks of the benchmark; null = unknown), `declared` (their names), `n_other`
            (declared tasks and data sets outside the benchmark; null = unknown); sorted by rank.
        closure: Which tasks a declared task speaks for.
    """

    cells: pl.DataFrame
    models: pl.DataFrame
    closure: Closure

    def states_of(self, model_names: list[str] | None = None) -> pl.DataFrame:
        """Models by state and task: `task_name`, `training`, `n_models`, for these models (default all)."""
        cells = self.cells if model_names is None else self.cells.filter(pl.col("model_name").is_in(model_names))
        counted = cells.group_by("task_name", "training").agg(n_models=pl.len().cast(pl.Int64))
        return counted.sort("task_name", "training")


def read_declarations(records: LanguageRecords, closure: Closure = Closure.SIMILAR) -> Declarations:
    """What each model declares about each task of the benchmark.

    A list that is empty declares that nothing was trained on; a list that is absent declares nothing. Source:
    mteb's model metadata (`training_datasets`, `get_training_datasets`), table `corpora` for the last closure.

    Args:
        records: Models, tasks and the leaderboard.
        closure: Which tasks a declared task speaks for.
    """
    tasks = records.tasks.select("task_name", "task_type", "corpus").sort("task_name")
    column = "training_datasets" if closure is Closure.DIRECT else "training_closure"
    declared = records.models.select("model_name", named=pl.coalesce(column, "training_datasets"))
    named = declared.drop_nulls("named").explode("named").drop_nulls("named").rename({"named": "task_name"})
    trained = named.join(tasks, on="task_name", how="semi")
    if closure is Closure.CORPUS:
        trained = _same_corpus(named, trained, records)
    cells = (
        declared.join(tasks, how="cross")
        .join(trained.unique().with_columns(hit=True), on=["model_name", "task_name"], how="left")
        .select("model_name", "task_name", "task_type", "corpus", training=_state())
        .sort("model_name", "task_name")
    )
    return Declarations(cells, _count(records, cells, named), closure)


def _same_corpus(named: pl.DataFrame, trained: pl.DataFrame, records: LanguageRecords) -> pl.DataFrame:
    """Declared tasks with all tasks of the benchmark that share a corpus with any declared task, of it or not."""
    corpora = named.join(records.corpora, on="task_name").select("model_name", "corpus").unique()
    related = corpora.join(records.tasks.select("task_name", "corpus"), on="corpus")
    return pl.concat([trained, related.select("model_name", "task_name")])


def _state() -> pl.Expr:
    return (
        pl.when(pl.col("named").is_null())
        .then(pl.lit(Training.UNKNOWN.value))
        .when(pl.col("hit").is_null())
        .then(pl.lit(Training.NOT_DECLARED.value))
        .otherwise(pl.lit(Training.DECLARED.value))
    )


def _count(records: LanguageRecords, cells: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    hit = pl.col("training") == Training.DECLARED.value
    known = (pl.col("training") != Training.UNKNOWN.value).all()
    counted = cells.group_by("model_name").agg(
        n_declared=pl.when(known).then(hit.sum().cast(pl.Int64)),
        declared=pl.col("task_name").filter(hit),
    )
    outside = named.join(records.tasks, on="task_name", how="anti").group_by("model_name").agg(
        n_other=pl.len().cast(pl.Int64)
    )  # fmt: skip
    ranked = rank_models(build_score_matrix(records.task_scores)).select("model_name", "rank", "n_tasks", "is_complete")
    return (
        counted.join(ranked, on="model_name", how="left")
        .join(outside, on="model_name", how="left")
        .with_columns(n_other=pl.when(pl.col("n_declared").is_not_null()).then(pl.col("n_other").fill_null(0)))
        .select("model_name", "rank", "n_tasks", "is_complete", "n_declared", "declared", "n_other")
        .sort("rank", "model_name", nulls_last=True)
    )


def declared_weight(records: LanguageRecords, declarations: Declarations) -> pl.DataFrame:
    """How much of each model's language scores stands on tasks that it declares.

    Formula: rows of declared tasks ÷ rows of the language, both as counted for that model. Missing: null where the
    model declares nothing at all (unknown), not 0.

    Returns:
        `model_name`, `language`, `rows`, `rows_declared`, `declared_share`, `training` (unknown, or the state that the
        share says: any declared, none declared); one row per model × language with a score.
    """
    sums = records.sums
    states = declarations.cells.filter(pl.col("model_name").is_in(sums.model_names)).sort("task_name", "model_name")
    tasks = states["task_name"].unique().sort()
    shape = (len(tasks), len(sums.model_names))
    is_declared, is_unknown = (
        states.select(pl.col("training") == state.value).to_series().to_numpy().reshape(shape)
        for state in (Training.DECLARED, Training.UNKNOWN)
    )
    unknown = np.asarray(is_unknown.all(axis=0))
    weights = is_declared[positions(sums.cells["task_name"], tasks)]
    languages = records.by_language
    rows, declared = languages.total(sums.rows), languages.total(sums.rows * weights)
    language, model = np.nonzero(rows > 0)
    frame = pl.DataFrame(
        {
            "model_name": pl.Series(sums.model_names, dtype=pl.String).gather(model),
            "language": languages.keys["language"].gather(language),
            "rows": rows[language, model].astype(np.int64),
            "rows_declared": np.where(unknown[model], np.nan, declared[language, model]),
            "declared_share": np.where(unknown[model], np.nan, declared[language, model] / rows[language, model]),
        },
        nan_to_null=True,
    ).cast({"rows_declared": pl.Int64})
    state = (
        pl.when(pl.col("declared_share").is_null())
        .then(pl.lit(Training.UNKNOWN.value))
        .when(pl.col("rows_declared") > 0)
        .then(pl.lit(Training.DECLARED.value))
        .otherwise(pl.lit(Training.NOT_DECLARED.value))
    )
    return frame.with_columns(training=state).sort("model_name", "language")


def correlate_declared(declarations: Declarations) -> pl.DataFrame:
    """Rank correlation between place on the leaderboard and number of declared tasks, in several sets of models.

    Formula: Spearman's ρ of rank (1 = best) and declared tasks, average ranks for ties; negative = the better places
    declare more. Both treatments of a model that declares nothing are given. Missing: null for fewer than three models,
    and where one of the two does not vary. Places differ by other things too: this is no effect of training.

    Returns:
        `models` (which set), `undeclared` (treatment), `n`, `n_unknown` (in the set), `spearman`.
    """
    ranked = declarations.models.filter(pl.col("rank").is_not_null())
    every_task = pl.col("n_tasks") >= pl.col("n_tasks").filter(pl.col("is_complete")).min()
    sets = {
        "all ranked": ranked,
        "every task": ranked.filter(every_task),
        "every row": ranked.filter(pl.col("is_complete")),
    }
    sets |= {f"first {top}": ranked.filter(pl.col("rank") <= top) for top in (25, 50, 100, 200) if top < len(ranked)}
    rows = []
    for title, models in sets.items():
        for undeclared in Undeclared:
            counted = (
                models.drop_nulls("n_declared")
                if undeclared is Undeclared.LEFT_OUT
                else models.with_columns(pl.col("n_declared").fill_null(0))
            )
            rows.append(
                {
                    "models": title,
                    "undeclared": undeclared.value,
                    "n": len(counted),
                    "n_unknown": models["n_declared"].null_count(),
                    "spearman": _spearman(counted),
                }
            )
    return pl.DataFrame(
        rows, schema={"models": pl.String, "undeclared": pl.String, "n": pl.Int64, "n_unknown": pl.Int64,
                      "spearman": pl.Float64}
    )  # fmt: skip


def _spearman(models: pl.DataFrame) -> float | None:
    if len(models) < 3 or min(models["rank"].n_unique(), models["n_declared"].n_unique()) < 2:
        return None
    from scipy.stats import spearmanr

    return float(spearmanr(models["rank"].to_numpy(), models["n_declared"].to_numpy()).statistic)
