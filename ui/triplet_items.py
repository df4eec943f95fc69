"""All items: the grid of right and wrong, rates with their intervals, what each phenomenon does, and the lists."""

from __future__ import annotations

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.triplet_tests import TripletTests
from ui import blocks
from ui.blocks import Sentence, Strong
from ui.formats import count, counted, of, percent
from ui.tables import show_table
from ui.triplet_grid import MOST_RUNS, pick_items, show_grid
from ui.triplet_groups import FEWEST, show_groups
from ui.triplet_rows import run_of, runs_of
from ui.triplet_selection import TripletSelection

MODELS_RIGHT = {"difficulty": st.column_config.NumberColumn("models right", format="percent")}


def show_items(selection: TripletSelection, finding: DeltaGenerator, row: DeltaGenerator) -> None:
    """Draws the grid, the phenomenon table, and the list of items."""
    tests = selection.tests
    chosen = pick_items(tests, row)
    sentence = items_finding(tests)
    with finding:
        blocks.show_finding(*sentence)
    items = chosen.of(tests)
    if items.height:
        show_grid(selection, items, chosen.words, sentence)
    else:
        blocks.show_empty("No item is left", "Choose another language, phenomenon or outcome.")
    _show_phenomena(selection)
    _show_list(selection, items)


def items_finding(tests: TripletTests) -> Sentence:
    """Who is right most often, and whether the items can tell the models apart."""
    runs = runs_of(tests)
    rates = {run_of(row): row for row in tests.rates.filter(pl.col("by") == "model").iter_rows(named=True)}
    if not runs:
        return ("No model was asked about this set yet.",)
    best = rates[runs[0]]
    low, high = (percent(best[name], 0) for name in ("ci_low", "ci_high"))
    said: list[blocks.Part] = [
        blocks.Quoted(runs[0].name), " is right on ", Strong(of(best["n_right"], best["n"])),
        f" items ({low} to {high} of such items, with 95 % confidence)",
    ]  # fmt: skip
    for run in runs[1:3]:
        said += [", ", blocks.Quoted(run.name), f" on {count(rates[run]['n_right'])}"]
    n_failed, n_passed = tests.failed_by_all.height, tests.saturated.height
    said.append(f". {counted(n_failed, 'item is', 'items are')} failed by all and {count(n_passed)} passed by all")
    if tests.items.height and (n_failed + n_passed) * 4 >= tests.items.height * 3:
        said += [": ", Strong("too few between them to tell the models apart")]
    return [*said, "."]


def _show_phenomena(selection: TripletSelection) -> None:
    rates = selection.tests.rates.filter(pl.col("by") == "phenomenon")
    if not rates.height:
        return
    blocks.show_heading("By phenomenon", f"Right of n, all items; fewer than {FEWEST} items: count only, no rate.")
    show_groups(rates, runs_of(selection.tests)[:MOST_RUNS])
    with st.expander("As a table"):
        show_table(rates, name="triplet-phenomena", settings=selection.settings)


def _show_list(selection: TripletSelection, items: pl.DataFrame) -> None:
    blocks.show_heading(
        f"Items: {count(items.height)}",
        "“Models right” is the share of models and prompts that are right. A dot below the picture opens an item, so "
        "does its id in “One item”.",
    )
    columns = ("item_id", "anchor", "anchor_gloss", "language", "phenomenon", "difficulty", "source", "status")
    show_table(items, name="triplet-items", settings=selection.settings, columns=columns, configs=MODELS_RIGHT)


def show_lists(selection: TripletSelection, finding: DeltaGenerator, row: DeltaGenerator) -> None:
    """Draws what to look at again: items that tell nothing, and items on which prompts disagree."""
    tests = selection.tests
    solved = tests.solved_by_shortcuts
    with finding:
        blocks.show_finding(
            Strong(of(tests.saturated.height + tests.failed_by_all.height, tests.items.height)),
            " items tell no two models apart; on ", Strong(count(tests.prompts_disagree.height)),
            " the verdict hangs on the wording of the prompt.",
        )  # fmt: skip
    lists = (
        ("Passed by all models", "Saturated: true, but it separates nobody. Keep a few, write harder ones.",
         tests.saturated, "saturated"),
        ("Failed by all models", "Suspect or hard: read it again before you blame the models.",
         tests.failed_by_all, "failed-by-all"),
        ("Prompts disagree", "The same model is right under one prompt and not under another.",
         tests.prompts_disagree, "prompts-disagree"),
        ("Solved by a shortcut", "Length, shared words or letters suffice: it tests form, not meaning.",
         solved, "shortcuts"),
    )  # fmt: skip
    for title, explanation, frame, name in lists:
        blocks.show_heading(f"{title}: {counted(frame.height, 'item')}", explanation)
        if frame.height:
            ids = frame["item_id"].unique().to_list()
            columns = ("item_id", "anchor", "anchor_gloss", "language", "phenomenon", "difficulty", "status")
            listed = tests.items.filter(pl.col("item_id").is_in(ids)).select(columns)
            show_table(listed, name=f"triplet-{name}", settings=selection.settings, configs=MODELS_RIGHT)
