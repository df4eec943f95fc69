"""Under what conditions runs are compared: off-label prompts, unlike runs, mixed versions (design, rules 6 and 13)."""

from __future__ import annotations

import polars as pl

from engine.analysis.prompt_records import CELL
from engine.schema import PromptScheme, TemplateUse

OFF_LABEL = "prompts are off-label"


def conditions_of(prompt_runs: pl.DataFrame, models: pl.DataFrame) -> pl.DataFrame:
    """One row per cell: what its prompt runs ran on, as far as they agree.

    `off_label`: the model has fixed prefixes, so any other prompt is none that it was trained for; null where the
    model's scheme is unknown. `template_used`: yes, no, `not recorded`, or `mixed`.
    """
    agreed = prompt_runs.group_by(CELL).agg(
        pl.col("model_revision").first(),
        template_used=pl.when(pl.col("template_used").n_unique() == 1)
        .then(pl.col("template_used").first())
        .otherwise(pl.lit("mixed")),
        dataset_revisions=pl.col("dataset_revision").drop_nulls().unique().sort(),
    )
    scheme = models.select("model_name", off_label=pl.col("prompt_scheme") == PromptScheme.FIXED.value)
    return agreed.join(scheme, on="model_name", how="left")


def unlike_conditions() -> pl.Expr:
    """What differs between a cell's prompt runs and its reference, in words; an empty list = nothing known to differ.

    Looked at: off-label prompts, model revision, dataset revision, template (where both are recorded). Versions of
    software raise a note instead (`mixed_versions`). What is not recorded is not counted as a difference.
    """
    recorded = pl.lit([TemplateUse.YES.value, TemplateUse.NO.value])
    both = pl.col("template_used").is_in(recorded) & pl.col("reference_template").is_in(recorded)
    known = pl.col("reference_dataset_revision").is_not_null() & (pl.col("dataset_revisions").list.len() > 0)
    alike = pl.col("dataset_revisions").list.eval(pl.element())
    found = {
        OFF_LABEL: pl.col("off_label"),
        "model revision": pl.col("model_revision") != pl.col("reference_revision"),
        "dataset revision": known & ~alike.list.contains(pl.col("reference_dataset_revision")),
        "template": both & (pl.col("template_used") != pl.col("reference_template")),
    }
    words = [pl.when(condition.fill_null(value=False)).then(pl.lit(word)) for word, condition in found.items()]
    listed = pl.concat_list(words).list.drop_nulls()
    return pl.when(pl.col("reference_score").is_not_null()).then(listed)


def mixed_versions(runs: pl.DataFrame) -> tuple[str, ...]:
    """Notes on what differs inside one comparison: dataset revisions, mteb and encoder versions, template use.

    Args:
        runs: `task_name`, `dataset_revision`, `mteb_version`, `encoder_versions`, `template_used` of all runs shown.
    """
    notes = []
    mteb_versions = _distinct(runs, "mteb_version")
    if len(mteb_versions) > 1:
        notes.append(f"mteb {_listed(mteb_versions)} in one comparison.")
    stacks = _distinct(runs, "encoder_versions")
    if len(stacks) > 1:
        notes.append(f"{len(stacks)} combinations of torch, transformers and sentence-transformers in one comparison.")
    revised = (
        runs.group_by("task_name")
        .agg(n_revisions=pl.col("dataset_revision").drop_nulls().n_unique())
        .filter(pl.col("n_revisions") > 1)["task_name"]
        .sort()
        .to_list()
    )
    if revised:
        notes.append(f"Different revisions of the data in one comparison: {', '.join(revised)}.")
    if not runs.is_empty() and (runs["template_used"] == TemplateUse.NOT_RECORDED.value).all():
        notes.append("Whether prompts were set into the models' own templates is not recorded.")
    return tuple(notes)


def _distinct(runs: pl.DataFrame, column: str) -> list[str]:
    values: list[str] = runs[column].drop_nulls().unique().sort().to_list()
    return values


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
