"""The view of scenarios: the movement, every model as the target, the leaderboard, and what the target picked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.leaderboard_findings import find_movement
from engine.analysis.leaderboard_simulator import Scenario, ScenarioLeaderboard
from engine.analysis.prompt_selection import SelectionRule
from engine.answers import leaderboard_views as views
from engine.answers.leaderboard import LeaderboardQuestion
from ui import blocks, reads
from ui.blocks import Sentence
from ui.charts.leaderboard_simulator import movement_of
from ui.charts.leaderboard_simulator_targets import MOST_LADDERS, STEP_WORDS, target_ladders
from ui.formats import counted, label
from ui.leaderboard_parts import model_colours, settings_of, show_choosing_figure, show_movement
from ui.leaderboard_selection import TARGET, LeaderboardSelection, without_target
from ui.prompt_list import show_best_prompt
from ui.selectors import pick_one
from ui.tables import show_table

LEADERBOARD = (
    *("rank", "model_name", "borda_points", "mean_task", "mean_task_type"),
    *("rank_default", "ranks_gained", "models_sharing_rank"),
)
PICKED = ("task_name", "task_type", "default_score", "score", "change", "prompt_text")
DEFAULT_TAKEN = "(its default)"
EMPTY_PROMPT = "(the empty prompt)"


def show_scenario(selection: LeaderboardSelection, finding: DeltaGenerator) -> None:
    """Draws the movement beside every other target's, the leaderboard, and the prompts that were picked."""
    question = selection.question
    answer = reads.leaderboard(views.simulate, question)
    sentence, settings = blocks.parts_of(find_movement(answer)), settings_of(selection)
    with finding:
        blocks.show_finding(*sentence)
    with st.container(key="wide-scenario"):
        with st.container():
            show_movement(movement_of(answer), "movement", sentence, settings)
        with st.container():
            _show_targets(question, sentence, settings)
    blocks.show_heading("The leaderboard of this scenario")
    show_table(answer.ranks, name="leaderboard", settings=settings, columns=LEADERBOARD)
    if answer.scenario is not Scenario.DEFAULT:
        _show_picked(question, answer, settings)


def _show_targets(question: LeaderboardQuestion, alt: Sentence, settings: Mapping[str, str]) -> None:
    targets = reads.leaderboard(views.every_target, without_target(question))
    models = targets["target_model_name"].unique(maintain_order=True).to_list()
    steps = " · ".join(f"{letter} {words}" for letter, words in STEP_WORDS.items())
    blocks.show_heading("Every model as the target", f"Its rank when {steps}.")
    if len(models) <= MOST_LADDERS:
        figure = target_ladders(targets, model_colours(models, question.target), question.target, blocks.palette())
        show_choosing_figure(figure, name="targets", alt=alt, settings=settings, parameter=TARGET)
    else:
        ranks = targets.pivot(on="scenario", index="target_model_name", values="rank")
        show_table(ranks, name="targets", settings=settings)


def _show_picked(question: LeaderboardQuestion, answer: ScenarioLeaderboard, settings: Mapping[str, str]) -> None:
    texts = reads.board(question).prompts.select("task_name", "prompt_id", "prompt_text")
    text = pl.col("prompt_text").replace("", EMPTY_PROMPT)
    taken = pl.when("takes_default").then(pl.lit(DEFAULT_TAKEN)).otherwise(text)
    every = answer.chosen.join(texts, on=["task_name", "prompt_id"], how="left").with_columns(prompt_text=taken)
    own = every.filter(pl.col("model_name") == question.target)
    picks_best = own["selection_rule"][0] == SelectionRule.BEST.value
    flatters = (
        "They were picked on the very scores shown, so these flatter: what a choice gains elsewhere stands below."
    )
    blocks.show_heading(
        f"What {label(question.target)} picked",
        f"One row per task ({counted(len(own), 'task')}), the largest change first. ",
        flatters if picks_best else "",
    )
    prompt = {"prompt_text": st.column_config.TextColumn("prompt", width="large")}
    ordered = own.sort("change", descending=True, nulls_last=True)
    show_table(ordered, name="picked", settings=settings, columns=PICKED, configs=prompt)
    with st.expander("What every model picked"):
        columns = ("model_name", "selection_rule", *PICKED)
        show_table(every, name="picked-by-all", settings=settings, columns=columns, configs=prompt)
    if picks_best and not question.equal_n:
        _show_disclosure(question)


def _show_disclosure(question: LeaderboardQuestion) -> None:
    best = reads.best_prompts(replace(question.prompt_question, models=(question.target,)))
    if best.is_empty():
        return
    with st.container(width=420):
        task = pick_one("Task", best["task_name"].to_list(), parameter="disclose")
    show_best_prompt(best.filter(pl.col("task_name") == task).row(0, named=True))
