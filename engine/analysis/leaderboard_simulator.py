"""How a leaderboard moves when models choose their prompts, and whose doing the movement is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import polars as pl

from engine.analysis.promotions import promote_each
from engine.analysis.prompt_selection import FROM_DEFAULT, Choice, Chosen, Pool, PromptCube, SelectionRule, choose
from engine.analysis.ranking import Aggregate, Floats, Ints, Missing, compute_aggregate, rank_values


class Scenario(StrEnum):
    """Who takes which prompts; the words before `vs` are the target's, those after it everyone else's."""

    DEFAULT = "default"
    DEFAULT_VS_WORST = "default-vs-worst"
    BEST_VS_DEFAULT = "best-vs-default"
    BEST_VS_WORST = "best-vs-worst"
    CUSTOM = "custom"
    """a choice of its own for each model"""


SCENARIO_TITLES = {
    Scenario.DEFAULT: "all default",
    Scenario.DEFAULT_VS_WORST: "target default, others worst",
    Scenario.BEST_VS_DEFAULT: "target best, others default",
    Scenario.BEST_VS_WORST: "target best, others worst",
    Scenario.CUSTOM: "chosen for each model",
}

OF_TARGET = {
    Scenario.DEFAULT: SelectionRule.DEFAULT,
    Scenario.DEFAULT_VS_WORST: SelectionRule.DEFAULT,
    Scenario.BEST_VS_DEFAULT: SelectionRule.BEST,
    Scenario.BEST_VS_WORST: SelectionRule.BEST,
}
OF_RIVALS = {
    Scenario.DEFAULT: SelectionRule.DEFAULT,
    Scenario.DEFAULT_VS_WORST: SelectionRule.WORST,
    Scenario.BEST_VS_DEFAULT: SelectionRule.DEFAULT,
    Scenario.BEST_VS_WORST: SelectionRule.WORST,
}


class Step(StrEnum):
    """The three leaderboards of a movement, in order."""

    START = "all default"
    RIVALS = "others moved"
    """the others take the scenario's prompts, the target keeps its default"""
    END = "scenario"


class Cause(StrEnum):
    """Whose prompts moved the target."""

    RIVALS = "rivals' handicap"
    OWN = "own choice"
    BOTH = "both"


@dataclass(frozen=True)
class Rules:
    """What models choose among and how they are ranked."""

    pool: Pool = field(default_factory=Pool)
    aggregate: Aggregate = Aggregate.BORDA
    missing: Missing = Missing.ZERO


@dataclass(frozen=True)
class ScenarioLeaderboard:
    """A leaderboard after a choice of prompts, beside the one without.

    Attributes:
        ranks: One row per model: `model_name`, `rank`, `rank_borda`, `borda_points`, `mean_task`, `mean_task_type`,
            `models_sharing_rank`, `rank_default`, `ranks_gained`, and the aggregate with all at their default,
            `<aggregate>_default`. Sorted by rank.
        movement: One row per step × model: `step`, `model_name`, `rank`, the aggregate.
        causes: One row per cause: `cause`, `ranks_gained`, `gained` (in the aggregate's unit), for the target.
        chosen: One row per model × task: `model_name`, `task_name`, `task_type`, `selection_rule`, `prompt_id` (null =
            the default, or no one prompt), `takes_default`, `score`, `default_score`, `change` (fractions).
        scenario: Who takes which prompts.
        target_model_name: Whose movement is split into causes.
        rules: Pool and ranking.
        n_stand_ins: Cells whose default score stands in, because no prompt was run there.
    """

    ranks: pl.DataFrame
    movement: pl.DataFrame
    causes: pl.DataFrame
    chosen: pl.DataFrame
    scenario: Scenario
    target_model_name: str
    rules: Rules
    n_stand_ins: int


def simulate_scenario(
    cube: PromptCube,
    target_model_name: str,
    scenario: Scenario,
    rules: Rules | None = None,
    choices: Mapping[str, Choice] | None = None,
) -> ScenarioLeaderboard:
    """The leaderboard of a scenario, its movement from the default one, and the causes of the target's movement.

    The movement has two steps: first the others take their prompts (*rivals' handicap*), then the target takes its own
    (*own choice*); both are given in ranks and in the aggregate, and add up. Ties share the better rank. Missing tasks
    follow `rules.missing`; a cell without prompt runs keeps its default.

    Args:
        cube: Scores over prompts and with the default.
        target_model_name: A model of the cube.
        scenario: Who takes which prompts.
        rules: Pool and ranking.
        choices: For `custom`: a choice per model; a model not named keeps its default.
    """
    rules, target = rules or Rules(), cube.model_index(target_model_name)
    taken = _choices(cube, target_model_name, scenario, choices or {})
    chosen = _take(cube, taken, rules.pool)
    rivals_moved = chosen.values.copy()
    rivals_moved[target] = cube.default[target]
    steps = np.stack([cube.default, rivals_moved, chosen.values])
    points = {kind: compute_aggregate(steps, cube.task_types, kind, rules.missing) for kind in Aggregate}
    ranks = rank_values(points[rules.aggregate])
    return ScenarioLeaderboard(
        ranks=_ranks(cube, points, ranks, rules),
        movement=_movement(cube, points[rules.aggregate], ranks, rules),
        causes=_causes(points[rules.aggregate][:, target], ranks[:, target]),
        chosen=_chosen(cube, taken, chosen),
        scenario=scenario,
        target_model_name=target_model_name,
        rules=rules,
        n_stand_ins=int(cube.is_stand_in.sum()),
    )


def rank_targets(cube: PromptCube, rules: Rules | None = None) -> pl.DataFrame:
    """One row per target × scenario: the rank that the target gets when it alone is promoted.

    Returns:
        `target_model_name`, `scenario`, `rank`, the aggregate, `models_sharing_rank`, `rank_default`, `ranks_gained`;
        scenarios in the order of `Scenario`, targets by default rank.
    """
    rules, own, n = rules or Rules(), np.arange(len(cube.model_names)), len(cube.model_names)
    taken = {
        rule: choose(cube, Choice(rule), rules.pool).values
        for rule in (SelectionRule.DEFAULT, SelectionRule.BEST, SelectionRule.WORST)
    }
    points, ranks, sharing = np.empty((3, n, len(OF_TARGET)))
    for at, scenario in enumerate(OF_TARGET):
        promoted, rivals = taken[OF_TARGET[scenario]], taken[OF_RIVALS[scenario]]
        of_all = promote_each(promoted, rivals, cube.task_types, rules.aggregate, rules.missing)
        ranks_of_all = rank_values(of_all)
        points[:, at], ranks[:, at] = of_all[own, own], ranks_of_all[own, own]
        sharing[:, at] = (ranks_of_all == ranks[:, at, None]).sum(axis=-1)
    whole_numbers = ("rank", "models_sharing_rank", "rank_default", "ranks_gained")
    return (
        pl.DataFrame(
            {
                "target_model_name": np.repeat(cube.model_names, len(OF_TARGET)),
                "scenario": [scenario.value for scenario in OF_TARGET] * n,
                "rank": ranks.ravel(),
                rules.aggregate.column: points.ravel(),
                "models_sharing_rank": sharing.ravel(),
                "rank_default": np.repeat(ranks[:, 0], len(OF_TARGET)),
                "ranks_gained": (ranks[:, :1] - ranks).ravel(),
            },
            nan_to_null=True,
        )
        .cast(dict.fromkeys(whole_numbers, pl.Int64))
        .sort("rank_default", "target_model_name", nulls_last=True, maintain_order=True)
    )


def _choices(
    cube: PromptCube, target_model_name: str, scenario: Scenario, choices: Mapping[str, Choice]
) -> list[Choice]:
    if scenario is Scenario.CUSTOM:
        return [choices.get(name, Choice()) for name in cube.model_names]
    rivals, own = Choice(OF_RIVALS[scenario]), Choice(OF_TARGET[scenario])
    return [own if name == target_model_name else rivals for name in cube.model_names]


def _take(cube: PromptCube, taken: list[Choice], pool: Pool) -> Chosen:
    values, slots = np.empty(cube.default.shape), np.empty(cube.default.shape, dtype=np.int64)
    for choice in dict.fromkeys(taken):
        chosen, of = choose(cube, choice, pool), [i for i, other in enumerate(taken) if other == choice]
        values[of], slots[of] = chosen.values[of], chosen.slots[of]
    return Chosen(values, slots)


def _ranks(cube: PromptCube, points: Mapping[Aggregate, Floats], ranks: Floats, rules: Rules) -> pl.DataFrame:
    whole_numbers = ("rank", "rank_borda", "models_sharing_rank", "rank_default", "ranks_gained")
    return (
        pl.DataFrame(
            {
                "model_name": cube.model_names,
                "rank": ranks[-1],
                "rank_borda": rank_values(points[Aggregate.BORDA][-1]),
                **{kind.column: points[kind][-1] for kind in Aggregate},
                "models_sharing_rank": (ranks[-1][:, None] == ranks[-1][None, :]).sum(axis=-1),
                "rank_default": ranks[0],
                "ranks_gained": ranks[0] - ranks[-1],
                f"{rules.aggregate.column}_default": points[rules.aggregate][0],
            },
            nan_to_null=True,
        )
        .cast(dict.fromkeys(whole_numbers, pl.Int64))
        .sort("rank", "model_name", nulls_last=True)
    )


def _movement(cube: PromptCube, points: Floats, ranks: Floats, rules: Rules) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "step": np.repeat([step.value for step in Step], len(cube.model_names)),
            "model_name": cube.model_names * len(Step),
            "rank": ranks.ravel(),
            rules.aggregate.column: points.ravel(),
        },
        nan_to_null=True,
    ).cast({"rank": pl.Int64})


def _causes(points: Floats, ranks: Floats) -> pl.DataFrame:
    ranks_gained, gained = -np.diff(ranks), np.diff(points)
    return pl.DataFrame(
        {
            "cause": [cause.value for cause in Cause],
            "ranks_gained": np.append(ranks_gained, ranks_gained.sum()),
            "gained": np.append(gained, gained.sum()),
        },
        nan_to_null=True,
    ).cast({"ranks_gained": pl.Int64})


def _chosen(cube: PromptCube, taken: list[Choice], chosen: Chosen) -> pl.DataFrame:
    n_models, n_tasks = cube.default.shape
    slots: Ints = chosen.slots
    prompt_ids = [
        cube.prompt_ids[task][slot] if (slot := int(slots[model, task])) >= 0 else None
        for model in range(n_models)
        for task in range(n_tasks)
    ]
    return pl.DataFrame(
        {
            "model_name": np.repeat(cube.model_names, n_tasks),
            "task_name": cube.task_names * n_models,
            "task_type": cube.task_types * n_models,
            "selection_rule": np.repeat([choice.rule.value for choice in taken], n_tasks),
            "prompt_id": pl.Series(prompt_ids, dtype=pl.String),
            "takes_default": (slots == FROM_DEFAULT).ravel(),
            "score": chosen.values.ravel(),
            "default_score": cube.default.ravel(),
            "change": (chosen.values - cube.default).ravel(),
        },
        nan_to_null=True,
    )
