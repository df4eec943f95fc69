"""A short list: which models were measured for a purpose in some languages, and how sure their order is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_findings import find_shortlist
from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_shortlist import ModelFilter, Purpose, Shortlist
from engine.answers import language_views as views
from engine.answers.language_composition import chosen_languages
from ui import blocks
from ui.charts.language_composition_intervals import Estimate, estimates
from ui.formats import count, counted, label, number, percent, plotly_text, points
from ui.language_reads import language_view
from ui.language_selection import LanguageSelection, pick_languages
from ui.selectors import pick_many, pick_one, pick_view
from ui.tables import show_table

MOST_ROWS = 30
ANY = "any"
SIZES = {ANY: None, "100 M": 10**8, "300 M": 3 * 10**8, "1 B": 10**9, "3 B": 3 * 10**9, "10 B": 10**10}
DIMENSIONS = {ANY: None} | {str(size): size for size in (384, 512, 768, 1024, 1536, 2048, 4096)}
TOKENS = {ANY: None} | {str(size): size for size in (512, 2048, 8192, 32768)}
FIRST_YEAR = 2019
DECLARED = {"declared trained": "trained on some", "declared not trained": "not trained", "unknown": "unknown"}
TABLE = (
    *("rank", "model_name", "score", "ci_low", "ci_high", "could_be_first", "n_tasks", "rows", "rows_expected"),
    *("training", "n_declared", "n_parameters", "embed_dim", "max_tokens", "license", "open_weights", "release_date"),
)
TASKS = ("language_name", "task_name", "task_type", "corpus", "rows")
SCORES = ("model_name", "language_name", "score", "n_tasks", "rows")


def show_purpose(selection: LanguageSelection, finding: DeltaGenerator, row: DeltaGenerator) -> LanguageSelection:
    """Draws the first models with their intervals, the whole list, and what was measured; returns the question."""
    records = selection.records
    usual = chosen_languages(records, selection.question.reading)
    with row:
        with st.container(width=300):
            codes = pick_languages("Languages", records, usual, parameter="for", default=usual[:1])
        with st.container(width=200):
            purpose = Purpose(pick_one("Purpose", [str(each) for each in Purpose], parameter="purpose"))
        with st.container(width="content"), st.popover("Which models", icon=":material/filter_list:", width="content"):
            wanted = _pick_filter(records)
    if not codes:
        with finding:
            blocks.show_finding("Choose at least one language.")
        return selection
    question = replace(selection.question, languages=codes, purpose=purpose, wanted=wanted)
    found = language_view(views.shortlist, question)
    sentence = blocks.parts_of(find_shortlist(found, records.labels))
    with finding:
        blocks.show_finding(*sentence)
    settings = {
        **selection.settings,
        "languages": " ".join(codes),
        "purpose": purpose.value,
        "models": str(wanted),
        "level": f"{found.level:g}",
        "seed": str(found.seed),
    }
    _show_list(found, sentence, settings)
    if not found.tasks.is_empty():
        blocks.show_heading("What it stands on", "The tasks, with their rows in each language.")
        show_table(found.tasks, name="shortlist-tasks", settings=settings, columns=TASKS)
    if len(codes) > 1:
        blocks.show_heading("Language by language", "Means over tasks of each model in each language.")
        show_table(found.scores, name="shortlist-languages", settings=settings, columns=SCORES)
    for code in found.unmeasured:
        blocks.show_note(
            f"Nothing was measured for {purpose.value} within ", blocks.Quoted(records.label(code)),
            ": no such task of this benchmark has rows with scores in that language alone, so the list says nothing "
            "about it.",
        )  # fmt: skip
    return replace(selection, question=question)


def _show_list(found: Shortlist, alt: blocks.Sentence, settings: Mapping[str, str]) -> None:
    ranked = found.models.drop_nulls("rank")
    if ranked.is_empty():
        blocks.show_empty(
            "No model can be ranked", "Nothing was measured, or no model that passes the filter has every row."
        )
        if found.models.is_empty():
            return
    else:
        every = counted(ranked.height, "model has", "models have")
        blocks.show_heading(
            f"The first {min(MOST_ROWS, ranked.height)} for {found.purpose.value}",
            f"Dot: mean over languages of the mean over tasks; bar: {percent(found.level, 0)} interval over tasks, for "
            f"each model alone. Blue: could be first. Of {count(found.models.height)}, {every} all rows.",
        )
        rows = [_estimate(row) for row in ranked.head(MOST_ROWS).iter_rows(named=True)]
        figure = estimates(rows, ("score", "declared", "parameters"), blocks.palette())
        blocks.show_figure(figure, name="shortlist", alt=alt, settings=settings)
    show_table(found.models, name="shortlist", settings=settings, columns=TABLE)


def _estimate(row: Mapping[str, object]) -> Estimate:
    score, low, high = (None if row[key] is None else float(str(row[key])) for key in ("score", "ci_low", "ci_high"))
    size = row["n_parameters"]
    says = DECLARED.get(str(row["training"]), str(row["training"]))
    interval = f", {points(low)} to {points(high)}" if low is not None else ""
    return Estimate(
        str(row["model_name"]),
        f"{row['rank']}  {label(str(row['model_name']))}",
        (score or 0.0) * 100,
        None if low is None else low * 100,
        None if high is None else high * 100,
        bool(row["could_be_first"]),
        f"<b>{points(score)}</b>{interval}<br>{plotly_text(str(row['model_name']), lines=1)}<br>{says}",
        (points(score), _short(says), _size(size)),
    )


def _short(says: str) -> str:
    return {"trained on some": "trained", "not trained": "not"}.get(says, says)


def _size(parameters: object) -> str:
    """`0.6 B`, `118 M`, or a dash where nobody says."""
    if parameters is None:
        return "–"
    size = float(str(parameters))
    return f"{number(size / 1e9, 1)} B" if size >= 1e9 else f"{number(size / 1e6)} M"


def _pick_filter(records: LanguageRecords) -> ModelFilter:
    """Which models may be on the list; every choice stands in the address."""
    licenses = records.models["license"].drop_nulls().unique().sort().to_list()
    years = [ANY, *(str(year) for year in range(_newest_year(records), FIRST_YEAR - 1, -1))]
    size = pick_one("Parameters, at most", list(SIZES), parameter="max-parameters")
    dimension = pick_one("Dimension, at most", list(DIMENSIONS), parameter="max-dimension")
    tokens = pick_one("Input length in tokens, at least", list(TOKENS), parameter="min-tokens")
    weights = pick_view("Weights", (ANY, "open"), parameter="weights")
    license = pick_many("Licences", licenses, parameter="license", placeholder=ANY)  # noqa: A001 - the word for it
    year = pick_one("Released in or after", years, parameter="released-from")
    blocks.show_caption("A model whose value is unknown does not pass a filter on it.")
    return ModelFilter(
        max_parameters=SIZES[size],
        max_dimension=DIMENSIONS[dimension],
        min_tokens=TOKENS[tokens],
        open_weights=weights == "open",
        licenses=license,
        released_from=None if year == ANY else date(int(year), 1, 1),
    )


def _newest_year(records: LanguageRecords) -> int:
    dates = records.models.select(pl.col("release_date").cast(pl.String).str.slice(0, 4).max())
    return int(dates.item() or FIRST_YEAR)
