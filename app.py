"""The frame of the dashboard: page config, style, navigation; an engine's error becomes a box, never a traceback."""

from __future__ import annotations

import streamlit as st

from engine.errors import EngineError, SnapshotMissing
from ui import blocks, reads, selectors, state
from ui.navigation import PAGES

st.set_page_config(page_title="Scorelens", page_icon=blocks.ICON, layout="wide")
blocks.apply_style()

pages = [
    st.Page(page.path, title=page.title, url_path=page.url_path or None, default=page is PAGES[0]) for page in PAGES
]
chosen = st.navigation(pages, position="top")
state.enter_page(chosen.url_path)

# The pin stands at the foot of the page but must be read before the page reads its data.
notes, body, foot = st.container(key="notes"), st.container(key="page"), st.container(key="foot")
with foot:
    state.pin(selectors.pick_snapshot())
with body:
    try:
        chosen.run()
    except SnapshotMissing:
        blocks.show_no_snapshot()
    except EngineError as error:
        blocks.show_error(str(error))
with notes:
    blocks.show_remembered_notes(reads.shown_snapshot_id())
