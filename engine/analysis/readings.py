"""Would a call stand under another admissible reading of the same records?"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.completeness import score_runs
from engine.analysis.places import LEAST_PROMPTS, STUDY_ROWS, Call, call_of
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_records import CELL, PromptRecords
from engine.analysis.prompt_sets import Authorship
from engine.analysis.references import Reference, published_matched, same_harness


@dataclass(frozen=True)
class Readings:
    """Calls under every admissible reading.

    Attributes:
        cells: One row per model × task: the `call` shown, `n_readings`, `n_same` (readings with that call), `n_high`,
            `n_typical`, `n_low`. Sorted by task, model.
        readings: One row per model × task × reading: `reference`, `rows`, `prompts`, `n`, `reference_score`, `q_low`,
            `q_high`, `call`.
    """

    cells: pl.DataFrame
    readings: pl.DataFrame


def read_every_way(distributions: PromptDistributions) -> Readings:
    """In how many admissible readings each call holds (design, rule 5).

    A reading is a reference × a set of prompts × a set of rows. References: the same-harness default run and the
    published score over matched rows; the published score over all its rows compares other rows and is not admissible.
    Prompts: shared, all, each kind, each author; with 5 scores or more. Rows: those of the study, and each benchmark's.
    Readings that come to the same reference, prompts and scores are one. Thresholds are those of the distributions.
    Ties, missing values and units: as for the call itself.
    """
    records = distributions.records
    shown = distributions.cells.select(*CELL, "call")
    runs = records.prompt_runs.join(shown, on=list(CELL), how="semi")
    scored = pl.concat(_score_view(records, runs, view) for view in _distinct_views(records))
    told = _call_sets(scored.join(_prompt_sets(records.prompts), on=["task_name", "prompt_id"]), distributions)
    return Readings(_count(shown, told), told)


def _score_view(records: PromptRecords, runs: pl.DataFrame, view: str) -> pl.DataFrame:
    """Prompt scores of one view beside either reference."""
    rows = records.view(view)
    matched = published_matched(records, rows)
    on_view = score_runs(runs, records.bundle_scores, rows)
    on_matched = score_runs(runs, records.bundle_scores, matched.view, keys=CELL)
    return pl.concat(
        [
            _beside(on_view, same_harness(records, rows), view, Reference.SAME_HARNESS),
            _beside(on_matched, matched.references, view, Reference.PUBLISHED_MATCHED),
        ]
    )


def _beside(scored: pl.DataFrame, references: pl.DataFrame, view: str, reference: Reference) -> pl.DataFrame:
    return (
        scored.join(references.select(*CELL, "reference_score"), on=list(CELL))
        .filter(pl.col("score").is_not_null() & pl.col("reference_score").is_not_null())
        .select(
            pl.lit(reference.value).alias("reference"),
            pl.lit(view).alias("rows"),
            *CELL,
            "prompt_id",
            "score",
            "reference_score",
        )
    )


def _distinct_views(records: PromptRecords) -> list[str]:
    """The study's rows, then benchmarks by name, each only where its rows differ from those before on some task."""
    rows = records.views.join(records.prompt_runs.select("task_name").unique(), on="task_name", how="semi")
    views = rows.group_by("view").agg(signature=pl.col("bundle_id").sort().cast(pl.String).str.join(","))
    ordered = views.sort(pl.col("view") != STUDY_ROWS, "view")
    names: list[str] = ordered.unique("signature", keep="first", maintain_order=True)["view"].to_list()
    return names or [STUDY_ROWS]


def _prompt_sets(prompts: pl.DataFrame) -> pl.DataFrame:
    """One row per named set and prompt in it: `prompts`, `task_name`, `prompt_id`; sets overlap."""
    key = ("task_name", "prompt_id")
    authors = prompts.select(*key, author=pl.col("generators").fill_null([Authorship.NOT_RECORDED.value]))
    return pl.concat(
        [
            prompts.filter(pl.col("shared")).select(pl.lit("shared").alias("prompts"), *key),
            prompts.select(pl.lit("all").alias("prompts"), *key),
            prompts.select(pl.format("kind {}", "prompt_kind").alias("prompts"), *key),
            authors.explode("author").select(pl.format("author {}", "author").alias("prompts"), *key),
        ]
    )


def _call_sets(told: pl.DataFrame, distributions: PromptDistributions) -> pl.DataFrame:
    reading = distributions.reading
    score = pl.col("score")
    order = ["task_name", "model_name", "reference", "rows", "prompts"]
    return (
        told.group_by(*CELL, "reference", "rows", "prompts")
        .agg(
            n=pl.len().cast(pl.Int64),
            reference_score=pl.col("reference_score").first(),
            q_low=score.quantile(reading.low, "linear"),
            q_high=score.quantile(reading.high, "linear"),
            which=pl.col("prompt_id").sort().hash(seed=1).sum(),
            total=score.sum().round(9),
        )
        .filter(pl.col("n") >= LEAST_PROMPTS)
        .with_columns(call=call_of(pl.col("reference_score"), pl.col("q_low"), pl.col("q_high")))
        .sort(*order[:3], pl.col("rows") != STUDY_ROWS, "rows", pl.col("prompts") != "shared", "prompts")
        .unique([*CELL, "reference", "reference_score", "which", "total"], keep="first", maintain_order=True)
        .select(*CELL, "reference", "rows", "prompts", "n", "reference_score", "q_low", "q_high", "call")
    )


def _count(shown: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    call = pl.col("call")
    counts = told.group_by(CELL).agg(
        n_readings=pl.len().cast(pl.Int64), **{f"n_{each.value}": (call == each.value).sum() for each in Call}
    )
    names = ["n_readings", *(f"n_{each.value}" for each in Call)]
    return (
        shown.join(counts, on=list(CELL), how="left", maintain_order="left")
        .with_columns(pl.col(names).fill_null(0).cast(pl.Int64))
        .with_columns(n_same=_holding())
        .sort("task_name", "model_name")
    )


def _holding() -> pl.Expr:
    chosen = pl.lit(None, dtype=pl.Int64)
    for each in Call:
        chosen = pl.when(pl.col("call") == each.value).then(pl.col(f"n_{each.value}")).otherwise(chosen)
    return chosen
