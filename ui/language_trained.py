"""What models declare to have been trained on, and how their place on the leaderboard goes with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.contamination import NO_PRETRAINING, Closure, Declarations
from engine.analysis.language_findings import find_declared
from engine.answers import language_views as views
from engine.answers.language_composition import LanguageQuestion
from ui import blocks
from ui.charts.language_composition_trained import declared_against_rank
from ui.formats import counted, label
from ui.language_reads import language_view
from ui.language_selection import MODEL, LanguageSelection
from ui.selectors import pick_named
from ui.tables import show_table

if TYPE_CHECKING:
    from ui.charts.theme import Figure

CLOSURES = {
    Closure.DIRECT.value: "that task alone",
    Closure.SIMILAR.value: "similar tasks (mteb)",
    Closure.CORPUS.value: "same corpus",
}


def show_declared(selection: LanguageSelection, finding: DeltaGenerator, row: DeltaGenerator) -> LanguageSelection:
    """Draws places against declared tasks, the chosen model's list, and the correlations; returns the question."""
    with row:
        closure = Closure(
            pick_named("A declared task speaks for", CLOSURES, parameter="closure", default=Closure.SIMILAR.value)
        )
    question = replace(selection.question, closure=closure)
    about = replace(question.reading, closure=closure)
    declared = language_view(views.declarations, question, about=about)
    correlation = language_view(views.declared_correlation, question, about=about)
    sentence = blocks.parts_of(find_declared(declared, correlation))
    with finding:
        blocks.show_finding(*sentence)
    settings = {**selection.settings, "closure": closure.value}
    with st.container(key="wide-declared"):
        with st.container():
            blocks.show_heading(
                "Do better places declare more?",
                "A dot a model: across its place, up the tasks of the benchmark that it declares; rings below the line "
                "declare nothing. A click chooses a model.",
            )
            figure = declared_against_rank(declared.models, selection.model, blocks.palette())
            _show_choosing_model(figure, sentence, settings)
        with st.container():
            blocks.show_heading(
                "Rank correlation",
                "Spearman’s ρ, with both treatments of unknown; negative: better places declare more.",
            )
            show_table(correlation, name="correlation", settings=settings)
    _show_model(selection, declared, replace(question, languages=selection.shown), settings)
    blocks.show_heading("All models", "Declared tasks of the benchmark by name; nothing named and nothing said differ.")
    show_table(declared.models, name="declared", settings=settings)
    blocks.show_caption(NO_PRETRAINING.rstrip("."))
    return replace(selection, question=question)


def _show_choosing_model(figure: Figure, alt: blocks.Sentence, settings: dict[str, str]) -> None:
    def clicked() -> None:
        points = st.session_state["figure-declared"].selection.points
        if points and (name := points[0].get("customdata")) is not None:
            st.session_state[MODEL] = str(name)

    blocks.show_figure(
        figure,
        name="declared",
        alt=alt,
        settings=settings,
        selectable=True,
        on_select=clicked,
    )


def _show_model(
    selection: LanguageSelection, declared: Declarations, question: LanguageQuestion, settings: dict[str, str]
) -> None:
    name = label(selection.model)
    own = declared.models.filter(pl.col("model_name") == selection.model)
    if own.is_empty():
        return
    row = own.row(0, named=True)
    if row["n_declared"] is None:
        blocks.show_heading(f"What {name} declares", "Nothing: its training data is unknown, which is not clean.")
        return
    elsewhere = f" and {counted(row['n_other'], 'name')} outside it" if row["n_other"] else ""
    blocks.show_heading(
        f"What {name} declares", f"{counted(row['n_declared'], 'task')} of the benchmark{elsewhere}. Share of each "
        "language’s weight that stands on them:",
    )  # fmt: skip
    shares = language_view(views.declared_share, question)
    named = shares.with_columns(language_name=pl.col("language").replace(selection.records.labels))
    columns = ("language_name", "rows", "rows_declared", "declared_share", "training")
    ordered = named.sort("declared_share", descending=True, nulls_last=True)
    show_table(ordered, name="declared-share", settings=settings, columns=columns)
    if row["declared"]:
        blocks.show_text(blocks.Strong("Declared: "), ", ".join(row["declared"]))
