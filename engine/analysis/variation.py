"""How much scores move over prompts: per cell and model, between and within kinds of prompt, by who wrote them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.places import EQUAL_WITHIN
from engine.analysis.prompt_records import CELL
from engine.analysis.prompt_sets import authorship

WIDE = 0.3
"""A CV from here on is named in pictures and counted in sentences."""


@dataclass(frozen=True)
class KindSpread:
    """Spread between and within kinds of prompt.

    Attributes:
        cells: One row per model × task: `n_kinds`, `sd_between`, `sd_within`, `between_share`, and `cv` of all.
        kinds: One row per model × task × kind: `n`, `mean`, `median`, `sd`, `cv`, `min`, `max`, `from_median`.
    """

    cells: pl.DataFrame
    kinds: pl.DataFrame


def cv_by_model(cells: pl.DataFrame) -> pl.DataFrame:
    """One row per model: median and largest CV over its tasks, and on which task (design, rule 7).

    Missing: cells without a CV are left out and counted in `n_without`. Ties: of equally large ones the first by task
    is named. Units: fractions.

    Returns:
        `model_name`, `n_cells` (with a CV), `n_without`, `cv_median`, `cv_max`, `cv_max_task`, `n_wide` (CV of 30 %
        and more), sorted by model.
    """
    cv = pl.col("cv")
    return (
        cells.sort("model_name", "task_name")
        .group_by("model_name", maintain_order=True)
        .agg(
            n_cells=cv.count().cast(pl.Int64),
            n_without=cv.null_count().cast(pl.Int64),
            cv_median=cv.median(),
            cv_max=cv.max(),
            cv_max_task=pl.col("task_name").filter(cv == cv.max()).first(),
            n_wide=(cv >= WIDE).sum().cast(pl.Int64),
        )
    )


def spread_by_kind(scores: pl.DataFrame, prompts: pl.DataFrame) -> KindSpread:
    """How much of a cell's spread lies between kinds of prompt, and how much is left within one kind.

    Formulas, per cell with kinds k of n_k scores, mean m_k and sd s_k around the cell's mean m:
    `sd_between` = sd (number of kinds − 1) of the m_k; `sd_within` = √(Σ (n_k − 1) s_k² ÷ Σ (n_k − 1)), pooled;
    `between_share` = Σ n_k (m_k − m)² ÷ Σ (x − m)², the share of the variance that the kind explains (η²).
    Missing: null scores count nowhere; one kind gives no `sd_between` and no share, kinds of one prompt each no
    `sd_within`; scores without any spread have no share. Units: fractions. Source: one-way analysis of variance.

    Args:
        scores: `PromptDistributions.scores`.
        prompts: `PromptDistributions.prompts`.
    """
    kinds_of = prompts.select("task_name", "prompt_id", "prompt_kind")
    told = scores.filter(pl.col("score").is_not_null()).join(kinds_of, on=["task_name", "prompt_id"])
    kinds = _describe(told, "prompt_kind")
    middle = told.group_by(CELL).agg(cell_median=pl.col("score").median())
    kinds = (
        kinds.join(middle, on=list(CELL))
        .with_columns(from_median=pl.col("mean") - pl.col("cell_median"))
        .drop("cell_median")
        .sort("task_name", "model_name", "prompt_kind")
    )
    return KindSpread(_between(told, kinds).sort("task_name", "model_name"), kinds)


def kind_by_model(kinds: pl.DataFrame) -> pl.DataFrame:
    """One row per model × kind: how far a kind's mean lies from the cell's median prompt, averaged over tasks.

    Formula: unweighted mean over tasks of (mean of the kind − median of the cell). A task without the kind is left
    out. Units: fractions.

    Args:
        kinds: `KindSpread.kinds`.

    Returns:
        `model_name`, `prompt_kind`, `n_tasks`, `from_median`, `cv` (mean over tasks), sorted.
    """
    return (
        kinds.group_by("model_name", "prompt_kind")
        .agg(n_tasks=pl.len().cast(pl.Int64), from_median=pl.col("from_median").mean(), cv=pl.col("cv").mean())
        .sort("model_name", "prompt_kind")
    )


def prompt_matrix(scores: pl.DataFrame, prompts: pl.DataFrame, task_name: str) -> pl.DataFrame:
    """One row per prompt × model of one task: the score, and how far it lies from the model's median prompt.

    Prompts come from the best to the worst on average over models (mean of `from_median`; ties by text), models by
    name. A null score stays null and does not enter the average. Units: fractions.

    Returns:
        `prompt_id`, `prompt_text`, `prompt_kind`, `model_name`, `score`, `from_median`, `place` (0 = best prompt).
    """
    texts = prompts.filter(pl.col("task_name") == task_name).select("prompt_id", "prompt_text", "prompt_kind")
    own = scores.filter(pl.col("task_name") == task_name).join(texts, on="prompt_id")
    apart = own.with_columns(from_median=pl.col("score") - pl.col("score").median().over("model_name"))
    order = (
        apart.group_by("prompt_id", "prompt_text")
        .agg(average=pl.col("from_median").mean())
        .sort("average", "prompt_text", descending=[True, False], nulls_last=True)
        .with_row_index("place")
        .select("prompt_id", pl.col("place").cast(pl.Int64))
    )
    return (
        apart.join(order, on="prompt_id")
        .select("prompt_id", "prompt_text", "prompt_kind", "model_name", "score", "from_median", "place")
        .sort("place", "model_name")
    )


def compare_authors(scores: pl.DataFrame, prompts: pl.DataFrame) -> pl.DataFrame:
    """One row per model × task × authorship: generated prompts against handwritten and unrecorded ones.

    A prompt is handwritten when one of its authors is. Null scores count nowhere. Units: fractions.

    Returns:
        `model_name`, `task_name`, `authorship`, `n`, `mean`, `median`, `sd`, `cv`, `min`, `max`, sorted by task, model.
    """
    written = prompts.select("task_name", "prompt_id", authorship=authorship(pl.col("generators")))
    told = scores.filter(pl.col("score").is_not_null()).join(written, on=["task_name", "prompt_id"])
    return _describe(told, "authorship").sort("task_name", "model_name", "authorship")


def _describe(told: pl.DataFrame, group: str) -> pl.DataFrame:
    score = pl.col("score")
    return (
        told.group_by(*CELL, group)
        .agg(
            n=pl.len().cast(pl.Int64),
            mean=score.mean(),
            median=score.median(),
            sd=score.std(),
            min=score.min(),
            max=score.max(),
        )
        .with_columns(
            cv=pl.when((pl.col("n") >= 2) & (pl.col("mean") > EQUAL_WITHIN)).then(pl.col("sd") / pl.col("mean"))
        )
    )


def _between(told: pl.DataFrame, kinds: pl.DataFrame) -> pl.DataFrame:
    score = pl.col("score")
    whole = told.group_by(CELL).agg(
        cell_mean=score.mean(),
        total=((score - score.mean()) ** 2).sum(),
        cell_cv=pl.when((pl.len() >= 2) & (score.mean() > EQUAL_WITHIN)).then(score.std() / score.mean()),
    )
    degrees = pl.col("n") - 1
    pooled = (pl.col("sd").fill_null(0.0) ** 2 * degrees).sum()
    apart = (pl.col("n") * (pl.col("mean") - pl.col("cell_mean")) ** 2).sum()
    several = pl.col("n_kinds") >= 2
    return (
        kinds.join(whole, on=list(CELL))
        .group_by(CELL)
        .agg(
            n_kinds=pl.len().cast(pl.Int64),
            sd_between=pl.col("mean").std(),
            sd_within=pl.when(degrees.sum() > 0).then((pooled / degrees.sum()).sqrt()),
            apart=apart,
            total=pl.col("total").first(),
            cv=pl.col("cell_cv").first(),
        )
        .with_columns(
            between_share=pl.when(several & (pl.col("total") > EQUAL_WITHIN**2)).then(pl.col("apart") / pl.col("total"))
        )
        .select(*CELL, "n_kinds", "sd_between", "sd_within", "between_share", "cv")
    )
