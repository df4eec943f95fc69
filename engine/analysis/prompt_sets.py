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


@dataclass(frozen=True)
class PromptLimit:
    """The model that most limits which prompts are shared.

    Attributes:
        model_name: The model.
        n_shared: Prompts, over all tasks, that every model ran.
        n_without: The same if that model were left out.
    """

    model_name: str
    n_shared: int
    n_without: int


def find_prompt_limit(runs: pl.DataFrame) -> PromptLimit | None:
    """The model without which most prompts more would be shared; None where no single model stands in the way.

    Formula: shared prompts of a task are those that all its models ran; n is their number summed over tasks, with a
    model left out of all tasks. Ties: the name first in alphabetical order. A task with a single model shares what that
    model ran, so that it limits nothing.

    Args:
        runs: `model_name`, `task_name`, `prompt_id` of every prompt run of one source, models not filtered.
    """
    n_shared = _count_shared(runs)
    models = runs["model_name"].unique().sort().to_list()
    if len(models) < 2:
        return None
    without = {name: _count_shared(runs.filter(pl.col("model_name") != name)) for name in models}
    most = max(models, key=lambda name: without[name])
    return PromptLimit(most, n_shared, without[most]) if without[most] > n_shared else None


def _count_shared(runs: pl.DataFrame) -> int:
    return int(count_sharers(runs)["shared"].sum())
