"""Fields that answer while one types: a pause in typing hands the text on, as leaving the field does.

What is typed stays Streamlit's own; this only says when. Without JavaScript the fields work as they always do.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_keystrokes = st.components.v2.component(
    "scorelens_keystrokes",
    html="<span></span>",
    js=(Path(__file__).parent / "keystrokes.js").read_text("utf-8"),
)


def show_keystrokes(container_key: str) -> None:
    """Makes the text fields inside the container of that key answer while one types, each in its own direction."""
    _keystrokes(data={"container": container_key}, key=f"keystrokes-{container_key}", height=1)
