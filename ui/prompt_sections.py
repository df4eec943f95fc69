"""The views of the prompt page: each takes the answer and draws key, picture and table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import streamlit as st

from engine.analysis.calls import calls_by_model
from engine.analysis.findings import find_readings
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.readings import Readings
from engine.analysis.references import Reference
from engine.analysis.variation import WIDE, cv_by_model
from ui import blocks, state
from ui.blocks import KeyEntry, Sentence
from ui.charts.prompt_distributions import SHORT_WORDS, Scale, model_strips, task_panels, task_strips, unlike
from ui.charts.prompt_distributions_place import place_grid, place_stack, share_strips
from ui.charts.prompt_distributions_variation import cv_strips
from ui.charts.strips import Picture
from ui.formats import counted, number, percent
from ui.prompt_selection import COMMON_AXIS
from ui.strips import show_strips
from ui.tables import show_table

if TYPE_CHECKING:
    from ui.charts.theme import Figure

CELL = "cell"
CLICKED = "_clicked_prompt"
CELL_TABLE = (
    *("model_name", "task_name", "n", "median", "reference_score", "place_share_le", "place_midrank", "call"),
    *("n_same", "n_readings", "gap_to_median", "cv", "score_range", "min", "max", "rows", "rows_expected"),
    *("published_score", "harness_gap"),
)


def cell_words(model_name: str, task_name: str) -> str:
    """A cell's name in the picker and the URL."""
    return f"{model_name} on {task_name}"


def choose_cell(model_name: str, task_name: str, prompt_id: str | None) -> None:
    """Makes the list below the picture that of one cell."""
    st.session_state[CELL] = cell_words(model_name, task_name)
    st.session_state[CLICKED] = prompt_id or ""


def cells_by_gap(answer: PromptDistributions) -> dict[str, tuple[str, str]]:
    """Model and task by the words of the picker; first the cell farthest from its median prompt."""
    ordered = answer.cells.sort(pl.col("gap_to_median").abs(), descending=True, nulls_last=True)
    return {cell_words(*pair): pair for pair in ordered.select("model_name", "task_name").iter_rows()}


def chosen_cell(answer: PromptDistributions) -> tuple[str, str]:
    """Model and task whose prompts are listed below, before their picker is drawn."""
    pairs = cells_by_gap(answer)
    asked = st.session_state.get(CELL) or next(iter(state.url_values(CELL)), "")
    return pairs.get(asked) or next(iter(pairs.values()))


def show_picture(picture: Picture, *, name: str, alt: Sentence, settings: dict[str, str], **strips: Any) -> None:
    """Draws strips with their buttons for SVG and PNG."""
    container_key = f"picture-{name}"
    with st.container(key=container_key, gap="xxsmall"):
        said = replace(picture, says=f"{blocks.sentence_text(alt)} {picture.says}")
        show_strips(said, key=f"strips-{name}", **strips)
        blocks.show_picture_downloads(container_key, name=name, alt=alt, settings=settings)


def show_call_key(answer: PromptDistributions) -> None:
    """Draws what the marks of a distribution mean."""
    low, high = (f"{number(share * 100)}th" for share in (answer.reading.low, answer.reading.high))
    reference = SHORT_WORDS[answer.reading.reference]
    entries = [
        KeyEntry("dot", "one prompt"),
        KeyEntry("band", f"{low}–{high} percentile"),
        KeyEntry("tick", "median"),
        KeyEntry("high", f"{reference} above the {high}: high (inflated)"),
        KeyEntry("typical", "within: typical"),
        KeyEntry("low", f"below the {low}: low (deflated)"),
    ]
    if answer.reading.reference is not Reference.SAME_HARNESS:
        entries.append(KeyEntry("square", "same-harness default run"))
    elif answer.cells["published_score"].count():
        entries.append(KeyEntry("ring", "published score, same rows"))
    blocks.show_key(*entries)


def show_distributions(answer: PromptDistributions, alt: Sentence, axis: str) -> None:
    """Draws the distributions: one task, one model, or small panels by task."""
    cells = answer.cells
    scale: Scale = "reference" if axis == COMMON_AXIS else "own"
    tasks, models = cells["task_name"].n_unique(), cells["model_name"].n_unique()
    if tasks == 1:
        picture, name = model_strips(answer, scale=scale), "prompts-by-model"
    elif models == 1:
        picture, name = task_strips(answer, scale=scale), "prompts-by-task"
    else:
        picture, name = task_panels(answer, scale=scale), "prompt-distributions"

    def clicked(click: dict[str, Any]) -> None:
        panel, row = click["panel"], click["row"]
        model, task = (panel, row) if name == "prompts-by-task" else (row, panel)
        choose_cell(model, task, click["prompt"])

    show_call_key(answer)
    show_picture(
        picture,
        name=name,
        alt=alt,
        settings=dict(answer.settings),
        selected=chosen_cell(answer) if name == "prompts-by-task" else chosen_cell(answer)[::-1],
        on_click=clicked,
    )
    if not picture.dots and cells["n"].sum():
        scores = counted(int(cells["n"].sum()), "prompt score")
        blocks.show_caption(f"{scores}: more than a picture can show one by one, so that bands stand for them")


def show_places(answer: PromptDistributions, alt: Sentence) -> None:
    """Draws where the reference stands: stacked by tenth, cell by cell, and how often it is high by model."""
    cells, reference = answer.cells, answer.reading.reference
    with st.container(key="reflow-places"):
        with st.container():
            called = int(cells["call"].count())
            blocks.show_heading(
                "Where does the reference stand among the prompts?",
                f"One mark per model and task ({called}). Share of prompts that score below it, ties half.",
            )
            _show_cells_figure(answer, place_stack(cells, reference, blocks.palette()), "place-stack", alt)
        with st.container():
            blocks.show_heading("… and in which cell", "Place in per cent: 100 = above every prompt.")
            _show_cells_figure(answer, place_grid(cells, reference, blocks.palette()), "place-grid", alt)
    by_model = calls_by_model(cells, high=answer.reading.high)
    blocks.show_heading(
        "How often is it high, by model?",
        "Share of tasks whose reference is called high, with Wilson's 95 % interval; dotted: what chance would give.",
    )
    show_picture(share_strips(by_model, cells), name="high-shares", alt=alt, settings=dict(answer.settings))


def _show_cells_figure(answer: PromptDistributions, figure: Figure, name: str, alt: Sentence) -> None:
    def clicked() -> None:
        points = st.session_state[f"figure-{name}"].selection.points
        if points and (cell := points[0].get("customdata")):
            choose_cell(cell[0], cell[1], None)

    blocks.show_figure(figure, name=name, alt=alt, settings=answer.settings, selectable=True, on_select=clicked)


def show_variation(answer: PromptDistributions, alt: Sentence) -> None:
    """Draws the coefficient of variation of each model over its tasks."""
    blocks.show_heading(
        "How much do scores vary over prompts?",
        f"Coefficient of variation over prompts, one dot per task; tasks from {percent(WIDE, 0)} on are named.",
    )

    def clicked(click: dict[str, Any]) -> None:
        if click["prompt"]:
            choose_cell(click["row"], click["prompt"], None)

    show_picture(cv_strips(answer.cells), name="variation", alt=alt, settings=dict(answer.settings), on_click=clicked)
    show_table(cv_by_model(answer.cells), name="variation", settings=answer.settings)


def show_cells_table(answer: PromptDistributions, readings: Readings) -> None:
    """Draws the table behind the pictures, one row per model and task, and what was left out of it."""
    blocks.show_heading("All cells", *blocks.parts_of(find_readings(readings)))
    counts = readings.cells.select("model_name", "task_name", "n_same", "n_readings")
    cells = answer.cells.join(counts, on=["model_name", "task_name"], how="left")
    show_table(cells, name="prompt-cells", settings=answer.settings, columns=CELL_TABLE)
    if not answer.left_out.is_empty():
        blocks.show_heading("Left out", f"{counted(len(answer.left_out), 'model and task pair')} cannot be compared.")
        show_table(answer.left_out, name="left-out", settings=answer.settings)


def show_provenance(answer: PromptDistributions) -> None:
    """Draws the caption: snapshot, source, how many prompts and runs, what is missing, what is mixed."""
    cells = answer.cells
    missing = int(cells["n_incomplete"].sum())
    blocks.show_caption(
        f"Snapshot {answer.settings['snapshot']} · {answer.settings['source']}",
        counted(answer.prompts.height, "prompt"),
        counted(answer.scores.height, "run"),
        f"{counted(missing, 'run')} without a score on these rows" if missing else "none missing",
        "the reference is not counted among the prompts",
        *(note.rstrip(".") for note in answer.notes),
        "† prompts are off-label: the model was trained with fixed prefixes" if cells["off_label"].any() else "",
        "≠ reference and prompts ran under unlike conditions" if any(map(unlike, cells.iter_rows(named=True))) else "",
        "scores × 100",
    )
