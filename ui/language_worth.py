"""How much a language score is worth: effective numbers, a checklist, kinds of test, and the order of models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_checklist import Answer, Point
from engine.analysis.language_findings import find_worth
from engine.answers import language_views as views
from engine.answers.language_composition import LanguageQuestion
from ui import blocks
from ui.blocks import Sentence
from ui.charts.language_composition_grid import Mark, mark_grid
from ui.charts.language_composition_intervals import Estimate, estimates
from ui.charts.theme import TASK_TYPES, Palette
from ui.formats import count, counted, number, plotly_text
from ui.language_parts import show_choosing_language
from ui.language_reads import language_view
from ui.language_selection import LanguageSelection
from ui.tables import show_table

HEADS = {
    Point.COMPARABLE: "within, or parallel",
    Point.NO_THRESHOLD: "no absolute threshold",
    Point.NATIVE: "written, not translated",
    Point.HARD_NEGATIVES: "hard negatives",
    Point.PUBLISHED: "composition published",
    Point.BALANCED: "no task above a third",
    Point.HELD_OUT: "no training split",
    Point.NOT_BY_SCRIPT: "not by script alone",
}
TAU = (-1.02, 1.02)
"""Where an axis of τ-b ends, with room for half a dot."""
SYMBOLS = {Answer.YES: "circle", Answer.NO: "x-thin", Answer.UNKNOWN: "circle-open-dot"}


def show_worth(selection: LanguageSelection, finding: DeltaGenerator, _: DeltaGenerator) -> LanguageSelection:
    """Draws checklist and coverage side by side, the effective numbers, and how languages order models."""
    question = replace(selection.question, languages=selection.shown)
    every = question.reading
    worth = language_view(views.worth, question)
    covered = language_view(views.coverage, every)
    within = covered.filter(pl.col("n_tasks_same") > 0)
    n_languages = len(selection.records.known_languages)
    lack = partial(_without, within, n_languages)
    sentence = blocks.parts_of(find_worth(worth, lack(("Retrieval", "Reranking")), lack(("STS",)), n_languages))
    with finding:
        blocks.show_finding(*sentence)
    with st.container(key="reflow-worth"):
        with st.container():
            _show_checklist(selection, question, sentence)
        with st.container():
            _show_coverage(selection, covered, sentence)
    blocks.show_heading("What each score stands on", "By description of the benchmark; the least first.")
    show_table(
        worth, name="worth", settings=selection.settings, columns=[name for name in worth.columns if name != "language"]
    )
    _show_agreement(selection, question, sentence)
    return replace(selection, question=question)


def _without(within: pl.DataFrame, n_languages: int, types: tuple[str, ...]) -> int:
    """Languages without a task of these types within the language."""
    return n_languages - within.filter(pl.col("task_type").is_in(list(types)))["language"].n_unique()


def _show_checklist(selection: LanguageSelection, question: LanguageQuestion, alt: Sentence) -> None:
    checklist = language_view(views.checklist, question)
    codes, palette = list(selection.shown), blocks.palette()
    blocks.show_heading(
        "What speaks for the score", "● yes · × no · ⊙ unknown. Each point has its reason in the hover."
    )
    place, columns = {code: at for at, code in enumerate(codes)}, {point.value: at for at, point in enumerate(Point)}
    inks = {Answer.YES: palette.accent, Answer.NO: palette.calls["high"], Answer.UNKNOWN: palette.ink3}
    marks = [
        Mark(
            place[row["language"]],
            columns[row["point"]],
            SYMBOLS[Answer(row["answer"])],
            inks[Answer(row["answer"])],
            9,
            f"<b>{row['answer']}</b>: {plotly_text(row['point'], lines=1)}<br>{plotly_text(row['why'])}",
        )
        for row in checklist.iter_rows(named=True)
        if row["language"] in place
    ]
    names = [selection.records.label(code) for code in codes]
    heads = [HEADS[point] for point in Point]
    figure = mark_grid(names, heads, marks, codes, palette)
    show_choosing_language(figure, selection, name="checklist", alt=alt)
    with st.expander("The checklist in words"):
        show_table(checklist, name="checklist", settings=selection.settings)


def _show_coverage(selection: LanguageSelection, covered: pl.DataFrame, alt: Sentence) -> None:
    codes, palette = list(selection.shown), blocks.palette()
    blocks.show_heading(
        "Which kinds of test there are",
        "■ and figure: tasks with rows within the language · □ only rows across languages · empty: none.",
    )
    types = [name for name in TASK_TYPES if name in set(covered["task_type"])]
    marks = [
        _coverage_mark(row, codes.index(row["language"]), types.index(row["task_type"]), palette)
        for row in covered.iter_rows(named=True)
        if row["language"] in codes and row["task_type"] in types
    ]
    names = [selection.records.label(code) for code in codes]
    figure = mark_grid(names, types, marks, codes, palette)
    show_choosing_language(figure, selection, name="coverage", alt=alt)
    words = f"Kinds of test in all {count(len(selection.records.known_languages))} languages"
    if st.toggle(words, key="coverage", bind="query-params"):
        show_table(covered, name="coverage", settings=selection.settings)


def _coverage_mark(row: Mapping[str, Any], at: int, column: int, palette: Palette) -> Mark:
    same, name = row["n_tasks_same"], plotly_text(row["language_name"], lines=1)
    hover = (
        f"<b>{counted(same, 'task')} within the language</b>, {count(row['n_tasks'])} in all"
        f"<br>{name}, {row['task_type']}: {counted(row['rows'], 'row')}"
    )
    colour = palette.task_colour(row["task_type"])
    return Mark(at, column, "square" if same else "square-open", colour, 11, hover, f" {same}" if same else "")


def _show_agreement(selection: LanguageSelection, question: LanguageQuestion, alt: Sentence) -> None:
    found = language_view(views.disagreement, question)
    told = found.with_overall.drop_nulls("tau_b")
    blocks.show_heading(
        "Do languages order the models as the whole leaderboard does?",
        "Dot: Kendall’s τ-b of the language’s order and the leaderboard over tasks; bar: 95 % interval over models; "
        "1 = the same order.",
    )
    rows = [
        Estimate(
            row["language"],
            row["language_name"],
            row["tau_b"],
            row["ci_low"],
            row["ci_high"],
            row["language"] in selection.pins,
            f"<b>{number(row['tau_b'], 2)}</b> over {counted(row['n'], 'model')}<br>"
            f"{plotly_text(row['language_name'], lines=1)}",
            (number(row["tau_b"], 2), count(row["n"])),
        )
        for row in told.iter_rows(named=True)
    ]
    figure = estimates(rows, ("τ-b", "models"), blocks.palette(), bounds=TAU)
    show_choosing_language(figure, selection, name="agreement", alt=alt)
    words = "Which models move most, and how far languages agree with each other"
    if st.toggle(words, key="movers", bind="query-params"):
        show_table(found.with_overall, name="agreement", settings=selection.settings)
        show_table(found.movers.head(1000), name="movers", settings=selection.settings)
        show_table(found.between, name="agreement-between", settings=selection.settings)
