"""What the leaderboard page says around its views: the caption, the empty state, the command for the numbers."""

from __future__ import annotations

from ui import blocks, reads
from ui.formats import counted
from ui.leaderboard_draws import show_drawing, show_robust
from ui.leaderboard_freedom import show_real_board, show_switches
from ui.leaderboard_intervals import show_intervals
from ui.leaderboard_numbers import show_numbers
from ui.leaderboard_published import show_ranks
from ui.leaderboard_scenario import show_scenario
from ui.leaderboard_selection import (
    DRAWS,
    INTERVALS,
    NUMBERS,
    RANKS,
    REAL_BOARD,
    ROBUST,
    SCENARIO,
    SWITCHES,
    LeaderboardSelection,
)

VIEWS = {
    SCENARIO: show_scenario,
    DRAWS: show_drawing,
    SWITCHES: show_switches,
    ROBUST: show_robust,
    NUMBERS: show_numbers,
    REAL_BOARD: show_real_board,
    INTERVALS: show_intervals,
    RANKS: show_ranks,
}


def show_provenance(selection: LeaderboardSelection) -> None:
    """Draws the caption: snapshot, source, what is ranked over what, what stands in, what is mixed."""
    question = selection.question
    board = reads.board(question)
    stand_ins = int(board.cube.is_stand_in.sum()) if board.cube else 0
    blocks.show_caption(
        f"Snapshot {reads.snapshot().snapshot_id} · {question.source}",
        question.benchmark,
        counted(len(board.matrix.model_names), "model"),
        counted(board.n_tasks, "task"),
        counted(board.prompts.height, "prompt") if board.cube else "",
        f"{counted(stand_ins, 'cell')} without prompt runs, where the default stands in" if stand_ins else "",
        *(note.rstrip(".") for note in board.notes),
    )


def show_no_leaderboard() -> None:
    """Draws what the page says while no source holds a leaderboard."""
    blocks.show_finding("No source of this snapshot holds a leaderboard, so there are no ranks to question.")
    blocks.show_empty(
        "Ranks: not measured yet",
        "The demo runs bundled models over a dozen prompts; it needs neither a network nor a model hub. Prompt studies "
        "of your own, and published results, are added with engine add.",
        command="python -m engine demo",
    )
