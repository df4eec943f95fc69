"""Languages compared only on what all of them share in kind."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_findings import find_same_paper
from engine.answers import language_views as views
from engine.answers.language_composition import chosen_languages
from ui import blocks
from ui.charts.language_composition_what_if import moved_languages
from ui.formats import counted
from ui.language_parts import show_choosing_language
from ui.language_reads import language_view
from ui.language_selection import SAME_PAPER, LanguageSelection, pick_languages
from ui.tables import show_table

FEWEST, USUAL = 2, 6


def show_same_paper(selection: LanguageSelection, finding: DeltaGenerator, row: DeltaGenerator) -> LanguageSelection:
    """Draws each language as published and on the shared rows, and the table of shared tasks."""
    records = selection.records
    usual = chosen_languages(records, selection.question.reading)
    with row:
        codes = pick_languages("Languages", records, usual, parameter="shared", default=usual[:USUAL])
    if len(codes) < FEWEST:
        words = "Choose two languages or more to compare them on what they share."
        if len(records.known_languages) < FEWEST:
            words = "This benchmark has a single language, so there is none to compare it with."
        with finding:
            blocks.show_finding(words)
        return selection
    question = replace(selection.question, languages=codes)
    found = language_view(views.same_paper, question)
    sentence = blocks.parts_of(find_same_paper(found))
    with finding:
        blocks.show_finding(*sentence)
    compared = found.scores.drop_nulls("score")
    if compared.is_empty():
        blocks.show_empty(
            "Nothing shared",
            "No task has the same split and parallel rows within all of these languages. Take one out, or compare "
            "fewer: their published scores are marks in different papers.",
        )
        return replace(selection, question=question)
    blocks.show_heading(
        f"{counted(compared.height, 'language')} on {counted(found.n_tasks, 'shared task')}",
        "○ as published, over all rows · ● over the shared rows, every task alike. Place among these.",
    )
    figure = moved_languages(_as_moves(found.scores), records.labels, "", blocks.palette())
    show_choosing_language(figure, selection, name="same-paper", alt=sentence, opens=SAME_PAPER)
    columns = ("language_name", "score", "score_published", "rows", "share")
    show_table(found.scores, name="same-paper", settings=selection.settings, columns=columns)
    blocks.show_heading("The shared tasks", "One row per task, split, kind of row and language.")
    named = found.parts.with_columns(language_name=pl.col("language").replace(records.labels))
    shared = ("task_name", "task_type", "split", "row_kind", "language_name", "rows", "mean")
    show_table(named, name="shared-parts", settings=selection.settings, columns=shared)
    return replace(selection, question=question)


def _as_moves(scores: pl.DataFrame) -> pl.DataFrame:
    """The scores in the columns that the picture of before and after takes."""
    place = {"method": "min", "descending": True}
    return scores.select(
        "language",
        score_before="score_published",
        score_after="score",
        change=pl.col("score") - pl.col("score_published"),
        place_before=pl.col("score_published").rank(**place),  # type: ignore[arg-type]
        place_after=pl.col("score").rank(**place),  # type: ignore[arg-type]
        rows_before=(pl.col("rows") / pl.col("share")).round().cast(pl.Int64),
        rows_after="rows",
    ).sort("score_before", descending=True)
