"""Prompts: does another wording change what a model takes for the same meaning?"""

from __future__ import annotations

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.triplet_tests import TripletTests
from ui import blocks
from ui.blocks import Sentence, Strong
from ui.charts.triplet_tests_rates import rate_rows
from ui.formats import counted, label, of
from ui.selectors import pick_one
from ui.tables import show_table
from ui.triplet_rows import Run, rate_rows_of, run_of, runs_of
from ui.triplet_selection import TripletSelection

MOST_ROWS = 30


def show_prompts(selection: TripletSelection, finding: DeltaGenerator, row: DeltaGenerator) -> None:
    """Draws a model's rate under each prompt, and the items whose verdict changes."""
    tests = selection.tests
    several = models_with_prompts(tests)
    if not several:
        with finding:
            blocks.show_finding("Every model was asked under one wording only, so there is nothing to compare yet.")
        blocks.show_empty(
            "Run another wording", "Open “Write”, choose prompts per role beside “Run”, and run the set once more."
        )
        return
    with row, st.container(width=400):
        model = pick_one("Model", several, parameter="prompted")
    runs = [run for run in runs_of(tests) if run.model_name == model]
    verdicts = verdicts_by_prompt(tests, runs)
    changed = verdicts.filter("changes")
    sentence: Sentence = (
        Strong(of(changed.height, verdicts.height)), f" verdicts of {label(model)} change with the wording "
        f"({counted(len(runs), 'wording')}).",
    )  # fmt: skip
    with finding:
        blocks.show_finding(*sentence)
    blocks.show_heading("Right under each wording", "Dot = share of items; line = 95 % Wilson interval.")
    rates = tests.rates.filter(pl.col("by") == "model", pl.col("model_name") == model)
    rates = rates.sort("n_right", descending=True).head(MOST_ROWS)
    blocks.show_figure(
        rate_rows(rate_rows_of(rates), blocks.palette()), name="triplet-prompts", alt=sentence,
        settings=selection.settings,
    )  # fmt: skip
    blocks.show_heading("Items whose verdict changes", "A column per wording, an item a row.")
    if changed.height:
        show_table(changed.drop("changes"), name="triplet-verdicts", settings=selection.settings)
    else:
        blocks.show_text("None: the wording changes cosines, not the order.")


def models_with_prompts(tests: TripletTests) -> tuple[str, ...]:
    """Models that were asked under several wordings."""
    names = [run.model_name for run in runs_of(tests)]
    return tuple(sorted({name for name in names if names.count(name) > 1}))


def verdicts_by_prompt(tests: TripletTests, runs: list[Run]) -> pl.DataFrame:
    """One row per item: item_id, anchor, a column of outcomes per wording, and whether they differ."""
    wordings = {(run.base_prompt, run.candidate_prompt, run.model_revision): _column(run, runs) for run in runs}
    columns: dict[str, dict[str, str]] = {name: {} for name in wordings.values()}
    kept = tests.outcomes.filter(pl.col("model_name") == runs[0].model_name)
    for row in kept.iter_rows(named=True):
        run = run_of(row)
        columns[wordings[run.base_prompt, run.candidate_prompt, run.model_revision]][row["item_id"]] = row["outcome"]
    items = tests.items.select("item_id", "anchor", "anchor_gloss")
    shown = items.with_columns(
        pl.col("item_id").replace_strict(found, default=None, return_dtype=pl.String()).alias(name)
        for name, found in columns.items()
    )
    asked = shown.filter(pl.any_horizontal(pl.col(list(columns)).is_not_null()))
    changes = pl.concat_list(list(columns)).list.drop_nulls().list.n_unique() > 1
    return asked.with_columns(changes.alias("changes"))


def _column(run: Run, runs: list[Run]) -> str:
    """The wording; with the revision where two of them share it."""
    alike = [other for other in runs if other.prompt == run.prompt]
    return run.prompt if len(alike) == 1 else f"{run.prompt} ({alike.index(run) + 1})"
