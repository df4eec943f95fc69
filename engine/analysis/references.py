"""The score whose place among the prompts is asked for: three kinds, never pooled (design, rule 5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from engine.analysis.completeness import score_runs
from engine.analysis.prompt_records import CELL, PromptRecords


class Reference(StrEnum):
    """What the prompts are compared with."""

    SAME_HARNESS = "same-harness"
    """the default-prompt run in the same source"""
    PUBLISHED_MATCHED = "published-matched"
    """the published score over those rows that it shares with the view; prompt scores are recomputed on them"""
    PUBLISHED_ALL = "published-all"
    """the published score over all its rows, which may be other rows than the prompts'"""


NO_DEFAULT = "no default run in this source"
NOT_PUBLISHED = "no published score"
OTHER_ROWS = "published on other rows only"


@dataclass(frozen=True)
class Matched:
    """Published runs on the rows they share with the view.

    Attributes:
        references: One row per matched cell: `reference_score`, `reference_rows` (those shared), provenance.
        view: `model_name`, `task_name`, `bundle_id`, `n_rows`: the shared rows of each cell.
    """

    references: pl.DataFrame
    view: pl.DataFrame


def order_published(
    candidates: pl.DataFrame, shown: pl.DataFrame, joined: pl.DataFrame, studies: pl.Series
) -> pl.DataFrame:
    """The candidates with `preference` (0 = first choice) within model and task.

    Order: sources without prompt experiments first; the revision that the prompts ran on; the revision that mteb's
    `join_revisions` picks; runs whose version of mteb is recorded (files say more than a leaderboard's frame); then
    revision and source by name.

    Args:
        candidates: Default runs of other sources (table `runs`).
        shown: `model_name`, `task_name`, `model_revision` of the prompt runs shown.
        joined: `source_name`, `model_name`, `task_name`, `model_revision` as `join_revisions` picks them.
        studies: Names of sources that hold prompt experiments.
    """
    same = shown.select(*CELL, "model_revision", is_same=pl.lit(value=True))
    picked = joined.select("source_name", *CELL, "model_revision", is_picked=pl.lit(value=True))
    return (
        candidates.join(same, on=[*CELL, "model_revision"], how="left")
        .join(picked, on=["source_name", *CELL, "model_revision"], how="left")
        .with_columns(
            pl.col("is_same", "is_picked").fill_null(value=False),
            is_study=pl.col("source_name").is_in(studies.implode()),
            has_version=pl.col("mteb_version").is_not_null(),
        )
        .sort(
            *CELL, "is_study", "is_same", "is_picked", "has_version", "model_revision", "source_name",
            descending=[False, False, False, True, True, True, False, False],
        )
        .with_columns(preference=pl.int_range(pl.len()).over(list(CELL)))
        .drop("is_same", "is_picked", "is_study", "has_version")
    )  # fmt: skip


def same_harness(records: PromptRecords, view: pl.DataFrame) -> pl.DataFrame:
    """One row per cell with a default run in the source: its score over the view's rows, and what ran.

    The score is null where the run lacks a row of the view; `reference_rows` says how many it has.
    """
    return _as_reference(score_runs(records.default_runs, records.bundle_scores, view))


def published_matched(records: PromptRecords, view: pl.DataFrame) -> Matched:
    """The preferred published run of each cell that shares at least one row with the view, on the shared rows.

    Formula: mean of the published scores over (published rows with a number) ∩ (rows of the view).
    Cells without a shared row are absent.
    """
    shared = (
        records.bundle_scores.filter(pl.col("score_sum").is_not_null())
        .join(records.published_runs.select("run_id", *CELL, "preference"), on="run_id")
        .join(view.select("task_name", "bundle_id"), on=["task_name", "bundle_id"], how="semi")
    )
    first = shared.group_by(CELL).agg(preference=pl.col("preference").min())
    held = shared.join(first, on=[*CELL, "preference"], how="semi")
    runs = records.published_runs.join(held, on="run_id", how="semi", maintain_order="left")
    matched = held.select(*CELL, "bundle_id", "n_rows").sort(*CELL, "bundle_id")
    return Matched(_as_reference(score_runs(runs, records.bundle_scores, matched, keys=CELL)), matched)


def published_all(records: PromptRecords) -> pl.DataFrame:
    """One row per cell with a published run: the mean over all rows of the preferred run, whatever they are.

    A row without a number leaves the reference without a score. Beware: these may be other rows than the prompts'.
    """
    runs = records.published_runs.filter(pl.col("preference") == 0)
    held = records.bundle_scores.join(runs.select("run_id", *CELL), on="run_id").select(*CELL, "bundle_id", "n_rows")
    return _as_reference(score_runs(runs, records.bundle_scores, held, keys=CELL))


def harness_gap(records: PromptRecords, matched: Matched) -> pl.DataFrame:
    """One row per cell that has both: published score − same-harness default run, on the same rows (fraction).

    Null where the default run lacks one of the shared rows. It is the difference of two harnesses, not inflation.
    """
    defaults = score_runs(records.default_runs, records.bundle_scores, matched.view, keys=CELL)
    return (
        matched.references.select(*CELL, "reference_score")
        .join(defaults.select(*CELL, "score"), on=list(CELL))
        .select(*CELL, harness_gap=pl.col("reference_score") - pl.col("score"))
    )


def _as_reference(scored: pl.DataFrame) -> pl.DataFrame:
    two_sided = pl.col("origin_query").is_not_null()
    return scored.select(
        *CELL,
        reference_score="score",
        reference_rows="rows",
        reference_rows_expected="rows_expected",
        reference_source="source_name",
        reference_revision="model_revision",
        reference_prompt=pl.when(two_sided).then("prompt_query").otherwise("prompt_none"),
        reference_document_prompt="prompt_document",
        reference_origin=pl.when(two_sided).then("origin_query").otherwise("origin_none"),
        reference_template="template_used",
        reference_mteb_version="mteb_version",
        reference_encoder_versions="encoder_versions",
        reference_dataset_revision="dataset_revision",
    )
