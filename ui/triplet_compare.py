"""Comparing: are two models really different on these items, and in which groups?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.triplet_tests import TripletTests
from engine.answers.triplet_tests import TripletQuestion
from ui import blocks
from ui.blocks import Part, Quoted, Sentence, Strong
from ui.charts.triplet_tests_rates import rate_rows
from ui.formats import count, counted, percent
from ui.reads import triplets
from ui.selectors import pick_view
from ui.tables import show_table
from ui.triplet_board import show_board
from ui.triplet_grid import MOST_RUNS
from ui.triplet_groups import show_groups
from ui.triplet_rows import Run, rate_rows_of, run_of, runs_of
from ui.triplet_selection import TripletSelection

SET = "set"
GROUPS = ("language", "phenomenon", SET, "source", "written")
GROUP_NAMES = {"before": "before an answer was seen", "after": "after an answer was seen"}
PAIR_COLUMNS = {
    "n": st.column_config.NumberColumn("items", format="%,d"),
    "n_only_a": st.column_config.NumberColumn("only first right", format="%,d"),
    "n_only_b": st.column_config.NumberColumn("only second right", format="%,d"),
}
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
    show_board(selection)


def compare_finding(tests: TripletTests) -> Sentence:
    """How many pairs of models these items tell apart."""
    pairs = tests.comparisons
    if not pairs.height:
        return ("There is one model, or none: nothing to compare yet.",)
    apart = pairs.filter(pl.col("p_holm") < LEVEL)
    if not apart.height:
        needed = pairs.filter(pl.col("p") >= LEVEL)["n_needed"].drop_nulls()
        clearest = " for the clearest pair" if pairs.height > 1 else ", if they go on like this"
        least = min(needed.to_list(), default=None)
        more = f"about {count(least)} more might do{clearest}" if least else "write more"
        if pairs.height == 1:
            first, second = (_side(pairs.row(0, named=True), end).name for end in "ab")
            return (Strong("Not enough items to tell "), Quoted(first), " and ", Quoted(second), f" apart: {more}.")
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
            "pairs; a tie counts as not right. “More items needed” is for the pair alone, before the correction."
        )
        _show_statistics(pairs, selection)


def _show_statistics(pairs: pl.DataFrame, selection: TripletSelection) -> None:
    names = [[_side(row, end).name for row in pairs.iter_rows(named=True)] for end in "ab"]
    named = pairs.with_columns(first=pl.Series(names[0]), second=pl.Series(names[1]))
    shown = ("first", "second", "n", "n_only_a", "n_only_b", "n_ties", "p", "p_holm", "n_needed")
    show_table(named, name="triplet-pairs", settings=selection.settings, columns=shown, configs=PAIR_COLUMNS)


def _side(row: Mapping[str, Any], end: str) -> Run:
    return Run(*(row[f"{name}_{end}"] for name in ("model_name", "model_revision", "base_prompt", "candidate_prompt")))


def pair_words(row: Mapping[str, Any]) -> Sentence:
    """What the items say of two models, without a statistic's name."""
    sides = ((_side(row, "a"), row["n_only_a"]), (_side(row, "b"), row["n_only_b"]))
    (ahead, more), (behind, fewer) = sorted(sides, key=lambda side: -side[1])
    counts = f": {counted(more, 'item')} only the first gets right, {count(fewer)} only the second"
    if row["p_holm"] is not None and row["p_holm"] < LEVEL:
        p = percent(row["p_holm"]) if row["p_holm"] >= SMALLEST_P else f"less than {percent(SMALLEST_P)}"
        chance = f". Two equally good models would differ so clearly in {p} of such tests."
        return (Strong("Different: "), Quoted(ahead.name), " beats ", Quoted(behind.name), f"{counts}{chance}")
    would = _what_would_tell(row)
    names: tuple[Part, ...] = (Quoted(ahead.name), " and ", Quoted(behind.name))
    if not more:
        return (Strong("Not enough items to tell: "), *names, " agree on every item so far.")
    return (Strong("Not enough items to tell: "), *names, f"{counts}{would}.")


def _what_would_tell(row: Mapping[str, Any]) -> str:
    if row["p"] < LEVEL:
        return "; clear for this pair alone, but among so many pairs one like it comes up by chance"
    needed = row["n_needed"]
    return f"; about {counted(needed, 'more item')} would tell, if they go on like this" if needed else ""


def _show_groups(selection: TripletSelection) -> None:
    blocks.show_heading(
        "Right by group", "k of n items, bar = share; fewer than 5 items: count only. The pointer says the interval."
    )
    by = pick_view("Group by", tuple(GROUPS), parameter="with")
    rates = rates_by_set(selection) if by == SET else selection.tests.rates.filter(pl.col("by") == by)
    if not rates.height:
        blocks.show_text(f"No item says its {by}.")
        return
    runs = list(dict.fromkeys((*runs_of(selection.tests), *(run_of(row) for row in rates.iter_rows(named=True)))))
    show_groups(rates, runs[:MOST_RUNS], triplets.language_names() if by == "language" else GROUP_NAMES)
    with st.expander(f"As a table: {counted(rates.height, 'row')}"):
        show_table(rates.drop("by"), name=f"triplet-by-{by}", settings=selection.settings)
    if by == "written":
        blocks.show_caption("An item changed with an answer in view may be written until the models fail")


def rates_by_set(selection: TripletSelection) -> pl.DataFrame:
    """The rates of every set that was asked, as `TripletTests.rates` with the set as group."""
    wanted = selection.question.models
    of_sets = [
        triplets.tests(TripletQuestion(set_name=name))
        .rates.filter(pl.col("by") == "model")
        .with_columns(pl.lit(SET).alias("by"), pl.lit(name).alias("group"))
        for name in triplets.tested_sets()
    ]
    rates = pl.concat(of_sets)
    return rates.filter(pl.col("model_name").is_in(wanted)) if wanted else rates
