"""The sections of the Methods page: definitions out of `engine.measures`, and the provenance of the snapshot.

Nothing is defined here: every word about a measure or a rule is read from where it is declared.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl
import streamlit as st

from engine.measures import MEASURES, RULES, Measure
from ui import blocks, tables
from ui.blocks import Sentence, Strong
from ui.formats import counted, moment
from ui.selectors import pick_one

if TYPE_CHECKING:
    from engine.answers.methods import Provenance

MEASURES_VIEW, RULES_VIEW = "Measures", "Rules"
FRAMES: Mapping[str, tuple[str, str]] = {
    "Tasks": ("tasks", "Tasks that have a run in this snapshot, with the languages of their subsets."),
    "Prompts": ("prompts", "Every prompt of a study, its exact text, and how many runs and models used it."),
    "Default prompts": (
        "default_prompts",
        "What is known to have stood before the texts of default runs, side by side with where it came from.",
    ),
    "Model revisions": ("model_revisions", "Revisions of models in use; main is the one that mteb registers."),
    "Data revisions": ("dataset_revisions", "Revisions of data sets in use; several for one task are never alike."),
    "Versions": ("versions", "Combinations of software that the runs name."),
}
"""Views of the provenance: the frame, and what one row is."""
VIEWS = (MEASURES_VIEW, RULES_VIEW, *FRAMES)
EVERY_LANGUAGE = "every language"


def finding(provenance: Provenance | None) -> Sentence:
    """The sentence that says how much stands behind the numbers."""
    sentence: list[blocks.Part] = [
        Strong(counted(len(MEASURES), "measure")),
        " and ",
        Strong(counted(len(RULES), "rule")),
        " stand behind every number here",
    ]
    if provenance is None:
        return [*sentence, "."]
    versions = provenance.versions["mteb_version"].drop_nulls().n_unique()
    return [
        *sentence,
        "; the snapshot was made from ",
        Strong(counted(provenance.model_revisions.height, "revision of a model", "revisions of models")),
        f" and {counted(versions, 'version')} of mteb.",
    ]


def settings(provenance: Provenance) -> dict[str, str]:
    """What stands in the downloads of the provenance."""
    built = provenance.built.row(0, named=True)
    return {
        "snapshot": provenance.snapshot_id,
        "published": moment(built["created_at"]),
        "Scorelens": built["scorelens_version"],
        "mteb": built["mteb_version"] or "none",
    }


def show_measures() -> None:
    """Draws every measure with its formula, and what happens to ties and missing values."""
    with st.container(key="reflow-measures"):
        for measure in MEASURES:
            st.html(_definition(measure))
    tables.show_csv(definitions(), name="measures", settings={"definitions of": "Scorelens"})


def _definition(measure: Measure) -> str:
    entries = {
        "Formula": measure.formula,
        "Ties": measure.ties,
        "Missing": measure.missing,
        "Unit": measure.unit,
        "Source": measure.source,
    }
    rows = "".join(f"<dt>{name}</dt><dd>{_with_code(words)}</dd>" for name, words in entries.items() if words)
    title = f'<h3 class="sl-heading">{html.escape(measure.title)} <code>{html.escape(measure.key)}</code></h3>'
    return f'{title}<p class="sl-explanation">{html.escape(measure.gloss)}</p><dl class="sl-terms">{rows}</dl>'


def _with_code(words: str) -> str:
    """Escaped HTML in which names between backticks are set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(words))


def show_rules() -> None:
    """Draws the rules that every page keeps to."""
    for rule in RULES:
        blocks.show_heading(f"{rule.number}. {rule.title}", rule.text)


def definitions() -> pl.DataFrame:
    """One row per measure: all that is declared about it."""
    fields = ("key", "title", "gloss", "formula", "ties", "missing", "unit", "source")
    return pl.DataFrame([{field: getattr(measure, field) for field in fields} for measure in MEASURES])


def show_provenance(provenance: Provenance, view: str) -> None:
    """Draws one list of what went into the snapshot, as a table to download."""
    attribute, explanation = FRAMES[view]
    frame: pl.DataFrame = getattr(provenance, attribute)
    chosen = settings(provenance)
    if view == "Tasks":
        language = _pick_language(frame)
        chosen["language"] = language
        if language != EVERY_LANGUAGE:
            frame = frame.filter(pl.col("languages").list.contains(language))
    blocks.show_heading(f"{view}: {frame.height:,}", explanation)
    tables.show_table(frame, name=attribute.replace("_", "-"), settings=chosen)


def _pick_language(tasks: pl.DataFrame) -> str:
    languages = tasks["languages"].explode().drop_nulls().unique().sort().to_list()
    with st.container(width=260):
        return pick_one("Language", [EVERY_LANGUAGE, *languages], parameter="language")


def show_caption(provenance: Provenance) -> None:
    """Draws the caption: snapshot, time, versions."""
    named = settings(provenance)
    blocks.show_caption(
        f"Snapshot {named['snapshot']}",
        f"published {named['published']}",
        f"Scorelens {named['Scorelens']}",
        f"tasks and models described by mteb {named['mteb']}",
    )
