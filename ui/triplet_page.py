"""What the triplet page says around its views: which view, empty states, caption, the command for the numbers."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from ui import blocks, reads
from ui.formats import counted
from ui.reads import triplets
from ui.triplet_compare import show_compare
from ui.triplet_item import show_item
from ui.triplet_items import show_items, show_lists
from ui.triplet_prompts import show_prompts
from ui.triplet_run import show_publishing, show_starter
from ui.triplet_selection import COMPARE, ITEM, ITEMS, LISTS, PROMPTS, TOKENS, WRITE, TripletSelection, pick_selection
from ui.triplet_tokens import show_tokens
from ui.triplet_write import show_write

VIEWS = {ITEM: show_item, ITEMS: show_items, COMPARE: show_compare, PROMPTS: show_prompts, LISTS: show_lists}
WHAT = {
    ITEM: ("outcomes", "similarities"),
    ITEMS: ("rates", "baselines"),
    COMPARE: ("rates", "comparisons"),
    PROMPTS: ("outcomes",),
    LISTS: ("saturated", "failed_by_all", "prompts_disagree"),
}
"""Which tables of the command a view shows."""


def show_view(view: str, finding: DeltaGenerator) -> tuple[str, ...]:
    """Draws a view; returns the commands that give its numbers."""
    if view == WRITE:
        return show_write(finding)
    if view == TOKENS:
        show_tokens(finding)
        show_publishing()
        return (blocks.engine_command("tokenization", {}),)
    offered = triplets.tested_sets()
    if not offered:
        _show_nothing(finding)
        return ()
    selection, row = pick_selection(view, offered)
    VIEWS[view](selection, finding, row)
    show_publishing()
    _show_provenance(selection)
    return commands_of(selection)


def _show_nothing(finding: DeltaGenerator) -> None:
    with finding:
        blocks.show_finding("No model was asked yet: does it put the same meaning before a look-alike?")
    blocks.show_text(
        "A triplet is a base text, a text that means the same, and texts that look alike but mean something else. "
        "The starter set has drafts in several languages; the bundled models need neither a network nor a hub."
    )
    show_starter()
    show_publishing()


def _show_provenance(selection: TripletSelection) -> None:
    tests = selection.tests
    behind = triplets.is_behind(selection.question.set_name)
    drafts = int((tests.items["status"] == "draft").sum())
    blocks.show_caption(
        f"Set {selection.question.set_name} in snapshot {reads.shown_snapshot_id()}",
        "its file or results have changed since; the next build takes them up" if behind else "",
        counted(tests.items.height, "item"),
        f"{drafts} of them drafts until a speaker confirms them" if drafts else "",
        *(note.rstrip(".") for note in tests.notes),
    )


def commands_of(selection: TripletSelection) -> tuple[str, ...]:
    """The `engine show` lines that give the numbers of a view, one a table."""
    question = selection.question
    return tuple(
        blocks.engine_command("triplet-tests", {"set": question.set_name, "model": question.models, "what": what})
        for what in WHAT[selection.view]
    )
