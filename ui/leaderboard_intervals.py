"""The view of rank intervals: a ribbon over all models, and the rows of a window with the pinned ones in sight."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.rank_findings import find_intervals, find_neighbours
from engine.analysis.rank_intervals import LEAST_TASKS, RankIntervals
from engine.answers import leaderboard_views as views
from ui import blocks, reads
from ui.blocks import Sentence
from ui.charts.leaderboard_simulator_intervals import interval_ribbon, interval_rows
from ui.formats import counted, number, percent
from ui.leaderboard_parts import settings_of, show_choosing_figure
from ui.leaderboard_selection import LeaderboardSelection, without_target
from ui.leaderboard_windows import START, Window, pick_window, window_with
from ui.tables import show_table


def show_intervals(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws ribbon, window and tables of the rank intervals."""
    question = selection.question
    found = reads.leaderboard(views.rank_intervals, without_target(question))
    pins = [name for name in selection.pins if name in found.intervals["model_name"]]
    sentence = blocks.parts_of(find_intervals(found, pins[0] if pins else ""))
    settings, n = {**settings_of(selection), "level": f"{found.level:g}"}, len(found.intervals)
    with finding:
        blocks.show_finding(*sentence)
    if absent := [name for name in selection.pins if name not in pins]:
        blocks.show_note(f"{counted(len(absent), 'pinned model')} set aside: without every task there is no interval.")
    if n < 2:
        blocks.show_empty(
            "Nothing to compare",
            f"{counted(found.n_set_aside, 'model')} set aside for a missing task. Fewer tasks, under Adjust, help.",
        )
        return
    if found.n_tasks < LEAST_TASKS:
        blocks.show_note(f"Fewer than {LEAST_TASKS} tasks tell no two models apart, however far their scores lie.")
    pinned = blocks.palette().model_colours(pins, reads.model_names())
    ribbon_place = st.container()
    window = pick_window(n)
    if window.is_part:
        with ribbon_place:
            _show_ribbon(found, window, pinned, sentence, settings)
    blocks.show_heading(
        window.title(n),
        f"Wide bar: simultaneous {percent(found.level, 0)} interval (holds for all models at once). "
        "Narrow bar: each model alone. Dot: rank on these tasks.",
    )
    shown = found.intervals.with_row_index("place").filter(
        pl.col("place").is_between(window.first, window.last) | pl.col("model_name").is_in(pins)
    )
    rows = interval_rows(list(shown.iter_rows(named=True)), pinned, blocks.palette())
    blocks.show_figure(rows, name="intervals", alt=sentence, settings=settings)
    _show_making(found)
    _show_tables(found, settings)


def _show_ribbon(
    found: RankIntervals, window: Window, pinned: Mapping[str, str], alt: Sentence, settings: Mapping[str, str]
) -> None:
    blocks.show_heading(
        f"All {number(len(found.intervals))} models",
        "Band: the ranks that a model could have. The tinted window is drawn below; a click moves it.",
    )
    figure = interval_ribbon(found.intervals, (window.first, window.last), pinned, blocks.palette())
    show_choosing_figure(figure, name="ribbon", alt=alt, settings=settings, parameter=START, chosen_of=window_with)


def _show_tables(found: RankIntervals, settings: Mapping[str, str]) -> None:
    blocks.show_heading("All intervals", *blocks.parts_of(find_neighbours(found)))
    show_table(found.intervals, name="intervals", settings=settings)
    blocks.show_heading(
        "Models that cannot be told apart",
        "The longest runs in order of rank of which no two models surely differ. They overlap: A can be level with B "
        "and B with C while A is surely ahead of C.",
    )
    show_table(found.groups, name="rank-groups", settings=settings)


def _show_making(found: RankIntervals) -> None:
    aside = (
        f"{counted(found.n_set_aside, 'model')} set aside because a task is missing"
        if found.n_set_aside
        else "no model is set aside"
    )
    blocks.show_caption(
        f"Ranks over {counted(found.n_tasks, 'task')}",
        f"{number(found.n_resamples)} bootstrap resamples, the same for every model, seed {found.seed}",
        aside,
    )
