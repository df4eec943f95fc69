"""The best prompt of a cell, what its choice is worth on rows that played no part in it, and how to say so."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_records import CELL
from engine.analysis.references import Reference


@dataclass(frozen=True)
class Choice:
    """A prompt that was chosen, as far as a reader must know it.

    Attributes:
        model_name: Model it was chosen for.
        task_name: Task it was chosen on.
        prompt_text: Its exact text.
        n: Number of prompts it was chosen from.
        score: Its score on the rows it was chosen on (fraction).
        default_score: Score of the default prompt on the same rows (fraction); null = not measured.
        held_out_gain: Gain on rows that played no part in the choice (fraction); null = unknown.
    """

    model_name: str
    task_name: str
    prompt_text: str
    n: int
    score: float
    default_score: float | None = None
    held_out_gain: float | None = None


def rank_prompts(distributions: PromptDistributions, model_name: str, task_name: str) -> pl.DataFrame:
    """One row per prompt of a cell, from the worst to the best.

    Ties stand in order of text; prompts without a score come last. Units: fractions.

    Returns:
        `rank` (1 = best, ties share the lower number; null without a score), `score`, `prompt_id`, `prompt_text`,
        `prompt_kind`, `generators`.
    """
    own = distributions.scores.filter((pl.col("model_name") == model_name) & (pl.col("task_name") == task_name))
    texts = distributions.prompts.select("task_name", "prompt_id", "prompt_text", "prompt_kind", "generators")
    return (
        own.join(texts, on=["task_name", "prompt_id"], how="left")
        .with_columns(rank=pl.col("score").rank("min", descending=True).cast(pl.Int64))
        .sort("score", "prompt_text", nulls_last=True)
        .select("rank", "score", "prompt_id", "prompt_text", "prompt_kind", "generators")
    )


def best_prompts(distributions: PromptDistributions, row_scores: pl.DataFrame) -> pl.DataFrame:
    """One row per cell: its best prompt, what it seems to gain, and what it gains on rows held out.

    Formulas: `best_gain` = best score − same-harness default, on the scores that the prompt was picked on, so it
    flatters. `held_out_gain`: each row is left out in turn, the prompt with the best mean on the other rows is chosen
    and compared with the default run on the row left out; the mean over rows. Ties: the prompt whose id comes first.
    Missing: `best_gain` is null without a default run on those rows; `held_out_gain` is null, which means unknown,
    for tasks of a single row and where the default run lacks a row. Units: fractions.

    Args:
        distributions: Which prompts, cells and rows.
        row_scores: `run_id`, `row_id`, `score` of its prompt runs and default runs.

    Returns:
        `model_name`, `task_name`, `n`, `best_prompt_id`, `prompt_text`, `best_score`, `default_score`, `best_gain`,
        `held_out_gain`, `n_held_out` (rows), sorted by task, model.
    """
    scored = distributions.scores.filter(pl.col("score").is_not_null())
    texts = distributions.prompts.select("task_name", "prompt_id", "prompt_text")
    best = (
        scored.sort("score", "prompt_id", descending=[True, False])
        .group_by(CELL, maintain_order=True)
        .agg(n=pl.len().cast(pl.Int64), best_prompt_id=pl.col("prompt_id").first(), best_score=pl.col("score").first())
        .join(texts.rename({"prompt_id": "best_prompt_id"}), on=["task_name", "best_prompt_id"], how="left")
    )
    return (
        best.join(_default_scores(distributions, row_scores), on=list(CELL), how="left")
        .join(_held_out(distributions, row_scores), on=list(CELL), how="left")
        .with_columns(best_gain=pl.col("best_score") - pl.col("default_score"))
        .select(
            *(*CELL, "n", "best_prompt_id", "prompt_text", "best_score", "default_score"),
            *("best_gain", "held_out_gain", "n_held_out"),
        )
        .sort("task_name", "model_name")
    )


def disclosure(choice: Choice) -> str:
    """A sentence to paste beside a score that was reached with a chosen prompt."""
    default = "" if choice.default_score is None else f"; the default prompt scores {_points(choice.default_score)}"
    gain = (
        "its gain on data that played no part in the choice is unknown"
        if choice.held_out_gain is None
        else f"on rows that played no part in the choice it gains {_signed(choice.held_out_gain)} points"
    )
    return (
        f"On {choice.task_name}, {choice.model_name} was run with the prompt “{choice.prompt_text}”, chosen from "
        f"{choice.n:,} prompt{'' if choice.n == 1 else 's'} because it scored best on the test data itself "
        f"({_points(choice.score)}{default}); {gain}."
    )


def _default_scores(distributions: PromptDistributions, row_scores: pl.DataFrame) -> pl.DataFrame:
    """`default_score` of each cell on the rows that its prompt scores stand on."""
    cells = distributions.cells
    if distributions.reading.reference is Reference.SAME_HARNESS:
        return cells.select(*CELL, default_score="reference_score")
    held = _default_rows(distributions, row_scores)
    rows = _prompt_rows(distributions, row_scores).select(*CELL, "row_id").unique()
    return (
        rows.join(held, on=[*CELL, "row_id"], how="left")
        .group_by(CELL)
        .agg(
            default_score=pl.when(pl.col("default_row_score").null_count() == 0).then(
                pl.col("default_row_score").mean()
            )
        )
    )


def _held_out(distributions: PromptDistributions, row_scores: pl.DataFrame) -> pl.DataFrame:
    rows = _prompt_rows(distributions, row_scores)
    several = rows.with_columns(n_rows=pl.col("row_id").n_unique().over(CELL)).filter(pl.col("n_rows") >= 2)
    others = (pl.col("score").sum().over(*CELL, "prompt_id") - pl.col("score")) / (pl.col("n_rows") - 1)
    chosen = (
        several.with_columns(others=others.round(12))
        .sort("others", "prompt_id", descending=[True, False])
        .group_by(*CELL, "row_id", maintain_order=True)
        .agg(chosen_score=pl.col("score").first())
        .join(_default_rows(distributions, row_scores), on=[*CELL, "row_id"], how="left")
    )
    gain = pl.col("chosen_score") - pl.col("default_row_score")
    return chosen.group_by(CELL).agg(
        held_out_gain=pl.when(gain.null_count() == 0).then(gain.mean()), n_held_out=pl.len().cast(pl.Int64)
    )


def _prompt_rows(distributions: PromptDistributions, row_scores: pl.DataFrame) -> pl.DataFrame:
    """One row per cell × prompt × row of the reading, prompts with a score only."""
    records = distributions.records
    scored = distributions.scores.filter(pl.col("score").is_not_null()).select(*CELL, "prompt_id")
    runs = records.prompt_runs.select("run_id", *CELL, "prompt_id").join(scored, on=[*CELL, "prompt_id"], how="semi")
    return _counted_rows(distributions, row_scores.join(runs, on="run_id"))


def _default_rows(distributions: PromptDistributions, row_scores: pl.DataFrame) -> pl.DataFrame:
    told = row_scores.join(distributions.records.default_runs.select("run_id", *CELL), on="run_id")
    return _counted_rows(distributions, told).select(*CELL, "row_id", default_row_score="score")


def _counted_rows(distributions: PromptDistributions, told: pl.DataFrame) -> pl.DataFrame:
    bundles = distributions.records.bundles.select("row_id", "bundle_id")
    return told.join(bundles, on="row_id").join(distributions.counted, on=[*CELL, "bundle_id"], how="semi")


def _points(score: float) -> str:
    return f"{score * 100:.1f}"


def _signed(gain: float) -> str:
    written = f"{abs(gain) * 100:.1f}"
    if written == "0.0":
        return written
    return f"{'+' if gain > 0 else '−'}{written}"
