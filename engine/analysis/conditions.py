"""Under what conditions runs are compared: off-label prompts, unlike runs, mixed versions (design, rules 6 and 13)."""

from __future__ import annotations

import polars as pl

from engine.analysis.prompt_records import CELL
from engine.schema import PromptScheme, TemplateUse

OFF_LABEL = "prompts are off-label"

COMPARED = ("dataset_revision", "mteb_version", "encoder_versions", "template_used")
"""Columns of table `runs` in which the runs of one comparison should not differ."""

MOST_NAMED = 3
"""More versions than this are counted, not listed."""


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
    same_data = pl.col("dataset_revisions").list.contains(pl.col("reference_dataset_revision"))
    found = {
        OFF_LABEL: pl.col("off_label"),
        "model revision": pl.col("model_revision") != pl.col("reference_revision"),
        "dataset revision": known & ~same_data,
        "template": both & (pl.col("template_used") != pl.col("reference_template")),
    }
    words = [pl.when(condition.fill_null(value=False)).then(pl.lit(word)) for word, condition in found.items()]
    listed = pl.concat_list(words).list.drop_nulls()
    return pl.when(pl.col("reference_score").is_not_null()).then(listed)


def mixed_versions(runs: pl.DataFrame) -> tuple[str, ...]:
    """Notes on what differs inside one comparison: revisions of the data, versions of software, template use.

    Args:
        runs: `task_name` and the columns of `COMPARED`, one row per run that is shown.
    """
    notes = [
        note
        for note in (
            _note_on_mteb(runs["mteb_version"]),
            _note_on_encoders(runs["encoder_versions"]),
            _note_on_data(runs),
            _note_on_templates(runs["template_used"]),
        )
        if note
    ]
    return tuple(notes)


def _note_on_mteb(versions: pl.Series) -> str:
    names = sorted(versions.drop_nulls().unique(), key=_by_number)
    if len(names) < 2:
        return ""
    if len(names) > MOST_NAMED:
        return f"{len(names)} versions of mteb in one comparison, {names[0]} to {names[-1]}."
    return f"mteb {', '.join(names[:-1])} and {names[-1]} in one comparison."


def _by_number(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else -1 for part in version.split("."))


def _note_on_encoders(stacks: pl.Series) -> str:
    n = stacks.drop_nulls().n_unique()
    return f"{n} combinations of torch, transformers and sentence-transformers in one comparison." if n > 1 else ""


def _note_on_data(runs: pl.DataFrame) -> str:
    revisions = runs.group_by("task_name").agg(n=pl.col("dataset_revision").drop_nulls().n_unique())
    tasks = revisions.filter(pl.col("n") > 1)["task_name"].sort().to_list()
    return f"Different revisions of the data in one comparison: {', '.join(tasks)}." if tasks else ""


def _note_on_templates(uses: pl.Series) -> str:
    unknown = int((uses == TemplateUse.NOT_RECORDED.value).sum())
    if unknown == 0:
        return ""
    whose = "" if unknown == len(uses) else f" for {unknown:,} of {len(uses):,} runs"
    return f"Whether prompts were set into the models' own templates is not recorded{whose}."
