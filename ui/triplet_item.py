"""One item: the order on each model's own axis, and why no cut-off would have told the same."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import blocks
from ui.blocks import Quoted, Sentence, Strong
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
FOUR_DECIMALS = {
    name: st.column_config.NumberColumn(title, format="%.4f")
    for name, title in (
        ("similarity", "cosine"), ("cosine_right", "cosine, right"), ("cosine_hardest_wrong", "cosine, hardest wrong"),
        ("margin", "margin"),
    )
}  # fmt: skip


def show_item(selection: TripletSelection, finding: DeltaGenerator, row: DeltaGenerator) -> None:
    """Draws an item's candidates per model, the trap of cut-offs, and the remedy."""
    tests = selection.tests
    with row:
        with st.container(width=260):
            item_id = pick_one(
                "Item", tests.items["item_id"].to_list(), parameter="item", default=tests.most_telling,
                help=_help(tests.items),
            )  # fmt: skip
        with st.container(width=130):
            cutoff = pick_number("Cut-off", CUTOFF, parameter="cutoff", help="A cosine from which a text is accepted.")
    every = item_rows(tests, triplets.similarities(selection.question, item_id), item_id)
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
            _show_order(rows, sentence, settings)
        with st.container():
            _show_trap(rows, cutoff, sentence, settings)
    blocks.show_caption(
        "A spread is how much a model’s cosines of random pairs of texts usually differ: margins in spreads compare "
        "between models, bare cosines do not",
        "" if any(row.scaled_margin is not None for row in every) else "none here: no run read 20 texts of this set",
        f"{counted(len(every) - len(rows), 'more run')} in the tables" if len(every) > len(rows)
        else "",
    )  # fmt: skip
    _show_tables(every, settings)
    _show_remedy(selection, tests.items.filter(item_id=item_id)["language"].item())


def _show_order(rows: Sequence[ItemRow], sentence: Sentence, settings: dict[str, str]) -> None:
    blocks.show_heading(
        "Order: each model on its own axis",
        "Each row has an axis of its own, from the lowest to the highest cosine of the item. Thick line: the margin, "
        "from the right candidate ◆ to the hardest wrong one ○.",
    )
    figure = item_order(rows, blocks.palette())
    blocks.show_figure(figure, name="triplet-order", alt=sentence, settings=settings)


def _show_trap(rows: Sequence[ItemRow], cutoff: float, sentence: Sentence, settings: dict[str, str]) -> None:
    blocks.show_heading(
        "The threshold trap: what a cut-off would accept",
        "◆ the right candidate, ● the wrong ones, hardest first; filled = accepted, hollow = rejected. A cut-off works "
        "where ◆ is filled and every ● is hollow. The last column is the order test.",
    )
    figure = threshold_trap(rows, spread_cutoffs(rows, cutoff), cutoff, blocks.palette())
    blocks.show_figure(figure, name="triplet-trap", alt=sentence, settings=settings)


def _help(items: pl.DataFrame) -> str:
    return f"{counted(items.height, 'item')}; type to search by id."


def item_finding(rows: Sequence[ItemRow], cutoff: float) -> Sentence:
    """How many rank the right candidate first, and what the cut-off would accept."""
    valid = [row for row in rows if row.outcome != "invalid"]
    if not valid:
        return ("No model has a valid answer to this item yet.",)
    alone = sum(_accepts_alone(row, cutoff) for row in valid)
    if len(valid) == 1:
        return (
            Quoted(valid[0].name), f" {VERDICTS[valid[0].outcome]}; a cut-off of {number(cutoff, 2)} "
            f"{'accepts it and nothing else' if alone else 'would not accept it alone'}.",
        )  # fmt: skip
    right = sum(row.outcome == "right" for row in valid)
    ties = sum(row.outcome == "tie" for row in valid)
    tied = f", {count(ties)} cannot tell it from a wrong one" if ties else ""
    who = "models" if len({row.name for row in valid}) == len(valid) else "models and prompts"
    return (
        Strong(f"{_some(right, len(valid))} {who}"), f" put the right candidate first{tied}; a cut-off of "
        f"{number(cutoff, 2)} accepts it and nothing else for ",
        Strong(of(alone, len(valid)) if alone else "none"), ".",
    )  # fmt: skip


VERDICTS = {
    "right": "puts the right candidate first",
    "tie": "cannot tell the right candidate from a wrong one",
    "wrong": "puts a wrong candidate before the right one",
}


def _some(some: int, whole: int) -> str:
    every = "Both" if whole == 2 else f"All {whole}"
    return {0: f"None of {whole}", whole: every}.get(some, of(some, whole))


def _accepts_alone(row: ItemRow, cutoff: float) -> bool:
    accepted = [each for each in row.measured if accepts(each, cutoff)]
    return bool(accepted) and all(each.is_right for each in accepted)


def _show_tables(rows: Sequence[ItemRow], settings: dict[str, str]) -> None:
    show_table(_verdicts(rows), name="triplet-verdict", settings=settings, configs=FOUR_DECIMALS)
    with st.expander(f"Every candidate’s cosine: {counted(sum(len(row.candidates) for row in rows), 'row')}"):
        show_table(_candidates(rows), name="triplet-item", settings=settings, configs=FOUR_DECIMALS)


def _verdicts(rows: Sequence[ItemRow]) -> pl.DataFrame:
    """One row per run: what came of the item, and the two cosines that decide it."""
    return pl.DataFrame(
        [
            {
                "model_name": row.name,
                "prompt": row.prompt,
                "outcome": row.outcome,
                "place": row.place,
                "cosine_right": row.right.similarity if row.right else None,
                "cosine_hardest_wrong": row.hardest.similarity if row.hardest else None,
                "hardest_wrong": row.hardest.text if row.hardest else None,
                "margin": row.margin,
                "scaled_margin": row.scaled_margin,
                "reason": row.reason or None,
            }
            for row in rows
        ],
        infer_schema_length=None,
    )


def _candidates(rows: Sequence[ItemRow]) -> pl.DataFrame:
    """One row per run and candidate, the right one first."""
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
            for each in sorted(row.candidates, key=lambda each: each.letter)
        ],
        infer_schema_length=None,
    )


def _show_remedy(selection: TripletSelection, language: str) -> None:
    """Draws what a cut-off is worth when it is calibrated on labelled pairs of a language, per model."""
    with st.expander("If you must use a cut-off: calibrate it"):
        blocks.show_text(
            "A cut-off belongs to one model, one language and one set of labelled pairs; on any other it means nothing."
            " This is the cut-off that errs least on this set's pairs in the item's language, with its interval."
        )
        if not st.toggle("Calibrate it on this set", key="calibrate", bind="query-params"):
            return
        with st.spinner("Drawing 2,000 resamples of the items"):
            found = triplets.cutoffs(selection.question, language)
        if not found.height:
            blocks.show_text("Too few valid pairs to calibrate a cut-off here.")
            return
        show_table(found, name="triplet-cutoffs", settings=selection.settings)
        worst = found.sort("error_rate", descending=True).row(0, named=True)
        blocks.show_caption(
            f"Even so {run_of(worst).name} errs on {percent(worst['error_rate'], 0)} of its pairs",
            "2,000 resamples of items, seed 1",
        )
