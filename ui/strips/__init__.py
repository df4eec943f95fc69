"""Pictures of strips in the browser: the one place with JavaScript.

Plotly draws some 700 marks in the time a visitor waits for; a study has thousands of prompt scores. This small
component draws them as SVG: no frame of its own, no build step, colours that follow the theme at once. Texts of
visitors and prompts reach the page as text content only, so nothing in them is ever markup.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from ui.charts.strips import Picture, digest

_HERE = Path(__file__).parent


def _read(*names: str) -> str:
    return "\n".join((_HERE / name).read_text("utf-8") for name in names)


_strips = st.components.v2.component(
    "scorelens_strips",
    html=_read("strips.html"),
    css=_read("strips.css"),
    js=_read("geometry.js", "draw.js", "strips.js"),
)


def show_strips(
    picture: Picture,
    *,
    key: str,
    selected: tuple[str, str] | None = None,
    on_click: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Draws a picture of strips.

    Args:
        picture: What to draw.
        key: Name of the widget.
        selected: Panel and row that are marked as chosen.
        on_click: Called before the page runs again, with `panel`, `row` and `prompt` (None beside every dot).
    """

    def clicked() -> None:
        if on_click is not None and (click := st.session_state[key].clicked) is not None:
            on_click(dict(click))

    shown = picture.as_data()
    _strips(
        key=key,
        data={
            "picture": shown,
            "digest": digest(shown),
            "selected": None if selected is None else {"panel": selected[0], "row": selected[1]},
        },
        on_clicked_change=clicked,
    )
