"""Which prompts a distribution is made of: shared ones, kinds, authors, text search, exclusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

HANDWRITTEN = "handwritten"


class Authorship(StrEnum):
    """Who wrote a prompt, as far as is recorded."""

    GENERATED = "generated"
    HANDWRITTEN = "handwritten"
    NOT_RECORDED = "not recorded"


@dataclass(frozen=True)
class PromptFilter:
    """What is asked of a prompt; an empty tuple or text asks nothing."""

    kinds: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    search: str = ""
    excluded: tuple[str, ...] = ()


def count_sharers(runs: pl.DataFrame) -> pl.DataFrame:
    """One row per task and prompt: how many models ran it, and whether all of them did (design, rule 4).

    All = every model that ran any prompt on that task in the source, before any filter.

    Args:
        runs: `model_name`, `task_name`, `prompt_id` of every prompt run of one source.

    Returns:
        `task_name`, `prompt_id`, `n_models`, `shared`, sorted.
    """
    models = runs.group_by("task_name").agg(n_all=pl.col("model_name").n_unique())
    return (
        runs.group_by("task_name", "prompt_id")
        .agg(n_models=pl.col("model_name").n_unique().cast(pl.Int64))
        .join(models, on="task_name")
        .select("task_name", "prompt_id", "n_models", shared=pl.col("n_models") == pl.col("n_all"))
        .sort("task_name", "prompt_id")
    )


def select_prompts(prompts: pl.DataFrame, wanted: PromptFilter) -> pl.DataFrame:
    """The prompts that pass a filter: kind, author (any of a prompt's authors), text, not excluded.

    The search is for literal text, upper and lower case alike; an excluded id is excluded on every task.
    """
    kept = prompts
    if wanted.kinds:
        kept = kept.filter(pl.col("prompt_kind").is_in(list(wanted.kinds)))
    if wanted.generators:
        authors = pl.col("generators").fill_null([Authorship.NOT_RECORDED.value])
        kept = kept.filter(_any_of(authors, wanted.generators))
    if wanted.search:
        needle = wanted.search.lower()
        kept = kept.filter(pl.col("prompt_text").str.to_lowercase().str.contains(needle, literal=True))
    if wanted.excluded:
        kept = kept.filter(~pl.col("prompt_id").is_in(list(wanted.excluded)))
    return kept


def _any_of(authors: pl.Expr, names: Sequence[str]) -> pl.Expr:
    return authors.list.set_intersection(list(names)).list.len() > 0


def authorship(generators: pl.Expr) -> pl.Expr:
    """Who wrote a prompt: `handwritten` among its authors, else generated; not recorded where null or empty."""
    recorded = generators.is_not_null() & (generators.list.len() > 0)
    return (
        pl.when(recorded & generators.list.contains(HANDWRITTEN))
        .then(pl.lit(Authorship.HANDWRITTEN.value))
        .when(recorded)
        .then(pl.lit(Authorship.GENERATED.value))
        .otherwise(pl.lit(Authorship.NOT_RECORDED.value))
    )
