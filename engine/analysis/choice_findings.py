"""The sentences that say what a choice of prompts can do, and how many prompts it takes not to depend on one."""

from __future__ import annotations

from typing import Any

import polars as pl

from engine.analysis import sentences as say
from engine.analysis.fewest_switches import FewestSwitches
from engine.analysis.leaderboard_findings import ordinal
from engine.analysis.prompt_freedom import PromptFreedom, Setting
from engine.analysis.rank_probabilities import Drawing
from engine.analysis.robust_leaderboard import PromptNumbers
from engine.analysis.sentences import Sentence, said, strong


def find_switches(found: FewestSwitches, target_model_name: str) -> Sentence:
    """How many tasks the target must leave its default on, and how many models have a rank to gain at all."""
    ranked = found.targets.filter(pl.col("rank_default").is_not_null())
    own = ranked.filter(pl.col("model_name") == target_model_name)
    target = say.model(target_model_name)
    if own.is_empty():
        return (target, said(" is not ranked: it lacks a task that this ranking asks for."))
    row = own.row(0, named=True)
    others = said(f" With the others at their default, {_gainers(ranked)}")
    if not row["ranks_gained"]:
        stays = (
            said(" has "),
            strong("no rank to gain"),
            said(f" by its prompts alone: it stays {ordinal(row['rank_default'])}."),
        )
        return (target, *stays, others)
    size = say.counted(row["fewest_switches"], "task")
    bound = "" if row["is_exact"] else f" at most, {row['at_least']} at least,"
    sets = f", in {row['n_sets']:,} ways" if (row["n_sets"] or 0) > 1 else ""
    reached = f"{ordinal(row['rank_default'])} to {ordinal(row['rank_attainable'])}"
    return (
        target,
        said(" must leave its default on "),
        strong(size),
        said(f"{bound} to get from "),
        strong(reached),
        said(f", the best rank that its prompts can bring it{sets}."),
        others,
    )


def _gainers(ranked: pl.DataFrame) -> str:
    gainers = ranked.filter(pl.col("ranks_gained") > 0).height
    verb = "has" if gainers <= 1 else "have"
    return f"{say.part_of(gainers, len(ranked), noun='model')} {verb} a rank to gain."


def find_freedom(found: PromptFreedom) -> Sentence:
    """The range of ranks that the choice of prompt alone gives a model among all of a published leaderboard."""
    ranks = dict(found.ranks.select("setting", "rank").iter_rows())
    target = say.model(found.model_name)
    if ranks[Setting.PUBLISHED] is None:
        return (target, said(" is not ranked: it lacks a task that this ranking asks for."))
    if found.tasks.is_empty():
        return (target, said(" ran prompts on none of this benchmark’s tasks, so nothing can be replaced."))
    replaced = f"{say.counted(len(found.tasks), 'task')} of {found.n_tasks:,}"
    return (
        said(f"By its prompts on {replaced} alone, "),
        target,
        said(" could stand anywhere from "),
        strong(f"{ordinal(ranks[Setting.BEST])} to {ordinal(ranks[Setting.WORST])}"),
        said(f" among {found.n_models:,} models; published, it is "),
        strong(ordinal(ranks[Setting.PUBLISHED])),
        said(f", with median prompts {ordinal(ranks[Setting.MEDIAN])}."),
    )


def find_prompt_numbers(found: PromptNumbers, k: int) -> Sentence:
    """How far the ranking by k prompts a task agrees with that by all of them."""
    row = _number_row(found, k)
    if row is None:
        return (said("Too few prompts were run on some task to say how many are enough."),)
    return (
        said("Ranked by the median of "),
        strong(say.counted(row["k"], "prompt")),
        said(" a task, the first place is that of all prompts in "),
        strong(say.percent(row["share_first"])),
        said(" of draws, the whole order in "),
        strong(say.percent(row["share_order"])),
        said("."),
    )


def rule_to_adopt(found: PromptNumbers, k: int, source: str) -> str:
    """One sentence that a benchmark could adopt, with what it is worth; empty where k was not tried."""
    row = _number_row(found, k)
    if row is None:
        return ""
    who = "the same for every model" if found.drawing is Drawing.SAME else "drawn for each model"
    return (
        f"Every model is run with {say.counted(k, 'prompt')} a task, {who}, and is ranked by its median score over "
        f"them; in {source}, {k} prompts put the same model first as all {found.n_prompts} or more do in "
        f"{say.percent(row['share_first'])} of draws, give the same order of all models in "
        f"{say.percent(row['share_order'])}, and miss a median by {say.points(row['median_error'])} points on average."
    )


def _number_row(found: PromptNumbers, k: int) -> dict[str, Any] | None:
    return next(found.numbers.filter(pl.col("k") == k).iter_rows(named=True), None)
