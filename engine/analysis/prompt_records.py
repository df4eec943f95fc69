"""What a prompt distribution is computed from: runs, row scores and descriptions of one source, named by grain."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.completeness import study_rows
from engine.analysis.prompt_sets import count_sharers

CELL = ("model_name", "task_name")
"""A cell is a pair of model and task."""


@dataclass(frozen=True)
class PromptRecords:
    """Frames of one source for some tasks, models not yet filtered.

    Attributes:
        source: Name of the source.
        prompt_runs: One row per model × task × prompt (table `runs`, one revision a cell).
        default_runs: One row per model × task: the same-harness default run.
        published_runs: Default runs of other sources on the same models and tasks, with `preference`:
            the lower, the more it is preferred (see `engine.analysis.references.order_published`).
        row_scores: `run_id`, `row_id`, `score` of all those runs.
        prompts: Table `prompts` with `n_models` and `shared`, one row per prompt and task.
        tasks: `task_name`, `task_type`.
        models: `model_name`, `prompt_scheme`.
        view_rows: `view`, `task_name`, `row_id`: the rows of the study (view `study`) and of benchmarks (their names).
        notes: What was set aside while the records were put together.
    """

    source: str
    prompt_runs: pl.DataFrame
    default_runs: pl.DataFrame
    published_runs: pl.DataFrame
    row_scores: pl.DataFrame
    prompts: pl.DataFrame
    tasks: pl.DataFrame
    models: pl.DataFrame
    view_rows: pl.DataFrame
    notes: tuple[str, ...] = ()

    def rows_of(self, view: str) -> pl.DataFrame:
        """`task_name`, `row_id` of one view."""
        return self.view_rows.filter(pl.col("view") == view).select("task_name", "row_id")


def build_records(
    *,
    source: str,
    runs: pl.DataFrame,
    published_runs: pl.DataFrame,
    row_scores: pl.DataFrame,
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
        row_scores: Scores of both.
        prompts: Table `prompts`.
        tasks: `task_name`, `task_type`.
        models: `model_name`, `prompt_scheme`.
        benchmark_rows: `benchmark_name`, `task_name`, `row_id`.
        revisions: `model_name`, `task_name`, `model_revision`: the revision that a view shows.
        default_revisions: The same for the default runs, where none of the shown revision exists.
    """
    prompt_runs = runs.filter(pl.col("prompt_id").is_not_null())
    default_runs = runs.filter(pl.col("is_default"))
    views = [
        study_rows(runs, row_scores).select(pl.lit("study").alias("view"), "task_name", "row_id"),
        benchmark_rows.select(pl.col("benchmark_name").alias("view"), "task_name", "row_id"),
    ]
    shown = prompt_runs.join(revisions, on=[*CELL, "model_revision"], how="semi", maintain_order="left")
    single = shown.unique([*CELL, "prompt_id"], keep="first", maintain_order=True)
    nearest = _nearest_defaults(default_runs, revisions, default_revisions)
    return PromptRecords(
        source=source,
        prompt_runs=single,
        default_runs=nearest,
        published_runs=published_runs,
        row_scores=row_scores,
        prompts=prompts.join(count_sharers(prompt_runs), on=["task_name", "prompt_id"], maintain_order="left"),
        tasks=tasks,
        models=models,
        view_rows=pl.concat(views),
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
