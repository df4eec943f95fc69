"""Beside the leaderboard: how often a model is right on the items of a language, and its published score there."""

from __future__ import annotations

import polars as pl
import streamlit as st

from ui import blocks
from ui.charts.triplet_tests_rates import ScorePoint, rate_against_score
from ui.formats import counted
from ui.reads import triplets
from ui.selectors import pick_one
from ui.tables import show_table
from ui.triplet_rows import run_of
from ui.triplet_scores import beside, pick_scores, show_what_scores_stand_on
from ui.triplet_selection import TripletSelection

COLUMNS = (
    "language", "model_name", "base_prompt", "candidate_prompt", "n", "n_right", "pass_rate", "ci_low", "ci_high",
    "score", "rows", "rows_expected", "published_name", "matched_by",
)  # fmt: skip


def show_board(selection: TripletSelection) -> None:
    """Draws a dot per model for one language, and the table of all languages."""
    blocks.show_heading(
        "Beside the leaderboard",
        "Across: the published score in a language. Up: how often the model is right on these items, with its 95 % "
        "interval.",
    )
    found = pick_scores()
    if found is None:
        return
    rates = selection.tests.rates.filter(pl.col("by") == "language").rename({"group": "language"})
    board = beside(rates.drop_nulls("pass_rate"), found.scores)
    if not board.height:
        blocks.show_text(
            "No model has both five valid items in a language and a score in it there. Ask models about the set that "
            "stand on this board, or choose another one."
        )
        return
    language = _pick_language(board)
    shown = board.filter(language=language)
    pairs = [
        ScorePoint(
            run_of(row).name, row["score"], row["pass_rate"], row["n"], row["n_right"], row["ci_low"], row["ci_high"]
        )
        for row in shown.iter_rows(named=True)
    ]
    name = triplets.language_names().get(language, language)
    alt = (f"{counted(len(pairs), 'rate')} of items that are right beside the published score in {name}",)
    settings = {**selection.settings, "scores": found.words}
    figure = rate_against_score(pairs, name, blocks.palette())
    blocks.show_figure(figure, name=f"triplet-board-{language}", alt=alt, settings=settings)
    show_what_scores_stand_on(found, board)
    show_table(board.select(COLUMNS), name="triplet-board", settings=settings)


def _pick_language(board: pl.DataFrame) -> str:
    most = board.group_by("language").len().sort("len", "language", descending=[True, False])
    with st.container(width=230):
        return pick_one("In the language", most["language"].to_list(), parameter="in")
