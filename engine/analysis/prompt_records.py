"""What a prompt distribution is computed from: runs, sums of scores and descriptions of one source, named by grain."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.completeness import study_bundles
from engine.analysis.prompt_sets import count_sharers

CELL = ("model_name", "task_name")
"""A cell is a pair of model and task."""
_IN_VIEW = ("task_name", "bundle_id", "n_rows")


@dataclass(frozen=True)
class PromptRecords:
    """Frames of one source for some tasks, models not yet filtered.

    Attributes:
        source: Name of the source.
        prompt_runs: One row per model × task × prompt (table `runs`, one revision a cell).
        default_runs: One row per model × task: the same-harness default run.
        published_runs: Default runs of other sources on the same models and tasks, with `preference`:
            the lower, the more it is preferred (see `engine.analysis.references.order_published`).
        bundle_scores: `run_id`, `bundle_id`, `n_rows`, `score_sum` of all those runs; a sum is null where the run holds
            the rows without numbers (see `engine.analysis.completeness`).
        bundles: `row_id`, `task_name`, `bundle_id`: every row of the tasks.
        prompts: Table `prompts` with `n_models` and `shared`, one row per prompt and task.
        tasks: `task_name`, `task_type`.
        models: `model_name`, `prompt_scheme`.
        views: `view`, `task_name`, `bundle_id`, `n_rows`: the rows of the study (view `study`) and of benchmarks (their
            names).
        notes: What was set aside while the records were put together.
    """

    source: str
    prompt_runs: pl.DataFrame
    default_runs: pl.DataFrame
    published_runs: pl.DataFrame
    bundle_scores: pl.DataFrame
    bundles: pl.DataFrame
    prompts: pl.DataFrame
    tasks: pl.DataFrame
    models: pl.DataFrame
    views: pl.DataFrame
    notes: tuple[str, ...] = ()

    def view(self, name: str) -> pl.DataFrame:
        """`task_name`, `bundle_id`, `n_rows` of one view."""
        return self.views.filter(pl.col("view") == name).drop("view")

    def rows_of(self, view: str) -> pl.DataFrame:
        """`task_name`, `row_id` of one view."""
        return self.bundles.join(self.view(view), on="bundle_id", how="semi").select("task_name", "row_id")


def build_records(
    *,
    source: str,
    runs: pl.DataFrame,
    published_runs: pl.DataFrame,
    bundle_scores: pl.DataFrame,
    bundles: pl.DataFrame,
    prompts: pl.DataFrame,
    tasks: pl.DataFrame,
    models: pl.DataFrame,
    benchmark_rows: pl.DataFrame,
    revisions: pl.DataFrame,
    default_revisions: pl.DataFrame,
) -> PromptRecords:
    """Records of one source: rows of the study, sharers of each prompt, one revision a cell, no run twice.

    Rows of the study and sharers are found before anything is set aside.

    Args:
        source: Name of the source.
        runs: Every run of the source on the tasks (table `runs`).
        published_runs: Ordered candidates of other sources.
        bundle_scores: Sums of the scores of both.
        bundles: `row_id`, `task_name`, `bundle_id`.
        prompts: Table `prompts`.
        tasks: `task_name`, `task_type`.
        models: `model_name`, `prompt_scheme`.
        benchmark_rows: `benchmark_name`, `row_id`; rows of other tasks do not matter.
        revisions: `model_name`, `task_name`, `model_revision`: the revision that a view shows.
        default_revisions: The same for the default runs, where none of the shown revision exists.
    """
    prompt_runs = runs.filter(pl.col("prompt_id").is_not_null())
    default_runs = runs.filter(pl.col("is_default"))
    views = [
        study_bundles(runs, bundle_scores).select(pl.lit("study").alias("view"), *_IN_VIEW),
        bundles.join(benchmark_rows.select("row_id", view="benchmark_name"), on="row_id")
        .group_by("view", "task_name", "bundle_id")
        .agg(n_rows=pl.len().cast(pl.Int64))
        .sort("view", "task_name", "bundle_id")
        .select("view", *_IN_VIEW),
    ]
    shown = prompt_runs.join(revisions, on=[*CELL, "model_revision"], how="semi", maintain_order="left")
    single = shown.unique([*CELL, "prompt_id"], keep="first", maintain_order=True)
    nearest = _nearest_defaults(default_runs, revisions, default_revisions)
    return PromptRecords(
        source=source,
        prompt_runs=single,
        default_runs=nearest,
        published_runs=published_runs,
        bundle_scores=bundle_scores,
        bundles=bundles,
        prompts=prompts.join(count_sharers(prompt_runs), on=["task_name", "prompt_id"], maintain_order="left"),
        tasks=tasks,
        models=models,
        views=pl.concat(views),
        notes=_set_aside(prompt_runs, shown, single),
    )


def _nearest_defaults(default_runs: pl.DataFrame, shown: pl.DataFrame, picked: pl.DataFrame) -> pl.DataFrame:
    """One default run a cell: that of the shown revision where there is one, else of the picked one."""
    key = [*CELL, "model_revision"]
    ranked = default_runs.join(
        shown.select(*key, is_shown=pl.lit(value=True)), on=key, how="left", maintain_order="left"
    ).join(picked.select(*key, is_picked=pl.lit(value=True)), on=key, how="left", maintain_order="left")
    return (
        ranked.sort(*CELL, "is_shown", "is_picked", "model_revision", nulls_last=True)
        .unique(list(CELL), keep="first", maintain_order=True)
        .drop("is_shown", "is_picked")
    )


def _set_aside(prompt_runs: pl.DataFrame, shown: pl.DataFrame, single: pl.DataFrame) -> tuple[str, ...]:
    notes = []
    if len(shown) < len(prompt_runs):
        models = prompt_runs.join(shown, on="run_id", how="anti")["model_name"].unique().sort().to_list()
        notes.append(
            f"{len(prompt_runs) - len(shown):,} runs under other revisions of {', '.join(models)} are set aside: "
            "a view shows one revision per model and task."
        )
    if len(single) < len(shown):
        notes.append(
            f"{len(shown) - len(single):,} runs repeat a prompt of the same model and task; "
            "the one whose experiment folder comes first by name is shown."
        )
    return tuple(notes)
