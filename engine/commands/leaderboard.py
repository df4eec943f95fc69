"""Commands that answer about leaderboards: scenarios, drawn ranks, switches, robust ranks, intervals."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.analysis.dataset_revisions import Data
from engine.analysis.leaderboard_simulator import Scenario
from engine.analysis.prompt_selection import Candidates
from engine.analysis.rank_intervals import LEVEL
from engine.analysis.rank_probabilities import DRAWS, Drawing
from engine.analysis.ranking import Aggregate, Missing
from engine.analysis.resampling import RESAMPLES, Over
from engine.commands.options import Compared, ExcludedTasks, Layout, Models, SnapshotId, Tasks
from engine.commands.show import PromptSet, Published
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
Draws = Annotated[int, typer.Option("--draws", min=1, max=1_000_000, help="How often prompts are drawn.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Resampled = Annotated[Over, typer.Option("--over", help="What a bootstrap of a prompt study draws anew.")]
Resamples = Annotated[int, typer.Option("--resamples", min=100, max=100_000, help="Resamples of a bootstrap.")]
Level = Annotated[float, typer.Option("--level", min=0.5, max=0.999, help="Level of intervals.")]


class LeaderboardTable(StrEnum):
    """The tables of the leaderboard page, but for drawn ranks and switches."""

    RANKS = "ranks"
    MOVEMENT = "movement"
    CAUSES = "causes"
    CHOSEN = "chosen"
    TARGETS = "targets"
    ROBUST = "robust"
    PROMPT_NUMBERS = "prompt-numbers"
    INTERVALS = "intervals"
    GROUPS = "groups"
    MISSING_RULES = "missing-rules"
    REAL_BOARD = "real-board"
    NOTES = "notes"


class DrawnTable(StrEnum):
    """The tables of drawn ranks."""

    PROBABILITIES = "probabilities"
    MODELS = "models"


class SwitchTable(StrEnum):
    """The tables of switches."""

    TARGETS = "targets"
    SWITCHES = "switches"


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
    data: Compared = Data.ANY,
    drawing: Draw = Drawing.SAME,
    over: Resampled = Over.BOTH,
    resamples: Resamples = RESAMPLES,
    level: Level = LEVEL,
    seed: Seed = 0,
    published: Published = "",
    snapshot: SnapshotId = "",
    what: Annotated[LeaderboardTable, typer.Option(help="Which table to print.")] = LeaderboardTable.RANKS,
    layout: Layout = Format.TABLE,
) -> None:
    """Ranks and points, as published or under a scenario of prompts."""
    question = _asked(
        source=source,
        benchmark=benchmark,
        tasks=task,
        exclude_tasks=exclude_task,
        task_types=task_type,
        models=model,
        prompts=prompts,
        data=data,
        candidates=candidates,
        equal_n=equal_n,
        aggregate=aggregate,
        missing=missing,
        scenario=scenario,
        target=target,
        drawing=drawing,
        over=over,
        resamples=resamples,
        level=level,
        seed=seed,
        published=published,
    )
    show_frame(_leaderboard_table(question, snapshot, what), layout)


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

    question = _asked(
        source=source,
        benchmark=benchmark,
        tasks=task,
        exclude_tasks=exclude_task,
        models=model,
        prompts=prompts,
        aggregate=aggregate,
        missing=missing,
        drawing=drawing,
        draws=draws,
        seed=seed,
    )
    board = _board_of(question, snapshot)
    drawn = views.rank_probabilities(board, question)
    show_frame(drawn.probabilities if what is DrawnTable.PROBABILITIES else drawn.models, layout)


def fewest_switches(
    source: Source = "",
    benchmark: Benchmark = "",
    equal_n: EqualN = False,
    aggregate: RankedBy = Aggregate.BORDA,
    missing: MissingRule = Missing.ZERO,
    task: Tasks = None,
    exclude_task: ExcludedTasks = None,
    model: Models = None,
    prompts: PromptSet = "shared",
    snapshot: SnapshotId = "",
    what: Annotated[SwitchTable, typer.Option(help="Which table to print.")] = SwitchTable.TARGETS,
    layout: Layout = Format.TABLE,
) -> None:
    """On how few tasks each model must leave its default prompt to reach its best attainable rank."""
    from engine.answers import leaderboard_views as views

    question = _asked(
        source=source,
        benchmark=benchmark,
        tasks=task,
        exclude_tasks=exclude_task,
        models=model,
        prompts=prompts,
        equal_n=equal_n,
        aggregate=aggregate,
        missing=missing,
    )
    found = views.fewest_switches(_board_of(question, snapshot), question)
    show_frame(found.targets if what is SwitchTable.TARGETS else found.switches, layout)


def _asked(**options: Any) -> LeaderboardQuestion:
    """The question that the options make; a repeatable option that was not given names nothing."""
    from engine.answers.leaderboard import LeaderboardQuestion

    repeatable = ("tasks", "exclude_tasks", "task_types", "models")
    return LeaderboardQuestion(**{**options, **{name: tuple(options.get(name) or ()) for name in repeatable}})


def _board_of(question: LeaderboardQuestion, snapshot_id: str, *, aloud: bool = True) -> Board:
    from engine.answers.leaderboard_boards import answer
    from engine.store import open_snapshot

    board = answer(open_snapshot(from_environment(), snapshot_id or None), question)
    for note in board.notes if aloud else ():
        say(note)
    return board


def _leaderboard_table(question: LeaderboardQuestion, snapshot_id: str, what: LeaderboardTable) -> pl.DataFrame:
    import polars as pl

    from engine.answers import leaderboard_views as views
    from engine.answers.real_board import real_board
    from engine.store import open_snapshot

    if question.scenario is Scenario.CUSTOM:
        others = ", ".join(each.value for each in Scenario if each is not Scenario.CUSTOM)
        raise UsageError(f"Scenario 'custom' is made on the page; the command line has {others}.")
    if what is LeaderboardTable.REAL_BOARD:
        return real_board(open_snapshot(from_environment(), snapshot_id or None), question).ranks
    board = _board_of(question, snapshot_id, aloud=what is not LeaderboardTable.NOTES)
    if what is LeaderboardTable.RANKS:
        return _ranks(board, question)
    tables: dict[LeaderboardTable, Callable[[], pl.DataFrame]] = {
        LeaderboardTable.MOVEMENT: lambda: views.simulate(board, question).movement,
        LeaderboardTable.CAUSES: lambda: views.simulate(board, question).causes,
        LeaderboardTable.CHOSEN: lambda: views.simulate(board, question).chosen,
        LeaderboardTable.TARGETS: lambda: views.every_target(board, question),
        LeaderboardTable.ROBUST: lambda: views.robust_ranks(board, question),
        LeaderboardTable.PROMPT_NUMBERS: lambda: views.prompt_numbers(board, question).numbers,
        LeaderboardTable.INTERVALS: lambda: views.rank_intervals(board, question).intervals,
        LeaderboardTable.GROUPS: lambda: views.rank_intervals(board, question).groups,
        LeaderboardTable.MISSING_RULES: lambda: views.missing_rules(board),
        LeaderboardTable.NOTES: lambda: pl.DataFrame({"note": board.notes}, schema={"note": pl.String}),
    }
    return tables[what]()


def _ranks(board: Board, question: LeaderboardQuestion) -> pl.DataFrame:
    """The leaderboard of the scenario; where a scenario needs a target and none is named, every model as the target."""
    import polars as pl

    from engine.answers import leaderboard_views as views

    if question.scenario is Scenario.DEFAULT:
        return views.ranks(board, question)
    if question.target:
        return views.simulate(board, question).ranks
    rows = views.every_target(board, question).filter(pl.col("scenario") == question.scenario.value)
    named = rows.with_columns(model_name="target_model_name")
    if question.aggregate is Aggregate.BORDA:
        named = named.with_columns(rank_borda="rank")
    return named.select("model_name", pl.exclude("model_name"))
