"""On how few tasks a model must leave its default prompt to reach the best rank that its own prompts can bring it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from engine.analysis.leaderboard_simulator import Rules
from engine.analysis.prompt_selection import Candidates, Choice, Chosen, PromptCube, SelectionRule, choose
from engine.analysis.rank_probabilities import task_weights
from engine.analysis.ranking import (
    Aggregate,
    Bools,
    Floats,
    Ints,
    compute_aggregate,
    compute_task_points,
    rank_values,
)

MOST_TASKS = 16
"""Up to so many tasks that help, every subset is looked at; beyond, the answer is a bound."""
MOST_SETS = 20
"""Sets of tasks listed for a model; more are counted, not listed."""
TOLERANCE = 1e-12


@dataclass(frozen=True)
class FewestSwitches:
    """The smallest sets of tasks on which a model must leave its default, the others keeping theirs.

    Attributes:
        targets: One row per model: `model_name`, `rank_default`, `rank_attainable` (with the better of default and best
            prompt on every task), `ranks_gained`, `fewest_switches`, `at_least` (lower bound; the same where exact),
            `is_exact`, `n_sets` (smallest sets; null where not all were looked for), `n_helping_tasks`. Sorted by
            default rank.
        switches: One row per target × set × task: `model_name`, `set_number`, `task_name`, `prompt_id`, `score`,
            `default_score`, `change` (fractions). At most 20 sets a model.
    """

    targets: pl.DataFrame
    switches: pl.DataFrame


def find_fewest_switches(cube: PromptCube, rules: Rules | None = None) -> FewestSwitches:
    """The smallest sets of switches of every model.

    A higher score never costs the target points nor brings a rival any, so its best attainable rank is that with the
    best of default and prompts on every task, and it must overtake exactly the rivals that it overtakes there. What a
    switch gains on a rival is fixed, whatever else is switched: points add up over tasks. So the smallest set is a
    covering problem: for each such rival, gains ≥ its lead. A draw suffices, ties share the better rank.

    Exact for up to 16 tasks that help: sets are tried in order of size, and all of the first size that suffices are
    returned. Beyond: greedy (the task that closes most of what is open, then needless ones dropped), with a lower
    bound, the most tasks that any single rival needs; where the two meet the number is exact. Missing tasks follow
    `rules.missing`; a model without a rank has null.
    """
    rules = rules or Rules()
    pool = replace(rules.pool, candidates=Candidates.PROMPTS_AND_DEFAULT)
    best = choose(cube, Choice(SelectionRule.BEST), pool)
    # A target that lacks its default on a task has nothing to leave there.
    best = Chosen(np.where(np.isnan(cube.default), np.nan, best.values), best.slots)
    totals = compute_aggregate(cube.default, cube.task_types, rules.aggregate, rules.missing)
    ranks = rank_values(totals)
    before = _parts(cube, cube.default, rules)
    rows: list[dict[str, object]] = []
    switches: list[dict[str, object]] = []
    for target, name in enumerate(cube.model_names):
        if np.isnan(ranks[target]):
            rows.append({"model_name": name})
            continue
        values = cube.default.copy()
        values[target] = best.values[target]
        gained = _parts(cube, values, rules) - before
        found = _search(totals - totals[target], gained[target] - gained, np.isnan(totals))
        rows.append({"model_name": name, "rank_default": int(ranks[target]), **found.summary})
        for number, tasks in enumerate(found.sets[:MOST_SETS], start=1):
            switches += [_switch(cube, best, target, number, task) for task in tasks]
    return FewestSwitches(
        pl.DataFrame(rows, schema=_TARGETS).sort("rank_default", "model_name", nulls_last=True),
        pl.DataFrame(switches, schema=_SWITCHES),
    )


_TARGETS = {
    "model_name": pl.String, "rank_default": pl.Int64, "rank_attainable": pl.Int64, "ranks_gained": pl.Int64,
    "fewest_switches": pl.Int64, "at_least": pl.Int64, "is_exact": pl.Boolean, "n_sets": pl.Int64,
    "n_helping_tasks": pl.Int64,
}  # fmt: skip
_SWITCHES = {
    "model_name": pl.String, "set_number": pl.Int64, "task_name": pl.String, "prompt_id": pl.String,
    "score": pl.Float64, "default_score": pl.Float64, "change": pl.Float64,
}  # fmt: skip


@dataclass(frozen=True)
class _Found:
    summary: dict[str, int | bool | None]
    sets: list[tuple[int, ...]]


def _search(leads: Floats, gains: Floats, is_out: Bools) -> _Found:
    """The smallest sets for one target: `leads` of rivals, `gains` of each switch on each rival, models × tasks."""
    is_ahead = (leads > TOLERANCE) & ~is_out
    can_pass = is_ahead & (leads - gains.sum(axis=1) <= TOLERANCE)
    helping = np.nonzero((gains[can_pass] > TOLERANCE).any(axis=0))[0]
    needs, of = leads[can_pass], gains[can_pass][:, helping]
    at_least = int(max((_tasks_to_close(lead, row) for lead, row in zip(needs, of, strict=True)), default=0))
    is_exact = len(helping) <= MOST_TASKS
    sets = _smallest_covers(needs, of, at_least) if is_exact else [_greedy_cover(needs, of)]
    rank_attainable = 1 + int((is_ahead & ~can_pass).sum())
    return _Found(
        {
            "rank_attainable": rank_attainable,
            "ranks_gained": int(can_pass.sum()),
            "fewest_switches": len(sets[0]),
            "at_least": len(sets[0]) if is_exact else at_least,
            "is_exact": is_exact or len(sets[0]) == at_least,
            "n_sets": len(sets) if is_exact else None,
            "n_helping_tasks": len(helping),
        },
        [tuple(int(helping[i]) for i in chosen) for chosen in sets],
    )


def _tasks_to_close(lead: float, gains: Floats) -> int:
    """Tasks that the lead of one rival takes at least: its largest gains first."""
    closed = np.cumsum(np.sort(gains)[::-1])
    return int(np.argmax(closed >= lead - TOLERANCE)) + 1


def _smallest_covers(needs: Floats, gains: Floats, at_least: int) -> list[tuple[int, ...]]:
    """All sets of tasks of the smallest size that close every lead."""
    for size in range(at_least, gains.shape[1] + 1):
        subsets = list(combinations(range(gains.shape[1]), size))
        chosen: Ints = np.array(subsets, dtype=np.int64).reshape(len(subsets), size)
        closed = sum((gains[:, chosen[:, i]] for i in range(size)), start=np.zeros((len(needs), len(chosen))))
        enough = (closed >= needs[:, None] - TOLERANCE).all(axis=0)
        if enough.any():
            return [tuple(row) for row in chosen[enough].tolist()]
    return [tuple(range(gains.shape[1]))]


def _greedy_cover(needs: Floats, gains: Floats) -> list[int]:
    """Tasks taken one by one, each time the one that closes most of what is open; needless ones dropped."""
    chosen: list[int] = []
    while (still := np.maximum(needs - gains[:, chosen].sum(axis=1), 0.0)).max(initial=0.0) > TOLERANCE:
        worth = np.minimum(gains, still[:, None]).sum(axis=0)
        worth[chosen] = -1.0
        chosen.append(int(worth.argmax()))
    for task in list(chosen):
        others = [other for other in chosen if other != task]
        if (gains[:, others].sum(axis=1) >= needs - TOLERANCE).all():
            chosen = others
    return sorted(chosen)


def _parts(cube: PromptCube, values: Floats, rules: Rules) -> Floats:
    """What each task adds to each model's aggregate, models × tasks; a missing task adds nothing."""
    weights = task_weights(cube.default[..., None], cube.task_types, rules.aggregate)
    points = compute_task_points(values, rules.missing) if rules.aggregate is Aggregate.BORDA else values
    return np.asarray(np.nan_to_num(points) * weights)


def _switch(cube: PromptCube, best: Chosen, target: int, number: int, task: int) -> dict[str, object]:
    slot = int(best.slots[target, task])
    return {
        "model_name": cube.model_names[target],
        "set_number": number,
        "task_name": cube.task_names[task],
        "prompt_id": cube.prompt_ids[task][slot] if slot >= 0 else None,
        "score": float(best.values[target, task]),
        "default_score": float(cube.default[target, task]),
        "change": float(best.values[target, task] - cube.default[target, task]),
    }
