import streamlit as st

from ui import blocks, language_page
from ui.language_reads import language_boards
from ui.language_selection import pick_selection

STEM = "language_composition"

blocks.show_title("Language composition")
if boards := language_boards():
    finding = st.container()
    selection, row = pick_selection(boards)
    selection = language_page.VIEWS[selection.view](selection, finding, row)
    language_page.show_provenance(selection)
    blocks.show_reading(STEM, selection.view.lower())
    blocks.show_engine_line(*language_page.commands_of(selection))
else:
    language_page.show_no_languages()
