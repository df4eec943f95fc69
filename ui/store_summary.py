"""What the overview says about a store: its finding, its sources, what was never measured, what was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import streamlit as st

from ui import blocks, tables
from ui.blocks import Sentence, Strong
from ui.formats import count, counted, moment

if TYPE_CHECKING:
    from engine.answers.overview import Overview

SOURCE_COLUMNS = (
    "source_name", "source_kind", "n_models", "n_tasks", "coverage", "n_prompts", "n_shared_prompts", "n_runs",
    "n_complete_runs", "n_limited_runs", "n_mixed_tasks", "n_rejects", "n_files", "newest_file",
)  # fmt: skip


def finding(overview: Overview) -> Sentence:
    """The sentence that says how much is in the store."""
    prompt_runs = overview.n_runs - int(overview.sources["n_default_runs"].sum())
    sentence: list[blocks.Part] = [
        "This store holds ",
        Strong(counted(overview.n_runs, "run")),
        " of ",
        Strong(counted(overview.n_models, "model")),
        f" on {counted(overview.n_tasks, 'task')}; ",
        Strong(count(prompt_runs)) if prompt_runs else "none",
        " of them ran under a prompt other than the default.",
    ]
    return sentence


def settings(overview: Overview) -> dict[str, str]:
    """What stands in the downloads of the overview."""
    versions = {"Scorelens": overview.scorelens_version, "mteb": overview.mteb_version or "none"}
    return {"snapshot": overview.snapshot_id, "published": moment(overview.created_at), **versions}


def show_sources(overview: Overview) -> None:
    """Draws one row per source: how much, how complete, how fresh."""
    blocks.show_heading(
        "What is in the store",
        "One row per source; each column's head says what it counts.",
    )
    tables.show_table(overview.sources, name="sources", settings=settings(overview), columns=SOURCE_COLUMNS)


def show_unmeasured(overview: Overview) -> None:
    """Draws what nobody has measured yet in this store, each with the way to get it."""
    missing = unmeasured(overview)
    if missing:
        blocks.show_heading("Not measured yet")
        for what, how in missing:
            blocks.show_text(Strong(f"{what}. "), how)


def unmeasured(overview: Overview) -> list[tuple[str, str]]:
    """What is missing, and how to get it."""
    sources = overview.sources
    studies = sources.filter(pl.col("n_prompts") > 0)
    published = sources.filter(pl.col("n_prompts") == 0, pl.col("n_runs") > 0)
    missing = []
    if studies.is_empty():
        missing.append(("How scores move over prompts", "Run the demo, or fetch the prompt study, below."))
    for study in studies.filter(pl.col("n_default_runs") == 0)["source_name"]:
        missing.append(
            (f"The default prompt in {study}", "Add its runs with default settings to the source, then rebuild.")
        )
    if published.is_empty():
        missing.append(("Published scores to compare with", "Fetch mteb-results, below."))
    for source in sources.filter(pl.col("n_runs") == 0)["source_name"]:
        missing.append((f"Anything in {source}", "No result file could be used; the refused inputs say why."))
    for source in sources.filter(pl.col("n_limited_runs") > 0).iter_rows(named=True):
        how = (
            f"{counted(source['n_limited_runs'], 'run')} there used a part of each task's texts (a limit): a first "
            "look, no score of the task. Run the sweep without a limit."
        )
        missing.append((f"Whole tasks in {source['source_name']}", how))
    return missing


def show_rejects(overview: Overview) -> None:
    """Draws what was refused, with its place and reason, closed until asked for."""
    rejects = overview.rejects
    if rejects.is_empty():
        blocks.show_text("No input was refused.")
        return
    with st.expander(f"{counted(len(rejects), 'input was', 'inputs were')} refused: which, and why"):
        tables.show_table(rejects, name="rejects", settings=settings(overview))


def show_sources_of_numbers(overview: Overview) -> None:
    """Draws the caption: snapshot, time, versions."""
    described = f"tasks and models described by mteb {overview.mteb_version}" if overview.mteb_version else ""
    blocks.show_caption(
        f"Snapshot {overview.snapshot_id}",
        f"published {moment(overview.created_at)}",
        f"Scorelens {overview.scorelens_version}",
        described,
        f"{count(len(overview.rejects))} refused inputs are in no number",
    )
