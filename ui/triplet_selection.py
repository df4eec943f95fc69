"""What a visitor asks of the triplet page: a view, a set, models; all of it lives in the URL."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.triplet_tests import TripletTests
from engine.answers.triplet_tests import TripletQuestion
from ui import state
from ui.reads import triplets
from ui.selectors import pick_many, pick_one, pick_view

ITEM, ITEMS, COMPARE, PROMPTS, LISTS, WRITE, TOKENS = (
    "One item",
    "All items",
    "Compare",
    "Prompts",
    "Lists",
    "Write",
    "Tokens",
)
VIEWS = (ITEM, ITEMS, COMPARE, PROMPTS, LISTS, WRITE, TOKENS)
SET, PAGE = "set", "items-page"
KEPT = (SET, PAGE, "item", "model", "language", "phenomenon", "sort", "show", "cutoff", "edit", "with")


@dataclass(frozen=True)
class TripletSelection:
    """The question to the engine, and how its answer is looked at."""

    question: TripletQuestion
    view: str

    @property
    def tests(self) -> TripletTests:
        """What the chosen models made of the set."""
        return triplets.tests(self.question)

    @property
    def settings(self) -> dict[str, str]:
        """The selection in words, for downloads."""
        return {"view": self.view, **self.tests.settings}


def pick_chosen_view() -> str:
    """Which of the page's views is open."""
    state.keep(*KEPT)
    return pick_view("View", VIEWS, parameter="view")


def pick_selection(view: str, offered: tuple[str, ...]) -> tuple[TripletSelection, DeltaGenerator]:
    """The selection from the first widgets, and the row that takes the view's own; `offered` is not empty."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=230):
            name = pick_one("Set", offered, parameter=SET)
        with st.container(width=330):
            models = pick_many("Models", triplets.models_of(name), parameter="model", placeholder="all")
        row = st.container(horizontal=True, vertical_alignment="bottom", gap="small", width="content")
    return TripletSelection(TripletQuestion(set_name=name, models=models), view), row
