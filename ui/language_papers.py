"""The papers side by side: what each language is asked, and what its largest task does to the score."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_papers import LanguagePapers, find_papers, lay_out_papers
from engine.analysis.language_records import LanguageRecords
from engine.answers.language_composition import LanguageQuestion
from ui import blocks
from ui.charts.language_composition_papers import paper_rows
from ui.formats import counted, listed, percent
from ui.language_parts import show_choosing_language, show_types_key
from ui.language_reads import language_view
from ui.language_selection import LanguageSelection
from ui.selectors import pick_one
from ui.tables import show_table

ORDERS = {
    "score, high to low": ("score", True),
    "score, low to high": ("score", False),
    "change without the largest task": ("size", True),
    "rows": ("rows_described", True),
    "largest share": ("paper_share", True),
    "name": ("language_name", False),
}
TABLE = (
    *("language_name", "rows_described", "rows", "n_tasks", "score", "largest_task", "largest_share"),
    *("score_without", "change", "paper_task", "paper_share", "rows_missing"),
)


def show_papers(selection: LanguageSelection, finding: DeltaGenerator, row: DeltaGenerator) -> LanguageSelection:
    """Draws a row a language, pinned ones first and taller, and the table; returns the whole question."""
    with row, st.container(width=230):
        order = pick_one("Order", list(ORDERS), parameter="order")
    question = replace(selection.question, languages=selection.shown)
    papers = _ordered(language_view(_papers, question), selection.pins, order)
    sentence = blocks.parts_of(find_papers(papers))
    with finding:
        blocks.show_finding(*sentence)
    settings = {**selection.settings, "order": order}
    show_types_key("hatched: no score in this source")
    blocks.show_heading(
        f"{counted(papers.languages.height, 'examination paper')}",
        "Width = share of the rows by description, height = mean score; tasks of one corpus stand side by side. Right: "
        "○ the score as published, ● without the task that most of its scored rows come from. Click a language to "
        "open it.",
    )
    figure = paper_rows(papers, selection.pins, blocks.palette())
    show_choosing_language(figure, selection, name="papers", alt=sentence)
    show_table(papers.languages, name="papers", settings=settings, columns=TABLE)
    blocks.show_caption(*_missing(papers))
    return replace(selection, question=question)


def _papers(records: LanguageRecords, question: LanguageQuestion) -> LanguagePapers:
    return lay_out_papers(records, question.models[0], question.languages)


def _ordered(papers: LanguagePapers, pins: tuple[str, ...], order: str) -> LanguagePapers:
    column, falling = ORDERS[order]
    languages = papers.languages.with_columns(
        size=pl.col("change").abs(), is_pinned=pl.col("language").is_in(list(pins))
    ).sort("is_pinned", column, "language", descending=[True, falling, False], nulls_last=True)
    return replace(papers, languages=languages.drop("size", "is_pinned"))


def _missing(papers: LanguagePapers) -> tuple[str, ...]:
    """What a reader must know to read the picture: which large tasks have no score, which are drawn together."""
    absent = papers.tasks.filter(pl.col("rows") == 0).group_by("task_name").agg(
        pl.len(), pl.col("rows_described").max(), pl.col("share").median()
    ).sort("rows_described", descending=True)  # fmt: skip
    told = [
        f"{row['task_name']}: up to {counted(row['rows_described'], 'row')} in {counted(row['len'], 'language')}, "
        f"{percent(row['share'], 0)} of the median paper there, without a score of this model"
        for row in absent.head(2).iter_rows(named=True)
    ]
    more = absent["task_name"].to_list()[2:]
    return (
        *told,
        f"{listed(more)} without a score too" if more else "",
        "Tasks under 2 % of a paper are drawn together by type",
    )
