from ui import blocks, reads
from ui.doors import show_doors
from ui.requests import show_progress, show_proposals
from ui.store_summary import finding, show_rejects, show_sources, show_sources_of_numbers, show_unmeasured

STEM = "overview"

blocks.show_title("What is this score made of?")
if reads.shown_snapshot_id() is None:
    blocks.show_finding(*blocks.NOTHING_PUBLISHED)
    show_progress()
    show_proposals()
else:
    overview = reads.overview()
    blocks.show_finding(*finding(overview))
    show_doors(blocks.prose(STEM))
    show_sources(overview)
    show_rejects(overview)
    show_unmeasured(overview)
    blocks.show_heading("Get more data", "Each of these runs beside the dashboard; this page may be closed meanwhile.")
    show_progress()
    show_proposals()
    blocks.show_reading(STEM)
    show_sources_of_numbers(overview)
