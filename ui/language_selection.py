"""What a visitor asks of the language page: widgets in, one frozen selection out; all of it lives in the URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.language_composition import Part
from engine.analysis.language_records import LanguageRecords
from engine.analysis.languages import ENGLISH, Merging
from engine.answers.language_composition import FIRST_BENCHMARK, LanguageQuestion, chosen_languages
from ui import state
from ui.language_reads import language_records, models_by_rank
from ui.selectors import pick_data, pick_many, pick_named, pick_one, pick_view

SIDE_BY_SIDE, ONE, WHAT_IF, TABLE, PURPOSE, SAME_PAPER, WORTH, TRAINED = (
    "Side by side",
    "One language",
    "What if",
    "Table",
    "For my purpose",
    "Same paper",
    "Worth",
    "Contamination",
)
VIEWS = (SIDE_BY_SIDE, ONE, WHAT_IF, TABLE, PURPOSE, SAME_PAPER, WORTH, TRAINED)
WITH_MODEL = (SIDE_BY_SIDE, ONE, WHAT_IF, SAME_PAPER, TRAINED)
WITH_LANGUAGE = (ONE, WHAT_IF, TABLE)
WITH_PINS = (SIDE_BY_SIDE, WHAT_IF, TABLE, WORTH)
MERGINGS = {
    Merging.SPELLINGS.value: "spellings",
    Merging.BROADER.value: "and broader codes",
    Merging.NONE.value: "as written",
}
VIEW, MODEL, LANGUAGE, PINS = "view", "model", "language", "pin"
KEPT = (MODEL, LANGUAGE, PINS, "beside", "order", "leave-out", "weight", "purpose", "closure", "shared", "for")


@dataclass(frozen=True)
class LanguageSelection:
    """The question to the engine, and how its answer is looked at."""

    question: LanguageQuestion
    view: str
    language: str = ""
    pins: tuple[str, ...] = ()
    in_turn: Part = Part.TASK

    @cached_property
    def records(self) -> LanguageRecords:
        """The board's scores by language."""
        return language_records(self.question)

    @property
    def model(self) -> str:
        """The model of a view of one; empty where a view is about all."""
        return next(iter(self.question.models), "")

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Pinned languages first, then those that mteb's site shows, or the twenty with most rows."""
        usual = chosen_languages(self.records, self.question.reading)
        return tuple(dict.fromkeys((*self.pins, *([self.language] if self.language else []), *usual)))

    @property
    def settings(self) -> dict[str, str]:
        """The selection in words, with the snapshot, for downloads."""
        what_if = self.question.what_if
        said = {
            "view": self.view,
            "model": self.model,
            "language": self.language,
            "pin": " ".join(self.pins),
            "left out": "; ".join(
                (*what_if.drop_tasks, *what_if.drop_corpora, *what_if.drop_types, *what_if.drop_kinds)
            ),
            "weight": "" if what_if.is_published else what_if.weight.value,
        }
        return {**self.records.settings, **{key: value for key, value in said.items() if value}}


def pick_selection(boards: dict[str, tuple[str, ...]]) -> tuple[LanguageSelection, DeltaGenerator]:
    """The selection from the first widgets, and the row that takes the view's own; `boards` is not empty."""
    state.keep(*KEPT)
    view = pick_view("View", VIEWS, parameter=VIEW)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        board_place = st.container(width=250)
        model_place = st.container(width=290) if view in WITH_MODEL else None
        language_place = st.container(width=200) if view in WITH_LANGUAGE else None
        row = st.container(horizontal=True, vertical_alignment="bottom", gap="small", width="content")
        with st.container(width="content"), st.popover("Adjust", icon=":material/tune:", width="content"):
            source = pick_one("Source", tuple(boards), parameter="source", default=_usual_source(boards))
            merge = _pick_merging()
            data = pick_data()
            pins_place = st.container()
    with board_place:
        benchmark = pick_one("Benchmark", boards[source], parameter="benchmark", default=FIRST_BENCHMARK)
    question = LanguageQuestion(source=source, benchmark=benchmark, merge=merge, data=data)
    records = language_records(question)
    if model_place:
        with model_place:
            model = pick_one("Model", models_by_rank(question), parameter=MODEL)
            question = replace(question, models=(model,))
    usual = chosen_languages(records, question.reading)
    english = (ENGLISH,) if ENGLISH in records.known_languages else ()
    pins: tuple[str, ...] = ()
    if view in WITH_PINS:
        with pins_place:
            pins = pick_languages("Pinned languages", records, usual, parameter=PINS, default=english)
    language = ""
    if language_place:
        with language_place:
            label = "Sort by" if view == TABLE else "Language"
            language = pick_language(label, records, usual, parameter=LANGUAGE, default=(*english, *usual)[0])
    return LanguageSelection(question, view, language, pins), row


def _pick_merging() -> Merging:
    return Merging(
        pick_named(
            "Codes that are one language",
            MERGINGS,
            parameter="merge",
            help="spellings: other ways to write a code, such as eng_Latn. And broader codes: also a language into its "
            "macrolanguage, such as cmn-Hans into zho-Hans; that is a choice, not a fact.",
        )
    )


def _usual_source(boards: dict[str, tuple[str, ...]]) -> str:
    return next((source for source, covered in boards.items() if FIRST_BENCHMARK in covered), next(iter(boards)))


def _names(records: LanguageRecords, first: Sequence[str]) -> dict[str, str]:
    """What the languages of a board are called, with their codes: some first, then by name."""
    rest = sorted((code for code in records.known_languages if code not in set(first)), key=records.label)
    return {records.label(code): code for code in (*first, *rest)}


def pick_language(
    label: str, records: LanguageRecords, first: Sequence[str], *, parameter: str, default: str, none: str = ""
) -> str:
    """The code of the chosen language; the address holds its name, and a code is understood too.

    Args:
        label: Of the widget.
        records: Give the languages.
        first: Languages at the head of the list.
        parameter: Name in the address.
        default: The code chosen at first; empty = none.
        none: What choosing none is called; empty = one must be chosen.
    """
    names = ({none: ""} if none else {}) | _names(records, first)
    _understand_codes(records, parameter)
    called = records.label(default) if default else none
    return names[pick_one(label, list(names), parameter=parameter, default=called)]


def pick_languages(
    label: str,
    records: LanguageRecords,
    first: Sequence[str],
    *,
    parameter: str,
    default: Sequence[str] = (),
    placeholder: str = "none",
) -> tuple[str, ...]:
    """The codes of the chosen languages."""
    names = _names(records, first)
    _understand_codes(records, parameter)
    called = [records.label(code) for code in default]
    picked = pick_many(label, list(names), parameter=parameter, default=called, placeholder=placeholder)
    return tuple(names[name] for name in picked)


def _understand_codes(records: LanguageRecords, parameter: str) -> None:
    """Puts names in the place of codes that an address holds."""
    asked = state.url_values(parameter)
    named = [records.labels.get(value, value) for value in asked]
    if parameter not in st.session_state and named != list(asked):
        st.query_params[parameter] = named
        st.rerun()
