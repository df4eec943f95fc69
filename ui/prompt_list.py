"""The prompts of one cell from worst to best, as they are, and what must be said when the best one is copied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from engine.analysis.best_prompts import Choice, disclosure, rank_prompts
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.readings import Readings
from ui import blocks, state
from ui.blocks import Sentence, Strong
from ui.charts.prompt_distributions import remark
from ui.formats import counted, label, of, points, signed_points
from ui.prompt_sections import CELL, CLICKED, cell_words, cells_by_gap
from ui.prompt_selection import EXCLUDED, exclude_prompts
from ui.selectors import pick_one
from ui.tables import show_table

NEAR_DUPLICATE = "near-duplicate of another"
LIST_COLUMNS = ("rank", "score", "prompt_text", "prompt_kind", "generators", "remark")


def show_prompt_list(answer: PromptDistributions, best_prompts: pl.DataFrame, readings: Readings) -> None:
    """Draws picker, list and copy note of one cell."""
    pairs = cells_by_gap(answer)
    place = st.container(key="cell-heading")
    with st.container(width=560):
        model, task = pairs[pick_one("Model and task", list(pairs), parameter=CELL)]
    with place:
        blocks.show_heading(
            f"Prompts of {label(model)} on {task}, worst to best",
            "Click a dot or choose a model and task to list its prompts; the text is exact, unrendered. ",
            *_holding(readings, model, task),
        )
    listed = with_remarks(rank_prompts(answer, model, task))
    _show_clicked(listed)
    ticked = show_table(
        listed,
        name="cell-prompts",
        settings={**answer.settings, "cell": cell_words(model, task)},
        columns=[name for name in LIST_COLUMNS if name != "remark" or listed["remark"].str.len_chars().sum()],
        configs={
            "prompt_text": st.column_config.TextColumn("prompt", width="large"),
            "generators": st.column_config.ListColumn("written by"),
        },
        selectable=True,
    )
    if ticked and st.button(f"Leave {counted(len(ticked), 'ticked prompt')} out", key="leave-out"):
        exclude_prompts((*state.url_values(EXCLUDED), *listed["prompt_id"].gather(ticked).to_list()))
        st.rerun()
    for best in best_prompts.filter(pl.col("model_name") == model, pl.col("task_name") == task).iter_rows(named=True):
        show_best_prompt(best)


def with_remarks(listed: pl.DataFrame) -> pl.DataFrame:
    """The prompts with `remark`: what the eye would miss, and which differ only in case or in spaces at the ends."""
    texts = listed["prompt_text"].to_list()
    alike = Counter(text.strip().casefold() for text in texts)
    remarks = [
        ", ".join(filter(None, (remark(text), NEAR_DUPLICATE if alike[text.strip().casefold()] > 1 else "")))
        for text in texts
    ]
    return listed.with_columns(pl.Series("remark", remarks, pl.String))


def _holding(readings: Readings, model_name: str, task_name: str) -> Sentence:
    """In how many admissible readings the cell's call holds."""
    cell = readings.cells.filter(pl.col("model_name") == model_name, pl.col("task_name") == task_name)
    if cell.is_empty() or cell["call"][0] is None:
        return ()
    held = of(cell["n_same"][0], cell["n_readings"][0])
    return ("Its call, ", Strong(cell["call"][0]), ", holds in ", Strong(held), " admissible readings.")


def _show_clicked(listed: pl.DataFrame) -> None:
    for prompt in listed.filter(pl.col("prompt_id") == st.session_state.get(CLICKED, "")).iter_rows(named=True):
        rank = f", rank {prompt['rank']} of {len(listed)}" if prompt["rank"] is not None else ""
        blocks.show_text("The prompt you clicked scores ", Strong(points(prompt["score"])), f"{rank}:")
        st.code(prompt["prompt_text"], language=None, wrap_lines=True)


def show_best_prompt(best: Mapping[str, Any]) -> None:
    """Draws the best prompt of a cell (a row of `best_prompts`), what it gains elsewhere, and how to disclose it."""
    gain = best["held_out_gain"]
    held_out = "unknown: there are no other rows to try it on" if gain is None else (
        f"{signed_points(gain)} points, each of {counted(best['n_held_out'], 'row')} left out in turn"
    )  # fmt: skip
    blocks.show_heading(
        "Copying the best prompt",
        "It was picked on the scores shown, so its score flatters. Gain on rows that played no part: ",
        Strong(held_out),
        ".",
    )
    st.code(best["prompt_text"], language=None, wrap_lines=True)
    blocks.show_text("A sentence to disclose the choice:")
    choice = Choice(
        best["model_name"], best["task_name"], best["prompt_text"], best["n"],
        best["best_score"], best["default_score"], gain,
    )  # fmt: skip
    st.code(disclosure(choice), language=None, wrap_lines=True)
