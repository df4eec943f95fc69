"""Pieces that several views of the language page share: the key of task types, and clicks that open a language."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import streamlit as st

from ui import blocks
from ui.blocks import Sentence
from ui.charts.theme import DARK, LIGHT, TASK_TYPES
from ui.language_selection import LANGUAGE, ONE, VIEW, LanguageSelection

if TYPE_CHECKING:
    from ui.charts.theme import Figure


def show_types_key(*words: str) -> None:
    """Draws the line that says which colour is which task type; `words` explain further marks."""
    types = "".join(
        f'<span><span class="sl-mark" aria-hidden="true" style="width:11px;height:11px;border-radius:2px;'
        f'background:light-dark({LIGHT.task_types[name]},{DARK.task_types[name]})"></span>{name}</span>'
        for name in TASK_TYPES
    )
    rest = "".join(f"<span>{html.escape(each)}</span>" for each in words)
    st.html(f'<div class="sl-key">{types}{rest}</div>')


def show_choosing_language(
    figure: Figure, selection: LanguageSelection, *, name: str, alt: Sentence, opens: str = ONE
) -> None:
    """Draws a figure whose marks carry a language's code: a click opens that language in a view."""
    records = selection.records

    def clicked() -> None:
        points = st.session_state[f"figure-{name}"].selection.points
        if points and (code := points[0].get("customdata")) is not None:
            st.session_state[LANGUAGE] = records.label(str(code))
            st.session_state[VIEW] = opens

    blocks.show_figure(figure, name=name, alt=alt, settings=selection.settings, selectable=True, on_select=clicked)
