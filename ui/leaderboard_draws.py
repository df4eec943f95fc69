"""Views of prompts drawn and prompts that are typical: how often a rank is taken, which ranks hang on one prompt."""

from __future__ import annotations

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.rank_findings import find_probabilities, find_robust
from engine.analysis.rank_probabilities import Drawing
from engine.analysis.ranking import Aggregate
from engine.answers import leaderboard_views as views
from ui import blocks, reads
from ui.charts.leaderboard_simulator import Board, Movement
from ui.charts.leaderboard_simulator_probabilities import MOST_ROWS, rank_heat
from ui.formats import number
from ui.leaderboard_parts import settings_of, show_movement
from ui.leaderboard_selection import LeaderboardSelection, without_target
from ui.tables import show_table

WAYS = {"default": "Default", "mean": "Mean<br>over prompts", "median": "Median prompt", "q_low": "10th percentile"}
WHO_DRAWS = {
    Drawing.INDEPENDENT: "each model draws its own",
    Drawing.SAME: "all draw the same one, where one was run by all",
}


def show_drawing(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws the heat map of ranks, and the tables behind it."""
    question = selection.question
    drawn = reads.leaderboard(views.rank_probabilities, without_target(question))
    sentence, settings = blocks.parts_of(find_probabilities(drawn, question.target)), settings_of(selection)
    with finding:
        blocks.show_finding(*sentence)
    blocks.show_heading(
        "If prompts were drawn at random on every task",
        f"Share of {number(drawn.n_draws)} draws in which the model takes the rank, in %; {WHO_DRAWS[drawn.drawing]}. "
        "Framed: rank with the default prompts. Tied models share the better rank, so columns need not add up to 100.",
    )
    figure = rank_heat(drawn.models, drawn.probabilities, question.aggregate, question.target, blocks.palette())
    blocks.show_figure(figure, name="rank-heat", alt=sentence, settings=settings)
    if len(drawn.models) > MOST_ROWS:
        blocks.show_caption(
            f"The first {MOST_ROWS} of {number(len(drawn.models))} models are drawn; the table has all."
        )
    blocks.show_caption(f"Seed {drawn.seed}", "expected points are exact, not sampled")
    show_table(drawn.models, name="expected-points", settings=settings)
    with st.expander("Every model and rank"):
        taken = drawn.probabilities.filter(pl.col("probability") > 0)
        show_table(taken, name="rank-probabilities", settings=settings)


def show_robust(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws the leaderboards of default, mean, median and unlucky prompts side by side."""
    question = selection.question
    robust = reads.leaderboard(views.robust_ranks, without_target(question))
    sentence, settings = blocks.parts_of(find_robust(robust, question.target)), settings_of(selection)
    with finding:
        blocks.show_finding(*sentence)
    boards = [_board(robust, way, title, question.aggregate) for way, title in WAYS.items()]
    show_movement(Movement(boards, (), question.target, question.aggregate), "robust", sentence, settings)
    show_table(robust, name="robust-ranks", settings=settings)


def _board(robust: pl.DataFrame, way: str, title: str, aggregate: Aggregate) -> Board:
    ranked = robust.filter(pl.col(f"rank_{way}").is_not_null())
    names = ranked["model_name"].to_list()
    worths = dict(zip(names, ranked[f"{aggregate.column}_{way}"].to_list(), strict=True))
    return Board(title, worths, dict(zip(names, ranked[f"rank_{way}"].to_list(), strict=True)))
