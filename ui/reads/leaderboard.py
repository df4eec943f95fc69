"""Answers about leaderboards: what there is to rank, and each view of a board."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from engine.analysis.prompt_freedom import PromptFreedom
from engine.answers import leaderboard as leaderboards
from engine.answers import leaderboard_boards as boards
from engine.answers.leaderboard import LeaderboardOptions, LeaderboardQuestion
from engine.answers.leaderboard_boards import Board
from engine.answers.real_board import published_sources, real_board
from ui.reads.prompts import prompt_distributions
from ui.reads.snapshots import answered, kept, snapshot

Answer = TypeVar("Answer")


def leaderboard_sources() -> tuple[str, ...]:
    """Names of the sources that hold a leaderboard, those with prompt experiments first."""
    return answered("sources", "", leaderboards.sources)


def leaderboard_options(source: str) -> LeaderboardOptions:
    """What a source that holds a leaderboard offers to choose from."""
    here = snapshot()
    found: LeaderboardOptions = kept(here.snapshot_id, "options", source, lambda: leaderboards.options(here, source))
    return found


def published_boards(source: str) -> dict[str, tuple[str, ...]]:
    """Sources of published results beside the given one, and the benchmarks that each covers."""
    here = snapshot()
    found: dict[str, tuple[str, ...]] = kept(
        here.snapshot_id, "published boards", source, lambda: published_sources(here, source)
    )
    return found


def board(question: LeaderboardQuestion) -> Board:
    """The scores that a question about a leaderboard ranks; its settings are those of the reading alone.

    Raises:
        UsageError: The question names something that the snapshot does not hold.
    """
    here, reading = snapshot(), question.reading

    def read() -> Board:
        if not leaderboard_options(reading.source).has_prompts:
            return boards.answer(here, reading)
        return boards.study_board(here, reading, prompt_distributions(reading.prompt_question))

    found: Board = kept(here.snapshot_id, "board", reading, read)
    return found


def leaderboard(view: Callable[[Board, LeaderboardQuestion], Answer], question: LeaderboardQuestion) -> Answer:
    """What a function of `engine.answers.leaderboard_views` answers, computed once per snapshot and question.

    Raises:
        UsageError: The question names something that the snapshot does not hold.
    """
    here = snapshot()
    found: Answer = kept(here.snapshot_id, view.__name__, question, lambda: view(board(question), question))
    return found


def prompt_freedom(question: LeaderboardQuestion) -> PromptFreedom:
    """The range of ranks of the question's target on a published leaderboard.

    Raises:
        UsageError: There is no such board, or the target is not on it.
    """
    return answered("prompt freedom", question, lambda here: real_board(here, question))
