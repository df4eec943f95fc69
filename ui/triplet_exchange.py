"""Items in and out: a table is looked at row by row before anything is taken over, and leaves in four forms."""

from __future__ import annotations

from functools import partial

import polars as pl
import streamlit as st

from engine.errors import EngineError
from ui import blocks
from ui.blocks import Quoted, Strong
from ui.formats import counted
from ui.reads import triplets
from ui.reads.triplets import StoredSet

SHOWN_ROWS = 200
FORMS = {
    "jsonl": ("JSON Lines", "application/jsonl"),
    "csv": ("CSV", "text/csv"),
    "tsv": ("TSV", "text/tab-separated-values"),
    "triplets.csv": ("anchor, positive, negative (CSV)", "text/csv"),
}


def show_import(stored: StoredSet) -> None:
    """Draws the upload, what was detected in it, its errors by row and column, and the button to take it over."""
    blocks.show_text(
        "Columns: id, language, anchor, positive, negative, negative_2 …, or as sentence-transformers writes them. "
        "All columns are read as text, so an id keeps its zeros."
    )
    file = st.file_uploader("File", type=["csv", "tsv", "txt", "jsonl"], key=f"import/{stored.name}")
    if file is None:
        return
    try:
        preview = triplets.preview(file.getvalue(), file.name, stored)
    except EngineError as error:
        blocks.show_error(str(error))
        return
    blocks.show_text(
        "Read as ", Strong(preview.encoding_words), ", ", Strong(preview.delimiter),
        f": {counted(len(preview.items), 'item')} can be taken over, "
        f"{counted(len(preview.problems), 'cell or row', 'cells or rows')} cannot.",
    )  # fmt: skip
    if preview.unused:
        blocks.show_text("Columns that nothing is taken from: ", Quoted(", ".join(preview.unused)), ".")
    if preview.problems:
        problems = [{"row": each.line, "column": each.column, "reason": each.reason} for each in preview.problems]
        st.dataframe(pl.DataFrame(problems, infer_schema_length=None).head(SHOWN_ROWS), hide_index=True)
    if preview.items:
        st.dataframe(triplets.texts_frame(preview.items).head(SHOWN_ROWS), hide_index=True)
        words = f"Add {counted(len(preview.items), 'item')} to {stored.name}"
        if st.button(words, key="accept-import"):
            try:
                triplets.save(stored.name, [*stored.items, *triplets.records_of(preview.items)], stored.digest)
            except EngineError as error:
                blocks.show_error(str(error))
            else:
                del st.session_state[f"import/{stored.name}"]
                st.rerun()


def show_export(stored: StoredSet) -> None:
    """Draws a button per form in which the set can be saved."""
    if not stored.items:
        blocks.show_text("There is nothing in ", Quoted(stored.name), " yet.")
        return
    with st.container(horizontal=True, gap="small"):
        for ending, (title, kind) in FORMS.items():
            st.download_button(
                title, data=partial(triplets.exported, stored, ending), file_name=f"{stored.name}.{ending}", mime=kind,
                key=f"export/{ending}", on_click="ignore", icon=":material/download:",
            )  # fmt: skip
