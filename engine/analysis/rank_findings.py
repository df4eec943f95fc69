"""The sentences that say how firm ranks are: under drawn prompts, under typical prompts, and over tasks."""

from __future__ import annotations

import polars as pl

from engine.analysis import sentences as say
from engine.analysis.leaderboard_findings import ordinal, worth_words
from engine.analysis.rank_intervals import RankIntervals
from engine.analysis.rank_probabilities import RankProbabilities
from engine.analysis.ranking import Aggregate
from engine.analysis.sentences import Sentence, said, strong


def find_probabilities(drawn: RankProbabilities, target_model_name: str = "") -> Sentence:
    """Who comes first how often, how often the default order comes out, and whether the target keeps its rank."""
    ranked = drawn.models.filter(pl.col("p_first").is_not_null())
    if ranked.is_empty():
        return (said("No model has every task that this ranking asks for, so nothing can be drawn."),)
    first = ranked.sort("p_first", "model_name", descending=[True, False]).row(0, named=True)
    opening = (
        said("With prompts drawn at random, "),
        say.model(first["model_name"]),
        said(" comes first in "),
        strong(say.percent(first["p_first"], 1)),
        said(f" of {drawn.n_draws:,} draws"),
    )
    return (*opening, *_default_order(drawn), said("."), *_keeps(drawn, target_model_name))


def _default_order(drawn: RankProbabilities) -> Sentence:
    if drawn.share_default_order is None:
        return ()
    if drawn.share_default_order == 0:
        return (said("; the order of the default prompts "), strong("never"), said(" comes out whole"))
    share = say.percent(drawn.share_default_order, 1)
    return (said("; the order of the default prompts comes out whole in "), strong(share))


def _keeps(drawn: RankProbabilities, target_model_name: str) -> Sentence:
    target = drawn.models.filter(pl.col("model_name") == target_model_name)
    if target.is_empty() or target["rank_default"][0] is None:
        return ()
    rank = target["rank_default"][0]
    kept = drawn.probabilities.filter(pl.col("model_name") == target_model_name, pl.col("rank") == rank)
    if kept.is_empty():
        return ()
    share = say.percent(kept["probability"][0], 1)
    return (said(" "), say.model(target_model_name), said(f" keeps its default rank, {ordinal(rank)}, in {share}."))


def find_robust(robust: pl.DataFrame, target_model_name: str = "") -> Sentence:
    """How many models keep their rank with their median prompt, and who moves farthest.

    Args:
        robust: `model_name`, `rank_default`, `rank_median`, `rank_q_low`; one row per model.
        target_model_name: Whose three ranks are told.
    """
    ranked = robust.filter(pl.col("rank_default").is_not_null() & pl.col("rank_median").is_not_null())
    if ranked.is_empty():
        return (said("No model has every task that this ranking asks for."),)
    kept = ranked.filter(pl.col("rank_default") == pl.col("rank_median")).height
    moved = pl.col("rank_median") - pl.col("rank_default")
    farthest = ranked.sort(moved.abs(), "rank_default", descending=[True, False]).row(0, named=True)
    opening = (
        said("With its median prompt in place of its default, "),
        strong(say.part_of(kept, len(ranked), noun="model")),
        said(" keeps its rank" if kept <= 1 else " keep their rank"),
    )
    told = (*opening, said("."), *_three_ranks(ranked, target_model_name))
    if farthest["rank_default"] == farthest["rank_median"]:
        return told
    verb = "rises" if farthest["rank_median"] < farthest["rank_default"] else "falls"
    way = f"{ordinal(farthest['rank_default'])} to {ordinal(farthest['rank_median'])}"
    mover = (said("; "), say.model(farthest["model_name"]), said(f" {verb} from "), strong(way), said("."))
    return (*opening, *mover, *_three_ranks(ranked, target_model_name))


def _three_ranks(ranked: pl.DataFrame, target_model_name: str) -> Sentence:
    for row in ranked.filter(pl.col("model_name") == target_model_name).iter_rows(named=True):
        words = (
            f" is {ordinal(row['rank_default'])} by default, {ordinal(row['rank_median'])} by its median prompt "
            f"and {ordinal(row['rank_q_low'])} by its 10th percentile."
        )
        return (said(" "), say.model(target_model_name), said(words))
    return ()


def find_intervals(found: RankIntervals, model_name: str = "") -> Sentence:
    """Whether the first place is settled, and how far one model's rank could be off: the named one, or the widest."""
    intervals = found.intervals
    if len(intervals) < 2:
        compared = "No model has" if intervals.is_empty() else "Only one model has"
        return (said(f"{compared} every one of these tasks, so no two ranks can be compared."),)
    settled = found.n_possibly_first == 1
    opening = (
        said(f"Among {say.counted(len(intervals), 'model')} with all {say.counted(found.n_tasks, 'task')} "),
        said("the first place is "),
        strong("settled" if settled else "not settled"),
    )
    leader = intervals.row(0, named=True)
    if settled:
        who: Sentence = (said(": only "), say.model(leader["model_name"]), said(" can be 1st. "))
    else:
        who = (said(f": {say.worded(found.n_possibly_first)} models have an interval that reaches rank 1. "),)
    return (*opening, *who, *_could_be(intervals, model_name))


def _could_be(intervals: pl.DataFrame, model_name: str) -> Sentence:
    """The named model's interval, or that of the least certain one."""
    named = intervals.filter(pl.col("model_name") == model_name)
    width = pl.col("rank_high") - pl.col("rank_low")
    row = (named if len(named) else intervals.sort(width, "rank", descending=[True, False])).row(0, named=True)
    model = say.model(row["model_name"])
    reach = strong(f"{ordinal(row['rank_low'])} to {ordinal(row['rank_high'])}")
    if row["rank_low"] == row["rank_high"]:
        return (model, said(f" is {ordinal(row['rank'])} for sure.")) if len(named) else (said("So is every other."),)
    if len(named):
        return (model, said(f", ranked {ordinal(row['rank'])}, could be anywhere from "), reach, said("."))
    rank = said(f", ranked {ordinal(row['rank'])}: it could be anywhere from ")
    return (said("Least certain is "), model, rank, reach, said("."))


def find_neighbours(found: RankIntervals) -> Sentence:
    """How many models next to each other in rank cannot be told apart."""
    pairs = max(len(found.intervals) - 1, 0)
    return (
        strong(say.part_of(found.n_inseparable_neighbours, pairs, noun="pair").capitalize()),
        said(" of neighbours in rank cannot be told apart on these tasks."),
    )


def find_missing_rules(compared: pl.DataFrame) -> Sentence:
    """How many models the other rules for a missing task rank otherwise than mteb's.

    Args:
        compared: `engine.analysis.ranking.compare_missing_rules`.
    """
    present = int(compared["differs_present"].sum())
    complete = int(compared["differs_complete"].sum())
    in_both = int(compared["rank_complete"].count())
    return (
        said("Points among those who have a task (present) give "),
        strong(say.part_of(present, len(compared), noun="model")),
        said(" another rank than MTEB’s rule; ranking complete models only would reorder "),
        strong(say.part_of(complete, in_both)),
        said(" that it keeps."),
    )


def find_ranks(ranks: pl.DataFrame, aggregate: Aggregate) -> Sentence:
    """Who leads a leaderboard, by how much, and how many of its models have every task.

    Args:
        ranks: `engine.analysis.ranking.rank_models`.
        aggregate: What it is ranked by.
    """
    ranked = ranks.filter(pl.col("rank").is_not_null())
    if ranked.is_empty():
        return (said("No model has every task that this ranking asks for."),)
    leaders = ranked.filter(pl.col("rank") == 1)
    leader = leaders.row(0, named=True)
    complete = strong(say.part_of(int(ranks["is_complete"].sum()), len(ranks), noun="model"))
    tail = (said("; "), complete, said(" have every task." if ranks["is_complete"].sum() != 1 else " has every task."))
    opening = (say.model(leader["model_name"]), said(f" leads {say.counted(len(ranked), 'model')}"))
    if len(leaders) > 1:
        return (*opening, said(f" with {len(leaders) - 1} others level with it"), *tail)
    if len(ranked) == 1:
        return (*opening, *tail)
    second = ranked.row(1, named=True)
    gap = leader[aggregate.column] - second[aggregate.column]
    apart = worth_words(gap, aggregate) if aggregate is Aggregate.BORDA else f"{say.points(gap)} points"
    return (*opening, said(", "), strong(apart), said(" ahead of "), say.model(second["model_name"]), *tail)
