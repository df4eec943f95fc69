"""Comparing: are two models really different on these items, and in which groups?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.triplet_tests import TripletTests
from ui import blocks
from ui.blocks import Part, Quoted, Sentence, Strong
from ui.charts.triplet_tests_rates import ScorePoint, rate_against_score, rate_rows
from ui.formats import count, counted, number
from ui.reads import triplets
from ui.selectors import pick_view
from ui.tables import show_table
from ui.triplet_rows import Run, rate_rows_of, runs_of
from ui.triplet_selection import TripletSelection
from ui.triplet_token_languages import with_scores

GROUPS = {"language": "language", "phenomenon": "phenomenon", "source": "source", "written": "written"}
LEVEL, SMALLEST_P = 0.05, 0.001
PAIRS_IN_WORDS = 4
MOST_ROWS = 20


def show_compare(selection: TripletSelection, finding: DeltaGenerator, row: DeltaGenerator) -> None:
    """Draws rates with intervals, pairs in plain words and rates by group."""
    tests = selection.tests
    sentence = compare_finding(tests)
    with finding:
        blocks.show_finding(*sentence)
    models = tests.rates.filter(pl.col("by") == "model").sort("pass_rate", descending=True, nulls_last=True)
    if not models.height:
        blocks.show_empty("No model was asked about this set yet", "Open “Write” and run the set.")
        return
    blocks.show_heading(
        "How often each is right", "Dot = share of valid items; line = 95 % Wilson interval: where the true share lies."
    )
    figure = rate_rows(rate_rows_of(models.head(MOST_ROWS)), blocks.palette())
    blocks.show_figure(figure, name="triplet-rates", alt=sentence, settings=selection.settings)
    _show_pairs(selection)
    _show_groups(selection)
    _show_leaderboard(selection)


def compare_finding(tests: TripletTests) -> Sentence:
    """How many pairs of models these items tell apart."""
    pairs = tests.comparisons
    if not pairs.height:
        return ("There is one model, or none: nothing to compare yet.",)
    apart = pairs.filter(pl.col("p_holm") < LEVEL)
    if not apart.height:
        needed = pairs["n_needed"].drop_nulls()
        least = min(needed.to_list(), default=None)
        more = f"about {count(least)} more might do for the clearest pair" if least else "write more"
        return (Strong("Not enough items to tell"), f" any of {counted(pairs.height, 'pair')} apart: {more}.")
    best = runs_of(tests)[0]
    return (
        Strong(f"{apart.height} of {counted(pairs.height, 'pair')}"), " of models and prompts are told apart by these "
        "items; ", Quoted(best.name), " is right most often.",
    )  # fmt: skip


def _show_pairs(selection: TripletSelection) -> None:
    pairs = selection.tests.comparisons.sort("p_holm", nulls_last=True)
    if not pairs.height:
        return
    blocks.show_heading(
        "Pairs, in words",
        "Only items count that one of the two gets right and the other does not.",
    )
    apart = pl.col("p_holm") < LEVEL
    shown = pl.concat([pairs.filter(apart).head(PAIRS_IN_WORDS), pairs.filter(~apart).head(PAIRS_IN_WORDS)])
    for row in shown.iter_rows(named=True):
        blocks.show_text(*pair_words(row))
    with st.expander(f"The statistics: {counted(pairs.height, 'pair')}"):
        blocks.show_text(
            "Exact McNemar test on the items on which the two differ; p after Holm’s correction for the number of "
            "pairs; a tie counts as not right."
        )
        show_table(pairs, name="triplet-pairs", settings=selection.settings)


def _side(row: Mapping[str, Any], end: str) -> Run:
    return Run(*(row[f"{name}_{end}"] for name in ("model_name", "model_revision", "base_prompt", "candidate_prompt")))


def pair_words(row: Mapping[str, Any]) -> Sentence:
    """What the items say of two models, without a statistic's name."""
    sides = ((_side(row, "a"), row["n_only_a"]), (_side(row, "b"), row["n_only_b"]))
    (ahead, more), (behind, fewer) = sorted(sides, key=lambda side: -side[1])
    counts = f": {counted(more, 'item')} only the first gets right, {count(fewer)} only the second"
    if row["p_holm"] is not None and row["p_holm"] < LEVEL:
        p = f"p = {number(row['p_holm'], 3)}" if row["p_holm"] >= SMALLEST_P else f"p < {SMALLEST_P}"
        return (Strong("Different: "), Quoted(ahead.name), " beats ", Quoted(behind.name), f"{counts} ({p}).")
    needed = row["n_needed"]
    would = f"; about {count(needed)} more items would tell, if they go on like this" if needed else ""
    names: tuple[Part, ...] = (Quoted(ahead.name), " and ", Quoted(behind.name))
    return (Strong("Not enough items to tell: "), *names, f"{counts}{would}.")


def _show_groups(selection: TripletSelection) -> None:
    blocks.show_heading("Right by group", "Fewer than 5 items: count only, no rate.")
    by = pick_view("Group by", tuple(GROUPS), parameter="with")
    rates = selection.tests.rates.filter(pl.col("by") == GROUPS[by])
    if not rates.height:
        blocks.show_text(f"No item says its {by}.")
        return
    show_table(rates, name=f"triplet-by-{by}", settings=selection.settings)
    if by == "written":
        blocks.show_caption("before = saved before anyone saw how a model answers; after = changed with that in view")


def _show_leaderboard(selection: TripletSelection) -> None:
    blocks.show_heading(
        "Beside the leaderboard", "A model’s published score in the language, and how often it is right on these items."
    )
    rates = selection.tests.rates.filter(pl.col("by") == "language").rename({"group": "language"})
    board = with_scores(rates.drop_nulls("pass_rate"), triplets.published_language_scores())
    if not board.height:
        blocks.show_text("No model has five items and a published score in the same language.")
        return
    for (language,), some in board.group_by("language", maintain_order=True):
        pairs = [
            ScorePoint(row["model_name"], row["score"], row["pass_rate"], row["n"], row["n_right"])
            for row in some.iter_rows(named=True)
        ]
        name = triplets.language_names().get(str(language), str(language))
        alt = (f"{counted(len(pairs), 'rate')} of items that are right beside the published score in {name}",)
        figure = rate_against_score(pairs, name, blocks.palette())
        blocks.show_figure(figure, name=f"triplet-board-{language}", alt=alt, settings=selection.settings)
    show_table(board.drop("by"), name="triplet-board", settings=selection.settings)
