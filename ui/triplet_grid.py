"""The grid of items and models, a page of items at a time: which items, in what order, and a click that opens one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.triplet_tests import TripletTests
from ui import blocks
from ui.blocks import Sentence
from ui.charts.triplet_tests_grid import agreed, outcome_grid
from ui.formats import count, counted
from ui.selectors import pick_many, pick_one
from ui.triplet_rows import grid_columns, grid_rows
from ui.triplet_selection import ITEM, PAGE, TripletSelection
from ui.triplet_words import show_outcome_key

SORTS = {
    "difficulty": (("difficulty", "item_id"), (True, False), "easiest to hardest"),
    "hardest first": (("difficulty", "item_id"), (False, False), "hardest to easiest"),
    "item": (("item_id",), (False,), "by id"),
    "phenomenon": (("phenomenon", "difficulty", "item_id"), (False, True, False), "by phenomenon"),
    "language": (("language", "difficulty", "item_id"), (False, True, False), "by language"),
    "source": (("source", "difficulty", "item_id"), (False, True, False), "by source"),
    "status": (("status", "difficulty", "item_id"), (False, True, False), "by status"),
}
EVERY, APART, ALL_RIGHT, NONE_RIGHT, TIED, INVALID, SHORTCUT = SHOWN = (
    "all items",
    "models differ",
    "all right",
    "none right",
    "some tie",
    "some invalid",
    "a shortcut is right",
)
MOST_ITEMS = 120
"""Columns that can still be told apart on a screen."""
MOST_RUNS = 24
GRID = "triplet-grid"


@dataclass(frozen=True)
class ItemFilter:
    """Which items of a set are looked at, and in what order."""

    sort: str
    languages: tuple[str, ...]
    phenomena: tuple[str, ...]
    shown: str

    def of(self, tests: TripletTests) -> pl.DataFrame:
        """The items that stay, in order."""
        by, descending, _ = SORTS[self.sort]
        items = tests.items.sort(by, descending=list(descending), nulls_last=True)
        if self.languages:
            items = items.filter(pl.col("language").is_in(self.languages))
        if self.phenomena:
            items = items.filter(pl.col("phenomenon").is_in(self.phenomena))
        return items if self.shown == EVERY else items.filter(_stays(tests, self.shown))

    @property
    def words(self) -> str:
        """What orders the items."""
        return SORTS[self.sort][2]


def _stays(tests: TripletTests, shown: str) -> pl.Expr:
    difficulty = pl.col("difficulty")
    if shown in (ALL_RIGHT, NONE_RIGHT):
        return difficulty == (1 if shown == ALL_RIGHT else 0)
    if shown == APART:
        return (difficulty > 0) & (difficulty < 1)
    if shown == SHORTCUT:
        return pl.col("item_id").is_in(tests.solved_by_shortcuts["item_id"].to_list())
    outcome = "tie" if shown == TIED else "invalid"
    return pl.col("item_id").is_in(tests.outcomes.filter(outcome=outcome)["item_id"].unique().to_list())


def pick_items(tests: TripletTests, row: DeltaGenerator) -> ItemFilter:
    """Which items, from widgets in a row."""
    with row:
        with st.container(width=150):
            sort = pick_one("Sort by", tuple(SORTS), parameter="sort")
        with st.container(width=190):
            languages = pick_many("Language", _values(tests, "language"), parameter="language")
        with st.container(width=190):
            phenomena = pick_many("Phenomenon", _values(tests, "phenomenon"), parameter="phenomenon")
        with st.container(width=180):
            shown = pick_one("Show", SHOWN, parameter="show")
    return ItemFilter(sort, languages, phenomena, shown)


def _values(tests: TripletTests, column: str) -> list[str]:
    return [value for value in tests.items[column].drop_nulls().unique().sort().to_list() if value]


def page_size(n_items: int) -> int:
    """Items a page, so that all pages are equally long."""
    return math.ceil(n_items / max(math.ceil(n_items / MOST_ITEMS), 1))


def show_grid(selection: TripletSelection, items: pl.DataFrame, order: str, sentence: Sentence) -> None:
    """Draws one page of items × models, shortcuts below them; a click on a dot opens an item."""
    shown, where = _pick_page(items, page_size(items.height))
    columns = grid_columns(shown)
    rows = grid_rows(selection.tests, shown["item_id"].to_list())
    drawn = [row for row in rows if not row.is_baseline][:MOST_RUNS] + [row for row in rows if row.is_baseline]
    show_outcome_key()
    blocks.show_heading(
        f"Items × models: {where}",
        "One column an item; the dot below opens it. Shortcuts below the line know no language: an item that they "
        "solve tests form, not meaning.",
    )
    blocks.show_figure(
        outcome_grid(drawn, columns, order, blocks.palette()), name=GRID, alt=sentence, selectable=True,
        settings={**selection.settings, "items": where}, on_select=open_clicked,
    )  # fmt: skip
    solved = agreed([replace(row, is_baseline=False) for row in rows if row.is_baseline], columns, ("right",))
    hidden = _n_runs(selection.tests) - MOST_RUNS
    blocks.show_caption(
        f"the {MOST_RUNS} that are right most often; {counted(hidden, 'more run')} in the table" if hidden > 0 else "",
        f"{counted(len(solved), 'of these items is', 'of these items are')} solved by every shortcut" if solved else "",
        f"shares are of all {counted(selection.tests.items.height, 'item')} of the set; a tie counts as not right",
    )


def _n_runs(tests: TripletTests) -> int:
    return tests.rates.filter(pl.col("by") == "model").height


def _pick_page(items: pl.DataFrame, size: int) -> tuple[pl.DataFrame, str]:
    """The items of the chosen page, and their numbers in words."""
    n_pages = math.ceil(items.height / size) if size else 1
    page = 1
    if n_pages > 1:
        if PAGE in st.session_state:
            # A narrower filter may leave fewer pages than the one that was chosen.
            st.session_state[PAGE] = min(st.session_state[PAGE], n_pages)
        with st.container(width=170):
            page = st.number_input(f"Page, 1 to {count(n_pages)}", 1, n_pages, key=PAGE, bind="query-params")
    start = (page - 1) * size
    shown = items.slice(start, size)
    if n_pages == 1:
        return shown, counted(items.height, "item")
    return shown, f"items {count(start + 1)}–{count(start + shown.height)} of {count(items.height)}"


def open_clicked() -> None:
    """Opens the item whose dot was clicked."""
    points: Sequence[dict[str, object]] = st.session_state[f"figure-{GRID}"].selection.points
    if points and (item_id := points[0].get("customdata")) is not None:
        st.session_state["view"] = ITEM
        # The picker is drawn only after this, and would leave the address without what it was set to.
        chosen = str(item_id[0] if isinstance(item_id, list | tuple) else item_id)
        st.session_state["item"] = st.query_params["item"] = chosen
