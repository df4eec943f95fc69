"""What a visitor asks of the prompt distributions: widgets in, one frozen question out; all of it lives in the URL."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from engine.analysis.references import Reference
from engine.answers.prompt_distributions import PromptOptions, PromptQuestion
from ui import blocks, reads, state
from ui.formats import count, counted
from ui.selectors import pick_many, pick_number, pick_one, pick_text, pick_view

DISTRIBUTIONS, PLACE, VARIATION, KINDS = "Distributions", "Place of the reference", "Variation", "Kinds of prompt"
VIEWS = (DISTRIBUTIONS, PLACE, VARIATION, KINDS)
OWN_AXIS, COMMON_AXIS = "own axis", "points from the reference"
EVERY_SOURCE = "every other source"
EXCLUDED = "exclude-prompt"
MOST_CELLS = 1_000
"""Pairs of model and task that are shown where nobody chose tasks: the page answers in seconds then."""


@dataclass(frozen=True)
class PromptSelection:
    """The question to the engine, and how its answer is looked at."""

    question: PromptQuestion
    view: str
    scale: str


def pick_selection(sources: list[str]) -> PromptSelection:
    """The selection from the row of widgets; `sources` are those with prompt experiments, at least one."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        view = pick_view("View", VIEWS, parameter="view")
        scale = pick_view("Scale", (OWN_AXIS, COMMON_AXIS), parameter="scale") if view == DISTRIBUTIONS else OWN_AXIS
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=190):
            source = pick_one("Source", sources, parameter="source")
        options = reads.prompt_options(source)
        with st.container(width=250):
            tasks = pick_many("Tasks", options.tasks, parameter="task", placeholder=f"all {len(options.tasks)}")
        with st.container(width=250):
            models = pick_many("Models", options.models, parameter="model", placeholder=f"all {len(options.models)}")
        with st.container(width=190):
            kinds = [kind.value for kind in Reference]
            reference = Reference(pick_one("Reference", kinds, parameter="reference", help=_REFERENCE))
        asked = tasks or few_enough(options.tasks, len(models or options.models))
        question = PromptQuestion(source, tasks=asked, models=models, reference=reference)
        with st.container(width="content"), st.popover("Adjust", icon=":material/tune:", width="content"):
            question = _adjusted(question, options)
    if asked != tasks:
        n_cells = count(len(options.tasks) * len(models or options.models))
        shown = f"{counted(len(asked), 'task')} of {count(len(options.tasks))}"
        blocks.show_note(
            f"{n_cells} pairs of model and task are too many for one view: {shown} are shown. Choose tasks."
        )
    return PromptSelection(question, view, scale)


def few_enough(tasks: tuple[str, ...], n_models: int) -> tuple[str, ...]:
    """The first tasks, as many as make a view that is quick; none, which means all, where all of them do."""
    most = max(1, MOST_CELLS // max(1, n_models))
    return () if len(tasks) <= most else tasks[:most]


_REFERENCE = (
    "What the prompts are compared with: the default run of the same harness, or a published score, "
    "over the rows it shares with the prompts, or over all its rows."
)


def _adjusted(question: PromptQuestion, options: PromptOptions) -> PromptQuestion:
    """The question with which prompts and rows count, and from where on a reference is called high or low."""
    published = [EVERY_SOURCE, *options.published]
    excluded = state.url_values(EXCLUDED)
    if excluded and st.button(f"Put {counted(len(excluded), 'prompt')} back", key="put-back"):
        exclude_prompts(())
        st.rerun()
    left, right = st.columns(2)
    with left:
        question = replace(
            question,
            prompts=pick_one("Prompts", ["shared", "all"], parameter="prompts", help="shared: run by every model"),
            kinds=pick_many("Kind", options.kinds, parameter="kind"),
            generators=pick_many("Written by", options.generators, parameter="generator"),
            search=pick_text("Text contains", parameter="search"),
            exclude_prompts=excluded,
        )
    with right:
        return replace(
            question,
            exclude_tasks=pick_many("Leave out tasks", options.tasks, parameter="exclude-task", placeholder="none"),
            rows=pick_one("Rows", ["study", *options.benchmarks], parameter="rows", help="study: rows in every run"),
            published=pick_one("Published scores from", published, parameter="published").replace(EVERY_SOURCE, ""),
            low=pick_number("Low: below this share", 0.1, parameter="low"),
            high=pick_number("High: above this share", 0.9, parameter="high"),
        )


def exclude_prompts(prompt_ids: tuple[str, ...]) -> None:
    """Keeps in the URL which prompts are ticked out; none clears it."""
    if prompt_ids:
        st.query_params[EXCLUDED] = list(prompt_ids)
    elif EXCLUDED in st.query_params:
        del st.query_params[EXCLUDED]
