import streamlit as st

from ui import blocks, prompt_page, reads
from ui.prompt_kinds import show_kinds
from ui.prompt_list import show_prompt_list
from ui.prompt_sections import show_cells_table, show_distributions, show_places, show_provenance, show_variation
from ui.prompt_selection import KINDS, PLACE, VARIATION, pick_selection

STEM = "prompt_distributions"
OTHER_VIEWS = {PLACE: show_places, VARIATION: show_variation, KINDS: show_kinds}

blocks.show_title("Prompt distributions")
if sources := reads.prompt_sources():
    finding = st.container()
    selection = pick_selection(sources)
    answer = reads.prompt_distributions(selection.question)
    sentence = prompt_page.finding_of(answer, selection.view)
    with finding:
        blocks.show_finding(*sentence)
        prompt_page.show_warnings(answer, selection.question)

    if answer.cells.is_empty():
        prompt_page.show_left_out(answer)
    else:
        if show_view := OTHER_VIEWS.get(selection.view):
            show_view(answer, sentence)
        else:
            show_distributions(answer, sentence, selection.scale)
        readings = reads.prompt_readings(selection.question)
        show_prompt_list(answer, reads.best_prompts(selection.question), readings)
        show_cells_table(answer, readings)
    show_provenance(answer)
    blocks.show_reading(STEM)
    blocks.show_engine_line(prompt_page.command_of(selection.question))
else:
    prompt_page.show_no_prompts()
