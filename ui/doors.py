"""The four doors of the overview: where a visitor's job leads today, with the parameters of the view that serves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from ui import blocks
from ui.navigation import page_named


@dataclass(frozen=True)
class Door:
    """One job, the page that serves it, and the view of that page."""

    job: str
    stem: str
    words: str
    parameters: Mapping[str, str] = field(default_factory=dict)


DOORS = (
    Door(
        "I choose a model",
        "prompt_distributions",
        "Where do reported scores stand?",
        {"view": "Place of the reference"},
    ),
    Door("I build a model", "prompt_distributions", "Which kinds of prompt move it?", {"view": "Kinds of prompt"}),
    Door("I maintain a benchmark", "prompt_distributions", "How much do scores vary by task?", {"view": "Variation"}),
    Door("I speak the language", "language_composition", "What is each language’s score made of?"),
)


def show_doors(prose: Mapping[str, str]) -> None:
    """Draws the doors as cards; `prose` has a text for each job, by its words in small letters."""
    with st.container(key="cards-doors"):
        for door in DOORS:
            with st.container(border=True, key=f"door-{door.stem}-{door.job}"):
                blocks.show_heading(door.job, " ".join(prose[door.job.lower()].split()))
                st.page_link(page_named(door.stem).path, label=door.words, query_params=dict(door.parameters))
