"""Rates by group as a small table: a group a row, a model a column, k of n with a bar where n allows a rate."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st

from ui.formats import of, percent
from ui.triplet_rows import Run, run_of

FEWEST = 5
MOST_GROUPS = 60


def show_groups(rates: pl.DataFrame, runs: Sequence[Run], names: Mapping[str, str] | None = None) -> None:
    """Draws k of n per group and run, the group with most items first.

    Args:
        rates: Rows of `TripletTests.rates` of one grouping.
        runs: The columns.
        names: What groups are called on screen, where not as they are.
    """
    cells = {(row["group"], run_of(row)): row for row in rates.iter_rows(named=True)}
    groups = rates.group_by("group").agg(pl.col("n").max()).sort("n", "group", descending=[True, False])["group"]
    st.html(groups_html(groups.head(MOST_GROUPS).to_list(), runs, cells, names or {}))


def groups_html(
    groups: Sequence[str], runs: Sequence[Run], cells: Mapping[tuple[str, Run], Mapping[str, Any]],
    names: Mapping[str, str],
) -> str:  # fmt: skip
    """The table as HTML; all that is written by others is escaped."""
    heads = "".join(f'<th class="sl-user">{html.escape(run.name)}</th>' for run in runs)
    rows = "".join(
        f'<tr><th class="sl-user">{html.escape(names.get(group, group) or "no tag")}</th>'
        + "".join(_cell_html(cells.get((group, run))) for run in runs)
        + "</tr>"
        for group in groups
    )
    head = f"<thead><tr><th></th>{heads}</tr></thead>"
    return f'<div class="sl-wide"><table class="sl-phenomena">{head}<tbody>{rows}</tbody></table></div>'


def _cell_html(cell: Mapping[str, Any] | None) -> str:
    if cell is None or not cell["n"]:
        return "<td></td>"
    n, right = cell["n"], cell["n_right"]
    if n < FEWEST:
        return f"<td>{of(right, n)}</td>"
    words = f"{percent(right / n, 0)}, 95 % interval {percent(cell['ci_low'], 0)} to {percent(cell['ci_high'], 0)}"
    return f'<td style="--share:{right / n:.3f}" title="{html.escape(words)}">{of(right, n)}</td>'
