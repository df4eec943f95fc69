"""Views of what a single model can do: on how few tasks it must leave its default, and its range on the real board."""

from __future__ import annotations

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.choice_findings import find_freedom, find_switches
from engine.answers import leaderboard_views as views
from ui import blocks, reads
from ui.charts.leaderboard_simulator_freedom import freedom_bars
from ui.charts.leaderboard_simulator_switches import switch_grid
from ui.formats import counted, label, number, percent
from ui.leaderboard_parts import model_colours, settings_of, show_choosing_figure
from ui.leaderboard_selection import TARGET, LeaderboardSelection, without_target
from ui.tables import show_table

SWITCHED = ("set_number", "task_name", "default_score", "score", "change", "prompt_text")


def show_switches(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws on which tasks each model must leave its default, and the prompts that do it for the target."""
    question = selection.question
    found = reads.leaderboard(views.fewest_switches, without_target(question))
    sentence, settings = blocks.parts_of(find_switches(found, question.target)), settings_of(selection)
    with finding:
        blocks.show_finding(*sentence)
    blocks.show_heading(
        "On which tasks must a model leave its default?",
        "Dot: in every smallest set of tasks that brings it its best attainable rank; ring: in some of them. "
        "The others keep their default.",
    )
    figure = switch_grid(found.targets, found.switches, question.target, blocks.palette())
    show_choosing_figure(figure, name="switches", alt=sentence, settings=settings, parameter=TARGET)
    own = found.switches.filter(pl.col("model_name") == question.target)
    if not own.is_empty():
        texts = reads.board(question).prompts.select("task_name", "prompt_id", "prompt_text")
        sets = counted(own["set_number"].n_unique(), "smallest set")
        blocks.show_heading(f"The switches of {label(question.target)}", f"{sets}; any one of them is enough.")
        show_table(
            own.join(texts, on=["task_name", "prompt_id"], how="left"),
            name="switches",
            settings=settings,
            columns=SWITCHED,
            configs={"prompt_text": st.column_config.TextColumn("prompt", width="large")},
        )
    blocks.show_heading("All models")
    show_table(found.targets, name="switch-targets", settings=settings)
    if not found.targets["is_exact"].drop_nulls().all():
        blocks.show_caption(
            "Where more than 16 tasks help, the number is that of a greedy search, and no set can be smaller than the "
            "bound beside it"
        )


def show_real_board(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws the ranks that the choice of prompt alone gives the target on a published leaderboard."""
    question = selection.question
    if not question.published:
        with finding:
            blocks.show_finding("No source of published results covers a benchmark, so there is no real board.")
        blocks.show_empty(
            "Published results: not in this snapshot",
            "Published results of MTEB, added as a source, are the board that a model’s prompts are tried on.",
            command="python -m engine fetch mteb-results",
        )
        return
    found = reads.prompt_freedom(question)
    sentence, settings = blocks.parts_of(find_freedom(found)), settings_of(selection)
    with finding:
        blocks.show_finding(*sentence)
        blocks.show_note(
            "Prompt experiments enter a published leaderboard here, and only here: the rows of one model are replaced "
            "by its own prompt runs, everything else stays as published."
        )
    if found.tasks.is_empty() or found.ranks["rank"].null_count():
        return
    blocks.show_heading(
        f"Where {label(question.target)} could stand among {number(found.n_models)} models",
        f"Bars: share of {number(found.n_draws)} draws of one prompt per replaced task in which it takes the rank. "
        "Band: from its best to its worst prompts. Ring: published. Tick: median prompts.",
    )
    colour = model_colours([question.target], question.target)[question.target]
    blocks.show_figure(freedom_bars(found, colour, blocks.palette()), name="freedom", alt=sentence, settings=settings)
    show_table(found.ranks, name="freedom-ranks", settings=settings)
    blocks.show_heading(
        "The replaced tasks",
        f"{counted(len(found.tasks), 'task')} of {number(found.n_tasks)}; prompts count on the rows that both have, "
        "the other rows of a task stay as published.",
    )
    show_table(found.tasks, name="freedom-tasks", settings=settings)
    replaced = percent(len(found.tasks) / found.n_tasks, 0)
    blocks.show_caption(f"{replaced} of the tasks are replaced", f"seed {found.seed}")
