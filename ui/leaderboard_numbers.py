"""The view of how many prompts are enough: agreement and error against prompts a task, and a rule to adopt."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.choice_findings import find_prompt_numbers, rule_to_adopt
from engine.analysis.robust_leaderboard import PromptNumbers
from engine.answers import leaderboard_views as views
from ui import blocks, reads
from ui.charts.leaderboard_simulator_numbers import agreement_curves, median_errors
from ui.formats import number
from ui.leaderboard_parts import settings_of, show_choosing_figure
from ui.leaderboard_selection import LeaderboardSelection, without_target
from ui.selectors import pick_one
from ui.tables import show_table

CHOSEN = "k"
USUAL = 15
"""So many prompts a task are marked until the visitor chooses another number."""


def show_numbers(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws both curves with the chosen number of prompts marked, the sentence to adopt, and the table."""
    question = selection.question
    found = reads.leaderboard(views.prompt_numbers, without_target(question))
    tried = [str(k) for k in found.numbers["k"]]
    chosen = 0
    if tried:
        with st.container(width=160):
            chosen = int(pick_one("Prompts a task", tried, parameter=CHOSEN, default=_usual(found)))
    sentence = blocks.parts_of(find_prompt_numbers(found, chosen))
    with finding:
        blocks.show_finding(*sentence)
    if not tried:
        return
    settings = {**settings_of(selection), "k": str(chosen)}
    with st.container(key="reflow-numbers"):
        with st.container():
            blocks.show_heading(
                "Does a leaderboard of few prompts agree with that of all?",
                f"Share of {number(found.n_draws)} draws with the same first place, and with the same rank for every "
                "model. A click chooses the number of prompts.",
            )
            figure = agreement_curves(found.numbers, chosen, blocks.palette())
            show_choosing_figure(
                figure, name="agreement", alt=sentence, settings=settings, parameter=CHOSEN, chosen_of=_whole
            )
        with st.container():
            blocks.show_heading(
                "How far is a median of few prompts from that of all?",
                "In points, over all models and tasks: line = mean, shade = up to the 95th percentile.",
            )
            figure = median_errors(found.numbers, chosen, blocks.palette())
            blocks.show_figure(figure, name="median-errors", alt=sentence, settings=settings)
    blocks.show_heading("A rule that a benchmark could adopt", "With what it is worth on these prompts and tasks.")
    st.code(rule_to_adopt(found, chosen, question.source), language=None, wrap_lines=True)
    show_table(found.numbers, name="prompt-numbers", settings=settings)
    blocks.show_caption(
        f"{number(found.n_draws)} draws without replacement, seed {found.seed}",
        f"{number(found.n_prompts)} prompts on the task that has fewest: with all of them the agreement is complete "
        "by construction",
    )


def _usual(found: PromptNumbers) -> str:
    at_most = [k for k in found.numbers["k"] if k <= USUAL]
    return str(at_most[-1] if at_most else found.numbers["k"][0])


def _whole(k: object) -> str:
    return str(int(float(str(k))))
