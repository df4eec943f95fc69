import streamlit as st

from ui import blocks, triplet_page
from ui.triplet_selection import pick_chosen_view

STEM = "triplet_tests"

blocks.show_title("Triplet tests")
finding = st.container()
view = pick_chosen_view()
commands = triplet_page.show_view(view, finding)
blocks.show_reading(STEM, view.lower())
if commands:
    blocks.show_engine_line(*commands)
