"""The view of kinds: which kinds of prompt score higher, which hold scores still, and who wrote the better ones."""

from __future__ import annotations

import polars as pl
import streamlit as st

from engine.analysis.places import LEAST_PROMPTS
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_sets import Authorship
from engine.analysis.variation import KindSpread, compare_authors, prompt_matrix, spread_by_kind
from engine.analysis.variation_findings import find_authors
from ui import blocks
from ui.blocks import KeyEntry, Sentence
from ui.charts.prompt_distributions import model_order, task_order
from ui.charts.prompt_distributions_heat import MOST_ROWS, prompt_heat
from ui.charts.prompt_distributions_kinds import author_panels, kind_cv_strips, kind_panels, prompt_kind_panels
from ui.formats import percent
from ui.prompt_sections import show_picture
from ui.selectors import pick_one
from ui.tables import show_table

LEAST_IN_KIND = LEAST_PROMPTS
"""Kinds with fewer prompts say little of how still scores hold."""


def show_kinds(answer: PromptDistributions, alt: Sentence) -> None:
    """Draws kinds against each other, CV within kinds, prompts × models, and generated against handwritten."""
    if answer.prompts["prompt_kind"].n_unique() < 2:
        blocks.show_empty("One kind of prompt", "Spread between kinds needs prompts of two kinds or more.")
    else:
        _show_kinds(answer, spread_by_kind(answer.scores, answer.prompts), alt)
    _show_heat(answer, alt)
    _show_authors(answer, alt)


def _show_kinds(answer: PromptDistributions, spread: KindSpread, alt: Sentence) -> None:
    one_task = answer.cells["task_name"].n_unique() == 1
    share = spread.cells["between_share"].median()
    between = percent(share, 0) if isinstance(share, float) else "an unknown part"
    blocks.show_heading(
        "Which kinds of prompt score higher?",
        "One dot per prompt, tick = median of the kind. " if one_task else
        "One dot per task: mean of the kind, in points from the model's median prompt; tick = mean over tasks. ",
        f"In the median cell the kind explains {between} of the variance over prompts.",
    )  # fmt: skip
    picture = prompt_kind_panels(answer) if one_task else kind_panels(spread.kinds, answer.cells)
    show_picture(picture, name="kinds", alt=alt, settings=dict(answer.settings))
    blocks.show_heading(
        "Do scores hold still within one kind?",
        f"Coefficient of variation within each kind of {LEAST_IN_KIND} prompts or more, and over all prompts (square); "
        "the cells that vary most.",
    )
    steady = spread.kinds.filter(pl.col("n") >= LEAST_IN_KIND, pl.col("cv").is_not_null())
    if steady.is_empty():
        blocks.show_text(f"Not measured yet: no kind has {LEAST_IN_KIND} prompts or more on one task.")
    else:
        blocks.show_key(KeyEntry("dot", "prompts of one kind"), KeyEntry("square", "all prompts"))
        show_picture(kind_cv_strips(steady, answer.cells), name="kind-cv", alt=alt, settings=dict(answer.settings))
    show_table(spread.kinds, name="kinds", settings=answer.settings)


def _show_heat(answer: PromptDistributions, alt: Sentence) -> None:
    tasks = task_order(answer.cells)
    blocks.show_heading(
        "Does one prompt suit every model?",
        "Figure: score. Colour: place of the prompt among the model's prompts, faint = worst, strong = best. "
        "Rows from the best prompt on average to the worst.",
    )
    with st.container(width=420):
        task = tasks[0] if len(tasks) == 1 else pick_one("Task of this picture", tasks, parameter="heat-task")
    matrix = prompt_matrix(answer.scores, answer.prompts, task)
    figure = prompt_heat(matrix, model_order(answer.cells), blocks.palette())
    blocks.show_figure(figure, name="prompt-heat", alt=alt, settings={**answer.settings, "task": task})
    if matrix["place"].max() is not None and matrix["prompt_id"].n_unique() > MOST_ROWS:
        blocks.show_caption(f"The first {MOST_ROWS} of {matrix['prompt_id'].n_unique()} prompts are drawn.")


def _show_authors(answer: PromptDistributions, alt: Sentence) -> None:
    authors = compare_authors(answer.scores, answer.prompts)
    blocks.show_heading("Are generated prompts like handwritten ones?", *blocks.parts_of(find_authors(authors)))
    both = (
        authors.filter(pl.col("authorship") != Authorship.NOT_RECORDED.value)
        .group_by("model_name").agg(pl.col("authorship").n_unique())
        .filter(pl.col("authorship") > 1)["model_name"].to_list()
    )  # fmt: skip
    if both:
        models = [model for model in model_order(answer.cells) if model in both]
        show_picture(author_panels(answer, models), name="authors", alt=alt, settings=dict(answer.settings))
        show_table(authors.filter(pl.col("model_name").is_in(both)), name="authors", settings=answer.settings)
        return
    recorded = ", ".join(authors["authorship"].unique().sort())
    blocks.show_text(
        *blocks.not_measured("Generated against handwritten", how="no model here ran both. "),
        f"Authors of the prompts shown: {recorded}. Prompts = all, under Adjust, adds those that not every model ran; "
        "a prompt file names the authors of prompts whose author is not recorded.",
    )
