"""One item: the order on each model's own axis, and why no cut-off would have told the same."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import blocks
from ui.blocks import Sentence, Strong
from ui.charts.triplet_tests import ItemRow, item_order
from ui.charts.triplet_tests_trap import accepts, spread_cutoffs, threshold_trap
from ui.formats import count, counted, number, of, percent
from ui.reads import triplets
from ui.selectors import pick_number, pick_one
from ui.tables import show_table
from ui.triplet_rows import item_rows, run_of
from ui.triplet_selection import TripletSelection
from ui.triplet_words import show_item_key

MOST_ROWS = 12
CUTOFF = 0.9


def show_item(selection: TripletSelection, finding: DeltaGenerator, row: DeltaGenerator) -> None:
    """Draws an item's candidates per model, the trap of cut-offs, and the remedy."""
    tests = selection.tests
    with row:
        with st.container(width=260):
            item_id = pick_one("Item", tests.items["item_id"].to_list(), parameter="item", help=_help(tests.items))
        with st.container(width=130):
            cutoff = pick_number("Cut-off", CUTOFF, parameter="cutoff", help="A cosine from which a text is accepted.")
    every = item_rows(tests, item_id)
    rows, sentence = every[:MOST_ROWS], item_finding(every, cutoff)
    with finding:
        blocks.show_finding(*sentence)
    show_item_key(tests, item_id)
    if not rows:
        blocks.show_empty("No model was asked about this item yet", "Open “Write” and run it, or run the whole set.")
        return
    settings = {**selection.settings, "item": item_id, "cut-off": f"{cutoff:g}"}
    with st.container(key="reflow-item"):
        with st.container():
            blocks.show_heading(
                "Order: each model on its own axis",
                "Ends: lowest and highest cosine of the item. Thick line: from the right candidate to the hardest "
                "wrong one.",
            )
            blocks.show_figure(
                item_order(rows, blocks.palette()), name="triplet-order", alt=sentence, settings=settings
            )
        with st.container():
            blocks.show_heading(
                "The threshold trap: what a cut-off would accept",
                "◆ the right candidate, ● the wrong ones, hardest first; filled = accepted. The last column is the "
                "order test.",
            )
            cutoffs = spread_cutoffs(rows, cutoff)
            blocks.show_figure(
                threshold_trap(rows, cutoffs, cutoff, blocks.palette()), name="triplet-trap", alt=sentence,
                settings=settings,
            )  # fmt: skip
    if len(every) > len(rows):
        blocks.show_caption(f"The first {len(rows)} of {counted(len(every), 'run')}; the table has all")
    cosine = {"similarity": st.column_config.NumberColumn("cosine", format="%.4f")}
    show_table(_candidates(every), name="triplet-item", settings=settings, configs=cosine)
    _show_remedy(selection)


def _help(items: pl.DataFrame) -> str:
    return f"{counted(items.height, 'item')}; type to search by id."


def item_finding(rows: Sequence[ItemRow], cutoff: float) -> Sentence:
    """How many rank the right candidate first, and what the cut-off would accept."""
    valid = [row for row in rows if row.outcome != "invalid"]
    if not valid:
        return ("No model has a valid answer to this item yet.",)
    right = sum(row.outcome == "right" for row in valid)
    ties = sum(row.outcome == "tie" for row in valid)
    tied = f", {count(ties)} cannot tell it from a wrong one" if ties else ""
    alone = sum(_accepts_alone(row, cutoff) for row in valid)
    who = {0: "None", len(valid): "All"}.get(right, count(right))
    return (
        Strong(f"{who} of {len(valid)}"), f" models and prompts put the right candidate first{tied}; a cut-off of "
        f"{number(cutoff, 2)} accepts it and nothing else for ", Strong(of(alone, len(valid))), ".",
    )  # fmt: skip


def _accepts_alone(row: ItemRow, cutoff: float) -> bool:
    accepted = [each for each in row.measured if accepts(each, cutoff)]
    return bool(accepted) and all(each.is_right for each in accepted)


def _candidates(rows: Sequence[ItemRow]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "model_name": row.name,
                "prompt": row.prompt,
                "outcome": row.outcome,
                "candidate": each.letter or "right",
                "text": each.text,
                "gloss": each.gloss,
                "similarity": each.similarity,
            }
            for row in rows
            for each in row.candidates
        ],
        infer_schema_length=None,
    )


def _show_remedy(selection: TripletSelection) -> None:
    """Draws what a cut-off is worth when it is calibrated on labelled pairs, per model."""
    with st.expander("If you must use a cut-off: calibrate it"):
        blocks.show_text(
            "A cut-off belongs to one model, one language and one set of labelled pairs; on any other it means nothing."
            " This is the cut-off that errs least on the pairs of this set, with its interval."
        )
        if not st.toggle("Calibrate it on this set", key="calibrate", bind="query-params"):
            return
        found = triplets.cutoffs(selection.question)
        if not found.height:
            blocks.show_text("Too few valid pairs to calibrate a cut-off here.")
            return
        show_table(found, name="triplet-cutoffs", settings=selection.settings)
        worst = found.sort("error_rate", descending=True).row(0, named=True)
        blocks.show_caption(
            f"Even so {run_of(worst).name} errs on {percent(worst['error_rate'], 0)} of its pairs",
            "2,000 resamples of items, seed 1",
        )
