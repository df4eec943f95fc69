"""All items: the staircase of right and wrong, rates with their intervals, and what each phenomenon does."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.triplet_tests import TripletTests
from ui import blocks
from ui.blocks import Sentence, Strong
from ui.charts.triplet_tests_grid import MOST_ITEMS, agreed, outcome_grid
from ui.formats import count, counted, of, percent
from ui.selectors import pick_many, pick_view
from ui.tables import show_table
from ui.triplet_rows import grid_columns, grid_rows, run_of, runs_of
from ui.triplet_selection import TripletSelection
from ui.triplet_words import show_outcome_key

SORTS = {
    "difficulty": (("difficulty", "item_id"), (True, False), "easiest to hardest"),
    "phenomenon": (("phenomenon", "difficulty", "item_id"), (False, True, False), "by phenomenon"),
    "language": (("language", "difficulty", "item_id"), (False, True, False), "by language"),
}
FEWEST = 5
MOST_RUNS = 24


def show_items(selection: TripletSelection, finding: DeltaGenerator, row: DeltaGenerator) -> None:
    """Draws the grid where the items fit, the phenomenon table, and the list of items."""
    tests = selection.tests
    with row:
        sort = pick_view("Sort by", tuple(SORTS), parameter="sort")
        with st.container(width=200):
            languages = pick_many("Language", sorted(tests.items["language"].unique()), parameter="language")
    sentence = items_finding(tests)
    with finding:
        blocks.show_finding(*sentence)
    by, descending, order = SORTS[sort]
    items = tests.items.sort(by, descending=list(descending), nulls_last=True)
    if languages:
        items = items.filter(pl.col("language").is_in(languages))
    if items.height <= MOST_ITEMS:
        _show_grid(selection, items, order, sentence)
    else:
        blocks.show_note(
            f"{counted(items.height, 'item')} are more than a row of {MOST_ITEMS} can show: the table by phenomenon "
            "stands for them. Choose a language to see single items."
        )
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


def _show_grid(selection: TripletSelection, items: pl.DataFrame, order: str, sentence: Sentence) -> None:
    columns = grid_columns(items)
    rows = grid_rows(selection.tests, items["item_id"].to_list())
    shown = [row for row in rows if not row.is_baseline][:MOST_RUNS] + [row for row in rows if row.is_baseline]
    show_outcome_key()
    blocks.show_heading(
        "Items × models",
        "One column an item. Shortcuts below the line know no language: an item that they solve tests form, not "
        "meaning.",
    )
    figure = outcome_grid(shown, columns, order, blocks.palette())
    blocks.show_figure(figure, name="triplet-grid", alt=sentence, settings=selection.settings)
    solved = agreed([replace(row, is_baseline=False) for row in rows if row.is_baseline], columns, ("right",))
    hidden = sum(not row.is_baseline for row in rows) - MOST_RUNS
    blocks.show_caption(
        f"the {MOST_RUNS} that are right most often; {counted(hidden, 'more run')} in the table" if hidden > 0 else "",
        f"{counted(len(solved), 'item is', 'items are')} solved by every shortcut" if solved else "",
        "Wilson intervals; a tie counts as not right",
    )


def _show_phenomena(selection: TripletSelection) -> None:
    rates = selection.tests.rates.filter(pl.col("by") == "phenomenon")
    if not rates.height:
        return
    blocks.show_heading("By phenomenon", f"Right of n; fewer than {FEWEST} items: count only, no rate.")
    runs = runs_of(selection.tests)[:MOST_RUNS]
    names = [run.name for run in runs]
    cells = {(row["group"], run_of(row).name): row for row in rates.iter_rows(named=True)}
    groups = rates.group_by("group").agg(pl.col("n").max()).sort("n", "group", descending=[True, False])["group"]
    st.html(_phenomena_html(groups.to_list(), names, cells))
    with st.expander("As a table"):
        show_table(rates, name="triplet-phenomena", settings=selection.settings)


def _phenomena_html(
    groups: Sequence[str], names: Sequence[str], cells: dict[tuple[str, str], dict[str, object]]
) -> str:
    heads = "".join(f'<th class="sl-user">{html.escape(name)}</th>' for name in names)
    rows = "".join(
        f'<tr><th class="sl-user">{html.escape(group or "no tag")}</th>'
        + "".join(_cell_html(cells.get((group, name))) for name in names)
        + "</tr>"
        for group in groups
    )
    head = f"<thead><tr><th></th>{heads}</tr></thead>"
    return f'<div class="sl-wide"><table class="sl-phenomena">{head}<tbody>{rows}</tbody></table></div>'


def _cell_html(cell: dict[str, object] | None) -> str:
    if cell is None:
        return "<td></td>"
    n, right = int(str(cell["n"])), int(str(cell["n_right"]))
    share = f' style="--share:{right / n:.3f}"' if n >= FEWEST else ""
    return f"<td{share}>{of(right, n)}</td>"


def _show_list(selection: TripletSelection, items: pl.DataFrame) -> None:
    blocks.show_heading(
        "Items", "Difficulty: the share of models and prompts that are right. Open one by its id in “One item”."
    )
    columns = ("item_id", "anchor", "anchor_gloss", "language", "phenomenon", "difficulty", "source", "status")
    show_table(items, name="triplet-items", settings=selection.settings, columns=columns)


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
            show_table(listed, name=f"triplet-{name}", settings=selection.settings)
