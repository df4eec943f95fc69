"""Scores of models over prompts, one distribution per model and task, and the place of a reference among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from engine.analysis.calls import ALIKE, UNLIKE, count_by_conditions
from engine.analysis.completeness import score_runs
from engine.analysis.conditions import COMPARED, conditions_of, mixed_versions, unlike_conditions
from engine.analysis.places import STUDY_ROWS, Reading, describe_cells, place_references
from engine.analysis.prompt_records import CELL, PromptRecords
from engine.analysis.references import (
    NOT_PUBLISHED,
    OTHER_ROWS,
    Matched,
    Reference,
    harness_gap,
    published_all,
    published_matched,
    same_harness,
)


@dataclass(frozen=True)
class PromptDistributions:
    """Distributions of scores over prompts, and the place of a reference in each.

    Attributes:
        scores: One row per model × task × prompt: `model_name`, `task_name`, `task_type`, `prompt_id`, `score`
            (fraction; null where rows are missing), `rows`, `rows_expected`. Sorted by task, model, score.
        cells: One row per model × task, the columns of `CELL_COLUMNS`. Sorted by task, model.
        prompts: One row per prompt and task: table `prompts` with `n_models` and `shared`.
        left_out: One row per cell that the reading leaves out: `model_name`, `task_name`, `reason`.
        notes: What a reader must know: mixed versions, runs set aside, other rows.
        counted: `model_name`, `task_name`, `bundle_id`, `n_rows`: the rows that the scores of a cell stand on.
        reading: Reference, rows and thresholds.
        settings: The question in words, for downloads.
        records: What all this was computed from; further views need it.
    """

    scores: pl.DataFrame
    cells: pl.DataFrame
    prompts: pl.DataFrame
    left_out: pl.DataFrame
    notes: tuple[str, ...]
    counted: pl.DataFrame
    reading: Reading
    records: PromptRecords = field(repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)


SCORE_COLUMNS = ("model_name", "task_name", "task_type", "prompt_id", "score", "rows", "rows_expected")
"""Columns of `PromptDistributions.scores`, in order."""

CELL_COLUMNS = (
    *("model_name", "task_name", "task_type", "n", "n_incomplete", "mean", "median", "sd", "cv", "score_range", "iqr"),
    *("min", "max", "q_low", "q_high", "rows", "rows_expected"),
    *("reference_score", "reference_rows", "reference_rows_expected", "reference_source", "reference_revision"),
    *("reference_prompt", "reference_document_prompt", "reference_origin", "reference_template"),
    *("reference_mteb_version", "reference_encoder_versions", "reference_dataset_revision"),
    *("model_revision", "template_used", "off_label", "unlike_conditions"),
    *("n_below", "n_equal", "place_share_le", "place_midrank", "call", "no_call_reason", "gap_to_median"),
    *("published_score", "published_rows", "published_source", "published_revision", "harness_gap"),
)
"""Columns of `PromptDistributions.cells`, in order."""


def distribute(
    records: PromptRecords,
    prompts: pl.DataFrame,
    reading: Reading,
    *,
    models: tuple[str, ...] = (),
    settings: Mapping[str, str] | None = None,
) -> PromptDistributions:
    """The distributions of some prompts under one reading.

    Args:
        records: Runs, sums of scores and descriptions of one source.
        prompts: The prompts that count (rows of `records.prompts`).
        reading: Reference, rows and thresholds.
        models: Models to show; empty = all. Which prompts are shared was settled before.
        settings: The question in words.
    """
    view = records.view(reading.rows)
    runs = records.prompt_runs.join(prompts, on=["task_name", "prompt_id"], how="semi", maintain_order="left")
    if models:
        runs = runs.filter(pl.col("model_name").is_in(list(models)))
    matched = published_matched(records, view)
    references = _references(records, reading, view, matched)
    counted = _counted(runs, view, reading, matched)
    scored = _score_cells(runs, records, counted, view)
    described = describe_cells(scored, reading)
    left_out = _left_out(described, references, records, reading)
    scored = scored.join(left_out, on=list(CELL), how="anti", maintain_order="left")
    cells = place_references(scored, _beside(described, references, left_out), reading)
    cells = _with_marks(_with_conditions(cells, runs, records), records, matched)
    shown = runs.join(left_out, on=list(CELL), how="anti")
    return PromptDistributions(
        scores=scored.sort("task_name", "model_name", "score", "prompt_id").select(SCORE_COLUMNS),
        cells=cells.sort("task_name", "model_name").select(CELL_COLUMNS),
        prompts=prompts.join(shown, on=["task_name", "prompt_id"], how="semi", maintain_order="left"),
        left_out=left_out,
        notes=_notes(records, shown, cells, reading),
        counted=counted.join(left_out, on=list(CELL), how="anti"),
        reading=reading,
        records=records,
        settings=dict(settings or {}),
    )


def _references(records: PromptRecords, reading: Reading, view: pl.DataFrame, matched: Matched) -> pl.DataFrame:
    if reading.reference is Reference.SAME_HARNESS:
        return same_harness(records, view)
    if reading.reference is Reference.PUBLISHED_ALL:
        return published_all(records)
    return matched.references


def _counted(runs: pl.DataFrame, view: pl.DataFrame, reading: Reading, matched: Matched) -> pl.DataFrame:
    if reading.reference is Reference.PUBLISHED_MATCHED:
        return matched.view
    return runs.select(CELL).unique().join(view, on="task_name").sort(*CELL, "bundle_id")


def _score_cells(runs: pl.DataFrame, records: PromptRecords, counted: pl.DataFrame, view: pl.DataFrame) -> pl.DataFrame:
    """Scores over the counted rows; `rows_expected` is the number of rows of the whole view."""
    whole = view.group_by("task_name").agg(rows_expected=pl.col("n_rows").sum().cast(pl.Int64))
    return (
        score_runs(runs, records.bundle_scores, counted, keys=CELL)
        .drop("rows_expected")
        .join(whole, on="task_name", how="left", maintain_order="left")
        .with_columns(pl.col("rows_expected").fill_null(0))
        .join(records.tasks.select("task_name", "task_type"), on="task_name", how="left", maintain_order="left")
    )


def _beside(described: pl.DataFrame, references: pl.DataFrame, left_out: pl.DataFrame) -> pl.DataFrame:
    shown = described.join(left_out, on=list(CELL), how="anti", maintain_order="left")
    return shown.join(references, on=list(CELL), how="left", maintain_order="left")


def _with_conditions(cells: pl.DataFrame, runs: pl.DataFrame, records: PromptRecords) -> pl.DataFrame:
    told = cells.join(conditions_of(runs, records.models), on=list(CELL), how="left")
    return told.with_columns(unlike_conditions=unlike_conditions())


def _with_marks(cells: pl.DataFrame, records: PromptRecords, matched: Matched) -> pl.DataFrame:
    """The cells with the published score over matched rows, a second mark, and the harness gap."""
    marks = matched.references.select(
        *CELL,
        published_score="reference_score",
        published_rows="reference_rows",
        published_source="reference_source",
        published_revision="reference_revision",
    )
    gaps = harness_gap(records, matched)
    return cells.join(marks, on=list(CELL), how="left").join(gaps, on=list(CELL), how="left")


def _left_out(cells: pl.DataFrame, references: pl.DataFrame, records: PromptRecords, reading: Reading) -> pl.DataFrame:
    no_row = "no row is in every run" if reading.rows == STUDY_ROWS else f"{reading.rows} has no row of this task"
    rowless = cells.filter(pl.col("rows_expected") == 0).select(*CELL, reason=pl.lit(no_row))
    if reading.reference is Reference.SAME_HARNESS:
        return rowless.sort(CELL)
    published = records.published_runs.select(*CELL, reason=pl.lit(OTHER_ROWS)).unique()
    unmatched = (
        cells.join(rowless, on=list(CELL), how="anti")
        .join(references, on=list(CELL), how="anti")
        .select(CELL)
        .join(published, on=list(CELL), how="left")
        .with_columns(pl.col("reason").fill_null(NOT_PUBLISHED))
    )
    return pl.concat([rowless, unmatched]).sort(CELL)


def _notes(records: PromptRecords, shown: pl.DataFrame, cells: pl.DataFrame, reading: Reading) -> tuple[str, ...]:
    notes = [*records.notes, *mixed_versions(_compared(shown, cells))]
    counts = count_by_conditions(cells)
    apart = counts.row(by_predicate=pl.col("conditions") == UNLIKE, named=True)
    alike = counts.row(by_predicate=pl.col("conditions") == ALIKE, named=True)
    if apart["called"]:
        reasons = cells["unlike_conditions"].explode().drop_nulls().unique().sort().to_list()
        notes.append(
            f"Calls across unlike conditions ({', '.join(reasons)}): "
            f"{apart['called']:,}, {apart['high']:,} of them high. "
            f"Other calls: {alike['called']:,}, {alike['high']:,} of them high."
        )
    if reading.reference is Reference.PUBLISHED_ALL and not cells.is_empty():
        notes.append(
            "The published scores may stand on other rows (splits, subsets, languages) than the prompts' scores; "
            "a call against them can turn over when only the rows are changed."
        )
    return tuple(notes)


def _compared(shown: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """What the prompt runs and their references ran on, one row per run."""
    references = cells.filter(pl.col("reference_source").is_not_null()).select(
        "task_name",
        dataset_revision="reference_dataset_revision",
        mteb_version="reference_mteb_version",
        encoder_versions="reference_encoder_versions",
        template_used="reference_template",
    )
    return pl.concat([shown.select("task_name", *COMPARED), references.select("task_name", *COMPARED)])
