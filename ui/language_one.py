"""One language, one model: what the score is made of, task by task, and what the model was asked to do."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_composition import LanguageComposition
from engine.analysis.language_findings import find_composition
from engine.analysis.language_rows import sum_directions
from engine.answers import language_views as views
from engine.answers.language_composition import chosen_languages
from ui import blocks
from ui.blocks import Sentence
from ui.charts.language_composition import Grouping, variwide
from ui.formats import MISSING, counted, percent, points
from ui.language_parts import show_types_key
from ui.language_reads import language_rows, language_view
from ui.language_selection import LanguageSelection, pick_language
from ui.selectors import pick_view
from ui.tables import show_table

NOBODY = "nobody"
TABLE = (
    *("task_name", "task_type", "corpus", "splits", "rows", "share", "mean", "contribution"),
    *("rows_same", "rows_english", "rows_other", "n_queries", "n_documents", "n_samples"),
    *("main_score", "sample_creation", "annotations_creators", "rows_described"),
)
KINDS = (
    ("rows_same", "within", "rows within the language"),
    ("rows_english", "with English", "rows that pair it with English"),
    ("rows_other", "with others", "rows that pair it with other languages"),
)
SIZES = (("n_queries", "queries"), ("n_documents", "documents"), ("n_samples", "samples"))


def show_language(selection: LanguageSelection, finding: DeltaGenerator, row: DeltaGenerator) -> LanguageSelection:
    """Draws the bars of a language, of another beside it, and the table of its tasks."""
    question, records = selection.question, selection.records
    with row:
        with st.container(width=190):
            usual = chosen_languages(records, question.reading)
            other = pick_language("Beside", records, usual, parameter="beside", default="", none=NOBODY)
        grouping = Grouping(pick_view("Group by", [str(each) for each in Grouping], parameter="group"))
    shown = [code for code in dict.fromkeys((selection.language, other)) if code]
    found = [language_view(views.composition, replace(question, languages=(code,))) for code in shown]
    sentence = blocks.parts_of(find_composition(*found))
    with finding:
        blocks.show_finding(*sentence)
    show_types_key("dotted line: language score")
    blocks.show_heading(
        "What the score is made of" if len(found) == 1 else "What each score is made of",
        "Width = share of rows, height = mean score, so area = contribution; the areas add up to the score.",
    )
    for each in found:
        _show_bars(selection, each, grouping, sentence)
    for each in found:
        _show_tasks(selection, each)
    _show_directions(selection)
    return selection


def _show_bars(
    selection: LanguageSelection, composition: LanguageComposition, grouping: Grouping, alt: Sentence
) -> None:
    if composition.score is None:
        name = composition.language_name
        blocks.show_empty(
            f"{name}: not measured",
            f"The benchmark describes {counted(int(composition.tasks['rows_described'].sum()), 'row')} in {name}; this "
            "model has a score on none of them.",
        )
        return
    figure = variwide(composition, grouping, blocks.palette())
    name = f"composition-{composition.language}"
    blocks.show_figure(figure, name=name, alt=alt, settings=selection.settings)


def _show_tasks(selection: LanguageSelection, composition: LanguageComposition) -> None:
    name, tasks = composition.language_name, composition.tasks
    total = "; contributions add up to " + points(composition.score) if composition.score is not None else ""
    blocks.show_heading(f"{name}, task by task", f"{counted(tasks.height, 'task')}{total}.")
    settings = {**selection.settings, "language": composition.language}
    most = float(tasks["share"].max() or 0.0) * 100  # type: ignore[arg-type]
    bar = st.column_config.ProgressColumn("share of weight", format="%.1f %%", min_value=0, max_value=max(most, 1.0))
    number = st.column_config.NumberColumn
    configs = {
        "share": bar,
        **{column: number(words, help=why, format="%,d") for column, words, why in KINDS},
        **{column: number(words, help="mean per row", format="%,.0f") for column, words in SIZES},
    }
    show_table(tasks, name=f"tasks-{composition.language}", settings=settings, columns=TABLE, configs=configs)
    _show_notes(composition)
    with st.expander(f"What the model was asked to do in {name}"):
        for row in tasks.iter_rows(named=True):
            blocks.show_text(
                blocks.Strong(row["task_name"]),
                f" · {percent(row['share'])} · ",
                blocks.Quoted(row["asked_to_do"] or MISSING),
            )


def _show_notes(composition: LanguageComposition) -> None:
    tasks, name = composition.tasks, composition.language_name
    absent = tasks.filter(pl.col("rows") == 0, pl.col("rows_described") > 0)
    described = int(tasks["rows_described"].sum())
    trained = tasks.filter("uses_train", pl.col("rows") > 0)["task_name"]
    twice = composition.rows - composition.rows_distinct
    notes = [
        f"{row['task_name']} ({counted(row['rows_described'], 'row')}, {percent(row['rows_described'] / described, 0)} "
        f"of the paper in {name}) has no score here, so the score is over the other rows"
        for row in absent.head(2).iter_rows(named=True)
    ]
    if len(trained):
        notes.append(f"A train split is what is scored in {', '.join(trained)}")
    if composition.score_by_task is not None and tasks.filter(pl.col("rows") > 0).height > 1:
        notes.append(f"With every task alike the score would be {points(composition.score_by_task)}")
    if twice:
        notes.append(
            f"{counted(twice, 'row')} name {name} twice and count double, as in mteb; counted once the score is "
            f"{points(composition.score_distinct)}"
        )
    if composition.rows < composition.rows_expected:
        notes.append(f"The model has {counted(composition.rows, 'row')} of {composition.rows_expected:,}")
    blocks.show_caption(*notes)


def _show_directions(selection: LanguageSelection) -> None:
    name = selection.records.label(selection.language)
    asked = st.toggle(f"Single rows of {name}, and directions of translation", key="rows", bind="query-params")
    if not asked:
        return
    rows = language_rows(selection.question, selection.model, selection.language)
    directions = sum_directions(rows)
    blocks.show_heading(
        "From and into",
        f"Pairs with {name} on the first side (from) or on the second (into), by the order that the results name them.",
    )
    show_table(directions, name="directions", settings=selection.settings)
    blocks.show_heading("Single rows", f"{counted(rows.height, 'row')}, each once; the lowest first.")
    ordered = rows.sort("score", "task_name", "subset")
    columns = ("task_name", "split", "subset", "partner", "direction", "score", "row_kind", "times")
    show_table(ordered, name="rows", settings=selection.settings, columns=columns)
