import streamlit as st

from ui import blocks, leaderboard_page, reads
from ui.leaderboard_command import command_of
from ui.leaderboard_selection import pick_selection

STEM = "leaderboard_simulator"

blocks.show_title("Leaderboard simulator")
if sources := reads.leaderboard_sources():
    finding = st.container()
    selection = pick_selection(sources)
    leaderboard_page.VIEWS[selection.view](selection, finding)
    leaderboard_page.show_provenance(selection)
    blocks.show_reading(STEM, selection.view.lower())
    if command := command_of(selection):
        blocks.show_engine_line(command)
else:
    leaderboard_page.show_no_leaderboard()
