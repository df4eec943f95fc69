from ui import blocks, reads
from ui import methods_sections as sections
from ui.selectors import pick_view

STEM = "methods"

provenance = reads.provenance() if reads.shown_snapshot_id() else None
blocks.show_title("Methods")
blocks.show_finding(*sections.finding(provenance))
view = pick_view("View", sections.VIEWS, parameter="view")
if view == sections.MEASURES_VIEW:
    sections.show_measures()
elif view == sections.RULES_VIEW:
    sections.show_rules()
elif provenance is not None:
    sections.show_provenance(provenance, view)
else:
    blocks.show_empty(
        "No provenance yet",
        "What went into a snapshot is listed here as soon as one is published.",
        command="python -m engine demo",
    )
blocks.show_reading(STEM)
if provenance is not None:
    sections.show_caption(provenance)
