"""The view of a published benchmark: its ranks as mteb gives them, and what other rules would say."""

from __future__ import annotations

import polars as pl
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.rank_findings import find_missing_rules, find_neighbours, find_ranks
from engine.analysis.ranking import Aggregate
from engine.answers import leaderboard_views as views
from engine.answers.leaderboard import LeaderboardQuestion
from engine.answers.leaderboard_boards import Board as ReadBoard
from ui import blocks, reads
from ui.charts.leaderboard_simulator import Board, Movement
from ui.charts.leaderboard_simulator_rows import board_rows
from ui.formats import counted, number
from ui.leaderboard_parts import WHAT_POINTS_ARE, settings_of
from ui.leaderboard_selection import LeaderboardSelection
from ui.leaderboard_windows import pick_window
from ui.tables import show_table

COLUMNS = (
    *("rank", "model_name", "borda_points", "mean_task", "mean_task_type", "n_tasks", "n_partial", "is_complete"),
    *("rank_present", "rank_complete"),
)


def show_ranks(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws the published leaderboard, how many ranks hang on the rule for missing tasks, and the table."""
    question = selection.question
    ranks = reads.leaderboard(views.ranks, question)
    compared = reads.leaderboard(_missing_rules, question)
    intervals = reads.leaderboard(views.rank_intervals, question)
    sentence, settings = blocks.parts_of(find_ranks(ranks, question.aggregate)), settings_of(selection)
    with finding:
        blocks.show_finding(*sentence)
        blocks.show_text(*blocks.parts_of(find_missing_rules(compared)))
        if len(intervals.intervals) > 1:
            blocks.show_text(*blocks.parts_of(find_neighbours(intervals)))
    ranked = ranks.filter(pl.col("rank").is_not_null())
    if ranked.is_empty():
        blocks.show_empty("No model is ranked", "None has every one of these tasks. Fewer tasks, under Adjust, help.")
    else:
        _show_rows(selection, ranked, sentence, settings)
    blocks.show_heading(
        "The leaderboard",
        "Rank under the rule chosen; present and complete are Borda ranks under the other rules for a missing task.",
    )
    others = compared.select("model_name", "rank_present", "rank_complete")
    joined = ranks.join(others, on="model_name", how="left", maintain_order="left")
    show_table(joined, name="leaderboard", settings=settings, columns=COLUMNS)
    partial = int((ranks["n_partial"] > 0).sum())
    left_out = len(ranks) - len(ranked)
    blocks.show_caption(
        f"{counted(int(ranks['is_complete'].sum()), 'model')} of {number(len(ranks))} complete",
        f"{counted(partial, 'model')} with a task of which some rows are missing" if partial else "",
        f"{counted(left_out, 'model')} not ranked under this rule" if left_out else "",
    )


def _missing_rules(board: ReadBoard, _question: LeaderboardQuestion) -> pl.DataFrame:
    return views.missing_rules(board)


def _show_rows(
    selection: LeaderboardSelection, ranked: pl.DataFrame, sentence: blocks.Sentence, settings: dict[str, str]
) -> None:
    aggregate: Aggregate = selection.question.aggregate
    window = pick_window(len(ranked))
    names = ranked["model_name"].to_list()
    worths = dict(zip(names, ranked[aggregate.column].to_list(), strict=True))
    movement = Movement([Board("", worths, dict(zip(names, ranked["rank"].to_list(), strict=True)))], (), "", aggregate)
    pinned = blocks.palette().model_colours([name for name in selection.pins if name in worths], reads.model_names())
    shown = [name for place, name in enumerate(names) if window.first <= place <= window.last or name in pinned]
    blocks.show_heading(window.title(len(names)), f"Along = {WHAT_POINTS_ARE[aggregate]}")
    figure = board_rows(movement, shown, pinned, blocks.palette())
    blocks.show_figure(figure, name="ranks", alt=sentence, settings=settings)
