"""Which prompt a model takes on each task: by default, by advantage, by handicap, or by name.

A rule turns the scores of a model over prompts into one score a task; a leaderboard is made of such scores.
Where a model ran no prompt on a task it has nothing to choose, and its default score stands in under every rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import polars as pl

from engine.analysis.ranking import DECIMALS, Bools, Floats, Ints, positions
from engine.errors import UsageError, names_like

FROM_DEFAULT = -1
"""In `Chosen.slots`: the default prompt."""
NO_SINGLE_PROMPT = -2
"""In `Chosen.slots`: a quantile or a mean, which is no one prompt's score."""


class SelectionRule(StrEnum):
    """How a model's prompt on a task is picked."""

    DEFAULT = "default"
    BEST = "best"
    WORST = "worst"
    MEDIAN = "median"
    MEAN = "mean"
    QUANTILE = "quantile"
    NAMED = "named"


class Candidates(StrEnum):
    """What *best* and *worst* choose among."""

    PROMPTS = "prompts"
    PROMPTS_AND_DEFAULT = "prompts-and-default"


@dataclass(frozen=True)
class Choice:
    """A rule with its parameter: the quantile (fraction), or the prompts, of which each task takes the first it has."""

    rule: SelectionRule = SelectionRule.DEFAULT
    quantile: float = 0.5
    prompt_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pool:
    """What a model may choose among.

    Attributes:
        candidates: Whether the default counts as a candidate for best and worst.
        equal_n: Best and worst are those to be expected of n prompts, n being the smallest number that any model has
            on the task: the maximum grows with the number of tries, and so no model gains by having more of them.
    """

    candidates: Candidates = Candidates.PROMPTS
    equal_n: bool = False


@dataclass(frozen=True)
class Chosen:
    """Scores after the choice, models × tasks, and the prompt slot each came from."""

    values: Floats
    slots: Ints


@dataclass(frozen=True)
class PromptCube:
    """Scores of models on tasks over prompts.

    Attributes:
        model_names: First axis.
        task_names: Second axis.
        task_types: Type of each task.
        prompt_ids: For each task its prompts; the third axis, filled up to the longest.
        default: Scores with the default prompt, models × tasks; NaN = no default run.
        scores: Scores over prompts, models × tasks × slots; NaN = not run.
    """

    model_names: tuple[str, ...]
    task_names: tuple[str, ...]
    task_types: tuple[str, ...]
    prompt_ids: tuple[tuple[str, ...], ...]
    default: Floats
    scores: Floats

    @cached_property
    def n(self) -> Ints:
        """Prompts with a score, models × tasks."""
        return np.asarray((~np.isnan(self.scores)).sum(axis=-1), dtype=np.int64)

    @cached_property
    def sorted_scores(self) -> Floats:
        """Scores in rising order along the last axis, NaN last."""
        return np.sort(self.scores, axis=-1)

    @property
    def is_stand_in(self) -> Bools:
        """Cells where the default score stands in, because no prompt was run."""
        return np.asarray((self.n == 0) & ~np.isnan(self.default))

    def model_index(self, model_name: str) -> int:
        """Where a model stands on the first axis.

        Raises:
            UsageError: It is not there.
        """
        if model_name not in self.model_names:
            there_are = names_like(model_name, self.model_names)
            raise UsageError(f"No model on this leaderboard is called {model_name!r}; there are: {there_are}.")
        return self.model_names.index(model_name)


def build_prompt_cube(prompt_scores: pl.DataFrame, default_scores: pl.DataFrame) -> PromptCube:
    """The cube of two frames; models, tasks and prompts in alphabetical order.

    Args:
        prompt_scores: One row per model × task × prompt: `model_name`, `task_name`, `task_type`, `prompt_id`, `score`.
        default_scores: One row per model × task: `model_name`, `task_name`, `task_type`, `score`.
            A null score is a missing one. A model or task that occurs in either frame is in the cube.
    """
    described = [frame.select("model_name", "task_name", "task_type") for frame in (prompt_scores, default_scores)]
    cells = pl.concat(described)
    models = cells["model_name"].unique().sort()
    tasks = cells.select("task_name", "task_type").unique("task_name", keep="first").sort("task_name")
    prompts = prompt_scores.select("task_name", "prompt_id").unique().sort("task_name", "prompt_id")
    prompts = prompts.with_columns(slot=pl.int_range(pl.len()).over("task_name"))
    by_task = dict(prompts.group_by("task_name").agg("prompt_id").iter_rows())
    prompt_ids = tuple(tuple(by_task.get(task, ())) for task in tasks["task_name"])

    default = np.full((len(models), len(tasks)), np.nan)
    default[_cells(default_scores, models, tasks["task_name"])] = _numbers(default_scores)
    scores = np.full((*default.shape, max(map(len, prompt_ids), default=0)), np.nan)
    slots = prompt_scores.join(prompts, on=["task_name", "prompt_id"], how="left", maintain_order="left")["slot"]
    scores[(*_cells(prompt_scores, models, tasks["task_name"]), slots.to_numpy())] = _numbers(prompt_scores)
    return PromptCube(tuple(models), tuple(tasks["task_name"]), tuple(tasks["task_type"]), prompt_ids, default, scores)


def _cells(scores: pl.DataFrame, models: pl.Series, tasks: pl.Series) -> tuple[Ints, Ints]:
    return positions(scores["model_name"], models), positions(scores["task_name"], tasks)


def _numbers(scores: pl.DataFrame) -> Floats:
    return scores["score"].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def choose(cube: PromptCube, choice: Choice, pool: Pool | None = None) -> Chosen:
    """The scores of every model under one rule, models × tasks (fractions; NaN where nothing was run).

    Rules: `best`, `worst` = highest, lowest prompt score of the cell, with `prompts-and-default` also the default;
    `median`, `quantile` = linear (Hyndman-Fan type 7); `mean` unweighted; `named` = the first of the named prompts
    that the model ran on the task, else the default. Ties: among equal prompts the first by id, and the default before
    a prompt. Missing: a cell without prompt scores takes the default. With `equal_n` see `expected_extreme`.
    """
    pool = pool or Pool()
    if choice.rule is SelectionRule.DEFAULT:
        return Chosen(cube.default, np.where(np.isnan(cube.default), NO_SINGLE_PROMPT, FROM_DEFAULT))
    if choice.rule is SelectionRule.NAMED:
        chosen = _named(cube, choice.prompt_ids)
    elif choice.rule in (SelectionRule.BEST, SelectionRule.WORST):
        chosen = _extreme(cube, pool, sign=1.0 if choice.rule is SelectionRule.BEST else -1.0)
    else:
        chosen = Chosen(_location(cube, choice), np.full(cube.default.shape, NO_SINGLE_PROMPT))
    alone = cube.n == 0
    slots = np.where(alone, np.where(np.isnan(cube.default), NO_SINGLE_PROMPT, FROM_DEFAULT), chosen.slots)
    return Chosen(np.where(alone, cube.default, chosen.values), slots)


def quantile_of(sorted_scores: Floats, n: Ints, quantile: float) -> Floats:
    """Linear quantile of each cell (Hyndman-Fan type 7) from its n rising scores; NaN where n = 0."""
    if sorted_scores.shape[-1] == 0:
        return np.full(n.shape, np.nan)
    at = quantile * np.maximum(n - 1, 0)
    low = np.floor(at).astype(np.int64)
    below, above = (
        np.take_along_axis(sorted_scores, slot[..., None], axis=-1)[..., 0]
        for slot in (low, np.minimum(low + 1, np.maximum(n - 1, 0)))
    )
    return np.asarray(np.round(below + (above - below) * (at - low), DECIMALS))


def expected_extreme(cube: PromptCube, pool: Pool, *, sign: float) -> Floats:
    """Best (sign 1) or worst (sign −1) score to be expected of as many prompts as the model with fewest has.

    Formula: with N prompt scores x₁ ≤ … ≤ x_N and n = min of N over the models with prompts on the task, the mean of
    max over all n-subsets = Σᵢ xᵢ · C(i−1, n−1) ÷ C(N, n); with the default as candidate xᵢ is max(xᵢ, default). For
    the worst the same with signs turned. A model with N = n gets its plain best or worst. Missing: NaN where N = 0.
    """
    rising = cube.sorted_scores if sign > 0 else -np.sort(-cube.scores, axis=-1)
    if pool.candidates is Candidates.PROMPTS_AND_DEFAULT:
        standing = np.where(np.isnan(cube.default), -sign * np.inf, cube.default)[..., None]
        rising = sign * np.maximum(sign * rising, sign * standing)
    fewest = np.where(cube.n > 0, cube.n, np.iinfo(np.int64).max).min(axis=0)
    values = np.full(cube.default.shape, np.nan)
    for model, task in zip(*np.nonzero(cube.n), strict=True):
        n = int(cube.n[model, task])
        values[model, task] = extreme_weights(n, int(fewest[task])) @ rising[model, task, :n]
    return np.asarray(np.round(values, DECIMALS))


def extreme_weights(total: int, n: int) -> Floats:
    """Chance of each of `total` values in rising order to be the highest of n drawn without replacement; sums to 1.

    Computed from the top: w_total = n ÷ total, and each lower one by the ratio of the binomials.
    """
    weights = np.zeros(total)
    weights[-1] = n / total
    for i in range(total - 1, n - 1, -1):
        weights[i - 1] = weights[i] * (i - n + 1) / i
    return weights


def _extreme(cube: PromptCube, pool: Pool, *, sign: float) -> Chosen:
    if pool.equal_n:
        return Chosen(expected_extreme(cube, pool, sign=sign), np.full(cube.default.shape, NO_SINGLE_PROMPT))
    if cube.scores.shape[-1] == 0:
        return Chosen(np.full(cube.default.shape, np.nan), np.full(cube.default.shape, NO_SINGLE_PROMPT))
    slots = np.where(np.isnan(cube.scores), -np.inf, sign * cube.scores).argmax(axis=-1)
    values = np.take_along_axis(cube.scores, slots[..., None], axis=-1)[..., 0]
    if pool.candidates is Candidates.PROMPTS:
        return Chosen(values, slots)
    stays = sign * cube.default >= sign * values
    return Chosen(np.where(stays, cube.default, values), np.where(stays, FROM_DEFAULT, slots))


def _location(cube: PromptCube, choice: Choice) -> Floats:
    if choice.rule is SelectionRule.MEAN:
        means = np.nansum(cube.scores, axis=-1) / np.where(cube.n == 0, np.nan, cube.n)
        return np.asarray(np.round(means, DECIMALS))
    return quantile_of(cube.sorted_scores, cube.n, 0.5 if choice.rule is SelectionRule.MEDIAN else choice.quantile)


def _named(cube: PromptCube, prompt_ids: tuple[str, ...]) -> Chosen:
    values = cube.default.copy()
    slots = np.where(np.isnan(cube.default), NO_SINGLE_PROMPT, FROM_DEFAULT)
    for task, known in enumerate(cube.prompt_ids):
        for prompt_id in reversed(prompt_ids):
            if prompt_id in known:
                slot = known.index(prompt_id)
                ran = ~np.isnan(cube.scores[:, task, slot])
                values[ran, task] = cube.scores[ran, task, slot]
                slots[ran, task] = slot
    return Chosen(values, slots)
