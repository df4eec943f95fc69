"""Pictures leave the page as SVG and PNG: composed in the browser, so that no server needs a browser of its own."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
_save_buttons = st.components.v2.component(
    "scorelens_save_picture",
    html=(_HERE / "pictures.html").read_text("utf-8"),
    css=(_HERE / "pictures.css").read_text("utf-8"),
    js=(_HERE / "pictures.js").read_text("utf-8"),
)


def show_save_buttons(container_key: str, *, name: str, title: str, description: str) -> None:
    """Draws the buttons that save the picture inside the container of that key.

    `title` and `description` go into the SVG's metadata, so that the file says what it shows and how it came about.
    """
    data = {"container": container_key, "name": name, "title": title, "description": description}
    _save_buttons(data=data, key=f"save-{container_key}")
