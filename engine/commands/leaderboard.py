"""Commands that answer about leaderboards: scenarios, drawn ranks, switches, robust ranks, intervals."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from engine.analysis.leaderboard_simulator import Scenario
from engine.analysis.prompt_selection import Candidates
from engine.analysis.rank_probabilities import DRAWS, Drawing
from engine.analysis.ranking import Aggregate, Missing
from engine.analysis.resampling import RESAMPLES, Over
from engine.commands.options import ExcludedTasks, Layout, Models, SnapshotId, Tasks
from engine.commands.show import PromptSet, Published, show_app
from engine.commands.terminal import Format, say, show_frame
from engine.errors import UsageError
from engine.settings import from_environment

if TYPE_CHECKING:
    import polars as pl

    from engine.answers.leaderboard import LeaderboardQuestion
    from engine.answers.leaderboard_boards import Board

Source = Annotated[str, typer.Option("--source", help="Source; empty = the first with prompt experiments.")]
Benchmark = Annotated[
    str, typer.Option("--benchmark", help="Benchmark whose rows count; without --source as published.")
]
TaskTypes = Annotated[list[str] | None, typer.Option("--task-type", help="Task type to rank over; repeatable.")]
Candidate = Annotated[Candidates, typer.Option("--candidates", help="What best and worst choose among.")]
EqualN = Annotated[bool, typer.Option("--equal-n", help="Best and worst to be expected of equally many prompts.")]
RankedBy = Annotated[Aggregate, typer.Option("--aggregate", help="What models are ranked by.")]
MissingRule = Annotated[Missing, typer.Option("--missing", help="What a missing task is worth in Borda.")]
Target = Annotated[str, typer.Option("--target", help="Model that is promoted; empty = every model in turn.")]
Draw = Annotated[Drawing, typer.Option("--drawing", help="Who draws a prompt.")]
Draws = Annotated[int, typer.Option("--draws", min=1, help="Draws.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Level = Annotated[float, typer.Option("--level", min=0.5, max=0.999, help="Level of intervals.")]


class LeaderboardTable(StrEnum):
    """The tables of `show leaderboard`."""

    RANKS = "ranks"
    """the scenario's leaderboard; without a target every model as the target"""
    MOVEMENT = "movement"
    CAUSES = "causes"
    CHOSEN = "chosen"
    MISSING_RULES = "missing-rules"
    NOTES = "notes"


class SwitchTable(StrEnum):
    """The tables of `show fewest-switches`."""

    TARGETS = "targets"
    SWITCHES = "switches"


class DrawnTable(StrEnum):
    """The tables of `show rank-probabilities`."""

    PROBABILITIES = "probabilities"
    MODELS = "models"


class IntervalTable(StrEnum):
    """The tables of `show rank-intervals`."""

    INTERVALS = "intervals"
    GROUPS = "groups"


class FreedomTable(StrEnum):
    """The tables of `show real-board`."""

    RANKS = "ranks"
    DRAWS = "draws"
    TASKS = "tasks"


@show_app.command("leaderboard")
def leaderboard(
    source: Source = "",
    benchmark: Benchmark = "",
    scenario: Annotated[Scenario, typer.Option(help="Who takes which prompts.")] = Scenario.DEFAULT,
    target: Target = "",
    candidates: Candidate = Candidates.PROMPTS,
    equal_n: EqualN = False,
    aggregate: RankedBy = Aggregate.BORDA,
    missing: MissingRule = Missing.ZERO,
    task: Tasks = None,
    exclude_task: ExcludedTasks = None,
    task_type: TaskTypes = None,
    model: Models = None,
    prompts: PromptSet = "shared",
    snapshot: SnapshotId = "",
    what: Annotated[LeaderboardTable, typer.Option(help="Which table to print.")] = LeaderboardTable.RANKS,
    layout: Layout = Format.TABLE,
) -> None:
    """Ranks and points, as published or under a scenario of prompts."""
    from engine.answers.leaderboard import LeaderboardQuestion

    question = LeaderboardQuestion(
        source=source,
        benchmark=benchmark,
        tasks=tuple(task or ()),
        exclude_tasks=tuple(exclude_task or ()),
        task_types=tuple(task_type or ()),
        models=tuple(model or ()),
        prompts=prompts,
        candidates=candidates,
        equal_n=equal_n,
        aggregate=aggregate,
        missing=missing,
        scenario=scenario,
        target=target,
    )
    board = _board(question, snapshot, aloud=what is not LeaderboardTable.NOTES)
    show_frame(_leaderboard_table(board, question, what), layout)


@show_app.command("rank-probabilities")
def rank_probabilities(
    source: Source = "",
    benchmark: Benchmark = "",
    drawing: Draw = Drawing.INDEPENDENT,
    draws: Draws = DRAWS,
    seed: Seed = 0,
    aggregate: RankedBy = Aggregate.BORDA,
    missing: MissingRule = Missing.ZERO,
    task: Tasks = None,
    exclude_task: ExcludedTasks = None,
    model: Models = None,
    prompts: PromptSet = "shared",
    snapshot: SnapshotId = "",
    what: Annotated[DrawnTable, typer.Option(help="Which table to print.")] = DrawnTable.PROBABILITIES,
    layout: Layout = Format.TABLE,
) -> None:
    """How often each model takes each rank when prompts are drawn at random, and the points it can expect."""
    from engine.answers import leaderboard_views as views
    from engine.answers.leaderboard import LeaderboardQuestion

    question = LeaderboardQuestion(
        source=source,
        benchmark=benchmark,
        tasks=tuple(task or ()),
        exclude_tasks=tuple(exclude_task or ()),
        models=tuple(model or ()),
        prompts=prompts,
        aggregate=aggregate,
        missing=missing,
        drawing=drawing,
        draws=draws,
        seed=seed,
    )
    drawn = views.rank_probabilities(_board(question, snapshot), question)
    show_frame(drawn.probabilities if what is DrawnTable.PROBABILITIES else drawn.models, layout)
