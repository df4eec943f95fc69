"""What a visitor asks of the leaderboard: widgets in, one frozen question out; all of it lives in the URL."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.leaderboard_simulator import SCENARIO_TITLES, Scenario
from engine.analysis.prompt_selection import Candidates
from engine.analysis.rank_probabilities import Drawing
from engine.analysis.ranking import Aggregate, Missing
from engine.analysis.resampling import Over
from engine.answers import leaderboard_views as views
from engine.answers.leaderboard import LeaderboardOptions, LeaderboardQuestion
from ui import blocks, reads, state
from ui.leaderboard_choices import pick_choices
from ui.selectors import pick_data, pick_many, pick_named, pick_one, pick_view

SCENARIO, DRAWS, SWITCHES, ROBUST, NUMBERS, REAL_BOARD, INTERVALS = (
    "Scenario",
    "Rank probabilities",
    "Fewest switches",
    "Robust ranks",
    "How many prompts",
    "On the real board",
    "Rank intervals",
)
RANKS = "Ranks"
PROMPT_VIEWS = (SCENARIO, DRAWS, SWITCHES, ROBUST, NUMBERS, REAL_BOARD, INTERVALS)
PUBLISHED_VIEWS = (RANKS, INTERVALS)
WITHOUT_TARGET = (NUMBERS, INTERVALS, RANKS)
SHARED, ALL, EQUAL_N = "shared", "all", "all, equal n"
STUDY = "every task of the source"
TARGET, BOARD = "target", "board"
"""The real board is a benchmark of its own: choosing it must not change the rows of the other views."""
DRAWINGS = {Drawing.INDEPENDENT.value: "each model its own prompt", Drawing.SAME.value: "one prompt for all"}
RESAMPLED = {Over.BOTH.value: "tasks and prompts", Over.TASKS.value: "tasks", Over.PROMPTS.value: "prompts"}
LEVELS = ("0.95", "0.9", "0.99")
CANDIDATES = {Candidates.PROMPTS.value: "prompts", Candidates.PROMPTS_AND_DEFAULT.value: "prompts and default"}
AGGREGATES = {
    Aggregate.BORDA.value: "Borda",
    Aggregate.MEAN_TASK.value: "mean over tasks",
    Aggregate.MEAN_TASK_TYPE.value: "mean over task types",
}


@dataclass(frozen=True)
class LeaderboardSelection:
    """The question to the engine, and how its answer is looked at."""

    question: LeaderboardQuestion
    view: str
    pins: tuple[str, ...] = ()
    """models that stand out among many"""


def pick_selection(sources: tuple[str, ...]) -> LeaderboardSelection:
    """The selection from the rows of widgets; `sources` are those that hold a leaderboard, at least one."""
    state.keep(TARGET, BOARD, "scenario", "drawing", "pin", "level", "over", "published")
    view_row, filter_row, scenario_row = st.container(), _row(), st.container()
    with filter_row, st.container(width=200):
        source = pick_one("Source", sources, parameter="source")
    options = reads.leaderboard_options(source)
    question = LeaderboardQuestion(source=source)
    pins: tuple[str, ...] = ()
    with view_row:
        view = pick_view("View", PROMPT_VIEWS if options.has_prompts else PUBLISHED_VIEWS, parameter="view")
    if view == SCENARIO:
        with scenario_row:
            question = replace(question, scenario=_pick_scenario())
    with filter_row:
        if not options.has_prompts:
            with st.container(width=260):
                question = replace(question, benchmark=pick_one("Benchmark", options.benchmarks, parameter="benchmark"))
        # The order of targets depends on what is adjusted, so that their picker is filled last.
        target_place = st.container(width=300) if view not in WITHOUT_TARGET else None
        question = _pick_for_view(question, view, options)
        if view in (INTERVALS, RANKS):
            with st.container(width=300):
                pins = pick_many("Pinned models", options.models, parameter="pin", placeholder="none")
        with st.container(width="content"), st.popover("Adjust", icon=":material/tune:", width="content"):
            question = _adjusted(question, options, view)
    if target_place:
        with target_place:
            question = replace(question, target=_pick_target(question))
    if question.scenario is Scenario.CUSTOM:
        with filter_row, st.container(width="content"):
            question = replace(question, choices=pick_choices(question, options.models))
    return LeaderboardSelection(question, view, pins)


def _row() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def without_target(question: LeaderboardQuestion) -> LeaderboardQuestion:
    """The question without what only the view of scenarios asks: answers that do not depend on it are kept once."""
    return replace(question, target="", scenario=Scenario.DEFAULT, choices=())


def _pick_target(question: LeaderboardQuestion) -> str:
    """The model whose movement is told; offered first is the one that the others' worst prompts carry farthest."""
    every = reads.leaderboard(views.every_target, without_target(question))
    best_vs_worst = every.filter(pl.col("scenario") == Scenario.BEST_VS_WORST.value)
    ordered = best_vs_worst.sort("ranks_gained", "rank_default", descending=True, nulls_last=True)
    return pick_one("Target", ordered["target_model_name"].to_list(), parameter=TARGET)


def _pick_scenario() -> Scenario:
    titles = {scenario.value: title for scenario, title in SCENARIO_TITLES.items()}
    default = Scenario.BEST_VS_WORST.value
    return Scenario(pick_named("Scenario", titles, parameter="scenario", default=default))


def _pick_for_view(question: LeaderboardQuestion, view: str, options: LeaderboardOptions) -> LeaderboardQuestion:
    """The question with what only this view asks."""
    if view in (DRAWS, NUMBERS):
        usual = Drawing.SAME if view == NUMBERS else Drawing.INDEPENDENT
        drawing = pick_named("Drawing", DRAWINGS, parameter="drawing", default=usual.value)
        return replace(question, drawing=Drawing(drawing))
    if view == INTERVALS:
        with st.container(width=110):
            question = replace(question, level=float(pick_one("Level", LEVELS, parameter="level")))
        if options.has_prompts:
            question = replace(question, over=Over(pick_named("Drawn anew", RESAMPLED, parameter="over")))
    if view == REAL_BOARD and (boards := reads.published_boards(question.source)):
        with st.container(width=200):
            published = pick_one("Published results", list(boards), parameter="published")
        with st.container(width=260):
            benchmark = pick_one("Benchmark", boards[published], parameter=BOARD)
        return replace(question, published=published, benchmark=benchmark)
    return question


def _adjusted(question: LeaderboardQuestion, options: LeaderboardOptions, view: str) -> LeaderboardQuestion:
    """The question with what models choose among, on which tasks, and how they are ranked."""
    left, right = st.columns(2, gap="medium")
    with left:
        if options.has_prompts:
            question = _adjusted_pool(question)
        question = _adjusted_ranking(question)
    with right:
        return _adjusted_tasks(question, options, view)


def _adjusted_tasks(question: LeaderboardQuestion, options: LeaderboardOptions, view: str) -> LeaderboardQuestion:
    if options.has_prompts and options.benchmarks and view != REAL_BOARD:
        rows = pick_one("Rows", [STUDY, *options.benchmarks], parameter="benchmark")
        blocks.show_caption("A benchmark keeps its tasks, and of each the rows that it averages.")
        question = replace(question, benchmark="" if rows == STUDY else rows)
    task_types = pick_many("Task types", options.task_types, parameter="task-type")
    tasks = pick_many("Tasks", options.tasks, parameter="task")
    excluded = pick_many("Leave out tasks", options.tasks, parameter="exclude-task", placeholder="none")
    blocks.show_caption("A rank is a rank on these tasks: on others it can be another.")
    if not options.has_prompts:
        question = replace(question, data=pick_data())
    return replace(question, task_types=task_types, tasks=tasks, exclude_tasks=excluded)


def _adjusted_pool(question: LeaderboardQuestion) -> LeaderboardQuestion:
    candidates = pick_named("Best and worst are picked from", CANDIDATES, parameter="candidates")
    blocks.show_caption("With the default among them, picking the best can never cost a model points.")
    prompts = pick_view("Prompts", (SHARED, ALL, EQUAL_N), parameter="prompts")
    blocks.show_caption(
        "The best of many tries is higher than the best of few. shared: prompts that every model ran on the task; all: "
        "whatever each ran; equal n: the best to be expected of as many as the model with fewest has."
    )
    return replace(
        question,
        candidates=Candidates(candidates),
        prompts=SHARED if prompts == SHARED else ALL,
        equal_n=prompts == EQUAL_N,
    )


def _adjusted_ranking(question: LeaderboardQuestion) -> LeaderboardQuestion:
    aggregate = Aggregate(pick_named("Ranked by", AGGREGATES, parameter="aggregate"))
    blocks.show_caption(
        "Borda, as MTEB ranks: on each task a point for every model beaten, half for a tie. Means ask for every task."
    )
    question = replace(question, aggregate=aggregate)
    if aggregate is not Aggregate.BORDA:
        return question
    missing = pick_view("A missing task", [rule.value for rule in Missing], parameter="missing")
    blocks.show_caption(
        "zero, MTEB’s rule: no points, and all who have it are ahead. present: points among those who have it. "
        "complete: only models with every task are ranked."
    )
    return replace(question, missing=Missing(missing))
