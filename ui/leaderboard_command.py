"""The line in a terminal that gives the numbers of a view of the leaderboard."""

from __future__ import annotations

from engine.analysis.leaderboard_simulator import Scenario
from engine.answers.leaderboard import LeaderboardQuestion
from ui import blocks, reads
from ui.leaderboard_selection import (
    DRAWS,
    INTERVALS,
    NUMBERS,
    REAL_BOARD,
    ROBUST,
    SCENARIO,
    SWITCHES,
    LeaderboardSelection,
)

TABLES = {ROBUST: "robust", NUMBERS: "prompt-numbers", REAL_BOARD: "real-board", INTERVALS: "intervals"}
COMMANDS = {DRAWS: "rank-probabilities", SWITCHES: "fewest-switches"}


def command_of(selection: LeaderboardSelection) -> str:
    """The `engine show` line of a view; empty for a scenario of one's own, which only the page makes."""
    question, view = selection.question, selection.view
    if question.scenario is Scenario.CUSTOM:
        return ""
    command = COMMANDS.get(view, "leaderboard")
    usual = LeaderboardQuestion()
    options: dict[str, str | tuple[str, ...]] = {
        "source": question.source,
        "benchmark": question.benchmark,
        "scenario": question.scenario.value if view == SCENARIO else "",
        "target": question.target if view in (SCENARIO, REAL_BOARD) else "",
        "candidates": question.candidates.value if command == "leaderboard" else "",
        "prompts": question.prompts,
        "data": question.data.value,
        "drawing": question.drawing.value if view in (DRAWS, NUMBERS) else "",
        "over": question.over.value if view == INTERVALS else "",
        "level": f"{question.level:g}" if view == INTERVALS else "",
        "published": question.published,
        "aggregate": question.aggregate.value,
        "missing": question.missing.value,
        "exclude-task": question.exclude_tasks,
        "what": TABLES.get(view, ""),
        **_tasks(question, command),
    }
    told = {
        name: value
        for name, value in options.items()
        if value != str(getattr(usual, name.replace("-", "_"), "")) or name == "drawing"
    }
    equal_n = "equal-n" if question.equal_n and command != "rank-probabilities" else ""
    return blocks.engine_command(command, told, equal_n)


def _tasks(question: LeaderboardQuestion, command: str) -> dict[str, str | tuple[str, ...]]:
    """Tasks by type where the command knows types, else one by one."""
    if question.task_types and command != "leaderboard":
        return {"task": reads.board(question).matrix.task_names, "exclude-task": ()}
    return {"task": question.tasks, "task-type": question.task_types}
