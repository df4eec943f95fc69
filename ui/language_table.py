"""The language table: models × languages as mteb computes it, sorted by one language among those who have all of it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_findings import find_table
from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_scores import LanguageScores
from engine.answers import language_views as views
from ui import blocks
from ui.formats import counted, label, of, percent, points
from ui.language_reads import language_view
from ui.language_selection import LanguageSelection
from ui.leaderboard_windows import pick_window
from ui.selectors import pick_text
from ui.tables import show_csv, show_table


@dataclass(frozen=True)
class _Head:
    """What stands above a column."""

    name: str
    rows: int
    largest_task: str
    largest_share: float


def show_language_table(
    selection: LanguageSelection, finding: DeltaGenerator, row: DeltaGenerator
) -> LanguageSelection:
    """Draws forty rows of the table, and everything as CSV; returns the selection."""
    records, question = selection.records, selection.question
    scored = language_view(views.scores, question, about=question.reading)
    name = records.label(selection.language)
    sentence = blocks.parts_of(find_table(scored, selection.language, name))
    with finding:
        blocks.show_finding(*sentence)
    with row:
        with st.container(width=200):
            search = pick_text("Search models", parameter="search", placeholder="part of a name")
        order = _order(scored, selection.language, search)
        window = pick_window(len(order))
    blocks.show_heading(
        f"{window.title(len(order))} by {name}",
        "Bold: the language sorted by; grey: the model lacks rows, and the hover says how many it has. Below each "
        "language: its rows, and the share of the largest task.",
    )
    languages = [code for code in dict.fromkeys((selection.language, *selection.shown)) if code in scored.languages]
    shown = order[window.first : window.last + 1]
    heads = language_view(_heads, question, about=question.reading)
    st.html(_table_html(scored, heads, languages, shown))
    show_csv(scored.wide(), name="language-table", settings=selection.settings)
    everything = st.toggle(
        f"All {counted(len(scored.languages), 'language')} and {counted(len(scored.model_names), 'model')}",
        key="everything",
        bind="query-params",
    )
    if everything:
        blocks.show_heading("Everything", "One row per model and language, with the rows that the score stands on.")
        show_table(
            language_view(views.table, question, about=question.reading),
            name="language-scores",
            settings=selection.settings,
        )
    blocks.show_caption("MTEB’s own table is sorted by Borda points over its languages", *_differs(records))
    return selection


def _differs(records: LanguageRecords) -> tuple[str, ...]:
    rows = records.sums.cells.filter(pl.Series((records.sums.rows != records.sums.rows_distinct).any(axis=1)))
    languages = rows["language"].n_unique()
    if not languages:
        return ()
    return (f"In {counted(languages, 'language')} some rows name the language twice and count double, as on MTEB",)


def _order(scored: LanguageScores, language: str, search: str) -> list[int]:
    """Places of models: those with every row by score, then the others by how much they have."""
    if language not in scored.languages:
        return []
    at = scored.column(language)
    scores, complete, rows = scored.scores[:, at], scored.is_complete[:, at], scored.rows[:, at]
    keys = np.lexsort((-np.nan_to_num(scores), -rows * ~complete, ~complete))
    asked = search.strip().lower()
    return [int(model) for model in keys if rows[model] > 0 and asked in scored.model_names[model].lower()]


def _heads(records: LanguageRecords, _: object) -> dict[str, _Head]:
    asked = records.asked.sort("rows_expected", "task_name", descending=[True, False])
    largest = asked.group_by("language", maintain_order=True).agg(
        pl.col("task_name").first(), most=pl.col("rows_expected").first(), rows=pl.col("rows_expected").sum()
    )
    return {
        row["language"]: _Head(
            records.label(row["language"]),
            row["rows"],
            row["task_name"],
            row["most"] / row["rows"] if row["rows"] else 0,
        )
        for row in largest.iter_rows(named=True)
    }


def _table_html(
    scored: LanguageScores, heads: dict[str, _Head], languages: Sequence[str], models: Sequence[int]
) -> str:
    top = "".join(_head_html(heads[code], sorted_by=place == 0) for place, code in enumerate(languages))
    columns = [scored.column(code) for code in languages]
    names = [heads[code].name for code in languages]
    body = "".join(_row_html(scored, model, columns, names) for model in models)
    return (
        '<div class="sl-wide"><table class="sl-scores"><thead><tr><th class="sl-rank">rank</th><th>model</th>'
        f"{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _head_html(head: _Head, *, sorted_by: bool) -> str:
    kind = ' class="sl-sorted"' if sorted_by else ""
    told = f"{head.largest_task}: {percent(head.largest_share)} of the rows"
    return (
        f'<th{kind} title="{html.escape(told)}">{html.escape(head.name)}<small>{counted(head.rows, "row")}<br>'
        f"largest {percent(head.largest_share, 0)}</small></th>"
    )


def _row_html(scored: LanguageScores, model: int, columns: Sequence[int], names: Sequence[str]) -> str:
    name = scored.model_names[model]
    rank = scored.ranks[model, columns[0]]
    cells = [_cell_html(scored, model, column, names[place], first=place == 0) for place, column in enumerate(columns)]
    shown = f"{int(rank):,}" if np.isfinite(rank) else "–"
    kind = "" if np.isfinite(rank) else ' class="sl-partial"'
    who = f'<th class="sl-user" title="{html.escape(name)}">{html.escape(label(name))}</th>'
    return f'<tr{kind}><td class="sl-rank">{shown}</td>{who}{"".join(cells)}</tr>'


def _cell_html(scored: LanguageScores, model: int, column: int, language: str, *, first: bool) -> str:
    rows, asked = int(scored.rows[model, column]), int(scored.rows_expected[column])
    if rows == 0:
        return '<td class="sl-partial">–</td>'
    has = f"{of(rows, asked)} rows" if rows < asked else counted(rows, "row")
    partial = "" if scored.is_complete[model, column] else "sl-partial"
    value = points(float(scored.scores[model, column]))
    if first and partial:
        value = f"{value}<small>{has}</small>"
    kinds = " ".join(kind for kind in (partial, "sl-sorted" if first else "") if kind)
    return f'<td class="{kinds}" title="{html.escape(language)}: {has}">{value}</td>'
