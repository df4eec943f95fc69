"""Pieces that several views of the leaderboard share: settings, colours, clicks that choose, boards side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from engine.analysis.prompt_selection import Choice, SelectionRule
from engine.analysis.ranking import Aggregate
from engine.answers.leaderboard import in_words
from ui import blocks, reads
from ui.blocks import Sentence
from ui.charts.leaderboard_simulator import MOST_SLOPES, Movement, slopes
from ui.charts.leaderboard_simulator_rows import MOST_ROWS, board_rows, shown_rows
from ui.leaderboard_selection import (
    DRAWS,
    INTERVALS,
    NUMBERS,
    RANKS,
    REAL_BOARD,
    ROBUST,
    SCENARIO,
    SWITCHES,
    TARGET,
    LeaderboardSelection,
)

if TYPE_CHECKING:
    from ui.charts.theme import Figure

WHAT_POINTS_ARE = {
    Aggregate.BORDA: "Borda points: on each task one for every model beaten, half for a tie.",
    Aggregate.MEAN_TASK: "the mean score over tasks, × 100.",
    Aggregate.MEAN_TASK_TYPE: "the mean over task types of their mean scores, × 100.",
}

ALWAYS = (
    *("snapshot", "source", "benchmark", "task", "exclude-task", "task-type", "model", "prompts"),
    *("aggregate", "missing"),
)
PLAYING = {
    SCENARIO: ("scenario", "target", "candidates", "equal-n"),
    DRAWS: ("target", "drawing", "seed"),
    SWITCHES: ("target", "equal-n"),
    ROBUST: ("target",),
    NUMBERS: ("drawing", "seed"),
    REAL_BOARD: ("target", "seed"),
    INTERVALS: ("seed",),
    RANKS: (),
}
"""Settings that play a part in a view beside those that always do."""


def settings_of(selection: LeaderboardSelection) -> dict[str, str]:
    """The question in words, with the snapshot, for downloads; what plays no part in the view is left out."""
    question, view = selection.question, selection.view
    words = in_words(question, reads.snapshot().snapshot_id)
    told = {"view": view} | {key: value for key, value in words.items() if key in (*ALWAYS, *PLAYING[view])}
    if view == INTERVALS:
        told |= {"level": f"{question.level:g}", "over": question.over.value, "resamples": str(question.resamples)}
    if view == REAL_BOARD:
        told |= {"published": question.published}
    if question.choices:
        told["choices"] = "; ".join(f"{model}: {_choice_words(choice)}" for model, choice in question.choices)
    return told


def _choice_words(choice: Choice) -> str:
    ids = " ".join(choice.prompt_ids)
    quantile = f" {choice.quantile:g}" if choice.rule is SelectionRule.QUANTILE else ""
    return f"{choice.rule.value}{quantile} {ids}".strip()


def model_colours(models: Sequence[str], target: str) -> dict[str, str]:
    """A colour for each model, the same on every page; beyond seven models all but the target are grey."""
    shown = blocks.palette()
    chosen = models if len(models) <= len(shown.models) else [target]
    return dict.fromkeys(models, shown.other_model) | shown.model_colours(chosen, reads.model_names())


def show_choosing_figure(
    figure: Figure,
    *,
    name: str,
    alt: Sentence,
    settings: Mapping[str, str],
    parameter: str,
    chosen_of: Callable[[object], str] = str,
) -> None:
    """Draws a figure whose marks carry `customdata`: a click puts what `chosen_of` makes of it into a picker."""

    def clicked() -> None:
        points = st.session_state[f"figure-{name}"].selection.points
        if points and (data := points[0].get("customdata")) is not None:
            st.session_state[parameter] = chosen_of(data[0] if isinstance(data, list | tuple) else data)

    blocks.show_figure(figure, name=name, alt=alt, settings=settings, selectable=True, on_select=clicked)


def show_movement(movement: Movement, name: str, alt: Sentence, settings: Mapping[str, str]) -> None:
    """Draws boards beside each other as slopes, or as rows where there is one board or too many models."""
    boards, target = movement.boards, movement.target
    colour = model_colours(list(boards[0].points), target).get(target, blocks.palette().other_model)
    as_rows = len(boards) == 1 or len(boards[-1].points) > MOST_SLOPES
    axis = f"{'Along' if as_rows else 'Height'} = {WHAT_POINTS_ARE[movement.aggregate]}"
    if as_rows:
        figure = board_rows(movement, shown_rows(movement), {target: colour}, blocks.palette())
        marks = "Dot: points." if len(boards) == 1 else f"Ring: {boards[0].title.lower()}; dot: the end."
    else:
        figure = slopes(movement, colour, blocks.palette())
        marks = "Bold: rank; grey: points."
    blocks.show_heading("How the ranks stand" if len(boards) == 1 else "How the ranks move", f"{axis} {marks}")
    show_choosing_figure(figure, name=name, alt=alt, settings=settings, parameter=TARGET)
    if as_rows and len(boards[-1].points) > MOST_ROWS:
        blocks.show_caption(f"The {MOST_ROWS} models around the target are drawn; the table has all.")
