"""What if a task, corpus, type or kind of row were not there, or something else counted the same?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_composition import PART_COLUMN, Part
from engine.analysis.language_findings import find_left_out, find_what_if
from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_scores import Weight
from engine.analysis.language_what_if import WhatIfEffect
from engine.analysis.languages import ENGLISH
from engine.answers import language_views as views
from engine.answers.language_composition import LanguageQuestion
from engine.schema import RowKind
from ui import blocks
from ui.blocks import Sentence
from ui.charts.language_composition_what_if import MOST_PARTS, lollipops, moved_languages
from ui.formats import counted, listed
from ui.language_parts import show_choosing_language
from ui.language_reads import language_view
from ui.language_selection import WHAT_IF, LanguageSelection
from ui.selectors import pick_many, pick_named, pick_one
from ui.tables import show_table

LEAVE_OUT = "leave-out"
CORPUS, TYPE, KIND = "corpus ", "type ", "rows: "
WEIGHTS = {
    Weight.ROW.value: "row (mteb)",
    Weight.TASK.value: "task",
    Weight.TASK_TYPE.value: "task type",
    Weight.CORPUS.value: "corpus",
}
IN_TURN = {
    Part.TASK.value: "task",
    Part.CORPUS.value: "corpus",
    Part.TASK_TYPE.value: "task type",
    Part.ROW_KIND.value: "kind of row",
}


def show_what_if(selection: LanguageSelection, finding: DeltaGenerator, row: DeltaGenerator) -> LanguageSelection:
    """Draws each part left out in turn beside all languages under the change; returns the selection with it."""
    question, records = selection.question, selection.records
    name = records.label(selection.language)
    first = language_view(views.parts_left_out, replace(question, languages=(selection.language,)), Part.TASK)
    with row:
        with st.container(width=330):
            usual = first["task_name"].head(1).to_list()
            left_out = pick_many(
                "Leave out", _options(records, first), parameter=LEAVE_OUT, default=usual, placeholder="nothing"
            )
        with st.container(width=150):
            said = pick_one("Weight by", list(WEIGHTS.values()), parameter="weight")
    weight = Weight(next(value for value, words in WEIGHTS.items() if words == said))
    changed = replace(selection, question=_changed(question, left_out, weight))
    found = language_view(views.effect, changed.question, about=replace(changed.question, models=(), languages=()))
    moved = found.languages_of(selection.model, changed.shown)
    change = _in_words(left_out, weight)
    sentence = blocks.parts_of(
        find_what_if(moved, selection.language, name, change) if change else find_left_out(first, "task_name", name)
    )
    with finding:
        blocks.show_finding(*sentence)
    with st.container(key="reflow-what-if"):
        with st.container():
            changed = replace(changed, in_turn=_show_in_turn(changed, sentence))
        with st.container():
            blocks.show_heading(
                f"{counted(moved.height, 'language')} {change or 'as mteb computes them'}",
                "○ as mteb computes it · ● with the change. Place among these. A click chooses a language.",
            )
            figure = moved_languages(moved, records.labels, selection.language, blocks.palette())
            show_choosing_language(figure, changed, name="moved", alt=sentence, opens=WHAT_IF)
    _show_tables(changed, found, moved)
    if ENGLISH in records.known_languages:
        _show_hub(changed)
    return changed


def _options(records: LanguageRecords, first: pl.DataFrame) -> list[str]:
    """What can be left out: the language's tasks by their effect, all other tasks, corpora, types, kinds of row."""
    shared = records.tasks.group_by("corpus").len().filter(pl.col("len") > 1)["corpus"].sort()
    types = records.tasks["task_type"].drop_nulls().unique().sort()
    return [
        *dict.fromkeys((*first["task_name"], *records.tasks["task_name"].sort())),
        *(f"{CORPUS}{corpus}" for corpus in shared),
        *(f"{TYPE}{task_type}" for task_type in types),
        *(f"{KIND}{kind.value}" for kind in RowKind),
    ]


def _changed(question: LanguageQuestion, left_out: tuple[str, ...], weight: Weight) -> LanguageQuestion:
    def those(prefix: str) -> tuple[str, ...]:
        return tuple(option.removeprefix(prefix) for option in left_out if option.startswith(prefix))

    return replace(
        question,
        drop_tasks=tuple(option for option in left_out if not option.startswith((CORPUS, TYPE, KIND))),
        drop_corpora=those(CORPUS),
        drop_types=those(TYPE),
        drop_kinds=tuple(RowKind(kind) for kind in those(KIND)),
        weight=weight,
    )


def _in_words(left_out: tuple[str, ...], weight: Weight) -> str:
    """The change in words: `without BibleNLPBitextMining, every task alike`; empty = none."""
    said = [f"without {listed(left_out)}"] if left_out else []
    said += [f"with every {WEIGHTS[weight.value]} alike"] if weight is not Weight.ROW else []
    return ", ".join(said)


def _show_in_turn(selection: LanguageSelection, alt: Sentence) -> Part:
    """Draws the score without each part; returns which kind of part."""
    name = selection.records.label(selection.language)
    part = Part(pick_named("Leave out in turn", IN_TURN, parameter="in-turn"))
    question = replace(
        selection.question,
        languages=(selection.language,),
        drop_tasks=(),
        drop_corpora=(),
        drop_types=(),
        drop_kinds=(),
    )
    without = language_view(views.parts_left_out, question, part)
    scored = without.drop_nulls("change")
    blocks.show_heading(
        f"{name} without …",
        f"Score if one {IN_TURN[part.value]} is left out; the {min(MOST_PARTS, scored.height)} that matter most, "
        f"of {without.height}.",
    )
    if scored.is_empty():
        blocks.show_empty("Nothing to leave out", f"One {IN_TURN[part.value]} is all there is of {name}.")
        return part
    row = scored.row(0, named=True)
    figure = lollipops(without, PART_COLUMN[part], row["score_without"] - row["change"], blocks.palette())
    blocks.show_figure(figure, name="without", alt=alt, settings=selection.settings)
    with st.expander(f"All {counted(without.height, 'part')}"):
        show_table(without, name="without", settings=selection.settings)
    return part


def _show_tables(selection: LanguageSelection, found: WhatIfEffect, moved: pl.DataFrame) -> None:
    records = selection.records
    blocks.show_heading("All languages shown", "Places are among these languages, 1 = highest.")
    named = moved.with_columns(language_name=pl.col("language").replace(records.labels))
    columns = ["language_name", *(column for column in moved.columns if column != "language")]
    show_table(named, name="languages-moved", settings=selection.settings, columns=columns)
    name = records.label(selection.language)
    models = found.models_of(selection.language).sort(
        "rank_after", "score_after", descending=[False, True], nulls_last=True
    )
    blocks.show_heading(f"All models in {name}", "Ranks are among the models that have every row that is asked.")
    show_table(models, name="models-moved", settings=selection.settings)


def _show_hub(selection: LanguageSelection) -> None:
    with st.expander("English as hub: the same pairs seen from both sides"):
        question = replace(selection.question.reading, models=selection.question.models)
        found = language_view(views.hub, question)
        blocks.show_text(
            "A pair of English and another language counts once in English and once in the other. The other language "
            "has two rows of a translation task; English has those of all of them."
        )
        show_table(found.tasks, name="hub", settings=selection.settings)
