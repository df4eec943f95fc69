"""The frame around every page: style, navigation, the pinned snapshot, and errors as boxes instead of tracebacks."""

from __future__ import annotations

import streamlit as st

from engine.errors import EngineError, SnapshotMissing, StoreError
from ui import blocks, reads, requests, selectors, state
from ui.navigation import register_pages


def show_frame() -> None:
    """Draws the page that this visitor asked for, with all that stands around it."""
    st.set_page_config(page_title="Scorelens", page_icon=blocks.ICON, layout="wide")
    blocks.apply_style()
    chosen = register_pages()
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
        except StoreError as error:
            blocks.show_error(str(error))
            requests.show_progress()
            requests.show_rebuild()
        except EngineError as error:
            blocks.show_error(str(error))
    with notes:
        blocks.show_remembered_notes(reads.shown_snapshot_id())
